#if Tools
/// What a collector holds, in eight numbers. Duplicates are counted in none of the others.
public struct CollectorSummary: Sendable, Hashable, Codable {
    /// Requests that were answered with 200.
    public var requests: Int
    /// Those of them whose body could not be read.
    public var badRequests: Int
    /// Different events: the good and the bad ones.
    public var events: Int
    public var goodEvents: Int
    public var badEvents: Int
    /// Events that had come before, by event id and timestamp.
    public var duplicates: Int
    /// Different sessions, by app id and session id.
    public var sessions: Int
    /// Different unique ids.
    public var users: Int

    public init(
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
#endif
