import ClickstreamCore
import ClickstreamDocuments

/// `maxLength`: the maximum number of Unicode scalars of a string.
struct MaxLengthRule: PlanRule {
    static let key = "maxLength"
    static let types = [PlannedAttribute.ValueType.string]
    static let code = PlanCode.length

    var limit: Int

    init(_ limit: Int) {
        self.limit = limit
    }

    static func read(_ node: DocumentNode, of attribute: AttributeNode, _ reader: inout PlanReader) -> MaxLengthRule? {
        let noun = "'maxLength' of \(attribute.noun)"
        guard let length = reader.integer(node, noun, in: 0...Int64(Int32.max)) else { return nil }
        if let maxLength = attribute.owner.longestValue(of: attribute.planned.name), length > maxLength {
            let hint = "the SDK accepts at most \(maxLength) characters"
            reader.report(node.position, "\(noun) is \(length), above the limit of the SDK", hint)
        }
        return MaxLengthRule(Int(length))
    }

    static func changes(from old: MaxLengthRule?, to new: MaxLengthRule?) -> [RuleChange] {
        RuleChange.ofLimit(old?.number, new?.number) { $1.isLess(than: $0) }
    }

    private var number: JSONNumber { JSONNumber(integer: Int64(limit)) }

    var schema: JSONValue { JSONValue(.number(number)) }

    func phrase(among rules: PlanRules) -> String? { "at most \(limit) characters" }

    func check(constraints: String) -> PlanCheck {
        let limit = limit
        return PlanCheck(code: Self.code, contradiction: "is longer than 'maxLength'") { value, _ in
            value.string.map { Characters.areMore(in: $0, than: limit) ? .broken : .met } ?? .met
        } requirement: { value, _ in
            "has \(Characters.count(value.string ?? "")) characters; at most \(limit) are planned"
        }
    }

    func restrict(_ values: inout RandomValues) { values.maxLength = limit }
}

extension PlanCode {
    package static let length = PlanCode(
        "plan_length",
        title: "String longer than planned",
        meaning: "The string has more Unicode scalars than 'maxLength'.",
        fix: valueFix
    )
}
