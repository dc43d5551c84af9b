import ClickstreamCore

extension WireJudge {
    // MARK: - Attributes

    /// Checks the attributes of an event by the table and by the server's types. The limits that the published SDKs do
    /// not apply to their own attributes are left out.
    /// - Parameter areReplaced: true if later attributes replace all of them.
    mutating func judgeAttributes(_ members: [JSONMember], of event: String?, areReplaced: Bool = false) {
        let rules = Rules.attributes
        let isException = event == EventName.appException
        let isMany = members.count > rules.maxCount
        let replaced = members.replacedIndices(in: .attribute)
        var count = 0
        for (index, member) in members.enumerated() {
            let name = member.name
            let isReserved = Characters.areReserved(name)
            let isReplaced = areReplaced || replaced.contains(index)
            if isReplaced || isReserved && Validator.isErrorAttribute(name) {
                judgeType(member, isReplaced: isReplaced)
                continue
            }
            let value = Self.attributeValue(member.value)
            let isOwn = !isMany || !ServerField.isPreset(name)
            if isLong(member.value, rules), ServerField.isExemptFromLength(name, inCrash: isException) {
                if isOwn { count += 1 }
                continue
            }
            guard judge(name, value, rules) else { continue }
            guard !isOwn || takes(name, value, rules, after: &count) else { continue }
            if isReserved { judgeType(member, isReplaced: false) }
        }
        if event == EventName.screenView {
            let name = members.last { $0.name == AttributeName.screenName }?.value
            let value = name.flatMap { $0.isNull ? nil : Self.attributeValue($0) }
            if let violation = Validator.checkScreenName(value) { add(WireFinding(violation)) }
        }
    }

    private func isLong(_ value: JSONValue, _ rules: CompiledRules) -> Bool {
        guard case .string(let text) = value.kind else { return false }
        return text.utf8.count > rules.longestValue
    }

    /// Checks the type of a reserved attribute, the unit of a time, and the bytes of a text.
    private mutating func judgeType(_ member: JSONMember, isReplaced: Bool) {
        guard let field = ServerField.attributes[member.name] else { return }
        judge(member.value, field, .attribute, isReplaced: isReplaced)
    }

    /// Returns true if a name with its value violates no rule; reports the first violation.
    mutating func judge(_ name: String, _ value: AttributeValue, _ rules: CompiledRules) -> Bool {
        if Validator.isAccepted(name, value, rules) { return true }
        guard Validator.isBroken(name, value, rules) else { return true }
        if firstUnlisted != nil {
            addUnlisted()
        } else if let violation = Validator.violation(name, value, rules) {
            add(WireFinding(violation))
        }
        return false
    }

    /// Counts an attribute that violates no rule. Returns false if it is one too many, and reports that.
    mutating func takes(
        _ name: String,
        _ value: AttributeValue,
        _ rules: CompiledRules,
        after count: inout Int
    ) -> Bool {
        guard count < rules.maxCount else {
            if let violation = rules.violation(ofCountBy: name) { add(WireFinding(violation)) }
            return false
        }
        count += 1
        let index = count
        if reportsSuggestions, rules.known.contains(name) || !ServerField.isKnown(name) {
            collect {
                Validator.suggest(name, value, rules, into: &$0)
                Validator.suggest(index, name, rules, into: &$0)
            }
        }
        return true
    }

    /// Returns the value that the rules check; objects, arrays and `null` have neither length nor range.
    static func attributeValue(_ value: JSONValue) -> AttributeValue {
        switch value.kind {
        case .string(let text): .string(text)
        case .number(let number): number.integer.map { .integer($0) } ?? .double(number.double)
        case .boolean(let truth): .boolean(truth)
        case .null, .array, .object: .boolean(false)
        }
    }

    // MARK: - Items

    /// - Parameter areReplaced: true if a later field replaces the items.
    mutating func judgeItems(_ value: JSONValue?, areReplaced: Bool = false) {
        guard let value, !value.isNull else { return }
        guard let items = value.array else {
            report(.notAnArray, .item, FieldName.items, "\"items\" is \(value.kindDescription), not an array")
            return
        }
        let rules = Rules.items
        var count = 0
        for (itemIndex, item) in items.enumerated() {
            guard let members = item.members else {
                let name = "items[\(itemIndex)]"
                report(.notAnObject, .item, name, "\(name) is \(item.kindDescription), not an object")
                continue
            }
            let replaced = members.replacedIndices(in: .item)
            for (index, member) in members.enumerated() {
                // A field of an item accepts every other value.
                guard member.value.isNested || ServerField.isLong(member.value),
                    let field = ServerField.item[member.name]
                else { continue }
                let isReplaced = areReplaced || replaced.contains(index)
                judge(member.value, field, .item, isReplaced: isReplaced, item: itemIndex)
            }
            if areReplaced { continue }
            let last = members.indices.lazy.filter { !replaced.contains($0) }.map { members[$0] }
            let attributes = Self.itemAttributes(Array(last))
            let reportsSuggestions = reportsSuggestions
            var rest = UnlistedFindings(maxListed: remaining)
            let isFine = collect { findings in
                Validator.checkItem(
                    attributes,
                    at: itemIndex,
                    reportsSuggestions: reportsSuggestions,
                    &rest,
                    into: &findings
                )
            }
            add(rest)
            guard isFine else { continue }
            guard count < rules.maxItems else {
                if let violation = rules.violation(ofCountByItem: itemIndex) { add(WireFinding(violation)) }
                continue
            }
            count += 1
            if reportsSuggestions { collect { Validator.suggest(itemCount: count, at: itemIndex, into: &$0) } }
        }
    }

    /// Returns an item's members under the names of the rules.
    private static func itemAttributes(_ members: [JSONMember]) -> Attributes {
        Attributes(
            members.lazy.filter { !$0.value.isNull }.map { member in
                let name = ServerField.name(of: member.name, in: .item)
                return (ItemName.renamed[name] ?? name, Self.attributeValue(member.value))
            }
        )
    }
}
