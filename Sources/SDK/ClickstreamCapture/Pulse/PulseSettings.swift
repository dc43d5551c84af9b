package import ClickstreamCore

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

extension PulseSettings: FormatSettings {
    package static let formatName = PulseFormat.name
    package static let property: any WritableKeyPath<CaptureConfiguration, PulseSettings?> & Sendable = \.pulse
    package static let keys: [FormatKey<PulseSettings>] = [
        FormatKey("endpoint", .endpoint(\.endpoint)),
        FormatKey("authCookie", .text(\.authCookie), in: [.configuration], isSecret: true),
    ]
    package static let defaults = PulseSettings()

    package func destination(appID: String) -> Destination {
        Destination(format: PulseFormat(), appID: appID, endpoint: endpoint, authCookie: authCookie)
    }
}
