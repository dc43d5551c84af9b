import ClickstreamCore
import Testing

@Suite("JSONWriter")
struct JSONWriterTests {
    private func written(_ body: (inout [UInt8]) -> Void) -> String {
        var bytes: [UInt8] = []
        body(&bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test(
        "escapes only what is required",
        arguments: [
            ("", "\"\""), ("abc", "\"abc\""), ("a\"b", "\"a\\\"b\""), ("\\", "\"\\\\\""), ("/", "\"/\""),
            ("\u{8}\u{C}\n\r\t", "\"\\b\\f\\n\\r\\t\""), ("\0\u{1}\u{B}\u{1F}", "\"\\u0000\\u0001\\u000b\\u001f\""),
            ("\u{7F}", "\"\u{7F}\""), ("\u{E9}\u{4E2D}\u{1F600}\u{2028}", "\"\u{E9}\u{4E2D}\u{1F600}\u{2028}\""),
            ("12345678\"12345678", "\"12345678\\\"12345678\""), ("1234567\n", "\"1234567\\n\""),
            ("\u{E9}\u{E9}\u{E9}\u{E9}\u{E9}\"", "\"\u{E9}\u{E9}\u{E9}\u{E9}\u{E9}\\\"\""),
        ]
    )
    func strings(text: String, json: String) {
        #expect(written { JSONWriter.append(text, to: &$0) } == json)
    }

    @Test("any string is read back unchanged", arguments: 0..<20)
    func stringsReadBack(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<100 {
            let text = randomText(&random)
            var bytes: [UInt8] = []
            JSONWriter.append(text, to: &bytes)
            #expect(try JSONReader.parse(bytes).string.map { Array($0.utf8) } == Array(text.utf8))
        }
    }

    @Test(
        "writes integers",
        arguments: [
            (0, "0"), (7, "7"), (10, "10"), (-1, "-1"), (-90, "-90"), (1_693_919_966_703, "1693919966703"),
            (.max, "9223372036854775807"), (.min, "-9223372036854775808"),
        ] as [(Int64, String)]
    )
    func integers(integer: Int64, text: String) {
        #expect(written { JSONWriter.append(integer, to: &$0) } == text)
    }

    @Test(
        "writes the shortest text of a double, which stays a double",
        arguments: [
            (99.9, "99.9"), (1, "1.0"), (0, "0.0"), (-0.0, "-0.0"), (279.9, "279.9"),
            (0.1 + 0.2, "0.30000000000000004"),
            (1e21, "1e+21"), (1e15, "1000000000000000.0"), (.leastNonzeroMagnitude, "5e-324"), (1.79e308, "1.79e+308"),
            (.greatestFiniteMagnitude, "1.7976931348623157e+308"), (.infinity, "null"), (-.infinity, "null"),
            (.nan, "null"),
        ] as [(Double, String)]
    )
    func doubles(double: Double, text: String) {
        #expect(written { JSONWriter.append(double, to: &$0) } == text)
    }

    @Test("every double is read back unchanged", arguments: 0..<10)
    func doublesReadBack(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            let double = Double(bitPattern: random.next())
            guard double.isFinite else { continue }
            var bytes: [UInt8] = []
            JSONWriter.append(double, to: &bytes)
            let number = try #require(try JSONReader.parse(bytes).number)
            #expect(number == JSONNumber(text: String(decoding: bytes, as: UTF8.self), integer: nil, double: double))
        }
    }

    @Test("prices and other short decimals are written like Swift does", arguments: 0..<10)
    func shortDecimals(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<2_000 {
            let digits = Double(Int64.random(in: 0..<1_000_000_000_000_000, using: &random))
            let scale = [1.0, 10, 100, 1_000, 10_000, 100_000, 1e7, 1e10, 1e15][Int.random(in: 0..<9, using: &random)]
            let sized = Double(Int64.random(in: 0..<100_000, using: &random)) / scale
            for size in [digits / scale, sized, digits.nextUp / scale, (digits / scale).nextUp, sized.nextDown] {
                for double in [size, -size] {
                    #expect(written { JSONWriter.append(double, to: &$0) } == double.description)
                }
            }
        }
    }

    @Test(
        "writes attribute values",
        arguments: [
            (.string("a\"b"), "\"a\\\"b\""), (.integer(5), "5"), (.double(12.5), "12.5"), (.boolean(true), "true"),
            (.boolean(false), "false"),
        ] as [(AttributeValue, String)]
    )
    func attributeValues(value: AttributeValue, text: String) {
        #expect(written { JSONWriter.append(value, to: &$0) } == text)
    }

    @Test("appends, keeping the existing bytes")
    func appends() {
        let text = written {
            $0 = Array("{\"a\":".utf8)
            JSONWriter.append(1.5, to: &$0)
            JSONWriter.append("x", to: &$0)
            JSONWriter.append(true, to: &$0)
            JSONWriter.appendNull(to: &$0)
        }
        #expect(text == "{\"a\":1.5\"x\"truenull")
    }
}
