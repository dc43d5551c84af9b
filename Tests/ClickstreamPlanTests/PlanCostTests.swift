import ClickstreamCore
import ClickstreamDocuments
import TestSupport
import Testing

@testable import ClickstreamPlan

/// Work on plans and events takes time in proportion to their length, whatever they contain.
@Suite("Costs of a plan")
struct PlanCostTests {
    /// Parts of a plan with many entries.
    enum Part: String, CaseIterable, Sendable {
        case texts
        case numbers
        case repeatedTexts
        case required
        case requiredButUnknown

        /// Members of an event in JSON.
        func event(_ count: Int) -> String {
            func list(_ element: (Int) -> String) -> String { (0..<count).map(element).joined(separator: ",") }
            let attributes = list { #""a\#($0)":{"type":"string"}"# }
            return switch self {
            case .texts: #""attributes":{"a":{"type":"string","enum":[\#(list { "\"v\($0)\"" })]}}"#
            case .numbers: #""attributes":{"a":{"type":"number","enum":[\#(list { "\($0).5" })]}}"#
            case .repeatedTexts: #""attributes":{"a":{"type":"string","enum":[\#(list { "\"v\($0 / 2)\"" })]}}"#
            case .required: #""items":{"required":[\#(list { "\"a\($0)\"" })],"attributes":{\#(attributes)}}"#
            case .requiredButUnknown: #""items":{"required":[\#(list { "\"b\($0)\"" })],"attributes":{}}"#
            }
        }
    }

    @Test("are linear for reading", arguments: Part.allCases)
    func reading(_ part: Part) throws {
        let growth = try TimeGrowth(from: 2_000) { count -> [UInt8] in
            Array(#"{"clickstream-plan":1,"events":{"e":{\#(part.event(count))}}}"#.utf8)
        } of: { bytes in
            // Some have mistakes.
            _ = try? TrackingPlan.read(bytes, file: "plan.json")
        }
        #expect(growth.isLinear, "\(growth)")
    }

    @Test("are linear for a repeated key in a long line")
    func repeatedKey() throws {
        let growth = try TimeGrowth(from: 4_000) { count -> [UInt8] in
            let names = (0..<count).map { "e\($0): {}" } + ["e0: {}"]
            return Array("clickstream-plan: 1\nevents: { \(names.joined(separator: ", ")) }".utf8)
        } of: { bytes in
            #expect(throws: DocumentError.self) { try TrackingPlan.read(bytes, file: "plan.yaml") }
        }
        #expect(growth.isLinear, "\(growth)")
    }

    private static func plan(values: [JSONValue]) -> TrackingPlan {
        TrackingPlan(
            events: [
                PlannedEvent("e", fields: PlannedFields([PlannedAttribute("a", .string, rules: [EnumRule(values)])]))
            ]
        )
    }

    private static func texts(_ count: Int, _ prefix: String = "v") -> [JSONValue] {
        (0..<count).map { JSONValue(.string("\(prefix)\($0)")) }
    }

    private static func event(_ name: String, _ attributes: [JSONMember]) -> JSONValue {
        JSONValue(.object([JSONMember("event_type", .string(name)), JSONMember("attributes", .object(attributes))]))
    }

    @Test("are constant for a value of an enum, whatever the number of its values")
    func lookup() throws {
        let growth = try TimeGrowth(from: 2_000) { count -> (PlanJudge, [JSONValue]) in
            let values = Self.texts(count)
            let events = values.map { Self.event("e", [JSONMember("a", $0)]) }
            return (PlanJudge(Self.plan(values: values)), events)
        } of: { input in
            let (judge, events) = input
            let findings = events.reduce(0) { $0 + judge.verdict(on: $1).findings.count }
            #expect(findings == 0)
        }
        #expect(growth.isLinear, "\(growth)")
    }

    @Test(
        "are constant for a finding, whatever the length of the plan's texts",
        arguments: ["{}", #"{"a":"w"}"#]
    )
    func longTexts(attributes: String) throws {
        let event = try JSONReader.parse(Array(#"{"event_type":"e","attributes":\#(attributes)}"#.utf8))
        let growth = try TimeGrowth(from: 500) { count -> (PlanJudge, Int) in
            let values = Self.texts(20, String(repeating: "v", count: count))
            let fields = PlannedFields([PlannedAttribute("a", .string, isRequired: true, rules: [EnumRule(values)])])
            return (PlanJudge(TrackingPlan(events: [PlannedEvent("e", fields: fields)])), count)
        } of: { input in
            let (judge, count) = input
            let lengths = (0..<count).flatMap { _ in
                judge.verdict(on: event).findings.map { $0.message.unicodeScalars.count }
            }
            #expect(lengths == Array(repeating: Rules.longestMessage, count: count))
        }
        #expect(growth.isLinear, "\(growth)")
    }

    @Test("are constant for an item without values, whatever the number of required attributes")
    func required() throws {
        let growth = try TimeGrowth(from: 1_000) { count -> (PlanJudge, JSONValue) in
            let fields = PlannedFields((0..<count).map { PlannedAttribute("a\($0)", .string, isRequired: true) })
            let items = Array(repeating: JSONValue(.object([])), count: count)
            let event = [JSONMember("event_type", .string("e")), JSONMember("items", .array(items))]
            return (PlanJudge(TrackingPlan(events: [PlannedEvent("e", items: fields)])), JSONValue(.object(event)))
        } of: { input in
            let (judge, event) = input
            let count = event["items"]?.array?.count ?? 0
            let verdict = judge.verdict(on: event)
            #expect(verdict.findings.count == Rules.maxFindings)
            #expect(verdict.unlisted == count * count - Rules.maxFindings)
        }
        #expect(growth.isLinear, "\(growth)")
    }

    private static func planned(_ count: Int) -> [PlannedEvent] {
        (0..<count).map { PlannedEvent("planned_event_\($0)") }
    }

    @Test("are independent of the number of planned events for events of one unplanned name")
    func unplanned() throws {
        let growth = try TimeGrowth(from: 1_000) { count -> (PlanJudge, Int) in
            (PlanJudge(TrackingPlan(events: Self.planned(count))), count)
        } of: { input in
            let (judge, count) = input
            let event = Self.event("planed_event_1", [])
            let messages = Set((0..<count).map { _ in judge.verdict(on: event).findings.map(\.message) })
            let message = "event_type: the plan has no event \"planed_event_1\"; did you mean 'planned_event_1'?"
            #expect(messages == [[message]])
        }
        #expect(growth.isLinear, "\(growth)")
    }

    @Test("are linear for events of different unplanned names")
    func unplannedNames() throws {
        let growth = try TimeGrowth(from: 1_000) { count -> (PlanJudge, [JSONValue]) in
            let events = (0..<count).map { Self.event("unknown_thing_\($0)", []) }
            return (PlanJudge(TrackingPlan(events: Self.planned(count))), events)
        } of: { input in
            let (judge, events) = input
            let findings = events.reduce(0) { $0 + judge.verdict(on: $1).findings.count }
            #expect(findings == events.count)
        }
        #expect(growth.isLinear, "\(growth)")
    }

    @Test("are linear for events of different unplanned attributes")
    func unplannedAttributes() throws {
        let growth = try TimeGrowth(from: 1_000) { count -> (PlanJudge, [JSONValue]) in
            let attributes = (0..<count).map { PlannedAttribute("planned_attribute_\($0)", .string) }
            let event = PlannedEvent("e", fields: PlannedFields(attributes, allowsOthers: false))
            let events = (0..<count).map { Self.event("e", [JSONMember("unknown_thing_\($0)", .boolean(true))]) }
            return (PlanJudge(TrackingPlan(events: [event])), events)
        } of: { input in
            let (judge, events) = input
            let findings = events.reduce(0) { $0 + judge.verdict(on: $1).findings.count }
            #expect(findings == events.count)
        }
        #expect(growth.isLinear, "\(growth)")
    }

    @Test("are bounded for suggestions: the first thousand different names have them, also when they come again")
    func suggestions() {
        let judge = PlanJudge(TrackingPlan(events: [PlannedEvent("login"), PlannedEvent("logout")]))
        func message(_ name: String) -> String? { judge.verdict(on: Self.event(name, [])).findings.first?.message }
        #expect(message("lgoin")?.hasSuffix("; did you mean 'login'?") == true)
        for index in 0..<NameSuggestions.maxNames { _ = message("other_\(index)") }
        #expect(message("lgoin")?.hasSuffix("; did you mean 'login'?") == true)
        #expect(message("logut") == "event_type: the plan has no event \"logut\"")
    }

    @Test("do not change the suggestion: the closest name of the event and the globals, by the alphabet among equals")
    func order() {
        let globals = PlannedFields(["cat", "price"].map { PlannedAttribute($0, .string) })
        let own = PlannedFields(["hat", "bat"].map { PlannedAttribute($0, .string) }, allowsOthers: false)
        let judge = PlanJudge(TrackingPlan(events: [PlannedEvent("e", fields: own)], globals: globals))
        let event = Self.event("e", [JSONMember("rat", .null), JSONMember("prices", .boolean(true))])
        #expect(
            judge.verdict(on: event).findings.map(\.message) == [
                "attributes.prices: not in the plan; did you mean 'price'?"
            ]
        )
        let other = Self.event("e", [JSONMember("rat", .boolean(true))])
        #expect(
            judge.verdict(on: other).findings.map(\.message) == ["attributes.rat: not in the plan; did you mean 'bat'?"]
        )
    }

    @Test("are linear for the differences of enums")
    func differences() throws {
        let growth = try TimeGrowth(from: 2_000) { count -> (TrackingPlan, TrackingPlan) in
            (Self.plan(values: Self.texts(count)), Self.plan(values: Self.texts(count, "w")))
        } of: { input in
            let (old, new) = input
            let changes = PlanChange.changes(from: old, to: new)
            #expect(changes.count > 0)
        }
        #expect(growth.isLinear, "\(growth)")
    }

    @Test("are linear for values with the same name in Swift")
    func swiftNames() throws {
        let growth = try TimeGrowth(from: 1_000) { count -> TrackingPlan in
            // Letters beyond ASCII are no part of a name.
            Self.plan(values: (0..<count).map { JSONValue(.string("x" + String(UnicodeScalar(0x4E00 + UInt16($0))!))) })
        } of: { plan in
            let changes = plan.swiftNameChanges
            #expect(changes.last?.name == "x_\(changes.count + 1)")
        }
        #expect(growth.isLinear, "\(growth)")
    }

    @Test(
        "values of an enum are compared as in JSON Schema",
        arguments: [
            ("1", "1", true), ("1", "1.0", true), ("1.0", "1", true), ("1e3", "1000", true), ("1", "2", false),
            ("1.5", "1.50", true), ("-0", "0", true), ("0.0", "-0.0", true), ("1", "\"1\"", false),
            ("9007199254740993", "9007199254740992", false), ("9007199254740993", "9007199254740992.0", true),
            ("1e400", "2e400", true), ("\"a\"", "\"a\"", true), ("\"\\u00e9\"", "\"e\\u0301\"", false),
            ("true", "true", true), ("true", "false", false), ("true", "1", false), ("null", "null", false),
            ("[]", "[]", false), ("{}", "{}", false),
        ]
    )
    func equality(_ one: String, _ other: String, _ areEqual: Bool) throws {
        let (one, other) = (try JSONReader.parse(Array(one.utf8)), try JSONReader.parse(Array(other.utf8)))
        #expect(EnumValues([one]).contains(other) == areEqual)
        #expect(EnumValues([other]).contains(one) == areEqual)
    }
}
