#if Server
import ClickstreamCore
import CoreMetrics
public import Logging
public import ServiceLifecycle

/// Service of swift-service-lifecycle around server events: logs warnings, publishes metrics, and sends what is left when
/// the service group shuts down gracefully.
///
/// ```swift
/// let group = ServiceGroup(services: [ServerEventsService(events, logger: logger), server], logger: logger)
/// ```
///
/// Put it before the services that record, so that it is shut down after them. With the metrics of swift-metrics:
/// `clickstream_events_recorded`, `clickstream_events_delivered`, `clickstream_events_dropped` (by `reason`) and
/// `clickstream_sent_bytes` (counters), `clickstream_events_retained` and `clickstream_stored_bytes` (gauges), and
/// `clickstream_request_duration` (timer of uploads).
public struct ServerEventsService: Service {
    private let events: ServerEvents
    private let logger: Logger
    private let deadline: Duration
    private let interval: Duration
    private let metrics: any MetricsFactory

    /// Creates a service. It observes the events while it runs.
    /// - Parameters:
    ///   - events: the recorder that the service shuts down.
    ///   - logger: receives warnings, violations at the level `debug`, and the outcome of the shutdown.
    ///   - deadline: the time after which the last flush begins no request; a request in progress then is awaited, as by
    ///     `ServerEvents.shutdown(deadline:)`. Unsent events are kept for the next process.
    ///   - interval: the interval between updates of the metrics that are read: recorded, retained and stored bytes.
    public init(
        _ events: ServerEvents,
        logger: Logger,
        deadline: Duration = .seconds(10),
        interval: Duration = .seconds(5)
    ) {
        self.init(events, logger: logger, deadline: deadline, interval: interval, metrics: MetricsSystem.factory)
    }

    init(
        _ events: ServerEvents,
        logger: Logger,
        deadline: Duration,
        interval: Duration,
        metrics: any MetricsFactory
    ) {
        self.events = events
        self.logger = logger
        self.deadline = deadline
        self.interval = interval
        self.metrics = metrics
    }

    /// Runs until the graceful shutdown of the service group, or until the task is cancelled; then flushes, and closes the
    /// store of the events.
    public func run() async throws {
        let metrics = ServerMetrics(metrics)
        let observer = events.observeWithoutLines { [logger] notice in
            metrics.take(notice)
            Self.log(notice, to: logger)
        }
        events.requests.observe { metrics.take(requestOf: $0) }
        defer {
            events.requests.observe(nil)
            observer.cancel()
        }
        let (time, milliseconds) = (events.time, max(1, interval.wholeMilliseconds))
        // Ends by the shutdown or by a cancellation: both end the service.
        try? await cancelWhenGracefulShutdown { [events] in
            while !Task.isCancelled {
                metrics.update(events)
                try await time.sleep(milliseconds: milliseconds)
            }
        }
        let (events, deadline) = (events, deadline)
        // A task of its own: a cancelled one would not wait for a retry within the deadline.
        let report = await Task { await events.shutdown(deadline: deadline) }.value
        metrics.update(events)
        logger.info(
            "Clickstream events are flushed",
            metadata: ["sent": "\(report.sent)", "retained": "\(report.retained)"]
        )
    }

    private static func log(_ notice: Notice, to logger: Logger) {
        switch notice {
        case .warning, .deliveryRefused, .unstored, .evicted, .setAside:
            logger.warning("\(notice)")
        case .rejected(let violations), .recorded(_, _, _, let violations):
            for violation in violations {
                logger.debug("\(violation.message)", metadata: ["code": "\(violation.code)"])
            }
        case .captured, .sessionDecided, .uploaded, .retained:
            break
        }
    }
}
#endif
