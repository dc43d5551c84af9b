import ClickstreamCore

/// Queryable content of an audit event: its activity, and the tables and rows that it is about.
package struct AuditContent: Sendable, Hashable {
    /// Row of a table, identified by the value of its key column.
    package struct Row: Sendable, Hashable {
        package var table: String
        package var key: String
    }

    /// The activity, at most ``longestText`` bytes.
    package var activity: String
    /// Distinct tables, in the order of the payload.
    package private(set) var tables: [String] = []
    /// Distinct rows, in the order of the payload.
    package private(set) var rows: [Row] = []
    private var knownTables: Set<String> = []
    private var knownRows: Set<Row> = []

    /// The largest number of rows of an event that can be found by their keys.
    package static let maxRows = 100_000
    /// The largest number of tables by which an event can be found.
    package static let maxTables = 1_000
    /// The maximum bytes of an activity, a table or a key; longer ones are cut.
    package static let longestText = 256

    init(_ event: JSONValue) {
        activity = Self.cut(event["activity"]?.string ?? "")
    }

    mutating func add(_ table: AuditTable) {
        guard tables.count < Self.maxTables else { return }
        if knownTables.insert(table.name).inserted { tables.append(table.name) }
    }

    mutating func add(_ value: JSONValue, of table: AuditTable) {
        guard rows.count < Self.maxRows, let key = table.key(of: value) else { return }
        let row = Row(table: table.name, key: Self.cut(key))
        if knownRows.insert(row).inserted { rows.append(row) }
    }

    /// Keeps the first tables and rows, and subtracts their number from `remaining`.
    package mutating func limit(to remaining: inout Int) {
        tables.removeLast(max(0, tables.count - remaining))
        remaining -= tables.count
        rows.removeLast(max(0, rows.count - remaining))
        remaining -= rows.count
    }

    /// Releases the memory that only ``add(_:of:)`` and ``add(_:)`` need.
    mutating func finish() { (knownTables, knownRows) = ([], []) }

    package static func cut(_ text: String) -> String {
        if text.utf8.count <= longestText { return text }
        var cut = ""
        for scalar in text.unicodeScalars {
            if cut.utf8.count + UTF8.width(scalar) > longestText { break }
            cut.unicodeScalars.append(scalar)
        }
        return cut
    }

    /// Identifier for the detection of duplicates. Its time is the one that an ObjectId begins with, so that the index
    /// of the store grows at its end.
    static func identity(_ id: String?) -> CapturedFormat.Identity {
        guard let id else { return CapturedFormat.Identity() }
        guard CapturedJudge.isObjectID(id), let seconds = Int64(id.prefix(8), radix: 16) else {
            return CapturedFormat.Identity(id: id, time: 0)
        }
        return CapturedFormat.Identity(id: id.lowercased(), time: 1_000 * seconds)
    }
}
