#if Audit
import GRDBSQLite

/// Failure of a statement of the library's own: any status of SQLite other than a row or the end.
struct StatementError: Error, Equatable {
    /// The extended status.
    let status: Int32
    let message: String

    init(status: Int32, message: String) {
        self.status = status
        self.message = message
    }

    /// The last failure of a connection.
    init(of connection: OpaquePointer) {
        status = sqlite3_extended_errcode(connection)
        message = sqlite3_errmsg(connection).map { String(cString: $0) } ?? "unknown error"
    }
}

/// Statement of the library's own, which is prepared and finalized without GRDB: usable within a callback of SQLite.
struct OwnStatement: ~Copyable {
    let pointer: OpaquePointer
    private let connection: OpaquePointer

    init(_ connection: OpaquePointer, _ sql: String) throws(StatementError) {
        var prepared: OpaquePointer?
        guard sqlite3_prepare_v2(connection, sql, -1, &prepared, nil) == SQLITE_OK, let prepared else {
            let error = StatementError(of: connection)
            sqlite3_finalize(prepared)
            throw error
        }
        pointer = prepared
        self.connection = connection
    }

    deinit {
        sqlite3_finalize(pointer)
    }

    /// Advances to the next row.
    /// - Returns: false at the end.
    func step() throws(StatementError) -> Bool {
        switch sqlite3_step(pointer) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default: throw StatementError(of: connection)
        }
    }

    func text(_ column: Int32) -> String? { sqlite3_column_text(pointer, column).map { String(cString: $0) } }
    func integer(_ column: Int32) -> Int { Int(sqlite3_column_int64(pointer, column)) }
    func isNull(_ column: Int32) -> Bool { sqlite3_column_type(pointer, column) == SQLITE_NULL }
}
#endif
