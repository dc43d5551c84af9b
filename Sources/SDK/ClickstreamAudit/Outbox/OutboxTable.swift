#if Audit
import ClickstreamCore
import GRDB
import GRDBSQLite

/// Table of an app's database with the changes of scopes whose events are not stored yet: a transactional outbox.
///
/// It has no row numbers: SQLite calls no update hook for its changes, and keeps `last_insert_rowid()`.
enum OutboxTable {
    static let name = "clickstream_audit_outbox"

    /// Creates the table unless it exists.
    static func create(_ connection: OpaquePointer) throws(StatementError) {
        let sql = """
            CREATE TABLE IF NOT EXISTS main.\(name)(event TEXT NOT NULL, number INTEGER NOT NULL, owner TEXT NOT NULL,
            activity TEXT NOT NULL, metadata TEXT NOT NULL, time INTEGER NOT NULL, changes TEXT NOT NULL,
            PRIMARY KEY (event, number)) WITHOUT ROWID
            """
        _ = try OwnStatement(connection, sql).step()
    }

    // MARK: Transactions of the app

    static func insert(_ row: OutboxRow, _ handle: ConnectionHandle) throws(StatementError) {
        let sql = "INSERT OR REPLACE INTO main.\(name) VALUES (?, ?, ?, ?, ?, ?, ?) /* clickstream audit */"
        try handle.executeCached(sql) { statement in
            bind(Array(row.event.utf8), to: statement, 1)
            sqlite3_bind_int64(statement, 2, Int64(row.number))
            bind(Array(row.owner.utf8), to: statement, 3)
            bind(Array(row.activity.utf8), to: statement, 4)
            bind(row.metadata, to: statement, 5)
            sqlite3_bind_int64(statement, 6, row.time.milliseconds)
            bind(row.changes, to: statement, 7)
        }
    }

    /// Deletes the rows of a scope.
    /// - Parameter number: the number of one row; `nil` for all.
    static func delete(event: String, number: Int? = nil, _ handle: ConnectionHandle) throws(StatementError) {
        let condition = number == nil ? "event = ?1" : "event = ?1 AND number = ?2"
        let sql = "DELETE FROM main.\(name) WHERE \(condition) /* clickstream audit */"
        try handle.executeCached(sql) { statement in
            bind(Array(event.utf8), to: statement, 1)
            if let number { sqlite3_bind_int64(statement, 2, Int64(number)) }
        }
    }

    private static func bind(_ text: [UInt8], to statement: OpaquePointer, _ parameter: Int32) {
        let copies = KeyEncoder.copiesValues
        // A null pointer would be NULL.
        guard !text.isEmpty else {
            sqlite3_bind_text(statement, parameter, "", 0, copies)
            return
        }
        text.withUnsafeBytes { bytes in
            let start = bytes.assumingMemoryBound(to: CChar.self).baseAddress
            sqlite3_bind_text(statement, parameter, start, Int32(bytes.count), copies)
        }
    }

    // MARK: Ended processes

    /// Returns the processes with rows.
    static func owners(_ connection: OpaquePointer) throws(StatementError) -> Set<String> {
        let statement = try OwnStatement(connection, "SELECT DISTINCT owner FROM main.\(name)")
        var owners: Set<String> = []
        while try statement.step() {
            if let owner = statement.text(0) { owners.insert(owner) }
        }
        return owners
    }

    /// Returns the rows of a process: scope by scope, each in the order of the commits.
    static func rows(of owner: String, _ connection: OpaquePointer) throws(StatementError) -> [OutboxRow] {
        let sql = """
            SELECT event, number, activity, metadata, time, changes FROM main.\(name) WHERE owner = ?1
            ORDER BY event, number
            """
        let statement = try OwnStatement(connection, sql)
        bind(Array(owner.utf8), to: statement.pointer, 1)
        var rows: [OutboxRow] = []
        while try statement.step() {
            rows.append(
                OutboxRow(
                    event: statement.text(0) ?? "",
                    number: statement.integer(1),
                    owner: owner,
                    activity: String(decoding: statement.bytes(2), as: UTF8.self),
                    metadata: statement.bytes(3),
                    time: Timestamp(milliseconds: Int64(statement.integer(4))),
                    changes: statement.bytes(5)
                )
            )
        }
        return rows
    }

    /// Deletes the rows of a scope, in a transaction of its own.
    static func delete(event: String, _ connection: OpaquePointer) throws(StatementError) {
        let statement = try OwnStatement(connection, "DELETE FROM main.\(name) WHERE event = ?1")
        bind(Array(event.utf8), to: statement.pointer, 1)
        _ = try statement.step()
    }
}

extension OwnStatement {
    /// The bytes of a text, also of one with NUL.
    fileprivate func bytes(_ column: Int32) -> [UInt8] {
        guard let text = sqlite3_column_text(pointer, column) else { return [] }
        return Array(UnsafeBufferPointer(start: text, count: Int(sqlite3_column_bytes(pointer, column))))
    }
}
#endif
