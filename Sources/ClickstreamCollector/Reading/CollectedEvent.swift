#if Tools
public import ClickstreamCore

/// Whether something was found to be wrong. What was only warned of is good.
public enum CollectedStatus: String, Sendable, Hashable, Codable {
    case good
    case bad
}

/// One event that a collector holds, as it was sent, with what was found in it.
public struct CollectedEvent: Sendable, Hashable {
    /// The place in the order of arrival: grows, is never used twice, and serves as a cursor.
    public var sequence: Int64
    /// The event's JSON text as it stood in the request.
    public var json: String
    public var status: CollectedStatus
    /// In the order in which they were found.
    public var violations: [CollectedViolation]
    /// Number of findings that are not listed in ``violations`` one by one.
    public var unlistedViolations: Int
    /// The `X-Request-ID` of the request that brought it.
    public var requestID: String
    public var receivedAt: Timestamp

    public init(
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

/// One thing that was found to be wrong with an event.
public struct CollectedViolation: Sendable, Hashable {
    /// A number of the SDK's, such as `2001`, or a text of the pipeline's, such as `etl_future`.
    public var code: String
    /// An error makes the event bad, a warning does not.
    public var severity: Violation.Severity
    public var subject: String
    public var name: String
    public var message: String

    public init(code: String, severity: Violation.Severity, subject: String, name: String, message: String) {
        self.code = code
        self.severity = severity
        self.subject = subject
        self.name = name
        self.message = message
    }
}

/// Some of a collector's events in the order of arrival, and where to go on.
public struct EventPage: Sendable, Hashable {
    public var events: [CollectedEvent]
    /// What to ask with for the events after these; `nil` when there are none yet.
    public var next: Int64?

    public init(events: [CollectedEvent], next: Int64?) {
        self.events = events
        self.next = next
    }
}

/// Which events to give: all that fit every part that is set.
public struct EventFilter: Sendable, Hashable {
    /// The most events of one page.
    public static let limits = 1...10_000

    /// The event's name (`event_type`).
    public var name: String?
    /// The session id.
    public var session: String?
    /// A user id or a unique id.
    public var user: String?
    public var status: CollectedStatus?
    /// A code that one of the event's violations has.
    public var code: String?
    /// When the collector received it, at the earliest.
    public var since: Timestamp?
    /// The most events to give; brought into ``limits``. A page of large events ends sooner, after 32 MiB.
    public var limit: Int
    /// Where an earlier page ended: its `next`.
    public var cursor: Int64?

    public init(
        name: String? = nil,
        session: String? = nil,
        user: String? = nil,
        status: CollectedStatus? = nil,
        code: String? = nil,
        since: Timestamp? = nil,
        limit: Int = 100,
        cursor: Int64? = nil
    ) {
        self.name = name
        self.session = session
        self.user = user
        self.status = status
        self.code = code
        self.since = since
        self.limit = limit
        self.cursor = cursor
    }
}
#endif
