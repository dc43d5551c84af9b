import CClickstreamProcess

/// The process that a value was made in.
///
/// A child of `fork` has a copy of everything and only one of the threads: a lock that another thread held stays held there for
/// ever, and a file that the parent appends to must not be appended to by both. Costs one load.
package struct OwningProcess: Sendable, Hashable {
    private let forks = clickstream_forks()

    package init() {}

    /// Forks since the program was loaded.
    package static var forks: UInt32 { clickstream_forks() }

    /// False in a child of `fork`.
    package var isCurrent: Bool { forks == clickstream_forks() }
}
