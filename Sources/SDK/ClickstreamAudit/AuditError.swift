#if Audit
/// Failure of recording or storing audit events.
///
/// Further cases may be added: a `switch` outside this package needs `@unknown default`.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum AuditError: Error, Sendable, Hashable {
    /// A partition prefix with another length or another character.
    case invalidPartitionPrefix(String)
    /// Metadata with names of the event's own members; these members are left out.
    case reservedMetadata([String])
    /// The scope was committed or cancelled before.
    case scopeEnded
    /// Recording is switched off; the events are dropped.
    case disabled
    /// The client has ended, or its queue of audit events cannot be opened; the events are dropped.
    case unavailable
    /// The events cannot be stored, for the given reason; they are dropped.
    case notStored(reason: String)
    /// The store's folder cannot be used; the events are kept in memory alone, and delivered unless the process ends before.
    case keptInMemory
    /// Another user of SQLite's pre-update hook was found on a connection to this database and has been replaced; from now
    /// on changes are tracked with triggers, so that it can install its hook again.
    case hookInUse(database: String)
    /// Another trace function was installed on a connection to this database: reads are no longer recorded there.
    case traceReplaced(database: String)
    /// Changes of a table cannot be recorded, for the given reason.
    case untracked(table: String, reason: String)
    /// A query of the library's own failed on a connection to this database, for SQLite's reason: events of the scope are
    /// stored, but rows may be missing in them. They never have wrong values.
    case incomplete(database: String, reason: String)
    /// The outbox of this database cannot be used, or emptied of the rows of ended processes, for the given reason. Such rows
    /// are kept until the database is opened again.
    case outbox(database: String, reason: String)
    /// The custom representation of a row of this table is not JSON; the row is recorded by its key alone.
    case invalidRepresentation(table: String)
}

extension AuditError: CustomStringConvertible {
    /// The failure, with its reason where one is known.
    public var description: String {
        switch self {
        case .invalidPartitionPrefix(let prefix):
            "the partition prefix \"\(prefix)\" is not valid; use 1 to 50 printable ASCII characters without space and @"
        case .reservedMetadata(let names):
            "metadata cannot have the names of an event's own members: \(names.joined(separator: ", "))"
        case .scopeEnded: "the scope was committed or cancelled before"
        case .disabled: "recording is switched off"
        case .unavailable: "the client has ended, or its queue of audit events cannot be opened"
        case .notStored(let reason): "the audit events cannot be stored: \(reason)"
        case .keptInMemory: "the store's folder cannot be used; the audit events are kept in memory alone"
        case .hookInUse(let database):
            "\(database): another user of SQLite's pre-update hook was replaced; changes are tracked with triggers now"
        case .traceReplaced(let database):
            "\(database): another trace function was installed; reads are no longer recorded"
        case .untracked(let table, let reason): "changes of \(table) are not recorded: \(reason)"
        case .incomplete(let database, let reason):
            "\(database): rows may be missing in the events of a scope, after a failed query: \(reason)"
        case .outbox(let database, let reason): "\(database): the outbox of audit events cannot be used: \(reason)"
        case .invalidRepresentation(let table):
            "the custom representation of a row of \(table) is not JSON; its key alone is recorded"
        }
    }
}
#endif
