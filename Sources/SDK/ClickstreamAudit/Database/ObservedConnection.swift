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
    let events: Events
    /// Lives longer than any callback. Not weak: a weak reference makes each retain of it slower, also those of GRDB.
    unowned(unsafe) let owner: Database
    var database: Database? { owner }
    let pointer: OpaquePointer
    private(set) var anchor: OpaquePointer?
    let schemaReader: SchemaReader
    let isReadOnly: Bool
    var tracking: ChangeTracking

    /// The recordings of the active scopes, as of the last statement that began.
    private(set) var recordings: [ScopeRecording] = []
    /// True while a statement of the library's own is executed.
    var isInternal = false
    /// True once a statement that may change the schema has begun; cleared when the caches are dropped.
    var hasStaleSchema = false
    /// The databases whose schema was not compared since the beginning of the scope; `nil` for all.
    var uncheckedSchemas: Set<String>?
    /// The versions of the schemas at the last comparison, by database.
    var schemaVersions: [String: Int] = [:]
    /// True outside statements and transactions of the app, where the library's own queries take locks for themselves.
    private(set) var mayTakeLocks = false
    /// True after a statement was announced, until its beginning is traced.
    private var isAwaited = false
    private var reportsTrace = true
    private var observers: [ChangeObserver] = []
    let transaction = ObservedTransaction()
    private var lastStart = StatementStart.other

    var cache = SchemaCache()
    /// The value that SQLite returns for a column that a row does not have.
    private(set) var missingValue: OpaquePointer?
    var plans: [ExactText: StatementPlan] = [:]
    var running: [OpaquePointer: StatementPlan] = [:]
    var current: (statement: OpaquePointer, plan: StatementPlan)?

    // MARK: Lifetime

    /// Observes a connection that was just opened.
    static func attach(to database: Database, _ events: Events) {
        guard let pointer = database.sqliteConnection else { return }
        let connection = ObservedConnection(database, pointer, events)
        connection.install()
        connection.openOutbox()
        // With triggers always, to install them before the first statement of a scope.
        if connection.tracking != .hook { connection.observeTransactions() }
    }

    /// Adds or removes the observers of GRDB's statements and transactions, which make each statement of the connection more
    /// expensive.
    private func observeTransactions(_ isActive: Bool = true) {
        guard !isReadOnly else { return }
        // GRDB calls them in this order. The hook needs no statements of the library's own before a deletion.
        let roles: [ChangeObserver.Role] =
            isActive ? tracking == .hook ? [.executions] : [.preparations, .executions] : []
        guard roles.count != observers.count else { return }
        for removed in observers { owner.remove(transactionObserver: removed) }
        observers = roles.map { ChangeObserver(self, $0) }
        for added in observers { owner.add(transactionObserver: added, extent: .databaseLifetime) }
    }

    private init(_ database: Database, _ pointer: OpaquePointer, _ events: Events) {
        self.events = events
        owner = database
        self.pointer = pointer
        isReadOnly = database.configuration.readonly
        tracking = events.tracking
        schemaReader = SchemaReader(connection: pointer, representations: events.configuration.representations)
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
        anchor = clickstream_connection_new(pointer, events.generation.counter, callbacks, context)
        let status = sqlite3_create_function_v2(
            pointer,
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
        guard status == SQLITE_OK, let anchor else { return }
        findMissingValue()
        createTransactionTable()
        // A scope may be active already.
        clickstream_connection_trace(anchor, false, tracedEnds, .max)
        guard tracking == .hook, !isReadOnly else { return }
        // The hook is used by scopes only; a context that it had is that of another user.
        if clickstream_connection_hook(anchor, true) != nil { yieldHook() }
        _ = clickstream_connection_hook(anchor, false)
    }

    private func findMissingValue() {
        do throws(StatementError) {
            let statement = try OwnStatement(pointer, "SELECT 1")
            missingValue = sqlite3_column_value(statement.pointer, 1)
        } catch {
            // Such a value is recorded as null.
        }
    }

    /// True if the table of transactions may be missing: at the beginning of a scope.
    var mustFindTable = false

    /// Creates the table of transactions, unless it exists: `PRAGMA temp_store` drops all temporary tables.
    /// - Returns: true if it was created.
    @discardableResult
    private func createTransactionTable() -> Bool {
        mustFindTable = false
        guard let anchor, !isReadOnly else { return false }
        return internally {
            // Without the table, the first change of a row in a scope is an error of the scope.
            (try? transaction.createTable(self, anchor)) ?? false
        }
    }

    deinit {
        if let anchor { clickstream_connection_free(anchor) }
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
            running.removeAll()
            current = nil
            uncheckedSchemas = nil
            cache.forgetDatabases()
            if !isReadOnly { isActive ? track() : untrack() }
        }
        if installsTrace { traceActivity() }
    }

    private var seen: UInt64 = .max
    /// The generation for which the trace function was installed.
    private var traced: UInt64 = .max

    private func traceActivity() {
        guard let anchor else { return }
        traced = seen
        clickstream_connection_trace(anchor, !recordings.isEmpty || triggers.mustRemove, tracedEnds, seen)
    }

    /// The statements without a scope whose end is traced, for a scope that begins before one of them.
    private var tracedEnds: clickstream_ends {
        if isReadOnly { return CLICKSTREAM_ENDS_NONE }
        // Within a transaction, triggers are installed at the end of a statement.
        return tracking == .hook ? CLICKSTREAM_ENDS_OUTSIDE_TRANSACTIONS : CLICKSTREAM_ENDS_ALL
    }

    /// Starts to track changes.
    private func track() {
        mustFindTable = true
        switch tracking {
        case .hook:
            guard let anchor else { return }
            observeTransactions()
            if clickstream_connection_hook(anchor, true) != nil { yieldHook() }
            mustExpire = true
        case .triggers, .automatic:
            triggers.mustInstall = true
        }
    }

    private func untrack() {
        switch tracking {
        case .hook:
            guard let anchor else { return }
            let other = clickstream_connection_hook(anchor, false)
            observeTransactions(false)
            if other != nil, other != UnsafeMutableRawPointer(anchor) { yieldHook() }
        case .triggers, .automatic:
            triggers.scopesEnded()
        }
        mustExpire = false
    }

    /// True until statements are prepared again that may delete all rows of a table without the hook.
    private var mustExpire = false
    let triggers = ChangeTriggers()

    /// Reports another user of the hook, and changes to triggers.
    private func yieldHook() {
        if let anchor { _ = clickstream_connection_hook(anchor, false) }
        tracking = .triggers
        observeTransactions()
        traceActivity()
        events.report(.hookInUse(database: path(of: "main")))
        if !recordings.isEmpty { triggers.mustInstall = true }
    }

    // MARK: Statements

    /// True if the calls for a deletion come from its execution; see ``ChangeObserver``.
    private var isExecutingDeletion = false

    /// A deletion is prepared or about to be executed.
    /// - Returns: true to be called again for executions only, if triggers have to be installed or removed.
    func deletionAnnounced() -> Bool {
        // A statement of the library's own is prepared.
        guard !isInternal else { return true }
        isExecutingDeletion =
            tracking != .hook
            && (clickstream_generation_load(events.generation.counter) != seen || triggers.mustInstall
                || triggers.mustRemove || hasStaleSchema)
        return isExecutingDeletion
    }

    /// A statement that changes tables is about to be executed, or, with the hook, a deletion is prepared.
    func willExecute(_ kind: DatabaseEventKind) {
        guard !isInternal else { return }
        var canPrepare = true
        if case .delete = kind { canPrepare = isExecutingDeletion }
        guard canPrepare || tracking == .hook else { return }
        // Within a transaction, the beginning of the transaction or that of this statement is traced.
        refresh(installsTrace: sqlite3_get_autocommit(pointer) != 0)
        guard !recordings.isEmpty else {
            if triggers.mustRemove {
                removeTriggers()
                resumeExecution()
            }
            return
        }
        if case .hook = tracking, let anchor {
            let other = clickstream_connection_hook(anchor, true)
            if other != UnsafeMutableRawPointer(anchor) { yieldHook() }
        }
        guard canPrepare else { return }
        isAwaited = true
        // A table may be new.
        if hasStaleSchema { dropCaches() }
        let isPrepared = mustFindTable && createTransactionTable()
        if triggers.mustInstall { installTriggers(before: kind) } else if !isPrepared { return }
        resumeExecution()
    }

    private func installTriggers(before kind: DatabaseEventKind) {
        let isInTransaction = sqlite3_get_autocommit(pointer) == 0
        if isInTransaction { triggers.lockDatabase(of: kind.tableName, self) }
        mayTakeLocks = !isInTransaction
        defer { mayTakeLocks = false }
        triggers.install(self)
    }

    /// Restores what GRDB set at the announcement of the statement that is about to be executed: it forgets the statement
    /// when the library's own statements are committed, and its debug build traps at the first change that it reports.
    private func resumeExecution() {
        // Announced, and never ended.
        internally { _ = try? Row.fetchCursor(owner, sql: "SELECT 1").next() }
    }

    private func removeTriggers() {
        triggers.remove(self)
        traceActivity()
    }

    /// A statement has ended.
    private func statementEnds() {
        guard !isInternal else { return }
        guard !recordings.isEmpty else {
            if triggers.mustRemove, sqlite3_get_autocommit(pointer) == 0 { removeTriggers() }
            return
        }
        if sqlite3_get_autocommit(pointer) == 0 {
            // Within a transaction, triggers are installed without a commit of their own, which GRDB would report to its
            // observers.
            if hasStaleSchema || lastStart.changesSchema, triggers.isInstalled { dropCaches() }
            transaction.statementEnded(self)
            triggers.statementEnded(self)
            return
        }
        transaction.statementEndedOutside(self)
        triggers.transactionEnded()
    }

    /// Reports once that another trace function is installed: a statement that was announced did not begin.
    private func checkTrace() {
        guard isAwaited, !recordings.isEmpty, reportsTrace else { return }
        reportsTrace = false
        events.report(.traceReplaced(database: path(of: "main")))
    }

    /// GRDB reports the end of a transaction.
    func transactionEnded(isCommitted: Bool) {
        checkTrace()
        if mustFindTable { createTransactionTable() }
        if !isCommitted, triggers.isInstalled { triggers.mustInstall = true }
    }

    private func statementBegins(_ statement: OpaquePointer?) {
        guard !isInternal, let statement else { return }
        isAwaited = false
        refresh()
        if traced != seen { traceActivity() }
        guard !recordings.isEmpty else { return }
        do throws(StatementError) {
            try recordBeginning(of: statement)
        } catch {
            fail(error)
        }
    }

    private func recordBeginning(of statement: OpaquePointer) throws(StatementError) {
        if hasStaleSchema { dropCaches() }
        let isReading = sqlite3_stmt_readonly(statement) != 0
        lastStart = .other
        if !isReading || sqlite3_column_count(statement) == 0, let text = sqlite3_sql(statement) {
            lastStart = StatementStart(text)
        }
        if mustExpire { try expireStatements(before: statement) }
        switch lastStart {
        case .creation, .databases: schemaChanges()
        case .alteration:
            schemaChanges()
            try tableChanges(statement)
        case .rollback:
            if transaction.changesSchema { hasStaleSchema = true }
            if triggers.isInstalled { triggers.mustInstall = true }
        case .transaction, .other: break
        }
    }

    /// Makes SQLite prepare all statements again, also the one that begins: code that was generated without the hook may
    /// delete all rows of a table without calling it.
    private func expireStatements(before first: OpaquePointer) throws(StatementError) {
        // A statement that changes rows refers to the schema.
        guard !hasBusyChanges(beside: first) else { return }
        mustExpire = false
        try internally { () throws(StatementError) in try schemaReader.resetSchemas() }
    }

    private func hasBusyChanges(beside first: OpaquePointer) -> Bool {
        var statement = sqlite3_next_stmt(pointer, nil)
        while let busy = statement {
            if busy != first, sqlite3_stmt_busy(busy) != 0, sqlite3_stmt_readonly(busy) == 0 { return true }
            statement = sqlite3_next_stmt(pointer, busy)
        }
        return false
    }

    /// Executes many statements of the library's own, without the trace function.
    func untraced(_ body: () -> Void) {
        // Another trace function stays installed.
        guard let anchor, !isAwaited else { return internally(body) }
        clickstream_connection_pause(anchor)
        internally(body)
        traceActivity()
    }

    /// Executes statements of the library's own: their reads are not recorded.
    func internally<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        let before = isInternal
        isInternal = true
        defer { isInternal = before }
        return try body()
    }

    /// Reports a failure, after which the events of scopes are incomplete: once for each scope.
    /// - Parameter affected: the recordings of the scopes; `nil` for all active ones.
    func fail(_ error: StatementError, in affected: [ScopeRecording]? = nil) {
        let failure = AuditError.incomplete(database: path(of: "main"), reason: error.message)
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
