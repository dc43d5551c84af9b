import Clickstream
import ClickstreamCore
import ClickstreamSimulation
import Testing

/// Notices received by an observer.
private final class Heard: Sendable {
    let lines = Locked<[JSONValue]>([])
    let warnings = Locked<[Notice.Warning]>([])

    func take(_ notice: Notice) {
        switch notice {
        case .recorded(_, _, let line, _):
            do {
                let value = try JSONReader.parse(line)
                lines.withLock { $0.append(value) }
            } catch {
                Issue.record("a recorded line is no JSON: \(error)")
            }
        case .warning(let warning):
            warnings.withLock { $0.append(warning) }
        default:
            break
        }
    }
}

/// The facade has one client for the process: its tests run one after the other.
@Suite("ClickstreamAnalytics", .serialized)
final class ClickstreamAnalyticsTests {
    private let files = MemoryFileSystem()
    private let time: VirtualTime
    private let server: ScriptedServer
    private let heard = Heard()

    init() {
        time = VirtualTime(start: Timestamp(milliseconds: 1_700_000_000_000))
        server = ScriptedServer(time: time)
    }

    deinit {
        ClickstreamAnalytics.shutdown()
    }

    private func start(_ change: (inout ClickstreamClient.Configuration) -> Void = { _ in }) throws {
        var configuration = ClickstreamClient.Configuration(appID: "facade", endpoint: "http://127.0.0.1:1/collect")
        change(&configuration)
        try ClickstreamAnalytics.initSDK(
            configuration,
            device: ClickstreamClient.Device(platform: "Linux"),
            storage: "/stores",
            dependencies: ClickstreamClient.Dependencies(
                time: time,
                ids: SeededIDs(seed: 1),
                files: files,
                transport: server
            )
        ) { [heard] in heard.take($0) }
    }

    private var names: [String] { heard.lines.withLock { $0.map { $0["event_type"]?.string ?? "" } } }

    private func event(_ name: String) -> JSONValue? {
        heard.lines.withLock { $0.last { $0["event_type"]?.string == name } }
    }

    @Test("calls before initSDK are queued and recorded after the launch events, with their original time (P1)")
    func heldCalls() throws {
        let before = SystemTime().now().wall
        ClickstreamAnalytics.recordEvent("early", ["n": 1])
        ClickstreamAnalytics.setUserId("carl")
        ClickstreamAnalytics.addGlobalAttributes(["channel": "store"])
        ClickstreamAnalytics.recordEvent("later")
        try start()
        #expect(names == ["_first_open", "_app_start", "_session_start", "early", "_profile_set", "later"])
        let timestamp = event("early")?["timestamp"]?.integer ?? 0
        #expect(timestamp >= before.milliseconds)
        #expect(event("early")?["attributes"]?["n"]?.integer == 1)
        #expect(event("early")?["attributes"]?["channel"] == nil)
        #expect(event("later")?["attributes"]?["channel"]?.string == "store")
        #expect(event("later")?["user"]?["_user_id"]?["value"]?.string == "carl")
    }

    @Test("at most the oldest thousand calls are queued; a loss is counted and reported")
    func tooManyHeld() throws {
        for number in 0..<1_005 { ClickstreamAnalytics.recordEvent("early", ["n": number]) }
        try start()
        let numbers = heard.lines.withLock { $0.compactMap { $0["attributes"]?["n"]?.integer } }
        #expect(numbers == Array(0..<1_000))
        let loss = Notice.Warning(.callsLost, "5 calls before initSDK were lost: at most 1000 are held.")
        #expect(heard.warnings.withLock { $0 } == [loss])
    }

    @Test("every form of recordEvent records")
    func forms() throws {
        try start()
        let item: ClickstreamAttribute = [ClickstreamAnalytics.Item.ITEM_ID: 123]
        ClickstreamAnalytics.recordEvent("one")
        ClickstreamAnalytics.recordEvent("two", ["a": 1])
        ClickstreamAnalytics.recordEvent("three", ["a": 1], [item])
        ClickstreamAnalytics.recordEvent(eventName: "four")
        ClickstreamAnalytics.recordEvent(eventName: "five", attributes: ["a": true])
        #expect(names.suffix(5) == ["one", "two", "three", "four", "five"])
        #expect(event("three")?["items"]?.array?.first?["id"]?.integer == 123)
        #expect(event("five")?["attributes"]?["a"]?.boolean == true)
    }

    @Test("a second initSDK throws a descriptive error, and the first client continues")
    func second() throws {
        try start()
        #expect(throws: InitError.alreadyRunning) { try start() }
        ClickstreamAnalytics.recordEvent("still_here")
        #expect(names.last == "still_here")
    }

    @Test("after a shutdown no call traps, and the SDK can be started again")
    func restart() throws {
        try start()
        ClickstreamAnalytics.shutdown()
        #expect(names.last == "_app_end")
        ClickstreamAnalytics.recordEvent("between")
        try start()
        #expect(names.suffix(2) == ["_app_start", "between"])
    }

    @Test("without a client the configuration throws, a flush is empty, switches have no effect")
    func withoutClient() async {
        #expect(throws: InitError.notRunning) { _ = try ClickstreamAnalytics.getClickstreamConfiguration() }
        ClickstreamAnalytics.flushEvents()
        #expect(await ClickstreamAnalytics.flush() == FlushReport())
        ClickstreamAnalytics.disable()
        ClickstreamAnalytics.enable()
    }

    @Test("globals, user attributes, screens and switches reach the events")
    func calls() throws {
        try start()
        ClickstreamAnalytics.addGlobalAttributes(["level": 5.1, "class": 6])
        ClickstreamAnalytics.deleteGlobalAttributes("level", "missing")
        ClickstreamAnalytics.addUserAttributes(["_user_age": 21, "_user_name": "carl"])
        ClickstreamAnalytics.foreground()
        ClickstreamAnalytics.screen(name: "Home", id: "Shop/Home", uniqueID: "1")
        ClickstreamAnalytics.recordEvent(
            ClickstreamAnalytics.EventName.SCREEN_VIEW,
            [ClickstreamAnalytics.Attr.SCREEN_NAME: "Cart", ClickstreamAnalytics.Attr.SCREEN_UNIQUE_ID: "2"]
        )
        ClickstreamAnalytics.disable()
        ClickstreamAnalytics.recordEvent("unheard")
        ClickstreamAnalytics.enable()
        ClickstreamAnalytics.recordEvent("heard")
        #expect(names.suffix(4) == ["_profile_set", "_screen_view", "_screen_view", "heard"])
        #expect(event("heard")?["attributes"]?["class"]?.integer == 6)
        #expect(event("heard")?["attributes"]?["level"] == nil)
        #expect(event("heard")?["attributes"]?["_screen_name"]?.string == "Cart")
        #expect(event("heard")?["user"]?["_user_age"]?["value"]?.integer == 21)
    }

    @Test("changing the running configuration changes the client at once, chained or by property")
    func configuration() throws {
        try start()
        let configuration = try ClickstreamAnalytics.getClickstreamConfiguration()
        configuration.withEndpoint("http://127.0.0.1:2/collect").withCompressEvents(false).withTrackScreenViewEvents(
            false
        )
        configuration.sessionTimeoutDuration = 5
        configuration.authCookie = "cookie"
        #expect(configuration.endpoint == "http://127.0.0.1:2/collect")
        #expect(configuration.isCompressEvents == false)
        #expect(configuration.sessionTimeoutDuration == 5)
        ClickstreamAnalytics.screen(name: "Home")
        #expect(!names.contains("_screen_view"))
        configuration.withAppId("other")
        #expect(configuration.appId == "other")
        #expect(names.suffix(4) == ["_app_end", "_first_open", "_app_start", "_session_start"])
        #expect(event("_first_open")?["app_id"]?.string == "other")
    }

    @Test("a flush delivers queued events, and reports them")
    func flush() async throws {
        try start()
        ClickstreamAnalytics.recordEvent("sent")
        let report = await ClickstreamAnalytics.flush()
        #expect(report.sent == 4)
        #expect(report.isComplete)
        #expect(server.requests.count == 1)
    }
}

@Suite("ClickstreamConfiguration")
struct ClickstreamConfigurationTests {
    @Test("sets chained options in any spelling, and keeps the others")
    func chained() {
        let configuration = ClickstreamConfiguration()
            .withAppId("your appId")
            .withEndpoint("https://example.com/collect")
            .withLogEvents(true)
            .withCompressEvents(false)
            .withSendEventInterval(1)
            .withSendEventsInterval(20_000)
            .withSessionTimeoutDuration(60_000)
            .withTrackScreenViewEvents(false)
            .withTrackUserEngagementEvents(false)
            .withTrackAppExceptionEvents(true)
            .withAuthCookie("cookie")
            .withInitialGlobalAttributes(["a": 1])
            .with(\.storageDirectory, "/somewhere")
        var expected = ClickstreamClient.Configuration(appID: "your appId", endpoint: "https://example.com/collect")
        expected.logsEvents = true
        expected.compressesEvents = false
        expected.sendInterval = .seconds(20)
        expected.sessionTimeout = .seconds(60)
        expected.tracksScreenViews = false
        expected.tracksUserEngagement = false
        expected.tracksExceptions = true
        expected.authCookie = "cookie"
        expected.globalAttributes = ["a": 1]
        expected.storageFolder = "/somewhere"
        #expect(configuration.applied(to: ClickstreamClient.Configuration(appID: "")) == expected)
        #expect(configuration.isLogEvents && configuration.sendEventsInterval == 20_000)
        #expect(!configuration.isTrackScreenViewEvents && !configuration.isTrackUserEngagementEvents)
        #expect(configuration.isTrackAppExceptionEvents && configuration.authCookie == "cookie")
        #expect(configuration.globalAttributes == ["a": 1] && configuration.appId == "your appId")
    }

    @Test("keeps the values of other sources for options that are not set")
    func layered() {
        var others = ClickstreamClient.Configuration(appID: "file", endpoint: "http://file/collect")
        others.sendInterval = .milliseconds(7)
        let result = ClickstreamConfiguration().withAppId("code").applied(to: others)
        #expect(result.appID == "code")
        #expect(result.endpoint == "http://file/collect")
        #expect(result.sendInterval == .milliseconds(7))
    }
}

@Suite("Host")
struct HostTests {
    @Test(
        "stores its data in the platform's folder for state",
        arguments: [
            (["XDG_STATE_HOME": "/state", "HOME": "/home/a"], "/state/clickstream"),
            (["XDG_STATE_HOME": "relative", "HOME": "/home/a"], "/home/a/.local/state/clickstream"),
            (["HOME": "/home/a"], "/home/a/.local/state/clickstream"),
            (["XDG_STATE_HOME": "/state\n", "HOME": "/home/a"], "/state/clickstream"),
            (["XDG_STATE_HOME": " \t/my state\u{A0}\r\n"], "/my state/clickstream"),
            (["XDG_STATE_HOME": "\n", "HOME": " /home/a\n"], "/home/a/.local/state/clickstream"),
        ]
    )
    func stateFolder(environment: [String: String], folder: String) {
        #expect(Host.stateFolder(environment: environment) == folder)
    }

    @Test("throws without an app id, or with an invalid endpoint")
    func refusals() {
        #expect(throws: InitError.self) { try Host(ClickstreamConfiguration(), environment: [:], folders: []) }
        #expect(throws: InitError.self) {
            try Host(ClickstreamConfiguration().withAppId("a").withEndpoint("ftp://example.com"))
        }
    }

    @Test("warns of a missing endpoint, and keeps the store in the configured folder")
    func warnings() throws {
        let host = try Host(ClickstreamConfiguration().withAppId("a").with(\.storageDirectory, "/somewhere"))
        #expect(host.storage == "/somewhere")
        #expect(host.warnings.map(\.code) == [.endpointMissing])
        #expect(host.warnings.first?.message.hasSuffix("Events are kept in /somewhere until then") == true)
    }
}
