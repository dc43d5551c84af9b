public import ClickstreamCore

/// Session, derived from its events: users, times, screens and engagement.
///
/// Texts of events over 1 022 bytes are cut and end in an ellipsis, also those of ``TimelineEntry``.
public struct CollectedSession: Sendable, Hashable {
    /// Session id.
    public var id: String
    /// App id.
    public var appID: String?
    /// Number of the session of the app on its device, from 1.
    public var number: Int64?
    /// User ids, in the order of their first event.
    public var userIDs: [String]
    /// Unique ids, in the order of their first event.
    public var uniqueIDs: [String]
    /// Start according to the events, or the time of the first event if none contains it.
    public var start: Timestamp
    /// Time of the last event.
    public var last: Timestamp
    /// Number of events, without duplicates.
    public var events: Int
    /// Views of screens, in order.
    public var screens: [CollectedScreen]
    /// Engagement in milliseconds: the sum over `_user_engagement`, as in the published dashboards.
    public var engagement: Int64
    /// Number of events that report an error or a crash of the app.
    public var errors: Int

    /// Milliseconds from ``start`` to ``last``, never negative.
    public var duration: Int64 { max(0, last.milliseconds &- start.milliseconds) }
}

/// View of a screen within a session.
public struct CollectedScreen: Sendable, Hashable {
    /// Screen name.
    public var name: String?
    /// Unique id of the screen.
    public var uniqueID: String?
    /// Time at which the screen was shown.
    public var enteredAt: Timestamp
    /// Engagement with the screen in milliseconds, as far as the events contain it.
    public var engagement: Int64

    /// Creates a view.
    public init(name: String?, uniqueID: String?, enteredAt: Timestamp, engagement: Int64) {
        self.name = name
        self.uniqueID = uniqueID
        self.enteredAt = enteredAt
        self.engagement = engagement
    }
}

/// Event in the timeline of a session.
public struct TimelineEntry: Sendable, Hashable {
    /// The event's ``CollectedEvent/sequence``.
    public var sequence: Int64
    /// Event name.
    public var name: String?
    /// Event id.
    public var eventID: String?
    /// Time of the event.
    public var timestamp: Timestamp
    /// Milliseconds since the start of the session; negative for an event with an earlier time.
    public var offset: Int64
    /// Name of the screen at the time of the event.
    public var screen: String?
    /// Result of the checks.
    public var status: CollectedStatus
}

/// Session with its events, in the order in which they happened.
public struct SessionTimeline: Sendable, Hashable {
    /// The session.
    public var session: CollectedSession
    /// Events of the session, by time.
    public var entries: [TimelineEntry]
}

/// Page of sessions in the order of arrival of their first events.
public struct SessionPage: Sendable, Hashable {
    /// Sessions of the page, in the order of the arrival of their first events.
    public var sessions: [CollectedSession]
    /// Cursor of the next page; `nil` if there are no further sessions yet.
    public var next: Int64?

    /// Creates a page.
    public init(sessions: [CollectedSession], next: Int64?) {
        self.sessions = sessions
        self.next = next
    }
}

// MARK: - JSON

extension CollectedSession {
    /// Appends the session in the format of the query API, without a timeline.
    func append(to bytes: inout [UInt8]) {
        var row = JSONObjectWriter(&bytes)
        addMembers(to: &row, &bytes)
        addUsers(to: &row, &bytes)
        row.end(&bytes)
    }

    /// JSON of the session before and after the entries of its timeline.
    var jsonAroundTimeline: (before: [UInt8], after: [UInt8]) {
        var (before, after): ([UInt8], [UInt8]) = ([], [])
        var row = JSONObjectWriter(&before)
        addMembers(to: &row, &before)
        row.begin("timeline", &before)
        before.append(UInt8(ascii: "["))
        after.append(UInt8(ascii: "]"))
        addUsers(to: &row, &after)
        row.end(&after)
        return (before, after)
    }

    /// Members that precede the timeline, in the order of their names.
    private func addMembers(to row: inout JSONObjectWriter, _ bytes: inout [UInt8]) {
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
    }

    private func addUsers(to row: inout JSONObjectWriter, _ bytes: inout [UInt8]) {
        row.add("unique_ids", uniqueIDs, &bytes) { JSONWriter.append($0, to: &$1) }
        row.add("user_ids", userIDs, &bytes) { JSONWriter.append($0, to: &$1) }
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
    /// Appends the entry in the format of the query API.
    func append(to bytes: inout [UInt8]) {
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
