#if Collector
import ClickstreamCore
import GRDB

/// Session with the numbers of its events, by which parts of its timeline are read.
struct StoredSession: Sendable {
    /// Error for an event that was removed since the session was read.
    struct Changed: Error {}

    struct Event: Sendable {
        var sequence: Int64
        var timestamp: Timestamp
    }

    var session: CollectedSession
    /// Events in the order of their time.
    var events: [Event]
}

extension Store {
    /// Maximum number of events of the sessions in one page; a page has at least one session.
    private static let maxGathered = 50_000

    func sessions(after cursor: Int64?, limit: Int) async throws -> SessionPage {
        let limit = limit.clamped(to: EventFilter.limits)
        return try await readInTurn { try Self.sessions(after: cursor ?? 0, limit: limit, in: $0) }
    }

    /// Sessions of one page, computed in one pass over the requests that contain their events.
    ///
    /// Takes time linear in these events. Memory is bounded by ``maxGathered`` events, or by one session.
    static func sessions(after cursor: Int64, limit: Int, in database: Database) throws -> SessionPage {
        let rows = try Row.fetchCursor(
            database.cachedStatement(
                sql: "SELECT first, id, app_id, events FROM sessions WHERE first > ? ORDER BY first LIMIT ?"
            ),
            arguments: [cursor, limit + 1]
        )
        var page: [(first: Int64, id: String, app: String)] = []
        var events: Int64 = 0
        var isWhole = true
        while let row = try rows.next() {
            if page.count == limit || (events >= maxGathered && !page.isEmpty) {
                isWhole = false
                break
            }
            page.append(
                (
                    try row.integer(0, "sessions.first", in: StoredRange.sequence), try row.text(1, "sessions.id"),
                    try row.text(2, "sessions.app_id")
                )
            )
            events += try row.integer(3, "sessions.events", in: StoredRange.count)
        }
        guard let first = page.first?.first, let last = page.last?.first else {
            return SessionPage(sessions: [], next: nil)
        }
        let replays = try replays(from: first, through: last, in: database)
        let sessions = try page.map { row in
            // A collector writes no session without events.
            guard let replay = replays[row.first] else {
                throw StoreDamage(column: "sessions.first", found: "\(row.first), where the session has no event")
            }
            return replay.session(id: row.id, appID: Self.app(row.app))
        }
        return SessionPage(sessions: sessions, next: isWhole ? nil : last)
    }

    /// - Parameter app: app id; `nil` for the app whose event arrived first.
    func session(_ id: String, app: String?) async throws -> StoredSession? {
        try await readInTurn { try Self.session(id, app: app, in: $0) }
    }

    /// As ``session(_:app:)``, with the whole timeline.
    func timeline(_ id: String, app: String?) async throws -> SessionTimeline? {
        try await readInTurn { database in
            guard let found = try Self.session(id, app: app, in: database) else { return nil }
            let entries = try Self.entries(of: found, from: 0, bytes: .max, in: database)
            return SessionTimeline(session: found.session, entries: entries)
        }
    }

    /// Entries of a timeline from an index on, up to a number of bytes; at least one, unless the timeline ends there.
    /// - Throws: ``StoredSession/Changed`` if an event was removed since the session was read.
    func entries(of session: StoredSession, from index: Int, bytes: Int) async throws -> [TimelineEntry] {
        try await readInTurn { try Self.entries(of: session, from: index, bytes: bytes, in: $0) }
    }

    private static func session(_ id: String, app: String?, in database: Database) throws -> StoredSession? {
        let row = try Row.fetchOne(
            database,
            sql: """
                SELECT first, app_id FROM sessions WHERE id = ?1 AND (?2 IS NULL OR app_id = ?2)
                ORDER BY first LIMIT 1
                """,
            arguments: [id, app]
        )
        guard let row else { return nil }
        let first = try row.integer(0, "sessions.first", in: StoredRange.sequence)
        var events: [StoredSession.Event] = []
        let replays = try replays(from: first, through: first, in: database) { events.append($0) }
        guard let replay = replays[first] else {
            throw StoreDamage(column: "sessions.first", found: "\(first), where the session has no event")
        }
        let appID = Self.app(try row.text(1, "sessions.app_id"))
        return StoredSession(session: replay.session(id: id, appID: appID), events: events)
    }

    private static func entries(
        of session: StoredSession,
        from index: Int,
        bytes: Int,
        in database: Database
    ) throws -> [TimelineEntry] {
        let query = try database.cachedStatement(
            sql: "SELECT event_id, event_type, screen_name, is_bad FROM events WHERE seq = ?"
        )
        var entries: [TimelineEntry] = []
        var remaining = bytes
        for event in session.events[index...] where remaining > 0 {
            let rows = try Row.fetchCursor(query, arguments: [event.sequence])
            guard let row = try rows.next() else { throw StoredSession.Changed() }
            let entry = try TimelineEntry(row, event, start: session.session.start)
            remaining -= entry.heldBytes
            entries.append(entry)
        }
        return entries
    }

    /// App id in the table of sessions, where an empty text represents none.
    private static func app(_ text: String) -> String? {
        text.isEmpty ? nil : text
    }

    /// Sessions whose first events are in a range of sequence numbers, by the number of the first event.
    ///
    /// SQLite sorts the numbers of the events by time; the texts of one event at a time are read. Memory is used only for
    /// the accumulated sessions.
    /// - Parameter onEvent: called for each event in the order of time.
    private static func replays(
        from first: Int64,
        through last: Int64,
        in database: Database,
        onEvent: (StoredSession.Event) -> Void = { _ in }
    ) throws -> [Int64: SessionReplay] {
        let order = try database.cachedStatement(
            sql: """
                SELECT e.seq, COALESCE(e.timestamp, r.received_at) AS time, s.first
                FROM (
                    SELECT DISTINCT t.request FROM sessions g CROSS JOIN terms t ON t.kind = ?1 AND t.value = g.id
                    WHERE g.first BETWEEN ?2 AND ?3
                ) t
                CROSS JOIN requests r ON r.seq = t.request
                CROSS JOIN events e ON e.seq BETWEEN r.seq - r.events AND r.seq - 1
                CROSS JOIN sessions s ON s.id = e.session_id AND s.app_id = COALESCE(e.app_id, '')
                WHERE s.first BETWEEN ?2 AND ?3
                ORDER BY time, e.seq
                """
        )
        let event = try database.cachedStatement(
            sql: """
                SELECT event_type, session_number, session_start, unique_id, user_id, screen_name, screen_unique_id,
                    engagement, reports_error FROM events WHERE seq = ?
                """
        )
        var replays: [Int64: SessionReplay] = [:]
        let rows = try Row.fetchCursor(
            order,
            arguments: [StoreLayout.Term.session.rawValue, first, last]
        )
        while let row = try rows.next() {
            let sequence = try row.integer(0, "events.seq", in: StoredRange.sequence)
            let time = Timestamp(milliseconds: try row.integer(1, "events.timestamp", in: StoredRange.any))
            let position = try row.integer(2, "sessions.first", in: StoredRange.sequence)
            onEvent(StoredSession.Event(sequence: sequence, timestamp: time))
            let found = try Row.fetchCursor(event, arguments: [sequence])
            // One row, valid until the next one is requested.
            while let fields = try found.next() {
                replays[position, default: SessionReplay()].add(
                    try SessionEvent(fields, sequence: sequence, at: time)
                )
            }
        }
        return replays
    }
}

extension SessionEvent {
    fileprivate init(_ row: Row, sequence: Int64, at time: Timestamp) throws {
        self.init(
            sequence: sequence,
            name: try row.optionalExcerpt(0, "events.event_type"),
            timestamp: time,
            number: try row.optionalInteger(1, "events.session_number"),
            start: try row.optionalInteger(2, "events.session_start"),
            uniqueID: try row.optionalExcerpt(3, "events.unique_id"),
            userID: try row.optionalExcerpt(4, "events.user_id"),
            screenName: try row.optionalExcerpt(5, "events.screen_name"),
            screenUniqueID: try row.optionalExcerpt(6, "events.screen_unique_id"),
            engagement: try row.optionalInteger(7, "events.engagement"),
            reportsError: try row.boolean(8, "events.reports_error")
        )
    }
}

extension TimelineEntry {
    fileprivate init(_ row: Row, _ event: StoredSession.Event, start: Timestamp) throws {
        self.init(
            sequence: event.sequence,
            name: try row.optionalExcerpt(1, "events.event_type"),
            eventID: try row.optionalExcerpt(0, "events.event_id").map { EventIdentifier.text(of: $0) },
            timestamp: event.timestamp,
            offset: event.timestamp.milliseconds &- start.milliseconds,
            screen: try row.optionalExcerpt(2, "events.screen_name"),
            status: try row.boolean(3, "events.is_bad") ? .bad : .good
        )
    }

    /// Approximate bytes in a reply.
    fileprivate var heldBytes: Int {
        128 + (name?.utf8.count ?? 0) + (eventID?.utf8.count ?? 0) + (screen?.utf8.count ?? 0)
    }
}
#endif
