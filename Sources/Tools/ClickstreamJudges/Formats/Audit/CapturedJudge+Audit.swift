import ClickstreamCore

/// Checks of an audit event, and of the payload of a read or write event.
///
/// Rows are parsed one by one, so that memory does not depend on their number.
extension CapturedJudge {
    mutating func judgeAudit(_ event: JSONValue) -> String {
        var content = AuditContent(event)
        check(event, .object(AuditFields.event))
        checkPayload(of: event, &content)
        content.finish()
        audit = content
        return event["event"]?.string ?? ""
    }

    fileprivate mutating func checkObjectID(_ value: JSONValue) {
        if let id = text(value), !Self.isObjectID(id) { report(.notAnObjectID, "is not 24 hexadecimal digits") }
    }

    static func isObjectID(_ text: String) -> Bool {
        text.utf8.count == 24 && text.utf8.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
    }

    /// Checks `data` of an audit event, and adds its tables and rows to `content`.
    private mutating func checkPayload(of event: JSONValue, _ content: inout AuditContent) {
        guard let kind = event["event"]?.string, kind == "read" || kind == "write", let data = event["data"] else {
            return
        }
        let outside = depth
        enter("data")
        defer { leave(to: outside) }
        guard var text = data.string else {
            if data.isNull { report(.payload, "is null in a \(kind) event") }
            return
        }
        let isTruncated = event["truncated"] != nil
        text.withUTF8 { bytes in
            let payload = Payload(UnsafeRawBufferPointer(bytes))
            do throws(JSONError) {
                if kind == "read" {
                    try checkRead(payload, isTruncated: isTruncated, &content)
                } else {
                    try checkWrite(payload, isTruncated: isTruncated, &content)
                }
            } catch {
                switch error.kind {
                case .countExceeded: report(.tooLarge, "has \(error.reason)")
                default: report(.payload, "is not the JSON of an object: \(error)")
                }
            }
        }
    }

    /// JSON text of a payload, and parts of it.
    private struct Payload {
        let bytes: UnsafeRawBufferPointer

        init(_ bytes: UnsafeRawBufferPointer) {
            self.bytes = bytes
        }

        subscript(range: Range<Int>) -> Payload { Payload(UnsafeRawBufferPointer(rebasing: bytes[range])) }

        /// True for an array, if the text is JSON.
        var isArray: Bool { bytes.first == UInt8(ascii: "[") }
        var isObject: Bool { bytes.first == UInt8(ascii: "{") }

        func members() throws(JSONError) -> [(name: String, value: Range<Int>)] {
            try JSONReader.members(of: bytes, maxCount: AuditContent.maxRows)
        }

        func elements() throws(JSONError) -> [Range<Int>] {
            try JSONReader.elements(of: bytes, maxCount: AuditContent.maxRows)
        }

        func value() throws(JSONError) -> JSONValue {
            try JSONReader.parse(bytes, within: CapturedJudge.bounds).value
        }
    }

    // MARK: Read events

    /// Checks `{ "type", "value": [row, …] }`, or `{ "type", "value": null, "columns": [name, …] }`.
    private mutating func checkRead(
        _ payload: Payload,
        isTruncated: Bool,
        _ content: inout AuditContent
    ) throws(JSONError) {
        let members = try payload.members()
        var type = ""
        var hasColumns = false
        var value: Range<Int>?
        var names: Set<String> = []
        for member in members {
            if !names.insert(member.name).inserted { report(.repeatedField, member.name, "occurs more than once") }
            enter(member.name)
            switch member.name {
            case "type":
                let found = try payload[member.value].value()
                check(found, .nonEmptyText)
                type = found.string ?? ""
            case "value": value = member.value
            case "columns":
                hasColumns = true
                check(try payload[member.value].value(), .list(.text, maxCount: Self.bounds.container))
            default: break
            }
            leave()
            if !["type", "value", "columns"].contains(member.name) {
                report(.unknownField, member.name, "is no field of the payload")
            }
        }
        if !names.contains("type") { report(.missingField, "type", "is missing") }
        let table = AuditTable(type)
        if !type.isEmpty { content.add(table) }
        guard let value else { return report(.missingField, "value", "is missing") }
        try checkRows(payload[value], of: table, hasColumns: hasColumns, isTruncated: isTruncated, &content)
    }

    private mutating func checkRows(
        _ value: Payload,
        of table: AuditTable,
        hasColumns: Bool,
        isTruncated: Bool,
        _ content: inout AuditContent
    ) throws(JSONError) {
        guard value.isArray else {
            guard try value.value().isNull else { return report(.wrongType, "value", "is neither an array nor null") }
            if !hasColumns { report(.missingField, "columns", "is missing beside a value of null") }
            return
        }
        if hasColumns { report(.unknownField, "columns", "belongs to a value of null") }
        enter("value")
        let rows = try value.elements()
        if rows.isEmpty, !isTruncated { report(.empty, "has no row") }
        for (index, range) in rows.enumerated() {
            enter(index)
            let row = try value[range].value()
            checkRow(row)
            content.add(row, of: table)
            leave()
        }
        leave()
    }

    /// Checks that a row is an object with each column once.
    private mutating func checkRow(_ row: JSONValue) {
        guard let members = row.members else { return report(.row, "is \(row.kindDescription), not an object") }
        var names: Set<String> = []
        for member in members where !names.insert(member.name).inserted {
            report(.repeatedField, member.name, "occurs more than once")
        }
    }

    // MARK: Write events

    /// Checks `{ table: { "insertions", "modifications", "deletions" } }`.
    private mutating func checkWrite(
        _ payload: Payload,
        isTruncated: Bool,
        _ content: inout AuditContent
    ) throws(JSONError) {
        let tables = try payload.members()
        if tables.isEmpty, !isTruncated { report(.empty, "has no table") }
        var names: Set<String> = []
        for member in tables {
            if !names.insert(member.name).inserted { report(.repeatedField, member.name, "occurs more than once") }
            let table = AuditTable(member.name)
            content.add(table)
            enter(member.name)
            let changes = payload[member.value]
            if changes.isObject {
                try checkChanges(changes, of: table, isTruncated: isTruncated, &content)
            } else {
                let kind = try changes.value().kindDescription
                report(.notAnObject, "is \(kind), not an object")
            }
            leave()
        }
    }

    private mutating func checkChanges(
        _ changes: Payload,
        of table: AuditTable,
        isTruncated: Bool,
        _ content: inout AuditContent
    ) throws(JSONError) {
        let lists = try changes.members()
        let known = [AuditFields.insertions, AuditFields.modifications, AuditFields.deletions]
        if !isTruncated, !lists.contains(where: { known.contains($0.name) }) { report(.empty, "has no change") }
        var names: Set<String> = []
        for list in lists {
            if !names.insert(list.name).inserted { report(.repeatedField, list.name, "occurs more than once") }
            guard known.contains(list.name) else {
                report(.unknownField, list.name, "is not one of \(known.joined(separator: ", "))")
                continue
            }
            enter(list.name)
            defer { leave() }
            let values = changes[list.value]
            guard values.isArray else {
                let kind = try values.value().kindDescription
                report(.wrongType, "is \(kind), not an array")
                continue
            }
            let rows = try values.elements()
            if rows.isEmpty { report(.empty, "has no row") }
            for (index, range) in rows.enumerated() {
                enter(index)
                let row = try values[range].value()
                if list.name == AuditFields.modifications {
                    checkModification(row, of: table, &content)
                } else {
                    checkRow(row)
                    content.add(row, of: table)
                }
                leave()
            }
        }
    }

    /// Checks `{ "oldValue": whole row, "newValue": changed columns }`.
    private mutating func checkModification(_ row: JSONValue, of table: AuditTable, _ content: inout AuditContent) {
        guard let members = row.members else {
            return report(.notAnObject, "is \(row.kindDescription), not an object")
        }
        for name in ["oldValue", "newValue"] {
            let values = members.filter { $0.name == name }
            if values.isEmpty { report(.missingField, name, "is missing") }
            if values.count > 1 { report(.repeatedField, name, "occurs more than once") }
            guard let value = values.first?.value else { continue }
            enter(name)
            checkRow(value)
            leave()
        }
        for member in members where member.name != "oldValue" && member.name != "newValue" {
            report(.unknownField, member.name, "is no field of a modification")
        }
        guard let old = row["oldValue"], let new = row["newValue"] else { return }
        content.add(old, of: table)
        guard let before = old.members, let changed = new.members else { return }
        if changed.isEmpty { report(.unchanged, "newValue", "has no column") }
        content.add(AuditChange.row(before, changedBy: changed), of: table)
        let olds = Dictionary(before.map { ($0.name, $0.value) }) { $1 }
        for column in changed {
            guard let value = olds[column.name] else {
                report(.partialRow, "oldValue", "has no \"\(Characters.reported(column.name))\", which is changed")
                continue
            }
            // Arrays and objects are built within bounds, so that equal ones may differ.
            if !value.isNested, value == column.value {
                enter("newValue")
                report(.unchanged, column.name, "has the same value in oldValue")
                leave()
            }
        }
    }
}

extension CapturedField.Check {
    /// 24 hexadecimal digits.
    static let objectID = CapturedField.Check.custom { $0.checkObjectID($1) }
}
