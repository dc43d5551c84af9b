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

// MARK: - JSON

extension CollectedSession {
    /// Appends the session as an answer has it.
    /// - Parameter timeline: entries of a single session; `nil` in a list.
    func append(to bytes: inout [UInt8], timeline: [TimelineEntry]? = nil) {
        var row = JSONObjectWriter(&bytes)
        row.add("app_id", appID, &bytes)
        row.add("duration_ms", duration, &bytes)
        row.add("engagement_ms", engagement, &bytes)
        row.add("errors", Int64(errors), &bytes)
        row.add("events", Int64(events), &bytes)
        row.add("id", id, &bytes)
        row.add("last", last.milliseconds, &bytes)
        row.add("number", number, &bytes)
        row.add("screens", screens, &bytes) { $0.append(to: &$1) }
        row.add("start", start.milliseconds, &bytes)
        if let timeline { row.add("timeline", timeline, &bytes) { $0.append(to: &$1) } }
        row.add("unique_ids", uniqueIDs, &bytes) { JSONWriter.append($0, to: &$1) }
        row.add("user_ids", userIDs, &bytes) { JSONWriter.append($0, to: &$1) }
        row.end(&bytes)
    }
}

extension CollectedScreen {
    fileprivate func append(to bytes: inout [UInt8]) {
        var row = JSONObjectWriter(&bytes)
        row.add("engagement_ms", engagement, &bytes)
        row.add("entered_at", enteredAt.milliseconds, &bytes)
        row.add("name", name, &bytes)
        row.add("unique_id", uniqueID, &bytes)
        row.end(&bytes)
    }
}

extension TimelineEntry {
    fileprivate func append(to bytes: inout [UInt8]) {
        var row = JSONObjectWriter(&bytes)
        row.add("event_id", eventID, &bytes)
        row.add("name", name, &bytes)
        row.add("offset_ms", offset, &bytes)
        row.add("screen", screen, &bytes)
        row.add("status", status.rawValue, &bytes)
        row.add("timestamp", timestamp.milliseconds, &bytes)
        row.end(&bytes)
    }
}

extension SessionTimeline {
    /// The session with its timeline, as JSON.
    var json: [UInt8] {
        var bytes: [UInt8] = []
        session.append(to: &bytes, timeline: entries)
        return bytes
    }
}

extension SessionPage {
    /// The page as JSON.
    var json: [UInt8] {
        var bytes: [UInt8] = []
        var page = JSONObjectWriter(&bytes)
        page.add("next", next.map(String.init), &bytes)
        page.add("sessions", sessions, &bytes) { $0.append(to: &$1) }
        page.end(&bytes)
        return bytes
    }
}
#endif
