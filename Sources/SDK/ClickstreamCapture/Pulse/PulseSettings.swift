import ClickstreamCore

/// Settings of the pulse format.
public struct PulseSettings: Sendable, Hashable {
    /// The complete URL; if empty, events are kept.
    public var endpoint: String
    /// The value of the header `cookie`.
    public var authCookie: String?

    public init(endpoint: String = "", authCookie: String? = nil) {
        self.endpoint = endpoint
        self.authCookie = authCookie
    }
}

extension PulseSettings {
    func destination(appID: String) -> Destination {
        Destination(format: PulseFormat(), appID: appID, endpoint: endpoint, authCookie: authCookie)
    }
}
