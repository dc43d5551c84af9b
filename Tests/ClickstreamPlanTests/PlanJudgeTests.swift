import ClickstreamCore
import TestSupport
import Testing

@testable import ClickstreamPlan

@Suite("Judge of a plan")
struct PlanJudgeTests {
    private static func found(_ event: String, in plan: String = PlanReaderTests.shop) throws -> [String] {
        let judge = PlanJudge(try PlanReaderTests.plan(plan))
        return try judge.verdict(on: JSONReader.parse(Array(event.utf8))).findings.map {
            "\($0.code.rawValue) \($0.path)"
        }
    }

    @Test(
        "finds what the plan forbids, with its code and path",
        arguments: [
            (#"{"event_type":"add_to_cart","attributes":{"price":1}}"#, []),
            (
                #"{"event_type":"add_to_cart","attributes":{"price":1.5,"currency":"EUR","channel":"web","_session_id":"x"}}"#,
                []
            ),
            (#"{"event_type":"add_to_cart"}"#, ["plan_missing_attribute attributes.price"]),
            (#"{"event_type":"add_to_cart","attributes":{"price":null},"app_id":"a"}"#, ["plan_type attributes.price"]),
            (#"{"event_type":"add_to_cart","attributes":{"price":null}}"#, ["plan_missing_attribute attributes.price"]),
            (#"{"event_type":"add_to_cart","attributes":{"price":"1"}}"#, ["plan_type attributes.price"]),
            (#"{"event_type":"add_to_cart","attributes":{"price":true}}"#, ["plan_type attributes.price"]),
            (#"{"event_type":"add_to_cart","attributes":{"price":[1]}}"#, ["plan_type attributes.price"]),
            (#"{"event_type":"add_to_cart","attributes":{"price":-0.01}}"#, ["plan_range attributes.price"]),
            (
                #"{"event_type":"add_to_cart","attributes":{"price":1,"currency":"GBP"}}"#,
                ["plan_enum attributes.currency"]
            ),
            (
                #"{"event_type":"add_to_cart","attributes":{"price":1,"curency":"EUR"}}"#,
                ["plan_unplanned_attribute attributes.curency"]
            ),
            (
                #"{"event_type":"add_to_cart","attributes":{"price":1,"channel":"toolong"}}"#,
                ["plan_length attributes.channel"]
            ),
            (
                #"{"event_type":"add_to_cart","attributes":{"price":1,"channel":"TOO LONG"}}"#,
                ["plan_length attributes.channel"]
            ),
            (
                #"{"event_type":"add_to_cart","attributes":{"price":1,"channel":"WEB"}}"#,
                ["plan_pattern attributes.channel"]
            ),
            (
                #"{"event_type":"add_to_cart","attributes":{"price":1},"items":[{"id":"1","price":2},{"id":1}]}"#,
                ["plan_item items[1].price", "plan_item items[1].id"]
            ),
            (#"{"event_type":"add_to_cart","attributes":{"price":1},"items":{}}"#, ["plan_item items"]),
            (#"{"event_type":"add_to_cart","attributes":{"price":1},"items":["x"]}"#, ["plan_item items[0]"]),
            (#"{"event_type":"add_to_cart","attributes":[]}"#, ["plan_type attributes"]),
            (#"{"event_type":"login","user":{"plan":"gold"}}"#, ["plan_user user.plan"]),
            (#"{"event_type":"login","user":{"plan":{"value":"gold","set_timestamp":1}}}"#, ["plan_user user.plan"]),
            (#"{"event_type":"login","user":{"plan":{"value":"free","set_timestamp":1},"other":1}}"#, []),
            (#"{"event_type":"login","attributes":{"anything":[1]}}"#, []),
            (#"{"event_type":"lgoin"}"#, ["plan_unplanned_event event_type"]),
            (#"{"event_type":5,"app_id":"a"}"#, ["plan_unplanned_event event_type"]),
            (#"{"event_type":true,"app_id":"a"}"#, ["plan_unplanned_event event_type"]),
            (#"{"event_type":[],"app_id":"a"}"#, []),
            (#"{"event_type":"_app_start","attributes":{"anything":1}}"#, []),
            (#"{"event_type":"_app_start","attributes":{"channel":1}}"#, ["plan_type attributes.channel"]),
            (#"{"attributes":{}}"#, []), ("[]", []),
        ]
    )
    func findings(event: String, expected: [String]) throws {
        #expect(try Self.found(event) == expected)
    }

    @Test(
        "takes a number without fraction for an integer, as JSON Schema does",
        arguments: [
            ("1", true), ("1.0", true), ("1e3", true), ("1.5", false), ("123456789012345678901234567890", true),
            ("1e400", false),
        ]
    )
    func integers(number: String, isInteger: Bool) throws {
        let plan = "clickstream-plan: 1\nevents: { e: { attributes: { n: { type: integer } } } }"
        let found = try Self.found(#"{"event_type":"e","attributes":{"n":\#(number)}}"#, in: plan)
        #expect(found.isEmpty == isInteger)
    }

    @Test(
        "reports an unplanned event as the plan asks",
        arguments: [("allow", []), ("warn", ["warning"]), ("error", ["error"])]
    )
    func unplanned(word: String, severities: [String]) throws {
        let judge = PlanJudge(try PlanReaderTests.plan("clickstream-plan: 1\nevents: { login: }\nunplanned: \(word)"))
        let verdict = try judge.verdict(on: JSONReader.parse(Array(#"{"event_type":"lgoin"}"#.utf8)))
        #expect(verdict.findings.map(\.severity.rawValue) == severities)
        #expect(
            verdict.findings.allSatisfy {
                $0.message == "event_type: the plan has no event \"lgoin\"; did you mean 'login'?"
            }
        )
    }

    @Test(
        "reads items of the short form with the names that the SDK writes",
        arguments: [("", []), (#""app_id":"a","#, ["plan_item items[0].category"])]
    )
    func renamed(wire: String, expected: [String]) throws {
        let plan =
            "clickstream-plan: 1\nevents: { e: { items: { required: [category], attributes: { category: { type: string } } } } }"
        let event = #"{\#(wire)"event_type":"e","items":[{"item_category":"shoes"}]}"#
        #expect(try Self.found(event, in: plan) == expected)
    }

    @Test("states the requirement, never the value")
    func messages() throws {
        let judge = PlanJudge(try PlanReaderTests.plan(PlanReaderTests.shop))
        let event = #"{"event_type":"add_to_cart","attributes":{"price":"secret","currency":"secret"}}"#
        #expect(
            try judge.verdict(on: JSONReader.parse(Array(event.utf8))).findings.map(\.message) == [
                "attributes.price: must be a number, not a string",
                "attributes.currency: must be one of \"EUR\", \"USD\"",
            ]
        )
    }

    @Test(
        "takes time in proportion to the combining marks of a name or value",
        arguments: [
            #"{"event_type":"e","attributes":{"v":"MARKS!"}}"#, #"{"event_type":"e","attributes":{"MARKS":1}}"#,
            #"{"event_type":"e","items":[{"MARKS":1}]}"#, #"{"event_type":"MARKS"}"#,
            #"{"event_type":"e","user":{"MARKS":{"value":1}},"MARKS":1}"#,
        ]
    )
    func marks(_ event: String) throws {
        let growth = try TimeGrowth(from: 20_000) { count -> (PlanJudge, JSONValue) in
            // Marks of two classes in turn: sorting them takes quadratic time.
            let marks = "R" + String(repeating: "\u{301}\u{323}", count: count / 2)
            let attribute = PlannedAttribute("v", .string, rules: [EnumRule([JSONValue(.string(marks + "?"))])])
            let fields = PlannedFields([attribute], allowsOthers: false)
            let plan = TrackingPlan(events: [PlannedEvent("e", fields: fields, items: fields)], user: fields)
            return (PlanJudge(plan), try JSONReader.parse(Array(event.replacing("MARKS", with: marks).utf8)))
        } of: { input in
            let (judge, event) = input
            #expect(judge.verdict(on: event).findings.count > 0)
        }
        #expect(growth.isLinear, "\(growth)")
    }

    @Test("compares strings with patterns up to a number of steps for each byte, and reports the others")
    func patternSteps() throws {
        let pattern = try PlanPattern("^(a{0,100}){0,90}b$")
        let attributes = ["a", "b", "c"].map { PlannedAttribute($0, .string, rules: [PatternRule(pattern)]) }
        let judge = PlanJudge(TrackingPlan(events: [PlannedEvent("e", fields: PlannedFields(attributes))]))
        let long = String(repeating: "a", count: 20_000)
        let event = #"{"event_type":"e","attributes":{"a":"aab","b":"\#(long)","c":"\#(long)b"}}"#
        let findings = try judge.verdict(on: JSONReader.parse(Array(event.utf8))).findings
        let message = "has too many characters to be compared with ^(a{0,100}){0,90}b$; use 'maxLength' in the plan"
        #expect(findings.map(\.message) == ["attributes.b: \(message)", "attributes.c: \(message)"])
        #expect(findings.map(\.code) == [.pattern, .pattern])
    }

    @Test(
        "requires what the event requires, then the global attributes that it does not define itself",
        arguments: [
            ("", ["a", "b", "d"]), (#""a":"","d":"""#, ["b"]), (#""c":"","x":"""#, ["a", "b", "d"]),
            (#""a":"","b":"","d":"""#, []), (#""d":null"#, ["a", "b", "d"]), (#""a":"","a":null"#, ["a", "b", "d"]),
        ]
    )
    func required(attributes: String, missing: [String]) throws {
        let own = [("a", true), ("b", true), ("c", false)].map { PlannedAttribute($0, .string, isRequired: $1) }
        let globals = ["a", "c", "d"].map { PlannedAttribute($0, .string, isRequired: true) }
        let event = PlannedEvent("e", fields: PlannedFields(own))
        let judge = PlanJudge(TrackingPlan(events: [event], globals: PlannedFields(globals)))
        let text = #"{"event_type":"e","attributes":{\#(attributes)}}"#
        let verdict = try judge.verdict(on: JSONReader.parse(Array(text.utf8)))
        #expect(verdict.findings.map(\.name) == missing)
        #expect(verdict.findings.allSatisfy { $0.code == .missingAttribute } && verdict.unlisted == 0)
    }

    @Test("lists a hundred findings of an event, and counts the others")
    func limit() throws {
        let plan = "clickstream-plan: 1\nevents: { e: { additional: false } }"
        let members = (0..<150).map { "\"a\($0)\":1" }.joined(separator: ",")
        let event = try JSONReader.parse(Array("{\"event_type\":\"e\",\"attributes\":{\(members)}}".utf8))
        let verdict = PlanJudge(try PlanReaderTests.plan(plan)).verdict(on: event)
        #expect(verdict.findings.count == 100)
        #expect(verdict.unlisted == 50)
    }

    @Test(
        "does not take a canonically equivalent name for a planned one",
        arguments: [
            (#"{"event_type":"O\u212A","app_id":"a"}"#, ["plan_unplanned_event event_type"]),
            (
                #"{"event_type":"OK","attributes":{"\u212A":1}}"#,
                ["plan_missing_attribute attributes.K", "plan_unplanned_attribute attributes.\u{212A}"]
            ),
            (#"{"event_type":"OK","attributes":{"K":1,"\u212A":1}}"#, ["plan_unplanned_attribute attributes.\u{212A}"]),
        ]
    )
    func equivalentNames(event: String, expected: [String]) throws {
        let plan =
            "clickstream-plan: 1\nevents: { OK: { additional: false, attributes: { K: {type: integer, required: true} } } }"
        #expect(try Self.found(event, in: plan) == expected)
    }
}
