import ClickstreamSimulation
import Testing

@testable import ClickstreamCore

/// Effects of a change of the configuration on a running client, key by key.
@Suite("Configuration of a running client")
struct ConfigurationChangeTests {
    /// Keys that stay as they were at the launch.
    static let fixed = ConfigurationKeyTests.settings.filter(\.isFixed)

    /// Keys whose change takes effect at once; the tests below check the effects. Where events go, `appId` and `endpoint`, is
    /// the subject of the tests of destinations.
    static let live = ConfigurationKeyTests.settings.filter { !$0.isFixed && !["appId", "endpoint"].contains($0.name) }

    private let recorder = ClickstreamTestRecorder()

    @Test("keeps settings of the launch, with a warning", arguments: fixed)
    func keeps(setting: KeySetting) throws {
        let client = try recorder.launch()
        let before = client.configuration
        client.configure(setting.change)
        #expect(client.configuration == before)
        #expect(recorder.warnings == ["'\(setting.name)' cannot change while a client runs: set it before the launch."])
        client.record("later")
        try recorder.expectEvent("later")
    }

    @Test("takes every other setting, without a warning", arguments: live)
    func takes(setting: KeySetting) throws {
        let client = try recorder.launch()
        var expected = client.configuration
        setting.change(&expected)
        client.configure(setting.change)
        #expect(client.configuration == expected)
        #expect(recorder.warnings == [])
    }

    @Test("changes other settings together with a fixed one")
    func both() throws {
        let client = try recorder.launch()
        client.configure {
            $0.maxStoreBytes = 1
            $0.maxEventAge = .milliseconds(1)
            $0.sessionTimeout = .milliseconds(5)
        }
        #expect(client.configuration.sessionTimeout == .milliseconds(5))
        #expect(client.configuration.maxStoreBytes == 52_428_800)
        #expect(
            recorder.warnings == [
                "'maxStoreBytes', 'maxEventAge' cannot change while a client runs: set it before the launch."
            ]
        )
    }

    @Test("changes compression, cookie and timeouts from the next request on")
    func requests() async throws {
        let client = try recorder.launch()
        client.record("one")
        _ = await client.flush()
        client.configure {
            $0.compressesEvents = false
            $0.authCookie = "session=1"
            $0.connectTimeout = .milliseconds(11)
            $0.requestTimeout = .milliseconds(12)
        }
        client.record("two")
        _ = await client.flush()
        let requests = recorder.server.requests
        #expect(requests.map { $0.url.contains("compression=gzip") } == [true, false])
        #expect(requests.map { $0.headers.first { $0.name == "cookie" }?.value } == [nil, "session=1"])
        #expect(requests.map(\.connectTimeout) == [Duration.seconds(15), .milliseconds(11)])
        #expect(requests.map(\.requestTimeout) == [Duration.seconds(15), .milliseconds(12)])
    }

    @Test("changes the batch size from the next request on")
    func batches() async throws {
        let client = try recorder.launch { $0.compressesEvents = false }
        client.configure { $0.maxBatchBytes = 1 }
        _ = await client.flush()
        #expect(recorder.server.requests.count == 3)
    }

    @Test("a shorter interval applies at once, also to the pending flush, and 0 cancels it")
    func interval() async throws {
        let client = try recorder.launch { $0.sendInterval = .seconds(3_600) }
        await recorder.advance(by: .seconds(1))
        client.configure { $0.sendInterval = .seconds(2) }
        await recorder.advance(by: .milliseconds(1_999))
        #expect(recorder.delivered.isEmpty)
        await recorder.advance(by: .milliseconds(1))
        #expect(recorder.delivered.count == 3)
        client.record("kept")
        client.configure { $0.sendInterval = .zero }
        await recorder.advance(by: .seconds(86_400))
        #expect(recorder.delivered.count == 3)
    }

    @Test("changes tracking at once")
    func tracking() async throws {
        let client = try recorder.launch()
        client.configure { $0.tracksScreenViews = false }
        client.screen(name: "unseen")
        client.configure {
            $0.tracksScreenViews = true
            $0.tracksUserEngagement = false
        }
        client.screen(name: "seen")
        await recorder.advance(by: .seconds(5))
        client.screen(name: "next")
        client.configure { $0.tracksUserEngagement = true }
        await recorder.advance(by: .seconds(5))
        client.background()
        #expect(recorder.events(named: "_screen_view").map { $0["_screen_name"] } == ["seen", "next"])
        #expect(recorder.events(named: "_user_engagement").map { $0["_screen_name"] } == ["next"])
    }

    @Test("changes exception tracking at once", arguments: [true, false])
    func exceptions(isTracked: Bool) throws {
        let client = try recorder.launch { $0.tracksExceptions = !isTracked }
        client.configure { $0.tracksExceptions = isTracked }
        client.crash(message: "out of range", stack: "main")
        _ = try recorder.launch()
        try recorder.expectEvent("_app_exception", count: .exactly(isTracked ? 1 : 0))
    }

    @Test("changes the session timeout with the next return")
    func sessionTimeout() async throws {
        let client = try recorder.launch()
        client.configure { $0.sessionTimeout = .seconds(1) }
        client.background()
        await recorder.advance(by: .seconds(1))
        client.foreground()
        #expect(recorder.events.last?.sessionNumber == 2)
    }

    @Test("changes global and user attributes with the next event")
    func attributes() throws {
        let client = try recorder.launch()
        client.addUserAttributes(["plan": "gold"])
        client.record("before")
        client.configure {
            $0.globalAttributes = ["channel": "store", "bad name": 1]
            $0.sendsUserAttributesInEveryEvent = false
        }
        client.record("after")
        let (before, after) = (recorder.events(named: "before")[0], recorder.events(named: "after")[0])
        #expect(before["channel"] == nil && after["channel"] == "store")
        #expect(before.user["plan"] == "gold" && after.user["plan"] == nil)
        try recorder.expectEvent("_clickstream_error", count: .exactly(1)) { $0.error == .attributeNameInvalid }
    }

    @Test("runs the closure without the client's lock: it may record events and change the configuration itself")
    func reentrant() throws {
        let client = try recorder.launch()
        client.configure { changed in
            client.record("asked", attributes: ["timeout": client.configuration.sessionTimeout.wholeMilliseconds])
            client.configure { $0.sessionTimeout = .seconds(7) }
            changed.sendInterval = .seconds(9)
        }
        #expect(client.configuration.sessionTimeout == .seconds(7))
        #expect(client.configuration.sendInterval == .seconds(9))
        // Again on the configuration that it has changed.
        #expect(recorder.events(named: "asked").map { $0["timeout"] } == [1_800_000, 7_000])
        client.configure { changed in
            client.configure { $0.maxBatchBytes += 1 }
            changed.sendInterval = .seconds(8)
        }
        #expect(client.configuration.sendInterval == .seconds(8))
    }

    @Test("runs the closure once if nothing else changes, also on a value that does not equal itself")
    func notANumber() throws {
        let client = try recorder.launch()
        client.configure { $0.globalAttributes = ["ratio": Double.nan] }
        var runs = 0
        client.configure {
            runs += 1
            $0.sendInterval = .seconds(9)
        }
        #expect(runs == 1)
    }

    @Test("loses no change of several threads")
    func concurrent() async throws {
        let client = try recorder.launch()
        let before = client.configuration.maxBatchBytes
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<50 { client.configure { $0.maxBatchBytes += 1 } }
                }
            }
        }
        #expect(client.configuration.maxBatchBytes == before + 400)
    }

    @Test(
        "rejects an invalid cookie, and never prints it",
        arguments: ["a\nb", "a\r\nX: y", "\u{0}"]
    )
    func badCookie(cookie: String) async throws {
        let refusal =
            "'authCookie' must not contain line breaks or other control characters. "
        let client = try recorder.launch { $0.authCookie = cookie }
        #expect(client.configuration.authCookie == nil)
        #expect(recorder.warnings == [refusal + "Requests go without it."])
        recorder.forget()
        client.configure { $0.authCookie = "good=1" }
        client.configure { $0.authCookie = cookie }
        #expect(client.configuration.authCookie == "good=1")
        #expect(recorder.warnings == [refusal + "The former one, if any, stays."])
        _ = await client.flush()
        #expect(recorder.server.requests.map { $0.headers.first { $0.name == "cookie" }?.value } == ["good=1"])
    }
}
