#if Collector
import ClickstreamCollector
import ClickstreamCore
import ClickstreamJudges
import ClickstreamPlan

/// Collector in this process: the server of `replay`, `generate` and `bench`.
struct EmbeddedCollector: Sendable {
    /// False in a build without the trait `Collector`.
    static var isAvailable: Bool { true }

    private let collector: Collector

    var endpoint: String { collector.endpoint }
    var baseURL: String { collector.baseURL }

    /// - Parameter plan: the tracking plan by which it judges the events; `nil` for none.
    /// - Throws: ``CollectorError``; ``CommandFailure`` in a build without the trait `Collector`.
    static func start(plan: TrackingPlan? = nil) async throws -> EmbeddedCollector {
        EmbeddedCollector(collector: try await Collector.start(CollectorConfiguration(plan: plan)))
    }

    func stop() async {
        await collector.stop()
    }

    func summary() async throws -> CollectSummary {
        try await CollectSummary(of: collector)
    }

    /// Report on everything that the collector stored.
    /// - Parameters:
    ///   - recorded: the number of events that the library recorded.
    ///   - captured: the numbers of recorded events in the other formats.
    func report(recorded: Int, captured: [FormatName: Int]) async throws -> ReplayReport {
        try await ReplayReport(of: collector, recorded: recorded, captured: captured)
    }
}

extension CollectSummary {
    init(of collector: Collector) async throws {
        clickstream = try await collector.summary()
        captured = try await collector.capturedSummary().filter { $0.value.requests > 0 }
            .sorted { $0.key.rawValue < $1.key.rawValue }.map { ($0.key, $0.value) }
    }
}

extension ReplayReport {
    /// Reads everything that `collector` stored.
    /// - Parameter captured: the numbers of recorded events by format.
    init(of collector: Collector, recorded: Int, captured: [FormatName: Int]) async throws(CollectorError) {
        self.recorded = recorded
        summary = try await collector.summary()
        let counts = try await collector.capturedSummary()
        self.captured = CapturedFormat.captured.compactMap { form in
            guard let recorded = captured[form.name], let counts = counts[form] else { return nil }
            return Captured(form: form, recorded: recorded, counts: counts)
        }
        sessions = []
        events = []
        requests = []
        var cursor: Int64?
        repeat {
            let page = try await collector.sessions(after: cursor, limit: 1_000)
            sessions += page.sessions
            cursor = page.next
        } while cursor != nil
        repeat {
            let page = try await collector.events(EventFilter(limit: EventFilter.limits.upperBound, cursor: cursor))
            events += page.events
            cursor = page.next
        } while cursor != nil
        repeat {
            let page = try await collector.requests(after: cursor, limit: 1_000)
            requests += page.requests
            cursor = page.next
        } while cursor != nil
    }
}
#else
import ClickstreamCore
import ClickstreamPlan

/// Stand-in for the collector in a build without the trait `Collector`: it cannot be started, and has no value.
struct EmbeddedCollector: Sendable {
    static var isAvailable: Bool { false }

    private let never: Never

    var endpoint: String { switch never {} }
    var baseURL: String { switch never {} }

    static func start(plan: TrackingPlan? = nil) async throws -> EmbeddedCollector {
        throw BuildTrait.collector.missing(
            "cannot run a collector in this process",
            alternative: "use --endpoint URL or --dry-run"
        )
    }

    func stop() async { switch never {} }

    func summary() async throws -> CollectSummary { switch never {} }

    func report(recorded: Int, captured: [FormatName: Int]) async throws -> ReplayReport { switch never {} }
}
#endif
