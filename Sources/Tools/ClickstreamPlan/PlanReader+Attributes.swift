import ClickstreamCore
import ClickstreamDocuments

extension PlanReader {
    static let attributeKeys = [
        "type", "required", "enum", "pattern", "minimum", "maximum", "maxLength", "description",
    ]

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
            reportType(node, what, expected: "a mapping with \(DocumentText.list(Self.attributeKeys))")
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
        refuse(["pattern", "maxLength"], of: keys, unless: [.string], type, what)
        refuse(["minimum", "maximum"], of: keys, unless: [.integer, .number], type, what)
        if type == .string {
            attribute.pattern = keys["pattern"].flatMap { pattern($0, of: what) }
            attribute.maxLength = keys["maxLength"].flatMap { length($0, name, of: what, owner) }
        }
        if type == .integer || type == .number { readRange(keys, of: what, into: &attribute) }
        if let list = keys["enum"] { attribute.values = values(list, attribute, of: what, owner) }
        return attribute
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
            question ?? "valid types: \(DocumentText.list(words))"
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

    private mutating func refuse(
        _ names: [String],
        of keys: [String: DocumentNode],
        unless types: [PlannedAttribute.ValueType],
        _ type: PlannedAttribute.ValueType,
        _ what: String
    ) {
        guard !types.contains(type) else { return }
        for name in names {
            guard let node = keys[name] else { continue }
            let valid = types.map(\.rawValue).joined(separator: " or ")
            report(
                node.position,
                "'\(name)' does not apply to \(what), \(type.phrase)",
                "it applies to the type \(valid)"
            )
        }
    }

    // MARK: - Constraints

    private mutating func pattern(_ node: DocumentNode, of what: String) -> PlanPattern? {
        guard let text = text(node, "'pattern' of \(what)") else { return nil }
        do throws(PlanPattern.Mistake) {
            return try PlanPattern(text)
        } catch {
            report(node.position, "invalid regular expression in 'pattern' of \(what): \(error.reason)", nil)
            return nil
        }
    }

    private mutating func length(_ node: DocumentNode, _ name: String, of what: String, _ owner: PlanOwner) -> Int? {
        guard let length = integer(node, "'maxLength' of \(what)", in: 0...Int64(Int32.max)) else { return nil }
        if let most = owner.longestValue(of: name), length > most {
            let hint = "the SDK accepts at most \(most) characters"
            report(node.position, "'maxLength' of \(what) is \(length), above the limit of the SDK", hint)
        }
        return Int(length)
    }

    private mutating func number(_ node: DocumentNode, _ what: String) -> JSONNumber? {
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

    private mutating func readRange(
        _ keys: [String: DocumentNode],
        of what: String,
        into attribute: inout PlannedAttribute
    ) {
        attribute.minimum = keys["minimum"].flatMap { number($0, "'minimum' of \(what)") }
        attribute.maximum = keys["maximum"].flatMap { number($0, "'maximum' of \(what)") }
        guard let minimum = attribute.minimum, let maximum = attribute.maximum, let node = keys["maximum"] else {
            return
        }
        if maximum.isLess(than: minimum) {
            report(node.position, "'maximum' of \(what) is \(maximum.text), less than 'minimum', \(minimum.text)", nil)
        } else if attribute.type == .integer, minimum.double.rounded(.up) > maximum.double.rounded(.down) {
            report(
                node.position,
                "no integer is between \(minimum.text) and \(maximum.text), the limits of \(what)",
                nil
            )
        }
    }

    private mutating func values(
        _ node: DocumentNode,
        _ attribute: PlannedAttribute,
        of what: String,
        _ owner: PlanOwner
    ) -> [JSONValue]? {
        guard case .list(let nodes) = node.content else {
            reportType(node, "'enum' of \(what)", expected: "a list of values")
            return nil
        }
        if nodes.isEmpty { report(node.position, "'enum' of \(what) is empty", "list the allowed values") }
        var values: [JSONValue] = []
        var known = EnumValues()
        for node in nodes {
            guard let value = value(node, attribute.type, of: what) else { continue }
            if known.contains(value) {
                report(node.position, "'enum' of \(what) has the value \(value) twice", nil)
            }
            known.insert(value)
            values.append(value)
            if let breach = PlanJudge.breach(of: attribute, by: value, patternSteps: &patternSteps) {
                let reason =
                    breach.isUndecided ? "takes too long to be compared with 'pattern'" : breach.code.contradiction
                report(node.position, "the value \(value) in 'enum' of \(what) \(reason)", nil)
            } else if let violation = AttributeValue(json: value).flatMap({ owner.violation(attribute.name, $0) }) {
                report(node.position, "\(violation.message) (code \(violation.code))", nil)
            }
        }
        return values
    }

    private mutating func value(
        _ node: DocumentNode,
        _ type: PlannedAttribute.ValueType,
        of what: String
    ) -> JSONValue? {
        let noun = "a value in 'enum' of \(what)"
        switch (type, node.content) {
        case (.string, .string(let text)): return JSONValue(.string(text))
        case (.boolean, .boolean(let truth)): return JSONValue(.boolean(truth))
        case (.integer, .integer(let integer)), (.number, .integer(let integer)):
            return JSONValue(.number(JSONNumber(integer: integer)))
        case (.number, .double(let double)) where double.isFinite:
            return JSONValue(.number(JSONNumber(double: double)))
        default:
            let hint = type == .string ? node.quotationHint : nil
            reportType(node, noun, expected: type.phrase, hint: hint)
            return nil
        }
    }
}
