#if Tools
public import ClickstreamCore

/// One session as its events tell it: who, when, which screens and for how long.
public struct CollectedSession: Sendable, Hashable {
    public var id: String
    public var appID: String?
    /// Counts an app's sessions on one device from 1.
    public var number: Int64?
    /// The user ids that were logged in, in the order of their first event.
    public var userIDs: [String]
    /// The unique ids that the events carry, in the order of their first event.
    public var uniqueIDs: [String]
    /// As the events say it, or the first event's time when none does.
    public var start: Timestamp
    /// The last event's time.
    public var last: Timestamp
    /// Different events.
    public var events: Int
    /// In the order in which they were shown.
    public var screens: [CollectedScreen]
    /// Milliseconds: the sum over `_user_engagement`, which is what the published dashboards count.
    public var engagement: Int64
    /// Events that report a mistake or a crash of the app.
    public var errors: Int

    /// Milliseconds from ``start`` to ``last``, never negative.
    public var duration: Int64 { max(0, last.milliseconds &- start.milliseconds) }
}

/// One view of a screen within a session.
public struct CollectedScreen: Sendable, Hashable {
    public var name: String?
    public var uniqueID: String?
    public var enteredAt: Timestamp
    /// Milliseconds that the screen was in front, as far as the events tell.
    public var engagement: Int64

    public init(name: String?, uniqueID: String?, enteredAt: Timestamp, engagement: Int64) {
        self.name = name
        self.uniqueID = uniqueID
        self.enteredAt = enteredAt
        self.engagement = engagement
    }
}

/// One event's place in its session.
public struct TimelineEntry: Sendable, Hashable {
    /// The event's ``CollectedEvent/sequence``.
    public var sequence: Int64
    public var name: String?
    public var eventID: String?
    public var timestamp: Timestamp
    /// Milliseconds after the session's start; negative when the event says it came before.
    public var offset: Int64
    public var screen: String?
    public var status: CollectedStatus
}

/// A session and its events, in the order in which they happened.
public struct SessionTimeline: Sendable, Hashable {
    public var session: CollectedSession
    public var entries: [TimelineEntry]
}

/// Some of a collector's sessions in the order of their first event's arrival, and where to go on.
public struct SessionPage: Sendable, Hashable {
    public var sessions: [CollectedSession]
    /// What to ask with for the sessions after these; `nil` when there are none yet.
    public var next: Int64?

    public init(sessions: [CollectedSession], next: Int64?) {
        self.sessions = sessions
        self.next = next
    }
}

extension CollectedSession: Encodable {
    private enum Key: String, CodingKey {
        case id, number, start, last, events, screens, errors
        case appID = "app_id"
        case userIDs = "user_ids"
        case uniqueIDs = "unique_ids"
        case duration = "duration_ms"
        case engagement = "engagement_ms"
    }

    public func encode(to encoder: any Encoder) throws {
        var row = encoder.container(keyedBy: Key.self)
        try row.encode(id, forKey: .id)
        try row.encode(number, forKey: .number)
        try row.encode(appID, forKey: .appID)
        try row.encode(userIDs, forKey: .userIDs)
        try row.encode(uniqueIDs, forKey: .uniqueIDs)
        try row.encode(start.milliseconds, forKey: .start)
        try row.encode(last.milliseconds, forKey: .last)
        try row.encode(duration, forKey: .duration)
        try row.encode(events, forKey: .events)
        try row.encode(screens, forKey: .screens)
        try row.encode(engagement, forKey: .engagement)
        try row.encode(errors, forKey: .errors)
    }
}

extension CollectedScreen: Encodable {
    private enum Key: String, CodingKey {
        case name
        case uniqueID = "unique_id"
        case enteredAt = "entered_at"
        case engagement = "engagement_ms"
    }

    public func encode(to encoder: any Encoder) throws {
        var row = encoder.container(keyedBy: Key.self)
        try row.encode(name, forKey: .name)
        try row.encode(uniqueID, forKey: .uniqueID)
        try row.encode(enteredAt.milliseconds, forKey: .enteredAt)
        try row.encode(engagement, forKey: .engagement)
    }
}

extension TimelineEntry: Encodable {
    private enum Key: String, CodingKey {
        case name, timestamp, screen, status
        case eventID = "event_id"
        case offset = "offset_ms"
    }

    public func encode(to encoder: any Encoder) throws {
        var row = encoder.container(keyedBy: Key.self)
        try row.encode(name, forKey: .name)
        try row.encode(eventID, forKey: .eventID)
        try row.encode(timestamp.milliseconds, forKey: .timestamp)
        try row.encode(offset, forKey: .offset)
        try row.encode(screen, forKey: .screen)
        try row.encode(status, forKey: .status)
    }
}

extension SessionTimeline: Encodable {
    private enum Key: String, CodingKey {
        case timeline
    }

    /// The session's own fields, and its events beside them.
    public func encode(to encoder: any Encoder) throws {
        try session.encode(to: encoder)
        var row = encoder.container(keyedBy: Key.self)
        try row.encode(entries, forKey: .timeline)
    }
}
#endif
