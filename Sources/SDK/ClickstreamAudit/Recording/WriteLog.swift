#if Audit
import ClickstreamCore

/// Rows that were touched within one scope: the state at the first touch, and the last committed state.
struct WriteLog: Sendable {
    /// State of a row.
    struct State: Sendable {
        /// The values, or the JSON of a custom representation behind them; `nil` if the row did not exist.
        var bytes: Range<Int>?
        var custom: Range<Int>?
        var schema: TableSchema
    }

    struct Row: Sendable {
        let key: RowKey
        /// The number of the touch, in the order of the scope.
        let order: Int
        var old: State
        /// The state that the last transaction of the scope gave to the row; `nil` before its commit.
        var new: State?
        /// The number of the commit of `new`.
        var commit = 0
        /// The connection whose open transaction was the last one to touch the row.
        var holder: ObjectIdentifier?
        /// True if the row was left out: its transaction was rolled back, or its new state exceeds the limits.
        var isVoid = false
    }

    struct Table: Sendable {
        /// The file of the database, or the connection of one in memory; then the table.
        var id: TableID
        var schema: TableSchema
        /// The name of the table in its database: another one than that of the schema after a change of the name.
        var name: String
        var rows: [Row] = []
        var byNumber: [Int64: Int] = [:]
        var byKey: [[UInt8]: Int] = [:]

        subscript(key: RowKey) -> Int? {
            get {
                switch key {
                case .number(let number): byNumber[number]
                case .bytes(let bytes): byKey[bytes]
                }
            }
            set {
                switch key {
                case .number(let number): byNumber[number] = newValue
                case .bytes(let bytes): byKey[bytes] = newValue
                }
            }
        }
    }

    struct TableID: Sendable, Hashable {
        let database: String
        let table: ExactText
    }

    /// Row that an open transaction touched.
    struct Location: Sendable {
        let table: Int
        let row: Int
        /// True if the transaction changes the schema, and has not touched the row for this entry.
        var isReopened = false
    }

    /// Row that is read before the commit.
    struct OpenRow: Sendable {
        let location: Location
        let key: RowKey
        let schema: TableSchema
        /// The name of the table in its database.
        let table: String
    }

    private(set) var tables: [Table] = []
    private(set) var arena = RowArena()
    /// The rows that open transactions touched, by connection.
    private var open: [ObjectIdentifier: [Location]] = [:]
    /// Rows that were left out of a transaction. A change touches a row several times in succession, and is one.
    private struct Omissions: Sendable {
        var count = 0
        var last: (table: Int, key: RowKey)?

        mutating func add(_ table: Int, _ key: RowKey) {
            if let last, last.table == table, last.key == key { return }
            last = (table, key)
            count += 1
        }
    }

    /// Rows that were left out, those of open transactions by connection.
    private(set) var truncated = 0
    private var openTruncated: [ObjectIdentifier: Omissions] = [:]
    private var order = 0
    /// The number of commits that began.
    private var commits = 0
    private var indices: [ObjectIdentifier: Int] = [:]
    private var dropped: Set<TableID> = []

    private mutating func index(of schema: TableSchema, _ database: String) -> Int {
        let id = TableID(database: database, table: .sqlName(schema.name))
        let index = tables.firstIndex { $0.id == id } ?? tables.count
        if index == tables.count { tables.append(Table(id: id, schema: schema, name: schema.table)) }
        setSchema(schema, of: index)
        return index
    }

    private mutating func setSchema(_ schema: TableSchema, of index: Int) {
        // Retained, so that its identity stays unique.
        tables[index].schema = schema
        indices = indices.filter { $0.value != index }
        indices[ObjectIdentifier(schema)] = index
    }

    // MARK: Changes

    /// Records that a row is about to change.
    /// - Parameters:
    ///   - database: the file of the database, or the connection of one in memory.
    ///   - exists: false if the row does not exist yet.
    ///   - custom: the custom representation of the row.
    ///   - encode: appends the values of the row, if it exists.
    mutating func touch(
        _ schema: TableSchema,
        _ key: RowKey,
        in database: @autoclosure () -> String,
        by connection: ObjectIdentifier,
        exists: Bool,
        custom: [UInt8]? = nil,
        budget: inout ScopeBudget,
        encode: (inout [UInt8]) -> Void
    ) {
        let table = indices[ObjectIdentifier(schema)] ?? index(of: schema, database())
        if let known = tables[table][key] {
            // Another connection may have committed, and not yet reported that.
            guard tables[table].rows[known].holder != connection else { return }
            tables[table].rows[known].holder = connection
            open[connection, default: []].append(Location(table: table, row: known))
            return
        }
        guard !budget.isSpent else {
            openTruncated[connection, default: Omissions()].add(table, key)
            return
        }
        let state =
            exists
            ? append(schema, custom: custom, encode) : State(bytes: nil, custom: nil, schema: schema)
        let end = arena.bytes.count
        let size = state.bytes.map { arena.escapedCount($0.lowerBound..<end) } ?? 0
        guard budget.take(rows: 1, bytes: size + schema.overhead) else {
            arena.bytes.removeLast(state.bytes.map { end - $0.lowerBound } ?? 0)
            openTruncated[connection, default: Omissions()].add(table, key)
            return
        }
        let row = tables[table].rows.count
        tables[table].rows.append(Row(key: key, order: order, old: state, holder: connection))
        order += 1
        tables[table][key] = row
        open[connection, default: []].append(Location(table: table, row: row))
    }

    private mutating func append(
        _ schema: TableSchema,
        custom: [UInt8]?,
        _ encode: (inout [UInt8]) -> Void
    ) -> State {
        let start = arena.bytes.count
        encode(&arena.bytes)
        let bytes = start..<arena.bytes.count
        guard let custom else { return State(bytes: bytes, custom: nil, schema: schema) }
        arena.bytes += custom
        return State(bytes: bytes, custom: bytes.upperBound..<arena.bytes.count, schema: schema)
    }

    // MARK: Transactions

    /// Returns the rows that the open transaction of a connection touched, and those whose table it may have changed.
    func openRows(of connection: ObjectIdentifier) -> [OpenRow] {
        (open[connection] ?? []).compactMap { location in
            let row = tables[location.table].rows[location.row]
            if location.isReopened, row.holder == connection { return nil }
            let table = tables[location.table]
            return OpenRow(location: location, key: row.key, schema: table.schema, table: table.name)
        }
    }

    /// Returns the number of a commit. Called while the transaction is open: numbers have the order of the commits.
    mutating func nextCommit() -> Int {
        commits += 1
        return commits
    }

    /// The open transaction was committed. Rows that it touched, and whose new state is missing, are left out.
    /// - Parameters:
    ///   - states: the new states of the open rows, with their bytes in `bytes`.
    ///   - schemas: the schemas of the tables that exist.
    ///   - number: the number of the commit.
    mutating func commit(
        _ states: [(location: Location, state: State)],
        _ bytes: [UInt8],
        schemas: [Int: TableSchema],
        number: Int,
        by connection: ObjectIdentifier,
        budget: inout ScopeBudget
    ) {
        for (table, schema) in schemas where tables[table].schema !== schema { setSchema(schema, of: table) }
        let offset = arena.bytes.count
        arena.bytes += bytes
        for (location, state) in states {
            var state = state
            state.bytes = state.bytes.map { $0.lowerBound + offset..<$0.upperBound + offset }
            state.custom = state.custom.map { $0.lowerBound + offset..<$0.upperBound + offset }
            if location.isReopened {
                guard let converted = converted(tables[location.table].rows[location.row].new, to: state) else {
                    continue
                }
                state = converted
            }
            assign(state, to: location, number, &budget)
        }
        for location in open.removeValue(forKey: connection) ?? [] where !location.isReopened {
            let row = tables[location.table].rows[location.row]
            if row.holder == connection { tables[location.table].rows[location.row].holder = nil }
            if row.commit < number { omit(location, number) }
        }
        truncated += openTruncated.removeValue(forKey: connection)?.count ?? 0
    }

    private mutating func assign(_ state: State, to location: Location, _ number: Int, _ budget: inout ScopeBudget) {
        // Another connection has changed the row after this commit, and reported that before.
        guard tables[location.table].rows[location.row].commit < number else { return }
        let size = state.bytes.map { arena.escapedCount($0.lowerBound..<(state.custom ?? $0).upperBound) } ?? 0
        guard budget.take(rows: 0, bytes: size) else { return omit(location, number) }
        tables[location.table].rows[location.row].commit = number
        tables[location.table].rows[location.row].new = state
    }

    private mutating func omit(_ location: Location, _ number: Int) {
        tables[location.table].rows[location.row].commit = number
        guard !tables[location.table].rows[location.row].isVoid else { return }
        tables[location.table].rows[location.row].isVoid = true
        truncated += 1
    }

    /// Returns the recorded state of a row in the form of a changed schema: another connection may have changed the row. The
    /// values of columns that the state does not have are those of `found`.
    /// - Returns: `nil` if the recorded state remains.
    private mutating func converted(_ recorded: State?, to found: State) -> State? {
        // The table was dropped.
        guard let foundValues = found.bytes else { return found }
        // A row that was deleted stays so, also if another connection has inserted it.
        guard let recorded, let values = recorded.bytes, recorded.schema !== found.schema else { return nil }
        let names = recorded.schema.columns.map { ExactText($0.name) }
        let known = Dictionary(zip(names, arena.values(of: values)), uniquingKeysWith: { first, _ in first })
        var row: [UInt8] = []
        for (column, value) in zip(found.schema.columns, arena.values(of: foundValues)) {
            row += arena.bytes[known[ExactText(column.name)] ?? value]
            row.append(RowArena.end)
        }
        let start = arena.bytes.count
        let end = start + row.count
        if let custom = recorded.custom { row += arena.bytes[custom] }
        arena.bytes += row
        let custom = recorded.custom.map { _ in end..<arena.bytes.count }
        return State(bytes: start..<end, custom: custom, schema: found.schema)
    }

    /// A table is dropped.
    mutating func drop(_ table: String, in database: String, _ file: String) {
        dropped.insert(TableID(database: file, table: .sqlName(TableSchema.name(of: table, in: database))))
    }

    /// A table gets another name. That of a table which was dropped, or has rows in the scope, remains another table: an app
    /// has replaced it by a copy.
    /// - Returns: true if the scope has rows of the table.
    mutating func rename(_ table: String, to name: String, in database: String, _ file: String) -> Bool {
        let old = TableID(database: file, table: .sqlName(TableSchema.name(of: table, in: database)))
        let new = TableID(database: file, table: .sqlName(TableSchema.name(of: name, in: database)))
        guard !dropped.contains(new), !tables.contains(where: { $0.id == new }),
            let index = tables.firstIndex(where: { $0.id == old })
        else { return false }
        tables[index].id = new
        tables[index].name = name
        indices = indices.filter { $0.value != index }
        return true
    }

    /// Marks all rows of some databases as rows of the open transaction, which changes the schema.
    /// - Returns: true if there are any.
    mutating func reopen(_ databases: Set<String>, by connection: ObjectIdentifier) -> Bool {
        var hasRows = false
        for table in tables.indices where databases.contains(tables[table].id.database) {
            for row in tables[table].rows.indices {
                guard !tables[table].rows[row].isVoid, tables[table].rows[row].holder != connection else { continue }
                open[connection, default: []].append(Location(table: table, row: row, isReopened: true))
                hasRows = true
            }
        }
        return hasRows
    }

    /// The open transaction was rolled back: rows that it was the first to touch are forgotten.
    mutating func rollback(by connection: ObjectIdentifier, budget: inout ScopeBudget) {
        for location in open.removeValue(forKey: connection) ?? [] where !location.isReopened {
            guard tables[location.table].rows[location.row].holder == connection else { continue }
            tables[location.table].rows[location.row].holder = nil
            guard tables[location.table].rows[location.row].new == nil else { continue }
            tables[location.table].rows[location.row].isVoid = true
            let key = tables[location.table].rows[location.row].key
            tables[location.table][key] = nil
            budget.rows += 1
        }
        openTruncated[connection] = nil
    }

    var isEmpty: Bool { tables.isEmpty && truncated == 0 }

    // MARK: Outbox

    /// The number of rows that were left out of the open transaction of a connection.
    func omissions(of connection: ObjectIdentifier) -> Int { openTruncated[connection]?.count ?? 0 }

    /// Adds a table that an ended process has recorded.
    /// - Returns: its index.
    mutating func restoreTable(_ schema: TableSchema) -> Int {
        let id = TableID(database: "", table: .sqlName(schema.name))
        tables.append(Table(id: id, schema: schema, name: schema.table))
        return tables.count - 1
    }

    /// Adds a row that an ended process has recorded, in its state at the first touch.
    /// - Returns: its index in the table.
    mutating func restoreRow(
        of table: Int,
        order: Int,
        _ values: [UInt8]?,
        custom: [UInt8]?,
        _ schema: TableSchema
    ) -> Int {
        var old = State(bytes: nil, custom: nil, schema: schema)
        if let values { old = append(schema, custom: custom) { $0 += values } }
        tables[table].rows.append(Row(key: .number(0), order: order, old: old))
        return tables[table].rows.count - 1
    }

    /// Adds a number of rows that an ended process has left out.
    mutating func restoreOmissions(_ count: Int) {
        truncated += count
    }
}

/// Identity of a row in its table.
enum RowKey: Sendable, Hashable {
    case number(Int64)
    /// The primary key: each value with its type.
    case bytes([UInt8])
}
#endif
