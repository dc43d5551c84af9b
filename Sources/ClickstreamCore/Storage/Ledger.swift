/// The books of a store: what became of every event that was recorded, across restarts.
///
/// With what is pending beside it the sum of all outcomes is ``recorded``, always.
package struct Ledger: Sendable, Hashable {
    /// Why events were removed unsent.
    package enum Eviction: String, Sendable, Hashable, CaseIterable {
        case bytes
        case count
        case age
        /// A person asked for it.
        case purge
    }

    /// What an event can come to.
    package enum Outcome: String, Sendable, Hashable, CaseIterable {
        case delivered
        /// The server will never take it; nothing was kept.
        case rejected
        /// The server will never take it; it was put into the dead-letter store.
        case setAside = "set-aside"
        case evictedForBytes = "evicted-bytes"
        case evictedForCount = "evicted-count"
        case evictedForAge = "evicted-age"
        case purged
        /// Its record was found damaged when it was about to be sent.
        case damaged
        /// The process or the power died while its record was being written.
        case torn
        /// Its file was gone, or shorter than before.
        case missing
        /// It broke a rule for what an event may be called, and was discarded.
        case invalid
        /// Recording was switched off.
        case disabled
        /// The disk would not take it.
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

    package init() {}

    package subscript(outcome: Outcome) -> Int {
        get { counts[Ledger.places[outcome, default: 0]] }
        set { counts[Ledger.places[outcome, default: 0]] = newValue }
    }

    /// How many events came to an end of any kind.
    package var settled: Int { counts.reduce(0, +) }

    package static func += (left: inout Ledger, right: Ledger) {
        left.recorded += right.recorded
        for outcome in Outcome.allCases { left[outcome] += right[outcome] }
    }

    private static let places = Dictionary(
        uniqueKeysWithValues: Outcome.allCases.enumerated().map { ($0.element, $0.offset) }
    )
}
