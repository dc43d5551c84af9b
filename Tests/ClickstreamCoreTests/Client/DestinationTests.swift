import ClickstreamJudges
import ClickstreamSimulation
import Testing

@testable import ClickstreamCore

@Suite("Change of app id or endpoint")
struct DestinationTests {
    private static let other = "http://other.test/collect"

    /// Requests that arrived at the server with this endpoint: each one's app id and events.
    private func arrived(_ phone: Phone, at endpoint: String) -> [(app: String?, events: [RecordedEvent])] {
        phone.server.requests.filter { $0.url.hasPrefix(endpoint) }.map { request in
            let upload = ReceivedUpload(target: request.url, body: request.body)
            return (upload.query.appID, upload.recordedEvents)
        }
    }

    private func names(_ phone: Phone, at endpoint: String) -> [String] {
        arrived(phone, at: endpoint).flatMap(\.events).map(\.name)
    }

    private static let launch = ["_first_open", "_app_start", "_session_start"]

    // MARK: Endpoint

    @Test(
        "sends earlier events to the old endpoint and later ones to the new one; the session continues"
    )
    func endpoint() async throws {
        let phone = Phone()
        let client = try phone.launch { $0.authCookie = "old=1" }
        client.screen(name: "A")
        client.record("before")
        client.configure {
            $0.endpoint = Self.other
            $0.authCookie = "new=1"
        }
        client.record("after")
        let report = await client.flush()
        #expect(report.isComplete)
        #expect(report.sent == 6)
        #expect(names(phone, at: Phone.endpoint) == Self.launch + ["_screen_view", "before"])
        #expect(names(phone, at: Self.other) == ["after"])
        let cookies = phone.server.requests.map { request in
            "\(request.url.hasPrefix(Self.other)) \(request.headers.first { $0.name == "cookie" }?.value ?? "")"
        }
        #expect(Set(cookies) == ["false old=1", "true new=1"])
        let after = try #require(phone.log.events.last)
        #expect(after.session == 1)
        #expect(after["_screen_name"] == .string("A"))
        client.kill()
        // The state is the same, and so is the next process's session.
        try phone.launch().kill()
        #expect(phone.log.events.last?.session == 1)
        #expect(phone.log.events.last?.name == "_app_start")
        #expect(phone.log.all.warnings == [])
    }

    @Test("is not blocked by an old server that hangs or is down, which is retried with its own pauses")
    func oldServerIsAway() async throws {
        let phone = Phone(handler: { $0.url.hasPrefix(Phone.endpoint) ? .status(503) : nil })
        let client = try phone.launch()
        _ = await client.flush()
        client.record("before")
        client.configure { $0.endpoint = Self.other }
        client.record("after")
        var report = await client.flush()
        #expect(report.sent == 1)
        #expect(report.retained == 4)
        #expect(names(phone, at: Self.other) == ["after"])
        client.record("later")
        report = await client.flush()
        #expect(report.sent == 1)
        let attempts = phone.server.attempts.count { $0.url.hasPrefix(Phone.endpoint) }
        await phone.time.advance(milliseconds: 60_000)
        #expect(phone.server.attempts.count { $0.url.hasPrefix(Phone.endpoint) } > attempts)
        #expect(names(phone, at: Self.other) == ["after", "later"])
    }

    @Test("delivers to the new server while a request to the old one is in flight")
    func oldServerHangs() async throws {
        let phone = Phone(handler: { $0.url.hasPrefix(Phone.endpoint) ? .hold(.status(200)) : nil })
        let client = try phone.launch()
        client.flushEvents()
        await phone.settle()
        #expect(phone.server.heldCount == 1)
        client.configure { $0.endpoint = Self.other }
        client.record("after")
        let early = try await phone.moving { await client.flush(deadline: .seconds(1)) }
        #expect(early.sent == 1)
        #expect(early.retained == 3)
        #expect(names(phone, at: Self.other) == ["after"])
        phone.server.release()
        #expect(try await phone.moving { await client.flush() }.isComplete)
        #expect(names(phone, at: Phone.endpoint) == Self.launch)
        #expect(phone.server.requests.count == 2)
    }

    @Test("assigns events without a destination to the configured endpoint", arguments: ["", "nonsense"])
    func nowhere(endpoint: String) async throws {
        let phone = Phone()
        let client = try phone.launch { $0.endpoint = endpoint }
        client.configure { $0.endpoint = Self.other }
        client.record("after")
        #expect(await client.flush().sent == 4)
        #expect(names(phone, at: Self.other) == Self.launch + ["after"])
        #expect(!phone.disk.paths.contains { $0.contains("/runs/2/") })
    }

    @Test("needs no second queue if the first is empty")
    func emptyQueue() async throws {
        let phone = Phone()
        let client = try phone.launch()
        _ = await client.flush()
        client.configure { $0.endpoint = Self.other }
        client.record("after")
        #expect(await client.flush().sent == 1)
        #expect(names(phone, at: Self.other) == ["after"])
        #expect(!phone.disk.paths.contains { $0.contains("/runs/2/") })
    }

    @Test("sends remaining events after a restart to the endpoint configured then")
    func restart() async throws {
        let phone = Phone()
        let client = try phone.launch()
        client.configure { $0.endpoint = Self.other }
        client.record("after")
        client.kill()
        let next = try phone.launch { $0.endpoint = "http://third.test/" }
        #expect(await next.flush().isComplete)
        #expect(Set(names(phone, at: "http://third.test/")) == Set(Self.launch + ["after"]))
        #expect(phone.server.requests.allSatisfy { $0.url.hasPrefix("http://third.test/") })
    }

    @Test("keeps the endpoint if no second queue can be created, with a warning")
    func noCapacity() async throws {
        let phone = Phone()
        let client = try phone.launch()
        phone.disk.refuse([.createFolder], errno: 28)
        client.configure { $0.endpoint = Self.other }
        phone.disk.refuse([.createFolder], errno: nil)
        #expect(client.configuration.endpoint == Phone.endpoint)
        #expect(phone.log.all.codes == [.settingNotChanged])
        client.record("after")
        #expect(await client.flush().sent == 4)
        #expect(phone.server.requests.allSatisfy { $0.url.hasPrefix(Phone.endpoint) })
    }

    // MARK: App id

    @Test("terminates the app and launches the other: own store, own identity, own session, same globals")
    func appID() async throws {
        let phone = Phone()
        let client = try phone.launch { $0.globalAttributes = ["channel": "web"] }
        client.foreground()
        client.screen(name: "A")
        client.setUserID("carl")
        client.addGlobalAttributes(["theme": "dark"])
        await phone.time.advance(milliseconds: 2_000)
        _ = phone.log.take()
        client.configure { $0.appID = "other" }
        client.record("after")
        #expect(
            phone.log.all.outline == [
                "recorded _user_engagement", "recorded _app_end", "session 1 new", "recorded _first_open",
                "recorded _app_start", "recorded _session_start", "recorded after",
            ]
        )
        #expect(client.configuration.appID == "other")
        let events = phone.log.take().events
        let areOfOther: [Bool] = events.map { $0.text.contains("\"app_id\":\"other\"") }
        #expect(areOfOther == [false, false, true, true, true, true])
        let areOfCarl: [Bool] = events.map { $0.text.contains("carl") }
        #expect(areOfCarl == [true, true, false, false, false, false])
        #expect(events.allSatisfy { $0["channel"] == .string("web") && $0["theme"] == .string("dark") })
        #expect(events.suffix(4).allSatisfy { $0["_screen_name"] == nil })
        let report = await client.flush()
        #expect(report.isComplete)
        let requests = arrived(phone, at: Phone.endpoint)
        let apps: [String?] = requests.map(\.app)
        let sortedApps: [String?] = apps.sorted { (left: String?, right: String?) -> Bool in
            (left ?? "") < (right ?? "")
        }
        #expect(sortedApps == ["other", "shop"])
        for request in requests {
            let field: String = "\"app_id\":\"" + (request.app ?? "") + "\""
            #expect(request.events.allSatisfy { $0.text.contains(field) })
        }
        // Time on screen is counted on, and each app's next process goes on with its own.
        await phone.time.advance(milliseconds: 1_500)
        client.background()
        #expect(phone.log.take().events.map(\.name) == ["_user_engagement", "_app_end"])
        client.kill()
        try phone.launch().kill()
        #expect(phone.log.take().events.last.map { $0.text.contains("carl") && $0.session == 1 } == true)
        try phone.launch { $0.appID = "other" }.kill()
        #expect(phone.log.take().events.map(\.name) == ["_app_start"])
    }

    @Test("can be reverted without mixing, and each app's session continues")
    func backAndForth() async throws {
        let phone = Phone()
        let client = try phone.launch()
        for app in ["other", "shop", "other", "shop"] {
            client.configure { $0.appID = app }
            client.record("in_\(app)")
        }
        #expect(phone.log.events.allSatisfy { $0.session == 1 })
        #expect(phone.log.events.count { $0.name == "_first_open" } == 2)
        #expect(await client.flush().isComplete)
        for request in arrived(phone, at: Phone.endpoint) {
            let field: String = "\"app_id\":\"" + (request.app ?? "") + "\""
            #expect(request.events.allSatisfy { $0.text.contains(field) })
            #expect(request.events.allSatisfy { !$0.name.hasPrefix("in_") || $0.name == "in_\(request.app ?? "")" })
        }
        #expect(Set(phone.server.events.map(\.id)) == Set(phone.log.events.map(\.id)))
        #expect(phone.server.events.count == phone.log.events.count)
    }

    @Test("while recording is disabled, takes effect when it is enabled")
    func disabled() async throws {
        let phone = Phone()
        let client = try phone.launch()
        _ = phone.log.take()
        client.disable()
        client.configure { $0.appID = "other" }
        client.record("nothing")
        #expect(phone.log.all == [])
        client.enable()
        client.record("after")
        let events = phone.log.take().events
        let expected: [String] = ["_app_end"] + Self.launch + ["after"]
        #expect(events.map(\.name) == expected)
        #expect(events.map { $0.text.contains("\"app_id\":\"other\"") } == [false, true, true, true, true])
    }

    @Test(
        "launches the other app in its own store if the former one was erased while recording was disabled",
        arguments: [true, false]
    )
    func erasedBefore(isOpenable: Bool) throws {
        let phone = Phone()
        let client = try phone.launch()
        client.disable()
        client.configure {
            $0.appID = "other"
            $0.globalAttributes = ["channel": "store"]
        }
        client.eraseAll()
        if !isOpenable { phone.disk["/data/other/foreign"] = [1] }
        client.enable()
        client.record("after")
        let app = isOpenable ? "other" : "shop"
        #expect(client.configuration.appID == app)
        let written = phone.disk.paths.filter { $0.hasSuffix(".events") && phone.disk[$0]?.isEmpty == false }
        #expect(written.allSatisfy { $0.hasPrefix("/data/\(app)/") }, "\(written)")
        let events = phone.records().map(\.event)
        #expect(events.map(\.name) == Self.launch + ["after"])
        #expect(events.allSatisfy { $0.text.contains("\"app_id\":\"\(app)\"") })
        #expect(events.last?["channel"] == .string("store"))
        client.kill()
        // The erased app begins as a new installation.
        _ = phone.log.take()
        try phone.launch().kill()
        #expect(phone.log.events.first?.name == (isOpenable ? "_first_open" : "_app_start"))
    }

    @Test("launches no other app after an erasure while consent is denied", arguments: [false, true])
    func erasedWithoutConsent(isDisabled: Bool) throws {
        let phone = Phone()
        let client = try phone.launch()
        if isDisabled { client.disable() }
        client.setConsent(.denied, for: .analytics)
        client.configure { $0.appID = "other" }
        _ = phone.log.take()
        client.eraseAll()
        client.enable()
        client.record("denied")
        #expect(phone.records().isEmpty)
        #expect(phone.log.events.isEmpty)
        client.setConsent(.granted, for: .analytics)
        client.configure { $0.sendInterval = .seconds(9) }
        client.record("granted")
        let app = { (event: RecordedEvent) in event.text.contains("\"app_id\":\"other\"") ? "other" : "shop" }
        #expect(phone.log.events.last.map(app) == "other")
        let folders = phone.disk.paths.filter { $0.hasSuffix(".events") && phone.disk[$0]?.isEmpty == false }
        #expect(folders.contains { $0.hasPrefix("/data/other/") }, "\(folders)")
        client.kill()
    }

    @Test("keeps the app if the other's store cannot be opened, with a warning")
    func noStore() throws {
        let phone = Phone()
        let client = try phone.launch()
        _ = phone.log.take()
        phone.disk["/data/other/foreign"] = [1]
        client.configure { $0.appID = "other" }
        client.record("after")
        #expect(client.configuration.appID == "shop")
        #expect(phone.log.all.outline == ["warning", "recorded after"])
        #expect(phone.log.events.last?.text.contains("\"app_id\":\"shop\"") == true)
    }

    @Test("applies the other keys of a change whose app id is refused")
    func otherKeysOfRefusedApp() async throws {
        let phone = Phone()
        let client = try phone.launch()
        client.addUserAttributes(["plan": "gold"])
        phone.disk["/data/other/foreign"] = [1]
        client.configure {
            $0.appID = "other"
            $0.endpoint = Self.other
            $0.sampling = ["rare": 0]
            $0.sendsUserAttributesInEveryEvent = false
            $0.globalAttributes = ["channel": "store"]
        }
        client.record("rare")
        client.record("after")
        #expect(client.configuration.appID == "shop")
        #expect(phone.log.all.codes.count { $0 == .settingNotChanged } == 1)
        #expect(phone.log.all.warnings.count { $0.hasPrefix("The app id stays \"shop\": ") } == 1)
        #expect(client.ledger.ledger[.sampledOut] == 1)
        let after = try #require(phone.log.events.last)
        #expect(after.name == "after" && after["channel"] == .string("store"))
        #expect(!after.text.contains("gold"))
        #expect(await client.flush().isComplete)
        #expect(names(phone, at: Self.other) == ["after"])
        #expect(arrived(phone, at: Self.other).map(\.app) == ["shop"])
    }

    @Test("enables recording if the app id that was changed meanwhile is refused", arguments: ["shop", "other"])
    func enabledWithRefusedApp(app: String) async throws {
        let phone = Phone()
        let client = try phone.launch()
        client.foreground()
        client.screen(name: "A")
        phone.disk["/data/other/foreign"] = [1]
        client.disable()
        client.configure { $0.appID = app }
        client.addUserAttributes(["plan": "gold"])
        await phone.time.advance(milliseconds: 10_000)
        _ = phone.log.take()
        client.enable()
        await phone.time.advance(milliseconds: 2_000)
        client.screen(name: "B")
        #expect(client.configuration.appID == "shop")
        let events = phone.log.all.events
        #expect(events.map(\.name) == ["_profile_set", "_user_engagement", "_screen_view"])
        #expect(events.dropFirst().first?["_engagement_time_msec"] == .number(JSONNumber(integer: 2_000)))
    }

    // MARK: Any order

    @Test(
        "never mixes, loses or duplicates events for any order of changes and failures",
        arguments: 1...12 as ClosedRange<UInt64>
    )
    func anyOrder(seed: UInt64) async throws {
        let failing = Locked(SeededGenerator(seed: seed &+ 99))
        let phone = Phone(
            seed: seed,
            handler: { _ in failing.withLock { Int.random(in: 0..<3, using: &$0) } == 0 ? .status(503) : nil }
        )
        var random = SeededGenerator(seed: seed)
        let apps = ["shop", "other", "third"]
        let endpoints = [Phone.endpoint, Self.other, "http://third.test/collect"]
        let client = try phone.launch()
        var expected: [String: String] = [:]
        for event in phone.log.take().events { expected[event.id] = Phone.endpoint }
        for _ in 0..<60 {
            let before = client.configuration
            switch Int.random(in: 0..<8, using: &random) {
            case 0:
                let app = apps[Int.random(in: 0..<3, using: &random)]
                client.configure { $0.appID = app }
            case 1:
                let endpoint = endpoints[Int.random(in: 0..<3, using: &random)]
                client.configure { $0.endpoint = endpoint }
            case 2: _ = await client.flush()
            case 3: await phone.time.advance(milliseconds: 5_000)
            default: client.record("tap")
            }
            let now = client.configuration
            let events = phone.log.take().events
            for event in events {
                let isOld = before.appID != now.appID && event.text.contains("\"app_id\":\"\(before.appID)\"")
                expected[event.id] = isOld ? before.endpoint : now.endpoint
            }
        }
        let report = try await phone.moving { await client.flush(deadline: .seconds(3_600)) }
        #expect(report.isComplete)
        var arrivals: [String: String] = [:]
        for request in phone.server.requests {
            let upload = ReceivedUpload(target: request.url, body: request.body)
            for event in upload.recordedEvents {
                #expect(event.text.contains("\"app_id\":\"\(upload.query.appID ?? "")\""))
                arrivals[event.id] = endpoints.first { request.url.hasPrefix($0 + "?") }
            }
        }
        #expect(arrivals == expected)
        #expect(phone.log.all.warnings == [])
    }

    @Test("applies the limits to all destinations together: former ones are older, and are evicted first")
    func caps() async throws {
        let phone = Phone()
        let client = try phone.launch { $0.maxStoreEvents = 32 }
        for index in 0..<20 { client.record("old\(index)") }
        client.configure { $0.endpoint = Self.other }
        for index in 0..<30 { client.record("new\(index)") }
        let (ledger, pending) = client.ledger
        #expect(pending <= 32)
        #expect(ledger.recorded == 53 && ledger[.evictedForCount] == 53 - pending)
        #expect(await client.flush().isComplete)
        #expect(names(phone, at: Self.other) == (0..<30).map { "new\($0)" })
        #expect(names(phone, at: Phone.endpoint).allSatisfy { $0.hasPrefix("old") })
        let evicted = phone.log.all.outline.compactMap { $0.hasPrefix("evicted ") ? Int($0.dropFirst(8)) : nil }
        #expect(evicted.reduce(0, +) == ledger[.evictedForCount])
    }
}
