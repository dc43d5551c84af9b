import ClickstreamCore
import ClickstreamDocuments

/// `minimum`: the smallest allowed number.
struct MinimumRule: PlanRule {
    static let key = "minimum"
    static let types = [PlannedAttribute.ValueType.integer, .number]
    static let code = PlanCode.range

    var limit: JSONNumber

    init(_ limit: JSONNumber) {
        self.limit = limit
    }

    static func read(_ node: DocumentNode, of attribute: AttributeNode, _ reader: inout PlanReader) -> MinimumRule? {
        guard let minimum = reader.number(node, "'minimum' of \(attribute.noun)") else { return nil }
        if let maximum = attribute.planned.rules[MaximumRule.self]?.limit, let node = attribute.keys[MaximumRule.key] {
            let (least, greatest) = (minimum.text, maximum.text)
            if maximum.isLess(than: minimum) {
                let message = "'maximum' of \(attribute.noun) is \(greatest), less than 'minimum', \(least)"
                reader.report(node.position, message, nil)
            } else if attribute.planned.type == .integer, minimum.double.rounded(.up) > maximum.double.rounded(.down) {
                let message = "no integer is between \(least) and \(greatest), the limits of \(attribute.noun)"
                reader.report(node.position, message, nil)
            }
        }
        return MinimumRule(minimum)
    }

    static func changes(from old: MinimumRule?, to new: MinimumRule?) -> [RuleChange] {
        RuleChange.ofLimit(old?.limit, new?.limit) { $0.isLess(than: $1) }
    }

    var schema: JSONValue { JSONValue(.number(limit)) }

    func phrase(among rules: PlanRules) -> String? {
        rules[MaximumRule.self].map { "from \(limit.text) to \($0.limit.text)" } ?? "at least \(limit.text)"
    }

    func check(constraints: String) -> PlanCheck {
        let limit = limit
        return .range(constraints) { $0.isLess(than: limit) }
    }

    func restrict(_ values: inout RandomValues) { values.minimum = limit.double }
}

extension PlanCode {
    package static let range = PlanCode(
        "plan_range",
        title: "Number outside the planned range",
        meaning: "The number is below 'minimum' or above 'maximum'.",
        fix: valueFix
    )
}

extension PlanCheck {
    /// The check of a limit of numbers.
    static func range(_ constraints: String, isOutside: @escaping @Sendable (JSONNumber) -> Bool) -> PlanCheck {
        PlanCheck(code: .range, contradiction: "is outside of 'minimum' and 'maximum'") { value, _ in
            value.number.map { isOutside($0) ? .broken : .met } ?? .met
        } requirement: { _, _ in
            "must be \(constraints)"
        }
    }
}
