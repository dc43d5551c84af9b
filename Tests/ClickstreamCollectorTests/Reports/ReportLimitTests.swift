#if Collector
import ClickstreamCore
import ClickstreamSimulation
import TestSupport
import Testing

@testable import ClickstreamCollector

/// Clients that request reports while those of others are computed.
@Suite("Limits of reports", .timeLimit(.minutes(10)))
struct ReportLimitTests {
    /// Starts a collector whose reports wait, as if those of other clients were computed.
    private func start(_ limits: Limits, _ time: VirtualTime) async throws -> (collector: Collector, queries: QueryAPI)
    {
        let started = try await Collector.start(on: Store(path: nil), limits: limits, time: time)
        for _ in 0..<2 { try await started.queries.reportTurns.acquire() }
        return started
    }

    @Test(
        "refuse one more than their number, and all that wait at the stop",
        arguments: ["count", "funnel?step=a&step=b"]
    )
    func stop(target: String) async throws {
        try await RealTimeSlot.use {
            let (limits, time) = (Limits(), virtualTime())
            let (collector, _) = try await start(limits, time)
            let replies = await withTaskGroup(of: RawResponse?.self) { group -> [RawResponse?] in
                for _ in 0..<limits.reports { group.addTask { try? await collector.get("/api/report/\(target)") } }
                await time.timers(limits.reports, after: limits.reportSeconds * 1_000)
                group.addTask {
                    let refused = try? await collector.get("/api/report/\(target)")
                    // Ends without any virtual time.
                    await collector.stop()
                    return refused
                }
                return await group.reduce(into: [RawResponse?]()) { $0.append($1) }
            }
            #expect(replies.map { $0?.status } == Array(repeating: 503, count: limits.reports + 1))
            let texts = replies.compactMap { $0?.text }
            #expect(texts.count { $0.contains("too many reports") } == 1)
            #expect(texts.count { $0.contains("the collector stops") } == limits.reports)
            #expect(replies.compactMap { $0?.headers["retry-after"] } == ["1"])
        }
    }

    @Test("refuse a report that waits too long, and then compute the next one")
    func timeout() async throws {
        try await RealTimeSlot.use {
            var limits = Limits()
            // The work of a refused report may end after its reply.
            limits.reports = 2
            let time = virtualTime()
            let (collector, queries) = try await start(limits, time)
            async let late = collector.get("/api/report/count")
            await time.timers(after: limits.reportSeconds * 1_000)
            await time.advance(milliseconds: limits.reportSeconds * 1_000)
            let refused = try await late
            #expect(refused.status == 503)
            #expect(refused.text.contains("select fewer events, with name or since"))
            for _ in 0..<2 { queries.reportTurns.release() }
            let next = try await collector.get("/api/report/count")
            #expect(next.status == 200)
            await collector.stop()
        }
    }
}
#endif
