import ClickstreamCore

/// Time limit of a stop for everything that is computed then: summary, expectations, comparison with the plan.
struct StopDeadline: Sendable {
    /// Milliseconds from the beginning of the stop. A stop has ten seconds; the rest is for completing the archive and for
    /// closing the store.
    static let milliseconds: Int64 = 8_500

    private let end = SystemDependencies.time.now().steady + StopDeadline.milliseconds

    /// The rest of the time in milliseconds.
    var remaining: Int64 { max(0, end - SystemDependencies.time.now().steady) }

    var hasPassed: Bool { remaining == 0 }
}
