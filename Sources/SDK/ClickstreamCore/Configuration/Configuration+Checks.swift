extension ClickstreamClient.Configuration {
    /// The reason why the cookie cannot be sent; `nil` if it is valid or there is none. Never contains the cookie.
    package var cookieRefusal: String? {
        guard let authCookie, !UploadRequest.isHeaderValue(authCookie) else { return nil }
        return "'authCookie' must not contain line breaks or other control characters"
    }

    /// The reason why a unique id is not accepted, as the rest of the sentence after the key; `nil` if it is. Never contains
    /// the id.
    static func lengthRefusal(ofUniqueID id: String) -> String? {
        let length = id.utf8.count
        guard !(1...Rules.longestID ~= length) else { return nil }
        return "must have 1 to \(Rules.longestID) bytes, not \(length)"
    }

    /// The unique id, if it is accepted.
    var usableUniqueID: String? {
        uniqueID.flatMap { Self.lengthRefusal(ofUniqueID: $0) == nil ? $0 : nil }
    }

    /// Restores the settings that cannot change while a client runs: see ``ConfigurationKey/isFixed``.
    /// - Returns: the names of the keys whose change was reverted.
    package mutating func keepLaunchSettings(of running: ClickstreamClient.Configuration) -> [String] {
        ConfigurationKey.all.filter { $0.isFixed && $0.copy(from: running, to: &self) }.map(\.name)
    }
}
