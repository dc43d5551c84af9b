#if Audit
import ClickstreamCore

/// Row of an outbox: the changes of one transaction in one scope.
struct OutboxRow: Sendable, Equatable {
    /// The identifier of the scope's write event.
    var event: String
    /// The number of the commit, in the order of the scope.
    var number: Int
    /// The process that records the scope.
    var owner: String
    var activity: String
    /// The encoded metadata at the beginning of the scope.
    var metadata: [UInt8]
    /// The time of the transaction's end.
    var time: Timestamp
    /// The changes in the form of ``OutboxChanges``.
    var changes: [UInt8]
}
#endif
