#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// In-memory file system for the lifetime of the process, used while the store's folder is unusable, and by tests through
/// `MemoryFileSystem` of `ClickstreamSimulation`, which adds faults.
///
/// Thread-safe. Without a limit of the disk, the store's queue is bounded by ``QueueLimits/inMemory``.
package final class TransientFileSystem: FileSystem {
    private let disk: Locked<MemoryDisk>

    package init(_ disk: MemoryDisk = MemoryDisk()) {
        self.disk = Locked(disk)
    }

    /// Accesses the content without a file operation.
    package func withDisk<Result: Sendable>(_ body: (inout MemoryDisk) -> Result) -> Result {
        disk.withLock { body(&$0) }
    }

    // MARK: FileSystem

    package func createFolder(_ path: String) throws(FileError) {
        try perform(.createFolder, path) { disk, path throws(MemoryDisk.Refusal) in
            try disk.createFolder(path)
        }
    }

    package func names(in folder: String) throws(FileError) -> [String] {
        try perform(.list, folder) { disk, path throws(MemoryDisk.Refusal) in
            try disk.names(in: path)
        }
    }

    package func size(of path: String) throws(FileError) -> Int? {
        try perform(.measure, path) { disk, path throws(MemoryDisk.Refusal) in
            try disk.inode(at: path).flatMap { disk.inodes[$0]?.bytes.count }
        }
    }

    package func read(_ path: String, range: Range<Int>) throws(FileError) -> [UInt8] {
        try perform(.read, path) { disk, path throws(MemoryDisk.Refusal) in
            guard let inode = try disk.inode(at: path), let bytes = disk.inodes[inode]?.bytes else {
                throw MemoryDisk.Refusal(ENOENT)
            }
            return Array(bytes[min(range.lowerBound, bytes.count)..<min(range.upperBound, bytes.count)])
        }
    }

    package func replace(_ path: String, with bytes: [UInt8], durably: Bool) throws(FileError) {
        try perform(.write, path) { disk, path throws(MemoryDisk.Refusal) in
            let temporary = path + ".new"
            let inode = try disk.inodeForWriting(at: temporary)
            do throws(MemoryDisk.Refusal) {
                try disk.inode(at: path)  // fails if the path is a folder
                disk.truncate(inode, to: 0)
                try disk.append(bytes, to: inode)
                if durably { disk.synchronize(inode) }
                try disk.rename(temporary, to: path)
            } catch {
                try disk.remove(temporary)
                throw error
            }
        }
    }

    package func remove(_ path: String) throws(FileError) {
        try perform(.remove, path) { disk, path throws(MemoryDisk.Refusal) in
            try disk.remove(path)
        }
    }

    package func removeFolder(_ path: String) throws(FileError) {
        try perform(.remove, path) { disk, path throws(MemoryDisk.Refusal) in
            try disk.removeFolder(path)
        }
    }

    package func rename(_ path: String, to newPath: String) throws(FileError) {
        try perform(.rename, path) { disk, path throws(MemoryDisk.Refusal) in
            try disk.rename(path, to: MemoryPath.normalized(newPath))
        }
    }

    package func open(_ path: String) throws(FileError) -> any AppendableFile {
        try open(path, isPositioned: false)
    }

    package func openAsOnlyWriter(_ path: String) throws(FileError) -> any AppendableFile {
        try open(path, isPositioned: true)
    }

    private func open(_ path: String, isPositioned: Bool) throws(FileError) -> any AppendableFile {
        let inode = try perform(.open, path) { disk, path throws(MemoryDisk.Refusal) in
            let inode = try disk.inodeForWriting(at: path)
            disk.inodes[inode]?.handles += 1
            return inode
        }
        return TransientFile(self, path: path, inode: inode, isPositioned: isPositioned)
    }

    package func lock(_ path: String) throws(FileError) -> (any FileLock)? {
        let inode = try perform(.lock, path) { disk, path throws(MemoryDisk.Refusal) -> Int? in
            let inode = try disk.inodeForWriting(at: path)
            guard disk.locked.insert(inode).inserted else { return nil }
            disk.inodes[inode]?.handles += 1
            return inode
        }
        return inode.map { TransientLock(self, inode: $0) }
    }

    // MARK: Operations

    /// Performs one operation under the lock.
    private func perform<Result: Sendable>(
        _ operation: FileError.Operation,
        _ path: String,
        _ body: (inout MemoryDisk, String) throws(MemoryDisk.Refusal) -> Result
    ) throws(FileError) -> Result {
        try performOnFile(operation, path) { disk throws(MemoryDisk.Refusal) in
            try body(&disk, MemoryPath.normalized(path))
        }
    }

    /// Performs one operation on an open file, independently of its current path.
    fileprivate func performOnFile<Result: Sendable>(
        _ operation: FileError.Operation,
        _ path: String,
        _ body: (inout MemoryDisk) throws(MemoryDisk.Refusal) -> Result
    ) throws(FileError) -> Result {
        do {
            return try disk.withLock { disk throws(MemoryDisk.Refusal) in
                try body(&disk)
            }
        } catch {
            throw FileError(operation, path, errno: error.errno)
        }
    }

    fileprivate func size(ofInode inode: Int) -> Int {
        withDisk { $0.inodes[inode]?.bytes.count ?? 0 }
    }

    fileprivate func release(_ inode: Int, locked: Bool) {
        withDisk { disk in
            if locked { disk.locked.remove(inode) }
            disk.inodes[inode]?.handles -= 1
            disk.forgetWhenUnused(inode)
        }
    }
}

private final class TransientFile: AppendableFile {
    private let fileSystem: TransientFileSystem
    private let path: String
    private let inode: Int
    /// The offset of the next append; `nil` for the end of the file.
    private let end: Locked<Int?>
    private let isOpen = Locked(true)

    init(_ fileSystem: TransientFileSystem, path: String, inode: Int, isPositioned: Bool) {
        self.fileSystem = fileSystem
        self.path = path
        self.inode = inode
        end = Locked(isPositioned ? fileSystem.size(ofInode: inode) : nil)
    }

    deinit {
        close()
    }

    var size: Int { end.withLock { $0 } ?? fileSystem.size(ofInode: inode) }

    func append(_ bytes: UnsafeRawBufferPointer) throws(FileError) {
        let offset = end.withLock { $0 }
        try perform(.append) { disk throws(MemoryDisk.Refusal) in
            if let offset { disk.extend(inode, to: offset) }
            try disk.append(bytes, to: inode)
        }
        end.withLock { $0 = $0.map { $0 + bytes.count } }
    }

    func read(from offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(FileError) -> Int {
        try perform(.read) { disk throws(MemoryDisk.Refusal) in
            let bytes = disk.inodes[inode]?.bytes ?? []
            let found = bytes[min(offset, bytes.count)..<min(offset + buffer.count, bytes.count)]
            buffer.copyBytes(from: found)
            return found.count
        }
    }

    func status() throws(FileError) -> FileStatus {
        try perform(.measure) { disk throws(MemoryDisk.Refusal) in
            let isNamed = disk.files[MemoryPath.normalized(path)] == inode
            return FileStatus(isNamed: isNamed, size: disk.inodes[inode]?.bytes.count ?? 0)
        }
    }

    func synchronize() throws(FileError) {
        try perform(.synchronize) { disk throws(MemoryDisk.Refusal) in
            disk.synchronize(inode)
        }
    }

    func truncate(to size: Int) throws(FileError) {
        try perform(.truncate) { disk throws(MemoryDisk.Refusal) in
            disk.truncate(inode, to: size)
        }
        end.withLock { $0 = $0.map { min($0, size) } }
    }

    func close() {
        let wasOpen = isOpen.withLock { isOpen in
            defer { isOpen = false }
            return isOpen
        }
        if wasOpen { fileSystem.release(inode, locked: false) }
    }

    private func perform<Result: Sendable>(
        _ operation: FileError.Operation,
        _ body: (inout MemoryDisk) throws(MemoryDisk.Refusal) -> Result
    ) throws(FileError) -> Result {
        guard isOpen.withLock({ $0 }) else { throw FileError(operation, path, errno: EBADF) }
        return try fileSystem.performOnFile(operation, path, body)
    }
}

/// Lock held until it is unlocked or released.
private final class TransientLock: FileLock {
    private let fileSystem: TransientFileSystem
    private let inode: Int
    private let isTaken = Locked(true)

    init(_ fileSystem: TransientFileSystem, inode: Int) {
        self.fileSystem = fileSystem
        self.inode = inode
    }

    deinit {
        unlock()
    }

    var isHeld: Bool { isTaken.withLock { $0 } }

    func unlock() {
        let wasTaken = isTaken.withLock { isTaken in
            defer { isTaken = false }
            return isTaken
        }
        if wasTaken { fileSystem.release(inode, locked: true) }
    }
}
