/// Final outcome of an event, as the accounting of a store counts it. Raw values are stable: the files of the store contain
/// them.
///
/// Further cases may be added: a `switch` outside this package needs `@unknown default`.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum EventOutcome: String, Sendable, Hashable, CaseIterable {
    /// A server accepted the event.
    case delivered
    /// Permanently rejected by a rule or the server, and not kept.
    case rejected
    /// Permanently rejected by the server, and kept as a dead letter.
    case setAside = "set-aside"
    /// Removed unsent: the store reached its limit of bytes.
    case evictedForBytes = "evicted-bytes"
    /// Removed unsent: the store reached its limit of events.
    case evictedForCount = "evicted-count"
    /// Removed unsent: the event was older than the limit.
    case evictedForAge = "evicted-age"
    /// Removed unsent on request, as by `eraseAll()` or `clickstream-cli queue purge`.
    case purged
    /// Its record was damaged when it was read for sending.
    case damaged
    /// The process or the power failed while its record was being written.
    case torn
    /// Its file was missing, or shorter than before.
    case missing
    /// Recording was disabled, or had ended.
    case disabled
    /// The disk failed to store it.
    case unstored
    /// Without consent: dropped, or removed after a withdrawal.
    case consentDropped = "consent-dropped"
    /// Dropped by middleware.
    case middlewareDropped = "middleware-dropped"
    /// Not in the sample of its name.
    case sampledOut = "sampled-out"

    /// The outcomes of events that were never in the queue.
    static let withoutRecord: [Self] = [
        .rejected, .disabled, .unstored, .consentDropped, .middlewareDropped, .sampledOut,
    ]

    /// The outcome of events that are removed for that reason.
    init(_ reason: Notice.EvictionReason) {
        switch reason {
        case .bytes: self = .evictedForBytes
        case .count: self = .evictedForCount
        case .age: self = .evictedForAge
        case .consent: self = .consentDropped
        case .purge: self = .purged
        }
    }
}
