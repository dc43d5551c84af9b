#if Collector
import ClickstreamCore
import ClickstreamSimulation
import Foundation
import GRDB
import Testing

@testable import ClickstreamCollector

@Suite("Retention")
struct RetentionTests {
    /// A store with requests at the times given, of two events each.
    private func fill(_ store: Store, times: [Int64], events count: Int = 2, padding: Int = 0) async throws {
        for (number, time) in times.enumerated() {
            let note = String(repeating: "\(number % 10)", count: padding)
            let events = (0..<count).map {
                event(
                    "\(number)-\($0)",
                    session: "s\(number)",
                    uniqueID: "u\(number)",
                    attributes: #""note":"\#(note)""#
                )
            }
            let body = Array("[\(events.joined(separator: ","))]".utf8)
            let id = String(repeating: "0", count: 24) + String(10_000_000 + number)
            let envelope = Envelope.post(body, id: id, at: Timestamp(milliseconds: time))
            try await store.append([UploadDecoder().decode(envelope)])
        }
    }

    @Test("removes events beyond the maximum age, and counts the rest as if there were no others")
    func age() async throws {
        let store = try Store(path: nil)
        try await fill(store, times: [1_000, 2_000, 3_000, 4_000])
        try await store.evict(Retention(age: 1_500), now: Timestamp(milliseconds: 4_000))
        #expect(
            try await store.summary()
                == CollectorSummary(
                    requests: 2,
                    badRequests: 0,
                    events: 4,
                    // They are in the future of the clock that received them.
                    goodEvents: 0,
                    badEvents: 4,
                    duplicates: 0,
                    sessions: 2,
                    users: 2
                )
        )
        #expect(try await store.events(EventFilter()).events.map(\.sequence) == [7, 8, 10, 11])
        #expect(try await store.events(EventFilter(session: "s0")).events == [])
        #expect(try await store.events(EventFilter(session: "s2")).events.count == 2)
        #expect(try await store.sessions(after: nil, limit: 10).sessions.map(\.id) == ["s2", "s3"])
        #expect(try await store.holdings().evicted == StoreHoldings.Evicted(requests: 2, events: 4))
        // The same event again is new: the one before is forgotten.
        try await fill(store, times: [5_000])
        #expect(try await store.summary().events == 6)
        try store.close()
    }

    @Test(
        "removes no request before its age, whatever was received after it",
        arguments: [
            ([5_000, 1_000], [5_000, 1_000]), ([1_000, 5_000, 1_500], [5_000, 1_500]), ([1_000, 1_500], []),
            // In the future.
            ([9_000, 1_000, 4_500], [4_500]), ([9_000, 4_500, 1_000], [9_000, 4_500, 1_000]), ([9_000], [9_000]),
            ([1_000, 9_000, 9_500, 1_500, 9_800], [9_800]), ([9_000, 5_001], [9_000, 5_001]),
        ] as [([Int64], [Int64])]
    )
    func order(_ times: [Int64], _ kept: [Int64]) async throws {
        try await withStore { store in
            try await fill(store, times: times)
            try await store.evict(Retention(age: 1_000), now: Timestamp(milliseconds: 5_000))
            let requests = try await store.requests(after: nil, limit: 10).requests
            #expect(requests.map(\.receivedAt.milliseconds) == kept)
        }
    }

    @Test("searches for expired requests in steps, each of which begins where the one before has ended")
    func steps() async throws {
        try await withStore { store in
            try await fill(store, times: [1_000, 1_000, 9_000, 9_000, 1_500, 6_000, 1_000], events: 1)
            func step(_ search: ExpirySearch, _ now: Int64) async throws -> (search: ExpirySearch, last: Int64?) {
                try await store.read { database in
                    var search = search
                    let last = try search.step(age: 1_000, now: Timestamp(milliseconds: now), in: database)
                    return (search, last)
                }
            }
            var search = ExpirySearch(maxCount: 2)
            var found: [Int64?] = []
            // At 6 500 a request is no longer in the future; at 6 999 the clock was set back.
            for now: Int64 in [5_000, 5_000, 5_000, 6_500, 7_001, 7_001, 7_001, 6_999, 9_000, 9_000] {
                let next = try await step(search, now)
                search = next.search
                found.append(next.last)
            }
            // Each request has the number after its event.
            #expect(found == [4, 4, 10, 4, 4, 12, 14, 4, 4, 4])
            try await store.evict(Retention(age: 1_000), now: Timestamp(milliseconds: 9_000))
            #expect(try await store.summary().requests == 5)
            // Those that it has found are evicted.
            #expect(try await step(search, 9_000).last == nil)
        }
    }

    @Test("evicts requests of any number of steps")
    func manySteps() async throws {
        try await withStore { store in
            let count = ExpirySearch.maxCount + 10
            let body = Array("[]".utf8)
            let uploads = (0..<count).map { number in
                UploadDecoder().decode(.post(body, id: "r\(number)", at: Timestamp(milliseconds: 1_000)))
            }
            try await store.append(
                uploads + [UploadDecoder().decode(.post(body, id: "r", at: Timestamp(milliseconds: 5_000)))]
            )
            try await store.evict(Retention(age: 1_000), now: Timestamp(milliseconds: 5_000))
            #expect(try await store.summary().requests == 1)
            #expect(try await store.holdings().evicted.requests == count)
        }
    }

    @Test("notifies listeners after it removed requests, and only then")
    func notification() async throws {
        let store = try Store(path: nil)
        try await fill(store, times: [1_000, 4_000])
        let time = virtualTime()
        let arrivals = ArrivalNotifier()
        let writer = IngestionWriter(
            store: store,
            arrivals: arrivals,
            metrics: Metrics(start: time.now().wall),
            retention: Retention(age: time.now().wall.milliseconds - 2_000),
            time: time
        )
        var changes = arrivals.changes().makeAsyncIterator()
        await changes.next()
        await writer.tidy()
        try #require(try await store.summary().requests == 1)
        await writer.tidy()
        arrivals.end()
        #expect(await changes.next() != nil)
        #expect(await changes.next() == nil)
        try store.close()
    }

    @Test("respects the maximum size by removing the oldest, and the file shrinks")
    func size() async throws {
        try await withFolder { folder in
            let path = folder + "/store.sqlite"
            let store = try Store(path: path)
            try await fill(store, times: (0..<200).map { Int64($0) }, events: 4, padding: 10_000)
            #expect(store.bytes > 6_000_000)
            try await store.evict(Retention(bytes: 2_000_000), now: Timestamp(milliseconds: 0))
            let requests = try await store.requests(after: nil, limit: 1_000).requests
            #expect((20..<60).contains(requests.count))
            #expect(requests.last?.receivedAt == Timestamp(milliseconds: 199))
            let summary = try await store.summary()
            #expect(summary.requests == requests.count)
            #expect(summary.events == requests.count * 4)
            #expect(summary.sessions == requests.count)
            #expect(try await store.holdings().evicted.requests == 200 - requests.count)
            try store.close()
            let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
            #expect(size.map { $0 < 3_500_000 } == true, "\(size ?? 0)")
        }
    }

    @Test("keeps all its files together near the maximum size, from the first request to the last")
    func files() async throws {
        try await withFolder { folder in
            let path = folder + "/store.sqlite"
            let configuration = CollectorConfiguration(storePath: path, maxStoreBytes: 2_000_000)
            try await withCollector(configuration) { collector async throws in
                var largest = 0
                for number in 0..<80 {
                    // Nothing in it is like anything before, so that it takes what it is long.
                    var random = SystemRandomNumberGenerator()
                    let events = (0..<80).map {
                        let note = (0..<60).map { _ in String(random.next(), radix: 16) }.joined()
                        return event("\(number)-\($0)", attributes: #""note":"\#(note)""#)
                    }
                    #expect(try await collector.post("[\(events.joined(separator: ","))]").status == 200)
                    let sizes = ["", "-wal", "-shm"].map { suffix -> Int in
                        // What is not there has no size.
                        let attributes = try? FileManager.default.attributesOfItem(atPath: path + suffix)
                        return attributes?[.size] as? Int ?? 0
                    }
                    largest = max(largest, sizes.reduce(0, +))
                }
                #expect(largest < 5_000_000)
                #expect(try await collector.summary().requests < 40)
            }
        }
    }

    @Test("is reported by the metrics and the summary of a running collector")
    func running() async throws {
        let configuration = CollectorConfiguration(maxStoreBytes: 1_048_576)
        try await withCollector(configuration) { collector in
            let note = String(repeating: "n", count: 100_000)
            for number in 0..<40 {
                let body = "[\(event("E\(number)")),{\"x\":\"\(note)\"}]"
                #expect(try await collector.post(body).status == 200)
            }
            // What is counted may still be on its way out when the last answer has come, and go between two looks.
            var (summary, metrics) = (try await collector.summary(), "")
            while true {
                metrics = try await collector.get("/metrics").text
                let now = try await collector.summary()
                if now == summary, summary.requests <= 12 { break }
                summary = now
            }
            #expect(summary.requests > 3)
            #expect(summary.events == 2 * summary.requests && summary.badEvents == summary.requests)
            #expect(metrics.contains("clickstream_collector_evicted_requests \(40 - summary.requests)\n"))
            #expect(metrics.contains(#"clickstream_collector_requests_total{status="good"} 40"#))
        }
    }

    @Test("removes the texts that no remaining event has, and a reset all of them")
    func unusedTexts() async throws {
        try await withStore { store in
            func texts() async throws -> [String] {
                try await store.read {
                    try String.fetchAll($0, sql: "SELECT value FROM texts WHERE kind IN (2, 3) ORDER BY value")
                }
            }
            func count() async throws -> Int? {
                try await store.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM texts") }
            }
            try await fill(store, times: [1_000, 2_000, 3_000])
            // Texts of a request that has only a duplicate.
            let copy = Array("[\(event("2-0", session: "copy", uniqueID: "v"))]".utf8)
            try await store.append([UploadDecoder().decode(.post(copy, at: Timestamp(milliseconds: 3_500)))])
            #expect(try await texts() == ["copy", "s0", "s1", "s2", "u0", "u1", "u2", "v"])
            try await store.evict(Retention(age: 1_500), now: Timestamp(milliseconds: 4_000))
            #expect(try await texts() == ["copy", "s2", "u2", "v"])
            try await store.evict(Retention(age: 1_000), now: Timestamp(milliseconds: 4_200))
            #expect(try await texts() == ["copy", "v"])
            try await store.evict(Retention(age: 1_000), now: Timestamp(milliseconds: 9_000))
            #expect(try await count() == 0)
            try await fill(store, times: [9_000])
            #expect(try await texts() == ["s0", "u0"])
            try await store.reset()
            #expect(try await count() == 0)
        }
    }

    @Test("reads the bodies of older layouts", arguments: 1...6)
    func olderLayouts(_ version: Int) async throws {
        try await withFolder { folder in
            let path = folder + "/store.sqlite"
            try await OldStore.make(at: path, version: version)
            try await withCollector(CollectorConfiguration(storePath: path)) { collector in
                #expect(
                    try await collector.summary()
                        == CollectorSummary(
                            requests: 3,
                            badRequests: 1,
                            events: 2,
                            goodEvents: 2,
                            badEvents: 0,
                            duplicates: 1,
                            sessions: 1,
                            users: 1
                        )
                )
                let events = try await collector.events().events
                #expect(events.map(\.json) == [event("A"), event("B")])
                #expect(events.map(\.requestID) == ["r1", "r1"])
                #expect(try await collector.request("r3")?.data == "nonsense")
            }
        }
    }
}
#endif
