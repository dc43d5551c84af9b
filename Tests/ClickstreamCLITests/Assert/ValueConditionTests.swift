import ClickstreamCore
import ClickstreamJudges
import TestSupport
import Testing

@testable import clickstream_cli

@Suite("Condition on a value")
struct ValueConditionTests {
    private static let event = """
        {"event_type":"purchase","attributes":{"value":99.90,"count":2,"category":"shoes","gift":false,"a.b":"dotted"},\
        "items":[{"id":"1","price":9.9},{"id":"2","price":20}],"user":{"_user_id":{"value":"carl"}}}
        """

    @Test(
        "holds if the value occurs, compared by type and not by spelling",
        arguments: [
            ("attributes.value == 99.9", true), ("$.attributes.value==99.9", true),
            (" attributes.value == 100", false),
            ("attributes.value == \"99.9\"", false), ("attributes.count == 2.0", true),
            ("attributes.count == \"2\"", false),
            ("attributes.category == \"shoes\"", true), ("attributes.category == \"Shoes\"", false),
            ("attributes.gift == false", true), ("attributes.gift == null", false), ("attributes.none == null", false),
            ("attributes.none != 1", true), ("attributes.count != 2", false), ("attributes.count != 3", true),
            ("attributes[\"a.b\"] == \"dotted\"", true), ("$['attributes']['a.b'] == \"dotted\"", true),
            ("items[1].id == \"2\"", true), ("items[2].id == \"2\"", false), ("items[*].id == \"2\"", true),
            ("items[*].id == \"3\"", false), ("items[*].id != \"3\"", true), ("items[*].price == 9.9", true),
            ("items[0] == {\"price\": 9.90, \"id\": \"1\"}", true), ("items == []", false),
            ("user._user_id.value == \"carl\"", true), ("event_type == \"purchase\"", true),
            ("user.*.value == \"carl\"", true),
        ]
    )
    func holds(condition: String, holds: Bool) throws {
        let event = try JSONReader.parse(Array(Self.event.utf8))
        #expect(try ValueCondition(condition).holds(for: event) == holds)
    }

    @Test(
        "reports the error in an unparsable condition",
        arguments: [
            ("attributes.value = 1", "use == for equality"), ("attributes.value", "missing == or !="),
            ("attributes.value == ", "missing value"),
            ("attributes.category == shoes", "shoes is not a valid JSON value"),
            ("== 1", "missing name"), ("", "missing path in the event"), ("$ == 1", "missing path in the event"),
            ("a..b == 1", "missing name"), ("a[x] == 1", "brackets take"), ("a[-1] == 1", "brackets take"),
            ("a[\"x == 1", "brackets take"), ("a[1 == 1", "brackets take"),
        ]
    )
    func errors(condition: String, reason: String) {
        #expect {
            _ = try ValueCondition(condition)
        } throws: { error in
            "\(error)".contains(reason)
        }
    }

    @Test(
        "cuts a long value that it found",
        arguments: [
            ("\"\(long)y\"", "\"\(long)…\""), ("\"\(long)\"", "\"\(long)\""), ("1\(digits)", "1\(digits.dropLast())…"),
            ("[\"\(long)\"]", "[\"\(long.dropLast(2))…"), ("true", "true"),
        ] as [(String, String)]
    )
    func found(value: String, text: String) throws {
        let event = try JSONReader.parse(Array("{\"a\":\(value)}".utf8))
        #expect(try ValueCondition("a == 1").found(in: event) == "a = \(text)")
    }

    private static let long = String(repeating: "é", count: ValueCondition.maxFoundScalars)
    private static let digits = String(repeating: "3", count: ValueCondition.maxFoundScalars)

    @Test(
        "cuts a long path or value that it cannot parse",
        arguments: [
            ("\(long)y", "missing == or != after \(long)…"), ("a == \(long)y", "\(long)… is not a valid JSON value"),
        ]
    )
    func longErrors(condition: String, reason: String) {
        #expect {
            _ = try ValueCondition(condition)
        } throws: { error in
            (error as? ValueCondition.ParseError)?.reason.hasPrefix(reason) == true
        }
    }

    @Test("compares texts by their scalars", arguments: [("a == \"\u{E9}\"", true), ("a == \"e\u{301}\"", false)])
    func scalars(condition: String, holds: Bool) throws {
        let event = try JSONReader.parse(Array("{\"a\":\"\u{E9}\"}".utf8))
        #expect(try ValueCondition(condition).holds(for: event) == holds)
    }

    @Test("takes linear time for objects with many members")
    func manyMembers() throws {
        let growth = try TimeGrowth(from: 1_500) { count -> (JSONValue, ValueCondition) in
            let members = (0..<count).map { "\"member_\($0)\":\($0)" }
            let event = try JSONReader.parse(Array("{\"a\":{\(members.joined(separator: ","))}}".utf8))
            return (event, try ValueCondition("a == {\(members.reversed().joined(separator: ","))}"))
        } of: { event, condition in
            #expect(condition.holds(for: event))
        }
        #expect(growth.isLinear, "\(growth)")
    }

    @Test("compares integers beyond the precision of a double")
    func bigNumbers() throws {
        let event = try JSONReader.parse(Array("{\"a\":9007199254740993,\"b\":123456789012345678901234567890}".utf8))
        #expect(try ValueCondition("a == 9007199254740993").holds(for: event))
        #expect(try !ValueCondition("a == 9007199254740992").holds(for: event))
        #expect(try ValueCondition("b == 1.2345678901234568e+29").holds(for: event))
    }

    @Test(
        "compares a number in another spelling than the SDK writes as text",
        arguments: [
            ("a == 99.90", "99.90", "a == 99.9"), ("a==72225e2", "72225e2", "a == 7222500.0"),
            ("a != 1.10", "1.10", "a != 1.1"), ("a == 1E5", "1E5", "a == 100000.0"), ("a == -0", "-0", "a == 0"),
            ("a == 18446744073709551615", "18446744073709551615", "a == 1.8446744073709552e+19"),
            ("a == 1e999", "1e999", nil),
        ] as [(String, String, String?)]
    )
    func numberLikeText(condition: String, text: String, number: String?) throws {
        let read = try ValueCondition(condition)
        #expect(read.value == JSONValue(.string(text)))
        let members = [JSONMember("a", JSONValue(.string(text)))]
        #expect(read.holds(for: JSONValue(.object(members))) == read.isEquality)
        #expect(try read.holds(for: JSONReader.parse(Array("{\"a\":\(text)}".utf8))) == !read.isEquality)
        #expect(read.numberLikeText?.number == number)
    }

    @Test(
        "takes every other value as it is",
        arguments: ["1", "1.0", "99.9", "9007199254740993", "1e+21", "\"99.90\"", "[1.10]", "true", "null"]
    )
    func typed(value: String) throws {
        let read = try ValueCondition("a == \(value)")
        #expect(try read.value == JSONReader.parse(Array(value.utf8)))
        #expect(read.numberLikeText == nil)
    }
}
