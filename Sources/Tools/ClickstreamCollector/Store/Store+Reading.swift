#if Collector
import ClickstreamCore
import GRDB

extension Store {
    func summary() async throws -> CollectorSummary {
        try await read { try Self.summary(in: $0) }
    }

    /// The summary and its position, of one transaction.
    func positionedSummary() async throws -> PositionedSummary {
        try await read { database in
            PositionedSummary(
                counts: try Self.summary(in: database),
                last: try Self.lastSequence(in: database).last
            )
        }
    }

    private static func summary(in database: Database) throws -> CollectorSummary {
        let row = try Row.fetchOne(
            database.cachedStatement(
                sql: """
                    SELECT requests, bad_requests, events, bad_events, duplicates, (SELECT COUNT(*) FROM sessions),
                        (SELECT COUNT(*) FROM users) FROM state
                    """
            )
        )
        guard let row else { throw StoreDamage(column: "state", found: "no row") }
        func total(_ index: Int, _ column: StaticString) throws -> Int {
            Int(try row.integer(index, column, in: StoredRange.sequence))
        }
        let events = try total(2, "state.events")
        let bad = try total(3, "state.bad_events")
        return CollectorSummary(
            requests: try total(0, "state.requests"),
            badRequests: try total(1, "state.bad_requests"),
            events: events,
            goodEvents: events - bad,
            badEvents: bad,
            duplicates: try total(4, "state.duplicates"),
            sessions: try total(5, "sessions"),
            users: try total(6, "users")
        )
    }

    // MARK: - Requests

    /// Newest requests before a position, with their bodies.
    func newestRequests(
        _ status: CollectedStatus,
        before position: Int64,
        limit: Int,
        bytes: Int
    ) async throws -> (requests: [CollectedRequest], isWhole: Bool) {
        try await readInTurn { database in
            let rows = try Row.fetchCursor(
                database,
                sql: """
                    SELECT \(Self.bodyColumns) FROM requests r JOIN bodies b ON b.request = r.seq
                    WHERE r.reason IS \(status == .bad ? "NOT NULL" : "NULL") AND r.seq < ? ORDER BY r.seq DESC LIMIT ?
                    """,
                arguments: [position, limit + 1]
            )
            return try Self.requests(rows, limit: limit, maxBytes: bytes)
        }
    }

    /// Reads requests up to a number and a number of bytes, at least one.
    static func requests(
        _ rows: RowCursor,
        limit: Int,
        maxBytes bytes: Int
    ) throws -> (requests: [CollectedRequest], isWhole: Bool) {
        var requests: [CollectedRequest] = []
        var remaining = bytes
        while let row = try rows.next() {
            if requests.count == limit || (remaining <= 0 && !requests.isEmpty) { return (requests, false) }
            let request = try CollectedRequest(row, data: row.count > bodyColumn ? storedText(row) : nil)
            remaining -= (request.data?.utf8.count ?? 0) + request.uri.utf8.count + (request.userAgent?.utf8.count ?? 0)
            requests.append(request)
        }
        return (requests, true)
    }

    /// The unique id is a number, and thus damage, if it has no text.
    static let requestColumns = """
        r.seq, r.rid, r.received_at, r.method, r.uri, r.path, r.app_id, r.platform, r.compression, r.fake_ip,
        r.upload_timestamp, r.user_agent, r.ip, r.reason, r.events, r.duplicates, r.bad_events, r.bundle_sequence_id,
        r.hash_code, r.hash_ok, r.encoded_bytes, r.raw_bytes, r.detail,
        (SELECT COALESCE((SELECT x.value FROM texts x WHERE x.id = e.unique_id), e.unique_id) FROM events e
            WHERE e.seq BETWEEN \(RequestRange.firstEvent(of: "r")) AND r.seq - 1 ORDER BY e.seq LIMIT 1) AS unique_id, r.unlisted
        """
    private static let bodyColumns = "\(requestColumns), b.data, r.is_encoded"
    /// Index of `b.data` among ``bodyColumns``; `r.is_encoded` follows.
    fileprivate static let bodyColumn = 25

    /// SQL for the archive: requests with bodies, in the order of arrival.
    static let archivedRequests = """
        SELECT \(bodyColumns) FROM requests r JOIN bodies b ON b.request = r.seq
        WHERE r.seq > ? ORDER BY r.seq
        """

    func requests(after cursor: Int64?, limit: Int) async throws -> RequestPage {
        try await requests(after: cursor, limit: limit.clamped(to: EventFilter.limits), bytes: pageBytes)
    }

    /// Requests without their bodies, for one piece of a reply.
    func requests(after cursor: Int64?, limit: Int, bytes: Int) async throws -> RequestPage {
        try await readInTurn { database in
            let rows = try Row.fetchCursor(
                database,
                sql: "SELECT \(Self.requestColumns) FROM requests r WHERE r.seq > ? ORDER BY r.seq LIMIT ?",
                arguments: [cursor ?? 0, limit + 1]
            )
            let (requests, isWhole) = try Self.requests(rows, limit: limit, maxBytes: bytes)
            return RequestPage(requests: requests, next: isWhole ? nil : requests.last?.sequence)
        }
    }

    /// Requests with their bodies up to a number of bytes, at least one.
    func requestsWithBodies(after cursor: Int64, limit: Int, bytes: Int) async throws -> [CollectedRequest] {
        try await read { database in
            let rows = try Row.fetchCursor(
                database,
                sql: """
                    SELECT \(Self.bodyColumns) FROM requests r JOIN bodies b ON b.request = r.seq
                    WHERE r.seq > ? ORDER BY r.seq LIMIT ?
                    """,
                arguments: [cursor, limit]
            )
            return try Self.requests(rows, limit: limit, maxBytes: bytes).requests
        }
    }

    /// Requests of a stream up to a position, by the parts of the filter that apply to requests.
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
        if let until = filter.until {
            sql += " AND r.received_at < ?"
            arguments += [until.milliseconds]
        }
        let rows = try Row.fetchCursor(database, sql: sql + " ORDER BY r.seq LIMIT ?", arguments: arguments + [limit])
        return try requests(rows, limit: limit, maxBytes: .max).requests
    }

    func request(_ id: String) async throws -> CollectedRequest? {
        try await readInTurn { database in
            try Self.row(of: id, in: database) { try CollectedRequest($0, data: storedText($0)) }
        }
    }

    /// Request with a reader of its decoded body, and the number of bytes of that.
    func requestWithBody(_ id: String) async throws -> (request: CollectedRequest, body: BodyReader, total: Int)? {
        try await readInTurn { database in
            try Self.row(of: id, in: database) { row in
                let (body, isEncoded) = try encodedBody(row)
                let decoder = UploadDecoder()
                // A body that cannot be inflated is returned as it is; the request contains the reason.
                var plain: [UInt8]?
                if isEncoded {
                    plain = try? decoder.plainBody(body, isContentEncoded: true, limit: decoder.inflationLimit)
                }
                let reader = try BodyReader(isEncoded: plain != nil)
                return (try CollectedRequest(row, data: nil), reader, plain?.count ?? body.count)
            }
        }
    }

    /// Next part of a request's body; `nil` if the request was removed meanwhile.
    func next(_ maxBytes: Int, of reader: BodyReader, _ id: String) async throws -> [UInt8]? {
        try await readInTurn { database in
            try Self.row(of: id, in: database) { try reader.next(maxBytes, of: encodedBody($0).body) }
        }
    }

    /// Reads the row of a request of any format; `nil` if no request has the id.
    private static func row<Value>(
        of id: String,
        in database: Database,
        _ read: (Row) throws -> Value
    ) throws -> Value? {
        let id = TextArgument(id)
        for (requests, bodies) in [("requests", "bodies"), ("captured_requests", "captured_bodies")] {
            let source = "\(requests) r JOIN \(bodies) b ON b.request = r.seq"
            let sql = "SELECT \(bodyColumns) FROM \(source) WHERE r.rid = \(id.sql)"
            if let value = try Row.readFirst(database, sql, [id.value], read) { return value }
        }
        return nil
    }
}

extension CollectedRequest {
    init(_ row: Row, data: String?) throws {
        let events = try row.count(14, "requests.events")
        let duplicates = try row.count(15, "requests.duplicates")
        if duplicates > events {
            throw StoreDamage(column: "requests.duplicates", found: "more than the number of events")
        }
        self.init(
            sequence: try row.integer(0, "requests.seq", in: StoredRange.sequence),
            id: try row.text(1, "requests.rid"),
            receivedAt: try row.time(2, "requests.received_at"),
            method: try row.text(3, "requests.method"),
            uri: try row.text(4, "requests.uri"),
            path: try row.text(5, "requests.path"),
            appID: try row.optionalText(6, "requests.app_id"),
            platform: try row.optionalText(7, "requests.platform"),
            compression: try row.optionalText(8, "requests.compression"),
            fakeIP: try row.optionalText(9, "requests.fake_ip"),
            uploadTimestamp: try row.optionalText(10, "requests.upload_timestamp"),
            userAgent: try row.optionalText(11, "requests.user_agent"),
            ip: try row.optionalText(12, "requests.ip"),
            data: data,
            reason: try row.optionalText(13, "requests.reason"),
            detail: try row.optionalText(22, "requests.detail"),
            events: events - duplicates,
            duplicates: duplicates,
            badEvents: try row.count(16, "requests.bad_events"),
            unlistedViolations: try row.count(24, "requests.unlisted"),
            bundleSequenceID: try row.optionalInteger(17, "requests.bundle_sequence_id"),
            uniqueID: try row.optionalText(23, "events.unique_id"),
            hashCode: try row.optionalText(18, "requests.hash_code"),
            hashMatches: try row.optionalInteger(19, "requests.hash_ok").map { $0 != 0 },
            encodedBytes: try row.count(20, "requests.encoded_bytes"),
            rawBytes: try row.count(21, "requests.raw_bytes")
        )
    }
}

extension ArchivedRow {
    init(_ row: Row) throws {
        self.init(
            sequence: try row.integer(0, "requests.seq", in: StoredRange.sequence),
            request: try CollectedRequest(row, data: storedText(row))
        )
    }
}

/// Body of a request after decoding its `Content-Encoding`, as the published server stores it.
private func storedBody(_ row: Row) throws -> [UInt8] {
    let (body, isEncoded) = try encodedBody(row)
    return UploadDecoder().stored(body, isContentEncoded: isEncoded)
}

/// Body of a request as sent; `isEncoded` is true if it has a `Content-Encoding`.
private func encodedBody(_ row: Row) throws -> (body: [UInt8], isEncoded: Bool) {
    let body = try row.bytes(Store.bodyColumn, "bodies.data")
    return (body, try row.boolean(Store.bodyColumn + 1, "requests.is_encoded"))
}

/// Text of such a body, with invalid UTF-8 replaced.
private func storedText(_ row: Row) throws -> String {
    String(decoding: try storedBody(row), as: UTF8.self)
}
#endif
