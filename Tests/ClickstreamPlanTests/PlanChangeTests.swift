import ClickstreamPlan
import Testing

@Suite("Differences of plans")
struct PlanChangeTests {
    private static func plan(_ attribute: String, rest: String = "") throws -> TrackingPlan {
        try PlanReaderTests.plan("clickstream-plan: 1\nevents:\n  e:\n    attributes: { \(attribute) }\n\(rest)")
    }

    @Test(
        "are breaking if events of the old plan can have findings",
        arguments: [
            ("a: {type: string}", "a: {type: string}", []),
            ("", "a: {type: string}", ["compatible events.e.attributes.a: optional attribute added"]),
            ("", "a: {type: string, required: true}", ["breaking events.e.attributes.a: required attribute added"]),
            ("a: {type: string}", "", ["breaking events.e.attributes.a: attribute removed"]),
            (
                "a: {type: integer}", "a: {type: number}",
                ["compatible events.e.attributes.a.type: integer became number"]
            ),
            ("a: {type: number}", "a: {type: integer}", ["breaking events.e.attributes.a.type: number became integer"]),
            (
                "a: {type: string}", "a: {type: string, required: true}",
                ["breaking events.e.attributes.a.required: optional became required"]
            ),
            (
                "a: {type: string, required: true}", "a: {type: string}",
                ["compatible events.e.attributes.a.required: required became optional"]
            ),
            (
                "a: {type: string, enum: [x]}", "a: {type: string, enum: [x, y]}",
                ["compatible events.e.attributes.a.enum: value \"y\" added"]
            ),
            (
                "a: {type: string, enum: [x, y]}", "a: {type: string, enum: [x]}",
                ["breaking events.e.attributes.a.enum: value \"y\" removed"]
            ),
            (
                "a: {type: string}", "a: {type: string, enum: [x]}",
                ["breaking events.e.attributes.a.enum: values limited"]
            ),
            (
                "a: {type: number, minimum: 0}", "a: {type: number, minimum: 1}",
                ["breaking events.e.attributes.a.minimum: 0 became 1"]
            ),
            (
                "a: {type: number, minimum: 1}", "a: {type: number, minimum: 0.5}",
                ["compatible events.e.attributes.a.minimum: 1 became 0.5"]
            ),
            ("a: {type: number, minimum: 1}", "a: {type: number, minimum: 1.0}", []),
            (
                "a: {type: number, maximum: 9}", "a: {type: number}",
                ["compatible events.e.attributes.a.maximum: limit 9 removed"]
            ),
            (
                "a: {type: string}", "a: {type: string, maxLength: 9}",
                ["breaking events.e.attributes.a.maxLength: limit 9 added"]
            ),
            (
                "a: {type: string, pattern: x}", "a: {type: string, pattern: y}",
                ["breaking events.e.attributes.a.pattern: x became y"]
            ),
            (
                "a: {type: string}", "a: {type: string, description: d}",
                ["compatible events.e.attributes.a.description: description changed"]
            ),
        ]
    )
    func attribute(old: String, new: String, expected: [String]) throws {
        let changes = PlanChange.changes(from: try Self.plan(old), to: try Self.plan(new))
        #expect(changes.map { "\($0.isBreaking ? "breaking" : "compatible") \($0.path): \($0.message)" } == expected)
    }

    @Test("cover events, items, the user, global attributes and unplanned events")
    func parts() throws {
        let old = try Self.plan(
            "",
            rest: "    items: { attributes: { id: {type: string} } }\n  f: {}\nunplanned: allow"
        )
        let new = try Self.plan(
            "",
            rest:
                "    additional: false\n  g: {}\nuser: { attributes: { u: {type: string, required: true} } }\nglobals: { attributes: { v: {type: string} } }\nunplanned: warn"
        )
        #expect(
            PlanChange.changes(from: old, to: new).map {
                "\($0.isBreaking ? "breaking" : "compatible") \($0.path): \($0.message)"
            } == [
                "breaking events.e.additional: attributes that are not listed became findings",
                "breaking events.e.items: items removed", "compatible events.g: event added",
                "breaking events.f: event removed",
                "breaking user.attributes.u: required attribute added",
                "compatible globals.attributes.v: optional attribute added",
                "breaking unplanned: allow became warn",
            ]
        )
    }

    @Test(
        "compare an added attribute with the global one that it replaces",
        arguments: [
            ("a: {type: integer}", ["breaking events.e.attributes.a.type: string became integer"]),
            ("a: {type: string}", []),
            ("a: {type: string, enum: [x]}", ["breaking events.e.attributes.a.enum: values limited"]),
        ]
    )
    func replacedGlobals(attribute: String, expected: [String]) throws {
        let globals = "globals: { attributes: { a: {type: string} } }\n"
        let changes = PlanChange.changes(
            from: try Self.plan("", rest: globals),
            to: try Self.plan(attribute, rest: globals)
        )
        #expect(changes.map { "\($0.isBreaking ? "breaking" : "compatible") \($0.path): \($0.message)" } == expected)
    }
}
