#if Audit
import CClickstreamSQLite
import GRDB
import GRDBSQLite

/// A connection in SQLite and GRDB, with its locks and the execution of the library's own statements.
///
/// Used on the thread of the connection, like the connection itself.
final class ConnectionHandle {
    /// Lives longer than any callback. Not weak: a weak reference makes each retain of it slower, also those of GRDB.
    unowned(unsafe) let owner: Database
    let pointer: OpaquePointer
    let isReadOnly: Bool
    /// The C part of the callbacks, from their installation on; freed with this object.
    private(set) var anchor: OpaquePointer?
    /// True while a statement of the library's own is executed.
    private(set) var isInternal = false
    /// True outside statements and transactions of the app, where the library's own queries take locks for themselves.
    private var mayTakeLocks = false

    init(_ owner: Database, _ pointer: OpaquePointer) {
        self.owner = owner
        self.pointer = pointer
        isReadOnly = owner.configuration.readonly
    }

    deinit {
        if let anchor { clickstream_connection_free(anchor) }
    }

    /// Creates the C part of the callbacks.
    /// - Parameter context: the first argument of each callback.
    func createAnchor(
        _ generation: Audit.Events.Generation,
        _ callbacks: clickstream_callbacks,
        context: UnsafeMutableRawPointer
    ) {
        anchor = clickstream_connection_new(pointer, generation.counter, callbacks, context)
    }

    // MARK: Locks

    var isInTransaction: Bool { sqlite3_get_autocommit(pointer) == 0 }

    /// True if a query of a database takes no lock within a statement of the app: SQLite would refuse a later write at once if
    /// another connection writes, without the busy timeout.
    func mayRead(_ database: String) -> Bool {
        mayTakeLocks || lock(on: database) != CLICKSTREAM_TRANSACTION_NONE
    }

    /// Calls `body`, within which all databases may be read unless a transaction is open.
    func takingLocks(_ body: () -> Void) {
        mayTakeLocks = !isInTransaction
        defer { mayTakeLocks = false }
        body()
    }

    /// The lock of the open transaction on a database.
    func lock(on database: String) -> clickstream_transaction {
        guard let anchor else { return CLICKSTREAM_TRANSACTION_UNKNOWN }
        return clickstream_connection_transaction(anchor, database)
    }

    /// True if the open transaction has the lock of a writer on any database.
    var isWriting: Bool {
        guard let anchor else { return false }
        return clickstream_connection_transaction(anchor, nil) == CLICKSTREAM_TRANSACTION_WRITE
    }

    /// True if a database has a table of that name, which is no view. Takes no lock.
    func hasTable(_ table: String, in database: String) -> Bool {
        sqlite3_table_column_metadata(pointer, database, table, nil, nil, nil, nil, nil, nil) == SQLITE_OK
    }

    /// True if a statement other than `first` that changes rows is being executed.
    func hasBusyChanges(beside first: OpaquePointer) -> Bool {
        var statement = sqlite3_next_stmt(pointer, nil)
        while let busy = statement {
            if busy != first, sqlite3_stmt_busy(busy) != 0, sqlite3_stmt_readonly(busy) == 0 { return true }
            statement = sqlite3_next_stmt(pointer, busy)
        }
        return false
    }

    // MARK: Statements of the library's own

    /// Executes statements of the library's own: their reads are not recorded.
    func internally<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        let before = isInternal
        isInternal = true
        defer { isInternal = before }
        return try body()
    }

    /// Returns a statement of the library's own from GRDB's cache, which finalizes it before the connection is closed.
    func cachedStatement(_ sql: String) throws(StatementError) -> Statement {
        do {
            return try owner.cachedStatement(sql: sql)
        } catch {
            // GRDB's error is that of the connection.
            throw StatementError(of: pointer)
        }
    }

    /// Executes a statement of the library's own that returns no rows, with ``cachedStatement(_:)``.
    func executeCached(_ sql: String, _ bind: (OpaquePointer) -> Void = { _ in }) throws(StatementError) {
        let statement = try cachedStatement(sql).sqliteStatement
        defer {
            sqlite3_reset(statement)
            sqlite3_clear_bindings(statement)
        }
        bind(statement)
        guard sqlite3_step(statement) == SQLITE_DONE else { throw StatementError(of: pointer) }
    }
}
#endif
