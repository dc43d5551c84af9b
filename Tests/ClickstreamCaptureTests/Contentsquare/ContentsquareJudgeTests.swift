import ClickstreamCapture
import ClickstreamCore
import ClickstreamJudges
import Testing

@Suite("CapturedJudge of the Contentsquare format")
struct ContentsquareJudgeTests {
    static func event(_ own: String) -> String {
        #"{"upt":1522,"euid":"ad9dd603-0cd0-4e58-9831-19f609da6df6","url":"app-android://shop/Home?title=Home%20A","#
            + #""scn":4,"c":4,"ci":"verizon","o":1,"vo":{"sv":"1.1.0","sb":4,"av":"2","af":"release","ab":1},"sn":1,"#
            + #""t":1722348525771,\#(own)}"#
    }

    static let start = event(#""ea":0"#)
    static let screen = event(#""ea":4,"st":"Home","sl":0,"cv":{"2":{"name_1":"value_1"}}"#)
    static let touch = event(#""ea":6,"tvp":"[root]>A:eq(0)","tvid":"","ur":true"#)
    static let press = event(#""ea":8,"tvp":"[root]","tvid":"4""#)
    static let drag = event(#""ea":9,"tvp":"[root]","tvid":"","fd":3,"tvd":49,"tvv":99"#)
    static let flick = event(#""ea":10,"tvp":"[root]","tvid":"","fd":5,"tvd":49,"tvv":100"#)
    static let transaction = event(#""ea":16,"tr":{"vl":20.0,"cu":978,"id":"T1"}"#)
    static let text = event(#""ea":18,"k":"key","v":"value""#)
    static let integer = event(#""ea":19,"k":"key","v":2344"#)

    @Test(
        "has no finding on events of a batch, and names their action",
        arguments: [
            (start, "app_start"), (event(#""ea":1"#), "app_show"), (event(#""ea":2"#), "app_hide"),
            (screen, "screenview"), (touch, "tap"), (press, "long_press"), (drag, "drag"), (flick, "flick"),
            (transaction, "transaction"), (text, "dynamic_variable"), (integer, "dynamic_variable"),
        ]
    )
    func good(_ event: String, _ name: String) throws {
        let verdict = try CapturedJudge.verdict(.contentsquare, event)
        #expect(verdict.findings == [])
        #expect(verdict.name == name)
    }

    @Test(
        "finds what is wrong with an event, and nothing one unit away",
        arguments: [
            EventChange(start, #""ea":0"#, #""ea":3"#, "unknown_value"),
            EventChange(start, #","ea":0"#, "", "missing_field"),
            EventChange(start, #""ea":0"#, #""ea":0,"st":"Home""#, "foreign_field"),
            EventChange(start, #""ea":0"#, #""ea":0,"zz":1"#, "unknown_field"),
            EventChange(start, #""upt":1522"#, #""upt":-1"#, "out_of_range"),
            EventChange(start, "ad9dd603-0cd0-4e58-9831-19f609da6df6", "uid", "not_an_id"),
            EventChange(start, "app-android://shop/Home?title=Home%20A", "app-ios:///?title="),
            EventChange(start, "app-android://shop/Home?title=Home%20A", "https://shop/Home?title=Home", "url"),
            EventChange(start, "app-android://shop/Home?title=Home%20A", "app-android://shop/Home", "url"),
            EventChange(start, "Home%20A", "Home A", "url"),
            EventChange(start, #""c":4"#, #""c":-1"#), EventChange(start, #""c":4"#, #""c":-2"#, "unknown_value"),
            EventChange(start, #""c":4"#, #""c":5"#, "unknown_value"),
            EventChange(start, #""ci":"verizon","#, ""), EventChange(start, #""o":1"#, #""o":0"#),
            EventChange(start, #""o":1"#, #""o":2"#, "unknown_value"),
            EventChange(start, #""af":"release""#, #""af":"beta""#, "unknown_value"),
            EventChange(start, #","ab":1"#, "", "missing_field"),
            EventChange(start, #""sn":1"#, #""sn":0"#, "out_of_range"),
            EventChange(start, #""t":1722348525771"#, #""t":1722348526001"#, "future"),
            EventChange(start, #""t":1722348525771"#, #""t":1722348525"#, "time_unit"),
            EventChange(start, #""t":1722348525771"#, #""t":1722348525771000"#, "time_unit"),
            EventChange(start, #""t":1722348525771"#, #""t":\#(1_722_348_525_999 - CapturedJudge.freshness)"#, "stale"),
            EventChange(screen, #""sl":0"#, #""sl":-1"#, "out_of_range"),
            EventChange(screen, #"{"2":{"name_1":"value_1"}}"#, variables(20)),
            EventChange(screen, #"{"2":{"name_1":"value_1"}}"#, variables(21), "too_many"),
            EventChange(screen, #"{"2":{"name_1":"value_1"}}"#, #"{"2":{"a":"b"},"02":{"a":"b"}}"#, "variable_index"),
            EventChange(screen, #"{"2":{"name_1":"value_1"}}"#, #"{"x":{"a":"b"}}"#, "variable_index"),
            EventChange(screen, #"{"2":{"name_1":"value_1"}}"#, #"{"2":{"a":1}}"#, "variable"),
            EventChange(screen, #"{"2":{"name_1":"value_1"}}"#, #"{"2":{"a":"b","c":"d"}}"#, "variable"),
            EventChange(screen, #"{"2":{"name_1":"value_1"}}"#, "[]", "not_an_object"),
            EventChange(touch, #","ur":true"#, "", "missing_field"),
            EventChange(press, #""ea":8"#, #""ea":8,"ur":true"#, "foreign_field"),
            EventChange(press, #""tvp":"[root]""#, #""tvp":"""#, "empty"),
            EventChange(drag, #""tvd":49"#, #""tvd":48"#, "gesture_threshold"),
            EventChange(drag, #""tvd":49"#, #""tvd":47"#, "gesture_class"),
            EventChange(drag, #""tvv":99"#, #""tvv":100"#, "gesture_class"),
            EventChange(drag, #""fd":3"#, #""fd":0"#, "out_of_range"),
            EventChange(drag, #""fd":3"#, #""fd":6"#, "out_of_range"),
            EventChange(drag, #""fd":3"#, #""fd":1"#),
            EventChange(flick, #""tvd":49"#, #""tvd":47"#, "gesture_class"),
            EventChange(flick, #""tvv":100"#, #""tvv":99"#, "gesture_class"),
            EventChange(flick, #""tvv":100"#, #""tvv":100.5"#, "not_an_integer"),
            EventChange(transaction, #""cu":978"#, #""cu":979"#),
            EventChange(transaction, #""cu":978"#, #""cu":983"#, "currency"),
            EventChange(transaction, #""cu":978"#, #""cu":"EUR""#, "wrong_type"),
            EventChange(transaction, #""vl":20.0"#, #""vl":-1"#),
            EventChange(transaction, #""vl":20.0"#, #""vl":1e999"#, "out_of_range"),
            EventChange(transaction, #""vl":20.0,"#, "", "missing_field"), EventChange(transaction, #","id":"T1""#, ""),
            EventChange(text, #""v":"value""#, #""v":5"#, "wrong_type"),
            EventChange(integer, #""v":2344"#, #""v":"2344""#, "wrong_type"),
            EventChange(integer, #""v":2344"#, #""v":9223372036854775807"#),
            EventChange(integer, #""v":2344"#, #""v":9223372036854775808"#, "not_an_integer"),
        ]
    )
    func fields(_ change: EventChange) throws {
        try change.check(.contentsquare)
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
            EventChange(header, #""pid":8"#, #""pid":8"#),
            EventChange(header, #""dt":4"#, #""dt":5"#), EventChange(header, #""dt":4"#, #""dt":3"#, "unknown_value"),
            EventChange(header, #""dma":"Apple","#, ""), EventChange(header, #""d":1.5"#, #""d":0.75"#),
            EventChange(header, #""d":1.5"#, #""d":0.74"#, "out_of_range"),
            EventChange(header, #""d":1.5"#, #""d":10"#),
            EventChange(header, #""d":1.5"#, #""d":10.1"#, "out_of_range"),
            EventChange(header, #""w":1080"#, #""w":1080.5"#, "not_an_integer"),
            EventChange(header, #""sf":"release""#, #""sf":"god""#),
            EventChange(header, #""sf":"release""#, #""sf":"x""#, "unknown_value"),
            EventChange(header, #""pid":8,"#, "", "missing_field"),
            EventChange(header, #""pid":8"#, #""pid":"8""#, "wrong_type"),
            EventChange(header, #""uid":"ac1529a7""#, #""uid":"""#, "empty"),
            EventChange(header, #""os":"13.1""#, #""os":13.1"#, "wrong_type"),
            EventChange(header, #""now":1722348525771"#, #""now":"today""#, "wrong_type"),
            EventChange(header, #""now":1722348525771"#, #""now":1722348525"#, "time_unit"),
        ]
    )
    func headers(_ change: EventChange) throws {
        let header = change.event.replacing(change.old, with: change.new)
        var judge = CapturedJudge(.contentsquare, header: Array(header.utf8), receivedAt: CapturedJudge.now)
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
        for (maxListed, names, unlisted) in [(3, all, 0), (2, ["header"], 3), (0, ["header"], 3)] {
            var judge = CapturedJudge(.contentsquare, header: Array(header.utf8), receivedAt: CapturedJudge.now)
            let verdict = judge.judge(event, maxListed: maxListed)
            #expect(verdict.findings.map(\.name) == names)
            #expect(verdict.findings.allSatisfy { $0.code == "contentsquare_unknown_field" })
            #expect(verdict.unlisted == unlisted && !verdict.isBad)
        }
    }

    @Test("allows a number of events and one session in a batch", arguments: [nil, 2, 60])
    func batch(_ size: Int?) throws {
        var judge = CapturedJudge(.contentsquare, receivedAt: CapturedJudge.now, batchSize: size)
        let event = try JSONReader.parse(Array(Self.start.utf8))
        let codes = (0..<70).map { _ in judge.judge(event).findings.map(\.code) }
        let limit: Int = size ?? 50
        let expected: [[String]] = (0..<70).map { (index: Int) -> [String] in
            index < limit ? [] : ["contentsquare_batch_size"]
        }
        #expect(codes == expected)

        let other = try JSONReader.parse(Array(Self.start.replacing(#""sn":1"#, with: #""sn":2"#).utf8))
        judge = CapturedJudge(.contentsquare, receivedAt: CapturedJudge.now)
        #expect(
            [event, other, event].map { judge.judge($0).findings.map(\.code) } == [[], ["contentsquare_sessions"], []]
        )
    }

    // MARK: Encoded events

    private let context = ContentsquareContext(
        appID: "shop",
        device: ClickstreamClient.Device(platform: "iOS", networkType: "WIFI", screenWidth: 393, screenHeight: 852),
        session: Session(number: 1, uniqueID: "dc7a7a18", at: .at(0))
    )

    @Test("has no finding on encoded events")
    func encoded() throws {
        var encoder = ContentsquareEncoder()
        let euro = try #require(Capture.Currency("EUR"))
        let variables = (1...21).map { CustomVariable(index: $0, name: "name_\($0)", value: "value") }
        let actions: [(ContentsquareAction, String)] = [
            (.start, "app_start"), (.show, "app_show"), (.hide, "app_hide"),
            (
                .screen(ContentsquareScreen(name: "Startseite ä", className: "A/B"), CustomVariables(variables)),
                "screenview"
            ),
            (.transaction(try #require(Capture.Transaction(value: 20, currency: euro, id: "T"))), "transaction"),
            (.transaction(try #require(Capture.Transaction(value: -0.5, currency: euro))), "transaction"),
            (.variable(DynamicVariable(key: "k", value: .text(""))), "dynamic_variable"),
            (.variable(DynamicVariable(key: "k", value: .integer(.min))), "dynamic_variable"),
        ]
        var judge = CapturedJudge(.contentsquare, receivedAt: nil)
        for (action, name) in actions {
            let json = encoder.encode(action, id: UniqueID(high: 1, low: 2), at: .at(5), in: context)
            let verdict = try judge.verdictWithoutTimes(json)
            #expect(verdict.findings == [] && verdict.name == name, "\(String(decoding: json, as: UTF8.self))")
        }
    }
}
