import CClickstreamProcess
package import Synchronization

/// Mutex-protected value: the standard library's `Mutex`, with annotations for the thread sanitizer.
///
/// On Linux that mutex is a futex unknown to the sanitizer, which would report every access under it as a race. The
/// annotations inform the sanitizer of lock and unlock; without the sanitizer they cost a comparison.
package struct Locked<Value: ~Copyable>: ~Copyable {
    @usableFromInline
    let mutex: Mutex<Value>

    package init(_ value: consuming sending Value) {
        mutex = Mutex(value)
    }

    /// Runs `body` with exclusive access to the value. Blocks while another thread has access.
    ///
    /// Inlinable, since a generic call from another module costs several hundred instructions.
    @inlinable
    package borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        // The address of the lock identifies it, since it never moves. It is read before locking, because reading the
        // address of the value would be an access.
        let address = withUnsafePointer(to: mutex) { UnsafeMutableRawPointer(mutating: $0) }
        return try mutex.withLock { (value: inout sending Value) throws(Failure) -> sending Result in
            LockNotes.taken(address)
            defer { LockNotes.left(address) }
            return try body(&value)
        }
    }
}

extension Locked where Value: ~Copyable {
    /// Runs `body` with exclusive access to the value; returns `nil` without blocking if another thread has access.
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

/// Notes about locks for the thread sanitizer.
@usableFromInline
enum LockNotes: Sendable {
    @usableFromInline
    static func taken(_ address: UnsafeMutableRawPointer) { clickstream_lock_taken(address) }

    @usableFromInline
    static func left(_ address: UnsafeMutableRawPointer) { clickstream_lock_left(address) }
}

extension Locked: @unchecked Sendable where Value: ~Copyable {}
