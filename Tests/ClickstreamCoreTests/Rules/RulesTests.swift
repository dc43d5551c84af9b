import ClickstreamCore
import Testing

@Suite("Rules: the table")
struct RulesTests {
    @Test("has each code once, in ascending order")
    func order() {
        let codes = Rules.all.map(\.code.rawValue)
        #expect(codes == Set(codes).sorted())
    }

    @Test("limits the library's own messages")
    func reporting() {
        #expect(Rules.longestMessage == 256)
        #expect(Rules.longestReportedName == 50)
        #expect(Rules.maxFindings == 100)
        #expect(Rules.longestExceptionStack == 65_535)
    }

    /// Two rows with the same key would compile to one check: the other would never be reported.
    @Test("has one row for each subject, check and unit")
    func keys() {
        let keys = Rules.all.map { "\($0.subject) \($0.check) \($0.unit == .items)" }
        #expect(keys.count == Set(keys).count)
    }

    @Test("contains the effect and the place of the report", arguments: Rules.all)
    func effects(rule: Rule) {
        switch rule.subject {
        case .event, .screen:
            #expect(rule.effect == .discardEvent && rule.record == .errorEvent)
        case .attribute:
            #expect(rule.effect == .discardAttribute && rule.record == .errorAttributes)
        case .userAttribute:
            #expect(rule.effect == .discardAttribute && rule.record == .errorEvent)
        case .item:
            #expect(rule.effect == .discardItem && rule.record == .errorAttributes)
        }
        #expect(Rules[rule.code] == rule)
        #expect((rule.limit == nil) == (rule.unit == nil))
    }

    @Test("contains no other code")
    func unknownCode() {
        #expect(Rules[ErrorCode(rawValue: 1)] == nil)
    }

    // MARK: - Every row, executed

    @Test("accepts values exactly at the limit", arguments: RuleCase.rows)
    func atTheLimit(rule: Rule, script: RuleCase.Script) {
        #expect(RuleCase(rule, excess: 0, script: script).findings() == [])
    }

    @Test("reports values one past the limit, once, with their code", arguments: RuleCase.rows)
    func onePast(rule: Rule, script: RuleCase.Script) {
        let findings = RuleCase(rule, excess: 1, script: script).findings()
        #expect(findings.map(\.code) == [rule.code])
        #expect(findings.map(\.severity) == [.error])
        #expect(findings.map(\.subject) == [rule.subject])
    }

    @Test("warns one past the suggested number and not at it, and discards nothing", arguments: suggesting)
    func suggestions(rule: Rule) throws {
        let suggestion = try #require(rule.suggestion)
        #expect(RuleCase(rule, amount: suggestion).findings(reportsSuggestions: true) == [])
        let findings = RuleCase(rule, amount: suggestion + 1).findings(reportsSuggestions: true)
        #expect(findings.map(\.code) == [rule.code])
        #expect(findings.map(\.severity) == [.warning])
    }

    /// The custom attributes of an item are suggested up to their hard limit: past it they are an error.
    private static let suggesting = Rules.all.filter { $0.suggestion != nil && $0.suggestion != $0.limit }

    @Test("equals the published table", arguments: PublishedRow.all)
    func published(row: PublishedRow) throws {
        let rule = try #require(Rules[ErrorCode(rawValue: row.code)])
        #expect(rule.suggestion == row.suggestion && rule.limit == row.limit)
        #expect(rule.effect == row.effect && rule.record == row.record)
    }
}

/// Row of the manual's "Event and Attribute Limitation", with the manual's words.
struct PublishedRow: Sendable {
    var code: Int
    var suggestion: Int?
    var limit: Int?
    var effect: Rule.Effect
    var record: Rule.Record

    static let all: [PublishedRow] = [
        PublishedRow(code: 1001, effect: .discardEvent, record: .errorEvent),
        PublishedRow(code: 1002, suggestion: 25, limit: 50, effect: .discardEvent, record: .errorEvent),
        PublishedRow(code: 2001, suggestion: 25, limit: 50, effect: .discardAttribute, record: .errorAttributes),
        PublishedRow(code: 2002, effect: .discardAttribute, record: .errorAttributes),
        PublishedRow(code: 2003, suggestion: 100, limit: 1_024, effect: .discardAttribute, record: .errorAttributes),
        PublishedRow(code: 2004, suggestion: 50, limit: 500, effect: .discardAttribute, record: .errorAttributes),
        PublishedRow(code: 2005, effect: .discardAttribute, record: .errorAttributes),
        PublishedRow(code: 3001, suggestion: 25, limit: 100, effect: .discardAttribute, record: .errorEvent),
        PublishedRow(code: 3002, suggestion: 25, limit: 50, effect: .discardAttribute, record: .errorEvent),
        PublishedRow(code: 3003, effect: .discardAttribute, record: .errorEvent),
        PublishedRow(code: 3004, suggestion: 50, limit: 256, effect: .discardAttribute, record: .errorEvent),
        PublishedRow(code: 4001, suggestion: 50, limit: 100, effect: .discardItem, record: .errorAttributes),
        PublishedRow(code: 4002, suggestion: 100, limit: 256, effect: .discardItem, record: .errorAttributes),
        PublishedRow(code: 4003, suggestion: 10, limit: 10, effect: .discardItem, record: .errorAttributes),
        PublishedRow(code: 4004, suggestion: 25, limit: 50, effect: .discardItem, record: .errorAttributes),
        PublishedRow(code: 4005, effect: .discardItem, record: .errorAttributes),
    ]
}
