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
    private let fileSystem: MemoryFileSystem
    private let path: String
    private let inode: Int
    /// The offset of the next append; `nil` for the end of the file.
    private let end: Locked<Int?>
    private let isOpen = Locked(true)
    private let opening: Int

    init(_ fileSystem: MemoryFileSystem, path: String, inode: Int, isPositioned: Bool) {
        opening = fileSystem.descriptorClosings
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
        guard isOpen.withLock({ $0 }), opening == fileSystem.descriptorClosings else {
            throw FileError(operation, path, errno: EBADF)
        }
    }
}

/// Held lock of a ``MemoryFileSystem``.
final class MemoryLock: FileLock {
    private let fileSystem: MemoryFileSystem
    private let inode: Int
    private let isTaken = Locked(true)
    private let opening: Int

    init(_ fileSystem: MemoryFileSystem, inode: Int) {
        opening = fileSystem.descriptorClosings
        self.fileSystem = fileSystem
        self.inode = inode
    }

    deinit {
        unlock()
    }

    var isHeld: Bool { isTaken.withLock { $0 } && opening == fileSystem.descriptorClosings }

    func unlock() {
        let wasTaken = isTaken.withLock { isTaken in
            defer { isTaken = false }
            return isTaken
        }
        if wasTaken { fileSystem.release(inode, locked: opening == fileSystem.descriptorClosings) }
    }
}
