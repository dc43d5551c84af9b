#if Tools
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
#endif
