import CClickstreamSystem
import Synchronization

/// Value of a process: a child of `fork`, which has none of its parent's threads and cannot use its locks, gets another one.
///
/// Thread-safe. Costs one load, and one more per new value between the program and this process.
package final class ProcessLocal<Value: Sendable>: Sendable {
    /// The moment from which a child has a value of its own.
    package enum Beginning: Sendable {
        /// The fork.
        case fork
        /// The reset of the library in the child; until then the child has its parent's value.
        case reset

        fileprivate var count: UInt32 {
            switch self {
            case .fork: clickstream_forks()
            case .reset: clickstream_resets()
            }
        }
    }

    private let beginning: Beginning
    private let count: UInt32
    private let make: @Sendable () -> Value
    private let value: Value
    private let next = AtomicLazyReference<ProcessLocal<Value>>()

    package init(since beginning: Beginning, _ make: @escaping @Sendable () -> Value) {
        self.beginning = beginning
        self.make = make
        count = beginning.count
        value = make()
    }

    /// The value of this process.
    package var current: Value {
        var holder = self
        while holder.count != beginning.count {
            holder = holder.next.load() ?? holder.next.storeIfNil(ProcessLocal(since: beginning, make))
        }
        return holder.value
    }
}
