import TestSupport

@testable import ClickstreamCore

/// Input that is made from a row of the table: exactly as much as it allows, or so much more.
struct RuleCase: Sendable {
    /// Kind of characters of a text. The length of each case is counted in Unicode scalars.
    enum Script: String, Sendable, CaseIterable {
        case ascii = "x"
        case doubleWidth = "\u{4E2D}"
        case emoji = "\u{1F600}"
        case joinedEmoji = "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F466}"
        case combining = "e\u{301}"
        case rightToLeft = "\u{5E9}"
        case control = "\u{1}"
        case null = "\0"
        case lineBreak = "\r\n"

        func text(_ count: Int) -> String {
            let unit = Array(rawValue.unicodeScalars)
            var text = String.UnicodeScalarView()
            text.append(contentsOf: (0..<count).lazy.map { unit[$0 % unit.count] })
            return String(text)
        }
    }

    /// The rows that JSON can break too; nested values have tests of their own.
    static let rules = Rules.all.filter { $0.check != .scalar }

    /// Every row in every script that makes a difference to it.
    static let rows: [(rule: Rule, script: Script)] = rules.flatMap { rule in
        let isNumber = rule.check == .count || rule.check == .finite
        return (isNumber ? [.ascii] : Script.allCases).map { (rule, $0) }
    }

    /// All of `rows`, or a sample with each rule and each script, for tests that launch a client.
    static let sampledRows: [(rule: Rule, script: Script)] = rules.enumerated().flatMap { number, rule in
        let own = rows.filter { $0.rule == rule }
        let start = number % own.count
        return TestLength.sample(Array(own[start...] + own[..<start]), short: 3)
    }

    let rule: Rule
    /// Of what the row counts, where it counts.
    let amount: Int
    let isBroken: Bool
    let script: Script

    init(_ rule: Rule, excess: Int, script: Script = .ascii) {
        self.rule = rule
        amount = (rule.limit ?? 0) + excess
        isBroken = excess > 0
        self.script = script
    }

    init(_ rule: Rule, amount: Int) {
        self.rule = rule
        self.amount = amount
        isBroken = rule.limit.map { amount > $0 } ?? false
        script = .ascii
    }

    /// A name that keeps or breaks the row. One that is not ASCII is broken already, by being too long first.
    var name: String {
        switch rule.check {
        case .nameLength: (isBroken ? script : .ascii).text(amount)
        case .nameValidity: isBroken ? (script == .ascii ? "1st" : script.text(3)) : "_1st"
        case .requiredID: ItemName.id
        case .screenName: AttributeName.screenName
        case .valueLength, .finite, .count, .scalar: "n"
        }
    }

    var value: AttributeValue {
        switch rule.check {
        case .valueLength: .string(script.text(amount))
        case .finite: .double(isBroken ? .infinity : .greatestFiniteMagnitude)
        case .requiredID, .screenName: .string(isBroken ? "" : script.text(5))
        case .nameLength, .nameValidity, .count, .scalar: 1
        }
    }

    /// One attribute, or as many as the row counts.
    func attributes(_ count: Int? = nil) -> Attributes {
        guard rule.check == .count else { return Attributes([(name, value)]) }
        return Attributes((0..<(count ?? amount)).map { ("\(name)\($0)", value) })
    }

    var items: [Attributes] {
        if rule.unit == .items { return (0..<amount).map { ["id": $0] } }
        var item: Attributes = rule.check == .requiredID ? [:] : ["id": "made"]
        item.merge(attributes())
        return [item]
    }

    /// Violations found by the validator.
    func findings(reportsSuggestions: Bool = false) -> [Violation] {
        var findings: [Violation] = []
        switch rule.subject {
        case .event:
            if let violation = Validator.checkEventName(name) { findings.append(violation) }
            if reportsSuggestions { Validator.suggestions(forEventName: name, into: &findings) }
        case .screen:
            if let violation = Validator.checkScreenName(value) { findings.append(violation) }
        case .attribute:
            _ = Validator.checkAttributes(
                own: attributes(),
                globals: [:],
                presetCount: 0,
                reportsSuggestions: reportsSuggestions,
                into: &findings
            )
        case .userAttribute:
            _ = Validator.checkUserAttributes(
                attributes(),
                existingNames: [],
                reportsSuggestions: reportsSuggestions,
                into: &findings
            )
        case .item:
            _ = Validator.checkItems(items, reportsSuggestions: reportsSuggestions, into: &findings)
        }
        return findings
    }
}
