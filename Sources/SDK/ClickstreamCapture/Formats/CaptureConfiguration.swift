package import ClickstreamCore

/// Settings of automatic capture. A plain value.
public struct CaptureConfiguration: Sendable, Hashable {
    /// The enabled types of auto events; none by default.
    public var autoEvents: [AutoEventType]
    /// Opt-out and masking by class.
    public var classRules: ClassRules
    /// True if a page that appears is reported as a screen, with its class as the name. False if another adapter
    /// reports screens.
    public var tracksScreens = true
    /// The server for events in the pulse format; `nil` disables the format.
    public var pulse: PulseSettings?
    /// The server for events in the Contentsquare format; `nil` disables the format.
    public var contentsquare: ContentsquareSettings?

    public init(
        autoEvents: [AutoEventType] = [],
        classRules: ClassRules = ClassRules(),
        pulse: PulseSettings? = nil,
        contentsquare: ContentsquareSettings? = nil
    ) {
        self.autoEvents = autoEvents
        self.classRules = classRules
        self.pulse = pulse
        self.contentsquare = contentsquare
    }
}

extension CaptureConfiguration {
    /// The formats besides the clickstream one, in the order in which events are recorded and keys are documented.
    package static let formats: [any FormatSettings.Type] = [PulseSettings.self, ContentsquareSettings.self]

    /// The destinations of the enabled formats.
    package func destinations(appID: String) -> [Destination] {
        Self.formats.compactMap { $0.settings(in: self)?.destination(appID: appID) }
    }
}
