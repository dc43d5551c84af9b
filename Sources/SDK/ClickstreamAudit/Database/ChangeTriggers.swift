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
    private static let mostColumns = 96

    /// The first argument of the function.
    enum Call: Int32 {
        /// The row exists; all columns follow.
        case row = 1
        /// The row exists; the columns of its primary key follow.
        case wideRow
        /// The row may not have existed; the columns of its primary key follow.
        case key
    }

    /// True while triggers have to be installed, or installed again.
    var mustInstall = false
    private(set) var isInstalled = false
    /// True after a table got other columns or another name: SQLite changes the table of its triggers, and not what they call.
    var isOutdated = false
    /// True while triggers belong to an open transaction.
    private var isUncommitted = false

    /// The failure to lock a database before a change; without triggers the change is not recorded.
    private var unlocked: (database: String, error: StatementError)?

    /// Installs the missing triggers of the databases that may be read. To be called where statements can be prepared.
    func install(_ connection: ObservedConnection) {
        mustRemove = false
        do throws(StatementError) {
            let isComplete = try connection.handle.internally { () throws(StatementError) in
                try installMissing(connection)
            }
            mustInstall = !isComplete
        } catch {
            // Tried again before the next statement; changes until then are not recorded.
            mustInstall = true
            // Without the right to write, as within a read of GRDB's queue, there are no changes either.
            guard error.status & 0xFF != SQLITE_READONLY else { return }
            connection.fail(error)
        }
    }

    /// - Returns: false if a database may not be read now.
    private func installMissing(_ connection: ObservedConnection) throws(StatementError) -> Bool {
        let databases = try connection.schemas.databases()
        guard databases.contains(where: connection.handle.mayRead) else { return false }
        try connection.checkSchemas()
        isInstalled = true
        isUncommitted = connection.handle.isInTransaction
        if isOutdated { try dropAll(connection.handle.pointer) }
        isOutdated = false
        let known = try Self.names(connection.handle.pointer)
        var failure: StatementError?
        for (database, table) in try connection.schemas.tables() {
            guard let schema = try connection.schemas.schema(of: table, in: database), schema.isTracked else {
                continue
            }
            for statement in try Self.statements(schema, connection) where !known.contains(ExactText(statement.name)) {
                guard sqlite3_exec(connection.handle.pointer, statement.sql, nil, nil, nil) != SQLITE_OK else {
                    continue
                }
                failure = failure ?? StatementError(of: connection.handle.pointer)
            }
        }
        if let failure { throw failure }
        return databases.allSatisfy(connection.handle.mayRead)
    }

    /// Takes the lock of a change that is about to be executed in an open transaction, by a deletion of no row, which waits for
    /// another connection as the change does. After a query of the schema SQLite would refuse the change at once.
    func lockDatabase(of table: String, _ connection: ObservedConnection) {
        do throws(StatementError) {
            guard let database = try connection.schemas.database(of: table),
                connection.handle.lock(on: database) == CLICKSTREAM_TRANSACTION_NONE
            else { return }
            do throws(StatementError) {
                try connection.handle.internally { () throws(StatementError) -> Void in
                    let sql = "DELETE FROM \(database.sqlQuoted).\(table.sqlQuoted) WHERE 0"
                    _ = try OwnStatement(connection.handle.pointer, sql).step()
                }
            } catch {
                unlocked = (database, error)
            }
        } catch {
            connection.fail(error)
        }
    }

    /// A statement within a transaction has ended.
    func statementEnded(_ connection: ObservedConnection) {
        // The change has taken the lock after the triggers could not be installed.
        if let (database, error) = unlocked, connection.handle.lock(on: database) == CLICKSTREAM_TRANSACTION_WRITE {
            connection.fail(error)
        }
        unlocked = nil
        if mustInstall { install(connection) }
    }

    /// A transaction has ended. If triggers were installed in it, a rollback has removed them.
    func transactionEnded() {
        if isUncommitted { mustInstall = true }
        isUncommitted = false
    }

    /// True after the last scope has ended, until the triggers are removed.
    private(set) var mustRemove = false

    /// No scope is active. The triggers are removed where that commits no transaction of its own.
    func scopesEnded() {
        mustInstall = false
        mustRemove = isInstalled
    }

    /// Removes all triggers. They return if the open transaction is rolled back, and are removed after the next scope.
    func remove(_ connection: ObservedConnection) {
        mustRemove = false
        isInstalled = false
        connection.handle.internally {
            // A trigger that stays is without effect while no scope is active.
            _ = try? dropAll(connection.handle.pointer)
        }
    }

    private func dropAll(_ connection: OpaquePointer) throws(StatementError) {
        for name in try Self.names(connection) {
            sqlite3_exec(connection, "DROP TRIGGER IF EXISTS temp.\(name.text.sqlQuoted)", nil, nil, nil)
        }
    }

    private static func names(_ connection: OpaquePointer) throws(StatementError) -> Set<ExactText> {
        let sql = "SELECT name FROM sqlite_temp_master WHERE type = 'trigger' AND name GLOB '\(prefix)*'"
        let statement = try OwnStatement(connection, sql)
        var names: Set<ExactText> = []
        while try statement.step() {
            if let name = statement.text(0) { names.insert(ExactText(name)) }
        }
        return names
    }

    // MARK: Statements

    private static func statements(
        _ schema: TableSchema,
        _ connection: ObservedConnection
    ) throws(StatementError) -> [(name: String, sql: String)] {
        let old = call(.row, schema, row: "OLD")
        let new = "SELECT \(call(.key, schema, row: "NEW"));"
        let conflicts = try uniqueKeys(of: schema, connection.handle.pointer).map { key in
            let condition = key.map { "\($0) = NEW.\($0)" }.joined(separator: " AND ")
            return "SELECT \(call(.row, schema, row: nil)) FROM \(schema.source) WHERE \(condition);"
        }.joined(separator: " ")
        let bodies = [
            ("BEFORE INSERT", conflicts), ("AFTER INSERT", new),
            // The actions of foreign keys run between the two, and may change the row under its new key.
            ("BEFORE UPDATE", "SELECT \(old); \(conflicts) \(new)"), ("AFTER UPDATE", new),
            ("BEFORE DELETE", "SELECT \(old);"),
        ]
        return bodies.filter { !$0.1.isEmpty }.map { event, body in
            // The length separates the names of the database and the table.
            let name = "\(prefix)\(schema.database.utf8.count)_\(schema.database)_\(schema.table)_\(event)"
            let start = "CREATE TEMP TRIGGER IF NOT EXISTS \(name.sqlQuoted) \(event) ON \(schema.source)"
            return (name, "\(start) FOR EACH ROW BEGIN \(body) END")
        }
    }

    /// Returns a call of the function.
    /// - Parameter row: `OLD`, `NEW`, or `nil` for the row of a query.
    private static func call(_ call: Call, _ schema: TableSchema, row: String?) -> String {
        let isWide = call == .row && schema.columns.count > mostColumns
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
    private static func uniqueKeys(
        of schema: TableSchema,
        _ connection: OpaquePointer
    ) throws(StatementError) -> [[String]] {
        var keys: [[String]] = []
        if case .rowid(let name, let column) = schema.identity {
            keys.append([column.map { schema.columns[$0].name.sqlQuoted } ?? name])
        }
        let sql = "PRAGMA \(schema.database.sqlQuoted).index_list(\(schema.table.sqlQuoted))"
        let list = try OwnStatement(connection, sql)
        while try list.step() {
            guard list.integer(2) != 0, let index = list.text(1) else { continue }
            let sql = "PRAGMA \(schema.database.sqlQuoted).index_info(\(index.sqlQuoted))"
            let info = try OwnStatement(connection, sql)
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

extension ObservedConnection {
    /// A trigger calls the function.
    func triggerFires(_ values: UnsafeBufferPointer<OpaquePointer?>) {
        guard !handle.isInternal, !recordings.isEmpty else { return }
        do throws(StatementError) {
            try recordChange(values)
        } catch {
            transaction.changeFailed(error)
            fail(error)
        }
    }

    private func recordChange(_ values: UnsafeBufferPointer<OpaquePointer?>) throws(StatementError) {
        try checkSchemas()
        guard values.count >= 4, let mode = values[0], let database = values[1], let table = values[2],
            let number = values[3],
            let call = ChangeTriggers.Call(rawValue: Int32(truncatingIfNeeded: sqlite3_value_int64(mode))),
            let schema = try schemas.schema(
                of: String(decoding: ValueEncoder.text(of: table), as: UTF8.self),
                in: String(decoding: ValueEncoder.text(of: database), as: UTF8.self)
            )
        else { return }
        // After the call's own arguments: all columns, or those of the key in its order.
        func value(_ column: Int) -> OpaquePointer? {
            var place: Int? = column
            if call != .row {
                guard case .key(let key) = schema.identity else { return nil }
                place = key.firstIndex(of: column)
            }
            return place.flatMap { 4 + $0 < values.count ? values[4 + $0] : nil }
        }
        guard let key = key(of: schema, sqlite3_value_int64(number), value: value) else { return }
        switch call {
        case .row: try touch(schema, key, exists: true, value: value)
        case .wideRow: try touchByStatement(schema, key)
        case .key: try touch(schema, key, exists: false, value: value)
        }
    }
}
#endif
