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
    func evict(_ retention: Retention, now: Timestamp) async throws {
        if retention.isUnlimited { return }
        let archive = archive
        try await write { database in
            /// Nothing goes that is not in the archive.
            func remove(upTo last: Int64) throws {
                if let archive, let closed = try archive.follow(database, now: now, closes: true) {
                    try Archive.note(closed, in: database)
                }
                try Self.remove(upTo: last, in: database)
            }
            if let age = retention.age {
                let sql = "SELECT seq FROM requests WHERE received_at < ? ORDER BY received_at DESC LIMIT 1"
                let last = try Int64.fetchOne(
                    database.cachedStatement(sql: sql),
                    arguments: [now.milliseconds &- age]
                )
                if let last { try remove(upTo: last) }
            }
            if let bytes = retention.bytes {
                while let last = try Self.lastToMakeRoom(bytes, in: database) {
                    try remove(upTo: last)
                }
            }
        }
        try await shrink()
    }

    /// Brings the archive up to what the store has.
    /// - Parameter closes: whether its last file is closed too.
    func follow(by archive: Archive, now: Timestamp, closes: Bool) async throws {
        let closed = try await read { try archive.follow($0, now: now, closes: closes) }
        if let closed { try await write { try Archive.note(closed, in: $0) } }
    }

    /// What the store's files take, and what had to leave them.
    func holdings() async throws -> StoreHoldings {
        let evicted = try await read { database in
            let sql = "SELECT evicted_requests, evicted_events FROM state"
            return try Row.fetchOne(database.cachedStatement(sql: sql))
                .map { StoreHoldings.Evicted(requests: $0[0], events: $0[1]) }
        }
        return StoreHoldings(bytes: bytes, evicted: evicted ?? .init())
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
            sql: "SELECT seq, encoded_bytes + 600 + events * 300 FROM requests ORDER BY seq"
        )
        var last: Int64?
        var freed = 0
        while freed < excess, let row = try rows.next() {
            last = row[0]
            freed += row[1]
        }
        return last
    }

    private static func usedBytes(in database: Database) throws -> Int {
        func number(_ name: String) throws -> Int { try Int.fetchOne(database, sql: "PRAGMA \(name)") ?? 0 }
        return try (number("page_count") - number("freelist_count")) * number("page_size")
    }

    private static func remove(upTo last: Int64, in database: Database) throws {
        let row = try Row.fetchOne(
            database,
            sql: """
                SELECT COUNT(*), COUNT(reason), COALESCE(SUM(events - duplicates), 0), COALESCE(SUM(duplicates), 0),
                    (SELECT COUNT(*) FROM events WHERE seq <= ?1 AND is_bad) FROM requests WHERE seq <= ?1
                """,
            arguments: [last]
        )
        guard let row else { return }
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
        let counts: [Int] = (0..<5).map { row[$0] }
        try database.execute(
            sql: """
                UPDATE state SET requests = requests - ?1, bad_requests = bad_requests - ?2, events = events - ?3,
                    duplicates = duplicates - ?4, bad_events = bad_events - ?5,
                    evicted_requests = evicted_requests + ?1, evicted_events = evicted_events + ?3
                """,
            arguments: StatementArguments(counts)
        )
    }

    /// Gives back pages that are free, when they are so many that the file is worth shrinking.
    private func shrink() async throws {
        try await writeOutside { database in
            let free = try Int.fetchOne(database, sql: "PRAGMA freelist_count") ?? 0
            let all = try Int.fetchOne(database, sql: "PRAGMA page_count") ?? 0
            if free > max(256, all / 8) { try database.execute(sql: "PRAGMA incremental_vacuum") }
        }
    }
}
#endif
