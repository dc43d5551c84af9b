#if Audit
import ClickstreamCore
import GRDB
import GRDBSQLite

/// Reader of the schema of a connection's databases.
struct SchemaReader {
    let connection: OpaquePointer
    let representations: [any CustomEventRepresentable.Type]

    /// Makes SQLite read the schemas of all databases again. A statement compares the schema with that of its preparation
    /// when it begins, after the trace function was called, and is prepared again if they differ.
    ///
    /// The pragma takes effect when it is prepared. Its execution would abort running queries.
    func resetSchemas() throws(StatementError) {
        let setting = try OwnStatement(connection, "PRAGMA writable_schema")
        // The setting that the pragma clears.
        let isWritable = try setting.step() && setting.integer(0) != 0
        _ = try OwnStatement(connection, "PRAGMA writable_schema = RESET")
        if isWritable { _ = try OwnStatement(connection, "PRAGMA writable_schema = ON") }
    }

    /// Returns the schema of a table; `nil` if there is none of that name.
    func table(_ name: String, in database: String) throws(StatementError) -> TableSchema? {
        guard let kind = try kind(of: name, in: database), kind.type != "view" else { return nil }
        let table = kind.name
        let definitions = try columns(of: table, in: database)
        guard !definitions.isEmpty else { return nil }
        let targets = try foreignKeys(of: table, in: database)
        var storage = 0
        let columns = definitions.map { column in
            let stored = column.isStored ? storage : nil
            if column.isStored { storage += 1 }
            return TableSchema.Column(
                name: column.name,
                json: Self.member(column.name),
                kind: ColumnKind(declaration: column.type),
                affinity: ColumnAffinity(declaration: column.type),
                storage: stored,
                defaultJSON: column.defaultSQL.flatMap { defaultJSON($0, type: column.type) },
                foreignKey: targets[.sqlName(column.name)]
            )
        }
        let key = definitions.indices.filter { definitions[$0].keyPosition > 0 }
            .sorted { definitions[$0].keyPosition < definitions[$1].keyPosition }
        let identity = try identity(of: table, in: database, definitions, key, isWithoutRowid: kind.isWithoutRowid)
        var primaryKey = key
        if case .rowid(_, .some) = identity { primaryKey = [] }
        let isTable = kind.type == "table"
        let isTracked = isTable && database != "temp" && identity.isUsable
        return TableSchema(
            signature: "\(kind) \(identity) \(definitions) \(targets.sorted { $0.key.text < $1.key.text })",
            database: database,
            table: table,
            columns: columns,
            identity: isTable ? identity : .none,
            primaryKey: isTable ? primaryKey : [],
            isTracked: isTracked,
            isShadow: kind.type == "shadow",
            representation: database == "main" ? representation(of: table) : nil
        )
    }

    private func representation(of table: String) -> (any CustomEventRepresentable.Type)? {
        representations.first { $0.databaseTableName.caseInsensitivelyEquals(table) }
    }

    /// Returns the names of the tables of a database, without those of SQLite and of the library.
    func tables(in database: String) throws(StatementError) -> [String] {
        try names(
            "SELECT name FROM \(database.sqlQuoted).sqlite_master WHERE type = 'table' AND name NOT GLOB 'sqlite_*'"
                + " AND name <> '\(OutboxTable.name)'"
        )
    }

    /// Returns names and definitions of the views of a database.
    func views(in database: String) throws(StatementError) -> [(name: String, sql: String)] {
        let sql = "SELECT name, sql FROM \(database.sqlQuoted).sqlite_master WHERE type = 'view'"
        let statement = try OwnStatement(connection, sql)
        var views: [(String, String)] = []
        while try statement.step() {
            if let name = statement.text(0), let sql = statement.text(1) { views.append((name, sql)) }
        }
        return views
    }

    /// Returns the names of the connection's databases other than `temp`. Takes no lock, unlike a query of
    /// `pragma_database_list`, whose virtual table is one of `main`.
    func databases() throws(StatementError) -> [String] {
        let statement = try OwnStatement(connection, "PRAGMA database_list")
        var names: [String] = []
        while try statement.step() {
            if let name = statement.text(1), name != "temp" { names.append(name) }
        }
        return names
    }

    /// Returns the number that changes with the schema of a database.
    func version(of database: String) throws(StatementError) -> Int {
        let statement = try OwnStatement(connection, "PRAGMA \(database.sqlQuoted).schema_version")
        return try statement.step() ? statement.integer(0) : 0
    }

    private func names(_ sql: String) throws(StatementError) -> [String] {
        let statement = try OwnStatement(connection, sql)
        var names: [String] = []
        while try statement.step() {
            if let name = statement.text(0) { names.append(name) }
        }
        return names
    }

    // MARK: Parts

    private struct Definition {
        var name: String
        var type: String
        var defaultSQL: String?
        /// The position in the primary key, from 1; 0 for other columns.
        var keyPosition: Int
        var isStored: Bool
    }

    private func kind(
        of table: String,
        in database: String
    ) throws(StatementError) -> (name: String, type: String, isWithoutRowid: Bool)? {
        let sql = "PRAGMA \(database.sqlQuoted).table_list(\(table.sqlQuoted))"
        let statement = try OwnStatement(connection, sql)
        guard try statement.step(), let name = statement.text(1), let type = statement.text(2) else { return nil }
        return (name, type, statement.integer(4) != 0)
    }

    private func columns(of table: String, in database: String) throws(StatementError) -> [Definition] {
        let sql = "PRAGMA \(database.sqlQuoted).table_xinfo(\(table.sqlQuoted))"
        let statement = try OwnStatement(connection, sql)
        var columns: [Definition] = []
        while try statement.step() {
            // 0: ordinary, 1: hidden in a virtual table, 2: generated, 3: generated and stored
            let hidden = statement.integer(6)
            guard hidden != 1, let name = statement.text(1) else { continue }
            columns.append(
                Definition(
                    name: name,
                    type: statement.text(2) ?? "",
                    defaultSQL: statement.text(4),
                    keyPosition: statement.integer(5),
                    isStored: hidden != 2
                )
            )
        }
        return columns
    }

    private func identity(
        of table: String,
        in database: String,
        _ columns: [Definition],
        _ key: [Int],
        isWithoutRowid: Bool
    ) throws(StatementError) -> TableSchema.Identity {
        if isWithoutRowid { return .key(key) }
        let names = Set(columns.map { $0.name.lowercased() })
        let isInteger = key.count == 1 && columns[key[0]].type.caseInsensitivelyEquals("INTEGER")
        var alias: Int?
        if isInteger, try !hasKeyIndex(table, in: database) { alias = key[0] }
        if let name = ["rowid", "_rowid_", "oid"].first(where: { !names.contains($0) }) {
            return .rowid(name: name, column: alias)
        }
        return alias.map { .rowid(name: columns[$0].name.sqlQuoted, column: $0) } ?? .none
    }

    /// True if the primary key has an index, and thus is not the row's number: `INTEGER PRIMARY KEY DESC`.
    private func hasKeyIndex(_ table: String, in database: String) throws(StatementError) -> Bool {
        let sql = "PRAGMA \(database.sqlQuoted).index_list(\(table.sqlQuoted))"
        let statement = try OwnStatement(connection, sql)
        while try statement.step() {
            if statement.text(3) == "pk" { return true }
        }
        return false
    }

    /// Returns the targets of foreign keys of one column, by the column's name.
    private func foreignKeys(
        of table: String,
        in database: String
    ) throws(StatementError) -> [ExactText: TableSchema.ForeignKey] {
        let sql = "PRAGMA \(database.sqlQuoted).foreign_key_list(\(table.sqlQuoted))"
        let statement = try OwnStatement(connection, sql)
        var keys: [Int: [(column: ExactText, target: TableSchema.ForeignKey)]] = [:]
        while try statement.step() {
            guard let target = statement.text(2), let column = statement.text(3) else { continue }
            let key = TableSchema.ForeignKey(table: target, column: statement.text(4))
            keys[statement.integer(0), default: []].append((.sqlName(column), key))
        }
        let single = keys.sorted { $0.key < $1.key }.compactMap { $0.value.count == 1 ? $0.value[0] : nil }
        return Dictionary(single, uniquingKeysWith: { first, _ in first })
    }

    /// Evaluates the constant default of a column, and converts it as SQLite does when it adds the column. Reads no table.
    private func defaultJSON(_ sql: String, type: String) -> [UInt8]? {
        // An expression that fails here, such as one with a function that was removed, fails in SQLite too.
        try? convertedDefault(sql, type: type)
    }

    private func convertedDefault(_ sql: String, type: String) throws(StatementError) -> [UInt8]? {
        let affinity = ColumnAffinity(declaration: type)
        let isReal = affinity == .real
        let isText = affinity == .text
        let isNumber = !isText && affinity != .none
        let statement = try OwnStatement(connection, "SELECT \(sql)")
        guard try statement.step(), !statement.isNull(0) else { return nil }
        // A numeric column converts text that is a number, a text column numbers.
        var cast = "x"
        switch sqlite3_column_type(statement.pointer, 0) {
        case SQLITE_INTEGER where isReal: cast = "CAST(x AS REAL)"
        case SQLITE_INTEGER where isText, SQLITE_FLOAT where isText: cast = "CAST(x AS TEXT)"
        case SQLITE_TEXT where isNumber:
            cast = "CASE WHEN x = CAST(x AS NUMERIC) || '' THEN CAST(x AS \(isReal ? "REAL" : "NUMERIC")) ELSE x END"
        default: break
        }
        let converted = try OwnStatement(connection, "SELECT \(cast) FROM (SELECT \(sql) AS x)")
        guard try converted.step(), let value = sqlite3_column_value(converted.pointer, 0) else { return nil }
        var json: [UInt8] = []
        ValueEncoder.append(value, ColumnKind(declaration: type), to: &json)
        return json
    }

    /// Returns the name of a column and a colon, as JSON.
    static func member(_ name: String) -> [UInt8] {
        var json: [UInt8] = []
        json.append(json: name)
        json.append(UInt8(ascii: ":"))
        return json
    }
}

extension TableSchema.Identity {
    fileprivate var isUsable: Bool {
        if case .none = self { return false }
        return true
    }
}
#endif
