package import ClickstreamCore

/// Session, derived from its events: users, times, screens and engagement.
///
/// Texts of events over 1 022 bytes are cut and end in an ellipsis, also those of ``TimelineEntry``.
package struct CollectedSession: Sendable, Hashable {
    /// Session id.
    package var id: String
    /// App id.
    package var appID: String?
    /// Number of the session of the app on its device, from 1.
    package var number: Int64?
    /// User ids, in the order of their first event.
    package var userIDs: [String]
    /// Unique ids, in the order of their first event.
    package var uniqueIDs: [String]
    /// Start according to the events, or the time of the first event if none contains it.
    package var start: Timestamp
    /// Time of the last event.
    package var last: Timestamp
    /// Number of events, without duplicates.
    package var events: Int
    /// Views of screens, in order.
    package var screens: [CollectedScreen]
    /// Engagement in milliseconds: the sum over `_user_engagement`, as in the published dashboards.
    package var engagement: Int64
    /// Number of events that report an error or a crash of the app.
    package var errors: Int

    /// Milliseconds from ``start`` to ``last``, never negative.
    package var duration: Int64 { max(0, last.milliseconds &- start.milliseconds) }
}

/// View of a screen within a session.
package struct CollectedScreen: Sendable, Hashable {
    /// Screen name.
    package var name: String?
    /// Unique id of the screen.
    package var uniqueID: String?
    /// Time at which the screen was shown.
    package var enteredAt: Timestamp
    /// Engagement with the screen in milliseconds, as far as the events contain it.
    package var engagement: Int64
}

/// Event in the timeline of a session.
package struct TimelineEntry: Sendable, Hashable {
    /// The event's ``CollectedEvent/sequence``.
    package var sequence: Int64
    /// Event name.
    package var name: String?
    /// Event id.
    package var eventID: String?
    /// Time of the event.
    package var timestamp: Timestamp
    /// Milliseconds since the start of the session; negative for an event with an earlier time.
    package var offset: Int64
    /// Name of the screen at the time of the event.
    package var screen: String?
    /// Result of the checks.
    package var status: CollectedStatus
}

/// Session with its events, in the order in which they happened.
package struct SessionTimeline: Sendable, Hashable {
    /// The session.
    package var session: CollectedSession
    /// Events of the session, by time.
    package var entries: [TimelineEntry]
}

/// Page of sessions in the order of arrival of their first events.
package struct SessionPage: Sendable, Hashable {
    /// Sessions of the page, in the order of the arrival of their first events.
    package var sessions: [CollectedSession]
    /// Cursor of the next page; `nil` if there are no further sessions yet.
    package var next: Int64?
}

// MARK: - JSON

extension CollectedSession {
    /// Appends the session in the format of the query API, without a timeline.
    func append(to list: inout ObjectWriter) {
        list.object { row in
            addMembers(to: &row)
            addUsers(to: &row)
        }
    }

    /// JSON of the session before and after the entries of its timeline.
    var jsonAroundTimeline: (before: [UInt8], after: [UInt8]) {
        var row = ObjectWriter()
        row.beginObject()
        addMembers(to: &row)
        row.beginArray("timeline")
        let before = row.bytes
        row.bytes = []
        row.endArray()
        addUsers(to: &row)
        row.endObject()
        return (before, row.bytes)
    }

    /// Members that precede the timeline, in the order of their names.
    private func addMembers(to row: inout ObjectWriter) {
        row.member("app_id", orNull: appID)
        row.member("duration_ms", duration)
        row.member("engagement_ms", engagement)
        row.member("errors", errors)
        row.member("events", events)
        row.member("id", id)
        row.member("last", last.milliseconds)
        row.member("number", orNull: number)
        row.array("screens", of: screens) { $1.append(to: &$0) }
        row.member("start", start.milliseconds)
    }

    private func addUsers(to row: inout ObjectWriter) {
        row.array("unique_ids", of: uniqueIDs) { $0.element($1) }
        row.array("user_ids", of: userIDs) { $0.element($1) }
    }
}

extension CollectedScreen {
    fileprivate func append(to list: inout ObjectWriter) {
        list.object { row in
            row.member("engagement_ms", engagement)
            row.member("entered_at", enteredAt.milliseconds)
            row.member("name", orNull: name)
            row.member("unique_id", orNull: uniqueID)
        }
    }
}

extension TimelineEntry {
    /// Appends the entry in the format of the query API.
    func append(to list: inout ObjectWriter) {
        list.object { row in
            row.member("event_id", orNull: eventID)
            row.member("name", orNull: name)
            row.member("offset_ms", offset)
            row.member("screen", orNull: screen)
            row.member("seq", sequence)
            row.member("status", status.rawValue)
            row.member("timestamp", timestamp.milliseconds)
        }
    }
}

extension SessionPage {
    /// The page as JSON.
    var json: [UInt8] {
        var writer = ObjectWriter()
        writer.object { page in
            page.member("next", orNull: next.map(String.init))
            page.array("sessions", of: sessions) { $1.append(to: &$0) }
        }
        return writer.bytes
    }
}
