#if Audit
import CClickstreamSQLite
import ClickstreamCore
import GRDBSQLite

/// Temporary triggers that report the changes of all tables, for a SQLite library without the pre-update hook, or with
/// another user of it. They exist while a scope is active.
///
/// Before a change, a trigger passes the row that changes, and the rows with the same unique values, which `REPLACE`
/// deletes without calling a trigger; after it, the identity of the new row. Belongs to one connection.
final class ChangeTriggers {
    /// The SQL function that the triggers call: with a ``Call``, the database, the table, the row's number, and values.
    static let function = "clickstream_audit"
    private static let prefix = "clickstream_audit_"
    /// Columns that are passed to the function; SQLite allows 127 arguments by default. Wider rows are read by a statement.
    private static let maxColumns = 96

    /// The first argument of the function.
    enum Call: Int32 {
        /// The row exists; all columns follow.
        case row = 1
        /// The row exists; the columns of its primary key follow.
        case wideRow
        /// The row may not have existed; the columns of its primary key follow.
        case key
    }

    private let handle: ConnectionHandle
    private let schemas: ConnectionSchemas
    /// True while triggers have to be installed, or installed again.
    private(set) var mustInstall = false
    /// True after the last scope has ended, until the triggers are removed.
    private(set) var mustRemove = false
    private(set) var isInstalled = false
    /// True after a table got other columns or another name: SQLite changes the table of its triggers, and not what they call.
    private var isOutdated = false
    /// True while triggers belong to an open transaction.
    private var isUncommitted = false
    /// The failure to lock a database before a change; without triggers the change is not recorded.
    private var unlocked: (database: String, error: StatementError)?

    init(_ handle: ConnectionHandle, _ schemas: ConnectionSchemas) {
        self.handle = handle
        self.schemas = schemas
    }

    // MARK: Changes

    /// A scope is active. The triggers are installed before the next statement.
    func scopesBegan() {
        mustInstall = true
        mustRemove = false
    }

    /// No scope is active. The triggers are removed where that commits no transaction of its own.
    func scopesEnded() {
        mustInstall = false
        mustRemove = isInstalled
    }

    /// Installed triggers may be missing: after a rollback, or for a new table.
    func invalidate() {
        if isInstalled { mustInstall = true }
    }

    /// A statement begins that changes or drops a table.
    func tableChanges() {
        if isInstalled { isOutdated = true }
    }

    /// A statement within a transaction has ended.
    /// - Returns: the failure to install triggers before the statement, if it may have changed rows without them.
    func statementEnded() -> StatementError? {
        defer { self.unlocked = nil }
        // The change has taken the lock after the triggers could not be installed.
        guard let unlocked, handle.lock(on: unlocked.database) == CLICKSTREAM_TRANSACTION_WRITE else { return nil }
        return unlocked.error
    }

    /// A transaction has ended. If triggers were installed in it, a rollback has removed them.
    func transactionEnded() {
        if isUncommitted { mustInstall = true }
        isUncommitted = false
    }

    // MARK: Installation

    /// True if the triggers of a database can be installed now.
    func canInstall() throws(StatementError) -> Bool {
        try schemas.databases().contains(where: handle.mayRead)
    }

    /// Installs the missing triggers of the databases that may be read. To be called where statements can be prepared. After a
    /// failure, and for databases that may not be read, triggers have to be installed again.
    func install() throws(StatementError) {
        mustInstall = true
        let databases = try schemas.databases()
        try handle.internally { () throws(StatementError) -> Void in try installMissing() }
        mustInstall = !databases.allSatisfy(handle.mayRead)
    }

    private func installMissing() throws(StatementError) {
        isInstalled = true
        isUncommitted = handle.isInTransaction
        if isOutdated { try dropAll() }
        isOutdated = false
        let known = try names()
        var failure: StatementError?
        for (database, table) in try schemas.tables() {
            guard let schema = try schemas.schema(of: table, in: database), schema.isTracked else { continue }
            for statement in try statements(schema) where !known.contains(ExactText(statement.name)) {
                guard sqlite3_exec(handle.pointer, statement.sql, nil, nil, nil) != SQLITE_OK else { continue }
                failure = failure ?? StatementError(of: handle.pointer)
            }
        }
        if let failure { throw failure }
    }

    /// Takes the lock of a change that is about to be executed in an open transaction, by a deletion of no row, which waits for
    /// another connection as the change does. After a query of the schema SQLite would refuse the change at once.
    func lockDatabase(of table: String) throws(StatementError) {
        guard let database = try schemas.database(of: table),
            handle.lock(on: database) == CLICKSTREAM_TRANSACTION_NONE
        else { return }
        do throws(StatementError) {
            try handle.internally { () throws(StatementError) -> Void in
                let sql = "DELETE FROM \(database.sqlQuoted).\(table.sqlQuoted) WHERE 0"
                _ = try OwnStatement(handle.pointer, sql).step()
            }
        } catch {
            unlocked = (database, error)
        }
    }

    /// Removes all triggers. They return if the open transaction is rolled back, and are removed after the next scope.
    func remove() {
        mustRemove = false
        isInstalled = false
        handle.internally {
            // A trigger that stays is without effect while no scope is active.
            _ = try? dropAll()
        }
    }

    private func dropAll() throws(StatementError) {
        for name in try names() {
            sqlite3_exec(handle.pointer, "DROP TRIGGER IF EXISTS temp.\(name.text.sqlQuoted)", nil, nil, nil)
        }
    }

    private func names() throws(StatementError) -> Set<ExactText> {
        let sql = "SELECT name FROM sqlite_temp_master WHERE type = 'trigger' AND name GLOB '\(Self.prefix)*'"
        let statement = try OwnStatement(handle.pointer, sql)
        var names: Set<ExactText> = []
        while try statement.step() {
            if let name = statement.text(0) { names.insert(ExactText(name)) }
        }
        return names
    }

    // MARK: Statements

    private func statements(_ schema: TableSchema) throws(StatementError) -> [(name: String, sql: String)] {
        let old = Self.call(.row, schema, row: "OLD")
        let new = "SELECT \(Self.call(.key, schema, row: "NEW"));"
        let conflicts = try uniqueKeys(of: schema).map { key in
            let condition = key.map { "\($0) = NEW.\($0)" }.joined(separator: " AND ")
            return "SELECT \(Self.call(.row, schema, row: nil)) FROM \(schema.source) WHERE \(condition);"
        }.joined(separator: " ")
        let bodies = [
            ("BEFORE INSERT", conflicts), ("AFTER INSERT", new),
            // The actions of foreign keys run between the two, and may change the row under its new key.
            ("BEFORE UPDATE", "SELECT \(old); \(conflicts) \(new)"), ("AFTER UPDATE", new),
            ("BEFORE DELETE", "SELECT \(old);"),
        ]
        return bodies.filter { !$0.1.isEmpty }.map { event, body in
            // The length separates the names of the database and the table.
            let name = "\(Self.prefix)\(schema.database.utf8.count)_\(schema.database)_\(schema.table)_\(event)"
            let start = "CREATE TEMP TRIGGER IF NOT EXISTS \(name.sqlQuoted) \(event) ON \(schema.source)"
            return (name, "\(start) FOR EACH ROW BEGIN \(body) END")
        }
    }

    /// Returns a call of the function.
    /// - Parameter row: `OLD`, `NEW`, or `nil` for the row of a query.
    private static func call(_ call: Call, _ schema: TableSchema, row: String?) -> String {
        let isWide = call == .row && schema.columns.count > maxColumns
        let call = isWide ? Call.wideRow : call
        let qualifier = row.map { "\($0)." } ?? ""
        var number = "0"
        if case .rowid(let name, _) = schema.identity { number = "\(qualifier)\(name)" }
        let columns: [String]
        if case .row = call {
            columns = schema.columns.map { column in
                let isNeeded = column.kind != .blob || schema.representation != nil || schema.isKey(column.name)
                return isNeeded ? "\(qualifier)\(column.name.sqlQuoted)" : "NULL"
            }
        } else if case .key(let key) = schema.identity {
            columns = key.map { "\(qualifier)\(schema.columns[$0].name.sqlQuoted)" }
        } else {
            columns = []
        }
        let names = [schema.database, schema.table].map(\.sqlText)
        return "\(function)(\(([String(call.rawValue)] + names + [number] + columns).joined(separator: ", ")))"
    }

    /// Returns the quoted columns of each unique key, also of the row's number.
    private func uniqueKeys(of schema: TableSchema) throws(StatementError) -> [[String]] {
        var keys: [[String]] = []
        if case .rowid(let name, let column) = schema.identity {
            keys.append([column.map { schema.columns[$0].name.sqlQuoted } ?? name])
        }
        let sql = "PRAGMA \(schema.database.sqlQuoted).index_list(\(schema.table.sqlQuoted))"
        let list = try OwnStatement(handle.pointer, sql)
        while try list.step() {
            guard list.integer(2) != 0, let index = list.text(1) else { continue }
            let sql = "PRAGMA \(schema.database.sqlQuoted).index_info(\(index.sqlQuoted))"
            let info = try OwnStatement(handle.pointer, sql)
            var columns: [String?] = []
            while try info.step() { columns.append(info.text(2)?.sqlQuoted) }
            // An expression has no name: its conflicts are not found.
            let names = columns.compactMap { $0 }
            if !names.isEmpty, names.count == columns.count { keys.append(names) }
        }
        return keys
    }
}

extension TableSchema {
    /// True if a column belongs to the key that identifies the table's rows.
    fileprivate func isKey(_ column: String) -> Bool {
        guard case .key(let key) = identity else { return false }
        return key.contains { columns[$0].name == column }
    }
}

extension String {
    /// The text as a text value of SQL.
    fileprivate var sqlText: String { quoted("'") }
}
#endif
