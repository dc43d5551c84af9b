import ClickstreamCore

/// Phrases of audit events: table, key and change of the first row, and the number of the others.
enum AuditPhrase {
    /// The maximum number of columns of a row, and of scalars of a table, key or value.
    private static let maxColumns = 4
    private static let maxLength = 24
    private static let lists = [AuditFields.insertions, AuditFields.modifications, AuditFields.deletions]

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
        guard let type = text("type"), let name = try value(type).string else { return nil }
        guard let rows = text("value"), rows.first == UInt8(ascii: "[") else {
            let columns = try text("columns").map { (text) throws(JSONError) in try value(text).array ?? [] } ?? []
            let names = columns.prefix(maxColumns).compactMap { $0.word }
            return Phrase(location(name, nil), "read", names.isEmpty ? nil : names.joined(separator: ", "))
        }
        let ranges = try JSONReader.elements(of: rows, maxCount: AuditContent.maxRows)
        guard let first = ranges.first else { return Phrase(location(name, nil), "no row read") }
        let row = try value(UnsafeRawBufferPointer(rebasing: rows[first]))
        return Phrase(location(name, row), "read", ending: others(ranges.count))
    }

    // MARK: Write events

    /// `{ table: { "insertions", "modifications", "deletions" } }`.
    private static func write(_ payload: UnsafeRawBufferPointer) throws(JSONError) -> Phrase? {
        var first: String?
        var count = 0
        for table in try JSONReader.members(of: payload, maxCount: AuditLine.maxTables)
        where payload[table.value.lowerBound] == UInt8(ascii: "{") {
            let changes = UnsafeRawBufferPointer(rebasing: payload[table.value])
            for list in try JSONReader.members(of: changes, maxCount: AuditLine.maxLists)
            where lists.contains(list.name) && changes[list.value.lowerBound] == UInt8(ascii: "[") {
                let rows = UnsafeRawBufferPointer(rebasing: changes[list.value])
                let ranges = try JSONReader.elements(of: rows, maxCount: AuditContent.maxRows)
                if first == nil, let range = ranges.first {
                    first = change(in: table.name, list.name, try value(UnsafeRawBufferPointer(rebasing: rows[range])))
                }
                count += ranges.count
            }
        }
        return first.flatMap { Phrase($0, ending: others(count)) }
    }

    /// `orders 17: state open → paid`, `orders 17: inserted` or `orders 17: deleted`.
    private static func change(in table: String, _ list: String, _ row: JSONValue) -> String {
        switch list {
        case AuditFields.insertions: return "\(location(table, row)) inserted"
        case AuditFields.deletions: return "\(location(table, row)) deleted"
        default:
            let (old, new) = (row["oldValue"], row["newValue"])
            let columns = (new?.members ?? []).prefix(maxColumns).map { column in
                let before = old?[column.name].map { " \(word(of: $0))" } ?? ""
                return "\(Phrase.word(column.name, to: maxLength))\(before) → \(word(of: column.value))"
            }
            let changes = columns.isEmpty ? "changed" : columns.joined(separator: ", ")
            return "\(location(table, old ?? new)) \(changes)"
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

    /// Value of a column.
    private static func word(of value: JSONValue) -> String {
        if value.isNull { return "null" }
        guard let text = value.scalarText else { return "…" }
        return text.isEmpty ? "\"\"" : Phrase.word(text, to: maxLength)
    }

    /// A row, a name or a list of names.
    private static func value(_ text: UnsafeRawBufferPointer) throws(JSONError) -> JSONValue {
        let bounds = JSONReader.Bounds(objectDepth: 2, arrayDepth: 1, container: 4_096, values: 8_192)
        return try JSONReader.parse(text, within: bounds).value
    }
}
