import ClickstreamCore

extension WireJudge {
    // MARK: - Fields that the server reads in a certain type

    /// Set of lengths of names, at most 63.
    private struct NameLengths {
        private var bits: UInt64 = 0

        /// The lengths of the names of an event's fields that satisfy `isIncluded`.
        init(where isIncluded: (ServerField) -> Bool) {
            for (name, field) in ServerField.event where isIncluded(field) { bits |= 1 << UInt64(name.utf8.count) }
        }

        func contains(_ length: Int) -> Bool {
            length < UInt64.bitWidth && bits & 1 << UInt64(length) != 0
        }
    }

    /// Lengths of fields that do not accept every scalar.
    private static let typed = NameLengths { $0.reading != .text }
    /// Lengths of fields that do not accept every integer.
    private static let times = NameLengths { $0.isTime }
    /// Lengths of fields that do not accept every text up to ``ServerField/usualColumnBytes``.
    private static let narrow = NameLengths { $0.columnBytes.map { $0 < ServerField.usualColumnBytes } ?? false }

    /// Returns true if the value of a field violates a rule. Looks up the table only for arrays, objects, long texts,
    /// and scalars under names of certain lengths.
    func isBroken(_ member: JSONMember) -> Bool {
        switch member.value.kind {
        case .null: return false
        case .number(let number) where number.integer != nil:
            guard Self.times.contains(member.name.utf8.count) else { return false }
        case .string, .number, .boolean:
            let length = member.name.utf8.count
            guard
                Self.typed.contains(length) || Self.narrow.contains(length) || ServerField.isLong(member.value)
            else { return false }
        case .array, .object: break
        }
        guard let field = ServerField.event[member.name] else { return false }
        return field.rule(brokenBy: member.value) != nil || field.isCut(member.value)
    }

    /// Reports the fields at `indices`, whose values violate rules.
    mutating func judgeFields(_ members: [JSONMember], at indices: [Int]) {
        let replaced = members.replacedIndices(in: .event)
        for index in indices {
            guard let field = ServerField.event[members[index].name] else { continue }
            judge(members[index].value, field, .event, isReplaced: replaced.contains(index))
        }
    }

    /// Checks the type of a value, the unit of a time, and the bytes of a text. Of a value that a later one of the same
    /// name replaces, reports only a type with which the server loses the event.
    mutating func judge(
        _ value: JSONValue,
        _ field: ServerField,
        _ subject: Violation.Subject,
        isReplaced: Bool,
        item: Int? = nil
    ) {
        let rule = isReplaced ? field.reading.rule(brokenByReplaced: value) : field.rule(brokenBy: value)
        if let rule { report(rule, value, subject, field.name, item: item) }
        if isReplaced { return }
        warn(ifCut: value, after: field.columnBytes, subject, field.name, item: item)
    }

    /// Warns of a text of which the server keeps only `columnBytes`.
    mutating func warn(
        ifCut value: JSONValue,
        after columnBytes: Int?,
        _ subject: Violation.Subject,
        _ name: String,
        item: Int? = nil
    ) {
        guard let columnBytes, let bytes = ServerField.bytes(of: value), bytes > columnBytes else { return }
        let location = item.map { "items[\($0)]: " } ?? ""
        report(
            .cut,
            subject,
            name,
            "\(location)\"\(name)\" has \(bytes) bytes, of which the server keeps \(columnBytes)"
        )
    }
}
