import ClickstreamCapture
import ClickstreamCore
import ClickstreamJudges
import Testing

@Suite("CapturedJudge")
struct CapturedJudgeTests {
    /// Time of arrival of the events in the tables.
    static let now = Timestamp(milliseconds: 1_722_348_526_000)
    static let freshness: Int64 = 72 * 3_600_000

    /// Change of a valid event's text, and the codes of the findings.
    struct Change: Sendable, CustomTestStringConvertible {
        var event: String
        var old: String
        var new: String
        var codes: [String]

        init(_ event: String, _ old: String, _ new: String, _ codes: String...) {
            (self.event, self.old, self.new, self.codes) = (event, old, new, codes)
        }

        var testDescription: String { "\(old) → \(new.prefix(80)): \(codes)" }
    }

    static func verdict(_ form: CapturedFormat, _ event: String) throws -> CapturedJudge.Verdict {
        var judge = CapturedJudge(form, receivedAt: now)
        let parsed = try Array(event.utf8).withUnsafeBytes { try JSONReader.parse($0, within: CapturedJudge.bounds) }
        return judge.judge(parsed.value, omitted: parsed.omitted)
    }

    private func check(_ change: Change, _ form: CapturedFormat) throws {
        #expect(change.event.ranges(of: change.old).count == 1, "the table is wrong")
        let verdict = try Self.verdict(form, change.event.replacing(change.old, with: change.new))
        #expect(verdict.findings.map(\.code) == change.codes.map { "\(form.rawValue)_\($0)" }, "\(verdict.findings)")
        #expect(verdict.isBad == verdict.findings.contains { $0.severity == .error })
        for finding in verdict.findings { #expect(CapturedRule.find(finding.code)?.form == form) }
    }

    // MARK: Pulse

    static func pulse(_ type: String, _ data: String) -> String {
        #"{"event_type":"\#(type)","event_id":"AD9DD603-0CD0-4E58-9831-19F609DA6DF6","timestamp":1722348525771,"#
            + #""is_background":false,"sub_sids":{"Home":"4A29E66E-12EB-42DB-BCD2-E708ED19BE4E"},"data":{"#
            + #""metadata":{"auto_generated":true,"event_id_source":"sdk"},"connection_type":"WIFI",\#(data),"#
            + #""previous_events":["FB155738-B97A-4E95-A95B-5CE044D37FE3"],"sources_info":[{"class":"A","id":"a"}]}}"#
    }

    static let click = pulse("click", #""element":{"type":"button","value":"Buy"},"parent_info":{"class":"Home"}"#)
    static let load = pulse("page_load", #""element":{"class":"Home","id":"h","type":"controller"}"#)
    static let view = pulse("page_view", #""element":{"class":"Home","type":"controller","sequence":2}"#)
    static let scroll = pulse(
        "scroll",
        #""element":{"type":"scroll_view"},"scroll_info":{"distance":36,"speed":73,"direction":"up","#
            + #""scroll_depth":27,"end_position":46,"start_position":10,"duration":487}"#
    )
    static let items = pulse(
        "items_impression",
        #""element":{"type":"table_view_cell"},"items_count":1,"params":[{"id":"a","timestamp":1722348525771,"#
            + #""view_time":4}],"sid":"of the app""#
    )
    static let tap = pulse("gesture", #""gesture_params":{"tap_x":1,"type":"tap","tap_y":2,"taps_count":1}"#)
    static let move = pulse(
        "gesture",
        #""gesture_params":{"type":"move","move_start_x":10,"move_end_x":4,"move_distance_x":6},"#
            + #""target_info":{"class":"UIView"}"#
    )
    static let scale = pulse(
        "gesture",
        #""gesture_params":{"type":"scale","scale_start":100,"scale_end":40,"scale_value":-60}"#
    )

    @Test(
        "has no finding on events of the documents",
        arguments: [click, load, view, scroll, items, tap, move, scale]
            + ["purchase", "refund", "subscription"].map { pulse("revenue_\($0)", #""additional_properties":{}"#) }
    )
    func good(_ event: String) throws {
        #expect(try Self.verdict(.pulse, event).findings == [])
    }

    @Test(
        "finds what is wrong with a Pulse event, and nothing one unit away",
        arguments: [
            Change(click, #""event_type":"click""#, #""event_type":"tap""#, "unknown_event"),
            Change(click, #""event_type":"click""#, #""event_type":"""#, "empty"),
            Change(click, #""event_type":"click","#, "", "missing_field"),
            Change(click, #""event_type":"click""#, #""event_type":7"#, "wrong_type"),
            Change(click, #""event_type":"click","#, #""event_type":null,"#, "missing_field"),
            Change(click, "AD9DD603-0CD0-4E58-9831-19F609DA6DF6", "ad9DD603-0CD0-4E58-9831-19F609DA6DF6", "not_an_id"),
            Change(click, "AD9DD603-0CD0-4E58-9831-19F609DA6DF6", "AD9DD603-0CD0-4E58-9831-19F609DA6DF", "not_an_id"),
            Change(click, "AD9DD603-0CD0-4E58-9831-19F609DA6DF6", "AD9DD603-0CD0-4E58-9831-19F609DA6DFG", "not_an_id"),
            Change(click, "1722348525771", "1722348526000"),
            Change(click, "1722348525771", "1722348526001", "future"),
            Change(click, "1722348525771", "\(1_722_348_526_000 - freshness)"),
            Change(click, "1722348525771", "\(1_722_348_525_999 - freshness)", "stale"),
            Change(click, "1722348525771", "1722348525771.0", "not_an_integer"),
            Change(click, "1722348525771", "\"1722348525771\"", "wrong_type"),
            Change(click, "1722348525771", "-9223372036854775808", "time_unit"),
            Change(click, "1722348525771", "0", "time_unit"),
            Change(click, "1722348525771", "1722348525", "time_unit"),
            Change(click, "1722348525771", "99999999999", "time_unit"),
            Change(click, "1722348525771", "100000000000", "stale"),
            Change(click, "1722348525771", "99999999999999", "future"),
            Change(click, "1722348525771", "100000000000000", "time_unit"),
            Change(click, "1722348525771", "1722348525771000000", "time_unit"),
            Change(click, #""is_background":false"#, #""is_background":0"#, "wrong_type"),
            Change(click, #""is_background":false"#, #""is_background":true"#),
            Change(click, #""is_background":false"#, #""is_background":true,"is_background":true"#, "repeated_field"),
            Change(click, #""is_background":false"#, #""is_background":true,"extra":1"#, "unknown_field"),
            Change(click, #""Home":"4A29E66E"#, #""Home":"4a29e66e"#, "not_an_id"),
            Change(click, #"{"Home":"4A29E66E-12EB-42DB-BCD2-E708ED19BE4E"}"#, "[]", "not_an_object"),
            Change(click, #""auto_generated":true"#, #""auto_generated":false"#, "unknown_value"),
            Change(click, #""auto_generated":true"#, #""auto_generated":"yes""#, "wrong_type"),
            Change(click, "WIFI", "wifi", "unknown_value"), Change(click, "WIFI", "NONE"),
            Change(click, #""button""#, #""bar_button""#), Change(click, #""button""#, #""image""#, "unknown_value"),
            Change(click, #""button""#, #""scroll_view""#, "unknown_value"),
            Change(click, #""value":"Buy""#, #""value":5"#, "wrong_type"),
            Change(click, #""value":"Buy""#, #""sequence":1"#, "foreign_field"),
            Change(click, #""parent_info":{"class":"Home"}"#, #""parent_info":{"class":""}"#, "empty"),
            Change(click, #""parent_info":{"class":"Home"}"#, #""parent_info":{"id":"Home"}"#, "missing_field"),
            Change(click, #""parent_info":{"class":"Home"}"#, #""scroll_info":{}"#, "foreign_field"),
            Change(click, #""parent_info":{"class":"Home"}"#, #""sid":"a""#, "unknown_field"),
            Change(click, #""parent_info":{"class":"Home"}"#, #""additional_ids":[]"#, "not_an_object"),
            Change(click, #"["FB155738-B97A-4E95-A95B-5CE044D37FE3"]"#, ids(10)),
            Change(click, #"["FB155738-B97A-4E95-A95B-5CE044D37FE3"]"#, ids(11), "too_many"),
            Change(click, #"["FB155738-B97A-4E95-A95B-5CE044D37FE3"]"#, "[7]", "wrong_type"),
            Change(click, #"["FB155738-B97A-4E95-A95B-5CE044D37FE3"]"#, "{}", "wrong_type"),
            Change(click, #"[{"class":"A","id":"a"}]"#, sources(3)),
            Change(click, #"[{"class":"A","id":"a"}]"#, sources(4), "too_many"),
            Change(load, #""type":"controller""#, #""type":"button""#, "unknown_value"),
            Change(load, #""id":"h""#, #""sequence":1"#, "foreign_field"),
            Change(load, #""class":"Home","#, "", "missing_field"),
            Change(load, #""connection_type""#, #""parent_info":{"class":"A"},"connection_type""#, "foreign_field"),
            Change(view, #","sequence":2"#, "", "missing_field"),
            Change(view, #""sequence":2"#, #""sequence":0"#, "out_of_range"),
            Change(view, #""sequence":2"#, #""sequence":1"#),
        ]
    )
    func pulseFields(_ change: Change) throws {
        try check(change, .pulse)
    }

    @Test(
        "checks the values of scrolls, items and gestures against each other",
        arguments: [
            Change(scroll, #""distance":36"#, #""distance":34"#, "scroll_distance", "scroll_speed"),
            Change(scroll, #""distance":36"#, #""distance":35"#),
            Change(scroll, #""end_position":46"#, #""end_position":45"#),
            Change(scroll, #""end_position":46"#, #""end_position":44"#, "scroll_distance"),
            Change(scroll, #""end_position":46"#, #""end_position":48"#, "scroll_distance"),
            Change(scroll, #""speed":73"#, #""speed":72"#, "scroll_speed"),
            Change(scroll, #""speed":73"#, #""speed":75"#),
            Change(scroll, #""speed":73"#, #""speed":76"#, "scroll_speed"),
            Change(scroll, #""direction":"up""#, #""direction":"left""#),
            Change(scroll, #""direction":"up""#, #""direction":"down""#, "scroll_direction"),
            Change(scroll, #""direction":"up""#, #""direction":"UP""#, "unknown_value"),
            Change(scroll, #""scroll_depth":27"#, #""scroll_depth":100"#),
            Change(scroll, #""scroll_depth":27"#, #""scroll_depth":101"#, "out_of_range"),
            Change(scroll, #""scroll_depth":27"#, #""scroll_depth":-1"#, "out_of_range"),
            Change(scroll, #""scroll_depth":27"#, #""scroll_depth":27.5"#, "not_an_integer"),
            Change(scroll, #""duration":487"#, #""duration":0"#, "out_of_range"),
            Change(scroll, #","duration":487"#, "", "missing_field"),
            Change(items, #""items_count":1"#, #""items_count":2"#, "items_count"),
            Change(items, #""items_count":1,"#, "", "missing_field"),
            Change(items, #""view_time":4"#, #""view_time":3"#),
            Change(items, #""view_time":4"#, #""view_time":2"#, "out_of_range"),
            Change(items, #""id":"a","timestamp":1722348525771"#, #""timestamp":1722348525772"#, "item_time"),
            Change(items, #""id":"a","timestamp":1722348525771"#, #""timestamp":1722348525"#, "time_unit"),
            Change(items, #""id":"a","timestamp":1722348525771"#, #""timestamp":1722348525771000"#, "time_unit"),
            Change(items, #"1722348525771,"is_background""#, #"1722348525,"is_background""#, "time_unit"),
            Change(items, "table_view_cell", "collection_view_cell"),
            Change(items, "table_view_cell", "button", "unknown_value"),
            Change(items, #"[{"id":"a","timestamp":1722348525771,"view_time":4}]"#, "[7]", "not_an_object"),
            Change(tap, #""taps_count":1"#, #""taps_count":0"#, "out_of_range"),
            Change(tap, #""tap_x":1,"#, ""), Change(tap, #""tap_x":1"#, #""tap_x":1.5"#, "not_an_integer"),
            Change(tap, #""tap_x":1"#, #""scale_end":1"#, "foreign_field"),
            Change(tap, #""type":"tap""#, #""type":"swipe""#, "unknown_value"),
            Change(tap, #""type":"tap","#, "", "missing_field"),
            Change(move, #""move_distance_x":6"#, #""move_distance_x":7"#),
            Change(move, #""move_distance_x":6"#, #""move_distance_x":8"#, "gesture_change"),
            Change(move, #""move_distance_x":6"#, #""move_distance_x":-6"#, "out_of_range", "gesture_change"),
            Change(scale, #""scale_value":-60"#, #""scale_value":60"#, "gesture_change"),
        ]
    )
    func consistency(_ change: Change) throws {
        try check(change, .pulse)
    }

    private static func ids(_ count: Int) -> String {
        "[\(Array(repeating: #""FB155738-B97A-4E95-A95B-5CE044D37FE3""#, count: count).joined(separator: ","))]"
    }

    private static func sources(_ count: Int) -> String {
        "[\(Array(repeating: #"{"class":"A"}"#, count: count).joined(separator: ","))]"
    }

    // MARK: Contentsquare

    static func contentsquare(_ own: String) -> String {
        #"{"upt":1522,"euid":"ad9dd603-0cd0-4e58-9831-19f609da6df6","url":"app-android://shop/Home?title=Home%20A","#
            + #""scn":4,"c":4,"ci":"verizon","o":1,"vo":{"sv":"1.1.0","sb":4,"av":"2","af":"release","ab":1},"sn":1,"#
            + #""t":1722348525771,\#(own)}"#
    }

    static let start = contentsquare(#""ea":0"#)
    static let screen = contentsquare(#""ea":4,"st":"Home","sl":0,"cv":{"2":{"name_1":"value_1"}}"#)
    static let touch = contentsquare(#""ea":6,"tvp":"[root]>A:eq(0)","tvid":"","ur":true"#)
    static let press = contentsquare(#""ea":8,"tvp":"[root]","tvid":"4""#)
    static let drag = contentsquare(#""ea":9,"tvp":"[root]","tvid":"","fd":3,"tvd":49,"tvv":99"#)
    static let flick = contentsquare(#""ea":10,"tvp":"[root]","tvid":"","fd":5,"tvd":49,"tvv":100"#)
    static let transaction = contentsquare(#""ea":16,"tr":{"vl":20.0,"cu":978,"id":"T1"}"#)
    static let text = contentsquare(#""ea":18,"k":"key","v":"value""#)
    static let integer = contentsquare(#""ea":19,"k":"key","v":2344"#)

    @Test(
        "has no finding on events of a batch, and names their action",
        arguments: [
            (start, "app_start"), (contentsquare(#""ea":1"#), "app_show"), (contentsquare(#""ea":2"#), "app_hide"),
            (screen, "screenview"), (touch, "tap"), (press, "long_press"), (drag, "drag"), (flick, "flick"),
            (transaction, "transaction"), (text, "dynamic_variable"), (integer, "dynamic_variable"),
        ]
    )
    func goodActions(_ event: String, _ name: String) throws {
        let verdict = try Self.verdict(.contentsquare, event)
        #expect(verdict.findings == [])
        #expect(verdict.name == name)
    }

    @Test(
        "finds what is wrong with a Contentsquare event, and nothing one unit away",
        arguments: [
            Change(start, #""ea":0"#, #""ea":3"#, "unknown_value"),
            Change(start, #","ea":0"#, "", "missing_field"),
            Change(start, #""ea":0"#, #""ea":0,"st":"Home""#, "foreign_field"),
            Change(start, #""ea":0"#, #""ea":0,"zz":1"#, "unknown_field"),
            Change(start, #""upt":1522"#, #""upt":-1"#, "out_of_range"),
            Change(start, "ad9dd603-0cd0-4e58-9831-19f609da6df6", "uid", "not_an_id"),
            Change(start, "app-android://shop/Home?title=Home%20A", "app-ios:///?title="),
            Change(start, "app-android://shop/Home?title=Home%20A", "https://shop/Home?title=Home", "url"),
            Change(start, "app-android://shop/Home?title=Home%20A", "app-android://shop/Home", "url"),
            Change(start, "Home%20A", "Home A", "url"),
            Change(start, #""c":4"#, #""c":-1"#), Change(start, #""c":4"#, #""c":-2"#, "unknown_value"),
            Change(start, #""c":4"#, #""c":5"#, "unknown_value"),
            Change(start, #""ci":"verizon","#, ""), Change(start, #""o":1"#, #""o":0"#),
            Change(start, #""o":1"#, #""o":2"#, "unknown_value"),
            Change(start, #""af":"release""#, #""af":"beta""#, "unknown_value"),
            Change(start, #","ab":1"#, "", "missing_field"), Change(start, #""sn":1"#, #""sn":0"#, "out_of_range"),
            Change(start, #""t":1722348525771"#, #""t":1722348526001"#, "future"),
            Change(start, #""t":1722348525771"#, #""t":1722348525"#, "time_unit"),
            Change(start, #""t":1722348525771"#, #""t":1722348525771000"#, "time_unit"),
            Change(start, #""t":1722348525771"#, #""t":\#(1_722_348_525_999 - freshness)"#, "stale"),
            Change(screen, #""sl":0"#, #""sl":-1"#, "out_of_range"),
            Change(screen, #"{"2":{"name_1":"value_1"}}"#, variables(20)),
            Change(screen, #"{"2":{"name_1":"value_1"}}"#, variables(21), "too_many"),
            Change(screen, #"{"2":{"name_1":"value_1"}}"#, #"{"2":{"a":"b"},"02":{"a":"b"}}"#, "variable_index"),
            Change(screen, #"{"2":{"name_1":"value_1"}}"#, #"{"x":{"a":"b"}}"#, "variable_index"),
            Change(screen, #"{"2":{"name_1":"value_1"}}"#, #"{"2":{"a":1}}"#, "variable"),
            Change(screen, #"{"2":{"name_1":"value_1"}}"#, #"{"2":{"a":"b","c":"d"}}"#, "variable"),
            Change(screen, #"{"2":{"name_1":"value_1"}}"#, "[]", "not_an_object"),
            Change(touch, #","ur":true"#, "", "missing_field"),
            Change(press, #""ea":8"#, #""ea":8,"ur":true"#, "foreign_field"),
            Change(press, #""tvp":"[root]""#, #""tvp":"""#, "empty"),
            Change(drag, #""tvd":49"#, #""tvd":48"#, "gesture_threshold"),
            Change(drag, #""tvd":49"#, #""tvd":47"#, "gesture_class"),
            Change(drag, #""tvv":99"#, #""tvv":100"#, "gesture_class"),
            Change(drag, #""fd":3"#, #""fd":0"#, "out_of_range"), Change(drag, #""fd":3"#, #""fd":6"#, "out_of_range"),
            Change(drag, #""fd":3"#, #""fd":1"#),
            Change(flick, #""tvd":49"#, #""tvd":47"#, "gesture_class"),
            Change(flick, #""tvv":100"#, #""tvv":99"#, "gesture_class"),
            Change(flick, #""tvv":100"#, #""tvv":100.5"#, "not_an_integer"),
            Change(transaction, #""cu":978"#, #""cu":979"#),
            Change(transaction, #""cu":978"#, #""cu":983"#, "currency"),
            Change(transaction, #""cu":978"#, #""cu":"EUR""#, "wrong_type"),
            Change(transaction, #""vl":20.0"#, #""vl":-1"#),
            Change(transaction, #""vl":20.0"#, #""vl":1e999"#, "out_of_range"),
            Change(transaction, #""vl":20.0,"#, "", "missing_field"), Change(transaction, #","id":"T1""#, ""),
            Change(text, #""v":"value""#, #""v":5"#, "wrong_type"),
            Change(integer, #""v":2344"#, #""v":"2344""#, "wrong_type"),
            Change(integer, #""v":2344"#, #""v":9223372036854775807"#),
            Change(integer, #""v":2344"#, #""v":9223372036854775808"#, "not_an_integer"),
        ]
    )
    func contentsquareFields(_ change: Change) throws {
        try check(change, .contentsquare)
    }

    private static func variables(_ count: Int) -> String {
        "{\((1...count).map { "\"\($0)\":{\"a\":\"b\"}" }.joined(separator: ","))}"
    }

    static let header =
        #"{"pid":8,"uid":"ac1529a7","dt":4,"dma":"Apple","dmo":"iPhone X","os":"13.1","l":"en_US","#
        + #""tz":"Europe/Paris","now":1722348525771,"to":{"an":"appname","st":"sdk-ios","sf":"release"},"#
        + #""r":{"w":1080,"h":1920,"d":1.5}}"#

    @Test(
        "reports findings on the header with each event of the batch",
        arguments: [
            Change(header, #""pid":8"#, #""pid":8"#),
            Change(header, #""dt":4"#, #""dt":5"#), Change(header, #""dt":4"#, #""dt":3"#, "unknown_value"),
            Change(header, #""dma":"Apple","#, ""), Change(header, #""d":1.5"#, #""d":0.75"#),
            Change(header, #""d":1.5"#, #""d":0.74"#, "out_of_range"), Change(header, #""d":1.5"#, #""d":10"#),
            Change(header, #""d":1.5"#, #""d":10.1"#, "out_of_range"),
            Change(header, #""w":1080"#, #""w":1080.5"#, "not_an_integer"),
            Change(header, #""sf":"release""#, #""sf":"god""#),
            Change(header, #""sf":"release""#, #""sf":"x""#, "unknown_value"),
            Change(header, #""pid":8,"#, "", "missing_field"), Change(header, #""pid":8"#, #""pid":"8""#, "wrong_type"),
            Change(header, #""uid":"ac1529a7""#, #""uid":"""#, "empty"),
            Change(header, #""os":"13.1""#, #""os":13.1"#, "wrong_type"),
            Change(header, #""now":1722348525771"#, #""now":"today""#, "wrong_type"),
            Change(header, #""now":1722348525771"#, #""now":1722348525"#, "time_unit"),
        ]
    )
    func headers(_ change: Change) throws {
        let header = change.event.replacing(change.old, with: change.new)
        var judge = CapturedJudge(.contentsquare, header: Array(header.utf8), receivedAt: Self.now)
        let event = try JSONReader.parse(Array(Self.start.utf8))
        for _ in 0..<2 {
            let verdict = judge.judge(event)
            #expect(verdict.findings.map(\.code) == change.codes.map { "contentsquare_\($0)" })
            #expect(verdict.isBad == !change.codes.isEmpty)
        }
    }

    @Test("lists one finding in place of those on the header if there is no room for all of them")
    func headerSummary() throws {
        let fields = (0..<3).map { #""extra\#($0)":1,"# }.joined()
        let header = Self.header.replacing(#""pid":8"#, with: fields + #""pid":8"#)
        let event = try JSONReader.parse(Array(Self.start.utf8))
        let all = (0..<3).map { "header.extra\($0)" }
        for (mostListed, names, unlisted) in [(3, all, 0), (2, ["header"], 3), (0, ["header"], 3)] {
            var judge = CapturedJudge(.contentsquare, header: Array(header.utf8), receivedAt: Self.now)
            let verdict = judge.judge(event, mostListed: mostListed)
            #expect(verdict.findings.map(\.name) == names)
            #expect(verdict.findings.allSatisfy { $0.code == "contentsquare_unknown_field" })
            #expect(verdict.unlisted == unlisted && !verdict.isBad)
        }
    }

    @Test("allows a number of events and one session in a batch", arguments: [nil, 2, 60])
    func batch(_ size: Int?) throws {
        var judge = CapturedJudge(.contentsquare, receivedAt: Self.now, batchSize: size)
        let event = try JSONReader.parse(Array(Self.start.utf8))
        let codes = (0..<70).map { _ in judge.judge(event).findings.map(\.code) }
        let limit: Int = size ?? 50
        let expected: [[String]] = (0..<70).map { (index: Int) -> [String] in
            index < limit ? [] : ["contentsquare_batch_size"]
        }
        #expect(codes == expected)

        let other = try JSONReader.parse(Array(Self.start.replacing(#""sn":1"#, with: #""sn":2"#).utf8))
        judge = CapturedJudge(.contentsquare, receivedAt: Self.now)
        #expect(
            [event, other, event].map { judge.judge($0).findings.map(\.code) } == [[], ["contentsquare_sessions"], []]
        )
    }

    // MARK: Any input

    @Test(
        "reads any value as an event",
        arguments: CapturedFormat.captured,
        ["null", "7", "[]", "\"x\"", "{}", #"{"data":7,"event_type":"click"}"#, #"{"ea":4,"cv":7}"#]
    )
    func anything(_ form: CapturedFormat, _ event: String) throws {
        #expect(try Self.verdict(form, event).isBad)
    }

    @Test("lists a limited number of findings, always the first, and counts the others")
    func limit() throws {
        let list = "[\(Array(repeating: "7", count: 1_000).joined(separator: ","))]"
        let event = Self.click.replacing(#"["FB155738-B97A-4E95-A95B-5CE044D37FE3"]"#, with: list)
        let verdict = try Self.verdict(.pulse, event)
        #expect(verdict.findings.count == Rules.mostFindings)
        #expect(verdict.findings.count + verdict.unlisted == 1_001)
        var judge = CapturedJudge(.pulse, receivedAt: Self.now)
        let one = judge.judge(try JSONReader.parse(Array(event.utf8)), mostListed: 0)
        #expect(one.findings.map(\.name) == ["data.previous_events"])
        #expect(one.unlisted == 1_000 && one.isBad)
    }

    @Test("reports an event with more values than are checked")
    func size() throws {
        let items = "[\(Array(repeating: "[]", count: 65_537).joined(separator: ","))]"
        let event = Self.click.replacing(#"[{"class":"A","id":"a"}]"#, with: items)
        let verdict = try Self.verdict(.pulse, event)
        #expect(verdict.isBad && verdict.unlisted > 60_000)
    }

    @Test("has a code, a meaning and a remedy for each rule, each code once")
    func rules() {
        let codes = CapturedRule.all.flatMap { rule in rule.forms.map { rule.code($0) } }
        #expect(Set(codes).count == codes.count)
        for rule in CapturedRule.all {
            #expect(rule.meaning.hasSuffix(".") && rule.fix.hasSuffix("."), "\(rule.suffix)")
            for form in rule.forms {
                let found = CapturedRule.find(rule.code(form))
                #expect(found?.rule == rule && found?.form == form)
            }
        }
    }
}
