import ClickstreamServer
import ServiceLifecycle

/// Service that delivers the recorded events when the server is shut down.
///
/// Hummingbird shuts its services down after the HTTP server: no request is in progress then.
public struct AnalyticsService: Service {
    private let events: ServerEvents
    private let deadline: Duration

    /// - Parameter deadline: the time after which the last delivery makes no request; what remains is stored for the next start.
    public init(_ events: ServerEvents, deadline: Duration = .seconds(10)) {
        self.events = events
        self.deadline = deadline
    }

    public func run() async throws {
        try? await gracefulShutdown()
        let report = await events.shutdown(deadline: deadline)
        print("analytics: \(report.sent) events delivered at the end, \(report.retained) kept for the next start")
    }
}
