import ClickstreamCore
import Testing

@Suite("AttributeValue")
struct AttributeValueTests {
    @Test(
        "of JSON keeps every digit: an integer, a double with the same value, or else a decimal",
        arguments: [
            ("0", .integer(0)), ("-9223372036854775808", .integer(.min)), ("9223372036854775807", .integer(.max)),
            ("99.9", .double(99.9)), ("99.90", .double(99.9)), ("1e5", .double(100_000)), ("-0.0", .double(-0.0)),
            ("1E-7", .double(1e-7)), ("0.1e1", .double(1)), ("5e-324", .double(.leastNonzeroMagnitude)),
            ("1.7976931348623157e308", .double(1.7976931348623157e308)), ("10.0", .double(10)),
            ("9007199254740992.0", .double(9_007_199_254_740_992)), ("1e400", .double(.infinity)),
            ("1e-400", .double(0)),
            ("9223372036854775808", .exact("9223372036854775808")),
            ("18446744073709551615", .exact("18446744073709551615")),
            ("-12345678901234567890.5", .exact("-12345678901234567890.5")),
            ("0.12345678901234567890", .exact("0.12345678901234567890")),
            ("0.1000000000000000055", .exact("0.1000000000000000055")),
            ("123456789012345678901e-3", .exact("123456789012345678901e-3")),
            ("10000000000000000000", .exact("10000000000000000000")), ("1e19", .double(1e19)),
            (String(repeating: "1", count: 128), .exact(String(repeating: "1", count: 128))),
            (String(repeating: "1", count: 129), .double(1.1111111111111111e128)),
        ] as [(String, AttributeValue)]
    )
    func numbers(text: String, value: AttributeValue) throws {
        #expect(AttributeValue(json: try JSONReader.parse(Array(text.utf8))) == value)
    }

    @Test("texts are equal if their scalars are")
    func scalars() {
        #expect(AttributeValue.string("\u{E9}") != .string("e\u{301}"))
        #expect(AttributeValue.string("e\u{301}") == .string("e\u{301}"))
        #expect(AttributeValue.string("1") != .integer(1))
        #expect(AttributeValue.integer(1) != .double(1))
    }
}

extension AttributeValue {
    fileprivate static func exact(_ text: String) -> AttributeValue {
        .decimal(DecimalNumber(text: text, isFinite: true))
    }
}
