#if Audit
import ClickstreamCore
import GRDB

/// Changes of an outbox that are damaged, or were written by a later version of the library.
struct OutboxFormatError: Error {}

/// Write event of a scope whose process has ended, from the changes of its transactions.
struct OutboxReplay {
    private struct Position: Hashable {
        let table: Int
        let row: Int
    }

    private var log = WriteLog()
    private var budget = ScopeBudget(rows: .max, bytes: .max)
    /// The tables and rows of the log, by the numbers of the ended process.
    private var tables: [Int: Int] = [:]
    private var rows: [Position: WriteLog.Location] = [:]
    /// The schemas of all transactions: the same definition is one value.
    private var schemas: [JSONValue: TableSchema] = [:]

    /// Encodes the write event of a scope.
    /// - Parameter transactions: the rows of the scope, in the order of the commits.
    /// - Returns: `nil` if they have no net change.
    static func event(of transactions: some Collection<OutboxRow>) throws(OutboxFormatError) -> AuditEvent? {
        var replay = OutboxReplay()
        var last: OutboxRow?
        for row in transactions {
            try replay.add(row.changes, number: row.number)
            last = row
        }
        guard let last else { return nil }
        let changes = WriteChanges(replay.log)
        guard !changes.isEmpty || replay.log.truncated > 0 else { return nil }
        return AuditEvent(
            id: last.event,
            event: ScopePayload.Kind.write.rawValue,
            activity: last.activity,
            time: last.time,
            data: changes.json(),
            truncated: replay.log.truncated,
            metadata: last.metadata
        )
    }

    /// Repeats what the commit of a transaction added to the log of its process.
    private mutating func add(_ changes: [UInt8], number: Int) throws(OutboxFormatError) {
        guard let value = try? JSONReader.parse(changes), value["version"]?.integer == OutboxChanges.version else {
            throw OutboxFormatError()
        }
        var definitions: [TableSchema] = []
        for element in try list("schemas", of: value) { definitions.append(try schema(element)) }
        let transaction = Transaction(schemas: definitions)
        for element in try list("rows", of: value) { try addRow(try Entry(element, transaction)) }
        var bytes: [UInt8] = []
        var states: [(location: WriteLog.Location, state: WriteLog.State)] = []
        for element in try list("states", of: value) {
            let entry = try Entry(element, transaction)
            // A row that no transaction has committed is not one of the scope's changes.
            guard var location = rows[entry.position] else { continue }
            location.isReopened = entry.number == 1
            states.append((location, entry.state(in: &bytes)))
        }
        var current: [Int: TableSchema] = [:]
        for element in try list("tables", of: value) {
            guard let pair = element.array?.compactMap(\.integer), pair.count == 2 else { throw OutboxFormatError() }
            if let table = tables[Int(pair[0])] { current[table] = try transaction.schema(pair[1]) }
        }
        // There is one process, and no open transaction.
        let writer = ObjectIdentifier(OutboxReplay.self)
        log.commit(states, bytes, schemas: current, number: number, by: writer, budget: &budget)
        log.restoreOmissions(Int(value["omitted"]?.integer ?? 0))
    }

    private func list(_ name: String, of value: JSONValue) throws(OutboxFormatError) -> [JSONValue] {
        guard let list = value[name]?.array else { throw OutboxFormatError() }
        return list
    }

    private mutating func addRow(_ entry: Entry) throws(OutboxFormatError) {
        // Two transactions may have committed the same row before the process recorded that: the first one has its old state.
        guard rows[entry.position] == nil else { return }
        let table = tables[entry.position.table] ?? log.restoreTable(entry.schema)
        tables[entry.position.table] = table
        let row = log.restoreRow(
            of: table,
            order: entry.number,
            entry.values,
            custom: entry.custom,
            entry.schema
        )
        rows[entry.position] = WriteLog.Location(table: table, row: row)
    }

    // MARK: Elements

    private struct Transaction {
        let schemas: [TableSchema]

        func schema(_ index: Int64) throws(OutboxFormatError) -> TableSchema {
            guard schemas.indices.contains(Int(index)) else { throw OutboxFormatError() }
            return schemas[Int(index)]
        }
    }

    /// Row, or state of one.
    private struct Entry {
        let position: Position
        /// The order of a row, or 1 for a state whose row the transaction has not touched.
        let number: Int
        let schema: TableSchema
        let values: [UInt8]?
        let custom: [UInt8]?

        init(_ element: JSONValue, _ transaction: Transaction) throws(OutboxFormatError) {
            guard let parts = element.array, parts.count == 6 else { throw OutboxFormatError() }
            let numbers = parts[..<4].compactMap(\.integer)
            guard numbers.count == 4 else { throw OutboxFormatError() }
            position = Position(table: Int(numbers[0]), row: Int(numbers[1]))
            number = Int(numbers[2])
            schema = try transaction.schema(numbers[3])
            values = parts[4].string.map { Array($0.utf8) }
            custom = parts[5].string.map { Array($0.utf8) }
            // The encoder of changes takes as many values as there are columns.
            let count = values.map { values in values.count(where: { $0 == RowArena.end }) }
            guard count == nil || count == schema.columns.count else { throw OutboxFormatError() }
        }

        /// Returns the state, with its bytes behind others.
        func state(in bytes: inout [UInt8]) -> WriteLog.State {
            guard let values else { return WriteLog.State(bytes: nil, custom: nil, schema: schema) }
            let start = bytes.count
            bytes += values
            let end = bytes.count
            bytes += custom ?? []
            return WriteLog.State(bytes: start..<end, custom: custom.map { _ in end..<bytes.count }, schema: schema)
        }
    }

    // MARK: Schemas

    private mutating func schema(_ value: JSONValue) throws(OutboxFormatError) -> TableSchema {
        if let known = schemas[value] { return known }
        guard let table = value["table"]?.string, let names = value["columns"]?.array?.compactMap(\.string),
            let key = value["key"]?.array?.compactMap({ $0.integer.map { Int($0) } })
        else { throw OutboxFormatError() }
        let column = value["number"]?.integer.map { Int($0) }
        guard (key + [column ?? 0]).allSatisfy(names.indices.contains) else { throw OutboxFormatError() }
        let schema = TableSchema(
            signature: "",
            database: "main",
            table: table,
            columns: names.map(Self.column),
            identity: key.isEmpty ? .rowid(name: "rowid", column: column) : .key(key),
            primaryKey: key,
            isTracked: true,
            isShadow: false,
            representation: value["isRepresented"]?.boolean == true ? EndedRepresentation.self : nil
        )
        schemas[value] = schema
        return schema
    }

    /// Returns a column of encoded values, whose type has no effect.
    private static func column(_ name: String) -> TableSchema.Column {
        TableSchema.Column(
            name: name,
            json: SchemaReader.member(name),
            kind: ColumnKind(declaration: ""),
            affinity: ColumnAffinity(declaration: ""),
            storage: nil,
            defaultJSON: nil,
            foreignKey: nil
        )
    }
}

/// Representation of a table's rows in a process that has ended: those that have one contain its JSON.
private struct EndedRepresentation: CustomEventRepresentable {
    static var databaseTableName: String { "" }

    init(row: Row) {}

    func customEventRepresentation() -> String { "null" }
}
#endif
