#if Collector
import GRDB
import GRDBSQLite

/// Rows of a query, whose columns are read without a copy or a box: for scans of many rows.
///
/// Used on the connection's queue, within one transaction. The next row of an interrupted query is an error.
struct RowReader {
    private let query: Statement
    private let statement: OpaquePointer
    private let database: Database

    init(_ database: Database, _ sql: String, _ arguments: StatementArguments) throws {
        self.database = database
        query = try database.makeStatement(sql: sql)
        try query.setArguments(arguments)
        statement = query.sqliteStatement
    }

    /// Calls `body` for each row, whose columns it may read until it returns.
    /// - Throws: ``StoreDamage`` that the query has found; `DatabaseError`; the error of `body`, which ends the query.
    func scan(_ body: (RowReader) throws -> Void) throws {
        try withExtendedLifetime(query) {
            defer { sqlite3_reset(statement) }
            while true {
                let result = sqlite3_step(statement)
                if result == SQLITE_DONE { return }
                guard result == SQLITE_ROW else {
                    throw StoreDamage.converting(DatabaseError(step: result, of: database))
                }
                try body(self)
            }
        }
    }

    // MARK: - Columns of the current row

    /// - Throws: ``StoreDamage`` for NULL, another type, or a number out of range.
    func integer(_ index: Int32, _ column: StaticString, in range: ClosedRange<Int64>) throws -> Int64 {
        let value = sqlite3_column_int64(statement, index)
        guard sqlite3_column_type(statement, index) == SQLITE_INTEGER, range.contains(value) else {
            throw damage(index, column)
        }
        return value
    }

    func boolean(_ index: Int32, _ column: StaticString) throws -> Bool {
        try integer(index, column, in: 0...1) == 1
    }

    /// Number of a text; 0 for NULL.
    func text(_ index: Int32, _ column: StaticString) throws -> UInt32 {
        if sqlite3_column_type(statement, index) == SQLITE_NULL { return 0 }
        return UInt32(try integer(index, column, in: StoredRange.text))
    }

    private func damage(_ index: Int32, _ column: StaticString) -> StoreDamage {
        let found =
            switch sqlite3_column_type(statement, index) {
            case SQLITE_NULL: "NULL"
            case SQLITE_INTEGER: "\(sqlite3_column_int64(statement, index))"
            case SQLITE_FLOAT: "\(sqlite3_column_double(statement, index))"
            case SQLITE_TEXT: "a text of \(sqlite3_column_bytes(statement, index)) bytes"
            default: "\(sqlite3_column_bytes(statement, index)) bytes"
            }
        return StoreDamage(column: "\(column)", found: found)
    }
}
#endif
