#if Audit
import ClickstreamAudit
import ClickstreamCore
import GRDB

/// Random numbers from a seed (xorshift).
struct Dice {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
    }

    mutating func roll(_ sides: Int) -> Int {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return Int(state % UInt64(sides))
    }
}

/// User of a database that other connections and processes change too: a connection with scopes of its own.
///
/// Each change of a row of the table `cell` adds 1 to its version, and returns it: each version of a row was written by one
/// user, in one scope. The lines report the committed versions of a scope in their order, `wrote SCOPE ROW VERSION`; the data
/// of its write event, `event SCOPE JSON`; and failures, `refused SCOPE ERROR` and `failed SCOPE ERROR`.
struct SharedUser {
    private enum Access: CaseIterable {
        case statements
        case immediate
        case deferred
        case savepoint
        case rollback
        case failure
        case replacement
    }

    private struct Version {
        var row: Int
        var number: Int
    }

    private let name: String
    private let rows: Int
    private let store = MemoryAuditStore()
    private let events: Audit.Events
    private let queue: DatabaseQueue
    private var dice: Dice

    init(_ name: String, file: String, seed: UInt64, rows: Int, tracking: ChangeTracking) throws {
        self.name = name
        self.rows = rows
        dice = Dice(seed: seed)
        events = Audit.Events(
            EventConfiguration(),
            store: store,
            time: SystemTime(),
            ids: SystemIDs(),
            tracking: tracking
        )
        var configuration = GRDB.Configuration()
        configuration.busyMode = .timeout(60)
        configuration.allowsUnsafeTransactions = true
        configuration.prepareDatabase { db in try db.execute(sql: "PRAGMA synchronous = OFF") }
        events.observe(&configuration)
        queue = try DatabaseQueue(path: file, configuration: configuration)
    }

    /// Changes rows in scopes.
    /// - Returns: the lines.
    mutating func run(scopes: Int) -> [String] {
        var lines: [String] = []
        for number in 0..<scopes {
            let activity = "\(name)-\(number)"
            let scope = events.beginScope(activity: activity)
            do {
                lines += try access().map { "wrote \(activity) \($0.row) \($0.number)" }
            } catch {
                lines.append("refused \(activity) \(error)")
            }
            var failure: AuditError?
            scope.commit { failure = $0 }
            if let failure { lines.append("failed \(activity) \(failure)") }
            lines += store.takeEvents().compactMap { Self.data(of: $0) }.map { "event \(activity) \($0)" }
        }
        return lines
    }

    /// Returns the data of a write event; `nil` for another event.
    private static func data(of event: AuditEvent) -> String? {
        guard let value = try? JSONReader.parse(event.json) else { return event.text }  // a line of another form
        return value["event"]?.string == "write" ? value["data"]?.string : nil
    }

    // MARK: Changes

    /// Changes rows at random.
    /// - Returns: their committed versions.
    private mutating func access() throws -> [Version] {
        let access = Access.allCases[dice.roll(Access.allCases.count)]
        var ids: [Int] = []
        for _ in 0...dice.roll(3) { ids.append(1 + dice.roll(rows)) }
        let rows = ids
        return try queue.writeWithoutTransaction { db in
            // After a statement that was refused.
            defer { if db.isInsideTransaction { try? db.rollback() } }
            return try perform(access, rows, db)
        }
    }

    private func perform(_ access: Access, _ rows: [Int], _ db: Database) throws -> [Version] {
        switch access {
        case .statements: return try rows.map { try update($0, db) }
        case .replacement: return try rows.map { try replace($0, db) }
        case .deferred: try db.execute(sql: "BEGIN")
        case .immediate, .savepoint, .rollback, .failure: try db.execute(sql: "BEGIN IMMEDIATE")
        }
        var versions = try rows.map { try update($0, db) }
        switch access {
        case .savepoint:
            try db.execute(sql: "SAVEPOINT s")
            for row in rows { _ = try update(row, db) }
            try db.execute(sql: "ROLLBACK TO s; RELEASE s")
        case .rollback:
            try db.execute(sql: "ROLLBACK")
            return []
        case .failure: versions += try failingUpdate(before: rows[0], db)
        case .statements, .immediate, .deferred, .replacement: break
        }
        try db.execute(sql: "COMMIT")
        return versions
    }

    private func update(_ row: Int, _ db: Database) throws -> Version {
        let sql = "UPDATE cell SET version = version + 1, writer = ? WHERE id = ? RETURNING version"
        // All rows are fetched: the statement ends with the last one.
        let numbers = try Int.fetchAll(db, sql: sql, arguments: [name, row])
        return Version(row: row, number: numbers.first ?? -1)
    }

    private func replace(_ row: Int, _ db: Database) throws -> Version {
        let sql = "REPLACE INTO cell SELECT id, version + 1, ? FROM cell WHERE id = ? RETURNING version"
        let numbers = try Int.fetchAll(db, sql: sql, arguments: [name, row])
        return Version(row: row, number: numbers.first ?? -1)
    }

    /// A statement that fails at a row, after it has changed those before it, which stay changed.
    private func failingUpdate(before row: Int, _ db: Database) throws -> [Version] {
        let sql = """
            UPDATE OR FAIL cell SET version = version + 1, writer = CASE WHEN id < :row THEN :name END WHERE id <= :row
            """
        do {
            try db.execute(sql: sql, arguments: ["row": row, "name": name])
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
            // The row may have no writer.
        }
        let found = try Row.fetchAll(db, sql: "SELECT id, version FROM cell WHERE id < ?", arguments: [row])
        return found.map { Version(row: $0["id"], number: $0["version"]) }
    }
}
#endif
