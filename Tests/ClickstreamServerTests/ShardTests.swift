import ClickstreamCore
import ClickstreamServer
import ClickstreamSimulation
import Testing

@Suite("Server events in shards")
struct ShardTests {
    private func visitor(_ number: Int) -> Visitor { Visitor(deviceID: "device-\(number)") }

    @Test("fill one batch", arguments: [1, 2, 8])
    func merged(shards: Int) async throws {
        let site = Site()
        let events = try site.start(shards: shards)
        for number in 0..<100 { events.record("view", ["n": number], for: visitor(number)) }
        // The first request of a process is small.
        _ = await events.flush()
        let before = site.server.requests.count
        for number in 0..<1_000 { events.record("view", ["n": number], for: visitor(number)) }
        let report = await events.flush()
        #expect(report.sent == 1_000)
        #expect(report.retained == 0)
        #expect(site.server.requests.count - before == 1)
        #expect(events.accounts == ServerAccounts(recorded: 1_100, delivered: 1_100, retained: 0, dropped: [:]))
    }

    @Test(
        "keep the order of each visitor, across processes with other numbers of shards, whatever the clock reads",
        arguments: [0, -3_600_000, 3_600_000, -250] as [Int64]
    )
    func order(shift: Int64) async throws {
        let site = Site()
        var count = 0
        for (process, shards) in [4, 8, 1, 2, 2].enumerated() {
            let events = try site.start(shards: shards)
            for _ in 0..<500 {
                events.record("view", ["n": count], for: visitor(count % 50))
                count += 1
                await site.time.advance(milliseconds: 1)
            }
            if process % 2 == 0 { events.terminate() } else { events.kill() }
            site.time.shiftWall(by: .milliseconds(shift))
        }
        let events = try site.start(shards: 3)
        // Sent after the events of the processes before.
        for number in count..<count + 50 { events.record("view", ["n": number], for: visitor(number % 50)) }
        count += 50
        _ = await events.flush()
        var last: [String: Int64] = [:]
        var arrived = 0
        for event in site.uploads.flatMap({ $0 }) {
            guard case .integer(let number) = event["n"] else { continue }
            let device = "\(number % 50)"
            #expect(number > last[device] ?? -1)
            last[device] = number
            arrived += 1
        }
        #expect(arrived == count)
    }

    @Test("survive a server that refuses some of them", arguments: [400, 413])
    func refused(status: Int) async throws {
        let site = Site()
        let events = try site.start(shards: 4)
        for number in 0..<200 { events.record("view", ["n": number], for: visitor(number)) }
        _ = await events.flush()
        for number in 200..<400 { events.record("view", ["n": number], for: visitor(number)) }
        // The merged batch is refused once; its parts are accepted.
        site.server.answer(.status(status), .status(200))
        for _ in 0..<50 {
            if await events.flush().isComplete { break }
            await site.time.advance(milliseconds: 60_000)
        }
        #expect(events.accounts.retained == 0)
        #expect(Set(site.uploads.flatMap { $0 }.compactMap { $0["n"] }).count == 400)
    }

    @Test("stay within the limit of the store together, and evict the oldest", arguments: [1, 2, 8])
    func limit(shards: Int) throws {
        let site = Site()
        let events = try site.start(shards: shards) { $0.maxStoreBytes = 100_000 }
        for number in 0..<2_000 {
            events.record("view", ["n": number], for: visitor(number % 3))
            #expect(events.pressure.storedBytes <= 100_000 + 512)
        }
        let pressure = events.pressure
        #expect(pressure.evictedEvents > 0)
        #expect(pressure.storedBytes > 40_000)
        #expect(pressure.fraction <= 1)
        let accounts = events.accounts
        #expect(accounts.recorded == 2_000)
        #expect(accounts.retained + (accounts.dropped[.evictedForBytes] ?? 0) == 2_000)
    }

    @Test("stay within the limit of events")
    func eventLimit() throws {
        let site = Site()
        let events = try site.start(shards: 4) { $0.maxStoreEvents = 100 }
        for number in 0..<1_000 { events.record("view", for: visitor(number)) }
        #expect(events.pressure.retainedEvents <= 101)
        #expect(events.accounts.dropped[.evictedForCount] == 1_000 - events.accounts.retained)
    }

    @Test("are delivered by the next process after kill -9")
    func killed() async throws {
        let site = Site()
        do {
            let events = try site.start(shards: 4)
            for number in 0..<100 { events.record("view", for: visitor(number)) }
            events.kill()
        }
        let next = try site.start(shards: 2)
        #expect(await next.flush().sent == 100)
        #expect(next.pressure.retainedEvents == 0)
    }

    @Test("are sent to the endpoint at which they were recorded")
    func endpoint() async throws {
        let site = Site()
        let events = try site.start(shards: 4)
        for number in 0..<20 { events.record("old", for: visitor(number)) }
        events.configure { $0.endpoint = "http://other.test/collect" }
        for number in 0..<20 { events.record("new", for: visitor(number)) }
        #expect(await events.flush().sent == 40)
        for (request, upload) in zip(site.server.requests, site.uploads) {
            let name = request.url.hasPrefix("http://other.test") ? "new" : "old"
            #expect(upload.allSatisfy { $0.name == name })
        }
        #expect(events.accounts.recorded == events.accounts.delivered)
    }

    @Test("refuse a change of the app id with a warning")
    func appID() throws {
        let site = Site()
        let events = try site.start()
        events.configure { $0.appID = "other" }
        #expect(events.configuration.appID == "shop")
        let codes: [Notice.Warning.Code] = site.takeNotices().compactMap { notice in
            if case .warning(let warning) = notice, warning.message.contains("'appId'") { warning.code } else { nil }
        }
        #expect(codes == [.settingNotChanged])
    }

    @Test("are counted as disabled while recording is off, and after the end")
    func disabled() async throws {
        let site = Site()
        let events = try site.start(shards: 2)
        events.disable()
        events.record("view", for: visitor(1))
        events.enable()
        events.record("view", for: visitor(1))
        #expect(events.accounts == ServerAccounts(recorded: 2, delivered: 0, retained: 1, dropped: [.disabled: 1]))
        #expect(await events.shutdown(deadline: .seconds(5)).sent == 1)
        events.record("view", for: visitor(1))
        #expect(site.takeLines().count == 1)
    }

    @Test("are sent once if the reply to a request comes after the deadline of the shutdown")
    func slowServer() async throws {
        let site = Site()
        site.server.answer(.delay(.seconds(5), .status(200)))
        let events = try site.start(shards: 4)
        for number in 0..<20 { events.record("view", ["n": number], for: visitor(number)) }
        let report = Task(executorPreference: site.time.executor) { await events.shutdown(deadline: .seconds(2)) }
        await site.time.timers(1, after: 5_000)
        await site.time.advance(milliseconds: 2_000)
        // After the deadline no request begins.
        events.record("late", for: visitor(1))
        events.flushEvents()
        await site.time.advance(milliseconds: 3_000)
        #expect(await report.value.sent == 20)
        #expect(site.server.attempts.count == 1)
        let next = try site.start(shards: 2)
        #expect(await next.flush().sent == 1)
        #expect(site.uploads.flatMap { $0 }.count == 21)
    }

    @Test("are flushed automatically")
    func timer() async throws {
        let site = Site()
        let events = try site.start(shards: 4) { $0.sendInterval = .seconds(1) }
        events.record("view", for: visitor(1))
        await site.time.advance(milliseconds: 999)
        #expect(site.server.requests.isEmpty)
        await site.time.advance(milliseconds: 1)
        #expect(site.server.requests.count == 1)
    }

    @Test("record the start of each session once, before its first event")
    func sessions() throws {
        let site = Site()
        let events = try site.start(sessions: SessionTable(), shards: 4)
        for _ in 0..<3 { events.record("view", for: visitor(1)) }
        let own = Visitor.Session(id: "own", number: 9, start: Timestamp(milliseconds: 0))
        events.record("view", for: Visitor(deviceID: "device-2", session: own))
        let recorded = site.takeLines().compactMap { RecordedEvent(json: Array($0.utf8)) }
        #expect(recorded.map(\.name) == ["_session_start", "view", "view", "view", "view"])
        #expect(recorded.map { $0["_session_number"] } == [1, 1, 1, 1, 9])
    }

    @Test("are kept in memory while the folder cannot be used")
    func memory() async throws {
        let site = Site()
        site.disk.setReadOnly(true, folder: "/")
        let events = try site.start(shards: 2)
        events.record("view", for: visitor(1))
        #expect(events.pressure.isInMemory)
        #expect(await events.flush().sent == 1)
    }
}
