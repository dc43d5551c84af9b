#if Server
import ClickstreamCore
import CoreMetrics

/// Metrics of server events. Thread-safe.
final class ServerMetrics: Sendable {
    private let recorded: Counter
    private let delivered: Counter
    private let sentBytes: Counter
    private let retained: Gauge
    private let storedBytes: Gauge
    private let duration: Timer
    private let factory: any MetricsFactory
    /// The numbers of recorded and of refused events that were published.
    private let published = Locked((recorded: 0, refused: [EventOutcome: Int]()))

    init(_ factory: any MetricsFactory) {
        self.factory = factory
        recorded = Counter(label: "clickstream_events_recorded", factory: factory)
        delivered = Counter(label: "clickstream_events_delivered", factory: factory)
        sentBytes = Counter(label: "clickstream_sent_bytes", factory: factory)
        retained = Gauge(label: "clickstream_events_retained", factory: factory)
        storedBytes = Gauge(label: "clickstream_stored_bytes", factory: factory)
        duration = Timer(label: "clickstream_request_duration", factory: factory)
    }

    /// Counts what a notice reports.
    func take(_ notice: Notice) {
        switch notice {
        case .uploaded(let events, _, let bytes):
            delivered.increment(by: events)
            sentBytes.increment(by: bytes)
        case .evicted(let events, _): drop(events, "evicted")
        case .setAside(let events, _): drop(events, "set-aside")
        case .unstored: drop(1, "unstored")
        case .rejected, .recorded, .captured, .sessionDecided, .retained, .deliveryRefused, .warning: break
        }
    }

    private func drop(_ events: Int, _ reason: String) {
        let dropped = Counter(
            label: "clickstream_events_dropped",
            dimensions: [("reason", reason)],
            factory: factory
        )
        dropped.increment(by: events)
    }

    /// Records the duration of an upload.
    func take(requestOf duration: Duration) {
        self.duration.recordMilliseconds(duration.wholeMilliseconds)
    }

    /// Publishes the numbers that are read from the shards. Costs a lock of each shard.
    func update(_ events: ServerEvents) {
        let (count, refused) = (events.recordedEvents, events.refusedEvents)
        let added = published.withLock { published in
            let added = (
                recorded: max(0, count - published.recorded),
                refused: refused.merging(published.refused) { max(0, $0 - $1) }
            )
            published.recorded = max(count, published.recorded)
            published.refused.merge(refused, uniquingKeysWith: max)
            return added
        }
        recorded.increment(by: added.recorded)
        for (outcome, events) in added.refused where events > 0 { drop(events, outcome.rawValue) }
        let pressure = events.pressure
        retained.record(pressure.retainedEvents)
        storedBytes.record(pressure.storedBytes)
    }
}
#endif
