import ClickstreamCore
import Foundation

/// Names, values and calls that no one would write on purpose; the same for the same seed.
struct ArbitraryInput {
    var random: SeededGenerator

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
    }

    /// The lengths at which the table changes its mind, and one beside each.
    private static let lengths =
        Set(Rules.all.compactMap(\.limit)).union(Rules.all.compactMap(\.suggestion))
        .flatMap { [$0 - 1, $0, $0 + 1] }.sorted() + [0, 1, 5_000]

    private static let known =
        (Array(AttributeName.reserved) + Array(ItemName.preset) + Array(ItemName.renamed.keys) + ["item_id"]).sorted()

    mutating func number(_ range: Range<Int>) -> Int {
        Int.random(in: range, using: &random)
    }

    private mutating func one<Element>(of elements: [Element], else fallback: Element) -> Element {
        elements.randomElement(using: &random) ?? fallback
    }

    mutating func text() -> String {
        if number(0..<3) > 0 { return randomText(&random) }
        return one(of: RuleCase.Script.allCases, else: .ascii).text(one(of: Self.lengths, else: 0))
    }

    mutating func name() -> String {
        switch number(0..<8) {
        case 0: one(of: Self.known, else: "x")
        case 1: text()
        case 2: String(repeating: "n", count: one(of: Self.lengths, else: 0))
        default: "n\(number(0..<40))"
        }
    }

    mutating func eventName() -> String {
        switch number(0..<6) {
        case 0: one(of: EventName.reserved.sorted(), else: "x")
        case 1: name()
        default: "tap"
        }
    }

    mutating func double() -> Double {
        switch number(0..<6) {
        case 0: [.infinity, -.infinity, .nan, .signalingNaN, -0.0, .leastNonzeroMagnitude][number(0..<6)]
        case 1: [.greatestFiniteMagnitude, .leastNormalMagnitude, 1e128, 1e21, 1e22, 0.1 + 0.2][number(0..<6)]
        case 2: Double(number(-1_000..<1_000))
        default: Double(bitPattern: random.next())
        }
    }

    mutating func integer() -> Int64 {
        number(0..<3) == 0
            ? [.min, .max, 0, -1, Int64(Int32.max), Int64(Int32.min)][number(0..<6)] : Int64(bitPattern: random.next())
    }

    /// A decimal number as it is made, so that others can make it too.
    mutating func decimal() -> (isNegative: Bool, significand: UInt64, exponent: Int) {
        (number(0..<2) == 0, number(0..<4) == 0 ? .max : random.next() >> UInt64(number(0..<64)), number(-128..<128))
    }

    mutating func value() -> AttributeValue {
        switch number(0..<6) {
        case 0: return .integer(integer())
        case 1: return .double(double())
        case 2: return .boolean(number(0..<2) == 0)
        case 3:
            if number(0..<8) == 0 { return Decimal.nan.attributeValue }
            let parts = decimal()
            return Decimal(
                sign: parts.isNegative ? .minus : .plus,
                exponent: parts.exponent,
                significand: Decimal(parts.significand)
            ).attributeValue
        default: return .string(text())
        }
    }

    mutating func attributes() -> Attributes {
        var attributes: Attributes = [:]
        for _ in 0..<number(0..<12) { attributes.set(name(), to: value()) }
        guard number(0..<20) == 0 else { return attributes }
        let value = value()
        return Attributes((0..<number(90..<600)).map { ("m\($0)", value) })
    }

    mutating func items() -> [Attributes] {
        let count = number(0..<12) == 0 ? number(95..<105) : number(0..<4)
        return (0..<count).map { _ in
            var item: Attributes = number(0..<4) == 0 ? [:] : ["id": 1]
            if number(0..<3) == 0 { item.merge(attributes()) }
            return item
        }
    }

    /// One call of the client's.
    mutating func act(on client: ClickstreamClient) {
        switch number(0..<14) {
        case 0: client.addGlobalAttributes(attributes())
        case 1: client.deleteGlobalAttributes([name(), name()])
        case 2, 3: client.addUserAttributes(attributes())
        case 4: client.setUserID(number(0..<3) == 0 ? nil : text())
        case 5: client.screen(name: text(), id: text(), uniqueID: text())
        case 6:
            var view = attributes()
            view["_screen_name"] = value()
            client.record(EventName.screenView, attributes: view, items: items())
        case 7: client.background()
        case 8: client.foreground()
        case 9: client.disable()
        case 10: client.enable()
        default: client.record(eventName(), attributes: attributes(), items: items())
        }
    }
}
