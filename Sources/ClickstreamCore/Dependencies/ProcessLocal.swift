import Synchronization

/// Value of a process: a child of `fork`, which has none of its parent's threads and cannot use its locks, gets another one.
///
/// Thread-safe. Costs one load, and one more per fork between the program and this process.
final class ProcessLocal<Value: Sendable>: Sendable {
    private let owner = OwningProcess()
    private let make: @Sendable () -> Value
    private let value: Value
    private let inChild = AtomicLazyReference<ProcessLocal<Value>>()

    init(_ make: @escaping @Sendable () -> Value) {
        self.make = make
        value = make()
    }

    /// The value of this process.
    var current: Value {
        var holder = self
        while !holder.owner.isCurrent { holder = holder.inChild.storeIfNil(ProcessLocal(make)) }
        return holder.value
    }
}
