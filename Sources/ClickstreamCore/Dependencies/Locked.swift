import CClickstreamProcess
import Synchronization

/// A value that one thread at a time may touch: the standard library's `Mutex`, which the thread sanitizer understands.
///
/// On Linux that lock is a futex which the sanitizer does not see, so that it would report every access under it as a
/// race. Here it is told when the lock is taken and left; in a program without the sanitizer that costs a comparison.
package struct Locked<Value: ~Copyable>: ~Copyable {
    private let mutex: Mutex<Value>

    package init(_ value: consuming sending Value) {
        mutex = Mutex(value)
    }

    /// Runs `body` with the value, once no other thread has it.
    package borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        // A lock stays where it is: its address names it. Taken before the lock, since even asking for the value's would
        // be an access.
        let address = withUnsafePointer(to: mutex) { UnsafeMutableRawPointer(mutating: $0) }
        return try mutex.withLock { (value: inout sending Value) throws(Failure) -> sending Result in
            clickstream_lock_taken(address)
            defer { clickstream_lock_left(address) }
            return try body(&value)
        }
    }
}

extension Locked where Value: ~Copyable {
    /// Runs `body` with the value if no other thread has it now; `nil` if one has.
    package borrowing func withLockIfAvailable<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result? {
        let address = withUnsafePointer(to: mutex) { UnsafeMutableRawPointer(mutating: $0) }
        return try mutex.withLockIfAvailable { (value: inout sending Value) throws(Failure) -> sending Result in
            clickstream_lock_taken(address)
            defer { clickstream_lock_left(address) }
            return try body(&value)
        }
    }
}

extension Locked: @unchecked Sendable where Value: ~Copyable {}
