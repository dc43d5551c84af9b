import Clickstream
import ClickstreamCore
import ClickstreamSimulation
import Foundation
import Testing

/// The static API over a simulated device; each test has an SDK of its own.
@Suite("The facade")
struct FacadeTests {
    private let recorder = ClickstreamTestRecorder()
    private let launchEvents = ["_first_open", "_app_start", "_session_start"]

    // MARK: Names

    @Test("has the published names, which map to those on the wire")
    func names() {
        typealias Attr = ClickstreamAnalytics.Attr
        typealias Item = ClickstreamAnalytics.Item
        #expect(ClickstreamAnalytics.EventName.SCREEN_VIEW == "_screen_view")
        #expect(
            [
                Attr.SCREEN_NAME, Attr.SCREEN_ID, Attr.SCREEN_UNIQUE_ID, Attr.TRAFFIC_SOURCE_SOURCE,
                Attr.TRAFFIC_SOURCE_MEDIUM, Attr.TRAFFIC_SOURCE_CAMPAIGN, Attr.TRAFFIC_SOURCE_CAMPAIGN_ID,
                Attr.TRAFFIC_SOURCE_TERM, Attr.TRAFFIC_SOURCE_CONTENT, Attr.TRAFFIC_SOURCE_CLID,
                Attr.TRAFFIC_SOURCE_CLID_PLATFORM, Attr.APP_INSTALL_CHANNEL, Attr.VALUE, Attr.CURRENCY,
            ] == [
                "_screen_name", "_screen_id", "_screen_unique_id", "_traffic_source_source",
                "_traffic_source_medium", "_traffic_source_campaign", "_traffic_source_campaign_id",
                "_traffic_source_term", "_traffic_source_content", "_traffic_source_clid",
                "_traffic_source_clid_platform", "_app_install_channel", "_value", "_currency",
            ]
        )
        let items = [
            Item.ITEM_ID, Item.ITEM_NAME, Item.ITEM_BRAND, Item.CURRENCY, Item.PRICE, Item.QUANTITY,
            Item.CREATIVE_NAME, Item.CREATIVE_SLOT, Item.LOCATION_ID, Item.ITEM_CATEGORY, Item.ITEM_CATEGORY2,
            Item.ITEM_CATEGORY3, Item.ITEM_CATEGORY4, Item.ITEM_CATEGORY5,
        ]
        #expect(
            items == [
                "id", "name", "brand", "currency", "price", "quantity", "creative_name", "creative_slot",
                "location_id", "category", "category2", "category3", "category4", "category5",
            ]
        )
        #expect(items == ItemName.preset)
    }

    @Test("accepts literals with variables of every type, in events, globals, users and items")
    func variables() throws {
        let (name, count, large, price, flag) = ("shoes", 2, Int64.max, 279.9, true)
        let exact = try #require(Decimal(string: "12.50"))
        try ClickstreamAnalytics.isolated(in: recorder.world) {
            try ClickstreamAnalytics.initSDK()
            ClickstreamAnalytics.addGlobalAttributes(["g": name])
            ClickstreamAnalytics.addUserAttributes(["u": count])
            ClickstreamAnalytics.recordEvent(
                "buy",
                ["name": name, "count": count, "large": large, "price": price, "flag": flag, "exact": exact, "n": 1],
                [["id": large, "price": exact], [ClickstreamAnalytics.Item.ITEM_ID: name, "quantity": count]]
            )
        }
        let event = try #require(recorder.events(named: "buy").first)
        #expect(event["name"] == name && event["count"] == count && event["large"] == large)
        #expect(event["price"] == price && event["flag"] == flag && event["exact"] == 12.5 && event["n"] == 1)
        #expect(event["g"] == "shoes" && event.user["u"] == 2)
        #expect(event.items == [["id": AttributeValue.integer(.max), "price": 12.5], ["id": "shoes", "quantity": 2]])
        try recorder.expectNoViolations()
    }

    @Test("accepts an item with all fourteen preset names and ten others, but not eleven")
    func fullItem() throws {
        var item = Attributes(ItemName.preset.map { ($0, .string("x")) })
        for number in 0..<10 { item["custom\(number)"] = number }
        var tooFull = item
        tooFull["one_more"] = 1
        try ClickstreamAnalytics.isolated(in: recorder.world) {
            try ClickstreamAnalytics.initSDK()
            ClickstreamAnalytics.recordEvent("view", [:], [item, tooFull])
        }
        try recorder.expectEvent("view") { $0.items == [item] && $0.error == .itemAttributesTooMany }
    }

    @Test("has the labeled forms of early versions")
    func labelled() throws {
        try ClickstreamAnalytics.isolated(in: recorder.world) {
            try ClickstreamAnalytics.initSDK()
            ClickstreamAnalytics.addGlobalAttributes(attributes: ["a": 1, "b": 2, "c": 3])
            ClickstreamAnalytics.deleteGlobalAttributes(attributes: "a", "b")
            ClickstreamAnalytics.setUserId(userId: "carl")
            ClickstreamAnalytics.addUserAttributes(attributes: ["plan": "gold"])
            ClickstreamAnalytics.recordEvent(eventName: "last")
            let configuration: ClickstreamContextConfiguration = try ClickstreamAnalytics.getClickstreamConfiguration()
            #expect(configuration.appId == "test_app")
        }
        let event = try #require(recorder.events.last)
        #expect(event["a"] == nil && event["b"] == nil && event["c"] == 3)
        #expect(event.user["_user_id"] == "carl" && event.user["plan"] == "gold")
    }

    // MARK: Start

    @Test("describes a second and a missing initSDK with cause and remedy")
    func startErrors() throws {
        try ClickstreamAnalytics.isolated(in: recorder.world) {
            #expect(throws: InitError.notRunning) { _ = try ClickstreamAnalytics.getClickstreamConfiguration() }
            try ClickstreamAnalytics.initSDK()
            #expect(throws: InitError.alreadyRunning) {
                try ClickstreamAnalytics.initSDK(ClickstreamConfiguration().withAppId("other"))
            }
            #expect(throws: InitError.alreadyRunning) {
                try ClickstreamAnalytics.initSDK(ClickstreamConfiguration().withEndpoint("no URL"))
            }
            ClickstreamAnalytics.recordEvent("still_here")
        }
        #expect(recorder.names == launchEvents + ["still_here"])
        #expect(
            InitError.alreadyRunning.description
                == "initSDK was called, but the SDK runs already since an earlier call. Call it once for the process; change"
                + " what runs through getClickstreamConfiguration(), or make a ClickstreamClient for another app."
        )
        #expect(
            InitError.notRunning.description
                == "The configuration was asked for, but the SDK does not run yet. Call ClickstreamAnalytics.initSDK()"
                + " first."
        )
    }

    @Test("keeps queued calls if a start fails, for the next one")
    func failedStart() throws {
        try ClickstreamAnalytics.isolated(in: recorder.world) {
            ClickstreamAnalytics.recordEvent("early")
            #expect(throws: InitError.self) {
                try ClickstreamAnalytics.initSDK(ClickstreamConfiguration().withAppId(""))
            }
            #expect(throws: InitError.self) {
                try ClickstreamAnalytics.initSDK(ClickstreamConfiguration().withEndpoint("ftp://a"))
            }
            for attempt in 1...3 {
                recorder.disk.inject(.fail(errno: 5), at: .operation(recorder.disk.operations + attempt))
            }
            #expect(throws: StoreError.self) { try ClickstreamAnalytics.initSDK() }
            try ClickstreamAnalytics.initSDK()
        }
        #expect(recorder.names == launchEvents + ["early"])
    }

    @Test("queues every kind of call, in order, with its time, and a flush (P1)")
    func held() async throws {
        try await ClickstreamAnalytics.isolated(in: recorder.world) {
            ClickstreamAnalytics.addGlobalAttributes(["channel": "store"])
            ClickstreamAnalytics.recordEvent("first")
            await recorder.advance(by: .seconds(3))
            ClickstreamAnalytics.deleteGlobalAttributes("channel")
            ClickstreamAnalytics.setUserId("carl")
            ClickstreamAnalytics.screen(name: "Home")
            ClickstreamAnalytics.flushEvents()
            await recorder.advance(by: .seconds(3))
            try ClickstreamAnalytics.initSDK()
            await recorder.advance()
        }
        #expect(recorder.names == launchEvents + ["first", "_profile_set", "_screen_view"])
        let times: [Int64] = recorder.events.map(\.timestamp.milliseconds)
        let start: Int64 = times[0]
        let offsets: [Int64] = times.map { (time: Int64) -> Int64 in time - start }
        #expect(offsets == [0, 0, 0, -6_000, -3_000, -3_000])
        #expect(recorder.events[3]["channel"] == "store" && recorder.events[4]["channel"] == nil)
        #expect(recorder.events[3]["_session_duration"] == 0)
        #expect(recorder.delivered.map(\.name) == recorder.names)
    }

    @Test("starts once with concurrent callers, and loses none of their calls")
    func concurrent() async throws {
        let recorder = recorder
        let failures = try await ClickstreamAnalytics.isolated(in: recorder.world) {
            try await withThrowingTaskGroup(of: Int.self) { group in
                for task in 0..<8 {
                    group.addTask {
                        for number in 0..<50 { ClickstreamAnalytics.recordEvent("e\(task)", ["n": number]) }
                        var failures = 0
                        do {
                            try ClickstreamAnalytics.initSDK()
                        } catch InitError.alreadyRunning {
                            failures = 1
                        }
                        for number in 50..<100 { ClickstreamAnalytics.recordEvent("e\(task)", ["n": number]) }
                        return failures
                    }
                }
                return try await group.reduce(0, +)
            }
        }
        #expect(failures == 7)
        for task in 0..<8 {
            #expect(recorder.events(named: "e\(task)").map { $0["n"] } == (0..<100).map { .integer($0) })
        }
    }

    @Test("several clients coexist with it, each with its own store, queue and user")
    func clientsBeside() async throws {
        let recorder = recorder
        try await ClickstreamAnalytics.isolated(in: recorder.world) {
            try ClickstreamAnalytics.initSDK()
            let beside = try recorder.launch { $0.appID = "beside" }
            let third = try recorder.launch { $0.appID = "third" }
            recorder.forget()
            ClickstreamAnalytics.setUserId("carl")
            beside.setUserID("dora")
            ClickstreamAnalytics.recordEvent("mine")
            beside.record("theirs")
            third.record("nobodys")
            ClickstreamAnalytics.disable()
            ClickstreamAnalytics.recordEvent("unheard")
            beside.record("heard")
            ClickstreamAnalytics.enable()
            _ = await ClickstreamAnalytics.flush()
            _ = await beside.flush()
            _ = await third.flush()
        }
        #expect(
            recorder.events.filter { !$0.isAutomatic }.map { "\($0.name) \($0.user["_user_id"] ?? "nobody")" } == [
                #"mine string("carl")"#, #"theirs string("dora")"#, #"nobodys string("nobody")"#,
                #"heard string("dora")"#,
            ]
        )
        let apps = recorder.server.requests.map { request in
            ["test_app", "beside", "third"].first { request.url.contains("appId=\($0)&") }
        }
        #expect(apps == ["test_app", "beside", "third"])
        #expect(recorder.disk.paths.contains { $0.hasPrefix("/stores/beside/") })
    }

    // MARK: Observing

    @Test("notifies an observer of everything from the launch on, in order")
    func observe() async throws {
        let heard = Locked<[String]>([])
        let recorder = recorder
        recorder.server.answer(.status(503))
        try await ClickstreamAnalytics.isolated(in: recorder.world) {
            ClickstreamAnalytics.observe { notice in
                let text =
                    switch notice {
                    case .recorded(let name, _, let line, _): line.isEmpty ? "no line" : "recorded \(name)"
                    default: "\(notice)"
                    }
                heard.withLock { $0.append(text) }
            }
            try ClickstreamAnalytics.initSDK()
            ClickstreamAnalytics.recordEvent("bad name")
            _ = await ClickstreamAnalytics.flush()
            await recorder.advance(by: .seconds(3_600))
        }
        let texts = heard.withLock { $0 }
        #expect(
            texts.prefix(6) == [
                "session 1 starts: the first session of this store", "recorded _first_open", "recorded _app_start",
                "recorded _session_start",
                "rejected: 1001: invalid event name \"bad name\": use letters, digits and '_', not starting with a digit",
                "recorded _clickstream_error",
            ]
        )
        #expect(texts.count > 7 && texts[6].hasPrefix("kept 4 events for later: "))
        #expect(texts.last?.hasPrefix("uploaded 4 events: ") == true)
    }

    @Test("notifies an observer of evictions")
    func evictions() throws {
        let heard = Locked(0)
        try ClickstreamAnalytics.isolated(in: recorder.world) {
            ClickstreamAnalytics.observe { notice in
                if case .evicted(let events, _) = notice { heard.withLock { $0 += events } }
            }
            try ClickstreamAnalytics.initSDK(ClickstreamConfiguration().with(\.maxStoreEvents, 20))
            for _ in 0..<100 { ClickstreamAnalytics.recordEvent("tap") }
        }
        #expect(heard.withLock { $0 } >= 80)
    }

    @Test("lets an observer call the API from the first notice of the launch")
    func observerCalls() throws {
        try ClickstreamAnalytics.isolated(in: recorder.world) {
            ClickstreamAnalytics.observe { notice in
                guard case .recorded(let name, _, _, _) = notice, name.hasPrefix("_") else { return }
                ClickstreamAnalytics.recordEvent("after\(name)")
                #expect(throws: InitError.alreadyRunning) { try ClickstreamAnalytics.initSDK() }
            }
            try ClickstreamAnalytics.initSDK()
        }
        #expect(recorder.names == launchEvents + launchEvents.map { "after\($0)" })
    }

    @Test("supports registration and cancellation of observers while running, and keeps them over a restart")
    func observersCome() throws {
        let heard = Locked<[String]>([])
        @Sendable func hear(_ who: String) -> @Sendable (Notice) -> Void {
            { notice in
                guard case .recorded(let name, _, _, _) = notice else { return }
                heard.withLock { $0.append("\(who) \(name)") }
            }
        }
        try ClickstreamAnalytics.isolated(in: recorder.world) {
            try ClickstreamAnalytics.initSDK()
            let first = ClickstreamAnalytics.observe(hear("first"))
            ClickstreamAnalytics.recordEvent("one")
            ClickstreamAnalytics.observe(hear("second"))
            ClickstreamAnalytics.recordEvent("two")
            first.cancel()
            first.cancel()
            ClickstreamAnalytics.recordEvent("three")
            ClickstreamAnalytics.shutdown()
            try ClickstreamAnalytics.initSDK()
        }
        #expect(
            heard.withLock { $0 } == [
                "first one", "first two", "second two", "second three", "second _app_end", "second _app_start",
            ]
        )
    }

    @Test("a shutdown requested by an observer during the launch ends the client after it")
    func shutdownDuringLaunch() throws {
        try ClickstreamAnalytics.isolated(in: recorder.world) {
            let observer = ClickstreamAnalytics.observe { notice in
                if case .recorded("_app_start", _, _, _) = notice { ClickstreamAnalytics.shutdown() }
            }
            try ClickstreamAnalytics.initSDK()
            #expect(throws: InitError.notRunning) { _ = try ClickstreamAnalytics.getClickstreamConfiguration() }
            observer.cancel()
            try ClickstreamAnalytics.initSDK()
        }
        #expect(recorder.names == launchEvents + ["_app_end", "_app_start"])
    }

    // MARK: Isolation

    @Test("is isolated to the tasks of one test", arguments: 0..<8)
    func isolation(number: Int) async throws {
        let recorder = recorder
        try await ClickstreamAnalytics.isolated(in: recorder.world) {
            try ClickstreamAnalytics.initSDK(ClickstreamConfiguration().withAppId("app\(number)"))
            await withTaskGroup { group in
                for _ in 0..<4 { group.addTask { ClickstreamAnalytics.recordEvent("task\(number)") } }
            }
            await Task { ClickstreamAnalytics.recordEvent("task\(number)") }.value
        }
        #expect(recorder.names == launchEvents + Array(repeating: "task\(number)", count: 5))
        ClickstreamAnalytics.isolated(in: ClickstreamTestRecorder().world) {
            ClickstreamAnalytics.recordEvent("elsewhere")
        }
        #expect(recorder.names.count == 8)
    }
}
