public import ClickstreamCore

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// In-memory file system with the behavior of `LocalFileSystem` and injectable faults.
///
/// Thread-safe. Every call of a `FileSystem` or `AppendableFile` member that can fail is one operation, numbered from
/// 1; `close` and `unlock` are not operations. After a power cut every operation fails with `EIO`. To inspect the
/// remaining content, take a ``snapshot(losingUnsynchronized:)`` and open it as a new file system.
public final class MemoryFileSystem: FileSystem {
    /// Content of a file system at one time, without locks and open files.
    public struct Snapshot: Sendable {
        var disk: MemoryDisk
    }

    /// Disk and planned faults, changed together by one operation.
    struct State: Sendable {
        var disk: MemoryDisk
        var faults = FaultPlan()
        /// The number of calls of ``MemoryFileSystem/closeDescriptors()``.
        var descriptorClosings = 0

        /// Appends content to a file, as far as the planned fault of the operation allows.
        mutating func append(_ bytes: some Collection<UInt8>, to inode: Int) throws(MemoryDisk.Refusal) {
            try disk.checkSpace(for: bytes.count)
            let count = faults.writableCount(of: bytes.count)
            let start = disk.append(bytes.prefix(count), to: inode)
            for (place, mask) in faults.flips(inNext: count) { disk.flip(start + place, of: inode, mask: mask) }
            try faults.endWriting(count)
        }
    }

    let state: Locked<State>

    /// Creates an empty file system with only the folder `/`.
    /// - Parameter capacity: the maximum total size of all files in bytes; `nil` for no limit.
    public init(capacity: Int? = nil) {
        state = Locked(State(disk: MemoryDisk(capacity: capacity)))
    }

    /// Creates a file system with the content of a snapshot. Counters start at 0, no fault is planned.
    public init(_ snapshot: Snapshot) {
        state = Locked(State(disk: snapshot.disk))
    }

    // MARK: FileSystem

    public func createFolder(_ path: String) throws(FileError) {
        try perform(.createFolder, path) { state, path throws(MemoryDisk.Refusal) in
            try state.disk.createFolder(path)
        }
    }

    public func names(in folder: String) throws(FileError) -> [String] {
        try perform(.list, folder) { state, path throws(MemoryDisk.Refusal) in
            try state.disk.names(in: path)
        }
    }

    public func size(of path: String) throws(FileError) -> Int? {
        try perform(.measure, path) { state, path throws(MemoryDisk.Refusal) in
            try state.disk.inode(at: path).flatMap { state.disk.inodes[$0]?.bytes.count }
        }
    }

    public func read(_ path: String, range: Range<Int>) throws(FileError) -> [UInt8] {
        try perform(.read, path) { state, path throws(MemoryDisk.Refusal) in
            guard let inode = try state.disk.inode(at: path), let bytes = state.disk.inodes[inode]?.bytes else {
                throw MemoryDisk.Refusal(ENOENT)
            }
            return Array(bytes[min(range.lowerBound, bytes.count)..<min(range.upperBound, bytes.count)])
        }
    }

    public func replace(_ path: String, with bytes: [UInt8], durably: Bool) throws(FileError) {
        try perform(.write, path, writing: bytes.count) { state, path throws(MemoryDisk.Refusal) in
            let temporary = path + ".new"
            let inode = try state.disk.inodeForWriting(at: temporary)
            do throws(MemoryDisk.Refusal) {
                try state.disk.inode(at: path)  // fails if the path is a folder
                state.disk.truncate(inode, to: 0)
                try state.append(bytes, to: inode)
                if durably { state.disk.synchronize(inode) }
                try state.disk.rename(temporary, to: path)
            } catch {
                if !state.faults.isPowerCut { try state.disk.remove(temporary) }
                throw error
            }
        }
    }

    public func remove(_ path: String) throws(FileError) {
        try perform(.remove, path) { state, path throws(MemoryDisk.Refusal) in
            try state.disk.remove(path)
        }
    }

    public func removeFolder(_ path: String) throws(FileError) {
        try perform(.remove, path) { state, path throws(MemoryDisk.Refusal) in
            try state.disk.removeFolder(path)
        }
    }

    public func rename(_ path: String, to newPath: String) throws(FileError) {
        try perform(.rename, path) { state, path throws(MemoryDisk.Refusal) in
            try state.disk.rename(path, to: MemoryPath.normalized(newPath))
        }
    }

    public func open(_ path: String) throws(FileError) -> any AppendableFile {
        try open(path, isPositioned: false)
    }

    public func openAsOnlyWriter(_ path: String) throws(FileError) -> any AppendableFile {
        try open(path, isPositioned: true)
    }

    private func open(_ path: String, isPositioned: Bool) throws(FileError) -> any AppendableFile {
        let inode = try perform(.open, path) { state, path throws(MemoryDisk.Refusal) in
            let inode = try state.disk.inodeForWriting(at: path)
            state.disk.inodes[inode]?.handles += 1
            return inode
        }
        return MemoryFile(self, path: path, inode: inode, isPositioned: isPositioned)
    }

    public func lock(_ path: String) throws(FileError) -> (any FileLock)? {
        let inode = try perform(.lock, path) { state, path throws(MemoryDisk.Refusal) -> Int? in
            let inode = try state.disk.inodeForWriting(at: path)
            guard state.disk.locked.insert(inode).inserted else { return nil }
            state.disk.inodes[inode]?.handles += 1
            return inode
        }
        return inode.map { MemoryLock(self, inode: $0) }
    }

    // MARK: Operations

    /// Performs one operation under the lock, with its planned fault.
    private func perform<Result: Sendable>(
        _ operation: FileError.Operation,
        _ path: String,
        writing count: Int? = nil,
        _ body: (inout State, String) throws(MemoryDisk.Refusal) -> Result
    ) throws(FileError) -> Result {
        try performOnFile(operation, path, writing: count) { state throws(MemoryDisk.Refusal) in
            try body(&state, MemoryPath.normalized(path))
        }
    }

    /// Performs one operation on an open file, independently of its current path.
    private func performOnFile<Result: Sendable>(
        _ operation: FileError.Operation,
        _ path: String,
        writing count: Int? = nil,
        _ body: (inout State) throws(MemoryDisk.Refusal) -> Result
    ) throws(FileError) -> Result {
        do {
            return try state.withLock { state throws(MemoryDisk.Refusal) in
                try state.faults.begin(operation, writing: count)
                defer { state.faults.end() }
                return try body(&state)
            }
        } catch {
            throw FileError(operation, path, errno: error.errno)
        }
    }

    func append(
        _ bytes: UnsafeRawBufferPointer,
        to inode: Int,
        at offset: Int?,
        path: String
    ) throws(FileError) {
        try performOnFile(.append, path, writing: bytes.count) { state throws(MemoryDisk.Refusal) in
            if let offset { state.disk.extend(inode, to: offset) }
            try state.append(bytes, to: inode)
        }
    }

    func read(
        _ inode: Int,
        from offset: Int,
        into buffer: UnsafeMutableRawBufferPointer,
        path: String
    ) throws(FileError) -> Int {
        let bytes = try performOnFile(.read, path) { state in state.disk.inodes[inode]?.bytes ?? [] }
        let found = bytes[min(offset, bytes.count)..<min(offset + buffer.count, bytes.count)]
        buffer.copyBytes(from: found)
        return found.count
    }

    func look(at inode: Int, path: String) throws(FileError) -> FilePlace {
        try perform(.measure, path) { state, path in
            FilePlace(isNamed: state.disk.files[path] == inode, size: state.disk.inodes[inode]?.bytes.count ?? 0)
        }
    }

    func synchronize(_ inode: Int, path: String) throws(FileError) {
        try performOnFile(.synchronize, path) { state in state.disk.synchronize(inode) }
    }

    func truncate(_ inode: Int, to size: Int, path: String) throws(FileError) {
        try performOnFile(.truncate, path) { state in state.disk.truncate(inode, to: size) }
    }

    func size(ofInode inode: Int) -> Int {
        state.withLock { $0.disk.inodes[inode]?.bytes.count ?? 0 }
    }

    func release(_ inode: Int, locked: Bool) {
        state.withLock { state in
            if locked { state.disk.locked.remove(inode) }
            state.disk.inodes[inode]?.handles -= 1
            state.disk.forgetWhenUnused(inode)
        }
    }
}
