import ClickstreamCore
import ClickstreamSimulation
import Testing

@testable import ClickstreamJudges

/// The fates of events in the published pipeline, written down from its cleaner, parser and enrichment.
@Suite("The published pipeline")
struct PipelineJudgeTests {
    private static let received: Int64 = 1_700_000_000_000

    /// A line of an archive with one event.
    private static func line(
        _ data: String?,
        ingestTime: Int64? = received,
        app: String? = "shop",
        uri: String? = "/collect?appId=shop",
        agent: String? = nil
    ) -> ArchivedRequest {
        let members: [JSONMember] = [
            .text("data", data),
            JSONMember("ingest_time", ingestTime.map { .number(JSONNumber(integer: $0)) } ?? .null),
            .text("appId", app), .text("uri", uri), .text("ua", agent), .text("path", "/collect"),
        ]
        // Cannot fail: the text is JSON.
        return try! ArchivedRequest(Array(JSONValue(.object(members)).description.utf8))
    }

    private static func judge(_ apps: Set<ExactText> = []) -> PipelineJudge {
        var judge = PipelineJudge(now: Timestamp(milliseconds: received))
        judge.appIDs = apps
        return judge
    }

    private static func event(_ extra: String, type: String = "tap", time: Int64 = 1_699_999_999_000) -> String {
        let comma = extra.isEmpty ? "" : ","
        return #"{"event_type":"\#(type)","event_id":"E","app_id":"shop","timestamp":\#(time)\#(comma)\#(extra)}"#
    }

    private static func packed(_ text: String) -> String {
        String(decoding: Base64.encode(Gzip.deflate(Array(text.utf8))), as: UTF8.self)
    }

    struct Row: Sendable, CustomTestStringConvertible {
        var event: String
        var fate: PipelineVerdict.Fate
        var code: String?
        var changes: [String] = []

        init(_ event: String, _ fate: PipelineVerdict.Fate, _ code: String? = nil, changes: [String] = []) {
            self.event = event
            self.fate = fate
            self.code = code
            self.changes = changes
        }

        var testDescription: String { event }
    }

    private static func touch(_ time: Int64) -> String {
        #""unique_id":"U","user":{"_user_first_touch_timestamp":{"value":\#(time),"set_timestamp":1}}"#
    }

    static let events: [Row] = [
        Row(event(""), .row),
        // The schema.
        Row("7", .corruptData, "etl_not_an_object"),
        Row("null", .corruptData, "etl_not_an_object"),
        Row(#""text""#, .corruptData, "etl_not_an_object"),
        Row("[\(event(""))]", .corruptData, "etl_not_an_object"),
        Row(JSONValue(.string(event(""))).description, .row),
        Row(event(#""event_id":null"#), .corruptData, "etl_missing_event_id"),
        Row(event(#""app_id":null"#), .corruptData, "etl_missing_app_id"),
        Row(event(#""timestamp":null"#), .corruptData, "etl_missing_timestamp"),
        Row(event(#""screen_width":"5""#), .corruptData, "etl_not_an_integer"),
        Row(event(#""zone_offset":1.0"#), .corruptData, "etl_not_an_integer"),
        Row(event(#""zone_offset":"x","zone_offset":1"#), .corruptData, "etl_not_an_integer"),
        Row(event(#""event_value_in_usd":true"#), .corruptData, "etl_not_a_number"),
        // The cleaner.
        Row(event("", time: received + 1), .dropped, "etl_future"),
        Row(event("", time: received), .row),
        Row(event("", type: "_first_open", time: received + 1), .row),
        Row(event("", time: received - 259_200_001), .dropped, "etl_stale"),
        Row(event("", time: received - 259_200_000), .row),
        Row(event("", type: "_profile_set", time: received - 259_200_001), .row),
        Row(event("", time: 1_699_999_999), .dropped, "etl_stale"),
        Row(event(#""app_id":" ""#), .dropped, "etl_other_app"),
        Row(event(#""app_id":[]"#), .dropped, "etl_other_app"),
        // The first reason counts.
        Row(event(#""platform":[]"#, time: received - 259_200_001), .dropped, "etl_stale"),
        Row(event(#""screen_width":"5""#, time: received - 259_200_001), .corruptData, "etl_not_an_integer"),
        // The parser.
        Row(event(#""platform":[]"#), .corruptEvent, "etl_not_a_text"),
        Row(event(#""platform":[],"platform":"iOS""#), .row),
        Row(event(#""unique_id":[],"user_pseudo_id":"U""#), .corruptEvent, "etl_not_a_text"),
        Row(event(#""event_value":"dear""#), .corruptEvent, "etl_not_a_number"),
        Row(event(#""event_value":"NaN""#), .row),
        Row(event(#""attributes":"x""#), .corruptEvent, "etl_not_an_object"),
        Row(event(#""attributes":null,"items":null,"user":null"#), .row),
        Row(event(#""attributes":{"_screen_name":{}}"#), .corruptEvent, "etl_not_a_text"),
        Row(event(#""attributes":{"_engagement_time_msec":"long"}"#), .corruptEvent, "etl_not_an_integer"),
        Row(event(#""attributes":{"_engagement_time_msec":1.5}"#), .row),
        Row(event(#""attributes":{"colour":[1]}"#), .row),
        Row(event(#""items":{}"#), .corruptEvent, "etl_not_an_array"),
        Row(event(#""items":[null]"#), .corruptEvent, "etl_not_an_object"),
        Row(event(#""items":[{"id":"1","name":["shoe"]}]"#), .corruptEvent, "etl_not_a_text"),
        Row(event(#""user":[]"#), .corruptEvent, "etl_not_an_object"),
        Row(event(#""user":{"_user_id":"carl"}"#), .corruptEvent, "etl_user_entry"),
        Row(event(#""user":{"_user_id":{"value":"carl","since":1}}"#), .corruptEvent, "etl_user_entry"),
        Row(event(#""user":{"_user_id":{"value":"carl","set_timestamp":"now"}}"#), .corruptEvent, "etl_user_entry"),
        Row(event(#""user":{"_user_id":null,"tier":"gold"}"#), .row),
        Row(event(#""user":{"_user_age":{"value":1.5}}"#), .corruptEvent, "etl_user_age"),
        Row(event(#""user":{"_user_age":{"set_timestamp":1}}"#), .corruptEvent, "etl_user_age"),
        Row(event(#""user":{"_user_first_touch_timestamp":{"value":null}}"#), .corruptEvent, "etl_not_an_integer"),
        // The name.
        Row(event(#""event_type":"""#), .skipped, "etl_missing_event_type"),
        Row(event(#""event_name":null"#), .skipped, "etl_missing_event_type"),
        Row(event(#""event_name":"view","event_type":"""#), .row),
        // Rows with changed values.
        Row(event(#""attributes":{"_session_number":"first"}"#), .row, changes: ["etl_not_an_integer"]),
        Row(event(#""model":"\#(String(repeating: "x", count: 256))""#), .row, changes: ["etl_cut"]),
        // Fields behind an array or object.
        Row(event(#""attributes":{"_session_number":{}}"#), .row, changes: ["etl_not_an_integer"]),
        Row(
            #"{"app_id":"shop","attributes":{"_entrances":[]},"event_id":"E","event_type":"tap","timestamp":1699999999000}"#,
            .skipped,
            "etl_misread"
        ),
        Row(
            #"{"app_id":"shop","event_id":"E","event_type":"tap","items":[{"id":"1","price":[1]}],"timestamp":1699999999000}"#,
            .corruptEvent,
            "etl_misread"
        ),
        // Times that cannot be written.
        Row(event("", type: "_profile_set", time: -2_208_988_800_001), .jobFails, "etl_time_range"),
        Row(event("", time: -2_208_988_800_001), .dropped, "etl_stale"),
        Row(event(touch(-12_219_292_800_001), type: "_screen_view"), .jobFails, "etl_time_range"),
        Row(event(touch(185_542_587_187_200_000)), .jobFails, "etl_time_range"),
        Row(event(touch(-185_542_587_187_200_001)), .jobFails, "etl_time_range"),
        Row(event(touch(-12_219_292_800_001)), .row, changes: ["etl_time_unit"]),
        // An event from the future is moved with its first touch.
        Row(event(touch(1_600_000_000_000), type: "_first_open", time: received * 1_000), .jobFails, "etl_time_range"),
        Row(event("", type: "_first_open", time: received * 1_000_000), .row, changes: ["etl_time_unit"]),
        // The parser sees the last value of a name at any level.
        Row(
            event(#""attributes":{"_screen_name":[],"_screen_name":"x"},"items":[{"id":"1","name":[],"name":"x"}]"#),
            .row
        ),
        Row(event(#""user":{"_user_id":{"value":[],"value":"carl"}}"#), .row),
    ]

    @Test("decides the fate of an event by the first of its steps that ends it", arguments: events)
    func fates(row: Row) throws {
        var judge = Self.judge()
        let verdicts = judge.judge(Self.line("[\(row.event)]"))
        #expect(verdicts.map(\.fate) == [row.fate])
        #expect(verdicts.map(\.code) == [row.code])
        #expect(verdicts.first?.message?.isEmpty == (row.code == nil ? nil : false))
        #expect(verdicts.map(\.changes) == [row.changes])
        // The base64 of gzip has the same fate as its text.
        let packed = Self.packed("[\(row.event)]")
        var other = Self.judge()
        #expect(other.judge(Self.line(packed)) == verdicts)
    }

    @Test("decides by the fields of the request")
    func requests() {
        let data = "[\(Self.event(""))]"
        let requests: [(ArchivedRequest, PipelineVerdict.Fate, String?)] = [
            (Self.line(data, ingestTime: nil), .jobFails, "etl_no_ingest_time"),
            (Self.line(data, app: nil), .dropped, "etl_no_app_id"),
            (Self.line(data, app: ""), .dropped, "etl_no_app_id"),
            (Self.line(data, uri: nil), .corruptEvent, "etl_no_uri"),
            (Self.line(data, agent: "Googlebot/2.1"), .dropped, "etl_robot"),
            (Self.line(data, agent: "Shopbot (iPhone) CFNetwork/1 Darwin/1"), .row, nil),
            (Self.line(data, agent: "Shopbot/1 CFNetwork/1 Darwin/1"), .row, nil),
            (Self.line(data, agent: "Shopbot/1 CFNetwork/1"), .dropped, "etl_robot"),
            (
                Self.line(data, agent: "Mozilla/5.0 (Linux; Android 6) (compatible; Googlebot/2.1)"), .dropped,
                "etl_robot"
            ),
            (Self.line(data, agent: String(repeating: "x", count: 101) + "bot"), .row, nil),
            (Self.line(data, agent: "clickstream-swift/1 (Linux)"), .row, nil),
            // A body whose error can be read leaves a row; the others do not.
            (Self.line(nil), .corruptData, "etl_unreadable_body"),
            (Self.line(""), .corruptData, "etl_unreadable_body"),
            (Self.line("bad text"), .corruptData, "etl_unreadable_body"),
            (Self.line("aGVsbG8="), .corruptData, "etl_unreadable_body"),
            (Self.line(Self.event("")), .dropped, "etl_unreadable_body"),
            (Self.line("[1,,2]"), .dropped, "etl_unreadable_body"),
            (Self.line("bad\ntext"), .dropped, "etl_unreadable_body"),
            (Self.line(Self.packed("{}")), .dropped, "etl_unreadable_body"),
            (Self.line(Self.packed(" ")), .dropped, "etl_unreadable_body"),
            // Limits of the model.
            (Self.line("[" + String(repeating: "0,", count: 100_000) + "0]"), .notJudged, "etl_too_large"),
            (
                Self.line(String(repeating: "[", count: 130) + String(repeating: "]", count: 130)), .notJudged,
                "etl_too_large"
            ),
        ]
        for (request, fate, code) in requests {
            var judge = Self.judge()
            let verdicts = judge.judge(request)
            #expect(verdicts.map(\.fate) == [fate], "\(request)")
            #expect(verdicts.map(\.code) == [code], "\(request)")
        }
        var judge = Self.judge()
        #expect(judge.judge(Self.line("[]")).isEmpty)
    }

    @Test("drops the apps that are not configured, by their exact id")
    func apps() {
        var judge = Self.judge(["Shop", "desk"])
        #expect(judge.judge(Self.line("[\(Self.event(""))]")).map(\.code) == ["etl_other_app"])
        #expect(judge.judge(Self.line("[\(Self.event(#""app_id":"Shop""#))]")).map(\.code) == [nil])
        // Texts that look alike are different.
        var composed = Self.judge(["caf\u{E9}"])
        #expect(
            composed.judge(Self.line("[\(Self.event("\"app_id\":\"cafe\u{301}\""))]")).map(\.code) == ["etl_other_app"]
        )
    }

    @Test("merges rows with the same id and time, as far as the column keeps the id")
    func duplicates() {
        let id = String(repeating: "x", count: 255)
        var judge = Self.judge()
        func fates(_ extra: String, time: Int64 = 1_699_999_999_000) -> [PipelineVerdict.Fate] {
            judge.judge(Self.line("[\(Self.event(extra, time: time))]")).map(\.fate)
        }
        #expect(fates("") == [.row])
        #expect(fates("") == [.merged])
        #expect(fates("", time: 1_699_999_999_001) == [.row])
        #expect(fates(#""event_id":"\#(id)a""#) == [.row])
        #expect(fates(#""event_id":"\#(id)b""#) == [.merged])
        #expect(fates(#""app_id":"desk""#) == [.row])
        // Only rows are merged.
        #expect(fates(#""event_id":"F","platform":[]"#) == [.corruptEvent])
        #expect(fates(#""event_id":"F""#) == [.row])
    }
}
