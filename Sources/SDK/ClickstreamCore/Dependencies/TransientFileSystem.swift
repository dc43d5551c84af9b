#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// In-memory file system for the lifetime of the process, used while the store's folder is unusable.
///
/// Thread-safe. Has no size limit of its own: its queue is bounded by ``QueueLimits/inMemory``.
package final class TransientFileSystem: FileSystem {
    /// Content of a file; an open file keeps it after the name is removed.
    fileprivate final class Content: Sendable {
        let bytes: Locked<[UInt8]>
        let isLocked = Locked(false)

        init(_ bytes: [UInt8] = []) {
            self.bytes = Locked(bytes)
        }
    }

    private struct Tree: Sendable {
        var folders: Set<String> = []
        var files: [String: Content] = [:]

        /// Returns the error for access to the folder that contains `path`; `nil` if the folder exists.
        func obstacle(above path: String) -> Int32? {
            let folder = TransientFileSystem.folder(of: path)
            if folder.isEmpty || folders.contains(folder) { return nil }
            if files[folder] != nil { return ENOTDIR }
            return obstacle(above: folder) ?? ENOENT
        }
    }

    private let tree = Locked(Tree())

    package init() {}

    /// Returns the path of the containing folder; empty for a top-level path.
    private static func folder(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
    }

    private func content(
        at path: String,
        for operation: FileError.Operation,
        isNeeded: Bool = true
    ) throws(FileError) -> Content? {
        let (content, obstacle) = tree.withLock { tree -> (Content?, Int32?) in
            if let content = tree.files[path] { return (content, nil) }
            if tree.folders.contains(path) { return (nil, EISDIR) }
            let obstacle = tree.obstacle(above: path)
            return (nil, isNeeded ? obstacle ?? ENOENT : obstacle == ENOENT ? nil : obstacle)
        }
        if let obstacle { throw FileError(operation, path, errno: obstacle) }
        return content
    }

    /// Changes the tree, or throws the error returned by `body`.
    private func change(
        _ operation: FileError.Operation,
        _ path: String,
        _ body: (inout Tree) -> Int32?
    ) throws(FileError) {
        let obstacle = tree.withLock { tree in tree.obstacle(above: path) ?? body(&tree) }
        if let obstacle { throw FileError(operation, path, errno: obstacle) }
    }

    // MARK: FileSystem

    package func createFolder(_ path: String) throws(FileError) {
        let obstacle: Int32? = tree.withLock { tree in
            var missing: [String] = []
            var folder = path
            while !folder.isEmpty, !tree.folders.contains(folder) {
                if tree.files[folder] != nil { return ENOTDIR }
                missing.append(folder)
                folder = Self.folder(of: folder)
            }
            tree.folders.formUnion(missing)
            return nil
        }
        if let obstacle { throw FileError(.createFolder, path, errno: obstacle) }
    }

    package func names(in folder: String) throws(FileError) -> [String] {
        try change(.list, folder) { tree in
            if tree.folders.contains(folder) { return nil }
            return tree.files[folder] == nil ? ENOENT : ENOTDIR
        }
        let start = folder + "/"
        let names = tree.withLock { tree in
            (tree.folders.union(tree.files.keys)).filter { $0.hasPrefix(start) }.map { $0.dropFirst(start.count) }
        }
        return names.filter { !$0.contains("/") }.map(String.init).orderedByBytes()
    }

    package func size(of path: String) throws(FileError) -> Int? {
        try content(at: path, for: .measure, isNeeded: false)?.bytes.withLock { $0.count }
    }

    package func read(_ path: String, range: Range<Int>) throws(FileError) -> [UInt8] {
        try content(at: path, for: .read)?.bytes.withLock { bytes in
            Array(bytes[min(range.lowerBound, bytes.count)..<min(range.upperBound, bytes.count)])
        } ?? []
    }

    package func replace(_ path: String, with bytes: [UInt8], durably: Bool) throws(FileError) {
        try change(.write, path) { tree in
            if tree.folders.contains(path) { return EISDIR }
            tree.files[path] = Content(bytes)
            tree.files[path + ".new"] = nil
            return nil
        }
    }

    package func remove(_ path: String) throws(FileError) {
        do {
            try change(.remove, path) { tree in
                if tree.folders.contains(path) { return EISDIR }
                tree.files[path] = nil
                return nil
            }
        } catch {
            if error.errno != ENOENT { throw error }
        }
    }

    package func removeFolder(_ path: String) throws(FileError) {
        do {
            try change(.remove, path) { tree in
                if tree.files[path] != nil { return ENOTDIR }
                let start = path + "/"
                if tree.folders.union(tree.files.keys).contains(where: { $0.hasPrefix(start) }) { return ENOTEMPTY }
                tree.folders.remove(path)
                return nil
            }
        } catch {
            if error.errno != ENOENT { throw error }
        }
    }

    package func rename(_ path: String, to newPath: String) throws(FileError) {
        try change(.rename, path) { tree in
            guard let content = tree.files[path] else { return ENOENT }
            if let obstacle = tree.obstacle(above: newPath) { return obstacle }
            if tree.folders.contains(newPath) { return EISDIR }
            tree.files[path] = nil
            tree.files[newPath] = content
            return nil
        }
    }

    package func open(_ path: String) throws(FileError) -> any AppendableFile {
        OpenFile(try standing(.open, path), path: path)
    }

    package func lock(_ path: String) throws(FileError) -> (any FileLock)? {
        let content = try standing(.lock, path)
        let isTaken = content.isLocked.withLock { isLocked in
            defer { isLocked = true }
            return !isLocked
        }
        return isTaken ? Lock(content) : nil
    }

    /// Returns the content at `path`, created if it does not exist.
    private func standing(_ operation: FileError.Operation, _ path: String) throws(FileError) -> Content {
        try change(operation, path) { tree in
            if tree.folders.contains(path) { return EISDIR }
            if tree.files[path] == nil { tree.files[path] = Content() }
            return nil
        }
        guard let content = try content(at: path, for: operation) else {
            throw FileError(operation, path, errno: ENOENT)
        }
        return content
    }
}

private final class OpenFile: AppendableFile {
    private let content: TransientFileSystem.Content
    private let path: String
    private let isClosed = Locked(false)

    init(_ content: TransientFileSystem.Content, path: String) {
        self.content = content
        self.path = path
    }

    var size: Int { content.bytes.withLock { $0.count } }

    private func check(_ operation: FileError.Operation) throws(FileError) {
        if isClosed.withLock({ $0 }) { throw FileError(operation, path, errno: EBADF) }
    }

    func append(_ bytes: UnsafeRawBufferPointer) throws(FileError) {
        try check(.append)
        content.bytes.withLock { $0.append(contentsOf: bytes) }
    }

    func synchronize() throws(FileError) {
        try check(.synchronize)
    }

    func truncate(to size: Int) throws(FileError) {
        try check(.truncate)
        content.bytes.withLock { $0.removeLast(max(0, $0.count - size)) }
    }

    func close() {
        isClosed.withLock { $0 = true }
    }
}

/// Lock held until it is unlocked or released.
private final class Lock: FileLock {
    private let content: TransientFileSystem.Content
    private let isHeld = Locked(true)

    init(_ content: TransientFileSystem.Content) {
        self.content = content
    }

    deinit { unlock() }

    func unlock() {
        let wasHeld = isHeld.withLock { isHeld in
            defer { isHeld = false }
            return isHeld
        }
        if wasHeld { content.isLocked.withLock { $0 = false } }
    }
}
