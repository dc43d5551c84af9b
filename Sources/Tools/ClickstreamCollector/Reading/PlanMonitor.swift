#if Collector
import ClickstreamCore
import ClickstreamJudges
import ClickstreamPlan

/// Comparison of the stored events with a tracking plan.
///
/// Events are read when a query needs them, each once: receiving an event costs nothing. Events that are evicted later
/// remain counted; a reset of the store begins anew.
actor PlanMonitor {
    /// Maximum bytes of the events read at once.
    private static let pieceBytes = 1_048_576

    private let store: Store
    private var coverage: PlanCoverage
    /// Position of the last event in ``coverage``.
    private var cursor: Int64 = 0
    /// Serializes the reading, which suspends this actor.
    private let turn = Semaphore(1)

    init(_ plan: TrackingPlan, store: Store) {
        self.store = store
        coverage = PlanCoverage(plan)
    }

    /// The comparison with all events of requests answered before this call.
    func current() async throws -> PlanCoverage {
        try await turn.acquire()
        defer { turn.release() }
        var hasMore = true
        while hasMore {
            let feed = try await store.feed(
                after: cursor,
                EventFilter(),
                form: .clickstream,
                most: Self.pieceBytes
            )
            for entry in feed.entries { take(entry) }
            cursor = feed.cursor
            hasMore = feed.hasMore
        }
        return coverage
    }

    private func take(_ entry: Feed.Entry) {
        switch entry {
        case .event(let event):
            // Stored events are well-formed; one that is nested too deeply for the reader is counted without content.
            let value = (try? JSONReader.parse(event.wholeText)) ?? JSONValue(.null)
            coverage.add(
                value,
                at: PlanCoverage.Sighting(sequence: event.sequence, receivedAt: event.receivedAt)
            )
        case .reset: coverage = PlanCoverage(coverage.plan)
        case .request, .captured: break
        }
    }

    /// Findings of one stored event as JSON; `nil` if the store does not have it.
    nonisolated func findings(onEvent sequence: Int64) async throws -> JSONValue? {
        guard let event = try await store.event(sequence, EventTexts()) else { return nil }
        let value = (try? JSONReader.parse(event.wholeText)) ?? JSONValue(.null)
        return await coverage.json(ofFindingsOn: value, sequence: sequence)
    }
}
#endif
