#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Content of a ``TransientFileSystem``: names, bytes, open files and locks, with the error numbers of the system. Paths are
/// normalized.
package struct MemoryDisk: Sendable {
    /// Error number of a failed operation; the caller adds the operation and the path.
    struct Refusal: Error {
        var errno: Int32

        init(_ errno: Int32) {
            self.errno = errno
        }
    }

    package struct Inode: Sendable {
        package var bytes: [UInt8] = []
        /// The number of bytes that would survive a loss of power.
        package var synchronized = 0
        var hasName = true
        package var handles = 0

        package init() {}
    }

    package var folders: Set<String> = ["/"]
    /// Folders in which no name can be added, removed or changed.
    package var readOnlyFolders: Set<String> = []
    package var files: [String: Int] = [:]
    package var inodes: [Int: Inode] = [:]
    package var nextInode = 1
    var locked: Set<Int> = []
    /// The maximum total size of all files in bytes; `nil` for no limit.
    package var capacity: Int?
    package var usedBytes = 0

    package init(capacity: Int? = nil) {
        self.capacity = capacity
    }

    // MARK: Names

    /// Returns the file at `path`; `nil` if it does not exist.
    @discardableResult
    func inode(at path: String) throws(Refusal) -> Int? {
        if let inode = files[path] { return inode }
        if folders.contains(path) { throw Refusal(EISDIR) }
        for parent in MemoryPath.parents(of: path) where files[parent] != nil { throw Refusal(ENOTDIR) }
        return nil
    }

    mutating func inodeForWriting(at path: String) throws(Refusal) -> Int {
        if let inode = try inode(at: path) { return inode }
        try checkWritable(MemoryPath.parent(of: path))
        let inode = nextInode
        nextInode += 1
        inodes[inode] = Inode()
        files[path] = inode
        return inode
    }

    private func checkWritable(_ folder: String) throws(Refusal) {
        guard folders.contains(folder) else {
            let isBehindFile = files[folder] != nil || MemoryPath.parents(of: folder).contains { files[$0] != nil }
            throw Refusal(isBehindFile ? ENOTDIR : ENOENT)
        }
        if readOnlyFolders.contains(folder) { throw Refusal(EACCES) }
    }

    mutating func createFolder(_ path: String) throws(Refusal) {
        if folders.contains(path) { return }
        if files[path] != nil { throw Refusal(ENOTDIR) }
        let parent = MemoryPath.parent(of: path)
        try createFolder(parent)
        try checkWritable(parent)
        folders.insert(path)
    }

    func names(in folder: String) throws(Refusal) -> [String] {
        guard folders.contains(folder) else {
            throw Refusal(try inode(at: folder) == nil ? ENOENT : ENOTDIR)
        }
        let paths =
            files.keys.filter { MemoryPath.parent(of: $0) == folder }
            + folders.filter { $0 != "/" && MemoryPath.parent(of: $0) == folder }
        return paths.map { String($0[$0.index(after: $0.lastIndex(of: "/") ?? $0.startIndex)...]) }
            .orderedByBytes()
    }

    mutating func remove(_ path: String) throws(Refusal) {
        guard let inode = try inode(at: path) else { return }
        try checkWritable(MemoryPath.parent(of: path))
        unlink(path, inode)
    }

    package mutating func unlink(_ path: String, _ inode: Int) {
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
        try checkWritable(MemoryPath.parent(of: path))
        folders.remove(path)
    }

    mutating func rename(_ path: String, to newPath: String) throws(Refusal) {
        guard let inode = try inode(at: path) else { throw Refusal(ENOENT) }
        let replaced = try self.inode(at: newPath)
        try checkWritable(MemoryPath.parent(of: path))
        try checkWritable(MemoryPath.parent(of: newPath))
        guard path != newPath else { return }
        if let replaced { unlink(newPath, replaced) }
        files[path] = nil
        files[newPath] = inode
    }

    // MARK: Content

    mutating func append(_ bytes: some Collection<UInt8>, to inode: Int) throws(Refusal) {
        if let capacity, usedBytes + bytes.count > capacity { throw Refusal(ENOSPC) }
        usedBytes += bytes.count
        inodes[inode, default: Inode()].bytes.append(contentsOf: bytes)
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
}
