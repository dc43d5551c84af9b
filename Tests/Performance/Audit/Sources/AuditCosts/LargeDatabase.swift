import Foundation
import GRDB

/// Database of a given size, beside a small one.
struct LargeDatabase {
    let folder: String
    let megabytes: Int

    /// Prints the time of a scope that changes ten rows on both, and time and memory of a scope that reads every row.
    func measure() throws {
        let small = try app("small", rows: 1_000)
        let rows = megabytes * 1_000
        let large = try app("large", rows: rows)
        let size = try FileManager.default.attributesOfItem(atPath: "\(folder)/large.sqlite")[.size] as? Int ?? 0
        AuditCosts.figure("size of the large database", Double(size), "bytes")
        for (name, app, count) in [("small", small, 1_000), ("large", large, rows)] {
            var least = Double.infinity
            for round in 0..<25 {
                let time = try app.time("ten rows") { db in
                    for index in 0..<10 {
                        let id = 1 + (round * 7_919 + index * count / 10) % count
                        try db.execute(sql: "UPDATE thing SET number = number + 1 WHERE id = ?", arguments: [id])
                    }
                }
                least = min(least, time)
            }
            AuditCosts.figure("scope of 10 rows, \(name) database", least / 1_000, "us")
        }
        let before = AuditCosts.peakMemory()
        let read = try large.time("every row") { db in
            let rows = try Row.fetchCursor(db, sql: "SELECT id, number FROM thing")
            var count = 0
            while try rows.next() != nil { count += 1 }
            AuditCosts.figure("rows read in one scope", Double(count), "rows")
        }
        AuditCosts.figure("scope that reads every row", read / 1_000_000, "ms")
        AuditCosts.figure("memory that it adds", Double(AuditCosts.peakMemory() - before), "bytes")
    }

    /// App with a table of rows of a kilobyte each.
    private func app(_ name: String, rows: Int) throws -> AuditedApp {
        let path = "\(folder)/\(name).sqlite"
        let app = try AuditedApp(folder: "\(folder)/\(name)", .scope, database: path)
        let queue = try DatabaseQueue(path: path)
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA synchronous = OFF")
            try db.inTransaction {
                try db.execute(sql: "CREATE TABLE thing(id INTEGER PRIMARY KEY, number INTEGER, filler TEXT)")
                let insert = try db.makeStatement(
                    sql: "INSERT INTO thing(number, filler) VALUES (0, printf('%.*c', 980, 'x'))"
                )
                for _ in 0..<rows { try insert.execute() }
                return .commit
            }
        }
        return app
    }
}
