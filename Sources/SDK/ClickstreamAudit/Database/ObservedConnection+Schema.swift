#if Audit
import CClickstreamSQLite
import ClickstreamCore
import GRDB
import GRDBSQLite

/// Schemas of the connection's databases, with caches.
extension ObservedConnection {
    /// Cache of the schemas, emptied when a schema changes.
    struct SchemaCache {
        var tables: [String: [ExactText: TableSchema?]] = [:]
        var paths: [String: String] = [:]
        /// The table that changed last.
        var lastTable: (database: [CChar], table: [CChar], schema: TableSchema?)?
        /// The definitions of the views of a database, by name in lower case.
        var views: [String: [String: String]] = [:]
        var databases: [String]?
        var tableNames: [String: [String]] = [:]

        /// Removes what changes when a database is attached or detached.
        mutating func forgetDatabases() {
            databases = nil
            paths.removeAll()
            lastTable = nil
        }
    }

    /// True if a query of a database takes no lock within a statement of the app: SQLite would refuse a later write at once if
    /// another connection writes, without the busy timeout.
    func mayRead(_ database: String) -> Bool {
        mayTakeLocks || lock(on: database) != CLICKSTREAM_TRANSACTION_NONE
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

    /// Drops the caches if another connection has changed a schema: compares each database once in a scope, when it may be
    /// read.
    func checkSchemas() throws(StatementError) {
        if let uncheckedSchemas, uncheckedSchemas.isEmpty { return }
        var unchecked: Set<String>
        if let uncheckedSchemas { unchecked = uncheckedSchemas } else { unchecked = Set(try databases()) }
        var isStale = false
        for database in unchecked where mayRead(database) {
            let version = try internally { () throws(StatementError) in try schemaReader.version(of: database) }
            if schemaVersions[database] != version { isStale = true }
            schemaVersions[database] = version
            unchecked.remove(database)
        }
        uncheckedSchemas = unchecked
        if isStale { dropCaches() }
    }

    /// Returns the current schema of a table; `nil` if it no longer exists.
    func currentSchema(of table: String, in database: String) throws(StatementError) -> TableSchema? {
        if hasStaleSchema { dropCaches() }
        return try schema(of: table, in: database)
    }

    /// True if a database has a table of that name, which is no view. Takes no lock.
    func hasTable(_ table: String, in database: String) -> Bool {
        sqlite3_table_column_metadata(pointer, database, table, nil, nil, nil, nil, nil, nil) == SQLITE_OK
    }

    /// Returns the database of a table that is named without one; `nil` for a view, or a temporary table.
    func database(of table: String) throws(StatementError) -> String? {
        guard !hasTable(table, in: "temp") else { return nil }
        return try databases().first { hasTable(table, in: $0) }
    }

    /// A statement begins that changes a schema.
    func schemaChanges() {
        hasStaleSchema = true
        transaction.changesSchema = true
    }

    /// A statement begins that changes or drops a table.
    func tableChanges(_ statement: OpaquePointer) throws(StatementError) {
        if triggers.isInstalled { triggers.isOutdated = true }
        try transaction.reopenRows(self)
        guard let text = sqlite3_sql(statement), let change = TableChange(String(cString: text)) else { return }
        var database = change.database
        if database == nil { database = try self.database(of: change.table) }
        if let database { transaction.tableChanges(change, in: database, self) }
    }

    /// The path of a database's file; a name of this connection for one in memory.
    func path(of database: String) -> String {
        if let known = cache.paths[database] { return known }
        let found = findPath(of: database)
        cache.paths[database] = found
        return found
    }

    private func findPath(of database: String) -> String {
        let path = sqlite3_db_filename(pointer, database).map { String(cString: $0) } ?? ""
        return path.isEmpty ? "\(UInt(bitPattern: pointer)).\(database)" : path
    }

    func dropCaches() {
        cache = SchemaCache()
        if triggers.isInstalled { triggers.mustInstall = true }
        plans.removeAll()
        running.removeAll()
        current = nil
        hasStaleSchema = false
    }

    /// Returns the schema of a table; `nil` if it does not exist.
    func schema(of table: String, in database: String) throws(StatementError) -> TableSchema? {
        if let known = cache.tables[database]?[.sqlName(table)] { return known }
        let found = try internally { () throws(StatementError) in try schemaReader.table(table, in: database) }
        let schema = found.map { events.shared($0, in: path(of: database)) }
        cache.tables[database, default: [:]][.sqlName(table)] = .some(schema)
        return schema
    }

    /// Returns the schema of a table whose changes are recorded.
    func trackedSchema(
        _ database: UnsafePointer<CChar>,
        _ table: UnsafePointer<CChar>
    ) throws(StatementError) -> TableSchema? {
        if let lastTable = cache.lastTable, sqlite3_stricmp(lastTable.table, table) == 0,
            sqlite3_stricmp(lastTable.database, database) == 0
        {
            return lastTable.schema
        }
        try checkSchemas()
        let names = (String(cString: database), String(cString: table))
        var found: TableSchema?
        if !names.1.hasPrefix("sqlite_"), names.1 != OutboxTable.name { found = try schema(of: names.1, in: names.0) }
        let schema = found?.isTracked == true ? found : nil
        cache.lastTable = (Array(names.0.utf8CString), Array(names.1.utf8CString), schema)
        return schema
    }

    /// Removes the schema of a table from the cache: another connection may have created or changed the table.
    func forgetSchema(of table: String, in database: String) {
        cache.tables[database]?[.sqlName(table)] = nil
    }

    /// Returns the names of the connection's databases, `main` first.
    func databases() throws(StatementError) -> [String] {
        if let databases = cache.databases { return databases }
        let names = try internally { () throws(StatementError) in try schemaReader.databases() }
        cache.databases = names
        return names
    }

    /// Returns the definitions of the views of all databases that may be read, by name in lower case.
    func views() throws(StatementError) -> [String: String] {
        var found: [String: String] = [:]
        for database in try databases() where mayRead(database) {
            found.merge(try views(in: database)) { first, _ in first }
        }
        return found
    }

    private func views(in database: String) throws(StatementError) -> [String: String] {
        if let views = cache.views[database] { return views }
        let views = try internally { () throws(StatementError) in try schemaReader.views(in: database) }
        let definitions = views.map { ($0.name.lowercased(), $0.sql.lowercased()) }
        let found = Dictionary(definitions, uniquingKeysWith: { first, _ in first })
        cache.views[database] = found
        return found
    }

    /// Returns the tables of all databases that may be read, those of `main` first, with their databases.
    func tables() throws(StatementError) -> [(String, String)] {
        var found: [(String, String)] = []
        for database in try databases() where mayRead(database) {
            found += try tables(in: database).map { (database, $0) }
        }
        return found
    }

    private func tables(in database: String) throws(StatementError) -> [String] {
        if let names = cache.tableNames[database] { return names }
        let names = try internally { () throws(StatementError) in try schemaReader.tables(in: database) }
        cache.tableNames[database] = names
        return names
    }
}
#endif
