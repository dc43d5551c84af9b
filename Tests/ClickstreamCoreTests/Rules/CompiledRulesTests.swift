import Testing

@testable import ClickstreamCore

@Suite("Rules: compiled")
struct CompiledRulesTests {
    /// A table of one row.
    private func compiled(_ subject: Violation.Subject, _ check: Rule.Check, limit: Int?) -> CompiledRules {
        let rule = Rule(
            code: ErrorCode(rawValue: 9_001),
            subject: subject,
            check: check,
            limit: limit,
            suggestion: nil,
            unit: limit == nil ? nil : .characters,
            effect: .discardAttribute,
            record: .errorEvent,
            title: "",
            meaning: "",
            example: "",
            fix: ""
        )
        return CompiledRules(subject, noun: "thing", table: [rule])
    }

    @Test(
        "executes a row as soon as it is in the table",
        arguments: [Violation.Subject.event, .attribute, .item, .screen]
    )
    func oneRow(subject: Violation.Subject) {
        let rules = compiled(subject, .valueLength, limit: 3)
        #expect(rules.longestValue == 3 && rules.usualValue == 3)
        #expect(rules.violation(by: "n", "abc") == nil)
        #expect(rules.violation(by: "n", "abcd")?.code.rawValue == 9_001)
        #expect(rules.violation(by: "n", "abcd")?.subject == subject)
        #expect(rules.violation(by: String(repeating: "1", count: 99), .double(.infinity)) == nil)
    }

    @Test("has no limit without a row")
    func noRow() {
        let rules = CompiledRules(.attribute, noun: "thing", table: [])
        #expect(rules.longestName == .max && rules.maxCount == .max && rules.usualCount == .max)
        #expect(!rules.isViolated(by: "", .double(.nan)) && rules.violation(ofCountBy: "n") == nil)
        var findings: [Violation] = []
        Validator.suggest("_unheard_of", "x", rules, into: &findings)
        Validator.suggest(1, "n", rules, into: &findings)
        #expect(findings == [])
    }
}
