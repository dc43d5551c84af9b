#if Collector
import ClickstreamCore
import ClickstreamJudges
import GRDB
import GRDBSQLite

/// Prepared statement that is run for each row, with values bound by address: nothing is copied or boxed.
///
/// Used on the connection's queue, within one transaction.
struct RowWriter {
    private let statement: OpaquePointer
    private let database: Database

    init(_ database: Database, _ sql: String) throws {
        self.database = database
        statement = try database.cachedStatement(sql: sql).sqliteStatement
    }

    func bind(_ value: Int64, at index: Int32) {
        sqlite3_bind_int64(statement, index, value)
    }

    func bind(_ value: Int64?, at index: Int32) {
        if let value { bind(value, at: index) } else { sqlite3_bind_null(statement, index) }
    }

    func bind(_ value: Bool, at index: Int32) {
        sqlite3_bind_int64(statement, index, value ? 1 : 0)
    }

    /// Binds a text, which must stay valid until ``run()`` returns.
    func bind(_ text: TextRange, in bytes: UnsafeRawBufferPointer, at index: Int32) {
        guard !text.isNone, let base = bytes.baseAddress else {
            sqlite3_bind_null(statement, index)
            return
        }
        let start = (base + text.range.lowerBound).assumingMemoryBound(to: CChar.self)
        sqlite3_bind_text(statement, index, start, Int32(text.range.count), nil)
    }

    /// Binds a text, which must stay valid until ``run()`` returns.
    func bind(text bytes: UnsafeRawBufferPointer, at index: Int32) {
        guard let base = bytes.baseAddress else {
            // SQLite interprets a missing address as NULL.
            bind("", at: index)
            return
        }
        let start = base.assumingMemoryBound(to: CChar.self)
        sqlite3_bind_text(statement, index, start, Int32(bytes.count), nil)
    }

    /// Binds bytes, which must stay valid until ``run()`` returns.
    func bind(blob bytes: UnsafeRawBufferPointer, at index: Int32) {
        // SQLite interprets a missing address as NULL.
        if bytes.isEmpty {
            sqlite3_bind_zeroblob(statement, index, 0)
        } else {
            sqlite3_bind_blob64(statement, index, bytes.baseAddress, UInt64(bytes.count), nil)
        }
    }

    /// Binds a text that SQLite copies.
    func bind(_ text: String?, at index: Int32) {
        guard var text else {
            sqlite3_bind_null(statement, index)
            return
        }
        text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { characters in
                // SQLITE_TRANSIENT, which Swift does not import.
                let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
                // An empty text may have no address, which SQLite interprets as NULL.
                if let start = characters.baseAddress {
                    sqlite3_bind_text(statement, index, start, Int32(characters.count), transient)
                } else {
                    sqlite3_bind_text(statement, index, "", 0, transient)
                }
            }
        }
    }

    /// Runs the statement with the bound values.
    /// - Returns: true if it changed a row.
    @discardableResult
    func run() throws -> Bool {
        _ = try first { _ in }
        return sqlite3_changes(database.sqliteConnection) > 0
    }

    /// Runs a query for one Boolean value. False if there is no row.
    func isTrue() throws -> Bool {
        try first { sqlite3_column_int64($0, 0) != 0 } ?? false
    }

    /// Runs a query for one integer. `nil` if there is no row.
    func integer() throws -> Int64? {
        try first { sqlite3_column_int64($0, 0) }
    }

    /// Runs a query and reads its first row. `nil` if there is none.
    /// - Parameter read: reads the columns of the statement, whose values are valid until it returns.
    func first<Value>(_ read: (OpaquePointer) throws -> Value) throws -> Value? {
        let result = sqlite3_step(statement)
        defer { sqlite3_reset(statement) }
        switch result {
        case SQLITE_ROW:
            return try read(statement)
        case SQLITE_DONE:
            return nil
        default:
            throw DatabaseError(step: result, of: database)
        }
    }
}

extension DatabaseError {
    /// Error of a statement, with the message of its connection.
    /// - Parameter result: the result of `sqlite3_step`, neither a row nor the end.
    init(step result: Int32, of database: Database) {
        let message = database.sqliteConnection.map { String(cString: sqlite3_errmsg($0)) }
        self.init(resultCode: ResultCode(rawValue: result), message: message)
    }
}
#endif
