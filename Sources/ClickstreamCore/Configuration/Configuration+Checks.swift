extension Configuration {
    /// The reason why the cookie cannot be sent; `nil` if it is valid or there is none. Never contains the cookie.
    package var cookieRefusal: String? {
        guard let authCookie, !UploadRequest.isHeaderValue(authCookie) else { return nil }
        return "'authCookie' must not contain line breaks or other control characters"
    }

    /// Restores the settings that cannot change while a client runs: location and limits of its store, and the signal
    /// handling installed at launch.
    /// - Returns: the names of the keys whose change was reverted.
    package mutating func keepLaunchSettings(of running: Configuration) -> [String] {
        var kept: [String] = []
        func keep<Value: Equatable>(_ name: String, _ path: WritableKeyPath<Configuration, Value>) {
            guard self[keyPath: path] != running[keyPath: path] else { return }
            self[keyPath: path] = running[keyPath: path]
            kept.append(name)
        }
        keep("storageDirectory", \.storageFolder)
        keep("maxStoreBytes", \.maxStoreBytes)
        keep("maxStoreEvents", \.maxStoreEvents)
        keep("maxEventAge", \.maxEventAge)
        keep("durability", \.durability)
        keep("endsOnSignals", \.endsOnSignals)
        return kept
    }
}
