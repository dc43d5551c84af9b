#if Audit
import ClickstreamCore
import GRDBSQLite

/// Schemas of the databases of a connection, cached until a statement or another connection changes one.
///
/// Used on the thread of the connection.
final class ConnectionSchemas {
    /// Emptied when a schema changes.
    private struct Cache {
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

    private let handle: ConnectionHandle
    private let events: Audit.Events
    private let reader: SchemaReader
    private var cache = Cache()
    /// True once a statement that may change the schema has begun, until the cache is emptied.
    private(set) var isStale = false
    /// The databases whose schema was not compared since the beginning of the scope; `nil` for all.
    private var unchecked: Set<String>?
    /// The versions of the schemas at the last comparison, by database.
    private var versions: [String: Int] = [:]

    init(_ handle: ConnectionHandle, _ events: Audit.Events) {
        self.handle = handle
        self.events = events
        reader = SchemaReader(connection: handle.pointer, representations: events.configuration.representations)
    }

    // MARK: Changes

    /// A statement that may change a schema has begun, or was rolled back.
    func schemaChanges() { isStale = true }

    /// Empties the cache.
    func removeAll() {
        cache = Cache()
        isStale = false
    }

    /// Databases may have been attached, and schemas changed, while no scope was active.
    func activityChanged() {
        unchecked = nil
        cache.forgetDatabases()
    }

    /// Compares the version of each database's schema once in a scope, when the database may be read.
    /// - Returns: true if another connection has changed a schema: the caches are to be emptied.
    func isOutdated() throws(StatementError) -> Bool {
        if let unchecked, unchecked.isEmpty { return false }
        var rest: Set<String>
        if let unchecked { rest = unchecked } else { rest = Set(try databases()) }
        var isOutdated = false
        for database in rest where handle.mayRead(database) {
            let version = try handle.internally { () throws(StatementError) in try reader.version(of: database) }
            if versions[database] != version { isOutdated = true }
            versions[database] = version
            rest.remove(database)
        }
        unchecked = rest
        return isOutdated
    }

    /// Makes SQLite prepare all statements again; see ``SchemaReader/resetSchemas()``.
    func reset() throws(StatementError) {
        try handle.internally { () throws(StatementError) in try reader.resetSchemas() }
    }

    // MARK: Tables

    /// Returns the schema of a table; `nil` if it does not exist.
    func schema(of table: String, in database: String) throws(StatementError) -> TableSchema? {
        if let known = cache.tables[database]?[.sqlName(table)] { return known }
        let found = try handle.internally { () throws(StatementError) in try reader.table(table, in: database) }
        let schema = found.map { events.shared($0, in: path(of: database)) }
        cache.tables[database, default: [:]][.sqlName(table)] = .some(schema)
        return schema
    }

    /// Returns the schema of the table whose row changed last, if it is that table; its schema is `nil` if changes of the
    /// table are not recorded.
    func lastTracked(
        _ database: UnsafePointer<CChar>,
        _ table: UnsafePointer<CChar>
    ) -> TableSchema?? {
        guard let last = cache.lastTable, sqlite3_stricmp(last.table, table) == 0,
            sqlite3_stricmp(last.database, database) == 0
        else { return nil }
        return .some(last.schema)
    }

    /// Returns the schema of a table whose row changes; `nil` if changes of the table are not recorded.
    func tracked(
        _ database: UnsafePointer<CChar>,
        _ table: UnsafePointer<CChar>
    ) throws(StatementError) -> TableSchema? {
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

    /// Returns the tables of all databases that may be read, those of `main` first, with their databases.
    func tables() throws(StatementError) -> [(String, String)] {
        var found: [(String, String)] = []
        for database in try databases() where handle.mayRead(database) {
            found += try tables(in: database).map { (database, $0) }
        }
        return found
    }

    private func tables(in database: String) throws(StatementError) -> [String] {
        if let names = cache.tableNames[database] { return names }
        let names = try handle.internally { () throws(StatementError) in try reader.tables(in: database) }
        cache.tableNames[database] = names
        return names
    }

    // MARK: Databases and views

    /// Returns the names of the connection's databases, `main` first.
    func databases() throws(StatementError) -> [String] {
        if let databases = cache.databases { return databases }
        let names = try handle.internally { () throws(StatementError) in try reader.databases() }
        cache.databases = names
        return names
    }

    /// Returns the database of a table that is named without one; `nil` for a view, or a temporary table.
    func database(of table: String) throws(StatementError) -> String? {
        guard !handle.hasTable(table, in: "temp") else { return nil }
        return try databases().first { handle.hasTable(table, in: $0) }
    }

    /// The path of a database's file; a name of this connection for one in memory.
    func path(of database: String) -> String {
        if let known = cache.paths[database] { return known }
        let found = findPath(of: database)
        cache.paths[database] = found
        return found
    }

    private func findPath(of database: String) -> String {
        let path = sqlite3_db_filename(handle.pointer, database).map { String(cString: $0) } ?? ""
        return path.isEmpty ? "\(UInt(bitPattern: handle.pointer)).\(database)" : path
    }

    /// Returns the definitions of the views of all databases that may be read, by name in lower case.
    func views() throws(StatementError) -> [String: String] {
        var found: [String: String] = [:]
        for database in try databases() where handle.mayRead(database) {
            found.merge(try views(in: database)) { first, _ in first }
        }
        return found
    }

    private func views(in database: String) throws(StatementError) -> [String: String] {
        if let views = cache.views[database] { return views }
        let views = try handle.internally { () throws(StatementError) in try reader.views(in: database) }
        let definitions = views.map { ($0.name.lowercased(), $0.sql.lowercased()) }
        let found = Dictionary(definitions, uniquingKeysWith: { first, _ in first })
        cache.views[database] = found
        return found
    }
}
#endif
