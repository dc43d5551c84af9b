import ClickstreamPlan
import Testing

@Suite("Swift of a plan")
struct PlanSwiftTests {
    private static func source(_ events: String, isPublic: Bool = false) throws -> [String] {
        let plan = try PlanReaderTests.plan("clickstream-plan: 1\nevents:\n\(events)")
        return plan.swift(isPublic: isPublic).split(separator: "\n").map { String($0.drop { $0 == " " }) }
    }

    @Test(
        "names types, properties and cases as Swift does, uniquely",
        arguments: [
            ("  add_to_cart:", "struct AddToCart: ClickstreamEvent, Sendable {"),
            ("  string:", "struct StringEvent: ClickstreamEvent, Sendable {"),
            ("  e: { attributes: { unit_price: { type: number, required: true } } }", "var unitPrice: Double"),
            ("  e: { attributes: { class: { type: string } } }", "var `class`: String?"),
            ("  e: { attributes: { class: { type: string } } }", "case `class` = \"class\""),
            ("  e: { attributes: { URL: { type: string } } }", "var url: String?"),
            ("  e: { attributes: { self: { type: string } } }", "var attributeSelf: String?"),
            ("  e: { attributes: { c: { type: string, enum: [none, x] } } }", "case valueNone = \"none\""),
            ("  e: { attributes: { c: { type: string, enum: [allCases] } } }", "case valueAllCases = \"allCases\""),
            ("  e: { attributes: { a_b: { type: integer }, aB: { type: boolean } } }", "var aB_2: Bool?"),
            ("  e: { attributes: { _value: { type: number } } }", "var value: Double?"),
            (
                "  e: { attributes: { c: { type: string, enum: [EUR, \"10 %\", \"\", default] } } }",
                "case value10 = \"10 %\""
            ),
            ("  e: { attributes: { c: { type: string, enum: [EUR, \"10 %\", \"\", default] } } }", "case empty = \"\""),
            (
                "  e: { attributes: { c: { type: string, enum: [EUR, \"10 %\", \"\", default] } } }",
                "case `default` = \"default\""
            ),
            ("  e: { attributes: { c: { type: string, enum: [\"a\\\"b\\\\\"] } } }", "case aB = \"a\\\"b\\\\\""),
            (
                "  e: { attributes: { item: { type: string, enum: [x] } } }",
                "enum ItemValue: String, Encodable, Sendable, CaseIterable {"
            ),
            ("  e: { attributes: { n: { type: number, enum: [-0.5, 1] } } }", "case valueMinus0Point5 = -0.5"),
            ("  e: { attributes: { b: { type: boolean, enum: [true] } } }", "var b: Bool?"),
            ("  e: { attributes: { items: { type: string, required: true } } }", "init(items_2: String) {"),
            ("  e: { items: { attributes: { id: { type: string, required: true } } } }", "init(items: [Item] = []) {"),
            (
                "  e: { attributes: { o: { type: string }, r: { type: string, required: true } } }",
                "init(r: String, o: String? = nil) {"
            ),
        ]
    )
    func names(events: String, line: String) throws {
        #expect(try Self.source(events).contains(line))
    }

    @Test(
        "gives no event the name of a type or module of Swift, Foundation, the concurrency library or the SDK",
        arguments: [
            "actor", "any", "any_object", "array", "async_sequence", "async_stream", "attribute_value", "attributes",
            "bool", "bundle", "calendar", "case_iterable", "character", "checked_continuation",
            "clickstream_analytics", "clickstream_configuration", "clickstream_event", "clock", "codable",
            "coding_key", "coding_keys", "collection", "comparable", "continuous_clock", "data", "date", "decimal",
            "decodable", "dictionary", "dispatch_queue", "double", "duration", "encodable", "equatable", "error",
            "error_code", "file_manager", "float", "foundation", "hashable", "host", "identifiable", "index_path",
            "int", "item", "key_path", "locale", "main_actor", "measurement", "mutex", "never", "notice",
            "notification", "notification_center", "NSError", "observable", "operation", "optional", "option_set",
            "pipe", "port", "predicate", "process", "progress", "protocol", "range", "raw_representable", "regex",
            "result", "run_loop", "self", "sendable", "sequence", "set", "span", "stream", "string", "substring",
            "swift", "task", "task_group", "task_local", "task_priority", "thread", "time_interval", "time_zone",
            "timer", "type", "unit", "URL", "URLSession", "user_defaults", "UUID", "violation", "void",
        ]
    )
    func platform(event: String) throws {
        let words = event.split(separator: "_").map { $0.prefix(1).uppercased() + $0.dropFirst() }
        let plan = try PlanReaderTests.plan("clickstream-plan: 1\nevents:\n  \"\(event)\":")
        #expect(plan.swift().contains("struct \(words.joined())Event: ClickstreamEvent, Sendable {"))
        let change = SwiftNameChange(
            path: "events.\(event)",
            usual: words.joined(),
            name: words.joined() + "Event",
            reason: .reserved
        )
        #expect(plan.swiftNameChanges == [change])
    }

    @Test(
        "keeps the usual name of an event that shadows nothing",
        arguments: [
            "AddToCart", "Event", "Events", "Init", "Login", "Name", "Print", "Purchase", "Session", "SignUp",
            "TaskDone", "Url", "User", "Uuid",
        ]
    )
    func usual(type: String) throws {
        let plan = try PlanReaderTests.plan("clickstream-plan: 1\nevents:\n  \(type):")
        #expect(plan.swift().contains("struct \(type): ClickstreamEvent, Sendable {"))
        #expect(plan.swiftNameChanges.isEmpty)
    }

    @Test("lists the names that differ from the usual ones; a reserved name changes no other event's")
    func changes() throws {
        let plan = try PlanReaderTests.plan(
            """
            clickstream-plan: 1
            events:
              error:
              error_event: { attributes: { self: { type: string }, class: { type: string, enum: [none, a b, a-b] } } }
              add_to_cart: { attributes: { item: { type: string, enum: [x] }, items: { type: integer } } }
              AddToCart: { items: { attributes: { a_b: { type: integer }, aB: { type: boolean } } } }
            """
        )
        #expect(
            plan.swiftNameChanges.map { "\($0.path): \($0.message)" } == [
                "events.AddToCart: named 'AddToCartEvent' in Swift, where 'AddToCart' is in use",
                "events.error: named 'ErrorEvent_2' in Swift, where 'Error' has another meaning",
                "events.error_event.attributes.class.enum: named 'valueNone' in Swift, where 'none' has another meaning",
                "events.error_event.attributes.class.enum: named 'aB_2' in Swift, where 'aB' is in use",
                "events.error_event.attributes.self: named 'attributeSelf' in Swift, where 'self' has another meaning",
                "events.add_to_cart.attributes.items: named 'items_2' in Swift, where 'items' is in use",
                "events.add_to_cart.attributes.item: named 'ItemValue' in Swift, where 'Item' has another meaning",
                "events.AddToCart.items.attributes.aB: named 'aB_2' in Swift, where 'aB' is in use",
            ]
        )
    }

    @Test("omits events of the SDK")
    func automatic() throws {
        #expect(try !Self.source("  _screen_view:\n  e:").contains { $0.contains("ScreenView") })
    }

    @Test("has public types on request")
    func access() throws {
        let lines = try Self.source("  e: { attributes: { a: { type: string, enum: [x] } } }", isPublic: true)
        let declarations = lines.filter { line in
            ["struct ", "enum ", "var ", "init(", "static let ", "import "].contains { line.contains($0) }
                && !line.hasPrefix("private")
        }
        #expect(declarations.allSatisfy { $0.hasPrefix("public ") })
        #expect(declarations.count == 6)
    }
}
