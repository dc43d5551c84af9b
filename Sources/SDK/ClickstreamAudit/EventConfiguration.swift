#if Audit
/// Settings of audit events. A plain value.
public struct EventConfiguration: Sendable {
    /// Members added to each event. The names of the event's own members (`_id`, `event`, `activity`, `timestamp`, `data`,
    /// `truncated`) are rejected: such a member is left out and reported.
    public var metadata: [String: String]
    /// The beginning of the names of partitions: 1 to 50 printable ASCII characters other than space and `@`.
    public var partitionPrefix: String
    /// The complete URL that events are posted to; `nil` for the client's endpoint, with `audit` as the last component of
    /// its path.
    public var endpoint: String?
    /// The value of the header `cookie`; `nil` for that of the client, unless ``endpoint`` is set.
    public var authCookie: String?
    /// The maximum number of rows of a scope; further rows are counted only.
    public var maxScopeEvents = 100_000
    /// The maximum size of a scope's events in bytes; further rows are counted only.
    public var maxScopeBytes = 33_554_432
    /// The size in bytes at which a partition is closed and the next one begins.
    public var maxPartitionBytes = 16_777_216
    /// True to record the changes of scopes in a table of the app's database too, within their transactions, until the events
    /// are stored: each committed change then has its event, also if the process dies. The table is
    /// `clickstream_audit_outbox`, in the database `main` of each connection; beside its file are files of the process.
    public var usesOutbox = false
    /// The record types whose rows are represented by their own JSON.
    public var representations: [any CustomEventRepresentable.Type]
    /// Receives the text of each warning, on any thread; `nil` reports them as warnings of the client. A closure, for any logging
    /// library: `{ logger.warning("\($0)") }`.
    public var logger: (@Sendable (String) -> Void)?
    /// Receives errors; `nil` logs them. The process continues in either case.
    public var errorHandler: (@Sendable (AuditError) -> Void)?

    /// Creates the settings, all others at their defaults. Nothing is checked here.
    public init(
        metadata: [String: String] = [:],
        partitionPrefix: String = "audit",
        endpoint: String? = nil,
        authCookie: String? = nil,
        representations: [any CustomEventRepresentable.Type] = [],
        logger: (@Sendable (String) -> Void)? = nil,
        errorHandler: (@Sendable (AuditError) -> Void)? = nil
    ) {
        self.metadata = metadata
        self.partitionPrefix = partitionPrefix
        self.endpoint = endpoint
        self.authCookie = authCookie
        self.representations = representations
        self.logger = logger
        self.errorHandler = errorHandler
    }
}
#endif
