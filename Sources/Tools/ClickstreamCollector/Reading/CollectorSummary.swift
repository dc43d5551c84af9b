/// Counts of the stored data. Duplicates are not included in the other counts.
public struct CollectorSummary: Sendable, Hashable, Codable {
    /// Number of requests answered with 200.
    public var requests: Int
    /// Number of requests with an unreadable body.
    public var badRequests: Int
    /// Number of events, good and bad.
    public var events: Int
    /// Number of events without an error.
    public var goodEvents: Int
    /// Number of events with an error.
    public var badEvents: Int
    /// Number of events received before, by event id and timestamp.
    public var duplicates: Int
    /// Number of sessions, by app id and session id.
    public var sessions: Int
    /// Number of unique ids.
    public var users: Int

    /// Creates a summary.
    package init(
        requests: Int = 0,
        badRequests: Int = 0,
        events: Int = 0,
        goodEvents: Int = 0,
        badEvents: Int = 0,
        duplicates: Int = 0,
        sessions: Int = 0,
        users: Int = 0
    ) {
        self.requests = requests
        self.badRequests = badRequests
        self.events = events
        self.goodEvents = goodEvents
        self.badEvents = badEvents
        self.duplicates = duplicates
        self.sessions = sessions
        self.users = users
    }

    private enum CodingKeys: String, CodingKey {
        case requests
        case badRequests = "bad_requests"
        case events
        case goodEvents = "good_events"
        case badEvents = "bad_events"
        case duplicates
        case sessions
        case users
    }
}
