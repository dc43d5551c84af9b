#if Audit
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
        var views: [String: String]?
        var databases: [String]?
        var tableNames: [(String, String)]?
    }

    /// Drops the caches if another connection has changed a schema.
    func checkSchema() {
        mustCheckSchema = false
        let versions = internally { schemaReader.versions }
        if versions != schemaVersions { dropCaches() }
        schemaVersions = versions
    }

    /// Returns the current schema of a table; `nil` if it no longer exists.
    func currentSchema(of schema: TableSchema) -> TableSchema? {
        if hasStaleSchema { dropCaches() }
        return self.schema(of: schema.table, in: schema.database)
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
    func schema(of table: String, in database: String) -> TableSchema? {
        if let known = cache.tables[database]?[.sqlName(table)] { return known }
        let schema = internally { schemaReader.table(table, in: database) }.map {
            events.shared($0, in: path(of: database))
        }
        cache.tables[database, default: [:]][.sqlName(table)] = .some(schema)
        return schema
    }

    /// Returns the schema of a table whose changes are recorded.
    func trackedSchema(_ database: UnsafePointer<CChar>, _ table: UnsafePointer<CChar>) -> TableSchema? {
        if let lastTable = cache.lastTable, sqlite3_stricmp(lastTable.table, table) == 0,
            sqlite3_stricmp(lastTable.database, database) == 0
        {
            return lastTable.schema
        }
        let names = (String(cString: database), String(cString: table))
        let found = names.1.hasPrefix("sqlite_") ? nil : schema(of: names.1, in: names.0)
        let schema = found?.isTracked == true ? found : nil
        cache.lastTable = (Array(names.0.utf8CString), Array(names.1.utf8CString), schema)
        return schema
    }

    /// Returns the schema of a table that another connection may have created or changed.
    func reloadedSchema(of table: String, in database: String) -> TableSchema? {
        cache.tables[database]?[.sqlName(table)] = nil
        return schema(of: table, in: database)
    }

    /// The names of the connection's databases, `main` first.
    var databases: [String] {
        if let databases = cache.databases { return databases }
        let names = internally { schemaReader.databases }
        cache.databases = names
        return names
    }

    /// The definitions of all views, by name in lower case.
    var views: [String: String] {
        if let views = cache.views { return views }
        let views = internally { databases.flatMap { schemaReader.views(in: $0) } }
        let definitions = views.map { ($0.name.lowercased(), $0.sql.lowercased()) }
        let found = Dictionary(definitions, uniquingKeysWith: { first, _ in first })
        cache.views = found
        return found
    }

    /// The tables of all databases, those of `main` first, with their databases.
    var tables: [(String, String)] {
        if let tables = cache.tableNames { return tables }
        let tables = internally {
            databases.flatMap { name in schemaReader.tables(in: name).map { (name, $0) } }
        }
        cache.tableNames = tables
        return tables
    }
}
#endif
