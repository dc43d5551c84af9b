#if Audit
import ClickstreamCore

/// Changes of one transaction in one scope, as JSON: with those of the scope's other transactions, its write event can be
/// built without the process that recorded it.
///
/// ```json
/// {"version":1,"schemas":[{"table":"t","columns":["id","a"],"key":[],"number":0,"isRepresented":false}],
///  "rows":[[0,0,0,0,"1\n\"x\"\n",null]],"states":[[0,0,0,0,"1\n\"y\"\n",null]],"tables":[[0,0]],"omitted":0}
/// ```
///
/// `rows` are those that the scope touched first in this transaction: table, row, order, schema, values, custom
/// representation. `states` are the new ones: table, row, 1 if the transaction changes a schema and has not touched the row,
/// schema, values, custom representation. `tables` are the schemas of the tables at the end. Values are `null` for a row
/// that does not exist, and otherwise JSON, each with a line feed. Tables and rows are numbers of the scope.
struct OutboxChanges {
    static let version: Int64 = 1

    private var schemas: [UInt8] = []
    private var indices: [ObjectIdentifier: Int64] = [:]
    private var rows: [UInt8] = []
    private var states: [UInt8] = []
    private var tables: [UInt8] = []

    /// Returns the changes of a transaction in one database file; `nil` if there are none.
    /// - Parameters:
    ///   - log: the rows of the scope.
    ///   - states: the new states, with their bytes in `bytes`.
    ///   - schemas: the schemas of the tables that exist, by their index.
    ///   - omitted: the number of rows that were left out.
    static func json(
        _ log: WriteLog,
        _ states: [(location: WriteLog.Location, state: WriteLog.State)],
        _ bytes: [UInt8],
        schemas: [Int: TableSchema],
        omitted: Int,
        in file: String
    ) -> [UInt8]? {
        var changes = OutboxChanges()
        for (location, state) in states where log.tables[location.table].id.database == file {
            changes.append(location, state, bytes, log)
        }
        for (table, schema) in schemas.sorted(by: { $0.key < $1.key })
        where log.tables[table].id.database == file {
            let schema = changes.index(of: schema)
            Self.append([Int64(table), schema], to: &changes.tables)
        }
        guard !changes.states.isEmpty || omitted > 0 else { return nil }
        return changes.json(omitted: omitted)
    }

    private func json(omitted: Int) -> [UInt8] {
        var json: [UInt8] = []
        json.reserveCapacity(schemas.count + rows.count + states.count + tables.count + 100)
        json.append(raw: #"{"version":"#)
        json.append(json: Self.version)
        json.append(raw: #","schemas":["#)
        json += schemas
        json.append(raw: #"],"rows":["#)
        json += rows
        json.append(raw: #"],"states":["#)
        json += states
        json.append(raw: #"],"tables":["#)
        json += tables
        json.append(raw: #"],"omitted":"#)
        json.append(json: Int64(omitted))
        json.append(raw: "}")
        return json
    }

    private mutating func append(
        _ location: WriteLog.Location,
        _ state: WriteLog.State,
        _ bytes: [UInt8],
        _ log: WriteLog
    ) {
        let row = log.tables[location.table].rows[location.row]
        let (table, number) = (Int64(location.table), Int64(location.row))
        if row.commit == 0, !location.isReopened {
            let schema = index(of: row.old.schema)
            Self.append([table, number, Int64(row.order), schema], row.old, log.arena.bytes, to: &rows)
        }
        let schema = index(of: state.schema)
        Self.append([table, number, location.isReopened ? 1 : 0, schema], state, bytes, to: &states)
    }

    private static func append(
        _ numbers: [Int64],
        _ state: WriteLog.State,
        _ bytes: [UInt8],
        to list: inout [UInt8]
    ) {
        append(numbers, to: &list)
        list.removeLast()
        for part in [state.bytes, state.custom] {
            list.append(UInt8(ascii: ","))
            if let part {
                bytes[part].withUnsafeBufferPointer { list.append(jsonString: $0) }
            } else {
                list.append(raw: "null")
            }
        }
        list.append(raw: "]")
    }

    /// Appends an array of numbers as an element.
    private static func append(_ numbers: [Int64], to list: inout [UInt8]) {
        list.append(raw: list.isEmpty ? "[" : ",[")
        for (position, number) in numbers.enumerated() {
            if position > 0 { list.append(UInt8(ascii: ",")) }
            list.append(json: number)
        }
        list.append(raw: "]")
    }

    /// Returns the number of a schema, which is appended unless it is there.
    private mutating func index(of schema: TableSchema) -> Int64 {
        if let known = indices[ObjectIdentifier(schema)] { return known }
        let index = Int64(indices.count)
        indices[ObjectIdentifier(schema)] = index
        if index > 0 { schemas.append(UInt8(ascii: ",")) }
        schemas.append(raw: #"{"table":"#)
        schemas.append(json: schema.table)
        schemas.append(raw: #","columns":["#)
        for (position, column) in schema.columns.enumerated() {
            if position > 0 { schemas.append(UInt8(ascii: ",")) }
            schemas.append(json: column.name)
        }
        schemas.append(raw: #"],"key":["#)
        for (position, column) in schema.primaryKey.enumerated() {
            if position > 0 { schemas.append(UInt8(ascii: ",")) }
            schemas.append(json: Int64(column))
        }
        schemas.append(raw: #"],"number":"#)
        if case .rowid(_, let column?) = schema.identity {
            schemas.append(json: Int64(column))
        } else {
            schemas.append(raw: "null")
        }
        schemas.append(raw: #","isRepresented":"#)
        schemas.append(json: schema.representation != nil)
        schemas.append(raw: "}")
        return index
    }
}
#endif
