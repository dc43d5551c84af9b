import ClickstreamCore
import Testing

@testable import clickstream_cli

@Suite("Event in one line")
struct TailLineTests {
    private static let good = """
        {"event":{"event_type":"add_to_cart","event_id":"e-1","timestamp":1693919966703,"unique_id":"0a1b2c3d-4e5f",\
        "user":{"_user_id":{"value":"carl","set_timestamp":1}},"items":[{"id":"1"},{"id":"2"}],\
        "attributes":{"_session_id":"s-1","category":"running shoes","value":99.90,"gift":true}},\
        "status":"good","violations":[],"request_id":"ab","received_at":1693919967000}
        """

    private static let bad = """
        {"event":{"event_type":"_clickstream_error","timestamp":1693919966703,"unique_id":"0a1b2c3d-4e5f",\
        "attributes":{"_error_code":1001,"_error_message":"bad name"}},"status":"bad","violations":[{"code":1001,\
        "severity":"error","subject":"event","name":"a b","message":"the name is not valid"},{"code":"etl_stale",\
        "severity":"warning","subject":"event","name":"","message":"older than 72 hours"}],\
        "request_id":"ab","received_at":1693919967000}
        """

    func lines(_ json: String, _ format: TailCommand.Format, isColoured: Bool = false) throws -> [String] {
        try TailLine(format: format, style: Style(isColoured: isColoured))
            .lines(of: ReceivedEvent(text: Array(json.utf8)[...]))
    }

    @Test("contains time, name, user and attributes")
    func human() throws {
        #expect(
            try lines(Self.good, .human) == [
                "2023-09-05 13:19:26.703  ok   add_to_cart           carl          s-1       "
                    + "category=\"running shoes\"  value=99.90  gift=true  items=2"
            ]
        )
    }

    private static let engagement = """
        {"event":{"event_type":"_user_engagement","timestamp":1693919966703,"unique_id":"0a1b2c3d-4e5f",\
        "attributes":{"_session_id":"2c3d4e5f-20230905-131926703","shop":"a","tier":"gold","plan":"pro",\
        "_screen_name":"Home page","_engagement_time_msec":5000}},"status":"good","violations":[]}
        """

    @Test(
        "keeps engagement and screen in front of global attributes, on a narrow terminal too",
        arguments: [
            (70, "13:19:26.703  ok   _user_engagement      engagement 5.0s  screen=\"Hom…"),
            (80, "13:19:26.703  ok   _user_engagement      ~0a1b2c3d     engagement 5.0s  screen=…"),
            (
                110,
                "2023-09-05 13:19:26.703  ok   _user_engagement      ~0a1b2c3d     engagement 5.0s  screen=\"Home page\"  shop=\"…"
            ),
            (
                200,
                "2023-09-05 13:19:26.703  ok   _user_engagement      ~0a1b2c3d     2c3d4e5f-20230905-131926703  "
                    + "engagement 5.0s  screen=\"Home page\"  shop=\"a\"  tier=\"gold\"  plan=\"pro\""
            ),
        ]
    )
    func narrow(width: Int, line: String) throws {
        let event = try ReceivedEvent(text: Array(Self.engagement.utf8)[...])
        let lines = TailLine(format: .human, style: Style(isColoured: false), width: width).lines(of: event)
        #expect(lines == [line])
        #expect(lines.allSatisfy { $0.count <= width })
    }

    @Test(
        "contains a phrase before the main values",
        arguments: [
            (
                #"{"form":"pulse","name":"click","event":{"event_type":"click","timestamp":1693919966703,"#
                    + #""data":{"element":{"type":"button","value":"Buy"}}},"status":"good","violations":[]}"#,
                "click                 pulse  -             -         tap \"Buy\"  type=\"button\"  value=\"Buy\""
            ),
            (
                #"{"event":{"event_type":"_screen_view","timestamp":1693919966703,"attributes":{"_screen_name":"B","#
                    + #""_engagement_time_msec":"a"}},"status":"good","violations":[]}"#,
                "_screen_view          -             -         screen_view B  _engagement_time_msec=\"a\"  screen=\"B\""
            ),
            (
                #"{"form":"audit","name":"write","event":{"event":"write","timestamp":"2023-09-05T13:19:26.703Z","#
                    + #""activity":"pay","data":"{\"orders\":{\"modifications\":[{\"oldValue\":{\"id\":17,\"state\":\"open\"},"#
                    + #"\"newValue\":{\"state\":\"paid\"}}]}}"},"status":"good","violations":[]}"#,
                "write                 audit  -             -         orders 17: state open → paid  activity=\"pay\"  "
                    + "orders.modifications=1"
            ),
        ]
    )
    func phrase(element: String, rest: String) throws {
        #expect(try lines(element, .human) == ["2023-09-05 13:19:26.703  ok   \(rest)"])
    }

    @Test("is red with an error, and its warnings are yellow")
    func colours() throws {
        let lines = try lines(Self.bad, .human, isColoured: true)
        #expect(lines[0].contains("\u{1B}[31mbad\u{1B}[0m"))
        #expect(lines[1].hasPrefix("    \u{1B}[31m1001\u{1B}[0m  "))
        #expect(lines[2].hasPrefix("    \u{1B}[33metl_stale\u{1B}[0m  "))
    }

    @Test("is followed by its violations and their meaning")
    func violations() throws {
        #expect(
            try lines(Self.bad, .human) == [
                "2023-09-05 13:19:26.703  bad  _clickstream_error    ~0a1b2c3d     -         "
                    + "_error_code=1001  _error_message=\"bad name\"",
                "    1001  \(ReplayReport.meaning(of: "1001")): the name is not valid",
                "    etl_stale  \(ReplayReport.meaning(of: "etl_stale")): older than 72 hours",
            ]
        )
    }

    @Test("ends with the number of findings that the collector does not list", arguments: [(0, 0), (1, 1), (20, 2)])
    func unlisted(count: Int, form: Int) throws {
        let element = Self.bad.replacing("],\"request_id\"", with: "],\"unlisted_violations\":\(count),\"request_id\"")
        let text = ["", "    and 1 more finding not listed", "    and 20 more findings not listed"][form]
        #expect(try lines(element, .human).dropFirst(3) == (form == 0 ? [] : [text]))
        #expect(try lines(element, .logfmt)[0].contains(" unlisted=\(count) ") == (form > 0))
        #expect(try lines(element, .json) == [element])
    }

    @Test("is written as logfmt, with quotation marks where needed")
    func logfmt() throws {
        #expect(
            try lines(Self.good, .logfmt) == [
                "time=2023-09-05T13:19:26.703Z status=good name=add_to_cart user=carl unique_id=0a1b2c3d-4e5f session=s-1 "
                    + "event_id=e-1 request=ab attributes.category=\"running shoes\" attributes.value=99.90 "
                    + "attributes.gift=true items=2"
            ]
        )
        #expect(try lines(Self.bad, .logfmt)[0].contains("codes=1001,etl_stale attributes._error_code=1001"))
    }

    @Test("is written as the collector's JSON", arguments: [good, bad])
    func json(element: String) throws {
        #expect(try lines(element, .json) == [element])
    }

    @Test(
        "cannot contain its own lines or cursor movements",
        arguments: [
            TailCommand.Format.human, .logfmt, .json,
        ]
    )
    func injection(format: TailCommand.Format) throws {
        // Line feed, escape, the one-byte form of escape-bracket, a right-to-left override, a line separator, a bell.
        let hostile = "a\\nb\\u001b[31m\\u009b2J\\u202ec\\u2028d\\u0007 status=good"
        let element = """
            {"event":{"event_type":"\(hostile)","unique_id":"\(hostile)","timestamp":1,"user":{"_user_id":{"value":"\(hostile)"}},\
            "attributes":{"_session_id":"\(hostile)","x\(hostile)":"\(hostile)"}},"status":"bad","violations":[{"code":"\(hostile)",\
            "severity":"error","subject":"event","name":"\(hostile)","message":"\(hostile)"}],"request_id":"\(hostile)"}
            """
        let lines = try lines(element, format)
        #expect(lines.count == (format == .human ? 2 : 1))
        for line in lines {
            #expect(line.unicodeScalars.allSatisfy { (0x20..<0x7F).contains($0.value) }, "\(line)")
        }
        if format == .json {
            // The same value, written another way.
            #expect(try JSONReader.parse(Array(lines[0].utf8)) == JSONReader.parse(Array(element.utf8)))
        }
        if format == .logfmt {
            #expect(lines[0].contains(" name=\"a\\nb"))
            #expect(lines[0].contains(" attributes.xa_b__31m_2J_c_d__status_good=\""))
        }
    }
}
