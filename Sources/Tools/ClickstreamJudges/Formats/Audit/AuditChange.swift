package import ClickstreamCore

/// Row that an audit event read or changed.
package struct AuditChange: Sendable, Hashable {
    package enum Kind: String, Sendable, Hashable {
        case read, insert, update, delete

        /// - Parameter list: name of a list of rows in a write event.
        fileprivate init?(list: String) {
            switch list {
            case AuditFields.insertions: self = .insert
            case AuditFields.modifications: self = .update
            case AuditFields.deletions: self = .delete
            default: return nil
            }
        }
    }

    package let kind: Kind
    /// The row that was read or deleted, or the whole row before an update; `nil` for an inserted row.
    let before: JSONValue?
    /// The inserted row, or the changed columns of an update; `nil` for other rows.
    let after: JSONValue?

    /// The maximum number of scalars of a column's name, and of its value.
    private static let maxLength = 24

    /// - Parameter row: element of a list of the payload.
    init(_ kind: Kind, _ row: JSONValue) {
        self.kind = kind
        switch kind {
        case .read, .delete: (before, after) = (row, nil)
        case .insert: (before, after) = (nil, row)
        case .update: (before, after) = (row["oldValue"], row["newValue"])
        }
    }

    /// Columns with their values: of an update the changed ones, such as `state open → paid`; of another row all, such as
    /// `state open`. Names and values are escaped, and cut after 24 characters.
    package var columns: [String] { columns(upTo: .max) }

    func columns(upTo count: Int) -> [String] {
        let columns = (kind == .update ? after : after ?? before)?.members ?? []
        return columns.prefix(count).map { column in
            let name = Phrase.word(column.name, to: Self.maxLength)
            guard kind == .update else { return "\(name) \(Self.word(of: column.value))" }
            let old = before?[column.name].map { " \(Self.word(of: $0))" } ?? ""
            return "\(name)\(old) → \(Self.word(of: column.value))"
        }
    }

    private static func word(of value: JSONValue) -> String {
        if value.isNull { return "null" }
        guard let text = value.scalarText else { return "…" }
        return text.isEmpty ? "\"\"" : Phrase.word(text, to: maxLength)
    }
}

// MARK: - Rows of an event

extension AuditChange {
    /// Rows of one table and kind in a payload.
    struct List {
        let table: String
        let kind: Kind
        /// JSON array of the rows. Part of the payload.
        let rows: UnsafeRawBufferPointer

        /// Ranges of the rows in ``rows``.
        func ranges() throws(JSONError) -> [Range<Int>] {
            try JSONReader.elements(of: rows, maxCount: AuditContent.maxRows)
        }

        func change(at range: Range<Int>) throws(JSONError) -> AuditChange {
            let row = try AuditChange.value(UnsafeRawBufferPointer(rebasing: rows[range]))
            return AuditChange(kind, row)
        }
    }

    /// Lists of the payload of a write event, `{ table: { "insertions", "modifications", "deletions" } }`.
    static func written(by payload: UnsafeRawBufferPointer) throws(JSONError) -> [List] {
        var lists: [List] = []
        for table in try JSONReader.members(of: payload, maxCount: AuditLine.maxTables)
        where payload[table.value.lowerBound] == UInt8(ascii: "{") {
            let changes = UnsafeRawBufferPointer(rebasing: payload[table.value])
            for list in try JSONReader.members(of: changes, maxCount: AuditLine.maxLists)
            where changes[list.value.lowerBound] == UInt8(ascii: "[") {
                guard let kind = Kind(list: list.name) else { continue }
                let rows = UnsafeRawBufferPointer(rebasing: changes[list.value])
                lists.append(List(table: table.name, kind: kind, rows: rows))
            }
        }
        return lists
    }

    /// List of the payload of a read event, `{ "type", "value": [row, …] }`; `nil` for one without rows.
    private static func read(by payload: UnsafeRawBufferPointer) throws(JSONError) -> List? {
        let members = try JSONReader.members(of: payload, maxCount: AuditLine.maxLists)
        guard let type = members.last(where: { $0.name == "type" })?.value,
            let rows = members.last(where: { $0.name == "value" })?.value,
            payload[rows.lowerBound] == UInt8(ascii: "["),
            let table = try value(UnsafeRawBufferPointer(rebasing: payload[type])).string
        else { return nil }
        return List(table: table, kind: .read, rows: UnsafeRawBufferPointer(rebasing: payload[rows]))
    }

    /// A row, a name or a list of names.
    static func value(_ text: UnsafeRawBufferPointer) throws(JSONError) -> JSONValue {
        let bounds = JSONReader.Bounds(objectDepth: 2, arrayDepth: 1, container: 4_096, values: 8_192)
        return try JSONReader.parse(text, within: bounds).value
    }
}

// MARK: - Changes of a row

extension AuditChange {
    /// Changes of a row by an event, in the order of the payload. Costs O(n) in the length of the payload.
    /// - Parameter key: key of the row before or after the change, as the collector finds it: see ``AuditTable/key(of:)``.
    /// - Returns: no change for an event that is not about the row, or whose payload is not well-formed.
    package static func changes(ofRow key: String, in table: String, by event: JSONValue) -> [AuditChange] {
        guard let kind = event["event"]?.string, kind == "read" || kind == "write",
            var data = event["data"]?.string
        else { return [] }
        return data.withUTF8 { bytes in
            let payload = UnsafeRawBufferPointer(bytes)
            return (try? changes(ofRow: key, in: table, isRead: kind == "read", payload)) ?? []
        }
    }

    private static func changes(
        ofRow key: String,
        in table: String,
        isRead: Bool,
        _ payload: UnsafeRawBufferPointer
    ) throws(JSONError) -> [AuditChange] {
        let lists = try isRead ? [read(by: payload)].compactMap { $0 } : written(by: payload)
        let table = AuditTable(table)
        let key = ExactText(AuditContent.cut(key))
        var changes: [AuditChange] = []
        for list in lists where ExactText(AuditContent.cut(list.table)) == ExactText(table.name) {
            for range in try list.ranges() {
                let change = try list.change(at: range)
                if change.isOfRow(key, of: table) { changes.append(change) }
            }
        }
        return changes
    }

    private func isOfRow(_ key: ExactText, of table: AuditTable) -> Bool {
        var rows = [before ?? after]
        if kind == .update, let old = before?.members, let new = after?.members {
            rows.append(Self.row(old, changedBy: new))
        }
        return rows.contains { row in
            guard let found = row.flatMap({ table.key(of: $0) }) else { return false }
            return ExactText(AuditContent.cut(found)) == key
        }
    }

    /// The row after an update. It has another key if a column of its key was changed.
    static func row(_ old: [JSONMember], changedBy new: [JSONMember]) -> JSONValue {
        let news = Dictionary(new.map { ($0.name, $0) }) { $1 }
        return JSONValue(.object(old.map { news[$0.name] ?? $0 }))
    }
}
