import ClickstreamCore

extension WireJudge {
    mutating func judgeUser(_ members: [JSONMember]) {
        let rules = Rules.userAttributes
        var count = 0
        for member in members {
            let name = member.name
            let reading = Characters.areReserved(name) ? ServerField.user[name] : nil
            guard let entry = reading.map({ namedValue(member, $0) }) ?? customValue(member.value) else { continue }
            let value = Self.attributeValue(entry)
            guard judge(name, value, rules) else { continue }
            if let reading {
                if name == AttributeName.userID, let id = entry.string, let violation = Validator.checkUserID(id) {
                    add(WireFinding(violation))
                }
                if let rule = reading.rule(brokenBy: entry) { report(rule, entry, .userAttribute, name) }
                if Validator.isUncountedUserAttribute(name) { continue }
            }
            _ = takes(name, value, rules, after: &count)
        }
    }

    /// Returns the value of an entry under a custom name: the server accepts a bare value, and an object without a
    /// `value` as the value.
    private func customValue(_ entry: JSONValue) -> JSONValue? {
        guard let value = entry["value"], !value.isNull else { return entry }
        return value
    }

    /// Returns the value of an entry that the server reads as an object, or `nil` if there is none to check.
    private mutating func namedValue(_ member: JSONMember, _ reading: ServerField.Reading) -> JSONValue? {
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
        judgeEntry(member, reading)
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
            case "set_timestamp":
                if ServerField.Reading.truncatedInteger.rule(brokenBy: member.value) != nil {
                    let kind = Self.description(member.value)
                    let message = "the \"set_timestamp\" of \(phrase) is \(kind), not an integer"
                    report(.userEntry, .userAttribute, entry.name, message)
                }
            default:
                let message = "\(phrase) has the unknown member \"\(Characters.reported(member.name))\""
                report(.userEntry, .userAttribute, entry.name, message)
            }
        }
    }
}
