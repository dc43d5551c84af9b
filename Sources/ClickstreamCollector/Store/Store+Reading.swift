#if Tools
import ClickstreamCore
import Foundation
import GRDB

extension Store {
    func summary() async throws -> CollectorSummary {
        try await read { database in
            let row = try Row.fetchOne(
                database,
                sql: """
                    SELECT (SELECT COUNT(*) FROM requests),
                        (SELECT COUNT(*) FROM requests WHERE reason IS NOT NULL),
                        (SELECT COUNT(*) FROM events),
                        (SELECT COUNT(*) FROM events WHERE is_bad),
                        (SELECT COALESCE(SUM(duplicates), 0) FROM requests),
                        (SELECT COUNT(*) FROM
                            (SELECT DISTINCT session_id, app_id FROM events WHERE session_id IS NOT NULL)),
                        (SELECT COUNT(DISTINCT unique_id) FROM events)
                    """
            )
            guard let row else { return CollectorSummary() }
            let events: Int = row[2]
            let bad: Int = row[3]
            return CollectorSummary(
                requests: row[0],
                badRequests: row[1],
                events: events,
                goodEvents: events - bad,
                badEvents: bad,
                duplicates: row[4],
                sessions: row[5],
                users: row[6]
            )
        }
    }

    // MARK: - Events

    func events(_ filter: EventFilter) async throws -> EventPage {
        let limit = filter.limit.clamped(to: EventFilter.limits)
        return try await read { database in
            let (events, isWhole) = try Self.events(filter, limit: limit, bytes: .max, in: database)
            return EventPage(events: events, next: isWhole ? nil : events.last?.sequence)
        }
    }

    /// Events that fit, at most `limit` of them, and no more once they have so many bytes.
    /// - Returns: them, and whether they are all.
    static func events(
        _ filter: EventFilter,
        limit: Int,
        bytes: Int,
        newestFirst: Bool = false,
        in database: Database
    ) throws -> ([CollectedEvent], isWhole: Bool) {
        let (condition, arguments) = filter.condition
        let rows = try Row.fetchCursor(
            database,
            sql: """
                SELECT e.seq, e.json, e.is_bad, r.rid, e.received_at FROM events e
                JOIN requests r ON r.seq = e.request
                WHERE \(condition) ORDER BY e.seq \(newestFirst ? "DESC" : "") LIMIT ?
                """,
            arguments: arguments + [limit + 1]
        )
        let statement = try database.cachedStatement(
            sql: "SELECT code, severity, subject, name, message FROM findings WHERE event = ? ORDER BY position"
        )
        var events: [CollectedEvent] = []
        var room = bytes
        while let row = try rows.next() {
            if events.count == limit || room <= 0 { return (events, false) }
            let sequence: Int64 = row[0]
            let event = CollectedEvent(
                sequence: sequence,
                json: row[1],
                status: row[2] ? .bad : .good,
                violations: try Row.fetchAll(statement, arguments: [sequence]).map { CollectedViolation($0) },
                requestID: row[3],
                receivedAt: Timestamp(milliseconds: row[4])
            )
            room -= event.json.utf8.count
            events.append(event)
        }
        return (events, true)
    }

    /// The newest events that fit, each with the request that brought it, without its body.
    func newest(_ filter: EventFilter) async throws -> [(CollectedEvent, CollectedRequest)] {
        let limit = filter.limit.clamped(to: EventFilter.limits)
        return try await read { database in
            let (events, _) = try Self.events(filter, limit: limit, bytes: .max, newestFirst: true, in: database)
            var known: (id: String, request: CollectedRequest)?
            return try events.compactMap { event in
                if known?.id != event.requestID {
                    let sql = "SELECT \(Self.requestColumns) FROM requests r WHERE r.rid = ?"
                    let row = try Row.fetchOne(database.cachedStatement(sql: sql), arguments: [event.requestID])
                    known = row.map { (event.requestID, CollectedRequest($0, data: nil)) }
                }
                return known.map { (event, $0.request) }
            }
        }
    }

    // MARK: - Requests

    /// The newest requests, with their bodies.
    func newestRequests(_ status: CollectedStatus, limit: Int) async throws -> [CollectedRequest] {
        try await read { database in
            let rows = try Row.fetchAll(
                database,
                sql: """
                    SELECT \(Self.requestColumns), b.data FROM requests r JOIN bodies b ON b.request = r.seq
                    WHERE r.reason IS \(status == .bad ? "NOT NULL" : "NULL") ORDER BY r.seq DESC LIMIT ?
                    """,
                arguments: [limit]
            )
            return rows.map { row in
                let body: Data = row["data"]
                return CollectedRequest(row, data: String(decoding: body, as: UTF8.self))
            }
        }
    }

    private static let requestColumns = """
        r.seq, r.rid, r.received_at, r.method, r.uri, r.path, r.app_id, r.platform, r.compression, r.fake_ip,
        r.upload_timestamp, r.user_agent, r.ip, r.reason, r.events, r.duplicates, r.bad_events, r.bundle_sequence_id,
        r.hash_code, r.hash_ok, r.encoded_bytes, r.raw_bytes, r.detail
        """

    func requests(after cursor: Int64?, limit: Int) async throws -> RequestPage {
        let limit = limit.clamped(to: EventFilter.limits)
        return try await read { database in
            let rows = try Row.fetchAll(
                database,
                sql: "SELECT \(Self.requestColumns) FROM requests r WHERE r.seq > ? ORDER BY r.seq LIMIT ?",
                arguments: [cursor ?? 0, limit + 1]
            )
            let requests = rows.prefix(limit).map { CollectedRequest($0, data: nil) }
            return RequestPage(requests: requests, next: rows.count > limit ? requests.last?.sequence : nil)
        }
    }

    /// Requests with their bodies, as many as fit; one at least.
    func requests(after cursor: Int64, limit: Int, bytes: Int) async throws -> [CollectedRequest] {
        try await read { database in
            let rows = try Row.fetchCursor(
                database,
                sql: """
                    SELECT \(Self.requestColumns), b.data FROM requests r JOIN bodies b ON b.request = r.seq
                    WHERE r.seq > ? ORDER BY r.seq LIMIT ?
                    """,
                arguments: [cursor, limit]
            )
            var requests: [CollectedRequest] = []
            var room = bytes
            while room > 0, let row = try rows.next() {
                let body: Data = row["data"]
                room -= body.count
                requests.append(CollectedRequest(row, data: String(decoding: body, as: UTF8.self)))
            }
            return requests
        }
    }

    /// Requests of a stream: of the filter, what can be said of requests counts.
    static func requests(
        after cursor: Int64,
        _ filter: EventFilter,
        limit: Int,
        in database: Database
    ) throws -> [CollectedRequest] {
        var sql = "SELECT \(requestColumns) FROM requests r WHERE r.seq > ?"
        var arguments: StatementArguments = [cursor]
        if let status = filter.status { sql += status == .bad ? " AND r.reason IS NOT NULL" : " AND r.reason IS NULL" }
        if let since = filter.since {
            sql += " AND r.received_at >= ?"
            arguments += [since.milliseconds]
        }
        let rows = try Row.fetchAll(database, sql: sql + " ORDER BY r.seq LIMIT ?", arguments: arguments + [limit])
        return rows.map { CollectedRequest($0, data: nil) }
    }

    func request(_ id: String) async throws -> CollectedRequest? {
        try await read { database in
            let row = try Row.fetchOne(
                database,
                sql: """
                    SELECT \(Self.requestColumns), b.data FROM requests r JOIN bodies b ON b.request = r.seq
                    WHERE r.rid = ?
                    """,
                arguments: [id]
            )
            return row.map { row in
                let body: Data = row["data"]
                return CollectedRequest(row, data: String(decoding: body, as: UTF8.self))
            }
        }
    }

    // MARK: - Sessions

    func sessions(after cursor: Int64?, limit: Int) async throws -> SessionPage {
        let limit = limit.clamped(to: EventFilter.limits)
        return try await read { database in
            let rows = try Row.fetchAll(
                database,
                sql: """
                    SELECT MIN(seq) AS first, session_id, app_id FROM events WHERE session_id IS NOT NULL
                    GROUP BY session_id, app_id HAVING first > ? ORDER BY first LIMIT ?
                    """,
                arguments: [cursor ?? 0, limit + 1]
            )
            let sessions = try rows.prefix(limit).map { row in
                let id: String = row[1]
                return try Self.replay(id, app: row[2], in: database).session(id: id, appID: row[2])
            }
            return SessionPage(sessions: sessions, next: rows.count > limit ? rows[limit - 1][0] : nil)
        }
    }

    /// - Parameter app: the app to look in; `nil` takes the one whose event came first.
    func session(_ id: String, app: String?) async throws -> SessionTimeline? {
        try await read { database in
            let row = try Row.fetchOne(
                database,
                sql: """
                    SELECT app_id FROM events WHERE session_id = ?1 AND (?2 IS NULL OR app_id = ?2) ORDER BY seq LIMIT 1
                    """,
                arguments: [id, app]
            )
            return try row.map { row in
                let replay = try Self.replay(id, app: row[0], in: database)
                return SessionTimeline(session: replay.session(id: id, appID: row[0]), entries: replay.entries)
            }
        }
    }

    private static func replay(_ id: String, app: String?, in database: Database) throws -> SessionReplay {
        let statement = try database.cachedStatement(
            sql: """
                SELECT seq, event_id, event_type, COALESCE(timestamp, received_at), session_number, session_start,
                    unique_id, user_id, screen_name, screen_unique_id, engagement, reports_error, is_bad
                FROM events WHERE session_id = ? AND app_id IS ? ORDER BY seq
                """
        )
        let rows = try Row.fetchAll(statement, arguments: [id, app])
        return SessionReplay(rows.map { SessionEvent($0) })
    }
}

extension EventFilter {
    /// The rows that fit, as SQL over events `e` with the values apart.
    fileprivate var condition: (sql: String, arguments: StatementArguments) {
        var parts = ["e.seq > ?"]
        var arguments: StatementArguments = [cursor ?? 0]
        func add(_ sql: String, _ values: StatementArguments) {
            parts.append(sql)
            arguments += values
        }
        if let name { add("e.event_type = ?", [name]) }
        if let session { add("e.session_id = ?", [session]) }
        if let user { add("(e.unique_id = ? OR e.user_id = ?)", [user, user]) }
        if let status { parts.append(status == .bad ? "e.is_bad" : "NOT e.is_bad") }
        if let code { add("e.seq IN (SELECT event FROM findings WHERE code = ?)", [code]) }
        if let since { add("e.received_at >= ?", [since.milliseconds]) }
        return (parts.joined(separator: " AND "), arguments)
    }
}

extension CollectedViolation {
    fileprivate init(_ row: Row) {
        let severity: String = row[1]
        self.init(
            code: row[0],
            severity: Violation.Severity(rawValue: severity) ?? .error,
            subject: row[2],
            name: row[3],
            message: row[4]
        )
    }
}

extension CollectedRequest {
    fileprivate init(_ row: Row, data: String?) {
        self.init(
            sequence: row[0],
            id: row[1],
            receivedAt: Timestamp(milliseconds: row[2]),
            method: row[3],
            uri: row[4],
            path: row[5],
            appID: row[6],
            platform: row[7],
            compression: row[8],
            fakeIP: row[9],
            uploadTimestamp: row[10],
            userAgent: row[11],
            ip: row[12],
            data: data,
            reason: row[13],
            detail: row[22],
            events: row[14],
            duplicates: row[15],
            badEvents: row[16],
            bundleSequenceID: row[17],
            hashCode: row[18],
            hashMatches: row[19],
            encodedBytes: row[20],
            rawBytes: row[21]
        )
    }
}

extension SessionEvent {
    fileprivate init(_ row: Row) {
        self.init(
            sequence: row[0],
            eventID: row[1],
            name: row[2],
            timestamp: Timestamp(milliseconds: row[3]),
            number: row[4],
            start: row[5],
            uniqueID: row[6],
            userID: row[7],
            screenName: row[8],
            screenUniqueID: row[9],
            engagement: row[10],
            reportsError: row[11],
            isBad: row[12]
        )
    }
}

extension Comparable {
    fileprivate func clamped(to range: ClosedRange<Self>) -> Self {
        min(max(self, range.lowerBound), range.upperBound)
    }
}
#endif
