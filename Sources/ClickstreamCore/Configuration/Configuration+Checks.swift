extension Configuration {
    /// The reason why the cookie cannot be sent; `nil` if it is valid or there is none. Never contains the cookie.
    package var cookieRefusal: String? {
        guard let authCookie, !UploadRequest.isHeaderValue(authCookie) else { return nil }
        return "'authCookie' must not contain line breaks or other control characters"
    }

    /// Restores the settings that cannot change while a client runs: see ``ConfigurationKey/isFixed``.
    /// - Returns: the names of the keys whose change was reverted.
    package mutating func keepLaunchSettings(of running: Configuration) -> [String] {
        ConfigurationKey.all.filter { $0.isFixed && $0.copy(from: running, to: &self) }.map(\.name)
    }
}
