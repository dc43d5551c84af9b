#if Server
public import ClickstreamCore
import ClickstreamAnalytics
public import Logging

/// Recorder of log messages as events and as breadcrumbs of crashes, shared by the handlers of all loggers.
///
/// A message at the level of events or above is recorded as an event `log_message`, within the limit of events per minute. The
/// latest 50 messages at the level of breadcrumbs or above are kept for the next `_app_exception`. Messages that are logged while
/// a notice of the SDK is delivered are ignored, so that a logger of notices causes no further ones. Thread-safe; an event
/// costs what `recordEvent` costs, a breadcrumb a write of less than 512 bytes while crashes are tracked.
public final class ClickstreamLogRecorder: Sendable {
    /// The recorder of the app's SDK, with the default levels.
    public static let shared = ClickstreamLogRecorder()

    let eventLevel: Logger.Level
    let breadcrumbLevel: Logger.Level
    /// `nil` selects the client of `ClickstreamAnalytics`.
    private let client: ClickstreamClient?
    private let allowance: Locked<LogAllowance>

    /// Creates a recorder.
    /// - Parameters:
    ///   - client: the client that records; `nil` selects that of `ClickstreamAnalytics`, which queues events before its
    ///     start.
    ///   - eventLevel: the level from which messages become events.
    ///   - breadcrumbLevel: the level from which messages become breadcrumbs.
    ///   - eventsPerMinute: the maximum number of events in a minute; 0 records no events. The next event reports the number of
    ///     suppressed ones in `log_suppressed`.
    public init(
        client: ClickstreamClient? = nil,
        eventLevel: Logger.Level = .error,
        breadcrumbLevel: Logger.Level = .info,
        eventsPerMinute: Int = 60
    ) {
        self.client = client
        self.eventLevel = eventLevel
        self.breadcrumbLevel = breadcrumbLevel
        allowance = Locked(LogAllowance(perMinute: eventsPerMinute))
    }

    func record(_ message: LogMessage) {
        guard !NoticeObserver.isNotifying else { return }
        let client = client ?? ClickstreamAnalytics.client
        if message.level >= breadcrumbLevel { client?.leaveBreadcrumb(message.line) }
        guard message.level >= eventLevel else { return }
        let now = (client?.time ?? SystemTime()).now().steady
        guard let suppressed = allowance.withLock({ $0.take(at: now) }) else { return }
        let attributes = message.attributes(suppressed: suppressed)
        if let client = self.client {
            client.record(LogMessage.eventName, attributes: attributes)
        } else {
            ClickstreamAnalytics.recordEvent(LogMessage.eventName, attributes)
        }
    }
}
#endif
