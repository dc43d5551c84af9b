import CClickstreamSystem

/// Identity of the process in which a value was created.
///
/// A child of `fork` has a copy of all memory but only one thread: a lock held by another thread stays locked forever,
/// and a file appended to by the parent must not be appended to by both. Costs one load.
package struct OwningProcess: Sendable, Hashable {
    private let forks = clickstream_forks()

    package init() {}

    /// The number of forks since the program was loaded.
    package static var forks: UInt32 { clickstream_forks() }

    /// The value of ``forks`` in the process that reset the library after a fork last; 0 before.
    package static var resets: UInt32 { clickstream_resets() }

    /// Makes the library as new in a child of `fork`: each ``ProcessLocal`` value since the reset is made again.
    package static func reset() { clickstream_reset() }

    /// False in a child of `fork`.
    package var isCurrent: Bool { forks == clickstream_forks() }
}
