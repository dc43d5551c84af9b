#if Tools
import ClickstreamCore
import Foundation
import GRDB

/// How much a store may hold, and for how long.
struct Retention: Sendable, Hashable {
    /// Bytes of the store's tables; `nil` for no end.
    var bytes: Int?
    /// Milliseconds since a request was received; `nil` for no end.
    var age: Int64?

    var isUnlimited: Bool { bytes == nil && age == nil }
}

extension Store {
    /// Removes the oldest requests with their events until the store keeps to its limits; the file shrinks.
    ///
    /// What goes is at least a twentieth of what may stay, so that it is seldom done. Costs about as much for each event
    /// as storing it did.
    /// - Returns: whether more has to go, once the archive has it.
    @discardableResult
    func evict(_ retention: Retention, now: Timestamp) async throws -> Bool {
        if retention.isUnlimited { return false }
        let isArchived = archive != nil
        var waits = false
        while !waits, let last = try await read({ try Self.lastToGo(retention, now: now, in: $0) }) {
            waits = try await write { database in
                let end = isArchived ? min(last, try Archive.noted(in: database)) : last
                // Without an archive there is nothing to wait for, whatever became of the requests meanwhile.
                return try !Self.remove(upTo: end, in: database) && isArchived
            }
        }
        try await shrink(retention)
        return waits
    }

    /// Brings the archive up to what the store has. Nobody who writes into the store waits for the archive's disk.
    /// - Parameter closes: whether its last file is closed too.
    /// - Throws: what the disk or the store throws; ``Archive/status`` then has the reason.
    func follow(by archive: Archive, now: Timestamp, closes: Bool) async throws {
        do {
            while true {
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

    /// Stored requests that no closed file of the archive holds. 0 when the store cannot be read.
    func requestsBehind(_ archive: Archive) async -> Int {
        let behind = try? await read { database in
            let noted = try Archive.noted(in: database)
            let sql = "SELECT COUNT(*) FROM requests WHERE seq > ?"
            return try Int.fetchOne(database, sql: sql, arguments: [noted]) ?? 0
        }
        return behind ?? 0
    }

    /// Does the same while nobody else writes, outside of a transaction.
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

    /// What the store's files take, and what had to leave them.
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

    /// The last request that is too old or too much; `nil` when the store keeps to its limits.
    private static func lastToGo(_ retention: Retention, now: Timestamp, in database: Database) throws -> Int64? {
        if let age = retention.age {
            let sql = "SELECT seq FROM requests WHERE received_at < ? ORDER BY received_at DESC LIMIT 1"
            let statement = try database.cachedStatement(sql: sql)
            if let last = try Int64.fetchOne(statement, arguments: [now.milliseconds &- age]) { return last }
        }
        return try retention.bytes.flatMap { try lastToMakeRoom($0, in: database) }
    }

    /// The last request to go so that the store keeps to a size; `nil` when it does.
    private static func lastToMakeRoom(_ bytes: Int, in database: Database) throws -> Int64? {
        let used = try usedBytes(in: database)
        if used <= bytes { return nil }
        let sum = try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM requests") ?? 0
        if sum == 0 { return nil }
        let excess = used - bytes + bytes / 20
        // What a request takes is known for all of them together: the body, and about so much for each event.
        let rows = try Row.fetchCursor(
            database,
            sql: "SELECT seq, encoded_bytes, events FROM requests ORDER BY seq"
        )
        var last: Int64?
        var freed = 0
        while freed < excess, let row = try rows.next() {
            last = try row.integer(0, "requests.seq", in: StoredRange.sequence)
            let events = try row.count(2, "requests.events")
            freed += try row.count(1, "requests.encoded_bytes") + 600 + events * 300
        }
        return last
    }

    private static func usedBytes(in database: Database) throws -> Int {
        func number(_ name: String) throws -> Int { try Int.fetchOne(database, sql: "PRAGMA \(name)") ?? 0 }
        return try (number("page_count") - number("freelist_count")) * number("page_size")
    }

    /// - Returns: whether there was anything to remove.
    private static func remove(upTo last: Int64, in database: Database) throws -> Bool {
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
                FROM (SELECT session_id AS id, COALESCE(app_id, '') AS app_id, COUNT(*) AS events FROM events
                    WHERE seq <= ? AND session_id IS NOT NULL GROUP BY 1, 2) AS gone
                WHERE sessions.id = gone.id AND sessions.app_id = gone.app_id
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

    /// Gives back pages that are free, when they are so many that the file is worth shrinking, and the log's file when it is
    /// longer than a store of that size should have.
    private func shrink(_ retention: Retention) async throws {
        try await writeOutside { [self] database in
            let free = try Int.fetchOne(database, sql: "PRAGMA freelist_count") ?? 0
            let all = try Int.fetchOne(database, sql: "PRAGMA page_count") ?? 0
            if free > max(64, all / 8) { try database.execute(sql: "PRAGMA incremental_vacuum") }
            guard retention.bytes != nil, loggedBytes > 2 * logBytes else { return }
            // A reader who still needs the log is not waited for: then it is emptied the next time.
            try database.execute(sql: "PRAGMA busy_timeout = 0")
            let outcome = Result { try database.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
            try database.execute(sql: "PRAGMA busy_timeout = \(Self.busySeconds * 1_000)")
            try outcome.get()
        }
    }
}
#endif
