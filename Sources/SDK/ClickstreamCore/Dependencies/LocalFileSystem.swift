#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// File system of the machine, by system calls. Stateless.
///
/// Calls interrupted by a signal are retried. Descriptors are 3 or higher, and are not inherited by started programs.
/// Files that are written, truncated or locked are opened without following symbolic links, so no file elsewhere is
/// changed. Locks are `flock` locks: they belong to the value returned by ``lock(_:)``, so two locks of one path
/// exclude each other within a process too, and a child of `fork` holds none of them.
package struct LocalFileSystem: FileSystem, Sendable {
    /// Creates the file system. Costs nothing; all values are equal.
    package init() {}

    package func createFolder(_ path: String) throws(FileError) {
        if mkdir(path, 0o700) == 0 { return }
        switch errno {
        case EEXIST:
            guard try folderStands(at: path) else { throw FileError(.createFolder, path, errno: ENOTDIR) }
        case ENOENT:
            let parent = parentFolder(of: path)
            guard parent != path, parent != "." else { throw FileError(.createFolder, path, errno: ENOENT) }
            try createFolder(parent)
            // Another process may have created it in the meantime.
            if mkdir(path, 0o700) != 0, errno != EEXIST { throw FileError(.createFolder, path, errno: errno) }
        case let reason:
            throw FileError(.createFolder, path, errno: reason)
        }
    }

    private func folderStands(at path: String) throws(FileError) -> Bool {
        var status = stat()
        guard stat(path, &status) == 0 else { throw FileError(.createFolder, path, errno: errno) }
        return status.st_mode & S_IFMT == S_IFDIR
    }

    package func names(in folder: String) throws(FileError) -> [String] {
        let descriptor = openFile(folder, O_RDONLY | O_DIRECTORY)
        guard descriptor >= 0 else { throw FileError(.list, folder, errno: errno) }
        guard let stream = fdopendir(descriptor) else {
            let reason = errno
            close(descriptor)
            throw FileError(.list, folder, errno: reason)
        }
        defer { closedir(stream) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                if errno != 0 { throw FileError(.list, folder, errno: errno) }
                break
            }
            let name = withUnsafePointer(to: &entry.pointee.d_name) { tuple in
                tuple.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: entry.pointee.d_name)) {
                    String(cString: $0)
                }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.orderedByBytes()
    }

    package func size(of path: String) throws(FileError) -> Int? {
        var status = stat()
        guard stat(path, &status) == 0 else {
            if errno == ENOENT { return nil }
            throw FileError(.measure, path, errno: errno)
        }
        guard status.st_mode & S_IFMT != S_IFDIR else { throw FileError(.measure, path, errno: EISDIR) }
        return Int(status.st_size)
    }

    package func read(_ path: String, range: Range<Int>) throws(FileError) -> [UInt8] {
        let descriptor = openFile(path, O_RDONLY)
        guard descriptor >= 0 else { throw FileError(.read, path, errno: errno) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw FileError(.read, path, errno: errno) }
        guard status.st_mode & S_IFMT != S_IFDIR else { throw FileError(.read, path, errno: EISDIR) }
        // A regular file is read up to its size, so a large range allocates no more than the content.
        let isPlain = status.st_mode & S_IFMT == S_IFREG
        let wanted = isPlain ? min(range.count, max(0, Int(status.st_size) - range.lowerBound)) : range.count
        // An empty array created with its capacity writes to the runtime's shared empty array: a race for the sanitizer.
        guard wanted > 0 else { return [] }
        var reason: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: wanted) { buffer, count in
            let memory = UnsafeMutableRawBufferPointer(start: buffer.baseAddress, count: wanted)
            (count, reason) = fill(memory, from: descriptor, at: range.lowerBound)
        }
        guard reason == 0 else { throw FileError(.read, path, errno: reason) }
        return bytes
    }

    package func read(
        _ path: String,
        from offset: Int,
        into buffer: UnsafeMutableRawBufferPointer
    ) throws(FileError) -> Int {
        let descriptor = openFile(path, O_RDONLY)
        guard descriptor >= 0 else { throw FileError(.read, path, errno: errno) }
        defer { close(descriptor) }
        let (count, reason) = fill(buffer, from: descriptor, at: offset)
        guard reason == 0 else { throw FileError(.read, path, errno: reason) }
        return count
    }

    /// Replaces the file. Concurrent processes and threads that replace the same file use separate temporary files, so
    /// that a suspended one blocks no other.
    package func replace(_ path: String, with bytes: [UInt8], durably: Bool) throws(FileError) {
        guard bytes.count <= largestFile() else { throw FileError(.write, path, errno: EFBIG) }
        guard let (temporary, file) = openTemporary(for: path) else {
            throw FileError(.write, path, errno: errno)
        }
        // Closing releases the lock on the temporary file, so it must follow the rename.
        defer { file.close() }
        let descriptor = file.descriptor
        var reason: Int32 = 0
        if ftruncate(descriptor, 0) != 0 { reason = errno }
        if reason == 0 {
            reason = bytes.withUnsafeBytes { write(all: $0, to: descriptor).reason }
        }
        if reason == 0, durably { reason = synchronizeData(descriptor) }
        if reason == 0, rename(temporary, to: path, reason: &reason), durably {
            reason = synchronizeFolder(of: path)
        } else if reason != 0 {
            unlink(temporary)
        }
        guard reason == 0 else { throw FileError(.write, path, errno: reason) }
    }

    private func rename(_ path: String, to newPath: String, reason: inout Int32) -> Bool {
        guard renameFile(path, newPath) != 0 else { return true }
        reason = errno
        return false
    }

    package func remove(_ path: String) throws(FileError) {
        guard unlink(path) == 0 || errno == ENOENT else {
            // For a folder, Darwin returns EPERM, Linux EISDIR.
            throw FileError(.remove, path, errno: errno)
        }
    }

    package func removeFolder(_ path: String) throws(FileError) {
        guard rmdir(path) == 0 || errno == ENOENT else { throw FileError(.remove, path, errno: errno) }
    }

    package func rename(_ path: String, to newPath: String) throws(FileError) {
        var reason: Int32 = 0
        guard rename(path, to: newPath, reason: &reason) else { throw FileError(.rename, path, errno: reason) }
    }

    package func open(_ path: String) throws(FileError) -> any AppendableFile {
        try open(path, O_WRONLY | O_APPEND)
    }

    package func openAsOnlyWriter(_ path: String) throws(FileError) -> any AppendableFile {
        try open(path, O_RDWR)
    }

    private func open(_ path: String, _ access: Int32) throws(FileError) -> any AppendableFile {
        var isNew = false
        var descriptor = openFile(path, access | O_NOFOLLOW)
        if descriptor < 0, errno == ENOENT {
            isNew = true
            descriptor = openFile(path, access | O_NOFOLLOW | O_CREAT)
        }
        guard descriptor >= 0 else { throw FileError(.open, path, errno: errno) }
        if access & O_APPEND == 0 { descriptor = movedUp(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            let reason = errno
            close(descriptor)
            throw FileError(.open, path, errno: reason)
        }
        return LocalFile(
            path: path,
            descriptor: descriptor,
            status: status,
            isNew: isNew,
            isPositioned: access & O_APPEND == 0
        )
    }

    package func lock(_ path: String) throws(FileError) -> (any FileLock)? {
        if let file = ExclusiveFile.open(path) { return LocalLock(file) }
        if errno == EWOULDBLOCK { return nil }
        throw FileError(.lock, path, errno: errno)
    }
}
