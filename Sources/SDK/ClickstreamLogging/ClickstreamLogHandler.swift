#if Server
public import Logging

/// Backend of [swift-log](https://github.com/apple/swift-log) that records messages with the SDK.
///
/// Errors become events, and the latest messages breadcrumbs of the next crash; see ``ClickstreamLogRecorder``. Use it beside
/// a handler that prints:
///
/// ```swift
/// LoggingSystem.bootstrap { label in
///     MultiplexLogHandler([StreamLogHandler.standardError(label: label), ClickstreamLogHandler(label: label)])
/// }
/// ```
///
/// The event `log_message` has the attributes `log_level`, `log_label`, `log_source`, `log_message`, and one for each of at
/// most 20 metadata values.
public struct ClickstreamLogHandler: LogHandler {
    /// The level below which messages are ignored; initially the lower one of the recorder's levels.
    public var logLevel: Logger.Level
    /// Metadata of every message of the logger.
    public var metadata: Logger.Metadata = [:]
    /// Source of further metadata, called for each message.
    public var metadataProvider: Logger.MetadataProvider?

    private let label: String
    private let recorder: ClickstreamLogRecorder

    /// Creates a handler of one logger.
    /// - Parameters:
    ///   - label: the name of the logger, sent as `log_label`.
    ///   - recorder: the recorder of the messages, shared with other handlers.
    ///   - metadataProvider: the source of further metadata.
    public init(
        label: String,
        recorder: ClickstreamLogRecorder = .shared,
        metadataProvider: Logger.MetadataProvider? = LoggingSystem.metadataProvider
    ) {
        self.label = label
        self.recorder = recorder
        self.metadataProvider = metadataProvider
        logLevel = min(recorder.eventLevel, recorder.breadcrumbLevel)
    }

    /// One value of ``metadata``.
    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Records a message; metadata of the message precedes that of the provider and of the logger.
    public func log(event: LogEvent) {
        var merged = metadata
        if let metadataProvider { merged.merge(metadataProvider.get()) { $1 } }
        if let given = event.metadata { merged.merge(given) { $1 } }
        recorder.record(
            LogMessage(
                level: event.level,
                label: label,
                source: event.source,
                text: "\(event.message)",
                metadata: merged
            )
        )
    }
}
#endif
