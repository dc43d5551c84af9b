import ClickstreamCore
import ClickstreamDocuments

/// `pattern`: a regular expression that a part of the string matches.
struct PatternRule: PlanRule {
    static let key = "pattern"
    static let types = [PlannedAttribute.ValueType.string]
    static let code = PlanCode.pattern
    static let takesPatternSteps = true

    var pattern: PlanPattern

    init(_ pattern: PlanPattern) {
        self.pattern = pattern
    }

    static func read(_ node: DocumentNode, of attribute: AttributeNode, _ reader: inout PlanReader) -> PatternRule? {
        let noun = "'pattern' of \(attribute.noun)"
        guard let text = reader.text(node, noun) else { return nil }
        do throws(PlanPattern.ParseError) {
            return PatternRule(try PlanPattern(text))
        } catch {
            reader.report(node.position, "invalid regular expression in \(noun): \(error.reason)", nil)
            return nil
        }
    }

    static func changes(from old: PatternRule?, to new: PatternRule?) -> [RuleChange] {
        switch (old?.pattern, new?.pattern) {
        case (nil, nil): return []
        case (nil, let pattern?): return [RuleChange(true, "pattern \(pattern.text) added")]
        case (let pattern?, nil): return [RuleChange(false, "pattern \(pattern.text) removed")]
        case (let before?, let after?):
            return before == after ? [] : [RuleChange(true, "\(before.text) became \(after.text)")]
        }
    }

    var schema: JSONValue { .text(pattern.portableText) }

    var yaml: String { JSONValue.text(pattern.text).description }

    func phrase(among rules: PlanRules) -> String? { "matching \(pattern.text)" }

    func check(constraints: String) -> PlanCheck {
        let (pattern, text) = (pattern, PlanJudge.cut(pattern.text))
        return PlanCheck(code: Self.code, contradiction: "does not match 'pattern'") { value, steps in
            guard let string = value.string else { return .met }
            return pattern.matches(string, steps: &steps).map { $0 ? .met : .broken } ?? .undecided
        } requirement: { _, outcome in
            outcome == .undecided
                ? "has too many characters to be compared with \(text); use 'maxLength' in the plan"
                : "must match \(text)"
        }
    }

    func restrict(_ values: inout RandomValues) { values.pattern = pattern }
}

extension PlanCode {
    package static let pattern = PlanCode(
        "plan_pattern",
        title: "Value does not match the planned pattern",
        meaning: "No part of the string matches 'pattern'.",
        fix: valueFix
    )
}
