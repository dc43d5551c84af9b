import ClickstreamCore
import Testing

@testable import ClickstreamJudges

@Suite("Rules: events in wire form")
struct RulesWireJudgeTests {
    private static let received = Timestamp(milliseconds: 1_700_000_000_000)

    /// A good event, with fields replaced by JSON texts or, with `nil`, left out.
    private func event(_ changes: KeyValuePairs<String, String?> = [:]) throws -> JSONValue {
        var fields: [(String, String)] = [
            ("event_type", #""add_to_cart""#), ("event_id", #""5A0F8A2B""#), ("app_id", #""shopping""#),
            ("unique_id", #""34ab""#), ("timestamp", "1699999999000"), ("screen_height", "2556"),
            ("screen_width", "1179"), ("zone_offset", "28800000"), ("platform", #""iOS""#),
            ("items", #"[{"id":"123","price":99.9}]"#),
            ("user", #"{"_user_id":{"value":"carl","set_timestamp":1699999990000},"tier":{"value":"gold"}}"#),
            ("attributes", #"{"_session_id":"s","_session_number":1,"price":12.5,"new":true,"nothing":null}"#),
        ]
        for (name, text) in changes {
            if let index = fields.firstIndex(where: { $0.0 == name }) {
                if let text { fields[index].1 = text } else { fields.remove(at: index) }
            } else if let text {
                fields.append((name, text))
            }
        }
        return try parsed("{" + fields.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",") + "}")
    }

    private func parsed(_ text: String) throws -> JSONValue {
        try JSONReader.parse(Array(text.utf8))
    }

    private func judge(_ event: JSONValue, form: WireJudge.Form = .complete) -> [WireFinding] {
        WireJudge.judge(event, form: form, receivedAt: Self.received)
    }

    private func codes(_ changes: KeyValuePairs<String, String?>) throws -> [String] {
        judge(try event(changes)).map(\.code)
    }

    @Test("reports nothing for a valid event")
    func good() throws {
        #expect(judge(try event()) == [])
        #expect(WireJudge.judge(try event(), receivedAt: nil) == [])
    }

    @Test(
        "reports fields that the server requires, or cannot read",
        arguments: [
            ("event_id", nil, ["etl_missing_event_id"]), ("event_id", "null", ["etl_missing_event_id"]),
            ("event_id", #""""#, []), ("app_id", #""""#, ["etl_missing_app_id"]),
            ("app_id", nil, ["etl_missing_app_id"]),
            ("timestamp", nil, ["etl_missing_timestamp"]), ("timestamp", "null", ["etl_missing_timestamp"]),
            ("timestamp", "1.5", ["etl_not_an_integer"]), ("timestamp", #""1""#, ["etl_not_an_integer"]),
            ("event_type", nil, ["etl_missing_event_type"]), ("event_type", #""""#, ["etl_missing_event_type"]),
            ("event_type", "5", []), ("event_type", "true", []), ("event_type", #""a b""#, ["1001"]),
            ("screen_height", "2556.0", ["etl_not_an_integer"]), ("screen_height", "null", []),
            ("screen_width", "1e3", ["etl_not_an_integer"]), ("zone_offset", #""0""#, ["etl_not_an_integer"]),
            ("zone_offset", "99999999999999999999", ["etl_not_an_integer"]),
            ("event_previous_timestamp", "0.5", ["etl_not_an_integer"]),
            ("viewport_width", "true", ["etl_not_an_integer"]), ("viewport_height", "{}", ["etl_not_an_integer"]),
            ("attributes", "[]", ["etl_not_an_object"]), ("attributes", nil, []), ("user", "1", ["etl_not_an_object"]),
            ("user", "null", []), ("items", "{}", ["etl_not_an_array"]), ("items", "null", []),
            ("items", "[1]", ["etl_not_an_object"]), ("hashCode", #""x""#, []),
        ] as [(String, String?, [String])]
    )
    func fields(name: String, text: String?, expected: [String]) throws {
        #expect(try codes([name: text]) == expected)
    }

    @Test(
        "uses the later one of event_type and event_name, like the server, even if it is empty",
        arguments: [
            (#""event_name":"x""#, []), (#""event_type":null,"event_name":"x""#, []),
            (#""event_name":null,"event_type":"x""#, []), (#""event_type":"a b","event_name":"x""#, []),
            (#""event_type":"x","event_name":null"#, ["etl_missing_event_type"]),
            (#""event_type":"x","event_name":"""#, ["etl_missing_event_type"]),
            (#""event_type":"x","event_name":"a b""#, ["1001"]), (#""event_type":"x","event_name":5"#, []),
            (#""event_type":"x","event_name":[]"#, ["etl_not_a_text"]), (#""event_type":{}"#, ["etl_not_a_text"]),
        ] as [(String, [String])]
    )
    func eventName(names: String, expected: [String]) throws {
        let event = try parsed(#"{"event_id":"e","app_id":"a","timestamp":1699999999000,\#(names)}"#)
        #expect(judge(event).map(\.code) == expected)
    }

    @Test("checks the time of an event by its event_type only")
    func timelessName() throws {
        let start = #"{"event_id":"e","app_id":"a","timestamp":1800000000000,"#
        #expect(judge(try parsed(start + #""event_type":"_first_open"}"#)).map(\.code) == [])
        #expect(judge(try parsed(start + #""event_name":"_first_open"}"#)).map(\.code) == ["etl_future"])
    }

    @Test(
        "checks the time against the time of receipt, except for three events",
        arguments: [
            ("x", 0, []), ("x", 1, ["etl_future"]), ("x", -259_200_000, []), ("x", -259_200_001, ["etl_stale"]),
            ("_first_open", 1, []), ("_first_visit", 1, []), ("_profile_set", 1, []), ("_first_open", -259_200_001, []),
            ("x", -1_600_000_000_000, ["etl_stale"]), ("x", -1_600_000_000_001, ["etl_time_unit"]),
            ("x", 98_299_999_999_999, ["etl_future"]), ("x", 98_300_000_000_000, ["etl_time_unit"]),
            // 1900-01-01 and the millisecond before it.
            ("_profile_set", -3_908_988_800_000, ["etl_time_unit"]),
            ("_profile_set", -3_908_988_800_001, ["etl_time_unit", "etl_time_range"]),
            ("_first_open", -3_908_988_800_001, ["etl_time_unit", "etl_time_range"]),
            ("_first_visit", -3_908_988_800_001, ["etl_time_unit", "etl_time_range"]),
            ("x", -3_908_988_800_001, ["etl_time_unit"]),
            // Wraps round to the least time of all. Its age is past the greatest number, and negative for the server.
            ("x", Int64.min &- 1_700_000_000_000, ["etl_time_unit", "etl_time_range"]),
            ("x", Int64.min, ["etl_time_unit", "etl_time_range"]), ("x", Int64.min + 1, ["etl_time_unit"]),
        ] as [(String, Int64, [String])]
    )
    func time(name: String, offset: Int64, expected: [String]) throws {
        let timestamp = Self.received.milliseconds &+ offset
        let findings = judge(try event(["event_type": "\"\(name)\"", "timestamp": String(timestamp)]))
        #expect(findings.map(\.code) == expected)
        #expect(findings.makeEventBad == expected.contains { $0 != "etl_stale" })
    }

    @Test(
        "applies the table to the attributes",
        arguments: [
            (#"{"a b":1}"#, ["2002"]), (#"{"":1}"#, ["2002"]), (#"{"x":1e999}"#, ["2005"]),
            (#"{"x":{"deep":[1]}}"#, []),
            (#"{"_session_number":1.0}"#, ["etl_not_an_integer"]), (#"{"_session_number":"1"}"#, []),
            (#"{"_session_duration":"x"}"#, ["etl_not_an_integer"]),
            (#"{"_session_start_timestamp":true}"#, ["etl_not_an_integer"]),
            (#"{"_previous_timestamp":[]}"#, ["etl_not_an_integer"]),
            (#"{"_engagement_time_msec":12.5}"#, []), (#"{"_engagement_time_msec":null}"#, []),
        ]
    )
    func attributes(text: String, expected: [String]) throws {
        #expect(try codes(["attributes": text]) == expected)
    }

    @Test(
        "counts all attributes except those that report violations",
        arguments: [(500, 0), (501, 1), (510, 10)]
    )
    func attributeCount(count: Int, expected: Int) throws {
        let members = (0..<count).map { "\"a\($0)\":1" } + [#""_error_code":0,"_error_message":"x""#]
        let found = try codes(["attributes": "{" + members.joined(separator: ",") + "}"])
        #expect(found == Array(repeating: "2004", count: expected))
    }

    @Test("reports long names and values one past their limits")
    func lengths() throws {
        func text(_ count: Int) -> String { String(repeating: "\u{4E2D}", count: count) }
        func name(_ count: Int) -> String { String(repeating: "n", count: count) }
        #expect(try codes(["event_type": "\"\(name(50))\""]) == [])
        #expect(try codes(["event_type": "\"\(name(51))\""]) == ["1002"])
        #expect(try codes(["attributes": #"{"\#(name(50))":"\#(text(1_024))"}"#]) == [])
        #expect(
            try codes(["attributes": #"{"\#(name(51))":"\#(text(1_025))","x":"\#(text(1_025))"}"#]) == ["2001", "2003"]
        )
        #expect(
            try codes(["user": #"{"x":{"value":"\#(text(257))"},"\#(name(51))":{"value":1}}"#]) == ["3004", "3002"]
        )
        #expect(try codes(["items": #"[{"id":1,"x":"\#(text(257))"},{"id":1,"\#(name(51))":1}]"#]) == ["4002", "4004"])
    }

    @Test("accepts long texts of a crash")
    func exceptions() throws {
        let attributes = #"{"_exception_message":"m","_exception_stack":"\#(String(repeating: "s", count: 60_000))"}"#
        #expect(try codes(["event_type": #""_app_exception""#, "attributes": attributes]) == [])
        #expect(try codes(["attributes": attributes]) == ["2003"])
    }

    @Test(
        "accepts attributes that the published SDKs write without a length limit",
        arguments: [
            ("_app_exception", "_excepiton_stack"), ("_app_exception", "_exception_reason"),
            ("_app_exception", "exception_stack"), ("_app_exception", "exception_message"), ("x", "_page_url"),
            ("_page_view", "_page_referrer"), ("_scroll", "_page_title"), ("x", "_latest_referrer"),
            ("_page_view", "_page_referrer_title"), ("_click", "_link_url"), ("_search", "_search_term"),
        ]
    )
    func siblings(name: String, attribute: String) throws {
        let attributes = #"{"\#(attribute)":"\#(String(repeating: "s", count: 5_000))"}"#
        let event = try event(["event_type": "\"\(name)\"", "attributes": attributes])
        #expect(judge(event) == [])
        let whole = WireJudge.judge(event, receivedAt: Self.received, reportsSuggestions: true)
        #expect(whole.filter { $0.name == attribute } == [])
    }

    @Test("counts an app's own attributes, not those added by the published SDKs", arguments: [(500, 0), (501, 1)])
    func presets(count: Int, expected: Int) throws {
        let presets =
            #""_session_id":"s","_session_number":1,"_screen_name":"A","_page_url":"https://a.example","#
            + #""_traffic_source_source":"x","_utm_id":"y","_app_install_channel":"z","#
        let members = (0..<count).map { "\"a\($0)\":1" }
        let found = try codes(["attributes": "{\(presets)\(members.joined(separator: ","))}"])
        #expect(found == Array(repeating: "2004", count: expected))
    }

    @Test(
        "applies the table to the items",
        arguments: [
            (#"[{"name":"x"}]"#, ["4006"]), (#"[{"id":""}]"#, ["4006"]), (#"[{"id":null}]"#, ["4006"]),
            (#"[{"id":true}]"#, ["4006"]), (#"[{"item_id":"x"}]"#, []), (#"[{"id":7,"a b":1}]"#, ["4005"]),
            (#"[{"id":7,"price":1e999}]"#, ["4007"]),
            (#"[{"id":1,"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"i":1,"j":1}]"#, []),
            (#"[{"id":1,"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"i":1,"j":1,"k":1}]"#, ["4003"]),
        ]
    )
    func items(text: String, expected: [String]) throws {
        #expect(try codes(["items": text]) == expected)
    }

    @Test("reports items past the hundredth")
    func itemCount() throws {
        let items = Array(repeating: #"{"id":1}"#, count: 101)
        let findings = judge(try event(["items": "[" + items.joined(separator: ",") + "]"]))
        #expect(findings.map(\.code) == ["4001"])
        #expect(findings.map(\.name) == ["items[100]"])
    }

    @Test(
        "applies the table to the user, in the forms that the server reads",
        arguments: [
            (#"{"a b":{"value":1}}"#, ["3003"]), (#"{"x":{"value":1e999}}"#, ["3005"]), (#"{"x":5}"#, []),
            (#"{"x":[5]}"#, []), (#"{"x":{"set_timestamp":1}}"#, []), (#"{"x":{"value":1,"set_timestamp":"y"}}"#, []),
            (#"{"x":{}}"#, []), (#"{"x":null}"#, []), (#"{"_user_id":null}"#, []), (#"{"_user_id":{}}"#, []),
            (#"{"_user_id":"carl"}"#, ["etl_user_entry"]), (#"{"_user_id":{"value":{}}}"#, ["etl_not_a_text"]),
            (#"{"_user_id":{"value":"a","set_timestamp":1693919966703.5}}"#, []),
            (#"{"_user_id":{"value":"a","set_timestamp":"y"}}"#, ["etl_user_entry"]),
            (#"{"_user_age":{}}"#, ["etl_user_age"]), (#"{"_user_age":{"value":null}}"#, ["etl_user_age"]),
            (#"{"_user_first_touch_timestamp":{}}"#, ["etl_not_an_integer"]),
            (#"{"_user_id":{"value":""}}"#, ["3003"]), (#"{"_user_age":{"value":22}}"#, []),
            (#"{"_user_age":{"value":"22"}}"#, []), (#"{"_user_age":{"value":"x"}}"#, ["etl_user_age"]),
            (#"{"_user_age":{"value":22.0}}"#, ["etl_user_age"]),
            (#"{"_user_age":{"value":3000000000}}"#, ["etl_user_age"]),
            (#"{"_user_first_touch_timestamp":{"value":1.5}}"#, ["etl_not_an_integer"]),
            (#"{"_user_first_touch_timestamp":{"value":-12219292800000}}"#, ["etl_time_unit"]),
            (#"{"_user_first_touch_timestamp":{"value":-12219292800001}}"#, ["etl_time_unit", "etl_time_range"]),
            (#"{"_user_first_touch_timestamp":{"value":"-12219292800001"}}"#, ["etl_time_unit", "etl_time_range"]),
            (#"{"_user_first_touch_timestamp":{"value":-12219292800001.5}}"#, ["etl_not_an_integer"]),
            (#"{"tier":{"value":-12219292800001}}"#, []),
            (#"{"_user_name":{"value":"Carl"}}"#, []), (#"{"_user_name":{"value":["Carl"]}}"#, ["etl_not_a_text"]),
        ]
    )
    func user(text: String, expected: [String]) throws {
        #expect(try codes(["user": text]) == expected)
    }

    @Test(
        "checks the first touch at the time to which the server moves it with an event of the future",
        arguments: [
            // 1582-10-15 is 13 919 292 800 000 ms before the time of receipt.
            ("_first_open", 1_700_000_000_000, 15_619_292_800_000, []),
            ("_first_open", 1_700_000_000_000, 15_619_292_800_001, ["etl_time_range"]),
            ("_profile_set", 1_699_999_999_999, 15_619_292_800_000, ["etl_time_range"]),
            ("_first_visit", 1_700_000_000_000, 1_700_000_000_000_000, ["etl_time_unit", "etl_time_range"]),
            ("_first_visit", 1_700_000_000_000, 1_699_999_999_999, []),
            ("x", 1_700_000_000_000, 15_619_292_800_001, ["etl_future"]),
        ] as [(String, Int64, Int64, [String])]
    )
    func movedFirstTouch(name: String, firstTouch: Int64, timestamp: Int64, expected: [String]) throws {
        let user = #"{"_user_first_touch_timestamp":{"value":\#(firstTouch)}}"#
        let event = try event(["event_type": "\"\(name)\"", "timestamp": String(timestamp), "user": user])
        #expect(judge(event).map(\.code) == expected)
    }

    @Test("counts a user's attributes without the two presets", arguments: [(100, 0), (101, 1)])
    func userCount(count: Int, expected: Int) throws {
        let members =
            [#""_user_id":{"value":"x"},"_user_first_touch_timestamp":{"value":1693919966703}"#]
            + (0..<count).map { "\"u\($0)\":{\"value\":1}" }
        #expect(
            try codes(["user": "{" + members.joined(separator: ",") + "}"]) == Array(repeating: "3001", count: expected)
        )
    }

    @Test(
        "requires the name of a screen view",
        arguments: [
            (#"{"_screen_name":"Home"}"#, []), (#"{"_screen_name":""}"#, ["5001"]), ("{}", ["5001"]),
            (#"{"_screen_name":null}"#, ["5001"]), (#"{"_screen_name":7}"#, ["5001"]),
        ]
    )
    func screens(text: String, expected: [String]) throws {
        #expect(try codes(["event_type": #""_screen_view""#, "attributes": text]) == expected)
    }

    @Test("repeats violations reported by the SDK")
    func reported() throws {
        let attributes = #"{"_error_code":2003,"_error_message":"too long"}"#
        #expect(
            judge(try event(["attributes": attributes])) == [
                WireFinding(
                    code: "2003",
                    severity: .error,
                    subject: .event,
                    name: "add_to_cart",
                    message: "too long"
                )
            ]
        )
        #expect(
            try codes(["event_type": #""_clickstream_error""#, "attributes": #"{"_error_code":"1001"}"#]) == ["1001"]
        )
        #expect(try codes(["attributes": #"{"_error_code":0,"_error_message":""}"#]) == [])
    }

    @Test("applies fewer checks to an event that is not in wire form")
    func partial() throws {
        let text = #"{"event_type":"x","attributes":{"a b":1},"items":[{}],"user":{"_user_id":"carl","_user_age":"x"}}"#
        let event = try parsed(text)
        #expect(WireJudge.form(of: event) == .partial)
        #expect(judge(event, form: .partial).map(\.code) == ["2002", "4006", "etl_user_age"])
        #expect(WireJudge.form(of: try self.event()) == .complete)
    }

    @Test("accepts any JSON", arguments: ["1", "null", "[]", #""x""#, "true", "[[{}]]"])
    func anything(text: String) throws {
        #expect(judge(try parsed(text)).map(\.code) == ["etl_not_an_object"])
    }

    @Test("reports the exact problem, without values")
    func messages() throws {
        let findings = judge(
            try event([
                "screen_height": "2556.0", "app_id": nil, "attributes": #"{"a\nb":"SECRET"}"#, "items": #"["SECRET"]"#,
                "user": #"{"_user_age":{"value":"SECRET"}}"#,
            ])
        )
        #expect(
            findings.map(\.message) == [
                "\"screen_height\" is a number with a fraction, an exponent or too many digits, not an integer",
                "the event has no \"app_id\"",
                "invalid event attribute name \"a\u{FFFD}b\": "
                    + "use letters, digits and '_', not starting with a digit",
                "items[0] is a string, not an object",
                "the user attribute \"_user_age\" is a string, not an integer",
            ]
        )
        #expect(findings.map(\.subject) == [.event, .event, .attribute, .item, .userAttribute])
    }

    @Test("warns above suggested numbers only on request, which makes no event bad")
    func suggestions() throws {
        let event = try event(["attributes": #"{"_mine":1,"long":"\#(String(repeating: "x", count: 101))"}"#])
        #expect(judge(event) == [])
        let findings = WireJudge.judge(event, receivedAt: Self.received, reportsSuggestions: true)
        #expect(findings.map(\.code) == ["2002", "2003"])
        #expect(!findings.makeEventBad)
    }
}
