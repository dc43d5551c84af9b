import ClickstreamCore

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Faults planned for a ``MemoryFileSystem``, with the counters that trigger them.
struct FaultPlan: Sendable {
    private(set) var operations = 0
    private(set) var writes = 0
    private(set) var writtenBytes = 0
    var isPowerCut = false
    var planned: [MemoryFileSystem.Point: MemoryFileSystem.Fault] = [:]
    /// The error numbers of kinds of operations that fail.
    var refused: [FileError.Operation: Int32] = [:]
    var refusedOperations: (operations: Range<Int>, errno: Int32) = (0..<0, 0)
    /// The masks of written bytes that are corrupted, by their position among all written bytes.
    var flips: [Int: UInt8] = [:]
    /// The number of calls of ``MemoryFileSystem/closeDescriptors()``.
    private(set) var descriptorClosings = 0
    /// The held locks by number.
    private var locks: [Int: any FileLock] = [:]
    private var nextLock = 1
    /// The fault of the current operation.
    private var fault: MemoryFileSystem.Fault?

    /// Performs an operation on `path`, unless its fault replaces it by an error.
    /// - Parameter count: the number of bytes to write; `nil` for an operation that does not write.
    mutating func perform<Result>(
        _ operation: FileError.Operation,
        _ path: String,
        writing count: Int?,
        _ body: (inout FaultPlan) throws(FileError) -> Result
    ) throws(FileError) -> Result {
        if let errno = begin(operation, writing: count) { throw FileError(operation, path, errno: errno) }
        defer { end() }
        return try body(&self)
    }

    /// Begins an operation.
    /// - Returns: the error number of its fault; `nil` if it is to be performed.
    private mutating func begin(_ operation: FileError.Operation, writing count: Int?) -> Int32? {
        operations += 1
        if count != nil { writes += 1 }
        fault = nil
        if !planned.isEmpty {
            fault = planned[.operation(operations)] ?? (count == nil ? nil : planned[.write(writes)])
        }
        guard !isPowerCut else { return EIO }
        if !refused.isEmpty, let errno = refused[operation] { return errno }
        if refusedOperations.operations.contains(operations) { return refusedOperations.errno }
        switch fault {
        case .fail(let errno):
            return errno
        case .tear where count == nil:
            isPowerCut = true
            return EIO
        case .tear, .cutPower, nil:
            return nil
        }
    }

    private mutating func end() {
        if fault == .cutPower { isPowerCut = true }
        fault = nil
    }

    // MARK: Writing

    /// True if the current operation writes only a part of its bytes.
    var isTorn: Bool { if case .tear = fault { true } else { false } }

    /// Returns the number of bytes that the current operation writes of `count`.
    func writableCount(of count: Int) -> Int {
        guard case .tear(let limit) = fault else { return count }
        return min(count, limit)
    }

    /// Returns the positions and masks of corrupted bytes among the next `count` written ones.
    func flips(inNext count: Int) -> [(index: Int, mask: UInt8)] {
        if flips.isEmpty { return [] }
        return flips.lazy.map { ($0.key - writtenBytes, $0.value) }.filter { (0..<count).contains($0.0) }
    }

    /// Counts written bytes. Cuts the power if the operation was torn.
    mutating func endWriting(_ count: Int, _ operation: FileError.Operation, _ path: String) throws(FileError) {
        writtenBytes += count
        guard isTorn else { return }
        isPowerCut = true
        throw FileError(operation, path, errno: EIO)
    }

    // MARK: Descriptors

    /// Returns the number of a lock that is held from now on.
    mutating func hold(_ lock: any FileLock) -> Int {
        defer { nextLock += 1 }
        locks[nextLock] = lock
        return nextLock
    }

    func isHeld(lock number: Int) -> Bool { locks[number]?.isHeld ?? false }

    mutating func unlock(_ number: Int) {
        locks.removeValue(forKey: number)?.unlock()
    }

    /// Releases all locks; files that are open remain closed.
    mutating func closeDescriptors() {
        descriptorClosings += 1
        for lock in locks.values { lock.unlock() }
        locks = [:]
    }
}
