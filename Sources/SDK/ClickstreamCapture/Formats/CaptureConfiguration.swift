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

    /// Creates settings with the given values; screens are tracked.
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

    /// Recorders of the enabled formats, in the order of ``formats``, called without dynamic dispatch.
    struct Recorders {
        private let pulse: PulseRecorder?
        private let contentsquare: ContentsquareRecorder?

        init(_ configuration: CaptureConfiguration) {
            pulse = configuration.pulse.map(PulseRecorder.init)
            contentsquare = configuration.contentsquare.map(ContentsquareRecorder.init)
        }

        func record(_ event: CapturedEvent, _ access: inout RecorderAccess) {
            pulse?.record(event, &access)
            contentsquare?.record(event, &access)
        }

        func record(_ event: AppEvent, _ access: inout RecorderAccess, at moment: Moment) {
            pulse?.record(event, &access, at: moment)
            contentsquare?.record(event, &access, at: moment)
        }

        func didRemoveEvents() {
            pulse?.didRemoveEvents()
            contentsquare?.didRemoveEvents()
        }
    }
}
