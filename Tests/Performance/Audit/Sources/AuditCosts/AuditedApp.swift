import ClickstreamAudit
import ClickstreamCore
import Foundation
import GRDB

/// Server that is never available: what is stored stays on the disk.
struct NoServer: ClickstreamClient.Transport {
    func send(_ request: UploadRequest) async throws(TransportError) -> UploadResponse {
        UploadResponse(status: 503)
    }
}

/// App with a database queue in a file and a client with a store in a folder.
final class AuditedApp {
    private let mode: Mode
    private let events: Audit.Events
    private let queue: DatabaseQueue
    private let client: ClickstreamClient

    init(folder: String, _ mode: Mode, database path: String? = nil, bounds: Int? = nil) throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        self.mode = mode
        var settings = ClickstreamClient.Configuration(appID: "costs", endpoint: "http://127.0.0.1:9/collect")
        settings.sendInterval = .seconds(3_600)
        client = try ClickstreamClient(
            in: ClickstreamClient.World(
                configuration: settings,
                device: ClickstreamClient.Device(platform: "Linux"),
                storage: folder + "/store",
                transport: NoServer()
            )
        )
        var audit = EventConfiguration()
        if let bounds { audit.maxScopeEvents = bounds }
        audit.maxScopeBytes = 1 << 30
        audit.usesOutbox = mode == .outbox
        events = try Audit.Events(audit, in: client)
        var configuration = GRDB.Configuration()
        configuration.prepareDatabase { db in try db.execute(sql: "PRAGMA synchronous = OFF") }
        if mode != .plain { events.observe(&configuration) }
        queue = try DatabaseQueue(path: path ?? folder + "/costs.sqlite", configuration: configuration)
        try queue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE IF NOT EXISTS note(id INTEGER PRIMARY KEY, title TEXT NOT NULL, created DATETIME,
                    done BOOLEAN, weight DOUBLE)
                    """
            )
        }
    }

    deinit { client.terminate() }

    /// Runs one loop over `rows` rows, all unless given; with a scope in the modes `scope` and `outbox`, which is committed.
    func run(_ work: Work, rounds: Int, rows: Int? = nil) throws {
        try prepare(work, rows: rows ?? rounds)
        let scope = mode == .scope || mode == .outbox ? events.beginScope(activity: "\(work)") : nil
        switch work {
        case .insert: try queue.write { db in try Self.insert(rounds, db) }
        case .update:
            try queue.write { db in
                let update = try db.cachedStatement(sql: "UPDATE note SET title = ?, done = NOT done WHERE id = ?")
                for id in 1...rounds { try update.execute(arguments: ["changed", id]) }
            }
        case .transaction:
            for id in 1...rounds {
                try queue.write { db in
                    let update = try db.cachedStatement(sql: "UPDATE note SET title = ?, done = NOT done WHERE id = ?")
                    try update.execute(arguments: ["changed", id])
                }
            }
        case .delete:
            try queue.write { db in
                let delete = try db.cachedStatement(sql: "DELETE FROM note WHERE id = ?")
                for id in 1...rounds { try delete.execute(arguments: [id]) }
            }
        case .read:
            try queue.read { db in
                let rows = try Row.fetchCursor(db, sql: "SELECT * FROM note LIMIT ?", arguments: [rounds])
                var count = 0
                while try rows.next() != nil { count += 1 }
                guard count == rounds else { throw CostError.unexpected("\(count) rows") }
            }
        case .find:
            try queue.read { db in
                let find = try db.cachedStatement(sql: "SELECT * FROM note WHERE id = ?")
                for id in 1...rounds {
                    guard try Row.fetchOne(find, arguments: [id]) != nil else { throw CostError.unexpected("no row") }
                }
            }
        }
        var failure: AuditError?
        scope?.commit { failure = $0 }
        if let failure { throw failure }
    }

    /// Rows `1...rows`, or none for the insertion of them.
    private func prepare(_ work: Work, rows: Int) throws {
        try queue.write { db in
            if work == .insert {
                try db.execute(sql: "DELETE FROM note")
            } else if try Int.fetchOne(db, sql: "SELECT count(*) FROM note") != rows {
                try db.execute(sql: "DELETE FROM note")
                try Self.insert(rows, db)
            }
        }
    }

    private static func insert(_ rounds: Int, _ db: Database) throws {
        let insert = try db.cachedStatement(
            sql: "INSERT INTO note(id, title, created, done, weight) VALUES (?, ?, '2024-02-29 10:11:12.345', 0, 1.5)"
        )
        for id in 1...rounds { try insert.execute(arguments: [id, "A note with a title"]) }
    }

    /// Runs statements in one scope, and returns its time in nanoseconds.
    func time(_ activity: String, _ body: (Database) throws -> Void) throws -> Double {
        let start = ContinuousClock.now
        let scope = events.beginScope(activity: activity)
        try queue.write(body)
        var failure: AuditError?
        scope.commit { failure = $0 }
        if let failure { throw failure }
        return (ContinuousClock.now - start) / .nanoseconds(1)
    }
}
