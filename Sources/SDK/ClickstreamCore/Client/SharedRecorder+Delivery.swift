extension SharedRecorder: DeliveryClient {
    package func deliverySettings(of queue: Int) -> DeliverySettings {
        change { recorder in
            DeliverySettings(
                configuration: recorder.configuration,
                device: recorder.device,
                destination: recorder.log.store.destination(of: queue),
                isEnabled: recorder.isEnabled && recorder.gate.analytics == .open
            )
        }
    }

    package func withStore<Result: Sendable>(
        noting notice: Notice?,
        _ body: (inout EventStore) -> Result
    ) -> Result {
        change { recorder in
            let result = body(&recorder.log.store)
            if let notice { recorder.note(notice) }
            return result
        }
    }

    package func lookForStore() {
        change { $0.lookForStore() }
    }

    package func isPending(_ range: QueueRange) -> Bool {
        change { $0.isPending(range) }
    }

    package func lockForUpload(_ queue: Int) -> (lock: (any FileLock)?, reason: FlushError?) {
        change { $0.lockForUpload(queue) }
    }
}
