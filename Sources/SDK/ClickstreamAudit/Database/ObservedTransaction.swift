#if Audit
import CClickstreamSQLite
import ClickstreamCore
import GRDB
import GRDBSQLite

/// The open transaction of a connection, once it has touched a row or changes a schema.
///
/// SQLite calls a virtual table that was written to before the commit of the transaction, within which the table may query,
/// and after its end. That of the library has no rows. The touched rows are read before the commit: no other connection
/// can change them until then. Belongs to one connection.
final class ObservedTransaction {
    /// The name of the virtual table and of its module.
    private static let table = "clickstream_audit_transaction"

    /// Returns the statement that adds the table to the open transaction. It writes no row, since the table refuses it.
    ///
    /// It is executed while a statement of the app changes a row, and must not be one that SQLite rolls back on its own after an
    /// error, such as an insertion from a query: if another connection has changed the schema, SQLite ends it once with an error
    /// to prepare it again, and the rollback would move the app's cursor, after which SQLite writes the row to a wrong position.
    ///
    /// The table exists in `main` without being created. There the statement would lock `main`: unless the transaction has done
    /// so, that in the temporary database is used.
    private static func joining(in database: String) -> String {
        "INSERT OR IGNORE INTO \(database).\(table) VALUES (NULL) /* clickstream audit */"
    }

    /// The states of the touched rows of one recording, read before the commit.
    private struct Reading {
        let recording: ScopeRecording
        var states: [(location: WriteLog.Location, state: WriteLog.State)] = []
        var bytes: [UInt8] = []
        /// The schemas of the tables that exist, by their index.
        var schemas: [Int: TableSchema] = [:]
        /// The number of the commit, in the order of all connections.
        var number = 0
        /// The first failure after which states are missing.
        var failure: StatementError?
    }

    private let handle: ConnectionHandle
    private let schemas: ConnectionSchemas
    /// True if SQLite reports the end of the transaction.
    private var isObserved = false
    /// True if the transaction changes a schema.
    private(set) var changesSchema = false
    /// True if the table may be missing: at the beginning of a scope.
    private(set) var mustFindTable = false
    /// True if the rows of the scopes are read again before the commit.
    private var isReopened = false
    private var hasModule = false
    private var readings: [Reading] = []
    private var renames: [Rename] = []
    /// The outbox of the database, which receives the changes too.
    private var outbox: ConnectionOutbox?
    /// The first failure after which a touched row is missing.
    private var failure: StatementError?

    /// Change of the name of a table, in a recording that has rows of it.
    private struct Rename {
        let recording: ScopeRecording
        let database: String
        let file: String
        let old: String
        let new: String

        func perform(reverse: Bool = false) -> Bool {
            var hasRows = false
            recording.change { logs in
                hasRows = logs.writes.rename(reverse ? new : old, to: reverse ? old : new, in: database, file)
            }
            return hasRows
        }
    }

    init(_ handle: ConnectionHandle, _ schemas: ConnectionSchemas) {
        self.handle = handle
        self.schemas = schemas
    }

    /// Adds the outbox of the database.
    func add(_ outbox: ConnectionOutbox) { self.outbox = outbox }

    /// A scope is active.
    func scopesBegan() { mustFindTable = true }

    /// Creates the virtual table in the temporary database unless it exists.
    /// - Returns: true if it was created.
    func createTable() throws(StatementError) -> Bool {
        mustFindTable = false
        guard let anchor = handle.anchor, !handle.hasTable(Self.table, in: "temp") else { return false }
        if !hasModule, clickstream_connection_create_module(anchor, Self.table) == SQLITE_OK { hasModule = true }
        let sql = "CREATE VIRTUAL TABLE IF NOT EXISTS temp.\(Self.table) USING \(Self.table)"
        _ = try OwnStatement(handle.pointer, sql).step()
        return true
    }

    /// Makes SQLite report the end of the transaction. Called within a statement that changes a database.
    func observe() throws(StatementError) {
        guard !isObserved else { return }
        // Without success, the temporary table is searched for and created again.
        mustFindTable = true
        let database = handle.lock(on: "main") == CLICKSTREAM_TRANSACTION_WRITE ? "main" : "temp"
        try handle.internally { () throws(StatementError) -> Void in
            try handle.executeCached(Self.joining(in: database))
        }
        mustFindTable = false
        isObserved = true
    }

    /// A statement begins that changes a schema.
    func schemaChanges() { changesSchema = true }

    /// A statement begins that changes or drops a table. The rows of the scopes are read again before the commit: their table
    /// may have other columns, or none.
    func reopenRows(_ connection: ObservedConnection) throws(StatementError) {
        guard !isReopened, !handle.isReadOnly else { return }
        let files = Set(try schemas.databases().map(schemas.path))
        for recording in connection.recordings {
            recording.change { isReopened = $0.writes.reopen(files, by: connection.id) || isReopened }
        }
        guard isReopened else { return }
        do throws(StatementError) {
            try observe()
        } catch {
            // The app's statement fails as well if it may not write.
            guard error.status & 0xFF == SQLITE_READONLY else { throw error }
        }
    }

    /// A statement begins that drops a table, or gives it another name.
    func tableChanges(_ change: TableChange, in database: String, _ connection: ObservedConnection) {
        let file = schemas.path(of: database)
        for recording in connection.recordings {
            guard let name = change.newName else {
                recording.change { $0.writes.drop(change.table, in: database, file) }
                continue
            }
            let rename = Rename(recording: recording, database: database, file: file, old: change.table, new: name)
            if rename.perform() { renames.append(rename) }
        }
    }

    /// A statement within the transaction has ended. It may have failed, or have rolled back to a savepoint.
    func statementEnded() {
        while let last = renames.last, !handle.hasTable(last.new, in: last.database),
            handle.hasTable(last.old, in: last.database)
        {
            _ = last.perform(reverse: true)
            renames.removeLast()
        }
    }

    /// A statement outside transactions has ended.
    func statementEndedOutside(_ connection: ObservedConnection) {
        changesSchema = false
        failure = nil
        renames = []
        // Another statement may still write: the transaction ends with the last one.
        guard isObserved, !handle.isWriting else { return }
        // SQLite reports nothing to a virtual table that the transaction has dropped.
        let message = "a statement has dropped the table \(Self.table) of the library"
        connection.fail(StatementError(status: SQLITE_ERROR, message: message))
        didEnd(isCommitted: true, connection)
        mustFindTable = true
    }

    /// A change of a row could not be recorded.
    func changeFailed(_ error: StatementError) {
        failure = failure ?? error
    }

    // MARK: End

    /// The transaction is about to be committed. Called again if the commit fails and is repeated.
    /// - Returns: a status of SQLite; another one than `SQLITE_OK` refuses the commit.
    func willCommit(_ connection: ObservedConnection) -> Int32 {
        readings = []
        guard isObserved, !connection.recordings.isEmpty else { return SQLITE_OK }
        var refusal: StatementError?
        connection.untraced {
            readings = connection.recordings.map { read($0, connection) }
            if let outbox { refusal = write(to: outbox, connection) }
        }
        guard let refusal else { return SQLITE_OK }
        connection.events.report(.outbox(database: schemas.path(of: "main"), reason: refusal.message))
        return max(refusal.status & 0xFF, SQLITE_ERROR)
    }

    /// Writes the changes of all scopes to the outbox.
    /// - Returns: the reason why some are missing there.
    private func write(to outbox: ConnectionOutbox, _ connection: ObservedConnection) -> StatementError? {
        if let failure = failure ?? readings.lazy.compactMap(\.failure).first { return failure }
        do throws(StatementError) {
            try outbox.write(readings.compactMap { row(of: $0, in: outbox, connection) }, handle)
            return nil
        } catch {
            return error
        }
    }

    /// Returns the row for one scope; `nil` if the scope has ended, or the transaction has changed no row of the database.
    private func row(
        of reading: Reading,
        in outbox: ConnectionOutbox,
        _ connection: ObservedConnection
    ) -> OutboxRow? {
        let time = connection.events.now
        let next = connection.events.nextID(at: time)
        var event = next
        var changes: [UInt8]?
        reading.recording.change { logs in
            changes = OutboxChanges.json(
                logs.writes,
                reading.states,
                reading.bytes,
                schemas: reading.schemas,
                omitted: logs.writes.omissions(of: connection.id),
                in: outbox.owner.database
            )
            guard changes != nil else { return }
            if let known = logs.outboxes.first(where: { $0.owner === outbox.owner }) {
                event = known.event
            } else {
                logs.outboxes.append(ScopeRecording.ScopeOutbox(owner: outbox.owner, event: next))
            }
        }
        guard let changes else { return nil }
        return OutboxRow(
            event: event,
            number: reading.number,
            owner: outbox.owner.id,
            activity: reading.recording.activity,
            metadata: reading.recording.metadata,
            time: time,
            changes: changes
        )
    }

    /// The transaction has ended. May be called while the connection is closed.
    func didEnd(isCommitted: Bool, _ connection: ObservedConnection) {
        isObserved = false
        let id = connection.id
        if isCommitted {
            for reading in readings {
                reading.recording.change { logs in
                    logs.writes.commit(
                        reading.states,
                        reading.bytes,
                        schemas: reading.schemas,
                        number: reading.number,
                        by: id,
                        budget: &logs.budget
                    )
                }
            }
        } else {
            for rename in renames.reversed() { _ = rename.perform(reverse: true) }
            for recording in connection.recordings {
                recording.change { $0.writes.rollback(by: id, budget: &$0.budget) }
            }
        }
        outbox?.transactionEnded(isCommitted: isCommitted)
        readings = []
        renames = []
        failure = nil
        if !isCommitted, changesSchema { connection.dropCaches() }
        changesSchema = false
        isReopened = false
    }

    // MARK: Rows

    private func read(_ recording: ScopeRecording, _ connection: ObservedConnection) -> Reading {
        var reading = Reading(recording: recording)
        var rows: [WriteLog.OpenRow] = []
        var number = 0
        recording.change { logs in
            rows = logs.writes.openRows(of: connection.id)
            number = logs.writes.nextCommit()
        }
        reading.number = number
        reading.states.reserveCapacity(rows.count)
        var start = rows.startIndex
        // Rows of one table are read by one statement, in the order of the touches.
        while start < rows.endIndex {
            let table = rows[start].location.table
            let end = rows[start...].firstIndex { $0.location.table != table } ?? rows.endIndex
            do throws(StatementError) {
                try read(rows[start..<end], into: &reading, connection)
            } catch {
                connection.fail(error, in: [recording])
                reading.failure = reading.failure ?? error
            }
            start = end
        }
        return reading
    }

    private func read(
        _ rows: ArraySlice<WriteLog.OpenRow>,
        into reading: inout Reading,
        _ connection: ObservedConnection
    ) throws(StatementError) {
        guard let first = rows.first else { return }
        let lock = handle.lock(on: first.schema.database)
        // The transaction changes the schema of another database.
        guard lock != CLICKSTREAM_TRANSACTION_NONE, lock != CLICKSTREAM_TRANSACTION_READ else { return }
        // The table may have been changed by the transaction.
        if schemas.isStale { connection.dropCaches() }
        guard let schema = try schemas.schema(of: first.table, in: first.schema.database) else {
            // Without the table all rows are deleted.
            let state = WriteLog.State(bytes: nil, custom: nil, schema: first.schema)
            for row in rows { reading.states.append((row.location, state)) }
            return
        }
        reading.schemas[first.location.table] = schema
        let statement = try handle.cachedStatement(schema.rowQuery)
        for row in rows {
            let state = try connection.state(of: row.key, schema, statement.sqliteStatement, to: &reading.bytes)
            // A row that the transaction has not touched was deleted by another connection, and is not the scope's.
            if row.location.isReopened, state.bytes == nil { continue }
            reading.states.append((row.location, state))
        }
    }
}
#endif
