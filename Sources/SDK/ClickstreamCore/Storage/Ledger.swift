/// Accounting of a store: the outcome of every recorded event, across restarts.
///
/// Invariant: the sum of all outcomes plus the pending events equals ``recorded``.
package struct Ledger: Sendable, Equatable {
    package var recorded = 0
    private var counts = [Int](repeating: 0, count: EventOutcome.allCases.count)

    /// The rejected events by code: an ``ErrorCode``, or an HTTP status. Manifests of earlier versions have no code for
    /// some of them.
    package private(set) var rejections: [Int: Int] = [:]

    /// Events that middleware dropped or changed, by its name.
    package private(set) var middleware: [String: MiddlewareCount] = [:]

    /// Number of events that one function of the middleware dropped or changed.
    package struct MiddlewareCount: Sendable, Equatable {
        package var dropped = 0
        package var changed = 0

        package init() {}
    }

    package init() {}

    /// Counts the outcome of middleware for one event.
    package mutating func count(_ outcome: MiddlewareOutcome) {
        for name in outcome.changedBy { middleware[name, default: MiddlewareCount()].changed += 1 }
        guard let name = outcome.droppedBy else { return }
        middleware[name, default: MiddlewareCount()].dropped += 1
        self[.middlewareDropped] += 1
    }

    /// Sets the counts of a function, as read from the manifest.
    mutating func setMiddleware(_ name: String, dropped: Int, changed: Int) {
        middleware[name] = MiddlewareCount()
        middleware[name]?.dropped = dropped
        middleware[name]?.changed = changed
    }

    /// Counts events that are permanently rejected and not kept.
    package mutating func reject(_ events: Int = 1, code: Int) {
        self[.rejected] += events
        rejections[code, default: 0] += events
    }

    /// Sets the number of rejected events with a code, as read from the manifest.
    mutating func setRejections(_ events: Int, code: Int) {
        rejections[code] = events
    }

    package subscript(outcome: EventOutcome) -> Int {
        get { counts[Ledger.indices[outcome, default: 0]] }
        set { counts[Ledger.indices[outcome, default: 0]] = newValue }
    }

    /// The number of events with a final outcome.
    package var settled: Int { counts.reduce(0, +) }

    package static func += (left: inout Ledger, right: Ledger) {
        left.recorded += right.recorded
        for outcome in EventOutcome.allCases { left[outcome] += right[outcome] }
        left.rejections.merge(right.rejections, uniquingKeysWith: +)
        for (name, count) in right.middleware {
            left.middleware[name, default: MiddlewareCount()].dropped += count.dropped
            left.middleware[name, default: MiddlewareCount()].changed += count.changed
        }
    }

    /// Returns what was added since `earlier` for events that never had a record in the queue.
    func outcomesWithoutRecord(since earlier: Ledger) -> Ledger {
        var added = Ledger()
        for outcome in EventOutcome.withoutRecord {
            added[outcome] = max(0, self[outcome] - earlier[outcome])
            added.recorded += added[outcome]
        }
        for (code, count) in rejections {
            added.rejections[code] = max(0, count - earlier.rejections[code, default: 0])
        }
        for (name, count) in middleware {
            let before = earlier.middleware[name, default: MiddlewareCount()]
            added.middleware[name, default: MiddlewareCount()].dropped = max(0, count.dropped - before.dropped)
            added.middleware[name, default: MiddlewareCount()].changed = max(0, count.changed - before.changed)
        }
        return added
    }

    private static let indices = Dictionary(
        uniqueKeysWithValues: EventOutcome.allCases.enumerated().map { ($0.element, $0.offset) }
    )
}
