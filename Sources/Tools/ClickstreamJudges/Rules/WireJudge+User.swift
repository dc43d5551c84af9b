import ClickstreamCore

extension WireJudge {
    mutating func judgeUser(_ members: [JSONMember]) {
        let rules = Rules.userAttributes
        var count = 0
        for member in members {
            let name = member.name
            let field = Characters.areReserved(name) ? ServerField.user[name] : nil
            guard let entry = field.map({ namedValue(member, $0) }) ?? customValue(member) else { continue }
            let value = Self.attributeValue(entry)
            guard judge(name, value, rules) else { continue }
            if let field {
                if name == AttributeName.userID, let id = entry.string, let violation = Validator.checkUserID(id) {
                    add(WireFinding(violation))
                }
                if let rule = field.rule(brokenBy: entry) {
                    report(rule, entry, .userAttribute, name)
                    if rule == .timeUnit, name == AttributeName.userFirstTouch { judgeFirstTouch(entry) }
                }
                judgeLength(entry, field.columnBytes, .userAttribute, name)
                if Validator.isUncountedUserAttribute(name) { continue }
            }
            _ = takes(name, value, rules, after: &count)
        }
    }

    /// Checks that the server can write the date of a first touch.
    private mutating func judgeFirstTouch(_ value: JSONValue) {
        guard let time = ServerField.Reading.truncated(value), time < ServerRule.earliestFirstTouch else { return }
        let name = AttributeName.userFirstTouch
        let message = "the user attribute \"\(name)\" is before 1582-10-15, which ends the server's batch job"
        report(.timeRange, .userAttribute, name, message)
    }

    /// Returns the value of an entry under a custom name: the server accepts a bare value, and an object without a
    /// `value` as the value. Reports a time of another unit in an object with a `value`.
    private mutating func customValue(_ entry: JSONMember) -> JSONValue? {
        guard let value = entry.value["value"], !value.isNull else { return entry.value }
        if let time = entry.value[ServerField.setTimestamp.name] {
            judgeSetTimestamp(time, of: entry.name, isNamed: false)
        }
        return value
    }

    /// Checks the time at which an entry was set. The server reads it as an integer only in a named entry.
    private mutating func judgeSetTimestamp(_ time: JSONValue, of name: String, isNamed: Bool) {
        guard let broken = ServerField.setTimestamp.rule(brokenBy: time) else { return }
        let isInteger = broken == .timeUnit
        guard isInteger || isNamed else { return }
        let mismatch = Self.mismatch(time, broken)
        let message = "the \"set_timestamp\" of the user attribute \"\(Characters.reported(name))\" is \(mismatch)"
        report(isInteger ? .timeUnit : .userEntry, .userAttribute, name, message)
    }

    /// Returns the value of an entry that the server reads as an object, or `nil` if there is none to check.
    private mutating func namedValue(_ member: JSONMember, _ field: ServerField) -> JSONValue? {
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
        judgeEntry(member, field.reading)
        return member.value["value"] ?? JSONValue(.null)
    }

    /// Checks the members of an entry except the last `value`. The server reads each of them and accepts no others.
    private mutating func judgeEntry(_ entry: JSONMember, _ reading: ServerField.Reading) {
        let members = entry.value.members ?? []
        let last = members.lastIndex { $0.name == "value" }
        var phrase: String { "the user attribute \"\(Characters.reported(entry.name))\"" }
        for (place, member) in members.enumerated() where place != last {
            switch member.name {
            case "value":
                if let rule = reading.rule(brokenByReplaced: member.value) {
                    report(rule, member.value, .userAttribute, entry.name)
                }
            case ServerField.setTimestamp.name:
                judgeSetTimestamp(member.value, of: entry.name, isNamed: true)
            default:
                let message = "\(phrase) has the unknown member \"\(Characters.reported(member.name))\""
                report(.userEntry, .userAttribute, entry.name, message)
            }
        }
    }
}
