#if Collector
import ClickstreamCore
import Foundation
import GRDB

extension Store {
    /// Position of a follower: its last request; 0 for a new follower.
    func cursor(of follower: String) async throws -> Int64 {
        try await write { try $0.execute(sql: "CREATE TABLE IF NOT EXISTS \(StoreLayout.followers)") }
        return try await read { try Self.cursor(of: follower, in: $0) }
    }

    private static func cursor(of follower: String, in database: Database) throws -> Int64 {
        let sql = "SELECT cursor FROM followers WHERE name = ?"
        return try Int64.fetchOne(database.cachedStatement(sql: sql), arguments: [follower]) ?? 0
    }

    func keep(cursor: Int64, of follower: String) async throws {
        try await write { database in
            try database.cachedStatement(
                sql: "INSERT INTO followers VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET cursor = ?2"
            ).execute(arguments: [follower, cursor])
        }
    }

    /// Number of requests after the position of a follower.
    func requestCount(after follower: String) async throws -> Int {
        try await read { database in
            let isKnown = try database.tableExists("followers")
            let cursor = isKnown ? try Self.cursor(of: follower, in: database) : 0
            return try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM requests WHERE seq > ?", arguments: [cursor])
                ?? 0
        }
    }
}
#endif
