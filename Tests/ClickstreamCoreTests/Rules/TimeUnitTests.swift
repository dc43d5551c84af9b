import ClickstreamCore
import Testing

@testable import ClickstreamJudges

@Suite("Rules: times in another unit")
struct TimeUnitTests {
    private static let received = Timestamp(milliseconds: 1_685_082_175_000)

    /// Value of a field, with the unit that it is reported in.
    static let values: [(value: String, unit: TimeUnit?)] = [
        ("1685082174195", nil), ("1685082174", .seconds), ("1685082174195000", .microseconds),
        ("1685082174195000000", .nanoseconds), ("0", .unknown), ("-1", .unknown), ("-1685082174195", .unknown),
        ("-9223372036854775808", .unknown), ("9223372036854775807", .nanoseconds),
    ]

    /// Each field that is a time: the changed part of an event with `VALUE`, and the field's name in findings.
    static let fields: [(part: String, name: String)] = [
        (#""timestamp":VALUE"#, "timestamp"),
        (#""event_previous_timestamp":VALUE"#, "event_previous_timestamp"),
        (#""attributes":{"_previous_timestamp":VALUE}"#, "_previous_timestamp"),
        (#""attributes":{"_session_start_timestamp":VALUE}"#, "_session_start_timestamp"),
        (#""attributes":{"_session_start_time_msec":VALUE}"#, "_session_start_time_msec"),
        (#""user":{"_user_first_touch_timestamp":{"value":VALUE}}"#, "_user_first_touch_timestamp"),
        (#""user":{"_user_id":{"value":"carl","set_timestamp":VALUE}}"#, "_user_id"),
        (#""user":{"tier":{"value":"gold","set_timestamp":VALUE}}"#, "tier"),
    ]

    /// The codes of a value. The server cannot write the least time of all as a first touch, or as the time of an event,
    /// which it does not drop as stale.
    private func codes(_ value: String, _ unit: TimeUnit?, isWritten: Bool) -> [String] {
        if unit == nil { return [] }
        return isWritten && value == "-9223372036854775808" ? ["etl_time_unit", "etl_time_range"] : ["etl_time_unit"]
    }

    private func event(_ part: String, _ value: String, name: String = "tap") throws -> JSONValue {
        let time = part.hasPrefix("\"timestamp\"") ? "" : #""timestamp":1685082174195,"#
        let change = part.replacing("VALUE", with: value)
        return try JSONReader.parse(
            Array(#"{"event_id":"e","app_id":"a","event_type":"\#(name)",\#(time)\#(change)}"#.utf8)
        )
    }

    @Test("has one finding that names the unit, in each field that is a time", arguments: fields.indices)
    func table(field: Int) throws {
        let (part, name) = Self.fields[field]
        for (value, unit) in Self.values {
            for receivedAt in [nil, Self.received] {
                let findings = WireJudge.judge(try event(part, value), receivedAt: receivedAt)
                let expected = codes(
                    value,
                    unit,
                    isWritten: ["timestamp", "_user_first_touch_timestamp"].contains(name)
                )
                #expect(findings.map(\.code) == expected, "\(name): \(value)")
                #expect(findings.allSatisfy { $0.name == name && $0.severity == .error })
                #expect(findings.prefix(1).allSatisfy { $0.message.hasSuffix(" is \(unit?.mismatch ?? "?")") })
            }
        }
    }

    @Test("reports the unit instead of the age of any event", arguments: ["tap", "_first_open", "_profile_set"])
    func timeless(name: String) throws {
        for (value, unit) in Self.values {
            let event = try event(Self.fields[0].part, value, name: name)
            let findings = WireJudge.judge(event, receivedAt: Self.received)
            #expect(findings.map(\.code) == codes(value, unit, isWritten: true), "\(value)")
        }
    }

    /// In the order of the fields: `I` for another type than an integer, `U` for another unit, a point for no finding.
    /// The server reads some of the fields from a string, or without the fraction.
    @Test(
        "reports another type instead of the unit, and the unit of what the server reads as an integer",
        arguments: [
            ("1685082174.5", "IIUIIIUU"), (#""1685082174""#, "IIUUUUUU"), ("1685082174195.5", "II.III.."),
            (#""1685082174195""#, "II......"), ("true", "IIIIIIE."), ("null", "M....I.."),
        ]
    )
    func types(value: String, expected: String) throws {
        let codes: [Character: [String]] = [
            "I": ["etl_not_an_integer"], "U": ["etl_time_unit"], "E": ["etl_user_entry"],
            "M": ["etl_missing_timestamp"], ".": [],
        ]
        for (field, verdict) in zip(Self.fields, expected) {
            let findings = WireJudge.judge(try event(field.part, value), receivedAt: Self.received)
            #expect(findings.map(\.code) == codes[verdict], "\(field.name): \(value)")
        }
    }

    @Test(
        "changes the unit at powers of ten",
        arguments: [
            (99_999_999, .unknown), (100_000_000, .seconds), (99_999_999_999, .seconds), (100_000_000_000, nil),
            (99_999_999_999_999, nil), (100_000_000_000_000, .microseconds), (99_999_999_999_999_999, .microseconds),
            (100_000_000_000_000_000, .nanoseconds),
        ] as [(Int64, TimeUnit?)]
    )
    func limits(time: Int64, unit: TimeUnit?) {
        #expect(TimeUnit(of: time) == unit)
    }

    @Test("explains the code with its units and its fields", arguments: ["etl_time_unit", "pulse_time_unit"])
    func explanation(code: String) throws {
        let text = try #require(Rules.explain(code))
        for unit in ["seconds", "microseconds", "nanoseconds"] { #expect(text.contains(unit)) }
        #expect(!text.contains("Send sooner"))
        let names = ServerField.all.filter(\.isTime).map(\.name) + [ServerField.setTimestamp.name]
        if code == "etl_time_unit" { #expect(names.allSatisfy { text.contains($0) }) }
    }
}
