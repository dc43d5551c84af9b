#if Server
import ClickstreamCore
import ClickstreamSimulation
import CoreMetrics
import InMemoryLogging
import Instrumentation
import Logging
import MetricsTestKit
import ServiceLifecycle
import ServiceLifecycleTestKit
import Testing

@testable import ClickstreamServer

@Suite("The service of server events")
struct ServiceTests {
    private let site = Site()
    private let log = InMemoryLogHandler()
    private let metrics = TestMetrics()

    /// Runs the service until `body`, which begins when the service observes the events, has ended.
    private func run(
        _ events: ServerEvents,
        endsBy end: End = .shutdown,
        deadline: Duration = .seconds(10),
        _ body: () async -> Void
    ) async throws {
        var logger = Logger(label: "shop") { _ in log }
        logger.logLevel = .debug
        let service = ServerEventsService(
            events,
            logger: logger,
            deadline: deadline,
            interval: .seconds(5),
            metrics: metrics
        )
        try await testGracefulShutdown { trigger in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask(executorPreference: site.time.executor) { try await service.run() }
                await site.time.timers(1, after: 5_000)
                await body()
                switch end {
                case .shutdown: trigger.triggerGracefulShutdown()
                case .cancellation: group.cancelAll()
                }
                try await group.waitForAll()
            }
        }
    }

    enum End: CaseIterable {
        case shutdown
        case cancellation
    }

    private func record(_ events: ServerEvents, _ count: Int) {
        for number in 0..<count { events.record("view", ["n": number], for: Visitor(deviceID: "d-\(number % 7)")) }
    }

    private func counter(_ name: String, _ reason: String? = nil) -> Int64 {
        metrics.counterTotal(label: "clickstream_\(name)", dimensions: reason.map { [("reason", $0)] } ?? [])
    }

    private func gauge(_ name: String) throws -> Double? {
        try metrics.expectGauge("clickstream_\(name)").lastValue
    }

    @Test("delivers what is left, and closes the store", arguments: End.allCases)
    func shutdown(end: End) async throws {
        let events = try site.start(shards: 3)
        try await run(events, endsBy: end) { record(events, 50) }
        #expect(site.uploads.flatMap { $0 }.count == 50)
        #expect(events.accounts == ServerAccounts(recorded: 50, delivered: 50, retained: 0, dropped: [:]))
        let entry = try #require(log.entries.last)
        #expect(entry.level == .info)
        #expect(entry.metadata == ["sent": "50", "retained": "0"])
        record(events, 1)
        #expect(events.accounts.retained == 0)
    }

    @Test("keeps what cannot be delivered for the next process")
    func kept() async throws {
        let events = try site.start(shards: 3)
        site.server.answer(.status(403))
        try await run(events) { record(events, 5) }
        #expect(log.entries.last?.metadata == ["sent": "0", "retained": "5"])
        #expect(log.entries.contains { $0.level == .warning })
        #expect(try gauge("events_retained") == 5)
        #expect(await (try site.start(shards: 2)).flush().sent == 5)
    }

    @Test("publishes metrics")
    func published() async throws {
        let events = try site.start(sessions: SessionTable(), shards: 2)
        site.server.answer(.delay(.milliseconds(250), .status(200)))
        try await run(events) {
            record(events, 20)
            await site.time.advance(milliseconds: 5_000)
            // Seven visitors have a session each.
            #expect(counter("events_recorded") == 27)
            #expect((try? gauge("events_retained")) == 27)
            #expect((try? gauge("stored_bytes")) == Double(events.pressure.storedBytes))
            async let report = events.flush()
            await site.time.timers(1, after: 250)
            await site.time.advance(milliseconds: 250)
            #expect(await report.sent == 27)
        }
        #expect(counter("events_recorded") == 27)
        #expect(counter("events_delivered") == 27)
        #expect(counter("sent_bytes") == Int64(site.server.requests.map(\.body.count).reduce(0, +)))
        #expect(try metrics.expectTimer("clickstream_request_duration").values == [250_000_000])
        #expect(try gauge("events_retained") == 0)
        #expect(try gauge("stored_bytes") == 0)
    }

    @Test("counts dropped events by reason, each once among the recorded ones")
    func dropped() async throws {
        let events = try site.start(shards: 2) { $0.maxStoreBytes = 20_000 }
        try await run(events) {
            events.record("view", for: Visitor(deviceID: ""))
            events.record("a b", for: Visitor(deviceID: "d"))
            record(events, 500)
        }
        let accounts = events.accounts
        #expect(counter("events_dropped", "rejected") == 2)
        #expect(counter("events_dropped", "evicted") == Int64(accounts.dropped[.evictedForBytes] ?? 0))
        #expect(counter("events_dropped", "evicted") > 0)
        // The invalid name is recorded as `_clickstream_error` besides.
        #expect(counter("events_recorded") == 503)
        #expect(accounts.recorded == 503)
        #expect(counter("events_delivered") == Int64(accounts.delivered))
    }

    @Test("counts refused events by reason, each once")
    func refused() async throws {
        let events = try site.start(shards: 2) { $0.sampling = ["scroll": 0] }
        try await run(events) {
            for _ in 0..<3 { events.record("scroll", for: Visitor(deviceID: "d")) }
            await site.time.advance(milliseconds: 5_000)
            events.disable()
            record(events, 2)
            events.enable()
            // Not an event.
            events.configure { $0.globalAttributes = ["not-valid": 1] }
        }
        #expect(counter("events_dropped", "rejected") == 0)
        #expect(counter("events_dropped", "sampled-out") == 3)
        #expect(counter("events_dropped", "disabled") == 2)
        #expect(counter("events_recorded") == 5)
    }

    @Test("logs violations by code at the level debug")
    func violations() async throws {
        let events = try site.start()
        try await run(events) { events.record("view", ["a b": 1], for: Visitor(deviceID: "d")) }
        let entry = try #require(log.entries.first)
        #expect(entry.level == .debug)
        #expect(entry.metadata == ["code": "\(ErrorCode.attributeNameInvalid)"])
    }
}

@Suite("The trace of an event", .serialized)
struct TraceTests {
    /// Instrument that writes the header of W3C for a context with a trace.
    private struct Tracing: Instrument {
        enum Key: ServiceContextKey { typealias Value = String }

        func extract<Carrier, Extract: Extractor>(
            _ carrier: Carrier,
            into context: inout ServiceContext,
            using extractor: Extract
        ) where Extract.Carrier == Carrier {}

        func inject<Carrier, Inject: Injector>(
            _ context: ServiceContext,
            into carrier: inout Carrier,
            using injector: Inject
        ) where Inject.Carrier == Carrier {
            guard let trace = context[Key.self] else { return }
            injector.inject("00-\(trace)-00f067aa0ba902b7-01", forKey: "Traceparent", into: &carrier)
        }

        /// Installed once for the process; without a trace in the context it does nothing.
        static let installed: Void = InstrumentationSystem.bootstrap(Tracing())
    }

    private static let id = "4bf92f3577b34da6a3ce929d0e0e4736"

    @Test("is its attribute trace_id")
    func attribute() throws {
        Tracing.installed
        let site = Site()
        let events = try site.start()
        let visitor = Visitor(deviceID: "d")
        var context = ServiceContext.topLevel
        context[Tracing.Key.self] = Self.id
        ServiceContext.withValue(context) {
            events.record("view", ["a": 1], for: visitor)
            events.record("view", ["trace_id": "own"], for: visitor)
        }
        ServiceContext.withValue(.topLevel) { events.record("view", for: visitor) }
        events.record("view", for: visitor)
        let recorded = site.takeLines().compactMap { RecordedEvent(json: Array($0.utf8))?["trace_id"] }
        #expect(recorded == [.string(Self.id), "own"])
    }

    @Test(
        "is read from a valid header alone",
        arguments: [
            ("00-\(id)-00f067aa0ba902b7-01", id), ("cc-\(id)-00f067aa0ba902b7-01-more", id),
            ("00-\(String(repeating: "0", count: 32))-00f067aa0ba902b7-01", nil), ("00-\(id)-00f067aa0ba902b7", nil),
            ("00-4bf9-00f067aa0ba902b7-01", nil), ("", nil), ("00-\(id.dropLast())x-00f067aa0ba902b7-01", nil),
        ]
    )
    func header(text: String, id: String?) {
        #expect(TraceAttribute.id(of: text) == id)
    }
}
#endif
