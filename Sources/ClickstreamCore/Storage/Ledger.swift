/// The books of a store: what became of every event that was recorded, across restarts.
///
/// With what is pending beside it the sum of all outcomes is ``recorded``, always.
package struct Ledger: Sendable, Equatable {
    /// Why events were removed unsent.
    package enum Eviction: String, Sendable, Equatable, CaseIterable {
        case bytes
        case count
        case age
        /// A person asked for it.
        case purge
    }

    /// What an event can come to.
    package enum Outcome: String, Sendable, Equatable, CaseIterable {
        case delivered
        /// A rule or the server refuses it for good, and nothing was kept: ``Ledger/rejections`` says by which code.
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

    /// The rejected events by the code of what refused them: an ``ErrorCode``, or an HTTP status. Books of earlier versions
    /// name no code for some.
    package private(set) var rejections: [Int: Int] = [:]

    package init() {}

    /// Counts events that are refused for good, and of which nothing is kept.
    package mutating func reject(_ events: Int = 1, code: Int) {
        self[.rejected] += events
        rejections[code, default: 0] += events
    }

    /// Takes over from the books how many of the rejected events have a code.
    mutating func setRejections(_ events: Int, code: Int) {
        rejections[code] = events
    }

    package subscript(outcome: Outcome) -> Int {
        get { counts[Ledger.places[outcome, default: 0]] }
        set { counts[Ledger.places[outcome, default: 0]] = newValue }
    }

    /// How many events came to an end of any kind.
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
