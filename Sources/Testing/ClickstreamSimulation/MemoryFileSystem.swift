public import ClickstreamCore

/// In-memory file system with the behavior of `LocalFileSystem` and injectable faults.
///
/// Thread-safe. Every call of a `FileSystem` or `AppendableFile` member that can fail is one operation, numbered from
/// 1; `close` and `unlock` are not operations. After a power cut every operation fails with `EIO`.
public final class MemoryFileSystem: FileSystem {
    /// Content of a file system at one time, without locks and open files.
    package struct Snapshot: Sendable {
        var disk: MemoryDisk
    }

    /// The file system that performs the operations; faults alone are added to it.
    let base: TransientFileSystem
    let faults = AwaitedState(FaultPlan())

    /// Creates an empty file system with only the folder `/`.
    /// - Parameter capacity: the maximum total size of all files in bytes; `nil` for no limit.
    package init(capacity: Int? = nil) {
        base = TransientFileSystem(MemoryDisk(capacity: capacity))
    }

    /// Creates a file system with the content of a snapshot. Counters start at 0, no fault is planned.
    package init(_ snapshot: Snapshot) {
        base = TransientFileSystem(snapshot.disk)
    }

    // MARK: FileSystem

    package func createFolder(_ path: String) throws(FileError) {
        try perform(.createFolder, path) { _ throws(FileError) in try base.createFolder(path) }
    }

    package func names(in folder: String) throws(FileError) -> [String] {
        try perform(.list, folder) { _ throws(FileError) in try base.names(in: folder) }
    }

    package func size(of path: String) throws(FileError) -> Int? {
        try perform(.measure, path) { _ throws(FileError) in try base.size(of: path) }
    }

    package func read(_ path: String, range: Range<Int>) throws(FileError) -> [UInt8] {
        try perform(.read, path) { _ throws(FileError) in try base.read(path, range: range) }
    }

    package func replace(_ path: String, with bytes: [UInt8], durably: Bool) throws(FileError) {
        try perform(.write, path, writing: bytes.count) { faults throws(FileError) in
            var content = bytes
            if faults.isTorn { content = Array(bytes.prefix(faults.writableCount(of: bytes.count))) }
            for (index, mask) in faults.flips(inNext: content.count) { content[index] ^= mask }
            if faults.isTorn {
                // The temporary file is left behind.
                try base.replace(path + ".new", with: content, durably: false)
            } else {
                try base.replace(path, with: content, durably: durably)
            }
            try faults.endWriting(content.count, .write, path)
        }
    }

    package func remove(_ path: String) throws(FileError) {
        try perform(.remove, path) { _ throws(FileError) in try base.remove(path) }
    }

    package func removeFolder(_ path: String) throws(FileError) {
        try perform(.remove, path) { _ throws(FileError) in try base.removeFolder(path) }
    }

    package func rename(_ path: String, to newPath: String) throws(FileError) {
        try perform(.rename, path) { _ throws(FileError) in try base.rename(path, to: newPath) }
    }

    package func open(_ path: String) throws(FileError) -> any AppendableFile {
        try perform(.open, path) { faults throws(FileError) -> any AppendableFile in
            MemoryFile(try base.open(path), at: path, in: self, opening: faults.descriptorClosings)
        }
    }

    package func openAsOnlyWriter(_ path: String) throws(FileError) -> any AppendableFile {
        try perform(.open, path) { faults throws(FileError) -> any AppendableFile in
            MemoryFile(try base.openAsOnlyWriter(path), at: path, in: self, opening: faults.descriptorClosings)
        }
    }

    package func lock(_ path: String) throws(FileError) -> (any FileLock)? {
        try perform(.lock, path) { faults throws(FileError) -> (any FileLock)? in
            guard let lock = try base.lock(path) else { return nil }
            return MemoryLock(self, number: faults.hold(lock))
        }
    }

    /// Performs one operation under the lock, with its planned fault.
    func perform<Value: Sendable>(
        _ operation: FileError.Operation,
        _ path: String,
        writing count: Int? = nil,
        _ body: (inout FaultPlan) throws(FileError) -> Value
    ) throws(FileError) -> Value {
        try faults.withLock { faults throws(FileError) in
            try faults.perform(operation, path, writing: count, body)
        }
    }
}
