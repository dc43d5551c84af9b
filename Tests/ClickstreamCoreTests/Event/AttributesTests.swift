import ClickstreamCore
import FoundationEssentials
import Testing

@Suite("Attributes")
struct AttributesTests {
    @Test("a literal accepts variables of every type, in written order")
    func literal() {
        let (name, count, large, price, flag) = ("shoes", 2, Int64(9_007_199_254_740_993), 279.9, true)
        let exact = Decimal(string: "12.50") ?? 0
        let attributes: Attributes = [
            "category": name, "count": count, "large": large, "price": price, "flag": flag, "exact": exact, "text": "x",
        ]
        #expect(attributes.map(\.name) == ["category", "count", "large", "price", "flag", "exact", "text"])
        #expect(attributes["category"] == "shoes")
        #expect(attributes["count"] == 2)
        #expect(attributes["large"] == 9_007_199_254_740_993)
        #expect(attributes["price"] == 279.9)
        #expect(attributes["flag"] == true)
        #expect(attributes["exact"] == exact.attributeValue)
        #expect(attributes["missing"] == nil)
    }

    @Test("the latest of two values with one name is used, in the position of the first")
    func latest() {
        let attributes: Attributes = ["a": 1, "b": 2, "a": 3]
        #expect(attributes == ["a": 3, "b": 2])
    }

    @Test("nil in a literal is left out, also beside a value of the same name")
    func absent() {
        let (missing, present): (Int?, Int?) = (nil, 2)
        let attributes: Attributes = ["a": missing, "b": 1, "a": present, "b": nil, "c": missing, "d": "x", "e": nil]
        #expect(attributes.map(\.name) == ["b", "a", "d"])
        #expect(attributes.map(\.value) == [1, 2, "x"])
        let none: Attributes = ["a": nil, "b": missing]
        #expect(none.isEmpty)
    }

    @Test("a literal contains each name once, for any length and any encoding")
    func onceEach() {
        for length in 0...40 {
            let (name, other) = (String(repeating: "n", count: length), String(repeating: "m", count: length) + "x")
            let attributes: Attributes = [name: 1, other: 2, name: 3, other + "y": 4, name + "z": 5, other: 6]
            let names: [String] = [name, other, other + "y", name + "z"]
            #expect(attributes.map(\.name) == names, "\(length)")
            #expect(attributes.map(\.value) == [3, 6, 4, 5], "\(length)")
        }
        let accents: Attributes = ["caf\u{E9}": 1, "cafe": 2, "cafe\u{301}": 3]
        #expect(accents.count == 2)
        #expect(accents["caf\u{E9}"] == 3)
        var names = Set<String>()
        let all: Attributes = [
            "a": 1, "b": 2, "c": 3, "d": 4, "e": 5, "f": 6, "g": 7, "h": 8, "i": 9, "j": 10, "k": 11, "l": 12, "m": 13,
            "n": 14, "o": 15, "p": 16, "q": 17, "r": 18, "s": 19, "t": 20, "a": 21, "u": 22, "v": 23, "w": 24, "t": 25,
        ]
        for element in all { #expect(names.insert(element.name).inserted) }
        #expect(names.count == 23)
        #expect(all["a"] == 21)
        #expect(all["t"] == 25)
    }

    @Test("are set and removed through the subscript, from literals and from variables")
    func subscripts() {
        var attributes: Attributes = [:]
        let count = 3
        attributes["count"] = count
        attributes["name"] = "carl"
        attributes["count"] = 4
        #expect(attributes == ["count": 4, "name": "carl"])
        attributes["count"] = nil
        #expect(attributes == ["name": "carl"])
    }

    @Test("are created from a dictionary, by name")
    func dictionary() {
        let values: [String: any AttributeValueConvertible] = ["b": 2, "a": "x", "c": 1.5]
        #expect(Attributes(values).map(\.name) == ["a", "b", "c"])
        #expect(Attributes(values) == ["a": "x", "b": 2, "c": 1.5])
        #expect(Attributes(["n": 1]) == ["n": 1])
    }

    @Test("many names keep order and uniqueness")
    func many() {
        let pairs = (0..<10_000).map { ("name_\($0 % 5_000)", AttributeValue.integer(Int64($0))) }
        let attributes = Attributes(pairs)
        #expect(attributes.count == 5_000)
        #expect(attributes.first?.name == "name_0")
        #expect(attributes["name_0"] == 5_000)
        #expect(attributes["name_4999"] == 9_999)
    }

    @Test("merging sets the other's values, in its order")
    func merging() {
        var attributes: Attributes = ["a": 1, "b": 2]
        attributes.merge(["c": 3, "a": 4])
        #expect(attributes == ["a": 4, "b": 2, "c": 3])
    }

    @Test("not-a-number is not finite, for any type")
    func finite() {
        #expect(!AttributeValue.double(.infinity).isFinite)
        #expect(!Decimal.nan.attributeValue.isFinite)
        #expect(AttributeValue.double(.greatestFiniteMagnitude).isFinite)
        #expect(AttributeValue.string("inf").isFinite)
    }
}
