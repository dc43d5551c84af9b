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
    /// Maximum number of events of the sessions in one page and of KiB of their ids, together; a page has at least one session.
    private static let maxGathered = 50_000

    func sessions(after cursor: Int64?, limit: Int) async throws -> SessionPage {
        let limit = limit.clamped(to: EventFilter.limits)
        return try await readInTurn { try Self.sessions(after: cursor ?? 0, limit: limit, in: $0) }
    }

    /// Sessions of one page, computed in one pass over the requests that contain their events.
    ///
    /// Takes time linear in these events. Memory is bounded by ``maxGathered``, or by one session.
    static func sessions(after cursor: Int64, limit: Int, in database: Database) throws -> SessionPage {
        let rows = try Row.fetchCursor(
            database.cachedStatement(
                sql: "SELECT first, session, app, events FROM sessions WHERE first > ? ORDER BY first LIMIT ?"
            ),
            arguments: [cursor, limit + 1]
        )
        var texts = TextTable(database)
        var page: [(first: Int64, id: String, app: String?)] = []
        var gathered: Int64 = 0
        var isWhole = true
        while let row = try rows.next() {
            if page.count == limit || (gathered >= maxGathered && !page.isEmpty) {
                isWhole = false
                break
            }
            let id = try texts.text(row.integer(1, "sessions.session", in: StoredRange.text))
            let app = try app(row, 2, &texts)
            page.append((try row.integer(0, "sessions.first", in: StoredRange.sequence), id, app))
            gathered += try row.integer(3, "sessions.events", in: StoredRange.count)
            gathered += Int64((id.utf8.count + (app?.utf8.count ?? 0)) / 1_024)
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
            return replay.session(id: row.id, appID: row.app)
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
        guard let session = try textID(.session, id, in: database) else { return nil }
        var appNumber: Int64?
        if let app {
            appNumber = try app.isEmpty ? 0 : textID(.app, app, in: database)
            if appNumber == nil { return nil }
        }
        let row = try Row.fetchOne(
            database,
            sql: """
                SELECT first, app FROM sessions WHERE session = ?1 AND (?2 IS NULL OR app = ?2)
                ORDER BY first LIMIT 1
                """,
            arguments: [session, appNumber]
        )
        guard let row else { return nil }
        let first = try row.integer(0, "sessions.first", in: StoredRange.sequence)
        var texts = TextTable(database)
        let appID = try Self.app(row, 1, &texts)
        var events: [StoredSession.Event] = []
        let replays = try replays(from: first, through: first, in: database) { events.append($0) }
        guard let replay = replays[first] else {
            throw StoreDamage(column: "sessions.first", found: "\(first), where the session has no event")
        }
        return StoredSession(session: replay.session(id: id, appID: appID), events: events)
    }

    private static func entries(
        of session: StoredSession,
        from index: Int,
        bytes: Int,
        in database: Database
    ) throws -> [TimelineEntry] {
        let query = try database.cachedStatement(
            sql: "SELECT event_id, name, screen, is_bad FROM events WHERE seq = ?"
        )
        var texts = TextTable(database)
        var entries: [TimelineEntry] = []
        var remaining = bytes
        for event in session.events[index...] where remaining > 0 {
            let rows = try Row.fetchCursor(query, arguments: [event.sequence])
            guard let row = try rows.next() else { throw StoredSession.Changed() }
            let entry = try TimelineEntry(row, event, start: session.session.start, &texts)
            remaining -= entry.heldBytes
            entries.append(entry)
        }
        return entries
    }

    /// App id of a row of the table of sessions, where 0 represents none.
    private static func app(_ row: Row, _ index: Int, _ texts: inout TextTable) throws -> String? {
        let app = try row.integer(index, "sessions.app", in: 0...StoredRange.text.upperBound)
        return try app == 0 ? nil : texts.text(app)
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
                    SELECT DISTINCT t.request FROM sessions g CROSS JOIN terms t ON t.text = g.session
                    WHERE g.first BETWEEN ?1 AND ?2
                ) t
                CROSS JOIN requests r ON r.seq = t.request
                CROSS JOIN events e ON e.seq BETWEEN \(RequestRange.firstEvent(of: "r")) AND r.seq - 1
                CROSS JOIN sessions s ON s.session = e.session AND s.app = COALESCE(e.app, 0)
                WHERE s.first BETWEEN ?1 AND ?2
                ORDER BY time, e.seq
                """
        )
        let event = try database.cachedStatement(
            sql: """
                SELECT name, session_number, session_start, unique_id, user, screen, screen_unique_id, engagement,
                    reports_error FROM events WHERE seq = ?
                """
        )
        var replays: [Int64: SessionReplay] = [:]
        var texts = TextTable(database)
        let rows = try Row.fetchCursor(order, arguments: [first, last])
        while let row = try rows.next() {
            let sequence = try row.integer(0, "events.seq", in: StoredRange.sequence)
            let time = Timestamp(milliseconds: try row.integer(1, "events.timestamp", in: StoredRange.any))
            let position = try row.integer(2, "sessions.first", in: StoredRange.sequence)
            onEvent(StoredSession.Event(sequence: sequence, timestamp: time))
            let found = try Row.fetchCursor(event, arguments: [sequence])
            // One row, valid until the next one is requested.
            while let fields = try found.next() {
                replays[position, default: SessionReplay()].add(
                    try SessionEvent(fields, sequence: sequence, at: time, &texts)
                )
            }
        }
        return replays
    }
}

extension SessionEvent {
    fileprivate init(_ row: Row, sequence: Int64, at time: Timestamp, _ texts: inout TextTable) throws {
        self.init(
            sequence: sequence,
            name: try texts.optionalExcerpt(0, "events.name", of: row),
            timestamp: time,
            number: try row.optionalInteger(1, "events.session_number"),
            start: try row.optionalInteger(2, "events.session_start"),
            uniqueID: try texts.optionalExcerpt(3, "events.unique_id", of: row),
            userID: try texts.optionalExcerpt(4, "events.user", of: row),
            screenName: try texts.optionalExcerpt(5, "events.screen", of: row),
            screenUniqueID: try row.optionalExcerpt(6, "events.screen_unique_id"),
            engagement: try row.optionalInteger(7, "events.engagement"),
            reportsError: try row.boolean(8, "events.reports_error")
        )
    }
}

extension TimelineEntry {
    fileprivate init(
        _ row: Row,
        _ event: StoredSession.Event,
        start: Timestamp,
        _ texts: inout TextTable
    ) throws {
        self.init(
            sequence: event.sequence,
            name: try texts.optionalExcerpt(1, "events.name", of: row),
            eventID: try row.optionalExcerpt(0, "events.event_id").map { EventIdentifier.text(of: $0) },
            timestamp: event.timestamp,
            offset: event.timestamp.milliseconds &- start.milliseconds,
            screen: try texts.optionalExcerpt(2, "events.screen", of: row),
            status: try row.boolean(3, "events.is_bad") ? .bad : .good
        )
    }

    /// Approximate bytes in a reply.
    fileprivate var heldBytes: Int {
        128 + (name?.utf8.count ?? 0) + (eventID?.utf8.count ?? 0) + (screen?.utf8.count ?? 0)
    }
}
#endif
