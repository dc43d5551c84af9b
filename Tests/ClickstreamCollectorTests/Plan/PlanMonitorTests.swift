#if Collector
import ClickstreamCore
import Testing

@testable import ClickstreamCollector
@testable import ClickstreamPlan

@Suite("Comparison of stored events with a plan")
struct PlanMonitorTests {
    private static let plan = TrackingPlan(events: [PlannedEvent("buy"), PlannedEvent("login")])

    /// Change of the store before an arrival.
    private enum Change: Sendable {
        case append([String])
        case evict
        case reset

        func apply(to store: Store) async throws {
            switch self {
            case .append(let names):
                let events = names.enumerated().map { event("\($0.offset)-\($0.element)", name: $0.element) }
                let body = Array("[\(events.joined(separator: ","))]".utf8)
                let upload = UploadDecoder().decode(.post(body, at: Timestamp(milliseconds: 1_000)))
                _ = try await store.append([upload])
            case .evict: _ = try await store.evict(Retention(age: 1_500), now: Timestamp(milliseconds: 4_000))
            case .reset: try await store.reset()
            }
        }
    }

    /// Events of each name that were read so far, without reading others.
    private static func counts(_ monitor: PlanMonitor) async throws -> [String: Int] {
        let coverage = try await monitor.comparison(until: { true }).coverage
        let pairs = (coverage?.events ?? [:]).map { ($0.key.text, $0.value.events) }
        return Dictionary(pairs, uniquingKeysWith: { $1 })
    }

    @Test("is current after each arrival without a query, counts evicted events, and begins anew after a reset")
    func follows() async throws {
        try await withStore { store in
            let monitor = PlanMonitor(Self.plan, store: store)
            try await Change.append(["login"]).apply(to: store)
            let steps: [(change: Change?, counts: [String: Int])] = [
                (nil, ["login": 1]), (.append(["buy", "buyy"]), ["login": 1, "buy": 1, "buyy": 1]),
                (.evict, ["login": 1, "buy": 1, "buyy": 1]),
                (.append(["buy2"]), ["login": 1, "buy": 1, "buyy": 1, "buy2": 1]),
                (.reset, [:]), (.append(["sell"]), ["sell": 1]),
            ]
            let found = Locked<[[String: Int]]>([])
            let next = Locked(0)
            // The next element is requested after everything that the last one announced is read.
            let arrivals = AsyncStream<Void>(unfolding: {
                do {
                    let index = next.withLock { next in
                        defer { next += 1 }
                        return next
                    }
                    if index > 0 {
                        let counts = try await Self.counts(monitor)
                        found.withLock { $0.append(counts) }
                    }
                    guard index < steps.count else { return nil }
                    try await steps[index].change?.apply(to: store)
                    return ()
                } catch {
                    Issue.record(error)
                    return nil
                }
            })
            await monitor.follow(arrivals)
            #expect(found.withLock { $0 } == steps.map(\.counts))
        }
    }

    @Test("counts no event that was evicted before the start")
    func evictedBefore() async throws {
        try await withStore { store in
            for change in [Change.append(["login"]), .evict, .append(["buy"])] { try await change.apply(to: store) }
            let comparison = try await PlanMonitor(Self.plan, store: store).comparison(until: { false })
            #expect(comparison.coverage?.neverSeen == ["login"])
            #expect(comparison.coverage?.total == 1)
        }
    }

    @Test("reads until a time, and continues at the event at which it ended")
    func untilTime() async throws {
        try await withStore { store in
            try await Change.append(["login", "buy", "sell"]).apply(to: store)
            let monitor = PlanMonitor(Self.plan, store: store)
            let asked = Locked(0)
            let part = try await monitor.comparison(until: {
                // Before the first piece, and before each event.
                asked.withLock { asked -> Bool in
                    asked += 1
                    return asked > 2
                }
            })
            #expect(part.coverage?.total == 1)
            #expect(!part.isComplete)
            let all = try await monitor.comparison(until: { false })
            #expect(all.coverage?.total == 3)
            #expect(all.isComplete)
        }
    }
}
#endif
