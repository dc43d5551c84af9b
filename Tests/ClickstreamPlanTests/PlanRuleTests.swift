import ClickstreamCore
import Testing

@testable import ClickstreamPlan

@Suite("Rules of an attribute")
struct PlanRuleTests {
    private static let all: [any PlanRule] = [
        MaxLengthRule(5), MaximumRule(JSONNumber(integer: 9)), EnumRule([JSONValue(.string("a"))]),
        MinimumRule(JSONNumber(integer: 1)),
    ]

    @Test("are equal in any order, and listed in that of documents")
    func order() {
        let rules = PlanRules(Self.all)
        #expect(rules == PlanRules(Self.all.reversed()))
        #expect(Set([rules, PlanRules(Self.all.reversed())]).count == 1)
        #expect(rules.all.map { type(of: $0).key } == ["enum", "minimum", "maximum", "maxLength"])
        #expect(rules.phrases == ["one of \"a\"", "from 1 to 9", "at most 5 characters"])
    }

    @Test("are replaced and removed by type")
    func replaced() {
        var rules = PlanRules(Self.all)
        rules[MaxLengthRule.self] = MaxLengthRule(6)
        rules[MinimumRule.self] = nil
        #expect(rules[MaxLengthRule.self] == MaxLengthRule(6) && rules[MinimumRule.self] == nil)
        #expect(rules.phrases == ["one of \"a\"", "at most 9", "at most 6 characters"])
        #expect(rules != PlanRules(Self.all))
    }

    @Test("have different keys, and one meaning for each code")
    func table() {
        #expect(Set(PlanRules.types.map { $0.key }).count == PlanRules.types.count)
        #expect(PlanRules.types.allSatisfy { PlanCode(rawValue: $0.code.rawValue)?.meaning == $0.code.meaning })
    }
}
