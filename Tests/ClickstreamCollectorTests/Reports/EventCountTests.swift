import ClickstreamCore
import ClickstreamJudges
import TestSupport
import Testing

@testable import ClickstreamCollector

@Suite("Counts by value")
struct EventCountTests {
    private typealias Group = EventCount.Group

    private static func count(_ pairs: [(value: UInt32, user: UInt32)]) -> EventCount {
        pairs.reduce(into: EventCount()) { $0.add(value: $1.value, user: $1.user) }
    }

    @Test("counts events and distinct known users of each value, and of all")
    func counts() {
        var count = Self.count([(7, 1), (2, 2), (7, 1), (7, 0), (2, 1), (7, 3), (0, 0), (.max, .max)])
        let (groups, users) = count.counts()
        #expect(
            groups == [
                Group(value: 0, events: 1, users: 0), Group(value: 2, events: 2, users: 2),
                Group(value: 7, events: 4, users: 2), Group(value: .max, events: 1, users: 1),
            ]
        )
        #expect(users == 4)
        #expect(count.events == 8)
    }

    @Test("has no groups without events")
    func none() {
        var count = EventCount()
        let (groups, users) = count.counts()
        #expect(groups == [])
        #expect(users == 0)
    }

    private static let values = ["null", "false", "true", "-1", "2", "10", "\"10\"", "\"9\"", "\"é\"", "[1]"]

    @Test("lists the most frequent values, and equally frequent ones in their order", arguments: 1...11)
    func ranking(limit: Int) throws {
        let values = try Self.values.map { try JSONReader.parse(Array($0.utf8)) }
        // Two values are more frequent than the others, which are given in the reverse order.
        let weights = values.indices.map { $0 == 3 ? 9 : $0 == 8 ? 8 : 2 }
        let reversed = Array(zip(values, weights).reversed())
        let listed = ValueRanking.listed(weights: reversed.map(\.1), limit: limit) { reversed[$0].0 }
        let expected = [3, 8, 0, 1, 2, 4, 5, 6, 7, 9].prefix(limit)
        #expect(listed.map { $0.value.description } == expected.map { Self.values[$0] })
        #expect(listed.allSatisfy { reversed[$0.index].0 == $0.value })
    }

    @Test("sums up what is beyond the limit")
    func others() {
        let count = Self.count([(1, 1), (1, 2), (1, 2), (2, 1), (2, 3), (3, 1)])
        let report = CountReport(count, limit: 1) { JSONValue(.string("\($0)")) }
        #expect(report.values == [CountReport.Value(value: JSONValue(.string("1")), events: 3, users: 2)])
        #expect((report.otherValues, report.otherEvents) == (2, 3))
        #expect((report.events, report.users) == (6, 3))
    }

    @Test(
        "sorts by any bytes of a number, and keeps the order of equal ones",
        arguments: TestLength.seeds(20, full: 200)
    )
    func sorting(seed: Int) {
        var random = SplitMix(seed: UInt64(seed))
        let mask = UInt64.random(in: .min ... .max, using: &random) & UInt64.random(in: .min ... .max, using: &random)
        let numbers = (0..<Int.random(in: 0...200, using: &random)).map { _ in random.next() & mask & random.next() }
        var sorted = Array(numbers.enumerated())
        sorted.radixSort { $0.element }
        let expected = numbers.enumerated().sorted { ($0.element, $0.offset) < ($1.element, $1.offset) }
        #expect(sorted.map(\.offset) == expected.map(\.offset))
    }
}

@Suite("Values of a field")
struct FieldValueTests {
    @Test(
        "have one spelling for each exact value",
        arguments: [
            ("1", "1"), ("1.0", "1"), ("10e-1", "1"), ("0.001e3", "1"), ("-0", "0"), ("-0.00e9", "0"),
            ("99.90", "99.9"),
            ("100e-2", "1"), ("-1.50", "-1.5"), ("1E2", "100"), ("120e0", "120"), ("1e20", "100000000000000000000"),
            ("1e21", "1e+21"), ("12.5e30", "1.25e+31"), ("0.000001", "0.000001"), ("0.00000010", "1e-7"),
            ("1e400", "1e+400"), ("10e399", "1e+400"), ("9007199254740993", "9007199254740993"),
            ("9007199254740993.0", "9007199254740993"), ("0.1000000000000000055", "0.1000000000000000055"),
            ("1234567890123456789012345", "1.234567890123456789012345e+24"), ("1.5e9999999999999", "1.5e9999999999999"),
            ("\"1.0\"", "\"1.0\""), ("true", "true"), ("[1.0, {\"b\":2.50,\"a\":1}]", "[1,{\"a\":1,\"b\":2.5}]"),
            ("{\"a\":1,\"a\":2}", "{\"a\":2}"), ("\"\\u00e9\"", "\"é\""),
        ]
    )
    func exact(text: String, spelling: String) throws {
        var bytes: [UInt8] = []
        try JSONReader.parse(Array(text.utf8)).writeExact(into: &bytes)
        #expect(String(decoding: bytes, as: UTF8.self) == spelling)
    }

    /// The exact spelling of a value from its text, and from the value that is built of it.
    private static func spellings(_ text: String) throws -> (fast: String, plain: String) {
        let bytes = Array(text.utf8)
        var fast: [UInt8] = []
        bytes.withUnsafeBytes { ExactJSON.append($0, to: &fast) }
        var plain: [UInt8] = []
        let value = try bytes.withUnsafeBytes { try JSONReader.parse($0, within: .conditions).value }
        if !value.isNull { value.writeExact(into: &plain) }
        return (String(decoding: fast, as: UTF8.self), String(decoding: plain, as: UTF8.self))
    }

    @Test(
        "have the same spelling whether they are copied or built",
        arguments: [
            ("\"a\"", true), ("\"\"", true), ("\"\u{E9}\"", true), ("\"\\u00e9\"", false), ("\"a\\/b\"", false),
            ("\"\u{E9}\(String(repeating: "x", count: 60))\"", false),
            ("\"\(String(repeating: "x", count: 600))\"", true),
            ("\"e\(String(repeating: "\u{301}", count: 40))\"", false), ("0", true), ("-0", false), ("-12", true),
            ("123456789012345678", true), ("1234567890123456789012", false), ("99.9", true), ("99.90", false),
            ("-0.5", true), ("0.0", false), ("-0.0", false), ("0.000005", true), ("0.0000005", false), ("1e2", false),
            ("1.5e2", false), ("true", true), ("false", true), ("null", false), ("[1.0]", false), ("{\"a\":1}", false),
        ]
    )
    func copied(text: String, isExact: Bool) throws {
        #expect(Array(text.utf8).withUnsafeBytes { ExactJSON.isExact($0) } == isExact)
        let spellings = try Self.spellings(text)
        #expect(spellings.fast == spellings.plain)
    }

    @Test(
        "have the same spelling whether they are copied or built, also random numbers",
        arguments: 0..<10 as Range<UInt64>
    )
    func numbers(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        for _ in 0..<500 {
            let whole = ["0", "7", "10", "1234567890"].randomElement(using: &random) ?? "0"
            let zeros = String(repeating: "0", count: Int.random(in: 0..<20, using: &random))
            let text = "\(Bool.random(using: &random) ? "-" : "")\(whole == "0" ? whole : whole + zeros)"
            let fraction = Bool.random(using: &random) ? ".\(zeros)\(Int.random(in: 0..<200, using: &random))" : ""
            let spellings = try Self.spellings(text + fraction)
            #expect(spellings.fast == spellings.plain, "\(text)\(fraction)")
        }
    }

    @Test("have numbers from 1 in the order of their first occurrence, and null has 0")
    func table() throws {
        var table = ValueTable()
        let texts = ["1", "\"1\"", "1.0", "null", "true", "\"1\"", "10e-1"]
        let numbers = try texts.map { try table.number(of: JSONReader.parse(Array($0.utf8))) }
        #expect(numbers == [1, 2, 1, 0, 3, 2, 1])
        #expect((0...3).map { table[$0].description } == ["null", "1", "\"1\"", "true"])
    }

    @Test("are refused beyond a number of bytes, unless they are known")
    func full() throws {
        var table = ValueTable(maxBytes: 60)
        let text = JSONValue(.string("abcdef"))
        let numbers = [try table.number(of: text), try table.number(of: text)]
        #expect(numbers == [1, 1])
        #expect(throws: ValueTable.Full(maxBytes: 60)) { _ = try table.number(of: JSONValue(.string("b"))) }
    }

    @Test(
        "take memory within the limit, whatever their sizes",
        arguments: [(1_000_000, 1), (1_000_000, 500), (1_000_000, 200_000), (1_000_000, 2_000_000)]
    )
    func memory(maxBytes: Int, length: Int) throws {
        var table = ValueTable(maxBytes: maxBytes)
        var count = 0
        #expect(throws: ValueTable.Full(maxBytes: maxBytes)) {
            while true {
                let text = String(repeating: "x", count: length) + String(count)
                _ = try table.number(of: JSONValue(.string(text)))
                count += 1
            }
        }
        // The key of a value takes 8 bytes, and its slots at least 8.
        #expect(count * (length + 18) <= maxBytes)
    }

    @Test("that are long numbers are shown as the beginning of a text, not as absent", arguments: ["", "-"])
    func longNumbers(sign: String) throws {
        var table = ValueTable()
        let numbers = try ["1", "2", "1", "3e5"].map { end in
            let text = sign + String(repeating: "7", count: 2_000) + end
            return try table.number(of: JSONReader.parse(Array(text.utf8)))
        }
        #expect(numbers == [1, 2, 1, 3])
        for number in 1...2 as ClosedRange<UInt32> {
            let shown = try #require(table[number].string)
            #expect(shown.hasPrefix(sign + "7.777") || shown.hasPrefix(sign + "777"))
            #expect(shown.hasSuffix("…") && shown.utf8.count < 1_100)
        }
    }

    @Test("are compared as a whole and shown cut")
    func long() throws {
        var table = ValueTable()
        let long = String(repeating: "x", count: 5_000)
        let numbers = try ["1", "2", "1"].map { try table.number(of: JSONValue(.string(long + $0))) }
        #expect(numbers == [1, 2, 1])
        let shown = try #require(table[1].string)
        #expect(shown.utf8.count < 1_100 && shown.hasSuffix("x…"))
    }
}

extension ValueTable {
    /// Number of a value, in its exact spelling.
    fileprivate mutating func number(of value: JSONValue) throws(Full) -> UInt32 {
        var text: [UInt8] = []
        if !value.isNull { value.writeExact(into: &text) }
        return try number(ofExact: text[...])
    }
}
