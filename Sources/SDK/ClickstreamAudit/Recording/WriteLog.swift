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
        /// The state after the last transaction that touched the row; `nil` before its commit.
        var new: State?
        /// True while a transaction that touched the row is open.
        var isOpen = true
        /// True if the row was left out: its transaction was rolled back, or its new state exceeds the limits.
        var isVoid = false
    }

    struct Table: Sendable {
        /// The file of the database, or the connection of one in memory; then the table.
        let id: TableID
        var schema: TableSchema
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
    struct Place: Sendable {
        let table: Int
        let row: Int
    }

    private(set) var tables: [Table] = []
    private(set) var arena = RowArena()
    /// The rows that open transactions touched, by connection.
    private var open: [ObjectIdentifier: [Place]] = [:]
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
    private var indices: [ObjectIdentifier: Int] = [:]

    private mutating func index(of schema: TableSchema, _ database: String) -> Int {
        let id = TableID(database: database, table: ExactText(schema.name))
        let index = tables.firstIndex { $0.id == id } ?? tables.count
        if index == tables.count { tables.append(Table(id: id, schema: schema)) }
        // Retained, so that its identity stays unique.
        tables[index].schema = schema
        indices = indices.filter { $0.value != index }
        indices[ObjectIdentifier(schema)] = index
        return index
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
            guard !tables[table].rows[known].isOpen else { return }
            tables[table].rows[known].isOpen = true
            open[connection, default: []].append(Place(table: table, row: known))
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
        tables[table].rows.append(Row(key: key, order: order, old: state))
        order += 1
        tables[table][key] = row
        open[connection, default: []].append(Place(table: table, row: row))
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

    /// Returns the rows that the open transaction of a connection touched.
    func openRows(of connection: ObjectIdentifier) -> [(place: Place, key: RowKey, schema: TableSchema)] {
        (open[connection] ?? []).map { place in
            (place, tables[place.table].rows[place.row].key, tables[place.table].schema)
        }
    }

    /// The open transaction was committed.
    /// - Parameter states: the new state of each open row, with its bytes in `bytes`.
    mutating func commit(
        _ states: [(place: Place, state: State)],
        _ bytes: [UInt8],
        by connection: ObjectIdentifier,
        budget: inout ScopeBudget
    ) {
        let offset = arena.bytes.count
        arena.bytes += bytes
        for (place, state) in states {
            var state = state
            state.bytes = state.bytes.map { $0.lowerBound + offset..<$0.upperBound + offset }
            state.custom = state.custom.map { $0.lowerBound + offset..<$0.upperBound + offset }
            tables[place.table].rows[place.row].isOpen = false
            let size = state.bytes.map { arena.escapedCount($0.lowerBound..<(state.custom ?? $0).upperBound) } ?? 0
            guard budget.take(rows: 0, bytes: size) else {
                tables[place.table].rows[place.row].isVoid = true
                truncated += 1
                continue
            }
            tables[place.table].rows[place.row].new = state
        }
        open[connection] = nil
        truncated += openTruncated.removeValue(forKey: connection)?.count ?? 0
    }

    /// Marks all rows of some databases as touched by the open transaction, which has changed their schema.
    mutating func reopen(_ databases: Set<String>, by connection: ObjectIdentifier) {
        for table in tables.indices where databases.contains(tables[table].id.database) {
            for row in tables[table].rows.indices {
                guard !tables[table].rows[row].isVoid, !tables[table].rows[row].isOpen else { continue }
                tables[table].rows[row].isOpen = true
                open[connection, default: []].append(Place(table: table, row: row))
            }
        }
    }

    /// The open transaction was rolled back: rows that it was the first to touch are forgotten.
    mutating func rollback(by connection: ObjectIdentifier, budget: inout ScopeBudget) {
        for place in open.removeValue(forKey: connection) ?? [] {
            tables[place.table].rows[place.row].isOpen = false
            guard tables[place.table].rows[place.row].new == nil else { continue }
            tables[place.table].rows[place.row].isVoid = true
            let key = tables[place.table].rows[place.row].key
            tables[place.table][key] = nil
            budget.rows += 1
        }
        openTruncated[connection] = nil
    }

    var isEmpty: Bool { tables.isEmpty && truncated == 0 }
}

/// Identity of a row in its table.
enum RowKey: Sendable, Hashable {
    case number(Int64)
    /// The primary key: each value with its type.
    case bytes([UInt8])
}
#endif
