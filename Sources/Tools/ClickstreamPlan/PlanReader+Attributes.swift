import ClickstreamCore
import ClickstreamDocuments

extension PlanReader {
    static let attributeKeys = ["type", "required"] + PlanRules.types.map { $0.key } + ["description"]

    /// - Returns: `nil` if the type is missing or unknown; the mistake is reported.
    mutating func attribute(
        _ name: String,
        _ node: DocumentNode,
        _ owner: PlanOwner,
        at position: SourcePosition
    ) -> PlannedAttribute? {
        let what = "the attribute '\(name)'"
        if case .unreadable = node.content { return nil }
        if case .null = node.content {
            report(position, "\(what) has no 'type'", "add 'type: string', integer, number or boolean")
            return nil
        }
        guard case .mapping = node.content else {
            reportType(node, what, expected: "a mapping with \(String.list(Self.attributeKeys, "or"))")
            return nil
        }
        let keys = mapping(node, what, keys: Self.attributeKeys)
        guard let typeNode = keys["type"] else {
            report(position, "\(what) has no 'type'", "add 'type: string', integer, number or boolean")
            return nil
        }
        guard let type = type(typeNode, of: what) else { return nil }
        var attribute = PlannedAttribute(name, type)
        checkName(name, type, owner, at: position)
        attribute.isRequired = keys["required"].flatMap { boolean($0, "'required' of \(what)") } ?? false
        attribute.summary = keys["description"].flatMap { text($0, "'description'") }
        var node = AttributeNode(planned: attribute, owner: owner, keys: keys, noun: what)
        for rule in PlanRules.types.reversed() { read(rule, of: &node) }
        return node.planned
    }

    private mutating func read<Rule: PlanRule>(_ rule: Rule.Type, of attribute: inout AttributeNode) {
        guard let node = attribute.keys[Rule.key] else { return }
        let type = attribute.planned.type
        guard Rule.types.contains(type) else {
            let valid = Rule.types.map(\.rawValue).joined(separator: " or ")
            report(
                node.position,
                "'\(Rule.key)' does not apply to \(attribute.noun), \(type.phrase)",
                "it applies to the type \(valid)"
            )
            return
        }
        attribute.planned.rules[Rule.self] = Rule.read(node, of: attribute, &self)
    }

    private mutating func type(_ node: DocumentNode, of what: String) -> PlannedAttribute.ValueType? {
        guard let word = text(node, "'type' of \(what)") else { return nil }
        if let type = PlannedAttribute.ValueType(rawValue: word) { return type }
        let words = PlannedAttribute.ValueType.allCases.map(\.rawValue)
        let others = [
            "int": "integer", "long": "integer", "double": "number", "float": "number", "decimal": "number",
            "bool": "boolean", "text": "string",
        ]
        let question =
            others[word.lowercased()].map { "did you mean '\($0)'?" } ?? Suggestion.question(about: word, among: words)
        report(
            node.position,
            "unknown type '\(word)' of \(what)",
            question ?? "valid types: \(String.list(words, "or"))"
        )
        return nil
    }

    /// Reports a name that the SDK rejects with values of this type, or that is reserved.
    private mutating func checkName(
        _ name: String,
        _ type: PlannedAttribute.ValueType,
        _ owner: PlanOwner,
        at position: SourcePosition
    ) {
        let sample: AttributeValue =
            switch type {
            case .string: "a"
            case .integer: 1
            case .number: 0.5
            case .boolean: true
            }
        if owner == .item, let current = ItemName.renamed[name] {
            report(position, "the SDK renames the item attribute '\(name)'", "write '\(current)'")
        } else if let violation = owner.violation(name, sample) {
            report(position, "\(violation.message) (code \(violation.code))", nil)
        } else if owner.isUnknownReserved(name) {
            let known = owner == .item ? [] : AttributeName.reserved.sorted()
            let hint = Suggestion.question(about: name, among: known) ?? "remove the leading underscore"
            report(position, "the attribute name '\(name)' is reserved", hint)
        }
    }

    /// A finite number.
    mutating func number(_ node: DocumentNode, _ what: String) -> JSONNumber? {
        switch node.content {
        case .integer(let integer): return JSONNumber(integer: integer)
        case .double(let double) where double.isFinite: return JSONNumber(double: double)
        case .double:
            report(node.position, "\(what) must be a finite number", "leave it out for no limit")
            return nil
        default:
            reportType(node, what, expected: "a number")
            return nil
        }
    }
}
