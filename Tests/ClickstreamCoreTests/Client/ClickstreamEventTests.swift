import ClickstreamSimulation
import FoundationEssentials
import Testing

@testable import ClickstreamCore

@Suite("Typed events")
struct ClickstreamEventTests {
    private enum Currency: String, Encodable {
        case eur = "EUR"
    }

    private struct Product: Encodable {
        var id: String
        var price: Double
        var note: String?
    }

    private struct Purchase: ClickstreamEvent {
        static let name = "purchase"
        var text = "shoes"
        var count = 2
        var price = 9.5
        var isGift = true
        var single: Float = 0.1
        var small: UInt8 = 200
        var large: UInt64 = .max
        var exact = Decimal(string: "0.10")
        var currency: Currency? = .eur
        var missing: String?
        var day = Date(timeIntervalSince1970: 1.5)
        var page = URL(string: "https://example.com/a")
        var items = [Product(id: "1", price: 1), Product(id: "2", price: 2.5, note: "x")]
    }

    @Test("become attributes and items, in the order of their properties")
    func flat() {
        let encoded = EncodedEvent(Purchase())
        #expect(encoded.name == "purchase")
        let exact = AttributeValue.decimal(DecimalNumber(text: "0.1", isFinite: true))
        let large = AttributeValue.decimal(DecimalNumber(text: "18446744073709551615", isFinite: true))
        #expect(
            encoded.attributes == [
                "text": "shoes", "count": 2, "price": 9.5, "isGift": true, "single": 0.1, "small": 200, "large": large,
                "exact": exact, "currency": "EUR", "day": 1_500, "page": "https://example.com/a",
            ]
        )
        #expect(encoded.items == [["id": "1", "price": 1.0], ["id": "2", "price": 2.5, "note": "x"]])
        #expect(encoded.violations == [])
    }

    private struct Nested: ClickstreamEvent {
        static let name = "nested"
        var before = 1
        var object = Product(id: "1", price: 1)
        var list = [1, 2]
        var table = ["a": 1]
        var items: [[String: [Int]]] = [["sizes": [1]], [:]]
        var after = 2
    }

    @Test("report each nested value with its code, and keep the others")
    func nested() {
        let encoded = EncodedEvent(Nested())
        #expect(encoded.attributes == ["before": 1, "after": 2])
        #expect(encoded.items == [[:]])
        #expect(encoded.violations.map(\.code.rawValue) == [2006, 2006, 2006, 4008])
        #expect(encoded.violations.map(\.name) == ["object", "list", "table", "sizes"])
        #expect(encoded.violations.allSatisfy { $0.severity == .error })
        #expect(
            encoded.violations.map(\.message) == [
                "the value of event attribute \"object\" is nested; use flat properties",
                "the value of event attribute \"list\" is nested; use flat properties",
                "the value of event attribute \"table\" is nested; use flat properties",
                "items[0]: the value of item attribute \"sizes\" is nested; use flat properties",
            ]
        )
    }

    private struct Failing: ClickstreamEvent {
        struct Failure: Error {}
        static let name = "failing"

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode("value")
            throw Failure()
        }
    }

    private struct Words: ClickstreamEvent {
        static let name = "words"
        var items = ["one", "two"]
    }

    @Test("of another form are reported")
    func form() {
        let failing = EncodedEvent(Failing())
        #expect(failing.attributes == [:])
        #expect(failing.violations.map(\.code) == [.attributeValueNested, .attributeValueNested])
        let words = EncodedEvent(Words())
        #expect(words.items == [])
        #expect(words.violations.map(\.code) == [.itemValueNested, .itemValueNested])
    }

    @Test("are recorded as the same event with literals is, on the wire")
    func wire() throws {
        struct Tap: ClickstreamEvent {
            static let name = "tap"
            var price = 9.5
            var target = "button"
            var items: [Product]
        }
        func json(_ record: (ClickstreamClient) -> Void) throws -> String {
            let phone = Phone()
            let client = try phone.launch()
            _ = phone.log.take()
            record(client)
            return String(decoding: try #require(phone.log.take().events.first).json, as: UTF8.self)
        }
        let plain = try json { $0.record(Tap(items: [])) }
        #expect(try plain == json { $0.record("tap", attributes: ["price": 9.5, "target": "button"]) })
        let withItem = try json { $0.record(Tap(items: [Product(id: "1", price: 2)])) }
        let item: Attributes = ["id": "1", "price": 2.0]
        #expect(
            try withItem == json { $0.record("tap", attributes: ["price": 9.5, "target": "button"], items: [item]) }
        )
    }

    @Test("carry the code of a nested value in the event itself, before other codes")
    func reported() throws {
        struct Tap: ClickstreamEvent {
            static let name = "tap"
            var kept = 1
            var nested = ["a": 1]
            var infinite = Double.infinity
        }
        let phone = Phone()
        let client = try phone.launch()
        _ = phone.log.take()
        client.record(Tap())
        let notices = phone.log.take()
        let event = try JSONReader.parse(#require(notices.events.first).json)
        #expect(event["attributes"]?["kept"]?.integer == 1)
        #expect(event["attributes"]?["nested"] == nil)
        #expect(event["attributes"]?["_error_code"]?.integer == 2006)
        let codes = notices.flatMap { notice -> [Int] in
            guard case .recorded(_, _, _, let violations) = notice else { return [] }
            return violations.map(\.code.rawValue)
        }
        #expect(codes == [2006, 2005])
    }

    @Test("with an invalid name become an error event")
    func name() throws {
        struct Bad: ClickstreamEvent {
            static let name = "not valid"
        }
        let phone = Phone()
        let client = try phone.launch()
        _ = phone.log.take()
        client.record(Bad())
        #expect(phone.log.take().events.map(\.name) == [EventName.clickstreamError])
    }
}
