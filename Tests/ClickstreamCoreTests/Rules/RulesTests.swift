import ClickstreamCore
import Testing

@Suite("Rules: the table")
struct RulesTests {
    /// The numbers of the wire format, written out once more: the table may not drift from what the server was told.
    static let pinned: [(code: Int, limit: Int?, suggestion: Int?)] = [
        (1001, nil, nil), (1002, 50, 25),
        (2001, 50, 25), (2002, nil, nil), (2003, 1_024, 100), (2004, 500, 50), (2005, nil, nil),
        (3001, 100, 25), (3002, 50, 25), (3003, nil, nil), (3004, 256, 50), (3005, nil, nil),
        (4001, 100, 50), (4002, 256, 100), (4003, 10, 10), (4004, 50, 25), (4005, nil, nil), (4006, nil, nil),
        (4007, nil, nil),
        (5001, nil, nil),
    ]

    @Test("holds the manual's codes with the manual's numbers")
    func pinnedNumbers() {
        #expect(Rules.all.map(\.code.rawValue) == Self.pinned.map(\.code))
        #expect(Rules.all.map(\.limit) == Self.pinned.map(\.limit))
        #expect(Rules.all.map(\.suggestion) == Self.pinned.map(\.suggestion))
        #expect(Rules.longestMessage == 256)
        #expect(Rules.longestReportedName == 50)
        #expect(Rules.longestExceptionStack == 65_535)
    }

    @Test("tells what happens to the thing and where the mistake is recorded", arguments: Rules.all)
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

    @Test("knows no other code")
    func unknownCode() {
        #expect(Rules[ErrorCode(rawValue: 1)] == nil)
    }

    // MARK: - Every row, executed

    /// Keeps the row exactly, or breaks it by one, and returns what the validator finds.
    private func findings(breaking rule: Rule, by excess: Int) -> [Violation] {
        var findings: [Violation] = []
        let isBroken = excess > 0
        let amount = (rule.limit ?? 0) + excess
        let name: String
        let value: AttributeValue
        var count = 1
        switch rule.check {
        case .nameLength: (name, value) = (String(repeating: "n", count: amount), 1)
        case .nameValidity: (name, value) = (isBroken ? "1st" : "_1st", 1)
        case .valueLength: (name, value) = ("text", .string(String(repeating: "\u{4E2D}", count: amount)))
        case .finite:
            (name, value) = ("number", .double(isBroken ? .infinity : .greatestFiniteMagnitude))
        case .count: (name, value, count) = ("n", 1, amount)
        case .requiredID, .screenName: (name, value) = ("id", isBroken ? "" : "x")
        }
        let attributes = Attributes((0..<count).map { (count == 1 ? name : "\(name)\($0)", value) })
        switch rule.subject {
        case .event:
            if let violation = Validator.checkEventName(name) { findings.append(violation) }
        case .screen:
            if let violation = Validator.checkScreenName(value) { findings.append(violation) }
        case .attribute:
            _ = Validator.checkAttributes(own: attributes, globals: [:], presetCount: 0, into: &findings)
        case .userAttribute:
            _ = Validator.checkUserAttributes(attributes, existingNames: [], into: &findings)
        case .item:
            if rule.code == .itemsTooMany {
                _ = Validator.checkItems(Array(repeating: ["id": 1], count: amount), into: &findings)
            } else {
                var item: Attributes = rule.check == .requiredID ? [:] : ["id": 1]
                item.merge(attributes)
                _ = Validator.checkItems([item], into: &findings)
            }
        }
        return findings
    }

    @Test("accepts what is exactly at the limit", arguments: Rules.all)
    func atTheLimit(rule: Rule) {
        #expect(findings(breaking: rule, by: 0) == [])
    }

    @Test("finds what is one past the limit, once, with its code", arguments: Rules.all)
    func onePast(rule: Rule) {
        let findings = findings(breaking: rule, by: 1)
        #expect(findings.map(\.code) == [rule.code])
        #expect(findings.map(\.severity) == [.error])
        #expect(findings.map(\.subject) == [rule.subject])
    }
}
