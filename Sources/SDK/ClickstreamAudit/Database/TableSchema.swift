#if Audit
import ClickstreamCore

/// Columns and identity of one table, as a connection sees them. Immutable.
final class TableSchema: Sendable {
    struct Column: Sendable {
        let name: String
        /// The name and a colon, as JSON.
        let json: [UInt8]
        let kind: ColumnKind
        let affinity: ColumnAffinity
        /// The index among the columns that are stored; `nil` for a generated column without storage.
        let storage: Int?
        /// The JSON of the default, for rows that are older than the column.
        let defaultJSON: [UInt8]?
        /// The target of a foreign key of this column alone.
        let foreignKey: ForeignKey?
    }

    struct ForeignKey: Sendable {
        let table: String
        /// `nil` for the primary key.
        let column: String?
    }

    /// Identity of a row.
    enum Identity: Sendable {
        /// The number of the row; `column` is the `INTEGER PRIMARY KEY`, if there is one.
        case rowid(name: String, column: Int?)
        /// The primary key of a table without row numbers.
        case key([Int])
        /// No identity: a virtual table.
        case none
    }

    /// The definition of the table, for comparison.
    let signature: String
    /// The database of the connection, such as `main`.
    let database: String
    let table: String
    /// The table's name in events: with the database, unless that is `main`.
    let name: String
    let columns: [Column]
    /// Parts of the columns, for loops over each row: copying a column costs several retain counts.
    let kinds: [ColumnKind]
    let names: [[UInt8]]
    let defaults: [[UInt8]?]
    let identity: Identity
    /// The columns of the primary key, unless it is the row's number.
    let primaryKey: [Int]
    /// The columns of the primary key, also if it is the row's number, in the order of the table. Of a table with a custom
    /// representation, these are the only columns that are recorded.
    let keyColumns: [Int]
    /// True if changes of the table are recorded: not for temporary, virtual and shadow tables.
    let isTracked: Bool
    /// True for a table in which a virtual one keeps its data: the statements that read it are those of SQLite's module.
    let isShadow: Bool
    let representation: (any CustomEventRepresentable.Type)?
    /// The statement that reads all columns of one row, whose identity is bound from the first parameter on. Values that are
    /// excluded are not read.
    let rowQuery: String
    /// The statement that reads the rows whose key may have been rounded to the one that is bound.
    let roundedRowQuery: String
    /// True if the hook does not return all values as they are, so that the row is read by a statement: generated columns
    /// without storage, and columns of the type `REAL` in a table without row numbers, where SQLite converts the value of
    /// another column.
    let isReadByStatement: Bool
    /// Indices of the values of a new key within the hook, if they depend on the version of SQLite: that of the column, and
    /// that of its storage. They differ behind a generated column without storage.
    let newKeyIndices: [[Int]]
    /// The columns of a statement that reads complete rows.
    let columnList: String
    /// The quoted name of the table with its database.
    let source: String
    /// Bytes of an object with all columns, without the values, as part of a text in JSON.
    let overhead: Int

    init(
        signature: String,
        database: String,
        table: String,
        columns: [Column],
        identity: Identity,
        primaryKey: [Int],
        isTracked: Bool,
        isShadow: Bool,
        representation: (any CustomEventRepresentable.Type)?
    ) {
        self.signature = signature
        self.database = database
        self.table = table
        name = Self.name(of: table, in: database)
        self.columns = columns
        kinds = columns.map(\.kind)
        names = columns.map(\.json)
        defaults = columns.map(\.defaultJSON)
        self.identity = identity
        self.primaryKey = primaryKey
        if case .rowid(_, let column?) = identity { keyColumns = [column] } else { keyColumns = primaryKey.sorted() }
        self.isTracked = isTracked
        self.isShadow = isShadow
        self.representation = representation
        overhead = Self.overhead(of: columns)
        let isStored = columns.allSatisfy { $0.storage != nil }
        if case .key(let key) = identity {
            let stored = key.map { columns[$0].storage ?? $0 }
            newKeyIndices = stored == key ? [] : [key, stored]
            isReadByStatement = !isStored || columns.contains { $0.affinity == .real }
        } else {
            newKeyIndices = []
            isReadByStatement = !isStored
        }
        source = "\(database.sqlQuoted).\(table.sqlQuoted)"
        let condition: String
        var roundedCondition = "0"
        switch identity {
        case .rowid(let name, _): condition = "\(name) = ?1"
        case .key(let key):
            let names = key.map { columns[$0].name.sqlQuoted }
            condition = names.enumerated().map { "\($1) IS ?\($0 + 1)" }.joined(separator: " AND ")
            roundedCondition = names.enumerated().map { "(\($1) IS ?\($0 + 1) OR CAST(\($1) AS REAL) IS ?\($0 + 1))" }
                .joined(separator: " AND ")
        case .none: condition = "0"
        }
        columnList = columns.map { column in
            column.kind == .blob && representation == nil ? "NULL" : column.name.sqlQuoted
        }.joined(separator: ", ")
        // During the hook, a row that changes is still in the table, but may no longer be in an index.
        let query = "SELECT \(columnList) FROM \(source) NOT INDEXED WHERE"
        rowQuery = "\(query) \(condition) /* clickstream audit */"
        roundedRowQuery = "\(query) \(roundedCondition)"
    }

    /// Returns the name of a table in events.
    static func name(of table: String, in database: String) -> String {
        database == "main" ? table : "\(database).\(table)"
    }

    static func overhead(of columns: some Sequence<Column>) -> Int {
        columns.reduce(3) { $0 + $1.json.count + 3 }
    }

    func index(of column: String) -> Int? {
        columns.firstIndex { $0.name.caseInsensitivelyEquals(column) }
    }
}
#endif
