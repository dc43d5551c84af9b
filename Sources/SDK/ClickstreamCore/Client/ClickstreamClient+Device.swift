extension ClickstreamClient {
    /// Changes the device properties of later events; those that the configuration sets are kept. A changed property is
    /// no longer read from the device.
    public func updateDevice(_ body: (inout Device) -> Void) {
        guard isOurs else { return }
        shared.change { recorder in
            var changed = recorder.device
            body(&changed)
            recorder.update(changed)
        }
    }

    /// Reading of the device for a change to the foreground, made without the lock; `nil` if there is no change.
    var newReading: Device? {
        guard let device, shared.read({ $0.canAppear }) else { return nil }
        return device.device()
    }
}
