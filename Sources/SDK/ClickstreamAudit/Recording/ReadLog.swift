#if Audit
import ClickstreamCore

/// Rows that statements returned within one scope, each once, in the order of the first read.
struct ReadLog: Sendable {
    /// Columns of a table that a statement returns.
    final class Shape: Sendable {
        let schema: TableSchema
        /// Indices in the schema, in ascending order.
        let columns: [Int]
        let overhead: Int
        /// The columns' names and colons, as JSON.
        let names: [[UInt8]]
        /// True if a column refers to another table.
        let hasLinks: Bool

        init(_ schema: TableSchema, columns: [Int]) {
            names = columns.map { schema.names[$0] }
            hasLinks = columns.contains { schema.columns[$0].foreignKey != nil }
            self.schema = schema
            self.columns = columns
            overhead = TableSchema.overhead(of: columns.lazy.map { schema.columns[$0] })
        }

        func covers(_ other: Shape) -> Bool {
            if self === other { return true }
            guard schema === other.schema else { return false }
            return columns == other.columns || Set(columns).isSuperset(of: other.columns)
        }
    }

    struct Row: Sendable {
        var shape: Shape
        var bytes: Range<Int>
        /// The JSON of a custom representation.
        var custom: Range<Int>?
    }

    struct Table: Sendable {
        let name: String
        var rows: [Row] = []
        var byNumber: [Int64: Int] = [:]
        var byKey: [[UInt8]: Int] = [:]
        /// The number of returned rows that were left out.
        var truncated = 0
    }

    /// Identity of a returned row.
    enum Key: Sendable {
        case number(Int64)
        case bytes([UInt8])
        /// The values themselves.
        case content
    }

    /// A table of a statement's region, without rows.
    struct Region: Sendable {
        let name: String
        /// The columns of the table, in its order.
        let columns: [String]
        var read: Set<String>
    }

    private(set) var tables: [Table] = []
    private(set) var regions: [Region] = []
    private(set) var arena = RowArena()
    private var indices: [ObjectIdentifier: Int] = [:]
    /// The statement whose regions were recorded last.
    private var lastRegions: ObjectIdentifier?
    /// Schemas whose identity is in use as a key.
    private var schemas: [TableSchema] = []

    /// Returns the index of a table.
    private mutating func index(of schema: TableSchema) -> Int {
        if let index = indices[ObjectIdentifier(schema)] { return index }
        let index = tables.firstIndex { Characters.areSame($0.name, schema.name) } ?? tables.count
        if index == tables.count { tables.append(Table(name: schema.name)) }
        indices[ObjectIdentifier(schema)] = index
        schemas.append(schema)
        return index
    }

    /// Records a row.
    /// - Parameters:
    ///   - custom: the custom representation of the row.
    ///   - encode: appends the values of the shape's columns.
    mutating func add(
        _ shape: Shape,
        _ key: Key,
        custom: [UInt8]? = nil,
        budget: inout ScopeBudget,
        encode: (inout [UInt8]) -> Void
    ) {
        let table = index(of: shape.schema)
        var known: Int?
        switch key {
        case .number(let number): known = tables[table].byNumber[number]
        case .bytes(let bytes): known = tables[table].byKey[bytes]
        case .content: break
        }
        if let known, tables[table].rows[known].shape.covers(shape) {
            // The row was read before with some of its columns.
            if let custom, tables[table].rows[known].custom == nil { represent(known, of: table, custom, &budget) }
            return
        }
        if budget.isSpent, known == nil {
            if case .content = key {
            } else {
                tables[table].truncated += 1
                return
            }
        }
        let start = arena.bytes.count
        encode(&arena.bytes)
        let bytes = start..<arena.bytes.count
        if let known {
            merge(Row(shape: shape, bytes: bytes), into: known, of: table, &budget)
            if let custom { represent(known, of: table, custom, &budget) }
            return
        }
        var identity: [UInt8]?
        if case .content = key {
            let content = Self.identity(of: shape, arena.bytes[bytes]) + (custom ?? [])
            guard tables[table].byKey[content] == nil else {
                arena.bytes.removeLast(bytes.count)
                return
            }
            identity = content
        }
        guard budget.take(rows: 1, bytes: arena.escapedCount(bytes) + shape.overhead) else {
            arena.bytes.removeLast(bytes.count)
            tables[table].truncated += 1
            return
        }
        let row = tables[table].rows.count
        switch key {
        case .number(let number): tables[table].byNumber[number] = row
        case .bytes(let bytes): tables[table].byKey[bytes] = row
        case .content: if let identity { tables[table].byKey[identity] = row }
        }
        tables[table].rows.append(Row(shape: shape, bytes: bytes))
        if let custom { represent(row, of: table, custom, &budget) }
    }

    /// Adds the custom representation of a row.
    private mutating func represent(_ row: Int, of table: Int, _ custom: [UInt8], _ budget: inout ScopeBudget) {
        let start = arena.bytes.count
        arena.bytes += custom
        let bytes = start..<arena.bytes.count
        guard budget.take(rows: 0, bytes: arena.escapedCount(bytes)) else {
            arena.bytes.removeLast(bytes.count)
            return
        }
        tables[table].rows[row].custom = bytes
    }

    /// The identity of a row without a key: its columns and values.
    private static func identity(of shape: Shape, _ values: ArraySlice<UInt8>) -> [UInt8] {
        var identity: [UInt8] = [0]
        identity.reserveCapacity(values.count + 2 * shape.columns.count + 1)
        for column in shape.columns {
            identity.append(UInt8(truncatingIfNeeded: column))
            identity.append(UInt8(truncatingIfNeeded: column >> 8))
        }
        return identity + values
    }

    /// Adds columns that were not read before; the others keep the values of the first read.
    private mutating func merge(_ row: Row, into known: Int, of table: Int, _ budget: inout ScopeBudget) {
        let before = tables[table].rows[known]
        guard before.shape.schema === row.shape.schema else {
            arena.bytes.removeLast(row.bytes.count)
            return
        }
        let columns = Set(before.shape.columns).union(row.shape.columns).sorted()
        let shape = Shape(row.shape.schema, columns: columns)
        let old = Dictionary(uniqueKeysWithValues: zip(before.shape.columns, arena.values(of: before.bytes)))
        let new = Dictionary(uniqueKeysWithValues: zip(row.shape.columns, arena.values(of: row.bytes)))
        let start = arena.bytes.count
        for column in columns {
            if let value = old[column] ?? new[column] { arena.bytes += arena.bytes[value] }
            arena.bytes.append(RowArena.end)
        }
        let merged = start..<arena.bytes.count
        let added =
            arena.escapedCount(merged) - arena.escapedCount(before.bytes) + shape.overhead - before.shape.overhead
        guard budget.take(rows: 0, bytes: max(0, added)) else {
            arena.bytes.removeLast(merged.count + row.bytes.count)
            tables[table].truncated += 1
            return
        }
        // The values that were just encoded are not needed behind the merged ones.
        let offset = row.bytes.count
        arena.bytes.removeSubrange(row.bytes)
        tables[table].rows[known] = Row(
            shape: shape,
            bytes: (merged.lowerBound - offset)..<(merged.upperBound - offset)
        )
    }

    /// Records the regions of a statement, whose reads cannot be attributed to rows.
    mutating func add(regionsOf plan: StatementPlan) {
        guard lastRegions != ObjectIdentifier(plan) else { return }
        lastRegions = ObjectIdentifier(plan)
        for region in plan.regions { add(region) }
    }

    private mutating func add(_ region: Region) {
        if let index = regions.firstIndex(where: { Characters.areSame($0.name, region.name) }) {
            regions[index].read.formUnion(region.read)
        } else {
            regions.append(region)
        }
    }
}
#endif
