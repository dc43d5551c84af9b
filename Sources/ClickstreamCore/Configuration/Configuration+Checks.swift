extension Configuration {
    /// Why the cookie cannot be sent; `nil` when it can, or there is none. Never says the cookie itself.
    package var cookieRefusal: String? {
        guard let authCookie, !UploadRequest.isHeaderValue(authCookie) else { return nil }
        return "'authCookie' expects \(ConfigurationKey.cookieExpectation); take what does not belong to it out"
    }

    /// Puts back what cannot change while a client runs: the place and the limits of its store, and what the launch
    /// installed.
    /// - Returns: the names of the keys that somebody tried to change.
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
