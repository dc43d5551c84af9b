package import ClickstreamCore

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
    package static let mostRows = 100_000
    /// The largest number of tables by which an event can be found.
    package static let mostTables = 1_000
    /// The maximum bytes of an activity, a table or a key; longer ones are cut.
    package static let longestText = 256

    init(_ event: JSONValue) {
        activity = Self.cut(event["activity"]?.string ?? "")
    }

    mutating func add(table: String) {
        guard tables.count < Self.mostTables else { return }
        let table = Self.cut(table)
        if knownTables.insert(table).inserted { tables.append(table) }
    }

    mutating func add(_ value: JSONValue, of table: String) {
        guard rows.count < Self.mostRows, let key = Self.key(of: value, in: table) else { return }
        let row = Row(table: Self.cut(table), key: Self.cut(key))
        if knownRows.insert(row).inserted { rows.append(row) }
    }

    /// Keeps the first tables and rows, and subtracts their number from `room`.
    package mutating func limit(to room: inout Int) {
        tables.removeLast(max(0, tables.count - room))
        room -= tables.count
        rows.removeLast(max(0, rows.count - room))
        room -= rows.count
    }

    /// Releases the memory that only ``add(_:of:)`` and ``add(table:)`` need.
    mutating func finish() { (knownTables, knownRows) = ([], []) }

    /// Value of the key column of a row as text; `nil` for a row without one.
    ///
    /// A payload does not name the primary key. The key column is the first of `_id`, `id`, `uuid`, `<table>_id`,
    /// `<table>Id` and `rowid`, compared without case, or else the first column of the row.
    package static func key(of row: JSONValue, in table: String) -> String? {
        guard let members = row.members else { return nil }
        let table = table.lowercased()
        var best: (rank: Int, key: String)?
        for (place, member) in members.enumerated() {
            guard let text = text(of: member.value) else { continue }
            guard let rank = rank(of: member.name.lowercased(), in: table) ?? (place == 0 ? 6 : nil) else { continue }
            if rank < best?.rank ?? .max { best = (rank, text) }
        }
        return best?.key
    }

    private static func rank(of column: String, in table: String) -> Int? {
        switch column {
        case "_id": 0
        case "id": 1
        case "uuid": 2
        case "rowid": 5
        default: column == "\(table)_id" ? 3 : column == "\(table)id" ? 4 : nil
        }
    }

    private static func text(of value: JSONValue) -> String? {
        value.string ?? value.number?.text ?? value.boolean.map { "\($0)" }
    }

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
    static func identity(_ id: String?) -> (text: String?, time: Int64?) {
        guard let id else { return (nil, nil) }
        guard CapturedJudge.isObjectID(id), let seconds = Int64(id.prefix(8), radix: 16) else { return (id, 0) }
        return (id.lowercased(), 1_000 * seconds)
    }
}
