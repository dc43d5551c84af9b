#if Tools
import ClickstreamCore
import Foundation
import GRDB

extension Store {
    func summary() async throws -> CollectorSummary {
        try await read { database in
            let row = try Row.fetchOne(
                database.cachedStatement(
                    sql: """
                        SELECT requests, bad_requests, events, bad_events, duplicates, (SELECT COUNT(*) FROM sessions),
                            (SELECT COUNT(*) FROM users) FROM state
                        """
                )
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
        return try await read { [texts, pageBytes] database in
            let (events, isWhole) = try Self.events(filter, limit: limit, bytes: pageBytes, texts, in: database)
            return EventPage(events: events, next: isWhole ? nil : events.last?.sequence)
        }
    }

    /// Events that fit, at most `limit` of them, and no more once they have so many bytes.
    ///
    /// Pages that follow each other inflate each body once, wherever they end.
    /// - Returns: them, and whether they are all.
    static func events(
        _ filter: EventFilter,
        limit: Int,
        bytes: Int,
        newestFirst: Bool = false,
        _ texts: BodyTexts,
        in database: Database
    ) throws -> ([CollectedEvent], isWhole: Bool) {
        let (sql, arguments) = filter.selection(newestFirst: newestFirst)
        let rows = try Row.fetchCursor(
            database.cachedStatement(sql: sql + " LIMIT ?"),
            arguments: arguments + [limit + 1]
        )
        let statement = try database.cachedStatement(
            sql: "SELECT code, severity, subject, name, message FROM findings WHERE event = ? ORDER BY position"
        )
        var reader = BodyTexts.Reader(texts, database)
        var events: [CollectedEvent] = []
        var room = bytes
        var isLastOfBody = false
        while let row = try rows.next() {
            if events.count == limit || room <= 0 {
                if isLastOfBody || newestFirst { reader.passBody() } else { reader.stopWithinBody() }
                return (events, false)
            }
            let sequence: Int64 = row[0]
            let request: Int64 = row[6]
            let event = CollectedEvent(
                sequence: sequence,
                json: try reader.text(at: row[1], length: row[2], of: request, isContentEncoded: row[7]),
                status: row[3] ? .bad : .good,
                violations: try Row.fetchAll(statement, arguments: [sequence]).map { CollectedViolation($0) },
                requestID: row[4],
                receivedAt: Timestamp(milliseconds: row[5])
            )
            isLastOfBody = sequence == request - 1
            room -= event.json.utf8.count
            events.append(event)
        }
        reader.passBody()
        return (events, true)
    }

    /// The newest events that fit one page, each with the request that brought it, without its body.
    func newest(_ filter: EventFilter) async throws -> [(CollectedEvent, CollectedRequest)] {
        let limit = filter.limit.clamped(to: EventFilter.limits)
        return try await read { [texts, pageBytes] database in
            let (events, _) = try Self.events(
                filter,
                limit: limit,
                bytes: pageBytes,
                newestFirst: true,
                texts,
                in: database
            )
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

    /// The newest requests that fit one page, with their bodies.
    func newestRequests(_ status: CollectedStatus, limit: Int) async throws -> [CollectedRequest] {
        try await read { [pageBytes] database in
            let rows = try Row.fetchCursor(
                database,
                sql: """
                    SELECT \(Self.bodyColumns) FROM requests r JOIN bodies b ON b.request = r.seq
                    WHERE r.reason IS \(status == .bad ? "NOT NULL" : "NULL") ORDER BY r.seq DESC LIMIT ?
                    """,
                arguments: [limit]
            )
            return try Self.requests(rows, most: pageBytes).requests
        }
    }

    /// Takes requests with their bodies until they have so many bytes; one at least.
    private static func requests(
        _ rows: RowCursor,
        most bytes: Int
    ) throws -> (requests: [CollectedRequest], isWhole: Bool) {
        var requests: [CollectedRequest] = []
        var room = bytes
        while let row = try rows.next() {
            if room <= 0 { return (requests, false) }
            let request = CollectedRequest(row, data: row.hasColumn("data") ? storedText(row) : nil)
            room -= (request.data?.utf8.count ?? 0) + request.uri.utf8.count + (request.userAgent?.utf8.count ?? 0)
            requests.append(request)
        }
        return (requests, true)
    }

    private static let requestColumns = """
        r.seq, r.rid, r.received_at, r.method, r.uri, r.path, r.app_id, r.platform, r.compression, r.fake_ip,
        r.upload_timestamp, r.user_agent, r.ip, r.reason, r.events, r.duplicates, r.bad_events, r.bundle_sequence_id,
        r.hash_code, r.hash_ok, r.encoded_bytes, r.raw_bytes, r.detail,
        (SELECT e.unique_id FROM events e WHERE e.seq BETWEEN r.seq - r.events AND r.seq - 1 ORDER BY e.seq LIMIT 1)
            AS unique_id
        """
    private static let bodyColumns = "\(requestColumns), b.data, r.is_encoded"

    /// For the archive: whole requests in their order.
    static let archivedRequests = """
        SELECT \(bodyColumns) FROM requests r JOIN bodies b ON b.request = r.seq
        WHERE r.seq > ? ORDER BY r.seq
        """

    func requests(after cursor: Int64?, limit: Int) async throws -> RequestPage {
        let limit = limit.clamped(to: EventFilter.limits)
        return try await read { [pageBytes] database in
            let rows = try Row.fetchCursor(
                database,
                sql: "SELECT \(Self.requestColumns) FROM requests r WHERE r.seq > ? ORDER BY r.seq LIMIT ?",
                arguments: [cursor ?? 0, limit + 1]
            )
            let (found, isWhole) = try Self.requests(rows, most: pageBytes)
            let requests = Array(found.prefix(limit))
            let goesOn = !isWhole || found.count > limit
            return RequestPage(requests: requests, next: goesOn ? requests.last?.sequence : nil)
        }
    }

    /// Requests with their bodies, as many as fit; one at least.
    func requests(after cursor: Int64, limit: Int, bytes: Int) async throws -> [CollectedRequest] {
        try await read { database in
            let rows = try Row.fetchCursor(
                database,
                sql: """
                    SELECT \(Self.bodyColumns) FROM requests r JOIN bodies b ON b.request = r.seq
                    WHERE r.seq > ? ORDER BY r.seq LIMIT ?
                    """,
                arguments: [cursor, limit]
            )
            return try Self.requests(rows, most: bytes).requests
        }
    }

    /// Requests of a stream, up to a place: of the filter, what can be said of requests counts.
    static func requests(
        after cursor: Int64,
        upTo end: Int64,
        _ filter: EventFilter,
        limit: Int,
        in database: Database
    ) throws -> [CollectedRequest] {
        var sql = "SELECT \(requestColumns) FROM requests r WHERE r.seq > ? AND r.seq <= ?"
        var arguments: StatementArguments = [cursor, end]
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
                    SELECT \(Self.bodyColumns) FROM requests r JOIN bodies b ON b.request = r.seq
                    WHERE r.rid = ?
                    """,
                arguments: [id]
            )
            return row.map { CollectedRequest($0, data: storedText($0)) }
        }
    }

    // MARK: - Sessions

    func sessions(after cursor: Int64?, limit: Int) async throws -> SessionPage {
        let limit = limit.clamped(to: EventFilter.limits)
        return try await read { try Self.sessions(after: cursor ?? 0, limit: limit, in: $0) }
    }

    /// Events of sessions that are gathered together, so that memory stays bounded.
    private static let mostGathered = 20_000

    /// Sessions of one page. Those that came in one body are gathered in one pass over it, not in one for each.
    static func sessions(after cursor: Int64, limit: Int, in database: Database) throws -> SessionPage {
        let rows = try Row.fetchAll(
            database.cachedStatement(
                sql: "SELECT first, id, app_id, events FROM sessions WHERE first > ? ORDER BY first LIMIT ?"
            ),
            arguments: [cursor, limit + 1]
        )
        let page = rows.prefix(limit)
        var sessions: [CollectedSession] = []
        var next = page.startIndex
        while next < page.endIndex {
            var end = next
            var events = 0
            repeat {
                events += page[end][3] as Int
                end += 1
            } while end < page.endIndex && events < mostGathered
            let group = page[next..<end]
            let replays = try replays(from: group[next][0], through: group[end - 1][0], in: database)
            for row in group {
                let replay = replays[row[0]] ?? SessionReplay([])
                sessions.append(replay.session(id: row[1], appID: Self.app(row[2])))
            }
            next = end
        }
        return SessionPage(sessions: sessions, next: rows.count > limit ? page.last?[0] : nil)
    }

    /// - Parameter app: the app to look in; `nil` takes the one whose event came first.
    func session(_ id: String, app: String?) async throws -> SessionTimeline? {
        try await read { database in
            let row = try Row.fetchOne(
                database,
                sql: """
                    SELECT first, app_id FROM sessions WHERE id = ?1 AND (?2 IS NULL OR app_id = ?2)
                    ORDER BY first LIMIT 1
                    """,
                arguments: [id, app]
            )
            return try row.map { row in
                let replay = try Self.replays(from: row[0], through: row[0], in: database)[row[0]] ?? SessionReplay([])
                return SessionTimeline(
                    session: replay.session(id: id, appID: Self.app(row[1])),
                    entries: replay.entries
                )
            }
        }
    }

    /// The table of sessions has an empty text for none.
    private static func app(_ text: String) -> String? {
        text.isEmpty ? nil : text
    }

    /// The sessions whose first events stand from one place through another, by these places.
    private static func replays(
        from first: Int64,
        through last: Int64,
        in database: Database
    ) throws -> [Int64: SessionReplay] {
        let statement = try database.cachedStatement(
            sql: """
                SELECT e.seq, e.event_id, e.event_type, COALESCE(e.timestamp, r.received_at), e.session_number,
                    e.session_start, e.unique_id, e.user_id, e.screen_name, e.screen_unique_id, e.engagement,
                    e.reports_error, e.is_bad, s.first
                FROM (
                    SELECT DISTINCT t.request FROM sessions g CROSS JOIN terms t ON t.kind = ?1 AND t.value = g.id
                    WHERE g.first BETWEEN ?2 AND ?3
                ) t
                CROSS JOIN requests r ON r.seq = t.request
                CROSS JOIN events e ON e.seq BETWEEN r.seq - r.events AND r.seq - 1
                CROSS JOIN sessions s ON s.id = e.session_id AND s.app_id = COALESCE(e.app_id, '')
                WHERE s.first BETWEEN ?2 AND ?3
                ORDER BY t.request, e.seq
                """
        )
        var events: [Int64: [SessionEvent]] = [:]
        let rows = try Row.fetchCursor(
            statement,
            arguments: [StoreLayout.Term.session.rawValue, first, last]
        )
        while let row = try rows.next() { events[row[13], default: []].append(SessionEvent(row)) }
        return events.mapValues { SessionReplay($0) }
    }
}

extension EventFilter {
    /// The rows that fit, as SQL with the values apart: from the requests that have such an event to their events.
    fileprivate func selection(newestFirst: Bool) -> (sql: String, arguments: StatementArguments) {
        var parts: [String] = []
        var arguments: StatementArguments = []
        func add(_ sql: String, _ values: StatementArguments) {
            parts.append(sql)
            arguments += values
        }
        // The rarer first: the others are looked at event by event.
        let term: (StoreLayout.Term, String)? =
            session.map { (.session, $0) } ?? user.map { (.user, $0) } ?? code.map { (.code, $0) }
            ?? name.map { (.name, $0) } ?? (status == .bad ? (.bad, "") : nil)
        if let term { add("t.kind = ? AND t.value = ?", [term.0.rawValue, term.1]) }
        add("\(term == nil ? "r.seq" : "t.request") > ?", [cursor ?? 0])
        if let name { add("e.event_type = ?", [name]) }
        if let session { add("e.session_id = ?", [session]) }
        if let user { add("(e.unique_id = ? OR e.user_id = ?)", [user, user]) }
        if let status { parts.append(status == .bad ? "e.is_bad" : "NOT e.is_bad") }
        if let code { add("EXISTS (SELECT 1 FROM findings f WHERE f.event = e.seq AND f.code = ?)", [code]) }
        if let since {
            add(
                "r.received_at >= ? AND r.seq >= (SELECT MIN(seq) FROM requests WHERE received_at >= ?)",
                [since.milliseconds, since.milliseconds]
            )
        }
        let source = term == nil ? "requests r" : "terms t CROSS JOIN requests r ON r.seq = t.request"
        let direction = newestFirst ? " DESC" : ""
        // Within the body that the page before ended in, it begins behind that page and does not step through it.
        let sql = """
            SELECT e.seq, e.start, e.length, e.is_bad, r.rid, r.received_at, r.seq, r.is_encoded FROM \(source)
            CROSS JOIN events e ON e.seq BETWEEN MAX(r.seq - r.events, ?) AND r.seq - 1
            WHERE \(parts.joined(separator: " AND "))
            ORDER BY \(term == nil ? "r.seq" : "t.request")\(direction), e.seq\(direction)
            """
        return (sql, [(cursor ?? 0) &+ 1] + arguments)
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
            events: row[14] - row[15],
            duplicates: row[15],
            badEvents: row[16],
            bundleSequenceID: row[17],
            uniqueID: row[23],
            hashCode: row[18],
            hashMatches: row[19],
            encodedBytes: row[20],
            rawBytes: row[21]
        )
    }
}

extension ArchivedRow {
    init(_ row: Row) {
        self.init(sequence: row[0], request: CollectedRequest(row, data: storedText(row)))
    }
}

/// A request's body as the published server would have stored it: as text, a `Content-Encoding` undone.
private func storedText(_ row: Row) -> String {
    let data: Data = row["data"]
    let body = UploadDecoder().stored([UInt8](data), isContentEncoded: row["is_encoded"])
    return String(decoding: body, as: UTF8.self)
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
