public import ClickstreamCore

/// Result of the validation of an event. An event with warnings only is good.
public enum CollectedStatus: String, Sendable, Hashable, Codable {
    /// No error was found; warnings are allowed.
    case good
    /// An error was found.
    case bad
}

/// Stored event, as sent, with its findings.
public struct CollectedEvent: Sendable, Hashable {
    /// Sequence number in the order of arrival; increasing, never reused, and usable as a cursor.
    package var sequence: Int64
    /// The event's JSON text, unchanged.
    public var json: String
    /// Result of the checks.
    public var status: CollectedStatus
    /// Findings in the order of their detection.
    public var violations: [CollectedViolation]
    /// Number of findings that are not listed in ``violations``.
    package var unlistedViolations: Int
    /// The `X-Request-ID` of its request.
    public var requestID: String
    /// Time at which the collector received the request.
    public var receivedAt: Timestamp

    package init(
        sequence: Int64,
        json: String,
        status: CollectedStatus,
        violations: [CollectedViolation],
        unlistedViolations: Int = 0,
        requestID: String,
        receivedAt: Timestamp
    ) {
        self.sequence = sequence
        self.json = json
        self.status = status
        self.violations = violations
        self.unlistedViolations = unlistedViolations
        self.requestID = requestID
        self.receivedAt = receivedAt
    }
}

/// Finding of the validation of an event.
public struct CollectedViolation: Sendable, Hashable {
    /// Numeric code of the SDK, such as `2001`, or code of the pipeline, such as `etl_future`.
    public var code: String
    /// Severity; only an error makes the event bad.
    public var severity: Violation.Severity
    /// Kind of thing that the violation applies to, such as `attribute`.
    public var subject: String
    /// Name that violates the rule, such as an attribute name.
    public var name: String
    /// Description in one sentence.
    public var message: String

    package init(code: String, severity: Violation.Severity, subject: String, name: String, message: String) {
        self.code = code
        self.severity = severity
        self.subject = subject
        self.name = name
        self.message = message
    }
}

/// Page of events in the order of arrival.
public struct EventPage: Sendable, Hashable {
    /// Events of the page, in the order of arrival.
    public var events: [CollectedEvent]
    /// Cursor of the next page; `nil` if there are no further events yet.
    public var next: Int64?
}

/// Filter for events: an event has to match every property that is set.
public struct EventFilter: Sendable, Hashable {
    /// Valid values of ``limit``.
    package static let limits = 1...10_000

    /// The event's name (`event_type`).
    public var name: String?
    /// The session id.
    public var session: String?
    /// A user id or a unique id.
    public var user: String?
    /// The app id (`app_id`) of the event.
    public var app: String?
    /// The device id (`device_id`).
    public var device: String?
    /// The platform (`platform`), such as `iOS`.
    public var platform: String?
    /// The version of the app (`app_version`).
    public var version: String?
    /// The name of the screen (`_screen_name`).
    public var screen: String?
    /// Result of the checks.
    public var status: CollectedStatus?
    /// Code of one of the event's findings.
    public var code: String?
    /// Earliest time of receipt by the collector.
    public var since: Timestamp?
    /// Time before which the collector received the event.
    public var until: Timestamp?
    /// Maximum number of events, from 1 to 10 000; another number counts as the nearest of these. A page has at most about 32 MiB.
    public var limit: Int
    /// The `next` of the previous page.
    public var cursor: Int64?

    /// Creates a filter; `nil` matches every event.
    public init(
        name: String? = nil,
        session: String? = nil,
        user: String? = nil,
        app: String? = nil,
        device: String? = nil,
        platform: String? = nil,
        version: String? = nil,
        screen: String? = nil,
        status: CollectedStatus? = nil,
        code: String? = nil,
        since: Timestamp? = nil,
        until: Timestamp? = nil,
        limit: Int = 100,
        cursor: Int64? = nil
    ) {
        self.name = name
        self.session = session
        self.user = user
        self.app = app
        self.device = device
        self.platform = platform
        self.version = version
        self.screen = screen
        self.status = status
        self.code = code
        self.since = since
        self.until = until
        self.limit = limit
        self.cursor = cursor
    }
}
