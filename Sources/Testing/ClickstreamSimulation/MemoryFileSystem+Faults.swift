package import ClickstreamCore

/// Planned faults, and the counters that trigger them.
extension MemoryFileSystem {
    /// Injectable fault.
    public enum Fault: Sendable, Hashable {
        /// The operation has no effect and fails once with this error number.
        case fail(errno: Int32)
        /// The operation completes, then the power is cut.
        case cutPower
        /// The operation writes at most this number of bytes, then the power is cut. An operation that does not write
        /// has no effect.
        case tear(bytes: Int)
    }

    /// Trigger of a fault. Both counters start at 1 with the creation of the file system.
    public enum Point: Sendable, Hashable {
        /// The n-th operation.
        case operation(Int)
        /// The n-th append or replacement.
        case write(Int)
    }

    /// The number of operations so far, including failed ones.
    public var operations: Int { faults.withLock { $0.operations } }

    /// Suspends until this number of operations has ended in total.
    package func operations(reach count: Int) async {
        await faults.until { $0.operations >= count }
    }

    /// The number of appends and replacements so far.
    public var writes: Int { faults.withLock { $0.writes } }

    /// The total number of bytes written so far.
    package var writtenBytes: Int { faults.withLock { $0.writtenBytes } }

    /// True after a power cut, when every operation fails.
    package var isPowerCut: Bool { faults.withLock { $0.isPowerCut } }

    /// Plans a fault.
    public func inject(_ fault: Fault, at point: Point) {
        faults.withLock { $0.planned[point] = fault }
    }

    /// Makes all operations of these kinds fail with `errno`, until called with `nil`.
    package func refuse(_ operations: Set<FileError.Operation>, errno: Int32?) {
        faults.withLock { faults in
            for operation in operations { faults.refused[operation] = errno }
        }
    }

    /// Makes a range of consecutive operations fail with `errno`.
    package func refuse(operations: Range<Int>, errno: Int32) {
        faults.withLock { $0.refusedOperations = (operations, errno) }
    }

    /// Corrupts the n-th byte ever written, counted from 0.
    package func flip(writtenByte index: Int, mask: UInt8 = 1) {
        faults.withLock { $0.flips[index] = mask }
    }

    /// Closes all open files and releases all locks, as a program does that closes descriptors which it did not open.
    package func closeDescriptors() {
        faults.withLock { $0.closeDescriptors() }
    }

    /// Cuts the power immediately.
    package func cutPower() {
        faults.withLock { $0.isPowerCut = true }
    }
}
