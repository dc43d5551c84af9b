#if Collector
import ClickstreamCollector
import Testing

// Code of ClickstreamCollector.docc/OnOneScreen.md; see DocumentationTests and OneScreenTests.

@Suite("Everything of ClickstreamCollector on one screen")
struct CollectorOneScreen {
    @Test("starts, answers each query and stops")
    func calls() async throws {
        // snippet
        // Start: a free port of the loopback address, and a temporary store
        var configuration = CollectorConfiguration(appIDs: ["shop"], faultSeed: 7)
        configuration.maxStoreBytes = 10_000_000
        let collector: Collector = try await Collector.start(configuration)  // throws CollectorError
        print(collector.endpoint, collector.baseURL, collector.port)  // for the app, for a browser

        // Let requests fail; an empty list ends it
        collector.inject([
            CollectorFault(.status(503, retryAfter: "1"), times: 2),
            CollectorFault(CollectorFault.Effect.latency(.milliseconds(100)), rate: 0.1),
        ])

        // Count
        let summary: CollectorSummary = try await collector.summary()
        print(summary.requests, summary.events, summary.badEvents, summary.duplicates)

        // Events, oldest first; the next page begins at page.next
        let filter = EventFilter(name: "purchase", status: CollectedStatus.bad, limit: 50)
        let page: EventPage = try await collector.events(filter)
        for event: CollectedEvent in page.events {
            let violations: [CollectedViolation] = event.violations
            print(event.json, event.status, violations.map(\.code))
        }

        // Requests
        let requests: RequestPage = try await collector.requests(after: nil, limit: 10)
        for request: CollectedRequest in requests.requests {
            let complete: CollectedRequest? = try await collector.request(request.id)  // with its data
            print(request.events, request.reason ?? "good", complete?.data ?? "")
        }

        // End
        try await collector.reset()  // empties the store
        await collector.stop()
        // end
        #expect(summary == CollectorSummary())
        #expect(page.events.isEmpty && requests.requests.isEmpty)
    }
}
#endif
