import ClickstreamCore
import ClickstreamDocuments

/// `maximum`: the largest allowed number.
struct MaximumRule: PlanRule {
    static let key = "maximum"
    static let types = MinimumRule.types
    static let code = PlanCode.range

    var limit: JSONNumber

    init(_ limit: JSONNumber) {
        self.limit = limit
    }

    static func read(_ node: DocumentNode, of attribute: AttributeNode, _ reader: inout PlanReader) -> MaximumRule? {
        reader.number(node, "'maximum' of \(attribute.noun)").map { MaximumRule($0) }
    }

    static func changes(from old: MaximumRule?, to new: MaximumRule?) -> [RuleChange] {
        RuleChange.ofLimit(old?.limit, new?.limit) { $1.isLess(than: $0) }
    }

    var schema: JSONValue { JSONValue(.number(limit)) }

    func phrase(among rules: PlanRules) -> String? {
        rules[MinimumRule.self] == nil ? "at most \(limit.text)" : nil
    }

    func check(constraints: String) -> PlanCheck {
        let limit = limit
        return .range(constraints) { limit.isLess(than: $0) }
    }

    func restrict(_ values: inout RandomValues) { values.maximum = limit.double }
}
