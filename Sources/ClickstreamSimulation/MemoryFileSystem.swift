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

    /// Content of a file system at one time, without locks and open files.
    public struct Snapshot: Sendable {
        fileprivate var disk: Disk
    }

    private let disk: Locked<Disk>

    /// Creates an empty file system with only the folder `/`.
    /// - Parameter capacity: the maximum total size of all files in bytes; `nil` for no limit.
    public init(capacity: Int? = nil) {
        disk = Locked(Disk(capacity: capacity))
    }

    /// Creates a file system with the content of a snapshot. Counters start at 0, no fault is planned.
    public init(_ snapshot: Snapshot) {
        disk = Locked(snapshot.disk)
    }

    // MARK: FileSystem

    public func createFolder(_ path: String) throws(FileError) {
        try perform(.createFolder, path) { disk, path throws(Refusal) in
            try disk.createFolder(path)
        }
    }

    public func names(in folder: String) throws(FileError) -> [String] {
        try perform(.list, folder) { disk, path throws(Refusal) in
            try disk.names(in: path)
        }
    }

    public func size(of path: String) throws(FileError) -> Int? {
        try perform(.measure, path) { disk, path throws(Refusal) in
            try disk.inode(at: path).flatMap { disk.inodes[$0]?.bytes.count }
        }
    }

    public func read(_ path: String, range: Range<Int>) throws(FileError) -> [UInt8] {
        try perform(.read, path) { disk, path throws(Refusal) in
            guard let inode = try disk.inode(at: path), let bytes = disk.inodes[inode]?.bytes else {
                throw Refusal(ENOENT)
            }
            return Array(bytes[min(range.lowerBound, bytes.count)..<min(range.upperBound, bytes.count)])
        }
    }

    public func replace(_ path: String, with bytes: [UInt8], durably: Bool) throws(FileError) {
        try perform(.write, path, writing: bytes.count) { disk, path throws(Refusal) in
            let temporary = path + ".new"
            let inode = try disk.inodeForWriting(at: temporary)
            do throws(Refusal) {
                try disk.inode(at: path)  // fails if the path is a folder
                disk.truncate(inode, to: 0)
                try disk.append(bytes, to: inode)
                if durably { disk.synchronize(inode) }
                try disk.rename(temporary, to: path)
            } catch {
                if !disk.isPowerCut { try disk.remove(temporary) }
                throw error
            }
        }
    }

    public func remove(_ path: String) throws(FileError) {
        try perform(.remove, path) { disk, path throws(Refusal) in
            try disk.remove(path)
        }
    }

    public func removeFolder(_ path: String) throws(FileError) {
        try perform(.remove, path) { disk, path throws(Refusal) in
            try disk.removeFolder(path)
        }
    }

    public func rename(_ path: String, to newPath: String) throws(FileError) {
        try perform(.rename, path) { disk, path throws(Refusal) in
            try disk.rename(path, to: normalized(newPath))
        }
    }

    public func open(_ path: String) throws(FileError) -> any AppendableFile {
        try open(path, isPositioned: false)
    }

    public func openAsOnlyWriter(_ path: String) throws(FileError) -> any AppendableFile {
        try open(path, isPositioned: true)
    }

    private func open(_ path: String, isPositioned: Bool) throws(FileError) -> any AppendableFile {
        let inode = try perform(.open, path) { disk, path throws(Refusal) in
            let inode = try disk.inodeForWriting(at: path)
            disk.inodes[inode]?.handles += 1
            return inode
        }
        return MemoryFile(self, path: path, inode: inode, isPositioned: isPositioned)
    }

    public func lock(_ path: String) throws(FileError) -> (any FileLock)? {
        let inode = try perform(.lock, path) { disk, path throws(Refusal) -> Int? in
            let inode = try disk.inodeForWriting(at: path)
            guard disk.locked.insert(inode).inserted else { return nil }
            disk.inodes[inode]?.handles += 1
            return inode
        }
        return inode.map { MemoryLock(self, inode: $0) }
    }

    // MARK: Test control

    /// The number of operations so far, including failed ones.
    public var operations: Int { disk.withLock { $0.operations } }

    /// The number of appends and replacements so far.
    public var writes: Int { disk.withLock { $0.writes } }

    /// The total number of bytes written so far.
    public var writtenBytes: Int { disk.withLock { $0.writtenBytes } }

    /// True after a power cut, when every operation fails.
    public var isPowerCut: Bool { disk.withLock { $0.isPowerCut } }

    /// The maximum total size of all files in bytes; existing content is kept.
    public var capacity: Int? {
        get { disk.withLock { $0.capacity } }
        set { disk.withLock { $0.capacity = newValue } }
    }

    /// The total size of all files in bytes.
    public var usedBytes: Int { disk.withLock { $0.usedBytes } }

    /// Plans a fault.
    public func inject(_ fault: Fault, at point: Point) {
        disk.withLock { $0.faults[point] = fault }
    }

    /// Makes all operations of these kinds fail with `errno`, until called with `nil`.
    public func refuse(_ operations: Set<FileError.Operation>, errno: Int32?) {
        disk.withLock { disk in
            for operation in operations { disk.refused[operation] = errno }
        }
    }

    /// Makes a range of consecutive operations fail with `errno`.
    public func refuse(operations: Range<Int>, errno: Int32) {
        disk.withLock { $0.refusedOperations = (operations, errno) }
    }

    /// Corrupts the n-th byte ever written, counted from 0.
    public func flip(writtenByte index: Int, mask: UInt8 = 1) {
        disk.withLock { $0.flips[index] = mask }
    }

    /// Cuts the power immediately.
    public func cutPower() {
        disk.withLock { $0.isPowerCut = true }
    }

    /// Makes creating, removing and renaming files in a folder fail with `EACCES`; existing files remain writable.
    public func setReadOnly(_ isReadOnly: Bool, folder: String) {
        disk.withLock { disk in
            if isReadOnly {
                disk.readOnlyFolders.insert(normalized(folder))
            } else {
                disk.readOnlyFolders.remove(normalized(folder))
            }
        }
    }

    /// Removes a folder with its content, like `rm -r`. Open files remain usable without a name.
    public func removeTree(_ folder: String) {
        disk.withLock { $0.removeTree(normalized(folder)) }
    }

    /// Direct access to a file's content, which does not count as an operation.
    ///
    /// `nil` means that the file does not exist. Setting content creates missing folders.
    public subscript(path: String) -> [UInt8]? {
        get { disk.withLock { $0.content(at: normalized(path)) } }
        set { disk.withLock { $0.setContent(newValue, at: normalized(path)) } }
    }

    /// The paths of all files, sorted.
    public var paths: [String] { disk.withLock { $0.files.keys.sorted() } }

    /// Returns the content that a new process would find if this one were killed.
    /// - Parameter losingUnsynchronized: true for the content after a loss of power: each file ends where it was last
    ///   synchronized. Names are assumed to be durable.
    public func snapshot(losingUnsynchronized: Bool = false) -> Snapshot {
        disk.withLock { Snapshot(disk: $0.reopened(losingUnsynchronized: losingUnsynchronized)) }
    }

    // MARK: Operations

    /// Performs one operation under the lock, with its planned fault.
    private func perform<Result: Sendable>(
        _ operation: FileError.Operation,
        _ path: String,
        writing count: Int? = nil,
        _ body: (inout Disk, String) throws(Refusal) -> Result
    ) throws(FileError) -> Result {
        try performOnFile(operation, path, writing: count) { disk throws(Refusal) in
            try body(&disk, normalized(path))
        }
    }

    /// Performs one operation on an open file, independently of its current path.
    private func performOnFile<Result: Sendable>(
        _ operation: FileError.Operation,
        _ path: String,
        writing count: Int? = nil,
        _ body: (inout Disk) throws(Refusal) -> Result
    ) throws(FileError) -> Result {
        do {
            return try disk.withLock { disk throws(Refusal) in
                try disk.begin(operation, writing: count)
                defer { disk.end() }
                return try body(&disk)
            }
        } catch {
            throw FileError(operation, path, errno: error.errno)
        }
    }

    fileprivate func append(
        _ bytes: UnsafeRawBufferPointer,
        to inode: Int,
        at offset: Int?,
        path: String
    ) throws(FileError) {
        try performOnFile(.append, path, writing: bytes.count) { disk throws(Refusal) in
            if let offset { disk.extend(inode, to: offset) }
            try disk.append(bytes, to: inode)
        }
    }

    fileprivate func read(
        _ inode: Int,
        from offset: Int,
        into buffer: UnsafeMutableRawBufferPointer,
        path: String
    ) throws(FileError) -> Int {
        let bytes = try performOnFile(.read, path) { disk in disk.inodes[inode]?.bytes ?? [] }
        let found = bytes[min(offset, bytes.count)..<min(offset + buffer.count, bytes.count)]
        buffer.copyBytes(from: found)
        return found.count
    }

    fileprivate func look(at inode: Int, path: String) throws(FileError) -> FilePlace {
        try perform(.measure, path) { disk, path in
            FilePlace(isNamed: disk.files[path] == inode, size: disk.inodes[inode]?.bytes.count ?? 0)
        }
    }

    fileprivate func synchronize(_ inode: Int, path: String) throws(FileError) {
        try performOnFile(.synchronize, path) { disk in disk.synchronize(inode) }
    }

    fileprivate func truncate(_ inode: Int, to size: Int, path: String) throws(FileError) {
        try performOnFile(.truncate, path) { disk in disk.truncate(inode, to: size) }
    }

    fileprivate func size(ofInode inode: Int) -> Int {
        disk.withLock { $0.inodes[inode]?.bytes.count ?? 0 }
    }

    fileprivate func release(_ inode: Int, locked: Bool) {
        disk.withLock { disk in
            if locked { disk.locked.remove(inode) }
            disk.inodes[inode]?.handles -= 1
            disk.forgetWhenUnused(inode)
        }
    }
}

/// Open file of a ``MemoryFileSystem``.
private final class MemoryFile: AppendableFile {
    private let fileSystem: MemoryFileSystem
    private let path: String
    private let inode: Int
    /// The offset of the next append; `nil` for the end of the file.
    private let end: Locked<Int?>
    private let isOpen = Locked(true)

    init(_ fileSystem: MemoryFileSystem, path: String, inode: Int, isPositioned: Bool) {
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
        try checkOpen(.append)
        try fileSystem.append(bytes, to: inode, at: end.withLock { $0 }, path: path)
        end.withLock { $0 = $0.map { $0 + bytes.count } }
    }

    func read(from offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(FileError) -> Int {
        try checkOpen(.read)
        return try fileSystem.read(inode, from: offset, into: buffer, path: path)
    }

    func look() throws(FileError) -> FilePlace {
        try checkOpen(.measure)
        return try fileSystem.look(at: inode, path: path)
    }

    func synchronize() throws(FileError) {
        try checkOpen(.synchronize)
        try fileSystem.synchronize(inode, path: path)
    }

    func truncate(to size: Int) throws(FileError) {
        try checkOpen(.truncate)
        try fileSystem.truncate(inode, to: size, path: path)
        end.withLock { $0 = $0.map { min($0, size) } }
    }

    func close() {
        let wasOpen = isOpen.withLock { isOpen in
            defer { isOpen = false }
            return isOpen
        }
        if wasOpen { fileSystem.release(inode, locked: false) }
    }

    private func checkOpen(_ operation: FileError.Operation) throws(FileError) {
        guard isOpen.withLock({ $0 }) else { throw FileError(operation, path, errno: EBADF) }
    }
}

/// Held lock of a ``MemoryFileSystem``.
private final class MemoryLock: FileLock {
    private let fileSystem: MemoryFileSystem
    private let inode: Int
    private let isHeld = Locked(true)

    init(_ fileSystem: MemoryFileSystem, inode: Int) {
        self.fileSystem = fileSystem
        self.inode = inode
    }

    deinit {
        unlock()
    }

    func unlock() {
        let wasHeld = isHeld.withLock { isHeld in
            defer { isHeld = false }
            return isHeld
        }
        if wasHeld { fileSystem.release(inode, locked: true) }
    }
}

/// Error number of a failed operation; the caller adds the operation and the path.
private struct Refusal: Error {
    var errno: Int32

    init(_ errno: Int32) {
        self.errno = errno
    }
}

/// State of the file system: names, content, and planned faults.
private struct Disk: Sendable {
    struct Inode: Sendable {
        var bytes: [UInt8] = []
        /// The number of bytes that would survive a loss of power.
        var synchronized = 0
        var hasName = true
        var handles = 0

        /// Appends content and returns its offset.
        mutating func append(_ content: some Collection<UInt8>) -> Int {
            let start = bytes.count
            bytes.append(contentsOf: content)
            return start
        }
    }

    var folders: Set<String> = ["/"]
    var readOnlyFolders: Set<String> = []
    var files: [String: Int] = [:]
    var inodes: [Int: Inode] = [:]
    var nextInode = 1
    var locked: Set<Int> = []
    var capacity: Int?
    var usedBytes = 0

    var operations = 0
    var writes = 0
    var writtenBytes = 0
    var isPowerCut = false
    var faults: [MemoryFileSystem.Point: MemoryFileSystem.Fault] = [:]
    var refused: [FileError.Operation: Int32] = [:]
    var refusedOperations: (operations: Range<Int>, errno: Int32) = (0..<0, 0)
    var flips: [Int: UInt8] = [:]
    /// The fault of the current operation.
    private var fault: MemoryFileSystem.Fault?

    init(capacity: Int?) {
        self.capacity = capacity
    }

    // MARK: Faults

    mutating func begin(_ operation: FileError.Operation, writing count: Int?) throws(Refusal) {
        operations += 1
        if count != nil { writes += 1 }
        fault = nil
        if !faults.isEmpty {
            fault = faults[.operation(operations)] ?? (count == nil ? nil : faults[.write(writes)])
        }
        guard !isPowerCut else { throw Refusal(EIO) }
        if !refused.isEmpty, let errno = refused[operation] { throw Refusal(errno) }
        if refusedOperations.operations.contains(operations) { throw Refusal(refusedOperations.errno) }
        switch fault {
        case .fail(let errno):
            throw Refusal(errno)
        case .tear where count == nil:
            isPowerCut = true
            throw Refusal(EIO)
        case .tear, .cutPower, nil:
            break
        }
    }

    mutating func end() {
        if fault == .cutPower { isPowerCut = true }
        fault = nil
    }

    // MARK: Names

    /// Returns the file at `path`; `nil` if it does not exist.
    @discardableResult
    func inode(at path: String) throws(Refusal) -> Int? {
        if let inode = files[path] { return inode }
        if folders.contains(path) { throw Refusal(EISDIR) }
        for parent in parents(of: path) where files[parent] != nil { throw Refusal(ENOTDIR) }
        return nil
    }

    mutating func inodeForWriting(at path: String) throws(Refusal) -> Int {
        if let inode = try inode(at: path) { return inode }
        try checkWritable(parent(of: path))
        let inode = nextInode
        nextInode += 1
        inodes[inode] = Inode()
        files[path] = inode
        return inode
    }

    private func checkWritable(_ folder: String) throws(Refusal) {
        guard folders.contains(folder) else {
            let isBehindFile = files[folder] != nil || parents(of: folder).contains { files[$0] != nil }
            throw Refusal(isBehindFile ? ENOTDIR : ENOENT)
        }
        if readOnlyFolders.contains(folder) { throw Refusal(EACCES) }
    }

    mutating func createFolder(_ path: String) throws(Refusal) {
        if folders.contains(path) { return }
        if files[path] != nil { throw Refusal(ENOTDIR) }
        let parent = parent(of: path)
        try createFolder(parent)
        try checkWritable(parent)
        folders.insert(path)
    }

    func names(in folder: String) throws(Refusal) -> [String] {
        guard folders.contains(folder) else {
            throw Refusal(try inode(at: folder) == nil ? ENOENT : ENOTDIR)
        }
        let paths =
            files.keys.filter { parent(of: $0) == folder } + folders.filter { $0 != "/" && parent(of: $0) == folder }
        return paths.map { String($0[$0.index(after: $0.lastIndex(of: "/") ?? $0.startIndex)...]) }
            .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    mutating func remove(_ path: String) throws(Refusal) {
        guard let inode = try inode(at: path) else { return }
        try checkWritable(parent(of: path))
        unlink(path, inode)
    }

    private mutating func unlink(_ path: String, _ inode: Int) {
        files[path] = nil
        inodes[inode]?.hasName = false
        forgetWhenUnused(inode)
    }

    mutating func removeFolder(_ path: String) throws(Refusal) {
        guard folders.contains(path) else {
            if try inode(at: path) != nil { throw Refusal(ENOTDIR) }
            return
        }
        guard try names(in: path).isEmpty else { throw Refusal(ENOTEMPTY) }
        try checkWritable(parent(of: path))
        folders.remove(path)
    }

    mutating func rename(_ path: String, to newPath: String) throws(Refusal) {
        guard let inode = try inode(at: path) else { throw Refusal(ENOENT) }
        let replaced = try self.inode(at: newPath)
        try checkWritable(parent(of: path))
        try checkWritable(parent(of: newPath))
        guard path != newPath else { return }
        if let replaced { unlink(newPath, replaced) }
        files[path] = nil
        files[newPath] = inode
    }

    mutating func removeTree(_ folder: String) {
        let prefix = folder == "/" ? "/" : folder + "/"
        for (path, inode) in files where path.hasPrefix(prefix) { unlink(path, inode) }
        folders = folders.filter { $0 == "/" || ($0 != folder && !$0.hasPrefix(prefix)) }
    }

    func content(at path: String) -> [UInt8]? {
        files[path].flatMap { inodes[$0]?.bytes }
    }

    mutating func setContent(_ bytes: [UInt8]?, at path: String) {
        guard let bytes else {
            if let inode = files[path] { unlink(path, inode) }
            return
        }
        for parent in parents(of: path) { folders.insert(parent) }
        let inode = files[path] ?? nextInode
        nextInode = max(nextInode, inode + 1)
        files[path] = inode
        usedBytes += bytes.count - (inodes[inode]?.bytes.count ?? 0)
        inodes[inode, default: Inode()].bytes = bytes
        inodes[inode]?.synchronized = bytes.count
    }

    // MARK: Content

    mutating func append(_ bytes: some Collection<UInt8>, to inode: Int) throws(Refusal) {
        var count = bytes.count
        if let capacity, usedBytes + count > capacity { throw Refusal(ENOSPC) }
        var isTorn = false
        if case .tear(let limit) = fault {
            isTorn = true
            count = min(count, limit)
        }
        let start = inodes[inode, default: Inode()].append(bytes.prefix(count))
        for (index, mask) in flips where index >= writtenBytes && index < writtenBytes + count {
            inodes[inode]?.bytes[start + index - writtenBytes] ^= mask
        }
        usedBytes += count
        writtenBytes += count
        if isTorn {
            isPowerCut = true
            throw Refusal(EIO)
        }
    }

    /// Extends the file with zeros, or truncates it, to an offset.
    mutating func extend(_ inode: Int, to offset: Int) {
        truncate(inode, to: offset)
        let missing = offset - (inodes[inode]?.bytes.count ?? 0)
        guard missing > 0 else { return }
        inodes[inode]?.bytes.append(contentsOf: [UInt8](repeating: 0, count: missing))
        usedBytes += missing
    }

    mutating func synchronize(_ inode: Int) {
        let count = inodes[inode]?.bytes.count ?? 0
        inodes[inode]?.synchronized = count
    }

    mutating func truncate(_ inode: Int, to size: Int) {
        let excess = (inodes[inode]?.bytes.count ?? 0) - size
        guard excess > 0 else { return }
        inodes[inode]?.bytes.removeLast(excess)
        if inodes[inode].map({ $0.synchronized > size }) == true { inodes[inode]?.synchronized = size }
        usedBytes -= excess
    }

    mutating func forgetWhenUnused(_ inode: Int) {
        guard let file = inodes[inode], !file.hasName, file.handles <= 0 else { return }
        usedBytes -= file.bytes.count
        inodes[inode] = nil
    }

    /// Returns a copy without open files and locks.
    func reopened(losingUnsynchronized: Bool) -> Disk {
        var copy = Disk(capacity: capacity)
        copy.folders = folders
        copy.readOnlyFolders = readOnlyFolders
        copy.files = files
        copy.nextInode = nextInode
        for inode in files.values {
            guard var file = inodes[inode] else { continue }
            if losingUnsynchronized { file.bytes.removeLast(file.bytes.count - file.synchronized) }
            file.handles = 0
            copy.inodes[inode] = file
            copy.usedBytes += file.bytes.count
        }
        return copy
    }
}

/// Returns the absolute path, with `.`, `..` and repeated slashes resolved.
private func normalized(_ path: String) -> String {
    if isNormal(path) { return path }
    var parts: [Substring] = []
    for part in path.split(separator: "/") where part != "." {
        if part == ".." {
            _ = parts.popLast()
        } else {
            parts.append(part)
        }
    }
    return "/" + parts.joined(separator: "/")
}

/// Returns true if the path is already normalized: names are separated by single slashes, and none begins with a dot.
private func isNormal(_ path: String) -> Bool {
    var before = UInt8(ascii: "x")
    for byte in path.utf8 {
        if before == UInt8(ascii: "/"), byte == UInt8(ascii: "/") || byte == UInt8(ascii: ".") { return false }
        before = byte
    }
    return path.utf8.first == UInt8(ascii: "/") && before != UInt8(ascii: "/")
}

private func parent(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return "/" }
    return String(path[..<slash])
}

/// Returns all folders above `path`, nearest first.
private func parents(of path: String) -> [String] {
    var parents: [String] = []
    var path = path
    while path != "/" {
        path = parent(of: path)
        parents.append(path)
    }
    return parents
}
