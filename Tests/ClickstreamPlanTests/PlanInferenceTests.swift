import ClickstreamCore
import TestSupport
import Testing

@testable import ClickstreamPlan

@Suite("Inference of a plan")
struct PlanInferenceTests {
    private static func inferred(
        _ lines: [String]
    ) throws -> (plan: TrackingPlan, notes: [String: [String]], skipped: Int) {
        var inference = PlanInference()
        for line in lines { inference.add(try JSONReader.parse(Array(line.utf8))) }
        let (plan, notes) = inference.plan()
        return (plan, notes, inference.skipped)
    }

    @Test(
        "requires what is always present, and lists at most eight strings of at least 32 events",
        arguments: [(31, 8), (32, 8), (32, 9)]
    )
    func values(events: Int, strings: Int) throws {
        let lines = (0..<events).map { index in
            #"{"event_type":"e","attributes":{"s":"v\#(index % strings)","n":\#(index % 2 == 0 ? "1" : "1.5")\#(index == 0 ? "" : #","o":-1"#)}}"#
        }
        let plan = try Self.inferred(lines).plan
        let isEnough = events >= 32
        let values = (0..<strings).map { JSONValue(.string("v\($0)")) }
        #expect(
            plan.events == [
                PlannedEvent(
                    "e",
                    fields: PlannedFields(
                        [
                            PlannedAttribute(
                                "s",
                                .string,
                                isRequired: true,
                                rules: isEnough && strings <= 8 ? [EnumRule(values)] : []
                            ),
                            PlannedAttribute(
                                "n",
                                .number,
                                isRequired: true,
                                rules: isEnough ? [MinimumRule(JSONNumber(integer: 0))] : []
                            ),
                            PlannedAttribute("o", .integer),
                        ],
                        allowsOthers: false
                    )
                )
            ]
        )
    }

    @Test("counts events, not values: many items of few events have no enum", arguments: [(4, 8), (32, 1)])
    func items(events: Int, items: Int) throws {
        let list = Array(repeating: #"{"c":"x","n":1}"#, count: items).joined(separator: ",")
        let lines = Array(repeating: #"{"event_type":"e","items":[\#(list)]}"#, count: events)
        let fields = try #require(try Self.inferred(lines).plan.events.first?.items)
        #expect(fields["c"]?.rules[EnumRule.self]?.values == (events >= 32 ? [JSONValue(.string("x"))] : nil))
        #expect((fields["n"]?.rules[MinimumRule.self] != nil) == (events >= 32))
    }

    @Test("does not take a canonically equivalent name for the same one")
    func equivalentNames() throws {
        let (plan, notes, _) = try Self.inferred([#"{"event_type":"e","attributes":{"K":1,"\u212A":"x"}}"#])
        #expect(plan.events.first?.fields.attributes == [PlannedAttribute("K", .integer, isRequired: true)])
        #expect(notes["e"]?.count == 1)
    }

    @Test("omits what cannot be planned, with notes")
    func omitted() throws {
        let lines = [
            #"{"event_type":"e","attributes":{"a":1,"_session_id":"x","b-c":1},"items":[{"id":"1","x":true}]}"#,
            #"{"event_type":"e","attributes":{"a":"1","b-c":1},"user":{"tier":{"value":"x"},"_user_id":{"value":"u"}}}"#,
            #"{"event_type":"_app_start"}"#, #"{"event_type":"not valid"}"#, "[]",
        ]
        let (plan, notes, skipped) = try Self.inferred(lines)
        #expect(
            plan
                == TrackingPlan(
                    events: [
                        PlannedEvent(
                            "e",
                            items: PlannedFields(
                                [
                                    PlannedAttribute("id", .string, isRequired: true),
                                    PlannedAttribute("x", .boolean, isRequired: true),
                                ],
                                allowsOthers: false
                            )
                        )
                    ],
                    user: PlannedFields([PlannedAttribute("tier", .string)])
                )
        )
        #expect(
            notes == [
                "e": [
                    "a is not planned: it has values of several types (1 × string, 1 × number)",
                    "b-c is not planned: the SDK rejects its name or values",
                ]
            ]
        )
        #expect(skipped == 2)
        let judge = PlanJudge(try PlanReaderTests.plan(plan.yaml(notes: notes)))
        for line in lines.dropLast(2) {
            #expect(try judge.verdict(on: JSONReader.parse(Array(line.utf8))).findings == [])
        }
    }

    // MARK: - Global attributes

    /// Events of two names in turn, each with `channel`, and one more line.
    private static func events(_ count: Int, last: String? = nil) -> [String] {
        (0..<count).map { index in
            let name = index % 2 == 0 ? "a" : "b"
            return #"{"event_type":"\#(name)","attributes":{"channel":"c\#(index % 3)","\#(name)":\#(index)}}"#
        } + [last].compactMap { $0 }
    }

    @Test(
        "makes a required global attribute of one that all of at least 32 events have with one type",
        arguments: [
            (32, nil, true), (31, nil, false),
            // Without it, with another type, and null, which is a value in wire form.
            (32, #"{"event_type":"b","attributes":{"b":1}}"#, false),
            (32, #"{"event_type":"c","attributes":{"channel":1}}"#, false),
            (32, #"{"event_type":"a","event_id":"1","timestamp":1,"attributes":{"channel":null,"a":1}}"#, false),
            (31, #"{"event_type":"c","attributes":{"channel":"c0"}}"#, true),
            // Of the SDK: it need not have it, but is judged by it.
            (32, #"{"event_type":"_app_start","attributes":{}}"#, true),
            (32, #"{"event_type":"_app_start","attributes":{"channel":"c1"}}"#, true),
            (32, #"{"event_type":"_app_start","attributes":{"channel":5}}"#, false),
            (31, #"{"event_type":"_app_start","attributes":{"channel":"c1"}}"#, false),
        ] as [(Int, String?, Bool)]
    )
    func globals(count: Int, last: String?, isGlobal: Bool) throws {
        let lines = Self.events(count, last: last)
        let (plan, notes, _) = try Self.inferred(lines)
        let rules = [EnumRule(["c0", "c1", "c2"].map { JSONValue(.string($0)) })]
        let channel = PlannedAttribute("channel", .string, isRequired: true, rules: rules)
        #expect(plan.globals == PlannedFields(isGlobal ? [channel] : []))
        if isGlobal {
            #expect(plan.events.allSatisfy { $0.fields["channel"] == nil && !$0.fields.allowsOthers })
        }
        let read = try PlanReaderTests.plan(plan.yaml(notes: notes))
        #expect(read == plan)
        let judge = PlanJudge(read)
        for line in lines {
            #expect(try judge.verdict(on: JSONReader.parse(Array(line.utf8))).findings == [], "\(line)")
        }
    }

    @Test("lists the values of a global attribute in all events, those of the SDK included", arguments: [1, 6])
    func globalValues(count: Int) throws {
        let lines = (0..<count).map { #"{"event_type":"_app_start","attributes":{"channel":"s\#($0)"}}"# }
        let channel = try Self.inferred(Self.events(32) + lines).plan.globals["channel"]
        let values = (["c0", "c1", "c2"] + (0..<count).map { "s\($0)" }).map { JSONValue(.string($0)) }
        #expect(channel?.isRequired == true)
        // Nine different values are no enum.
        #expect(channel?.rules[EnumRule.self]?.values == (count == 1 ? values : nil))
    }

    @Test("makes no global attribute of the events of one name, nor of an integer in one and a number in another")
    func notGlobal() throws {
        let one = (0..<40).map { #"{"event_type":"a","attributes":{"n":\#($0)}}"# }
        #expect(try Self.inferred(one).plan.globals == PlannedFields())
        let mixed = (0..<40).map {
            #"{"event_type":"\#($0 % 2 == 0 ? "a" : "b")","attributes":{"n":\#($0)\#($0 % 2 == 0 ? "" : ".5")}}"#
        }
        let plan = try Self.inferred(mixed).plan
        #expect(plan.globals == PlannedFields())
        #expect(plan.events.map { $0.fields["n"]?.type } == [.integer, .number])
    }

    // MARK: - Reserved attributes

    @Test("lists the values of reserved attributes with a small vocabulary, which are optional", arguments: [31, 32])
    func reserved(count: Int) throws {
        let lines = (0..<count).map { index in
            let source = #""_traffic_source_medium":"\#(index % 2 == 0 ? "email" : "social")""#
            return #"{"event_type":"a","attributes":{\#(source),"_session_id":"s","_traffic_source_clid":"x"},"#
                + #""user":{"_user_ltv_currency":{"value":"EUR"},"_user_id":{"value":"u"}}}"#
        }
        let plan = try Self.inferred(lines).plan
        func listed(_ name: String, _ values: [String]) -> [PlannedAttribute] {
            let rule = EnumRule(values.map { JSONValue(.string($0)) })
            return count < 32 ? [] : [PlannedAttribute(name, .string, rules: [rule])]
        }
        #expect(plan.events.first?.fields.attributes == listed("_traffic_source_medium", ["email", "social"]))
        #expect(plan.user.attributes == listed("_user_ltv_currency", ["EUR"]))
        #expect(try PlanReaderTests.plan(plan.yaml()) == plan)
    }

    // MARK: - Times

    @Test("notes the number of events, and the first and the last time, before each event")
    func occurrences() throws {
        let lines = [
            #"{"event_type":"a","timestamp":1704067201000}"#, #"{"event_type":"a","timestamp":1704067200000}"#,
            #"{"event_type":"a"}"#, #"{"event_type":"b","timestamp":-1}"#,
            #"{"event_type":"_app_start","timestamp":1704067200000}"#,
        ]
        var inference = PlanInference()
        for line in lines { inference.add(try JSONReader.parse(Array(line.utf8))) }
        let text = inference.plan().plan.yaml(notes: ["a": ["a note"]], occurrences: inference.occurrences)
        let comments = text.split(separator: "\n").filter { $0.contains("# ") || $0.hasSuffix(":") }
        #expect(
            comments == [
                "events:", "  # 3 events, first 2024-01-01T00:00:00.000Z, last 2024-01-01T00:00:01.000Z", "  # a note",
                "  a:", "  # 1 event", "  b:",
            ]
        )
    }

    // MARK: - Round trip

    /// A random event of a name of the app or the SDK, in wire form or short form.
    private static func randomLine(_ numbers: inout SplitMix) -> String {
        func scalar(_ name: String) -> String {
            if Int.random(in: 0..<200, using: &numbers) == 0 {
                return ["null", "[1]", "true", "-1.5", #""x""#].randomElement(using: &numbers) ?? "null"
            }
            switch name {
            case "n": return "\(Int.random(in: -1...9, using: &numbers))"
            case "price": return "\(Double.random(in: 0...9, using: &numbers))"
            case "on": return Bool.random(using: &numbers) ? "true" : "false"
            case "_session_id": return #""s\#(Int.random(in: 0..<1_000, using: &numbers))""#
            default: return #""\#(name.prefix(1))\#(Int.random(in: 0..<(name == "term" ? 20 : 5), using: &numbers))""#
            }
        }
        func object(_ always: [String], _ names: [String]) -> String {
            let chosen = always + names.filter { _ in Bool.random(using: &numbers) }
            return "{" + chosen.map { #""\#($0)":\#(scalar($0))"# }.joined(separator: ",") + "}"
        }
        let name = ["add", "buy", "view", "_app_start"].randomElement(using: &numbers) ?? "add"
        let reserved = ["_traffic_source_medium", "_session_id"]
        let always = name == "_app_start" ? [] : ["channel", "n"]
        var members = [#""event_type":"\#(name)""#]
        if Bool.random(using: &numbers) { members.append(#""event_id":"1","timestamp":1704067200000"#) }
        members.append(#""attributes":\#(object(always, ["price", "on", "term", "b-c"] + reserved))"#)
        if Bool.random(using: &numbers) { members.append(#""items":[\#(object(["id"], ["price", "kind"]))]"#) }
        members.append(#""user":\#(object([], ["tier", "_user_ltv_currency"]))"#)
        return "{" + members.joined(separator: ",") + "}"
    }

    @Test("is read back as it is, and has no finding on its events", arguments: TestLength.seeds(20, full: 300))
    func roundTrip(seed: Int) throws {
        var numbers = SplitMix(seed: UInt64(seed))
        let events = try (0..<Int.random(in: 1...300, using: &numbers)).map { _ in
            try JSONReader.parse(Array(Self.randomLine(&numbers).utf8))
        }
        var inference = PlanInference()
        for event in events { inference.add(event) }
        let (plan, notes) = inference.plan()
        let read = try PlanReaderTests.plan(plan.yaml(notes: notes, occurrences: inference.occurrences))
        #expect(read == plan)
        let judge = PlanJudge(read)
        for event in events { #expect(judge.verdict(on: event).findings == [], "\(event)") }
    }
}
