#if Audit
import ClickstreamCore

/// Payload of one event of a scope.
struct ScopePayload {
    enum Kind: String {
        case read
        case write
    }

    /// The identifier of the event; `nil` for a new one.
    var id: String?
    let kind: Kind
    let data: [UInt8]
    /// The number of rows that were left out.
    let truncated: Int
}

/// Encoder of the payloads of a scope: read events in the order of the tables' first read, then reads without rows, then
/// the write event.
struct ScopeDocuments {
    private let logs: ScopeRecording.Logs
    /// Bytes left for expanded foreign keys.
    private var remaining: Int

    init(_ logs: ScopeRecording.Logs) {
        self.logs = logs
        remaining = max(0, logs.budget.bytes)
    }

    /// The payloads; empty for a scope without reads and net changes.
    static func payloads(_ logs: ScopeRecording.Logs) -> [ScopePayload] {
        var documents = ScopeDocuments(logs)
        var links = LinkTable(logs.reads)
        var payloads = logs.reads.tables.indices.map { table in
            ScopePayload(
                kind: .read,
                data: documents.read(table, &links),
                truncated: logs.reads.tables[table].truncated
            )
        }
        payloads += logs.reads.regions.map { ScopePayload(kind: .read, data: region($0), truncated: 0) }
        payloads += writes(logs)
        return payloads
    }

    /// The write events: one for each database file with an outbox, and one for all others.
    private static func writes(_ logs: ScopeRecording.Logs) -> [ScopePayload] {
        let files = Set(logs.outboxes.map(\.owner.database))
        var parts: [(id: String?, changes: WriteChanges)] = []
        for outbox in logs.outboxes {
            parts.append((id: outbox.event, changes: WriteChanges(logs.writes) { $0 == outbox.owner.database }))
        }
        parts.append((id: nil, changes: WriteChanges(logs.writes) { !files.contains($0) }))
        var truncated = logs.writes.truncated
        var payloads: [ScopePayload] = []
        for part in parts where !part.changes.isEmpty || truncated > 0 {
            payloads.append(
                ScopePayload(id: part.id, kind: .write, data: part.changes.json(), truncated: truncated)
            )
            // The first event has the rows that were left out of all files.
            truncated = 0
        }
        return payloads
    }

    // MARK: Reads

    private mutating func read(_ index: Int, _ links: inout LinkTable) -> [UInt8] {
        let table = logs.reads.tables[index]
        var json: [UInt8] = []
        json.append(raw: #"{"type":"#)
        json.append(json: table.name)
        json.append(raw: #","value":["#)
        json.reserveCapacity(logs.reads.arena.bytes.count * 2)
        for (position, row) in table.rows.enumerated() {
            if position > 0 { json.append(UInt8(ascii: ",")) }
            append(row, &links, to: &json)
        }
        json.append(raw: "]}")
        return json
    }

    private static func region(_ region: ReadLog.Region) -> [UInt8] {
        var json: [UInt8] = []
        json.append(raw: #"{"type":"#)
        json.append(json: region.name)
        json.append(raw: #","value":null,"columns":["#)
        for (position, column) in region.columns.filter(region.read.contains).enumerated() {
            if position > 0 { json.append(UInt8(ascii: ",")) }
            json.append(json: column)
        }
        json.append(raw: "]}")
        return json
    }

    /// Appends the object of a row. The target of a foreign key is an object too, if it was read in the scope; its own
    /// foreign keys are keys.
    private mutating func append(_ row: ReadLog.Row, _ links: inout LinkTable, to json: inout [UInt8]) {
        let arena = logs.reads.arena
        if let custom = row.custom {
            json += arena.bytes[custom]
            return
        }
        guard row.shape.hasLinks else {
            return arena.append(row.bytes, of: row.shape.names, to: &json)
        }
        var isFirst = true
        json.append(UInt8(ascii: "{"))
        for (column, value) in zip(row.shape.columns, arena.values(of: row.bytes)) where !value.isEmpty {
            let column = row.shape.schema.columns[column]
            if !isFirst { json.append(UInt8(ascii: ",")) }
            isFirst = false
            json += column.json
            if let foreignKey = column.foreignKey,
                let target = links.target(of: foreignKey, in: row.shape.schema.database, arena.bytes[value])
            {
                let size = arena.escapedCount(target.custom ?? target.bytes) + target.shape.overhead
                if size <= remaining {
                    remaining -= size
                    append(object: target, to: &json)
                    continue
                }
            }
            json += arena.bytes[value]
        }
        json.append(UInt8(ascii: "}"))
    }

    private func append(object row: ReadLog.Row, to json: inout [UInt8]) {
        let arena = logs.reads.arena
        if let custom = row.custom {
            json += arena.bytes[custom]
            return
        }
        arena.append(row.bytes, of: row.shape.names, to: &json)
    }
}

extension [UInt8] {
    /// Appends an object of columns with their JSON; excluded values are left out.
    /// - Returns: false if it has no members.
    @discardableResult
    mutating func append(object members: some Sequence<(TableSchema.Column, ArraySlice<UInt8>)>) -> Bool {
        var isFirst = true
        append(UInt8(ascii: "{"))
        for (column, value) in members where !value.isEmpty {
            if !isFirst { append(UInt8(ascii: ",")) }
            isFirst = false
            self += column.json
            self += value
        }
        append(UInt8(ascii: "}"))
        return !isFirst
    }
}

/// Index of the rows read in a scope by the columns that foreign keys refer to.
struct LinkTable {
    private struct Column: Hashable {
        let table: ExactText
        let column: ExactText?
    }

    private let reads: ReadLog
    private var rows: [Column: [[UInt8]: Int]] = [:]

    init(_ reads: ReadLog) {
        self.reads = reads
    }

    /// Returns the row that a foreign key refers to, if it was read.
    /// - Parameter value: the JSON of the key.
    mutating func target(
        of foreignKey: TableSchema.ForeignKey,
        in database: String,
        _ value: ArraySlice<UInt8>
    ) -> ReadLog.Row? {
        let name = database == "main" ? foreignKey.table : "\(database).\(foreignKey.table)"
        guard let table = reads.tables.firstIndex(where: { $0.name.caseInsensitivelyEquals(name) }) else { return nil }
        let column = Column(table: .sqlName(name), column: foreignKey.column.map(ExactText.sqlName))
        if rows[column] == nil { rows[column] = index(of: table, foreignKey.column) }
        let row = rows[column]?[Array(value)] ?? Self.converted(value).flatMap { rows[column]?[$0] }
        return row.map { reads.tables[table].rows[$0] }
    }

    /// Returns the JSON of a number as a text, or of a text with a number as that: SQLite compares a foreign key with its
    /// target by the type of the target's column, and `DECIMAL` columns have numbers as text.
    private static func converted(_ value: ArraySlice<UInt8>) -> [UInt8]? {
        let mark = UInt8(ascii: "\"")
        let number = value.first == mark ? value.dropFirst().dropLast() : value
        let isNumber = number.last.map { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 } ?? false
        guard isNumber, number.allSatisfy({ UInt8(ascii: "-")...UInt8(ascii: "9") ~= $0 }) else { return nil }
        return value.first == mark ? Array(number) : [mark] + value + [mark]
    }

    private func index(of table: Int, _ name: String?) -> [[UInt8]: Int] {
        var index: [[UInt8]: Int] = [:]
        for (position, row) in reads.tables[table].rows.enumerated() {
            let schema = row.shape.schema
            let keyColumn = schema.keyColumns.count == 1 ? schema.keyColumns[0] : nil
            guard let column = name.map({ schema.index(of: $0) }) ?? keyColumn,
                let valueIndex = row.shape.columns.firstIndex(of: column)
            else { continue }
            let value = reads.arena.bytes[reads.arena.values(of: row.bytes)[valueIndex]]
            if !value.isEmpty, !value.elementsEqual("null".utf8), index[Array(value)] == nil {
                index[Array(value)] = position
            }
        }
        return index
    }
}
#endif
