#if Tools
import ClickstreamCore
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
            ("attributes.value == 99.9", true), ("$.attributes.value==9.99e1", true),
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
    func mistakes(condition: String, reason: String) {
        #expect {
            _ = try ValueCondition(condition)
        } throws: { error in
            "\(error)".contains(reason)
        }
    }

    @Test("compares integers beyond the precision of a double")
    func bigNumbers() throws {
        let event = try JSONReader.parse(Array("{\"a\":9007199254740993,\"b\":123456789012345678901234567890}".utf8))
        #expect(try ValueCondition("a == 9007199254740993").holds(for: event))
        #expect(try !ValueCondition("a == 9007199254740992").holds(for: event))
        #expect(try ValueCondition("b == 123456789012345678901234567890").holds(for: event))
    }
}
#endif
