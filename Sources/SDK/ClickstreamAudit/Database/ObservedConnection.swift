#if Audit
import CClickstreamSQLite
import ClickstreamCore
import Foundation
import GRDB
import GRDBSQLite

/// Connection to an observed database: records what its statements read and write in the active scopes.
///
/// Sendable without a lock: accessed by the callbacks of SQLite and GRDB only, which run on the thread that uses the
/// connection, one at a time. Lives as long as the connection.
final class ObservedConnection: @unchecked Sendable {
    let events: Audit.Events
    let handle: ConnectionHandle
    private(set) var tracking: ChangeTracking

    /// The recordings of the active scopes, as of the last statement that began.
    private(set) var recordings: [ScopeRecording] = []
    /// The generation of the scopes at that statement.
    private var seen: UInt64 = .max

    let schemas: ConnectionSchemas
    var plans = StatementPlans()
    let transaction: ObservedTransaction
    private let triggers: ChangeTriggers
    private var hook: ChangeHook
    private var trace: ConnectionTrace
    private var observers: StatementObservers
    private var lastStart = StatementStart.other
    /// The value that SQLite returns for a column that a row does not have.
    private(set) var missingValue: OpaquePointer?

    // MARK: Lifetime

    /// Observes a connection that was just opened.
    static func attach(to database: Database, _ events: Audit.Events) {
        guard let pointer = database.sqliteConnection else { return }
        let connection = ObservedConnection(database, pointer, events)
        connection.install()
        connection.openOutbox()
        // With triggers always, to install them before the first statement of a scope.
        if connection.tracking != .hook { connection.observeTransactions() }
    }

    /// Adds or removes the observers of GRDB's statements and transactions.
    private func observeTransactions(_ isActive: Bool = true) {
        guard !handle.isReadOnly else { return }
        // The hook needs no statements of the library's own before a deletion.
        let roles: [ChangeObserver.Role] = tracking == .hook ? [.executions] : [.preparations, .executions]
        observers.set(isActive ? roles : [], for: self)
    }

    private init(_ database: Database, _ pointer: OpaquePointer, _ events: Audit.Events) {
        self.events = events
        handle = ConnectionHandle(database, pointer)
        tracking = events.tracking
        schemas = ConnectionSchemas(handle, events)
        transaction = ObservedTransaction(handle, schemas)
        triggers = ChangeTriggers(handle, schemas)
        hook = ChangeHook(handle)
        trace = ConnectionTrace(handle)
        observers = StatementObservers(handle)
    }

    /// Installs the trace function, and a SQL function that keeps this object until the connection is closed.
    private func install() {
        let context = Unmanaged.passRetained(self).toOpaque()
        let callbacks = clickstream_callbacks(
            on_statement: { ObservedConnection.of($0)?.statementBegins($1) },
            on_statement_end: { ObservedConnection.of($0)?.statementEnds() },
            on_row: { ObservedConnection.of($0)?.rowReturned($1) },
            on_change: { context, operation, database, table, old, new in
                guard let database, let table else { return }
                ObservedConnection.of(context)?.rowChanges(operation, database, table, old, new)
            },
            on_commit: { context in
                guard let connection = ObservedConnection.of(context) else { return SQLITE_OK }
                return connection.transaction.willCommit(connection)
            },
            on_transaction_end: { context, isCommitted in
                guard let connection = ObservedConnection.of(context) else { return }
                connection.transaction.didEnd(isCommitted: isCommitted, connection)
            }
        )
        handle.createAnchor(events.generation, callbacks, context: context)
        let status = sqlite3_create_function_v2(
            handle.pointer,
            ChangeTriggers.function,
            -1,
            SQLITE_UTF8,
            context,
            { context, count, values in
                guard let connection = ObservedConnection.of(sqlite3_user_data(context)), let values else { return }
                connection.triggerFires(UnsafeBufferPointer(start: values, count: Int(count)))
            },
            nil,
            nil,
            { context in
                if let context { Unmanaged<ObservedConnection>.fromOpaque(context).release() }
            }
        )
        guard status == SQLITE_OK else { return }
        findMissingValue()
        createTransactionTable()
        // A scope may be active already.
        trace.install(isActive: false, ends: tracedEnds, generation: .max)
        guard tracking == .hook, !handle.isReadOnly else { return }
        // The hook is used by scopes only; another user of it is found now.
        guard hook.activate() else { return yieldHook() }
        hook.deactivate()
    }

    private func findMissingValue() {
        do throws(StatementError) {
            let statement = try OwnStatement(handle.pointer, "SELECT 1")
            missingValue = sqlite3_column_value(statement.pointer, 1)
        } catch {
            // Such a value is recorded as null.
        }
    }

    /// Creates the table of transactions, unless it exists: `PRAGMA temp_store` drops all temporary tables.
    /// - Returns: true if it was created.
    @discardableResult
    private func createTransactionTable() -> Bool {
        guard !handle.isReadOnly else { return false }
        return handle.internally {
            // Without the table, the first change of a row in a scope is an error of the scope.
            (try? transaction.createTable()) ?? false
        }
    }

    private static func of(_ context: UnsafeMutableRawPointer?) -> ObservedConnection? {
        context.map { Unmanaged<ObservedConnection>.fromOpaque($0).takeUnretainedValue() }
    }

    var id: ObjectIdentifier { ObjectIdentifier(self) }

    // MARK: Scopes

    /// Takes over the scopes that began or ended since the last call.
    /// - Parameter installsTrace: false to leave that to the beginning of the next statement. If it is not traced, another
    ///   trace function is installed.
    func refresh(installsTrace: Bool = true) {
        let generation = clickstream_generation_load(events.generation.counter)
        guard generation != seen else { return }
        seen = generation
        let wasActive = !recordings.isEmpty
        recordings = events.recordings
        let isActive = !recordings.isEmpty
        if isActive != wasActive {
            plans.forgetStatements()
            schemas.activityChanged()
            if !handle.isReadOnly { isActive ? track() : untrack() }
        }
        if installsTrace { traceActivity() }
    }

    private func traceActivity() {
        trace.install(isActive: !recordings.isEmpty || triggers.mustRemove, ends: tracedEnds, generation: seen)
    }

    /// The statements without a scope whose end is traced, for a scope that begins before one of them.
    private var tracedEnds: clickstream_ends {
        if handle.isReadOnly { return CLICKSTREAM_ENDS_NONE }
        // Within a transaction, triggers are installed at the end of a statement.
        return tracking == .hook ? CLICKSTREAM_ENDS_OUTSIDE_TRANSACTIONS : CLICKSTREAM_ENDS_ALL
    }

    /// Starts to track changes.
    private func track() {
        transaction.scopesBegan()
        switch tracking {
        case .hook:
            observeTransactions()
            if !hook.activate() { yieldHook() }
        case .triggers, .automatic:
            triggers.scopesBegan()
        }
    }

    private func untrack() {
        switch tracking {
        case .hook:
            let wasInstalled = hook.deactivate()
            observeTransactions(false)
            if !wasInstalled { yieldHook() }
        case .triggers, .automatic:
            triggers.scopesEnded()
        }
    }

    /// Reports another user of the hook, and changes to triggers.
    private func yieldHook() {
        hook.deactivate()
        tracking = .triggers
        observeTransactions()
        traceActivity()
        events.report(.hookInUse(database: schemas.path(of: "main")))
        if !recordings.isEmpty { triggers.scopesBegan() }
    }

    // MARK: Statements

    /// A deletion is prepared or about to be executed.
    /// - Returns: true to be called again for executions only, if triggers have to be installed or removed.
    func deletionAnnounced() -> Bool {
        // A statement of the library's own is prepared.
        guard !handle.isInternal else { return true }
        let endsPreparation =
            tracking != .hook
            && (clickstream_generation_load(events.generation.counter) != seen || triggers.mustInstall
                || triggers.mustRemove || schemas.isStale)
        observers.deletionIsAnnounced(endsPreparation: endsPreparation)
        return endsPreparation
    }

    /// A statement that changes tables is about to be executed, or, with the hook, a deletion is prepared.
    func willExecute(_ kind: DatabaseEventKind) {
        guard !handle.isInternal else { return }
        var canPrepare = true
        if case .delete = kind { canPrepare = observers.isExecutingDeletion }
        guard canPrepare || tracking == .hook else { return }
        // Within a transaction, the beginning of the transaction or that of this statement is traced.
        refresh(installsTrace: !handle.isInTransaction)
        guard !recordings.isEmpty else {
            if triggers.mustRemove {
                removeTriggers()
                resumeExecution()
            }
            return
        }
        if case .hook = tracking, !hook.restore() { yieldHook() }
        guard canPrepare else { return }
        trace.statementIsAnnounced()
        // A table may be new.
        if schemas.isStale { dropCaches() }
        let isPrepared = transaction.mustFindTable && createTransactionTable()
        if triggers.mustInstall { installTriggers(before: kind) } else if !isPrepared { return }
        resumeExecution()
    }

    private func installTriggers(before kind: DatabaseEventKind) {
        if handle.isInTransaction {
            do throws(StatementError) {
                try triggers.lockDatabase(of: kind.tableName)
            } catch {
                fail(error)
            }
        }
        handle.takingLocks { installTriggers() }
    }

    /// Installs the missing triggers. After a failure, they are installed before the next statement; changes until then are not
    /// recorded.
    private func installTriggers() {
        do throws(StatementError) {
            guard try triggers.canInstall() else { return }
            try checkSchemas()
            try triggers.install()
        } catch {
            // Without the right to write, as within a read of GRDB's queue, there are no changes either.
            guard error.status & 0xFF != SQLITE_READONLY else { return }
            fail(error)
        }
    }

    /// Restores what GRDB set at the announcement of the statement that is about to be executed: it forgets the statement
    /// when the library's own statements are committed, and its debug build traps at the first change that it reports.
    private func resumeExecution() {
        // Announced, and never ended.
        handle.internally { _ = try? Row.fetchCursor(handle.owner, sql: "SELECT 1").next() }
    }

    private func removeTriggers() {
        triggers.remove()
        traceActivity()
    }

    /// A statement has ended.
    private func statementEnds() {
        guard !handle.isInternal else { return }
        guard !recordings.isEmpty else {
            if triggers.mustRemove, handle.isInTransaction { removeTriggers() }
            return
        }
        if handle.isInTransaction {
            // Within a transaction, triggers are installed without a commit of their own, which GRDB would report to its
            // observers.
            if schemas.isStale || lastStart.changesSchema, triggers.isInstalled { dropCaches() }
            transaction.statementEnded()
            if let failure = triggers.statementEnded() { fail(failure) }
            if triggers.mustInstall { installTriggers() }
            return
        }
        transaction.statementEndedOutside(self)
        triggers.transactionEnded()
    }

    /// GRDB reports the end of a transaction.
    func transactionEnded(isCommitted: Bool) {
        if !recordings.isEmpty, trace.detectsReplacement() {
            events.report(.traceReplaced(database: schemas.path(of: "main")))
        }
        if transaction.mustFindTable { createTransactionTable() }
        if !isCommitted { triggers.invalidate() }
    }

    private func statementBegins(_ statement: OpaquePointer?) {
        guard !handle.isInternal, let statement else { return }
        trace.statementBegins()
        refresh()
        if !trace.isInstalled(for: seen) { traceActivity() }
        guard !recordings.isEmpty else { return }
        do throws(StatementError) {
            try recordBeginning(of: statement)
        } catch {
            fail(error)
        }
    }

    private func recordBeginning(of statement: OpaquePointer) throws(StatementError) {
        if schemas.isStale { dropCaches() }
        let isReading = sqlite3_stmt_readonly(statement) != 0
        lastStart = .other
        if !isReading || sqlite3_column_count(statement) == 0, let text = sqlite3_sql(statement) {
            lastStart = StatementStart(text)
        }
        if hook.expiresStatements(before: statement) { try schemas.reset() }
        switch lastStart {
        case .creation, .databases: schemaChanges()
        case .alteration:
            schemaChanges()
            try tableChanges(statement)
        case .rollback:
            if transaction.changesSchema { schemas.schemaChanges() }
            triggers.invalidate()
        case .transaction, .other: break
        }
    }

    // MARK: Schemas

    /// A statement begins that changes a schema.
    private func schemaChanges() {
        schemas.schemaChanges()
        transaction.schemaChanges()
    }

    /// A statement begins that changes or drops a table.
    private func tableChanges(_ statement: OpaquePointer) throws(StatementError) {
        triggers.tableChanges()
        try transaction.reopenRows(self)
        guard let text = sqlite3_sql(statement), let change = TableChange(String(cString: text)) else { return }
        var database = change.database
        if database == nil { database = try schemas.database(of: change.table) }
        if let database { transaction.tableChanges(change, in: database, self) }
    }

    /// Drops the caches if another connection has changed a schema.
    func checkSchemas() throws(StatementError) {
        if try schemas.isOutdated() { dropCaches() }
    }

    /// Drops all that depends on the schemas.
    func dropCaches() {
        schemas.removeAll()
        plans.removeAll()
        triggers.invalidate()
    }

    // MARK: The library's own statements

    /// Executes many statements of the library's own, without the trace function.
    func untraced(_ body: () -> Void) {
        // Another trace function stays installed.
        guard trace.pause() else { return handle.internally(body) }
        handle.internally(body)
        traceActivity()
    }

    /// Reports a failure, after which the events of scopes are incomplete: once for each scope.
    /// - Parameter affected: the recordings of the scopes; `nil` for all active ones.
    func fail(_ error: StatementError, in affected: [ScopeRecording]? = nil) {
        let failure = AuditError.incomplete(database: schemas.path(of: "main"), reason: error.message)
        var isFirst = false
        for recording in affected ?? recordings {
            recording.change { logs in
                guard logs.failure == nil else { return }
                logs.failure = failure
                isFirst = true
            }
        }
        if isFirst { events.report(failure) }
    }
}
#endif
