import ClickstreamCore
import ClickstreamJudges
import FormatFixtures
import Testing

@Suite("Phrases of events")
struct PhraseTests {
    /// The phrase of an event as a value, which is the same as that of its text.
    func phrase(_ form: CapturedFormat, _ event: String) throws -> String? {
        let text = Array(event.utf8)
        let value = try text.withUnsafeBytes { try JSONReader.parse($0, within: CapturedJudge.bounds).value }
        let phrase = form.phrase(EventMembers(value))
        #expect(EventMembers(json: text).flatMap { form.phrase($0) } == phrase)
        return phrase?.text
    }

    @Test(
        "of Pulse name the gesture and the element",
        arguments: [
            (#"{"event_type":"click","data":{"element":{"type":"button","value":"Buy","id":"buy"}}}"#, #"tap "Buy""#),
            (#"{"event_type":"click","data":{"element":{"type":"toggle","value":"On"}}}"#, #"tap toggle "On""#),
            (#"{"event_type":"click","data":{"element":{"type":"button","value":"","id":"buy"}}}"#, "tap buy"),
            (#"{"event_type":"click","data":{"element":{"type":"button"}}}"#, "tap button"),
            (#"{"event_type":"page_load","data":{"element":{"class":"HomeView"}}}"#, "page_load HomeView"),
            (
                #"{"event_type":"page_view","data":{"element":{"class":"C","id":"Catalog","sequence":1}}}"#,
                "page_view Catalog"
            ),
            (
                #"{"event_type":"page_view","data":{"element":{"id":"Catalog","sequence":2}}}"#,
                "page_view Catalog (appearance 2)"
            ),
            (
                #"{"event_type":"scroll","data":{"element":{"id":"list"},"scroll_info":{"scroll_depth":62}}}"#,
                "scroll 62 % list"
            ),
            (#"{"event_type":"scroll","data":{"scroll_info":{"direction":"left"}}}"#, "scroll left"),
            (
                #"{"event_type":"gesture","data":{"gesture_params":{"type":"tap","tap_x":1,"tap_y":-2},"#
                    + #""target_info":{"class":"Cell"}}}"#,
                "tap Cell at 1, -2"
            ),
            (
                #"{"event_type":"gesture","data":{"gesture_params":{"type":"long_press"},"target_info":{"id":"a"}}}"#,
                "long press a"
            ),
            (
                #"{"event_type":"gesture","data":{"gesture_params":{"type":"scale","scale_start":100,"scale_end":180}}}"#,
                "scale 100 to 180 %"
            ),
            (
                #"{"event_type":"gesture","data":{"gesture_params":{"type":"rotate","rotate_end":90}}}"#,
                "rotate ? to 90°"
            ),
            (
                #"{"event_type":"gesture","data":{"gesture_params":{"type":"move","move_start_x":1,"move_start_y":2,"#
                    + #""move_end_x":3,"move_end_y":4},"target_info":{"class":"Map"}}}"#,
                "move Map 1, 2 to 3, 4"
            ),
            (
                #"{"event_type":"items_impression","data":{"items_count":12,"element":{"id":"list"}}}"#,
                "12 items seen in list"
            ),
            (#"{"event_type":"items_impression","data":{"items_count":1}}"#, "1 item seen"),
            (
                #"{"event_type":"revenue_purchase","data":{"additional_properties":{"sku":"p-1","price":6.50,"x":[]}}}"#,
                "revenue_purchase sku=p-1 price=6.50"
            ),
        ] as [(String, String)]
    )
    func pulse(event: String, text: String) throws {
        #expect(try phrase(.pulse, event) == text)
    }

    @Test(
        "of audit events have table, key and change",
        arguments: [
            (
                "write",
                #"{"orders":{"modifications":[{"oldValue":{"id":17,"state":"open"},"newValue":{"state":"paid"}}]}}"#,
                "orders 17: state open → paid"
            ),
            (
                "write",
                #"{"t":{"modifications":[{"oldValue":{"id":1,"a":null,"b":"","c":[]},"newValue":{"a":1,"b":"x","c":{}}}]}}"#,
                "t 1: a null → 1, b \"\" → x, c … → …"
            ),
            ("write", #"{"t":{"modifications":[{"newValue":{"id":2}}]}}"#, "t 2: id → 2"),
            ("write", #"{"t":{"modifications":[{"oldValue":{"id":3}},7,{}]}}"#, "t 3: changed and 2 more rows"),
            (
                "write", #"{"a":{"insertions":[{"x":"k"}]},"b":{"deletions":[{"id":2}]}}"#,
                "a k: inserted and 1 more row"
            ),
            ("write", #"{"a":7,"b":{"other":[1],"insertions":{},"deletions":[{"id":2}]}}"#, "b 2: deleted"),
            ("write", "{}", "write (import)"), ("write", "{", "write (import)"), ("write", "[]", "write (import)"),
            ("read", #"{"type":"Person","value":[{"id":5}]}"#, "Person 5: read"),
            ("read", #"{"type":"Person","value":[{"id":5},{"id":6},{"id":7}]}"#, "Person 5: read and 2 more rows"),
            ("read", #"{"type":"Person","value":[]}"#, "Person: no row read"),
            ("read", #"{"type":"Person","value":null,"columns":["name","age",7]}"#, "Person: read name, age, 7"),
            ("read", #"{"type":7,"value":[{"id":5}]}"#, "read (import)"),
            ("pressed submit", "42", "pressed submit: 42"),
            ("pressed submit", "", "pressed submit: \"\""), ("pressed submit", nil, "pressed submit (import)"),
        ] as [(String, String?, String)]
    )
    func audit(kind: String, data: String?, text: String) throws {
        let event = JSONValue(
            .object([.text("event", kind), .text("activity", "import"), .text("data", data)])
        )
        #expect(try phrase(.audit, event.description) == text)
    }

    @Test(
        "of clickstream events are those of the library",
        arguments: [
            ("_click", #"{"_element_type":"button","_element_value":"Buy","_screen_name":"A"}"#, #"tap "Buy""#),
            ("_screen_load", #"{"_element_class":"C","_element_id":"Catalog"}"#, "screen_load Catalog"),
            ("_gesture", #"{"_gesture_type":"tap","_element_value":"Pay","_target_id":"pay"}"#, #"tap "Pay""#),
            (
                "_gesture", #"{"_gesture_type":"flick","_gesture_direction":"left","_target":"[root]>A:eq(0)"}"#,
                "swipe left A:eq(0)"
            ),
            (
                "_gesture",
                #"{"_gesture_type":"scale","_gesture_scale_start":1,"_gesture_scale_end":2,"_element_id":"photo"}"#,
                "scale photo 1 to 2 %"
            ),
            ("_scroll", #"{"_scroll_depth":62,"_scroll_direction":"up","_element_id":"list"}"#, "scroll 62 % list"),
            ("_items_impression", #"{"_items_count":8,"_element_id":"list"}"#, "8 items seen in list"),
            (
                "_transaction", #"{"_value":699.0,"_currency":"EUR","_transaction_id":"T-1"}"#,
                "transaction 699.0 EUR T-1"
            ),
            ("_variable", #"{"_variable_key":"size","_variable_value":1}"#, "variable size = 1"),
            (
                "_screen_view", #"{"_screen_name":"B","_previous_screen_name":"A","_engagement_time_msec":9560}"#,
                "screen_view B from A after 9.5s"
            ),
            ("_user_engagement", #"{"_engagement_time_msec":3725000}"#, "engagement 1h 02m"),
            ("_app_exception", #"{"_exception_message":"SIGSEGV"}"#, "crash: SIGSEGV"),
            ("_app_update", #"{"_previous_app_version":"1.0"}"#, "app_update from 1.0"),
            ("_os_update", #"{"_previous_os_version":"17"}"#, "os_update from 17"), ("_app_start", "{}", nil),
            ("purchase", #"{"_element_value":"Buy","value":1}"#, nil),
        ] as [(String, String, String?)]
    )
    func clickstream(name: String, attributes: String, text: String?) throws {
        #expect(try phrase(.clickstream, #"{"event_type":"\#(name)","attributes":\#(attributes)}"#) == text)
    }

    @Test("are absent in an event without content", arguments: CapturedFormat.allCases)
    func empty(form: CapturedFormat) throws {
        let kinds = #""event_type":7,"ea":"6","event":{},"data":[],"attributes":null"#
        for event in ["{}", "{\(kinds)}", "null", "[]", "7", "\"a\""] {
            let value = try JSONReader.parse(Array(event.utf8))
            #expect(
                form.phrase(EventMembers(value)).map { $0.text } == (form == .pulse && event.contains(":7") ? "7" : nil)
            )
        }
        for text in ["null", "[]", "", "{", "{\"a\":}"] { #expect(EventMembers(json: Array(text.utf8)) == nil) }
    }

    @Test(
        "are short, on one line, and in one direction",
        arguments: [
            String(repeating: "long ", count: 10_000), "\u{202E}txet\u{2066}", "a\nb\r\u{2028}c\u{1B}[31m\u{9B}2J\u{0}",
            String(repeating: "\u{202E}", count: 100), "e" + String(repeating: "\u{301}", count: 500), "\"\\",
        ],
        hostileEvents.indices
    )
    func hostile(text: String, index: Int) throws {
        let (form, event, ending) = hostileEvents[index]
        let written = try #require(try phrase(form, event(JSONValue(.string(text)).description)))
        #expect(written.unicodeScalars.count <= Phrase.maxLength)
        #expect(written == Characters.escaped(written))
        #expect(written.hasSuffix(ending))
    }
}

/// Events with a text in each of the members that a phrase shows, and the end of the phrase.
private let hostileEvents: [(CapturedFormat, @Sendable (String) -> String, ending: String)] =
    FormatFixture.all.flatMap { fixture in fixture.phrased.map { (fixture.format, $0, ending: "") } }
    + otherHostileEvents

private let otherHostileEvents: [(CapturedFormat, @Sendable (String) -> String, ending: String)] = [
    (.audit, { #"{"event":\#($0),"activity":\#($0),"data":\#($0)}"# }, ending: ""),
    (
        .audit,
        { text in
            let row = #"{"oldValue":{"id":\#(text)},"newValue":{\#(text):\#(text)}}"#
            let data = #"{\#(text):{"modifications":[\#(row),\#(row)]}}"#
            return #"{"event":"write","data":\#(JSONValue(.string(data)))}"#
        },
        ending: " and 1 more row"
    ),
    (
        .clickstream, { #"{"event_type":"_click","attributes":{"_element_value":\#($0),"_element_type":\#($0)}}"# },
        ending: ""
    ),
]
