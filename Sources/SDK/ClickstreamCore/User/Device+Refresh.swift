extension ClickstreamClient.Device {
    /// Takes over the properties that can change while a process runs from a new reading of the device.
    ///
    /// A property that differs from the last reading was set by the app, and stays. Program, model and identifiers do not
    /// change; the offset from GMT is that of a ``LocalZone``.
    /// - Parameter last: the last reading; replaced by the new one, except for properties that stay.
    mutating func refresh(with new: ClickstreamClient.Device, since last: inout ClickstreamClient.Device) {
        func take<Value: Equatable>(_ path: WritableKeyPath<ClickstreamClient.Device, Value>) {
            guard self[keyPath: path] == last[keyPath: path] else { return }
            self[keyPath: path] = new[keyPath: path]
            last[keyPath: path] = new[keyPath: path]
        }
        take(\.osVersion)
        take(\.locale)
        take(\.language)
        take(\.country)
        take(\.carrier)
        take(\.networkType)
        take(\.screenWidth)
        take(\.screenHeight)
    }
}
