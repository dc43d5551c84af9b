import CClickstreamSystem
package import Synchronization

#if os(Linux)
/// Value protected by a lock, with annotations for the thread sanitizer.
///
/// The standard library's `Mutex` contains the thread id that its thread had when it first locked one: in a child of `fork`
/// that is another process's, and the first contended lock ends the process or never returns. This lock is a word and a
/// futex without an owner, with the value in an allocation of its own.
package struct Locked<Value: ~Copyable>: ~Copyable {
    /// 0: free; 1: locked; 2: locked, and threads may wait.
    @usableFromInline
    let word = Atomic<UInt32>(0)
    @usableFromInline
    let value: UnsafeMutablePointer<Value>

    package init(_ value: consuming sending Value) {
        self.value = UnsafeMutablePointer.allocate(capacity: 1)
        self.value.initialize(to: value)
    }

    deinit {
        value.deinitialize(count: 1)
        value.deallocate()
    }

    /// Runs `body` with exclusive access to the value. Blocks while another thread has access.
    ///
    /// Inlinable, since a generic call from another module costs several hundred instructions.
    @inlinable
    package borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        if !lockIfFree() { LockWord.wait(for: word) }
        LockWord.taken(value)
        defer { unlock() }
        return try body(&value.pointee)
    }

    /// Runs `body` with exclusive access to the value; returns `nil` without blocking if another thread has access.
    package borrowing func withLockIfAvailable<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result? {
        guard lockIfFree() else { return nil }
        LockWord.taken(value)
        defer { unlock() }
        return try body(&value.pointee)
    }

    @inlinable
    package borrowing func lockIfFree() -> Bool {
        word.compareExchange(expected: 0, desired: 1, successOrdering: .acquiring, failureOrdering: .relaxed).exchanged
    }

    @inlinable
    package borrowing func unlock() {
        LockWord.left(value)
        if word.exchange(0, ordering: .releasing) == 2 { LockWord.wake(word) }
    }
}

/// Slow paths of a lock, and notes about it for the thread sanitizer.
package enum LockWord: Sendable {
    package static func wait(for word: borrowing Atomic<UInt32>) {
        withUnsafePointer(to: word) { clickstream_lock_wait(UnsafeMutableRawPointer(mutating: $0)) }
    }

    package static func wake(_ word: borrowing Atomic<UInt32>) {
        withUnsafePointer(to: word) { clickstream_lock_wake(UnsafeMutableRawPointer(mutating: $0)) }
    }

    package static func taken(_ value: UnsafeMutableRawPointer) { clickstream_lock_taken(value) }

    package static func left(_ value: UnsafeMutableRawPointer) { clickstream_lock_left(value) }
}
#else
/// Value protected by the standard library's `Mutex`.
package struct Locked<Value: ~Copyable>: ~Copyable {
    @usableFromInline
    let mutex: Mutex<Value>

    package init(_ value: consuming sending Value) {
        mutex = Mutex(value)
    }

    /// Runs `body` with exclusive access to the value. Blocks while another thread has access.
    @inlinable
    package borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        try mutex.withLock(body)
    }

    /// Runs `body` with exclusive access to the value; returns `nil` without blocking if another thread has access.
    package borrowing func withLockIfAvailable<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result? {
        try mutex.withLockIfAvailable(body)
    }
}
#endif

extension Locked: @unchecked Sendable where Value: ~Copyable {}
