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

/// Settings of the Contentsquare format.
public struct ContentsquareSettings: Sendable, Hashable {
    /// The complete URL; if empty, events are kept.
    public var endpoint: String
    /// The identifier of the project, `pid`.
    public var projectID: Int
    /// The maximum number of events of a batch, at least 1.
    public var batchSize: Int
    /// The IANA name of the time zone; `nil` for that of the host.
    public var timeZone: String?
    /// Physical pixels per logical pixel, from 0.75 to 10.
    public var density: Double
    /// Builds of the app and of the library.
    public var build: ContentsquareBuild

    public init(
        endpoint: String = "",
        projectID: Int,
        batchSize: Int = 50,
        timeZone: String? = nil,
        density: Double = 1,
        build: ContentsquareBuild = ContentsquareBuild()
    ) {
        self.endpoint = endpoint
        self.projectID = projectID
        self.batchSize = batchSize
        self.timeZone = timeZone
        self.density = density
        self.build = build
    }
}
