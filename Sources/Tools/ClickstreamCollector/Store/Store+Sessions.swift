#if Collector
import ClickstreamCore
import GRDB

extension Store {
    /// Maximum number of events of the sessions in one page; a page has at least one session.
    private static let mostGathered = 50_000

    func sessions(after cursor: Int64?, limit: Int) async throws -> SessionPage {
        let limit = limit.clamped(to: EventFilter.limits)
        return try await readInTurn { try Self.sessions(after: cursor ?? 0, limit: limit, in: $0) }
    }

    /// Sessions of one page, computed in one pass over the requests that contain their events.
    ///
    /// Takes time linear in these events. Memory is bounded by ``mostGathered`` events, or by one session.
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
            if page.count == limit || (events >= mostGathered && !page.isEmpty) {
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
        let replays = try replays(from: first, through: last, keepsTimeline: false, in: database)
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
    func session(_ id: String, app: String?) async throws -> SessionTimeline? {
        try await readInTurn { database in
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
            let replays = try Self.replays(from: first, through: first, keepsTimeline: true, in: database)
            guard let replay = replays[first] else {
                throw StoreDamage(column: "sessions.first", found: "\(first), where the session has no event")
            }
            return SessionTimeline(
                session: replay.session(id: id, appID: Self.app(try row.text(1, "sessions.app_id"))),
                entries: replay.entries
            )
        }
    }

    /// App id in the table of sessions, where an empty text represents none.
    private static func app(_ text: String) -> String? {
        text.isEmpty ? nil : text
    }

    /// Sessions whose first events are in a range of sequence numbers, by the number of the first event.
    ///
    /// SQLite sorts the numbers of the events by time; the texts of one event at a time are read. Memory is used only for
    /// the accumulated sessions.
    private static func replays(
        from first: Int64,
        through last: Int64,
        keepsTimeline: Bool,
        in database: Database
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
                SELECT event_id, event_type, session_number, session_start, unique_id, user_id, screen_name,
                    screen_unique_id, engagement, reports_error, is_bad FROM events WHERE seq = ?
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
            let place = try row.integer(2, "sessions.first", in: StoredRange.sequence)
            let found = try Row.fetchCursor(event, arguments: [sequence])
            // One row, valid until the next one is requested.
            while let fields = try found.next() {
                replays[place, default: SessionReplay(keepsTimeline: keepsTimeline)].add(
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
            eventID: try row.optionalExcerpt(0, "events.event_id"),
            name: try row.optionalExcerpt(1, "events.event_type"),
            timestamp: time,
            number: try row.optionalInteger(2, "events.session_number"),
            start: try row.optionalInteger(3, "events.session_start"),
            uniqueID: try row.optionalExcerpt(4, "events.unique_id"),
            userID: try row.optionalExcerpt(5, "events.user_id"),
            screenName: try row.optionalExcerpt(6, "events.screen_name"),
            screenUniqueID: try row.optionalExcerpt(7, "events.screen_unique_id"),
            engagement: try row.optionalInteger(8, "events.engagement"),
            reportsError: try row.boolean(9, "events.reports_error"),
            isBad: try row.boolean(10, "events.is_bad")
        )
    }
}
#endif
