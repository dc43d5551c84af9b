#if Collector
import ClickstreamCore
import ClickstreamJudges
import Foundation
import GRDB

/// Limits on the size of a store and the age of its requests.
struct Retention: Sendable, Hashable {
    /// Maximum bytes of the store's tables; `nil` for no limit.
    var bytes: Int?
    /// Maximum milliseconds since a request was received; `nil` for no limit.
    var age: Int64?

    var isUnlimited: Bool { bytes == nil && age == nil }
}

/// Outcome of ``Store/evict(_:now:)``.
struct Eviction: Sendable, Hashable {
    /// True if requests were removed.
    var removed = false
    /// True if more requests have to be evicted after they are archived.
    var waits = false
}

extension Store {
    /// Evicts the oldest requests with their events until the store is within its limits, and shrinks the file.
    ///
    /// Evicts at least a twentieth of the limit, so that evictions are rare. Costs about as much per event as storing
    /// it.
    @discardableResult
    func evict(_ retention: Retention, now: Timestamp) async throws -> Eviction {
        var eviction = Eviction()
        if retention.isUnlimited { return eviction }
        let isArchived = archive != nil
        while !eviction.waits, let last = try await read({ try self.lastToGo(retention, now: now, in: $0) }) {
            let removed = try await write { database in
                let end = isArchived ? min(last, try Self.lastArchived(in: database)) : last
                return try Self.remove(upTo: end, in: database)
            }
            if removed { eviction.removed = true }
            // Without an archive, nothing has to be archived first.
            eviction.waits = !removed && isArchived
        }
        try await shrink(retention)
        return eviction
    }

    /// Writes all requests that the archive lacks. Writers of the store do not wait for the disk of the archive.
    /// - Parameters:
    ///   - closes: true to close its last file, too.
    ///   - isDue: true to leave the rest for later; asked between two steps.
    /// - Throws: errors of the disk or the store; ``Archive/status`` has the reason.
    func follow(
        by archive: Archive,
        now: Timestamp,
        closes: Bool,
        until isDue: @Sendable () -> Bool = { false }
    ) async throws {
        do {
            while !isDue() {
                switch try await read({ try archive.step($0, now: now, closes: closes) }) {
                case .wrote:
                    continue
                case .closed(let last):
                    try await write { try Archive.note(last, in: $0) }
                    archive.noted(last)
                case .idle:
                    return archive.noteAttempt(nil)
                }
            }
        } catch {
            archive.noteAttempt(error)
            throw error
        }
    }

    /// Updates the number of stored requests that are not in a closed file of the archive.
    func noteRequestsBehind(_ archive: Archive) async {
        // A store that cannot be read leaves the last number: its requests may be in no archive.
        let behind = try? await read { database in
            let noted = try Archive.noted(in: database)
            let sql = "SELECT COUNT(*) FROM requests WHERE seq > ?"
            return try Int.fetchOne(database, sql: sql, arguments: [noted]) ?? 0
        }
        if let behind { archive.noteEnd(behind: behind) }
    }

    /// As `follow`, on the writer connection, outside of a transaction.
    static func bring(_ archive: Archive, upTo database: Database) throws {
        while true {
            switch try archive.step(database, now: Timestamp(milliseconds: 0), closes: true) {
            case .wrote:
                continue
            case .closed(let last):
                try Archive.note(last, in: database)
                archive.noted(last)
            case .idle:
                return
            }
        }
    }

    /// Size of the store's files, and the number of evicted requests and events.
    func holdings() async throws -> StoreHoldings {
        let evicted = try await read { database in
            let sql = "SELECT evicted_requests, evicted_events FROM state"
            return try Row.fetchOne(database.cachedStatement(sql: sql))
                .map { row in
                    StoreHoldings.Evicted(
                        requests: Int(try row.integer(0, "state.evicted_requests", in: StoredRange.sequence)),
                        events: Int(try row.integer(1, "state.evicted_events", in: StoredRange.sequence))
                    )
                }
        }
        return StoreHoldings(bytes: bytes, evicted: evicted ?? .init())
    }

    /// Last request to evict in the next step; `nil` if the store is within its limits, as far as its requests have been read.
    private func lastToGo(_ retention: Retention, now: Timestamp, in database: Database) throws -> Int64? {
        if let age = retention.age {
            var search = expiry.withLock { $0 }
            let last = try search.step(age: age, now: now, in: database)
            expiry.withLock { [search] in $0 = search }
            if let last { return last }
        }
        return try retention.bytes.flatMap { try Self.lastToFree($0, in: database) }
    }

    /// Last request to evict so that the store is within a size, of those of one step; `nil` if it is.
    private static func lastToFree(_ bytes: Int, in database: Database) throws -> Int64? {
        let used = try usedBytes(in: database)
        if used <= bytes { return nil }
        let excess = used - bytes + bytes / 20
        // Estimate per request: its body, and the average of the other bytes for each event.
        let rows = try Row.fetchCursor(
            database,
            sql: """
                SELECT seq, encoded_bytes, events FROM requests
                UNION ALL SELECT seq, encoded_bytes, events FROM captured_requests ORDER BY seq
                LIMIT \(ExpirySearch.maxCount)
                """
        )
        var last: Int64?
        var freed = 0
        while freed < excess, let row = try rows.next() {
            last = try row.integer(0, "requests.seq", in: StoredRange.sequence)
            let events = try row.count(2, "requests.events")
            freed += try row.count(1, "requests.encoded_bytes") + 600 + events * 200
        }
        return last
    }

    /// Sequence number up to which the archive holds every request that it has to hold: it has none of the captured
    /// formats.
    private static func lastArchived(in database: Database) throws -> Int64 {
        let noted = try Archive.noted(in: database)
        let sql = "SELECT seq, events FROM requests WHERE seq > ? ORDER BY seq LIMIT 1"
        guard let row = try Row.fetchOne(database, sql: sql, arguments: [noted]) else { return .max }
        let request = try row.integer(0, "requests.seq", in: StoredRange.sequence)
        return request - Int64(try row.count(1, "requests.events")) - 1
    }

    private static func usedBytes(in database: Database) throws -> Int {
        func number(_ name: String) throws -> Int { try Int.fetchOne(database, sql: "PRAGMA \(name)") ?? 0 }
        return try (number("page_count") - number("freelist_count")) * number("page_size")
    }

    /// - Returns: true if requests were removed.
    private static func remove(upTo last: Int64, in database: Database) throws -> Bool {
        let removesCaptured = try removeCaptured(upTo: last, in: database)
        return try removeRequests(upTo: last, in: database) || removesCaptured
    }

    private static func removeCaptured(upTo last: Int64, in database: Database) throws -> Bool {
        let rows = try Row.fetchAll(
            database,
            sql: """
                SELECT COUNT(*), COUNT(reason), COALESCE(SUM(events - duplicates), 0), COALESCE(SUM(bad_events), 0),
                    COALESCE(SUM(duplicates), 0), form FROM captured_requests WHERE seq <= ? GROUP BY form
                """,
            arguments: [last]
        )
        for row in rows {
            guard let form = CapturedFormat.captured(named: try row.text(5, "captured_requests.form")) else { continue }
            let counts = try (0..<5).map { -(try row.count($0, "captured_requests.events")) }
            try CapturedCounts.add(
                CapturedCounts(
                    requests: counts[0],
                    badRequests: counts[1],
                    events: counts[2],
                    badEvents: counts[3],
                    duplicates: counts[4]
                ),
                to: form,
                in: database
            )
            try database.execute(
                sql: "UPDATE state SET evicted_requests = evicted_requests - ?, evicted_events = evicted_events - ?",
                arguments: [counts[0], counts[2]]
            )
        }
        for rows in StoreLayout.capturedRows {
            try database.execute(sql: "DELETE FROM \(rows.table) WHERE \(rows.column) <= ?", arguments: [last])
        }
        return !rows.isEmpty
    }

    private static func removeRequests(upTo last: Int64, in database: Database) throws -> Bool {
        let row = try Row.fetchOne(
            database,
            sql: """
                SELECT COUNT(*), COUNT(reason), COALESCE(SUM(events - duplicates), 0), COALESCE(SUM(duplicates), 0),
                    (SELECT COUNT(*) FROM events WHERE seq <= ?1 AND is_bad) FROM requests WHERE seq <= ?1
                """,
            arguments: [last]
        )
        guard let row, try row.count(0, "requests") > 0 else { return false }
        try database.execute(
            sql: """
                UPDATE sessions SET events = sessions.events - gone.events
                FROM (SELECT session, COALESCE(app, 0) AS app, COUNT(*) AS events FROM events
                    WHERE seq <= ? AND session IS NOT NULL GROUP BY 1, 2) AS gone
                WHERE sessions.session = gone.session AND sessions.app = gone.app
                """,
            arguments: [last]
        )
        try database.execute(
            sql: """
                UPDATE users SET events = users.events - gone.events
                FROM (SELECT unique_id AS id, COUNT(*) AS events FROM events
                    WHERE seq <= ? AND unique_id IS NOT NULL GROUP BY 1) AS gone
                WHERE users.id = gone.id
                """,
            arguments: [last]
        )
        try database.execute(sql: "DELETE FROM sessions WHERE events <= 0; DELETE FROM users WHERE events <= 0;")
        for (table, column) in [
            ("findings", "event"), ("events", "seq"), ("terms", "request"), ("bodies", "request"), ("requests", "seq"),
        ] {
            try database.execute(sql: "DELETE FROM \(table) WHERE \(column) <= ?", arguments: [last])
        }
        try database.execute(sql: StoreLayout.unusedTexts)
        let counts = try (0..<5).map { try row.count($0, "requests.events") }
        try database.execute(
            sql: """
                UPDATE state SET requests = requests - ?1, bad_requests = bad_requests - ?2, events = events - ?3,
                    duplicates = duplicates - ?4, bad_events = bad_events - ?5,
                    evicted_requests = evicted_requests + ?1, evicted_events = evicted_events + ?3
                """,
            arguments: StatementArguments(counts)
        )
        return true
    }

    /// Releases free pages once there are enough of them to shrink the file, and truncates a write-ahead log that is
    /// too long for the size of the store.
    private func shrink(_ retention: Retention) async throws {
        try await writeOutside { [self] database in
            let free = try Int.fetchOne(database, sql: "PRAGMA freelist_count") ?? 0
            let all = try Int.fetchOne(database, sql: "PRAGMA page_count") ?? 0
            if free > max(64, all / 8) { try database.execute(sql: "PRAGMA incremental_vacuum") }
            guard retention.bytes != nil, loggedBytes > 2 * logBytes else { return }
            // Does not wait for readers of the log: the next check retries.
            try database.execute(sql: "PRAGMA busy_timeout = 0")
            let outcome = Result { try database.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
            try database.execute(sql: "PRAGMA busy_timeout = \(Self.busySeconds * 1_000)")
            try outcome.get()
        }
    }
}
#endif
