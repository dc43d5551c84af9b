package import ClickstreamCore

/// Settings of the pulse format.
public struct PulseSettings: Sendable, Hashable {
    package var endpoint: String
    package var authCookie: String?

    /// Creates settings.
    /// - Parameters:
    ///   - endpoint: the complete URL; if empty, events are kept.
    ///   - authCookie: the value of the header `cookie`.
    public init(endpoint: String = "", authCookie: String? = nil) {
        self.endpoint = endpoint
        self.authCookie = authCookie
    }
}

extension PulseSettings: FormatSettings {
    package static let formatName = FormatName.pulse
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
