/// Accounting of a store: the outcome of every recorded event, across restarts.
///
/// Invariant: the sum of all outcomes plus the pending events equals ``recorded``.
package struct Ledger: Sendable, Equatable {
    /// Reason for which events were removed unsent.
    package enum Eviction: String, Sendable, Equatable, CaseIterable {
        case bytes
        case count
        case age
        /// Requested by the user.
        case purge
    }

    /// Final outcome of an event.
    package enum Outcome: String, Sendable, Equatable, CaseIterable {
        case delivered
        /// Permanently rejected by a rule or the server, and not kept; ``Ledger/rejections`` counts them by code.
        case rejected
        /// Permanently rejected by the server, and kept as a dead letter.
        case setAside = "set-aside"
        case evictedForBytes = "evicted-bytes"
        case evictedForCount = "evicted-count"
        case evictedForAge = "evicted-age"
        case purged
        /// Its record was damaged when it was read for sending.
        case damaged
        /// The process or the power failed while its record was being written.
        case torn
        /// Its file was missing, or shorter than before.
        case missing
        /// Recording was disabled.
        case disabled
        /// The disk failed to store it.
        case unstored

        init(_ eviction: Eviction) {
            switch eviction {
            case .bytes: self = .evictedForBytes
            case .count: self = .evictedForCount
            case .age: self = .evictedForAge
            case .purge: self = .purged
            }
        }
    }

    package var recorded = 0
    private var counts = [Int](repeating: 0, count: Outcome.allCases.count)

    /// The rejected events by code: an ``ErrorCode``, or an HTTP status. Manifests of earlier versions have no code for
    /// some of them.
    package private(set) var rejections: [Int: Int] = [:]

    package init() {}

    /// Counts events that are permanently rejected and not kept.
    package mutating func reject(_ events: Int = 1, code: Int) {
        self[.rejected] += events
        rejections[code, default: 0] += events
    }

    /// Sets the number of rejected events with a code, as read from the manifest.
    mutating func setRejections(_ events: Int, code: Int) {
        rejections[code] = events
    }

    package subscript(outcome: Outcome) -> Int {
        get { counts[Ledger.places[outcome, default: 0]] }
        set { counts[Ledger.places[outcome, default: 0]] = newValue }
    }

    /// The number of events with a final outcome.
    package var settled: Int { counts.reduce(0, +) }

    package static func += (left: inout Ledger, right: Ledger) {
        left.recorded += right.recorded
        for outcome in Outcome.allCases { left[outcome] += right[outcome] }
        left.rejections.merge(right.rejections, uniquingKeysWith: +)
    }

    private static let places = Dictionary(
        uniqueKeysWithValues: Outcome.allCases.enumerated().map { ($0.element, $0.offset) }
    )
}
