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
    /// The fault of the current operation.
    private var fault: MemoryFileSystem.Fault?

    /// Begins an operation, and throws the error of its fault.
    /// - Parameter count: the number of bytes to write; `nil` for an operation that does not write.
    mutating func begin(_ operation: FileError.Operation, writing count: Int?) throws(MemoryDisk.Refusal) {
        operations += 1
        if count != nil { writes += 1 }
        fault = nil
        if !planned.isEmpty {
            fault = planned[.operation(operations)] ?? (count == nil ? nil : planned[.write(writes)])
        }
        guard !isPowerCut else { throw MemoryDisk.Refusal(EIO) }
        if !refused.isEmpty, let errno = refused[operation] { throw MemoryDisk.Refusal(errno) }
        if refusedOperations.operations.contains(operations) { throw MemoryDisk.Refusal(refusedOperations.errno) }
        switch fault {
        case .fail(let errno):
            throw MemoryDisk.Refusal(errno)
        case .tear where count == nil:
            isPowerCut = true
            throw MemoryDisk.Refusal(EIO)
        case .tear, .cutPower, nil:
            break
        }
    }

    mutating func end() {
        if fault == .cutPower { isPowerCut = true }
        fault = nil
    }

    /// Returns the number of bytes that the current operation writes of `count`.
    func writableCount(of count: Int) -> Int {
        guard case .tear(let limit) = fault else { return count }
        return min(count, limit)
    }

    /// Returns the positions and masks of corrupted bytes among the next `count` written ones.
    func flips(inNext count: Int) -> [(place: Int, mask: UInt8)] {
        if flips.isEmpty { return [] }
        return flips.lazy.map { ($0.key - writtenBytes, $0.value) }.filter { (0..<count).contains($0.0) }
    }

    /// Counts written bytes. Cuts the power if the operation was torn.
    mutating func endWriting(_ count: Int) throws(MemoryDisk.Refusal) {
        writtenBytes += count
        guard case .tear = fault else { return }
        isPowerCut = true
        throw MemoryDisk.Refusal(EIO)
    }
}
