import ClickstreamCapture
import ClickstreamCore
import ClickstreamJudges
import Testing

@Suite("CapturedJudge of the pulse format")
struct PulseJudgeTests {
    static func event(_ type: String, _ data: String) -> String {
        #"{"event_type":"\#(type)","event_id":"AD9DD603-0CD0-4E58-9831-19F609DA6DF6","timestamp":1722348525771,"#
            + #""is_background":false,"sub_sids":{"Home":"4A29E66E-12EB-42DB-BCD2-E708ED19BE4E"},"data":{"#
            + #""metadata":{"auto_generated":true,"event_id_source":"sdk"},"connection_type":"WIFI",\#(data),"#
            + #""previous_events":["FB155738-B97A-4E95-A95B-5CE044D37FE3"],"sources_info":[{"class":"A","id":"a"}]}}"#
    }

    static let click = event("click", #""element":{"type":"button","value":"Buy"},"parent_info":{"class":"Home"}"#)
    static let load = event("page_load", #""element":{"class":"Home","id":"h","type":"controller"}"#)
    static let view = event("page_view", #""element":{"class":"Home","type":"controller","sequence":2}"#)
    static let scroll = event(
        "scroll",
        #""element":{"type":"scroll_view"},"scroll_info":{"distance":36,"speed":73,"direction":"up","#
            + #""scroll_depth":27,"end_position":46,"start_position":10,"duration":487}"#
    )
    static let items = event(
        "items_impression",
        #""element":{"type":"table_view_cell"},"items_count":1,"params":[{"id":"a","timestamp":1722348525771,"#
            + #""view_time":4}],"sid":"of the app""#
    )
    static let tap = event("gesture", #""gesture_params":{"tap_x":1,"type":"tap","tap_y":2,"taps_count":1}"#)
    static let move = event(
        "gesture",
        #""gesture_params":{"type":"move","move_start_x":10,"move_end_x":4,"move_distance_x":6},"#
            + #""target_info":{"class":"UIView"}"#
    )
    static let scale = event(
        "gesture",
        #""gesture_params":{"type":"scale","scale_start":100,"scale_end":40,"scale_value":-60}"#
    )

    @Test(
        "has no finding on events of the documents",
        arguments: [click, load, view, scroll, items, tap, move, scale]
            + ["purchase", "refund", "subscription"].map { event("revenue_\($0)", #""additional_properties":{}"#) }
    )
    func good(_ event: String) throws {
        #expect(try CapturedJudge.verdict(.pulse, event).findings == [])
    }

    @Test(
        "finds what is wrong with an event, and nothing one unit away",
        arguments: [
            EventChange(click, #""event_type":"click""#, #""event_type":"tap""#, "unknown_event"),
            EventChange(click, #""event_type":"click""#, #""event_type":"""#, "empty"),
            EventChange(click, #""event_type":"click","#, "", "missing_field"),
            EventChange(click, #""event_type":"click""#, #""event_type":7"#, "wrong_type"),
            EventChange(click, #""event_type":"click","#, #""event_type":null,"#, "missing_field"),
            EventChange(
                click,
                "AD9DD603-0CD0-4E58-9831-19F609DA6DF6",
                "ad9DD603-0CD0-4E58-9831-19F609DA6DF6",
                "not_an_id"
            ),
            EventChange(
                click,
                "AD9DD603-0CD0-4E58-9831-19F609DA6DF6",
                "AD9DD603-0CD0-4E58-9831-19F609DA6DF",
                "not_an_id"
            ),
            EventChange(
                click,
                "AD9DD603-0CD0-4E58-9831-19F609DA6DF6",
                "AD9DD603-0CD0-4E58-9831-19F609DA6DFG",
                "not_an_id"
            ),
            EventChange(click, "1722348525771", "1722348526000"),
            EventChange(click, "1722348525771", "1722348526001", "future"),
            EventChange(click, "1722348525771", "\(1_722_348_526_000 - CapturedJudge.freshness)"),
            EventChange(click, "1722348525771", "\(1_722_348_525_999 - CapturedJudge.freshness)", "stale"),
            EventChange(click, "1722348525771", "1722348525771.0", "not_an_integer"),
            EventChange(click, "1722348525771", "\"1722348525771\"", "wrong_type"),
            EventChange(click, "1722348525771", "-9223372036854775808", "time_unit"),
            EventChange(click, "1722348525771", "0", "time_unit"),
            EventChange(click, "1722348525771", "1722348525", "time_unit"),
            EventChange(click, "1722348525771", "99999999999", "time_unit"),
            EventChange(click, "1722348525771", "100000000000", "stale"),
            EventChange(click, "1722348525771", "99999999999999", "future"),
            EventChange(click, "1722348525771", "100000000000000", "time_unit"),
            EventChange(click, "1722348525771", "1722348525771000000", "time_unit"),
            EventChange(click, #""is_background":false"#, #""is_background":0"#, "wrong_type"),
            EventChange(click, #""is_background":false"#, #""is_background":true"#),
            EventChange(
                click,
                #""is_background":false"#,
                #""is_background":true,"is_background":true"#,
                "repeated_field"
            ),
            EventChange(click, #""is_background":false"#, #""is_background":true,"extra":1"#, "unknown_field"),
            EventChange(click, #""Home":"4A29E66E"#, #""Home":"4a29e66e"#, "not_an_id"),
            EventChange(click, #"{"Home":"4A29E66E-12EB-42DB-BCD2-E708ED19BE4E"}"#, "[]", "not_an_object"),
            EventChange(click, #""auto_generated":true"#, #""auto_generated":false"#, "unknown_value"),
            EventChange(click, #""auto_generated":true"#, #""auto_generated":"yes""#, "wrong_type"),
            EventChange(click, "WIFI", "wifi", "unknown_value"), EventChange(click, "WIFI", "NONE"),
            EventChange(click, #""button""#, #""bar_button""#),
            EventChange(click, #""button""#, #""image""#, "unknown_value"),
            EventChange(click, #""button""#, #""scroll_view""#, "unknown_value"),
            EventChange(click, #""value":"Buy""#, #""value":5"#, "wrong_type"),
            EventChange(click, #""value":"Buy""#, #""sequence":1"#, "foreign_field"),
            EventChange(click, #""parent_info":{"class":"Home"}"#, #""parent_info":{"class":""}"#, "empty"),
            EventChange(click, #""parent_info":{"class":"Home"}"#, #""parent_info":{"id":"Home"}"#, "missing_field"),
            EventChange(click, #""parent_info":{"class":"Home"}"#, #""scroll_info":{}"#, "foreign_field"),
            EventChange(click, #""parent_info":{"class":"Home"}"#, #""sid":"a""#, "unknown_field"),
            EventChange(click, #""parent_info":{"class":"Home"}"#, #""additional_ids":[]"#, "not_an_object"),
            EventChange(click, #"["FB155738-B97A-4E95-A95B-5CE044D37FE3"]"#, ids(10)),
            EventChange(click, #"["FB155738-B97A-4E95-A95B-5CE044D37FE3"]"#, ids(11), "too_many"),
            EventChange(click, #"["FB155738-B97A-4E95-A95B-5CE044D37FE3"]"#, "[7]", "wrong_type"),
            EventChange(click, #"["FB155738-B97A-4E95-A95B-5CE044D37FE3"]"#, "{}", "wrong_type"),
            EventChange(click, #"[{"class":"A","id":"a"}]"#, sources(3)),
            EventChange(click, #"[{"class":"A","id":"a"}]"#, sources(4), "too_many"),
            EventChange(load, #""type":"controller""#, #""type":"button""#, "unknown_value"),
            EventChange(load, #""id":"h""#, #""sequence":1"#, "foreign_field"),
            EventChange(load, #""class":"Home","#, "", "missing_field"),
            EventChange(
                load,
                #""connection_type""#,
                #""parent_info":{"class":"A"},"connection_type""#,
                "foreign_field"
            ),
            EventChange(view, #","sequence":2"#, "", "missing_field"),
            EventChange(view, #""sequence":2"#, #""sequence":0"#, "out_of_range"),
            EventChange(view, #""sequence":2"#, #""sequence":1"#),
        ]
    )
    func fields(_ change: EventChange) throws {
        try change.check(.pulse)
    }

    @Test(
        "checks the values of scrolls, items and gestures against each other",
        arguments: [
            EventChange(scroll, #""distance":36"#, #""distance":34"#, "scroll_distance", "scroll_speed"),
            EventChange(scroll, #""distance":36"#, #""distance":35"#),
            EventChange(scroll, #""end_position":46"#, #""end_position":45"#),
            EventChange(scroll, #""end_position":46"#, #""end_position":44"#, "scroll_distance"),
            EventChange(scroll, #""end_position":46"#, #""end_position":48"#, "scroll_distance"),
            EventChange(scroll, #""speed":73"#, #""speed":72"#, "scroll_speed"),
            EventChange(scroll, #""speed":73"#, #""speed":75"#),
            EventChange(scroll, #""speed":73"#, #""speed":76"#, "scroll_speed"),
            EventChange(scroll, #""direction":"up""#, #""direction":"left""#),
            EventChange(scroll, #""direction":"up""#, #""direction":"down""#, "scroll_direction"),
            EventChange(scroll, #""direction":"up""#, #""direction":"UP""#, "unknown_value"),
            EventChange(scroll, #""scroll_depth":27"#, #""scroll_depth":100"#),
            EventChange(scroll, #""scroll_depth":27"#, #""scroll_depth":101"#, "out_of_range"),
            EventChange(scroll, #""scroll_depth":27"#, #""scroll_depth":-1"#, "out_of_range"),
            EventChange(scroll, #""scroll_depth":27"#, #""scroll_depth":27.5"#, "not_an_integer"),
            EventChange(scroll, #""duration":487"#, #""duration":0"#, "out_of_range"),
            EventChange(scroll, #","duration":487"#, "", "missing_field"),
            EventChange(items, #""items_count":1"#, #""items_count":2"#, "items_count"),
            EventChange(items, #""items_count":1,"#, "", "missing_field"),
            EventChange(items, #""view_time":4"#, #""view_time":3"#),
            EventChange(items, #""view_time":4"#, #""view_time":2"#, "out_of_range"),
            EventChange(items, #""id":"a","timestamp":1722348525771"#, #""timestamp":1722348525772"#, "item_time"),
            EventChange(items, #""id":"a","timestamp":1722348525771"#, #""timestamp":1722348525"#, "time_unit"),
            EventChange(items, #""id":"a","timestamp":1722348525771"#, #""timestamp":1722348525771000"#, "time_unit"),
            EventChange(items, #"1722348525771,"is_background""#, #"1722348525,"is_background""#, "time_unit"),
            EventChange(items, "table_view_cell", "collection_view_cell"),
            EventChange(items, "table_view_cell", "button", "unknown_value"),
            EventChange(items, #"[{"id":"a","timestamp":1722348525771,"view_time":4}]"#, "[7]", "not_an_object"),
            EventChange(tap, #""taps_count":1"#, #""taps_count":0"#, "out_of_range"),
            EventChange(tap, #""tap_x":1,"#, ""), EventChange(tap, #""tap_x":1"#, #""tap_x":1.5"#, "not_an_integer"),
            EventChange(tap, #""tap_x":1"#, #""scale_end":1"#, "foreign_field"),
            EventChange(tap, #""type":"tap""#, #""type":"swipe""#, "unknown_value"),
            EventChange(tap, #""type":"tap","#, "", "missing_field"),
            EventChange(move, #""move_distance_x":6"#, #""move_distance_x":7"#),
            EventChange(move, #""move_distance_x":6"#, #""move_distance_x":8"#, "gesture_change"),
            EventChange(move, #""move_distance_x":6"#, #""move_distance_x":-6"#, "out_of_range", "gesture_change"),
            EventChange(scale, #""scale_value":-60"#, #""scale_value":60"#, "gesture_change"),
        ]
    )
    func consistency(_ change: EventChange) throws {
        try change.check(.pulse)
    }

    private static func ids(_ count: Int) -> String {
        "[\(Array(repeating: #""FB155738-B97A-4E95-A95B-5CE044D37FE3""#, count: count).joined(separator: ","))]"
    }

    private static func sources(_ count: Int) -> String {
        "[\(Array(repeating: #"{"class":"A"}"#, count: count).joined(separator: ","))]"
    }

    // MARK: Limits

    @Test("lists a limited number of findings, always the first, and counts the others")
    func limit() throws {
        let list = "[\(Array(repeating: "7", count: 1_000).joined(separator: ","))]"
        let event = Self.click.replacing(#"["FB155738-B97A-4E95-A95B-5CE044D37FE3"]"#, with: list)
        let verdict = try CapturedJudge.verdict(.pulse, event)
        #expect(verdict.findings.count == Rules.maxFindings)
        #expect(verdict.findings.count + verdict.unlisted == 1_001)
        var judge = CapturedJudge(.pulse, receivedAt: CapturedJudge.now)
        let one = judge.judge(try JSONReader.parse(Array(event.utf8)), maxListed: 0)
        #expect(one.findings.map(\.name) == ["data.previous_events"])
        #expect(one.unlisted == 1_000 && one.isBad)
    }

    @Test("reports an event with more values than are checked")
    func size() throws {
        let items = "[\(Array(repeating: "[]", count: 65_537).joined(separator: ","))]"
        let event = Self.click.replacing(#"[{"class":"A","id":"a"}]"#, with: items)
        let verdict = try CapturedJudge.verdict(.pulse, event)
        #expect(verdict.isBad && verdict.unlisted > 60_000)
    }

    // MARK: Encoded events

    private let encoder = PulseEncoder(connection: .mobile, previousEvents: [UniqueID(high: 3, low: 4)])

    @Test("has no finding on the examples of document 003, as printed and as encoded", arguments: PulseExample.all)
    func examples(_ example: PulseExample) throws {
        let encoded = try #require(encoder.encode(example.event()))
        for value in [try example.json(), try JSONReader.parse(encoded)] {
            var judge = CapturedJudge(.pulse, receivedAt: Timestamp(milliseconds: 1_722_351_400_000))
            let verdict = judge.judge(value)
            #expect(verdict.findings == [])
            #expect(verdict.name == value["event_type"]?.string)
        }
    }

    @Test("has no finding on revenue events", arguments: RevenueKind.allCases)
    func revenue(_ kind: RevenueKind) throws {
        let event = RevenueEvent(
            kind,
            id: UniqueID(high: 1, low: 2),
            time: .at(0),
            isInBackground: true,
            context: PageContext(),
            properties: ["price": 9.99]
        )
        var judge = CapturedJudge(.pulse, receivedAt: nil)
        let verdict = try judge.verdictWithoutTimes(encoder.encode(event))
        #expect(verdict.findings == [])
    }
}
