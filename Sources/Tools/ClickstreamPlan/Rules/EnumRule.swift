import ClickstreamCore
import ClickstreamDocuments

/// `enum`: the allowed values.
struct EnumRule: PlanRule {
    static let key = "enum"
    static let types = PlannedAttribute.ValueType.allCases
    static let code = PlanCode.values

    var values: [JSONValue]

    init(_ values: [JSONValue]) {
        self.values = values
    }

    // MARK: - Reading

    static func read(_ node: DocumentNode, of attribute: AttributeNode, _ reader: inout PlanReader) -> EnumRule? {
        let noun = "'enum' of \(attribute.noun)"
        guard case .list(let nodes) = node.content else {
            reader.reportType(node, noun, expected: "a list of values")
            return nil
        }
        if nodes.isEmpty { reader.report(node.position, "\(noun) is empty", "list the allowed values") }
        let planned = attribute.planned
        let checks = planned.rules.checks()
        var values: [JSONValue] = []
        var known = EnumValues()
        for node in nodes {
            guard let value = value(node, planned.type, of: noun, &reader) else { continue }
            if known.contains(value) { reader.report(node.position, "\(noun) has the value \(value) twice", nil) }
            known.insert(value)
            values.append(value)
            if let breach = PlanJudge.breach(of: planned.type, checks, by: value, patternSteps: &reader.patternSteps) {
                reader.report(node.position, "the value \(value) in \(noun) \(breach.contradiction)", nil)
            } else if let violation = AttributeValue(json: value).flatMap({
                attribute.owner.violation(planned.name, $0)
            }) {
                reader.report(node.position, "\(violation.message) (code \(violation.code))", nil)
            }
        }
        return EnumRule(values)
    }

    private static func value(
        _ node: DocumentNode,
        _ type: PlannedAttribute.ValueType,
        of noun: String,
        _ reader: inout PlanReader
    ) -> JSONValue? {
        switch (type, node.content) {
        case (.string, .string(let text)): return JSONValue(.string(text))
        case (.boolean, .boolean(let truth)): return JSONValue(.boolean(truth))
        case (.integer, .integer(let integer)), (.number, .integer(let integer)):
            return JSONValue(.number(JSONNumber(integer: integer)))
        case (.number, .double(let double)) where double.isFinite:
            return JSONValue(.number(JSONNumber(double: double)))
        default:
            let hint = type == .string ? node.quotationHint : nil
            reader.reportType(node, "a value in \(noun)", expected: type.phrase, hint: hint)
            return nil
        }
    }

    // MARK: - Uses

    static func changes(from old: EnumRule?, to new: EnumRule?) -> [RuleChange] {
        switch (old?.values, new?.values) {
        case (nil, nil): return []
        case (nil, .some): return [RuleChange(true, "values limited")]
        case (.some, nil): return [RuleChange(false, "values no longer limited")]
        case (let before?, let after?):
            let (known, kept) = (EnumValues(before), EnumValues(after))
            return after.filter { !known.contains($0) }.map { RuleChange(false, "value \($0) added") }
                + before.filter { !kept.contains($0) }.map { RuleChange(true, "value \($0) removed") }
        }
    }

    var schema: JSONValue { JSONValue(.array(values)) }

    var yaml: String { "[\(values.map(\.description).joined(separator: ", "))]" }

    func phrase(among rules: PlanRules) -> String? { "one of \(list)" }

    /// The first values.
    private var list: String {
        let shown = values.prefix(20).map(\.description).joined(separator: ", ")
        return values.count > 20 ? shown + ", …" : shown
    }

    func check(constraints: String) -> PlanCheck {
        let known = EnumValues(values)
        let list = PlanJudge.cut(list)
        return PlanCheck(code: Self.code, contradiction: "contradicts the other constraints") { value, _ in
            known.contains(value) ? .met : .broken
        } requirement: { _, _ in
            "must be one of \(list)"
        }
    }

    func restrict(_ values: inout RandomValues) { values.listed = self.values }
}

extension PlanCode {
    package static let values = PlanCode(
        "plan_enum",
        title: "Value not among the planned ones",
        meaning: "The value is not in 'enum'.",
        fix: valueFix
    )
}
