import HardCoded

@testable import ClickstreamCore

/// Does one check so many times: `RuleCosts <check> <rounds> <name>...`. Instructions are counted from outside.
@main
struct RuleCosts {
    static func main() {
        guard CommandLine.arguments.count > 3, let rounds = Int(CommandLine.arguments[2]) else {
            print("usage: RuleCosts <check> <rounds> <name>...")
            return
        }
        // From outside, so that the compiler cannot fold them.
        let names = Array(CommandLine.arguments[3...])
        let values: [AttributeValue] = [
            .string(names[0]), 279.9, 3, true, .string(names.joined()), .string("EUR"), 12, .string(names[1]),
        ]
        let attributes = Attributes(names.enumerated().map { ($1, values[$0 % values.count]) })
        let pairs = Array(zip(names, names.indices.map { values[$0 % values.count] }))
        let passed: Int
        switch CommandLine.arguments[1] {
        case "name": passed = count(names, rounds) { Validator.isEventName($0) }
        case "name-hard-coded": passed = count(names, rounds) { HardCoded.isEventName($0) }
        case "attribute":
            // As the validator does: the rows are fetched once an event.
            let rules = Rules.attributes
            passed = count(pairs, rounds) { Validator.isAccepted($0.0, $0.1, rules) }
        case "attribute-hard-coded": passed = count(pairs, rounds) { HardCoded.isAttribute($0.0, $0.1) }
        case "event": passed = count([attributes], rounds) { areAttributes($0) } * names.count
        case "event-hard-coded":
            passed = count([attributes], rounds) { HardCoded.areAttributes($0, presetCount: 6) } * names.count
        default: passed = 0
        }
        print(passed == rounds * names.count ? "all pass" : "\(passed) of \(rounds * names.count) pass")
    }

    /// How often the check passes.
    @inline(__always)
    private static func count<Input>(_ inputs: [Input], _ rounds: Int, where check: (Input) -> Bool) -> Int {
        var passed = 0
        for _ in 0..<rounds {
            for input in inputs where check(input) { passed += 1 }
        }
        return passed
    }

    @inline(never)
    private static func areAttributes(_ attributes: Attributes) -> Bool {
        var findings: [Violation] = []
        let verdict = Validator.checkAttributes(own: attributes, globals: [:], presetCount: 6, into: &findings)
        return verdict.keepsEverything && findings.isEmpty
    }
}
