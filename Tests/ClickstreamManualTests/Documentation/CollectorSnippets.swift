#if Collector
import Clickstream
import ClickstreamCollector
import ClickstreamCore
import ClickstreamSimulation
import Foundation
import Testing

// Code of ClickstreamCollector.docc; see DocumentationTests.

@Suite("Code of ClickstreamCollector.docc")
struct CollectorSnippets {
    // snippet
    @Test func purchaseArrives() async throws {
        let collector = try await Collector.start()
        let now = Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000))
        let recorder = ClickstreamTestRecorder(start: now)
        var world = recorder.world
        world.configuration.endpoint = collector.endpoint
        world.transport = URLSessionTransport()

        try await ClickstreamAnalytics.isolated(in: world) {
            try ClickstreamAnalytics.initSDK()
            Checkout().buy(price: 99.9)
            await ClickstreamAnalytics.flush()
        }

        let purchases = try await collector.events(EventFilter(name: "purchase"))
        #expect(purchases.events.count == 1)
        #expect(try await collector.summary().badEvents == 0)
        await collector.stop()
    }
    // end

    @Test("a collector starts, answers a query and stops")
    func landingPage() async throws {
        // snippet
        let collector = try await Collector.start(CollectorConfiguration(appIDs: ["shop"]))
        print("send events to \(collector.endpoint), view them at \(collector.baseURL)")
        let summary = try await collector.summary()
        print("\(summary.events) events in \(summary.requests) requests, \(summary.badEvents) bad")
        await collector.stop()
        // end
        #expect(summary == CollectorSummary())
    }

    @Test("queries and faults")
    func queries() async throws {
        try await withCollector { collector in
            // snippet
            var filter = EventFilter(name: "purchase", status: .bad)
            repeat {
                let page = try await collector.events(filter)
                for event in page.events {
                    print(event.json, event.violations.map(\.message))
                }
                filter.cursor = page.next
            } while filter.cursor != nil
            // end
            // snippet
            collector.inject([
                CollectorFault(.status(503, retryAfter: "1"), times: 2),
                CollectorFault(.noReply, rate: 0.1),
            ])
            // end
        }
    }

    // snippet
    func withCollector<Result>(_ body: (Collector) async throws -> Result) async throws -> Result {
        let collector = try await Collector.start()
        do {
            let result = try await body(collector)
            await collector.stop()
            return result
        } catch {
            await collector.stop()
            throw error
        }
    }
    // end
}
#endif
