import ClickstreamCore
import ClickstreamServer
import ClickstreamSimulation
import Foundation
import Testing

@Suite("Settings of server events")
struct ServerSettingsTests {
    private func visitor(_ number: Int) -> Visitor { Visitor(deviceID: "device-\(number)") }

    @Test("give the app its version, title and package")
    func app() throws {
        let site = Site()
        let events = try site.start { configuration in
            configuration.device.appVersion = "2.5"
            configuration.device.appTitle = "Shop"
            configuration.device.appPackageName = "com.example.shop"
            configuration.device.osVersion = "6.12"
        }
        events.record("view", for: visitor(1))
        let line = try #require(site.takeLines().first)
        #expect(line.contains(#""app_package_name":"com.example.shop","app_title":"Shop","app_version":"2.5""#))
        #expect(!line.contains("os_version"))
    }

    @Test("report an invalid global attribute once, and keep the others")
    func globals() throws {
        let site = Site()
        let events = try site.start(shards: 8) { $0.globalAttributes = ["valid": 1, "not-valid": 2] }
        func rejected() -> [Violation] {
            site.takeNotices().flatMap { notice -> [Violation] in
                if case .rejected(let violations) = notice { violations } else { [] }
            }
        }
        #expect(rejected().map(\.name) == ["not-valid"])
        events.configure { $0.globalAttributes = ["valid": 3, "1st": 4] }
        #expect(rejected().map(\.name) == ["1st"])
        events.record("view", for: visitor(1))
        #expect(site.takeLines().first?.contains(#""attributes":{"valid":3}"#) == true)
    }

    @Test("sample events by visitor: all of a name or none, with the rate, and counted")
    func sampling() async throws {
        let site = Site()
        let events = try site.start(shards: 4) { $0.sampling = ["scroll": 0.25] }
        for number in 0..<400 {
            for _ in 0..<3 { events.record("scroll", ["n": number], for: visitor(number)) }
            events.record("buy", for: visitor(number))
        }
        let lines = site.takeLines().compactMap { RecordedEvent(json: Array($0.utf8)) }
        let scrolls = lines.filter { $0.name == "scroll" }
        #expect(lines.count - scrolls.count == 400)
        #expect(scrolls.allSatisfy { $0["_sampling_rate"] == 0.25 })
        let visitors = Dictionary(grouping: scrolls) { $0["n"] }
        #expect(visitors.values.allSatisfy { $0.count == 3 })
        #expect((60...140).contains(visitors.count))
        let dropped = 1_200 - scrolls.count
        #expect(
            events.accounts
                == ServerAccounts(
                    recorded: 1_600,
                    delivered: 0,
                    retained: 1_600 - dropped,
                    dropped: [.sampledOut: dropped]
                )
        )
        events.configure { $0.sampling = ["scroll": 0] }
        events.record("scroll", for: visitor(1))
        #expect(events.accounts.dropped == [.sampledOut: dropped + 1])
        events.configure { $0.sampling = [:] }
        events.record("scroll", for: visitor(1))
        #expect(site.takeLines().first?.contains("_sampling_rate") == false)
    }

    /// The codes of the warnings, in order.
    private static func codes(_ notices: [Notice]) -> [Notice.Warning.Code] {
        notices.compactMap { if case .warning(let warning) = $0 { warning.code } else { nil } }
    }

    @Test(
        "that require consent record nothing, with a warning",
        arguments: [ClickstreamClient.Configuration.ConsentPolicy.hold, .drop]
    )
    func consent(policy: ClickstreamClient.Configuration.ConsentPolicy) async throws {
        let site = Site()
        let events = try site.start { $0.consent = policy }
        #expect(Self.codes(site.takeNotices()) == [.settingInvalid])
        events.record("view", for: visitor(1))
        events.record("view", for: Visitor(deviceID: ""))
        events.disable()
        events.record("view", for: visitor(1))
        #expect(
            events.accounts
                == ServerAccounts(
                    recorded: 3,
                    delivered: 0,
                    retained: 0,
                    dropped: [.consentDropped: 2, .disabled: 1]
                )
        )
        #expect(site.takeLines().isEmpty)
    }

    @Test("can be changed while observers record and change settings, and while the change itself records")
    func reentrance() throws {
        let site = Site()
        let events = try site.start(shards: 4) { $0.sendInterval = .seconds(60) }
        let changes = Locked(0)
        let observer = events.observe { notice in
            guard case .rejected = notice else { return }
            let isFirst = changes.withLock { count in
                count += 1
                return count == 1
            }
            events.record("observed", for: Visitor(deviceID: "d"))
            if isFirst { events.configure { $0.globalAttributes = ["3rd": 1] } }
        }
        events.configure { configuration in
            configuration.globalAttributes = ["2nd": 1]
            events.record("within", for: Visitor(deviceID: "d"))
        }
        observer.cancel()
        #expect(changes.withLock { $0 } == 2)
        #expect(events.accounts.retained == 3)
    }

    @Test("keep the endpoint in all shards, with one warning, while the disk refuses a queue for another")
    func refusedEndpoint() async throws {
        let site = Site()
        let other = "http://other.test/collect"
        let events = try site.start(shards: 4)
        // Shards with an event need another run folder; the others take any endpoint.
        let recorded = visitor(1)
        events.record("before", for: recorded)
        site.disk.refuse([.createFolder, .open, .lock], errno: 28)
        _ = site.takeNotices()
        events.configure { configuration in
            configuration.endpoint = other
            configuration.globalAttributes = ["changed": true]
        }
        #expect(events.configuration.endpoint == Site.endpoint)
        #expect(events.configuration.globalAttributes == ["changed": true])
        #expect(Self.codes(site.takeNotices()) == [.settingNotChanged])
        site.disk.refuse([.createFolder, .open, .lock], errno: nil)
        for number in 1...20 { events.record("during", for: visitor(number)) }
        _ = await events.flush()
        #expect(Set(site.server.requests.map { $0.url.prefix(while: { $0 != "?" }) }) == [Site.endpoint[...]])
        #expect(site.uploads.joined().count == 21)

        events.configure { $0.endpoint = other }
        #expect(events.configuration.endpoint == other)
        #expect(Self.codes(site.takeNotices()) == [])
        let sent = site.server.requests.count
        events.record("after", for: recorded)
        _ = await events.flush()
        #expect(site.server.requests.dropFirst(sent).map { $0.url.prefix(while: { $0 != "?" }) } == [other[...]])
    }

    @Test("survive the end without another flush")
    func end() async throws {
        let site = Site()
        let events = try site.start { $0.sendInterval = .seconds(1) }
        events.record("view", for: visitor(1))
        _ = await events.shutdown(deadline: .seconds(1))
        events.record("view", for: visitor(1))
        #expect(site.time.millisecondsToNextTimer == nil)
    }

    @Test("count every call of several threads, also those during and after the shutdown")
    func threads() async throws {
        let site = Site()
        let events = try site.start(shards: 4)
        let calls = 2_000
        await withTaskGroup(of: Void.self) { group in
            for thread in 0..<4 {
                group.addTask {
                    for number in 0..<calls {
                        events.record("view", ["n": number], for: Visitor(deviceID: "device-\(thread)"))
                    }
                }
            }
            group.addTask { _ = await events.shutdown(deadline: .seconds(5)) }
        }
        let accounts = events.accounts
        #expect(accounts.recorded == 4 * calls)
        #expect(accounts.recorded == accounts.delivered + accounts.retained + accounts.dropped.values.reduce(0, +))
        #expect(Set(accounts.dropped.keys).isSubset(of: [.disabled]))
    }

    @Test("account for events of any time", arguments: [Int64.min, -1, 0, 253_402_300_800_000, .max])
    func times(milliseconds: Int64) async throws {
        let site = Site()
        let events = try site.start(sessions: SessionTable(), shards: 2)
        events.record("view", for: visitor(1))
        events.record("view", for: visitor(1), at: Timestamp(milliseconds: milliseconds))
        events.record("view", for: visitor(1))
        _ = await events.flush()
        let accounts = events.accounts
        #expect(accounts.recorded >= 4)
        #expect(accounts.recorded == accounts.delivered + accounts.retained + accounts.dropped.values.reduce(0, +))
        events.terminate()
    }
}
