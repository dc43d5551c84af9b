import ClickstreamCore

/// Phrases of audit events: table, key and change of the first row, and the number of the others.
enum AuditPhrase {
    /// The maximum number of columns of a row, and of scalars of a table or key.
    private static let maxColumns = 4
    private static let maxLength = 24

    static func phrase(of event: EventMembers) -> Phrase? {
        let kind = event["event"]
        guard let kindWord = kind?.word else { return nil }
        let whole = Phrase(kindWord, event["activity"]?.word.map { "(\($0))" })
        guard var data = event["data"]?.string else { return whole }
        switch kind?.string {
        case "read":
            return data.withUTF8 { payload in (try? read(UnsafeRawBufferPointer(payload))) ?? whole }
        case "write":
            return data.withUTF8 { payload in (try? write(UnsafeRawBufferPointer(payload))) ?? whole }
        default:
            return Phrase("\(kindWord):", JSONValue(.string(data)).word ?? "\"\"")
        }
    }

    // MARK: Read events

    /// `{ "type", "value": [row, …] }`, or `{ "type", "value": null, "columns": [name, …] }`.
    private static func read(_ payload: UnsafeRawBufferPointer) throws(JSONError) -> Phrase? {
        let members = try JSONReader.members(of: payload, maxCount: AuditLine.maxLists)
        func text(_ name: String) -> UnsafeRawBufferPointer? {
            members.last { $0.name == name }.map { UnsafeRawBufferPointer(rebasing: payload[$0.value]) }
        }
        guard let type = text("type"), let name = try AuditChange.value(type).string else { return nil }
        guard let rows = text("value"), rows.first == UInt8(ascii: "[") else {
            let columns =
                try text("columns").map { (text) throws(JSONError) in try AuditChange.value(text).array ?? [] } ?? []
            let names = columns.prefix(maxColumns).compactMap { $0.word }
            return Phrase(location(name, nil), "read", names.isEmpty ? nil : names.joined(separator: ", "))
        }
        let ranges = try JSONReader.elements(of: rows, maxCount: AuditContent.maxRows)
        guard let first = ranges.first else { return Phrase(location(name, nil), "no row read") }
        let row = try AuditChange.value(UnsafeRawBufferPointer(rebasing: rows[first]))
        return Phrase(location(name, row), "read", ending: others(ranges.count))
    }

    // MARK: Write events

    private static func write(_ payload: UnsafeRawBufferPointer) throws(JSONError) -> Phrase? {
        var first: String?
        var count = 0
        for list in try AuditChange.written(by: payload) {
            let ranges = try list.ranges()
            if first == nil, let range = ranges.first { first = phrase(of: try list.change(at: range), in: list.table) }
            count += ranges.count
        }
        return first.flatMap { Phrase($0, ending: others(count)) }
    }

    /// `orders 17: state open → paid`, `orders 17: inserted` or `orders 17: deleted`.
    private static func phrase(of change: AuditChange, in table: String) -> String {
        let location = location(table, change.before ?? change.after)
        switch change.kind {
        case .read: return "\(location) read"
        case .insert: return "\(location) inserted"
        case .delete: return "\(location) deleted"
        case .update:
            let columns = change.columns(upTo: maxColumns)
            return "\(location) \(columns.isEmpty ? "changed" : columns.joined(separator: ", "))"
        }
    }

    // MARK: Words

    private static func location(_ table: String, _ row: JSONValue?) -> String {
        let key = row.flatMap { AuditTable(table).key(of: $0) }.map { " \(Phrase.word($0, to: maxLength))" } ?? ""
        return "\(Phrase.word(table, to: maxLength))\(key):"
    }

    private static func others(_ count: Int) -> String? {
        count < 2 ? nil : count == 2 ? "and 1 more row" : "and \(count - 1) more rows"
    }
}
