import ClickstreamServer
import ClickstreamSimulation
import Testing

#if Server
import Logging
import ServiceLifecycle
#endif

// Code of ClickstreamServer.docc/OnOneScreen.md; see DocumentationTests and OneScreenTests.

/// Compiled only: the events are stored on the machine's disk.
private func start() throws -> ServerEvents {
    // snippet
    // Start: one for the process
    let configuration = ClickstreamConfiguration()
        .withAppId("shop")
        .withEndpoint("https://example.com/collect")
    let table = SessionTable(capacity: 100_000, timeout: .seconds(1_800))
    let events: ServerEvents = try ServerEvents(configuration, sessions: table)  // throws InitError
    // end
    return events
}

#if Server
private func serve(_ events: ServerEvents, _ server: any Service, logger: Logger) async throws {
    // snippet
    // As a service, with the package's trait Server: metrics, logs, and a flush at the shutdown
    let service = ServerEventsService(events, logger: logger, deadline: .seconds(10))
    try await ServiceGroup(services: [service, server], logger: logger).run()
    // end
}
#endif

@Suite("Everything of ClickstreamServer on one screen")
struct OneScreenSnippets {
    @Test("records and delivers the events of a visitor")
    func calls() async throws {
        let site = Site()
        let events = try site.start(sessions: SessionTable())
        await use(events, cookie: "d-1")
        #expect(site.uploads.joined().map(\.name) == ["_session_start", "add_to_cart", "search"])
    }

    private func use(_ events: ServerEvents, cookie: String) async {
        // snippet
        // The visitor: only what it contains is recorded
        var visitor = Visitor(deviceID: cookie, userID: "u-17", userAttributes: ["plan": "gold"])
        visitor.screen = Visitor.Screen(name: "Cart", id: "cart")
        visitor.locale = "de_DE"
        visitor.platform = "Web"

        // Record: for a visitor, or for that of the task
        let items: [Attributes] = [["id": "p-1", "price": 12.5]]
        events.record("add_to_cart", ["value": 12.5], items, for: visitor)
        func search() async {
            let isRecorded: Bool = events.record("search", ["term": "shoes"])
            print(isRecorded, ServerEvents.visitor?.deviceID ?? "")
        }
        await ServerEvents.withVisitor(visitor) { await search() }

        // Observe: recorded == delivered + retained + all dropped
        let observer: NoticeObserver = events.observe { (notice: Notice) in
            if notice.isTrouble { print(notice) }
        }
        let accounts: ServerAccounts = events.accounts
        let dropped: [EventOutcome: Int] = accounts.dropped
        let pressure: ServerPressure = events.pressure
        if pressure.fraction > 0.8 { print(accounts.recorded, accounts.retained, dropped) }
        observer.cancel()

        // Deliver: also by itself, every flushInterval
        let report: FlushReport = await events.flush(deadline: .seconds(5))
        if let error: FlushError = report.lastError { print(report.sent, report.retained, error) }

        // End
        let last: FlushReport = await events.shutdown(deadline: .seconds(10))
        print(last.sent, last.retained)
        // end
        #expect(accounts.recorded == accounts.retained && dropped.isEmpty)
        #expect(report.isComplete && last.retained == 0)
    }
}
