import ClickstreamCore

extension WireJudge {
    /// - Parameter areReplaced: true if a later user replaces the entries.
    mutating func judgeUser(_ members: [JSONMember], areReplaced: Bool = false) {
        let rules = Rules.userAttributes
        let replaced = members.replacedIndices(in: .userAttribute)
        var count = 0
        for (index, member) in members.enumerated() {
            let name = member.name
            let field = Characters.areReserved(name) ? ServerField.user[name] : nil
            if areReplaced || replaced.contains(index) {
                if let field { _ = namedValue(member, field, isReplaced: true) }
                continue
            }
            guard let entry = field.map({ namedValue(member, $0, isReplaced: false) }) ?? customValue(member) else {
                continue
            }
            let value = Self.attributeValue(entry)
            guard judge(name, value, rules) else { continue }
            if let field {
                if name == AttributeName.userID, let id = entry.string, let violation = Validator.checkUserID(id) {
                    add(WireFinding(violation))
                }
                judge(entry, field, .userAttribute, isReplaced: false)
                if name == AttributeName.userFirstTouch { judgeFirstTouch(entry, field) }
                if Validator.isUncountedUserAttribute(name) { continue }
            }
            _ = takes(name, value, rules, after: &count)
        }
    }

    /// Checks that the server can write the date of a first touch.
    private mutating func judgeFirstTouch(_ value: JSONValue, _ field: ServerField) {
        guard field.reading.rule(brokenBy: value) == nil, let time = ServerField.Reading.truncated(value),
            time &+ timeShift < ServerRule.earliestFirstTouch
        else { return }
        let name = AttributeName.userFirstTouch
        let moved = timeShift == 0 ? "" : " after the server has moved it with the event's time, which is in the future"
        let message = "the user attribute \"\(name)\" is before 1582-10-15\(moved); this ends the server's batch job"
        report(.timeRange, .userAttribute, name, message)
    }

    /// Returns the value of an entry under a custom name: the server accepts a bare value, and an object without a
    /// `value` as the value. Reports a time of another unit in an object with a `value`.
    private mutating func customValue(_ entry: JSONMember) -> JSONValue? {
        guard let value = entry.value["value"], !value.isNull else { return entry.value }
        if let time = entry.value[ServerField.setTimestamp.name] {
            judgeSetTimestamp(time, of: entry.name, isNamed: false, isReplaced: false)
        }
        return value
    }

    /// Checks the time at which an entry was set. The server reads it as an integer only in a named entry.
    private mutating func judgeSetTimestamp(_ time: JSONValue, of name: String, isNamed: Bool, isReplaced: Bool) {
        guard let broken = ServerField.setTimestamp.rule(brokenBy: time) else { return }
        let isInteger = broken == .timeUnit
        guard isInteger ? !isReplaced : isNamed else { return }
        let mismatch = Self.mismatch(time, broken)
        let message = "the \"set_timestamp\" of the user attribute \"\(Characters.reported(name))\" is \(mismatch)"
        report(isInteger ? .timeUnit : .userEntry, .userAttribute, name, message)
    }

    /// Returns the value of an entry that the server reads as an object, or `nil` if there is none to check. Checks the
    /// other members of the entry.
    private mutating func namedValue(_ member: JSONMember, _ field: ServerField, isReplaced: Bool) -> JSONValue? {
        var phrase: String { "the user attribute \"\(Characters.reported(member.name))\"" }
        if member.value.isNull { return nil }
        guard member.value.members != nil else {
            if form == .partial, member.value.array == nil { return member.value }
            report(
                .userEntry,
                .userAttribute,
                member.name,
                "\(phrase) is \(member.value.kindDescription), not an object with a \"value\""
            )
            return nil
        }
        judgeEntry(member, field, isReplaced: isReplaced)
        return member.value["value"] ?? JSONValue(.null)
    }

    /// Checks the members of an entry except its `value`. The server parses each of them and accepts no others. Of a
    /// `value` that is replaced, checks only what loses the event.
    private mutating func judgeEntry(_ entry: JSONMember, _ field: ServerField, isReplaced: Bool) {
        let members = entry.value.members ?? []
        let replaced = isReplaced ? Set(members.indices) : members.replacedIndices(in: .userAttribute)
        var phrase: String { "the user attribute \"\(Characters.reported(entry.name))\"" }
        for (index, member) in members.enumerated() {
            let isReplaced = replaced.contains(index)
            switch member.name {
            case "value":
                if isReplaced { judge(member.value, field, .userAttribute, isReplaced: true) }
            case ServerField.setTimestamp.name:
                judgeSetTimestamp(member.value, of: entry.name, isNamed: true, isReplaced: isReplaced)
            default:
                let message = "\(phrase) has the unknown member \"\(Characters.reported(member.name))\""
                report(.userEntry, .userAttribute, entry.name, message)
            }
        }
    }
}

extension [JSONMember] {
    /// The members that a later one of the same field replaces.
    func replacedIndices(in container: ServerField.Container) -> Set<Int> {
        guard count > 1 else { return [] }
        var later = Set<ExactText>(minimumCapacity: count)
        return Set(
            indices.reversed().filter { index in
                !later.insert(ExactText(ServerField.name(of: self[index].name, in: container))).inserted
            }
        )
    }
}
