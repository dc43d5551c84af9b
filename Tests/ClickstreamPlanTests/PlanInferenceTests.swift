import ClickstreamCore
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
}
