import ClickstreamCore

extension WireJudge {
    mutating func judgeUser(_ members: [JSONMember]) {
        let rules = Rules.userAttributes
        var count = 0
        for member in members {
            let name = member.name
            let reading = Characters.areReserved(name) ? ServerField.user[name] : nil
            guard let entry = reading == nil ? customValue(member.value) : namedValue(member) else { continue }
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

    /// The value of an entry of the app's own. The server takes a bare value, and an object without a `value` as a whole.
    private func customValue(_ entry: JSONValue) -> JSONValue? {
        guard let value = entry["value"], !value.isNull else { return entry }
        return value
    }

    /// The value of an entry that the server reads as an object, or `nil` if there is none to be judged.
    private mutating func namedValue(_ member: JSONMember) -> JSONValue? {
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
        if let time = member.value["set_timestamp"],
            ServerField.Reading.truncatedInteger.rule(brokenBy: time) != nil
        {
            report(
                .userEntry,
                .userAttribute,
                member.name,
                "the \"set_timestamp\" of \(phrase) is \(Self.description(time)), not a whole number"
            )
        }
        return member.value["value"] ?? JSONValue(.null)
    }
}
