import ClickstreamCore

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Open file of a ``MemoryFileSystem``.
final class MemoryFile: AppendableFile {
    private let base: any AppendableFile
    private let path: String
    private let fileSystem: MemoryFileSystem
    private let isOpen = Locked(true)
    /// The value of ``FaultPlan/descriptorClosings`` when the file was opened.
    private let opening: Int

    init(_ base: any AppendableFile, at path: String, in fileSystem: MemoryFileSystem, opening: Int) {
        self.base = base
        self.path = path
        self.fileSystem = fileSystem
        self.opening = opening
    }

    var size: Int { base.size }

    func append(_ bytes: UnsafeRawBufferPointer) throws(FileError) {
        try perform(.append, writing: bytes.count) { faults throws(FileError) in
            let count = faults.writableCount(of: bytes.count)
            let flips = faults.flips(inNext: count)
            if flips.isEmpty {
                try base.append(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
            } else {
                let corrupted = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
                defer { corrupted.deallocate() }
                corrupted.copyBytes(from: bytes[..<count])
                for (index, mask) in flips { corrupted[index] ^= mask }
                try base.append(UnsafeRawBufferPointer(corrupted))
            }
            try faults.endWriting(count, .append, path)
        }
    }

    func read(from offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(FileError) -> Int {
        try perform(.read) { _ throws(FileError) in try base.read(from: offset, into: buffer) }
    }

    func status() throws(FileError) -> FileStatus {
        try perform(.measure) { _ throws(FileError) in try base.status() }
    }

    func synchronize() throws(FileError) {
        try perform(.synchronize) { _ throws(FileError) in try base.synchronize() }
    }

    func truncate(to size: Int) throws(FileError) {
        try perform(.truncate) { _ throws(FileError) in try base.truncate(to: size) }
    }

    func close() {
        isOpen.withLock { $0 = false }
        base.close()
    }

    private func perform<Value: Sendable>(
        _ operation: FileError.Operation,
        writing count: Int? = nil,
        _ body: (inout FaultPlan) throws(FileError) -> Value
    ) throws(FileError) -> Value {
        guard isOpen.withLock({ $0 }), opening == fileSystem.faults.withLock({ $0.descriptorClosings }) else {
            throw FileError(operation, path, errno: EBADF)
        }
        return try fileSystem.perform(operation, path, writing: count, body)
    }
}

/// Held lock of a ``MemoryFileSystem``.
final class MemoryLock: FileLock {
    private let fileSystem: MemoryFileSystem
    private let number: Int

    init(_ fileSystem: MemoryFileSystem, number: Int) {
        self.fileSystem = fileSystem
        self.number = number
    }

    deinit {
        unlock()
    }

    var isHeld: Bool { fileSystem.faults.withLock { $0.isHeld(lock: number) } }

    func unlock() {
        fileSystem.faults.withLock { $0.unlock(number) }
    }
}
