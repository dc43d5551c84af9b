import ClickstreamCore
import ClickstreamDocuments
import Testing

@testable import ClickstreamPlan

@Suite("Reader of tracking plans")
struct PlanReaderTests {
    /// The plan of the contract.
    static let shop = """
        clickstream-plan: 1
        events:
          add_to_cart:
            description: A product was put into the cart.
            attributes:
              price:    { type: number, required: true, minimum: 0 }
              currency: { type: string, enum: [EUR, USD] }
            items: { required: [id, price], attributes: { id: {type: string}, price: {type: number} } }
            additional: false
          login:
        user: { attributes: { plan: {type: string, enum: [free, paid]} } }
        globals: { attributes: { channel: { type: string, maxLength: 5, pattern: "^[a-z]+$" } } }
        unplanned: warn
        """

    static func plan(_ text: String, file: String = "plan.yaml") throws -> TrackingPlan {
        try TrackingPlan.read(Array(text.utf8), file: file)
    }

    private static func errors(_ text: String, file: String = "plan.yaml") -> [String] {
        do throws(DocumentError) {
            _ = try TrackingPlan.read(Array(text.utf8), file: file)
            return []
        } catch {
            return error.problems.map { String($0.rendered(file: "").dropFirst()) }
        }
    }

    @Test("reads every part of a plan")
    func parts() throws {
        let plan = try Self.plan(Self.shop)
        let price = PlannedAttribute("price", .number, isRequired: true, rules: [MinimumRule(JSONNumber(integer: 0))])
        let currencies = [JSONValue(.string("EUR")), JSONValue(.string("USD"))]
        #expect(
            plan
                == TrackingPlan(
                    events: [
                        PlannedEvent(
                            "add_to_cart",
                            summary: "A product was put into the cart.",
                            fields: PlannedFields(
                                [price, PlannedAttribute("currency", .string, rules: [EnumRule(currencies)])],
                                allowsOthers: false
                            ),
                            items: PlannedFields([
                                PlannedAttribute("id", .string, isRequired: true),
                                PlannedAttribute("price", .number, isRequired: true),
                            ])
                        ), PlannedEvent("login"),
                    ],
                    user: PlannedFields([
                        PlannedAttribute(
                            "plan",
                            .string,
                            rules: [EnumRule([JSONValue(.string("free")), JSONValue(.string("paid"))])]
                        )
                    ]),
                    globals: PlannedFields([
                        PlannedAttribute(
                            "channel",
                            .string,
                            rules: [PatternRule(try PlanPattern("^[a-z]+$")), MaxLengthRule(5)]
                        )
                    ])
                )
        )
    }

    @Test("reads what it writes")
    func roundTrip() throws {
        let plan = try Self.plan(Self.shop)
        #expect(try Self.plan(plan.yaml()) == plan)
    }

    @Test(
        "reports mistakes of a plan as a whole",
        arguments: [
            ("", "1:1: error: the plan is empty; start it with 'clickstream-plan: 1'"),
            ("events", "1:1: error: a plan must be a mapping, not a string; start it with 'clickstream-plan: 1'"),
            (
                "events: {}",
                "1:1: error: the plan has no 'clickstream-plan:', the version of its format; start it with 'clickstream-plan: 1'"
            ),
            ("clickstream-plan: 2\nevents: {}", "1:19: error: unknown format version 2; this program reads version 1"),
            (
                "clickstream-plan: 1",
                "1:1: error: the plan has no 'events'; add 'events:' with a mapping of event names"
            ),
            ("clickstream-plan: 1\nevents: []", "2:9: error: 'events' must be a mapping of event names, not a list"),
            (
                "clickstream-plan: 1\nevents: {}\nunplaned: warn",
                "3:1: error: unknown key 'unplaned' in the plan; did you mean 'unplanned'?"
            ),
            (
                "clickstream-plan: 1\nevents: {}\nunplanned: wran",
                "3:12: error: unknown value 'wran' of 'unplanned'; did you mean 'warn'?"
            ),
            (
                "clickstream-plan: 1\nevents: {}\nglobals: { additional: false }",
                "3:12: error: unknown key 'additional' in 'globals'; valid keys: attributes"
            ),
            ("clickstream-plan: 1\nevents: { a: {}, a: {} }", "2:18: error: duplicate key 'a' in a mapping"),
            (
                "clickstream-plan: 1\nevents: [",
                "3:1: error: not YAML: did not find expected node content (while parsing a flow node)"
            ),
        ]
    )
    func whole(text: String, error: String) {
        #expect(Self.errors(text) == [error])
    }

    @Test(
        "reports mistakes of an event with line and column",
        arguments: [
            (
                "  add to cart: {}",
                "3:3: error: invalid event name \"add to cart\": use letters, digits and '_', not starting with a digit (code 1001)"
            ),
            (
                "  _app_strat: {}",
                "3:3: error: the event name '_app_strat' is reserved, and no event of the SDK has it; did you mean '_app_start'?"
            ),
            (
                "  a: { atributes: {} }",
                "3:8: error: unknown key 'atributes' in the event 'a'; did you mean 'attributes'?"
            ),
            ("  a: { additional: maybe }", "3:20: error: 'additional' must be true or false, not a string"),
            (
                "  a: { description: 1 }",
                "3:21: error: 'description' must be a string, not the number 1; write \"1\" in quotation marks to make it a string"
            ),
            (
                "  a: { items: { required: [id, id], attributes: { id: { type: string } } } }",
                "3:32: error: 'required' of the items of the event 'a' has the name 'id' twice"
            ),
            (
                "  a: { items: { required: [ib], attributes: { id: { type: string } } } }",
                "3:28: error: the required attribute 'ib' of the items of the event 'a' is not in 'attributes'; did you mean 'id'?"
            ),
            (
                "  a: { items: { attributes: { id: { type: boolean } } } }",
                "3:31: error: items[0] has no \"id\" that is a number or a string (code 4006)"
            ),
            (
                "  a: { items: { attributes: { item_category: { type: string } } } }",
                "3:31: error: the SDK renames the item attribute 'item_category'; write 'category'"
            ),
        ]
    )
    func event(text: String, error: String) {
        #expect(Self.errors("clickstream-plan: 1\nevents:\n" + text) == [error])
    }

    @Test(
        "reports mistakes of an attribute with line and column",
        arguments: [
            (
                "x-y: { type: string }",
                "5:7: error: invalid event attribute name \"x-y\": use letters, digits and '_', not starting with a digit (code 2002)"
            ),
            ("a: { type: nubmer }", "5:18: error: unknown type 'nubmer' of the attribute 'a'; did you mean 'number'?"),
            ("a: { type: int }", "5:18: error: unknown type 'int' of the attribute 'a'; did you mean 'integer'?"),
            ("a: {}", "5:7: error: the attribute 'a' has no 'type'; add 'type: string', integer, number or boolean"),
            (
                "a: string",
                "5:10: error: the attribute 'a' must be a mapping with type, required, enum, pattern, minimum, maximum, maxLength or description, not a string"
            ),
            (
                "a: { type: string, requird: true }",
                "5:26: error: unknown key 'requird' in the attribute 'a'; did you mean 'required'?"
            ),
            (
                "_foo: { type: string }",
                "5:7: error: the attribute name '_foo' is reserved; remove the leading underscore"
            ),
            (
                "_session_number: { type: string }",
                "5:7: error: event attribute name \"_session_number\" is reserved and must be an integer (code 2002)"
            ),
            (
                "a: { type: string, minimum: 1 }",
                "5:35: error: 'minimum' does not apply to the attribute 'a', a string; it applies to the type integer or number"
            ),
            (
                "a: { type: integer, maxLength: 1 }",
                "5:38: error: 'maxLength' does not apply to the attribute 'a', an integer; it applies to the type string"
            ),
            (
                "a: { type: integer, minimum: 5, maximum: 2 }",
                "5:48: error: 'maximum' of the attribute 'a' is 2, less than 'minimum', 5"
            ),
            (
                "a: { type: integer, minimum: 0.5, maximum: 0.7 }",
                "5:50: error: no integer is between 0.5 and 0.7, the limits of the attribute 'a'"
            ),
            (
                "a: { type: number, minimum: .nan }",
                "5:35: error: 'minimum' of the attribute 'a' must be a finite number; leave it out for no limit"
            ),
            (
                "a: { type: string, maxLength: 1025 }",
                "5:37: error: 'maxLength' of the attribute 'a' is 1025, above the limit of the SDK; the SDK accepts at most 1024 characters"
            ),
            (
                "a: { type: string, maxLength: -1 }",
                "5:37: error: 'maxLength' of the attribute 'a' must be from 0 to 2147483647, not -1"
            ),
            (
                "a: { type: string, pattern: \"(\" }",
                "5:35: error: invalid regular expression in 'pattern' of the attribute 'a': the group has no ')' (character 1)"
            ),
            (
                "a: { type: string, enum: [] }",
                "5:32: error: 'enum' of the attribute 'a' is empty; list the allowed values"
            ),
            (
                "a: { type: string, enum: [x, 1] }",
                "5:36: error: a value in 'enum' of the attribute 'a' must be a string, not the number 1; write \"1\" in quotation marks to make it a string"
            ),
            ("a: { type: number, enum: [1, 1.0] }", "5:36: error: 'enum' of the attribute 'a' has the value 1.0 twice"),
            (
                "a: { type: integer, enum: [1], minimum: 2 }",
                "5:34: error: the value 1 in 'enum' of the attribute 'a' is outside of 'minimum' and 'maximum'"
            ),
            (
                "a: { type: string, enum: [x], pattern: \"^y\" }",
                "5:33: error: the value \"x\" in 'enum' of the attribute 'a' does not match 'pattern'"
            ),
        ]
    )
    func attribute(text: String, error: String) {
        let plan = "clickstream-plan: 1\nevents:\n  e:\n    attributes:\n      \(text)"
        #expect(Self.errors(plan) == [error])
    }

    @Test(
        "reports more attributes than the SDK accepts",
        arguments: [
            (
                "events: { e: { attributes: { %@ } } }", 496,
                "the event 'e' has more than 496 attributes; the SDK adds at most 496 of them"
            ),
            (
                "events: {}\nuser: { attributes: { %@ } }", 100,
                "'user' has more than 100 attributes; the SDK adds at most 100 of them"
            ),
            (
                "events: { e: { items: { attributes: { id: { type: string }, %@ } } } }", 10,
                "the items of the event 'e' has more than 10 attributes; the SDK adds at most 10 of them"
            ),
        ]
    )
    func count(text: String, maxCount: Int, error: String) {
        func plan(_ count: Int) -> String {
            let list = (0..<count).map { "a\($0): { type: string }" }.joined(separator: ", ")
            return "clickstream-plan: 1\n" + text.replacing("%@", with: list)
        }
        #expect(Self.errors(plan(maxCount)) == [])
        let reasons: [String] = Self.errors(plan(maxCount + 1)).map { (line: String) -> String in
            let parts: [Substring] = line.split(separator: "error: ")
            return String(parts[1])
        }
        #expect(reasons == [error])
    }

    @Test("reads JSON, with positions of mistakes")
    func json() throws {
        let text = #"{ "clickstream-plan": 1, "events": { "a": { "attributes": { "b": { "type": "string" } } } } }"#
        let event = PlannedEvent("a", fields: PlannedFields([PlannedAttribute("b", .string)]))
        #expect(try Self.plan(text, file: "plan.json") == TrackingPlan(events: [event]))
        #expect(
            Self.errors("{ \"clickstream-plan\": 1,\n \"events\": { \"a\": { \"b\": 1 } } }", file: "plan.json")
                == [
                    "2:21: error: unknown key 'b' in the event 'a'; valid keys: description, attributes, items or additional"
                ]
        )
    }
}
