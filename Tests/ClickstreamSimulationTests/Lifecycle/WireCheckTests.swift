import ClickstreamCore
import ClickstreamJudges
import Foundation
import Testing

/// Every event of every script against the wire's contract.
@Suite("Wire format")
struct WireCheckTests {
    @Test("follows the contract in every event of the lifecycle's scripts", arguments: LifecycleTests.scripts)
    func lifecycle(name: String) async throws {
        try await check("\(LifecycleTests.folder)/\(name)")
    }

    @Test(
        "follows the contract in every event of the documentation's scripts",
        arguments: Replay.scripts(in: "Docs/Examples")
    )
    func examples(name: String) async throws {
        try await check("Docs/Examples/\(name)")
    }

    private func check(_ path: String) async throws {
        let replay = try await Replay(of: Replay.package.appending(path: path))
        #expect(!replay.lines.isEmpty)
        var ids: Set<String> = []
        for line in replay.lines {
            #expect(WireCheck.problems(of: line) == [], "\(line.prefix(2_000))")
            let event = try JSONReader.parse(Array(line.utf8))
            let isNew = ids.insert(event["event_id"]?.string ?? "").inserted
            #expect(isNew, "an event id is given twice")
            // The collector's judge finds the violation that the event reports, and no other.
            let findings = WireJudge.judge(event, receivedAt: Timestamp(milliseconds: event["timestamp"]?.integer ?? 0))
            let code: Int64? = event["attributes"]?["_error_code"]?.integer
            let expected: [String] = if let code { [String(code)] } else { [] }
            #expect(findings.filter { $0.severity == .error }.map(\.code) == expected)
        }
    }

    @Test("covers all of the documentation's scripts")
    func names() {
        let names = ["article.yaml", "kiosk.yaml", "shopping.yaml", "storefront.yaml"]
        #expect(Replay.scripts(in: "Docs/Examples") == names)
    }

    // MARK: The check itself

    /// An event that is right in every part.
    private static let sample = """
        {"event_type":"_screen_view","event_id":"91DA4BBE-933F-4DFA-A489-8AEFBC7A06D8","timestamp":1685082174195,\
        "app_id":"shopping","app_package_name":"com.company.app","app_title":"Shopping","app_version":"1.0",\
        "brand":"apple","carrier":"UNKNOWN","country_code":"US","device_id":"A536A563-65BD-49BE-A6EC-6F3CE7AC8FBE",\
        "device_unique_id":"","locale":"en_US","make":"apple","model":"iPhone 14 Pro","network_type":"WIFI",\
        "os_version":"16.4","platform":"iOS","sdk_name":"aws-solution-clickstream-sdk","sdk_version":"0.4.1",\
        "system_language":"en","screen_height":2556,"screen_width":1179,"zone_offset":28800000,\
        "unique_id":"0E6614B7-2D2C-4774-AB2F-B0A9E6C3BFAC","user":{"_user_first_touch_timestamp":\
        {"value":1685006678432,"set_timestamp":1685006678432},"_user_name":{"value":"carl","set_timestamp":1685006678437}},\
        "items":[{"id":"123","price":99.9}],"attributes":{"_session_id":"E6C3BFAC-20230526-062238846",\
        "_session_start_timestamp":1685082158846,"_session_number":3,"_session_duration":15349,"_screen_name":"Detail",\
        "_entrances":0,"_previous_timestamp":1685082158999,"_engagement_time_msec":12,"rate":0.5,"on":true}}
        """

    @Test("is accepted if valid")
    func right() {
        #expect(WireCheck.problems(of: Self.sample) == [])
    }

    @Test(
        "is rejected with an error in any part",
        arguments: [
            ("\"timestamp\":1685082174195", "\"timestamp\":1685082174195.0"),
            ("\"timestamp\":1685082174195", "\"timestamp\":\"1685082174195\""),
            ("\"timestamp\":1685082174195", "\"timestamp\":0"),
            ("\"timestamp\":1685082174195,", ""),
            ("\"screen_height\":2556", "\"screen_height\":2556.5"),
            ("\"screen_width\":1179", "\"screen_width\":null"),
            ("\"zone_offset\":28800000", "\"zone_offset\":8"),
            ("\"app_id\":\"shopping\"", "\"app_id\":\"\""),
            ("\"app_title\":\"Shopping\",", ""),
            ("\"app_version\":\"1.0\"", "\"app_version\":1.0"),
            ("\"brand\":\"apple\"", "\"brand\":\"apple\",\"brand\":\"apple\""),
            ("\"brand\":\"apple\"", "\"brand\":\"apple\",\"hashCode\":\"1\""),
            ("91DA4BBE-933F", "91da4bbe-933f"),
            ("91DA4BBE-933F", "91DA4BBE933F"),
            ("0E6614B7-2D2C-4774", "0E6614B7-2D2C-1774"),
            ("\"network_type\":\"WIFI\"", "\"network_type\":\"wifi\""),
            ("aws-solution-clickstream-sdk", "my-sdk"),
            ("\"event_type\":\"_screen_view\"", "\"event_type\":\"screen view\""),
            ("\"event_type\":\"_screen_view\"", "\"event_type\":\"tap\""),
            ("\"event_type\":\"_screen_view\"", "\"event_type\":\"_app_start\""),
            ("\"_user_first_touch_timestamp\"", "\"_first_touch\""),
            ("{\"value\":\"carl\",\"set_timestamp\":1685006678437}", "\"carl\""),
            ("{\"value\":\"carl\",\"set_timestamp\":1685006678437}", "{\"value\":\"carl\"}"),
            ("{\"value\":\"carl\",\"set_timestamp\":1685006678437}", "{\"set_timestamp\":1685006678437}"),
            (
                "{\"value\":\"carl\",\"set_timestamp\":1685006678437}",
                "{\"value\":null,\"set_timestamp\":1685006678437}"
            ),
            ("{\"value\":\"carl\",\"set_timestamp\":1685006678437}", "{\"value\":\"carl\",\"set_timestamp\":1.5}"),
            ("\"_user_name\":{\"value\":\"carl\"", "\"_user_age\":{\"value\":34.5"),
            ("\"_user_name\":{\"value\":\"carl\"", "\"_user_id\":{\"value\":\"\""),
            ("{\"value\":\"carl\"", "{\"value\":\"carl\",\"value\":\"carl\""),
            ("[{\"id\":\"123\",\"price\":99.9}]", "[]"),
            ("[{\"id\":\"123\",\"price\":99.9}]", "{\"id\":\"123\"}"),
            ("[{\"id\":\"123\",\"price\":99.9}]", "[\"123\"]"),
            ("{\"id\":\"123\",", "{"),
            ("{\"id\":\"123\",", "{\"id\":\"\","),
            ("{\"id\":\"123\",", "{\"id\":\"123\",\"tags\":[1],"),
            ("{\"id\":\"123\",", "{\"id\":\"123\",\"id\":\"123\","),
            ("{\"id\":\"123\",", "{\"id\":\"123\",\"item_category\":\"x\","),
            ("\"price\":99.9", "\"price\":\"99.9\""),
            ("\"_session_number\":3", "\"_session_number\":\"3\""),
            ("\"_session_number\":3", "\"_session_number\":0"),
            ("\"_session_number\":3,", ""),
            ("\"_session_duration\":15349", "\"_session_duration\":-1"),
            ("\"_session_duration\":15349", "\"_session_duration\":15349.5"),
            ("E6C3BFAC-20230526-062238846", "E6C3BFAC-20230526-06223884"),
            ("\"_screen_name\":\"Detail\",", ""),
            ("\"_screen_name\":\"Detail\"", "\"_screen_name\":7"),
            ("\"_entrances\":0", "\"_entrances\":2"),
            ("\"_entrances\":0", "\"_entrances\":false"),
            ("\"_previous_timestamp\":1685082158999", "\"_previous_timestamp\":\"1685082158999\""),
            ("\"_engagement_time_msec\":12", "\"_engagement_time_msec\":0"),
            ("\"rate\":0.5", "\"rate\":1e999"),
            ("\"rate\":0.5", "\"rate\":null"),
            ("\"rate\":0.5", "\"rate\":[0.5]"),
            ("\"rate\":0.5", "\"rate\":{\"value\":0.5}"),
            ("\"rate\":0.5", "\"the rate\":0.5"),
            ("\"rate\":0.5", "\"on\":false"),
            ("\"rate\":0.5", "\"_error_code\":2001"),
            ("\"rate\":0.5", "\"_error_code\":7,\"_error_message\":\"\""),
            ("\"on\":true}}", "\"on\":true}"),
            ("\"on\":true}}", "\"on\":\"\\ud800\"}}"),
            ("\"on\":true}}", "\"on\":\"a\nb\"}}"),
            (sample, "[]"),
        ] as [(String, String)]
    )
    func broken(part: String, change: String) {
        #expect(Self.sample.contains(part))
        #expect(WireCheck.problems(of: Self.sample.replacingOccurrences(of: part, with: change)) != [])
    }
}
