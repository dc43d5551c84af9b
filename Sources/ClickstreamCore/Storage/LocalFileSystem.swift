#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The machine's own disk, by system calls. Holds nothing and caches nothing, so copies are free and all alike.
///
/// Calls that a signal interrupts are repeated, and no descriptor is inherited by a program that is started. What is written
/// to, cut or locked is never reached by a symbolic link in its place, so that nothing elsewhere is changed. Locks are
/// `flock`'s: they belong to the value that ``lock(_:)`` gave, so two of one path exclude each other within a process too.
public struct LocalFileSystem: FileSystem, Sendable {
    public init() {}

    public func createFolder(_ path: String) throws(FileError) {
        if mkdir(path, 0o700) == 0 { return }
        switch errno {
        case EEXIST:
            guard try folderStands(at: path) else { throw FileError(.createFolder, path, errno: ENOTDIR) }
        case ENOENT:
            let parent = parentFolder(of: path)
            guard parent != path, parent != "." else { throw FileError(.createFolder, path, errno: ENOENT) }
            try createFolder(parent)
            // Somebody else may have made it in the meantime.
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

    public func names(in folder: String) throws(FileError) -> [String] {
        guard let stream = opendir(folder) else { throw FileError(.list, folder, errno: errno) }
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
        return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    public func size(of path: String) throws(FileError) -> Int? {
        var status = stat()
        guard stat(path, &status) == 0 else {
            if errno == ENOENT { return nil }
            throw FileError(.measure, path, errno: errno)
        }
        guard status.st_mode & S_IFMT != S_IFDIR else { throw FileError(.measure, path, errno: EISDIR) }
        return Int(status.st_size)
    }

    public func read(_ path: String, range: Range<Int>) throws(FileError) -> [UInt8] {
        let descriptor = openFile(path, O_RDONLY)
        guard descriptor >= 0 else { throw FileError(.read, path, errno: errno) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw FileError(.read, path, errno: errno) }
        guard status.st_mode & S_IFMT != S_IFDIR else { throw FileError(.read, path, errno: EISDIR) }
        // Asked for more than there is, a plain file costs no memory for what it does not hold.
        let isPlain = status.st_mode & S_IFMT == S_IFREG
        let wanted = isPlain ? min(range.count, max(0, Int(status.st_size) - range.lowerBound)) : range.count
        var reason: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: wanted) { buffer, count in
            let room = UnsafeMutableRawBufferPointer(start: buffer.baseAddress, count: wanted)
            (count, reason) = fill(room, from: descriptor, at: range.lowerBound)
        }
        guard reason == 0 else { throw FileError(.read, path, errno: reason) }
        return bytes
    }

    public func read(
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

    /// As the protocol says. Processes and threads that replace one file at the same time write to temporary files of their
    /// own, so that one that is stopped in the middle blocks no other.
    public func replace(_ path: String, with bytes: [UInt8], durably: Bool) throws(FileError) {
        guard bytes.count <= largestFile() else { throw FileError(.write, path, errno: EFBIG) }
        guard let (temporary, descriptor) = openTemporary(for: path) else {
            throw FileError(.write, path, errno: errno)
        }
        // Closing releases the lock on the temporary file, so that comes after the rename.
        defer { close(descriptor) }
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

    public func remove(_ path: String) throws(FileError) {
        guard unlink(path) == 0 || errno == ENOENT else {
            // Darwin answers EPERM for a folder, Linux EISDIR.
            throw FileError(.remove, path, errno: errno)
        }
    }

    public func removeFolder(_ path: String) throws(FileError) {
        guard rmdir(path) == 0 || errno == ENOENT else { throw FileError(.remove, path, errno: errno) }
    }

    public func rename(_ path: String, to newPath: String) throws(FileError) {
        var reason: Int32 = 0
        guard rename(path, to: newPath, reason: &reason) else { throw FileError(.rename, path, errno: reason) }
    }

    public func open(_ path: String) throws(FileError) -> any AppendableFile {
        try open(path, O_WRONLY | O_APPEND)
    }

    public func openAsOnlyWriter(_ path: String) throws(FileError) -> any AppendableFile {
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

    public func lock(_ path: String) throws(FileError) -> (any FileLock)? {
        if let descriptor = openExclusively(path) { return LocalLock(descriptor) }
        if errno == EWOULDBLOCK { return nil }
        throw FileError(.lock, path, errno: errno)
    }
}

/// An open descriptor that appends.
private final class LocalFile: AppendableFile {
    private struct State {
        var descriptor: Int32
        var size: Int
        /// Whether bytes stand past `size` that could not be cut off yet.
        var hasTornTail = false
        /// Whether the folder may not have reached the disk with this file's name in it.
        var isNew: Bool
        /// The length past which a write would end the process by `SIGXFSZ`.
        var largest: Int
    }

    private let path: String
    /// Device and inode: the identity of the file, whatever its name.
    private let identity: (dev_t, ino_t)
    /// True if appends go to the offset `size`, otherwise to the end of the file.
    private let isPositioned: Bool
    private let state: Locked<State>

    init(path: String, descriptor: Int32, status: stat, isNew: Bool, isPositioned: Bool) {
        self.path = path
        self.isPositioned = isPositioned
        identity = (status.st_dev, status.st_ino)
        state = Locked(
            State(descriptor: descriptor, size: Int(status.st_size), isNew: isNew, largest: largestFile())
        )
    }

    deinit {
        close()
    }

    var size: Int {
        state.withLock { $0.size }
    }

    func append(_ bytes: UnsafeRawBufferPointer) throws(FileError) {
        let reason = state.withLock { state -> Int32 in
            if state.hasTornTail {
                guard ftruncate(state.descriptor, off_t(state.size)) == 0 else { return errno }
                state.hasTornTail = false
            }
            if bytes.count > state.largest - state.size {
                state.largest = largestFile()
                guard bytes.count <= state.largest - state.size else { return EFBIG }
            }
            let (written, reason) = write(all: bytes, to: state.descriptor, at: isPositioned ? state.size : nil)
            if reason == 0 {
                state.size += written
            } else if written > 0 {
                state.hasTornTail = ftruncate(state.descriptor, off_t(state.size)) != 0
            }
            return reason
        }
        guard reason == 0 else { throw FileError(.append, path, errno: reason) }
    }

    /// Works on a second descriptor of the same file, so that nobody who appends meanwhile waits for the disk.
    func synchronize() throws(FileError) {
        let (copy, isNew) = state.withLock { state -> (Int32, Bool) in
            (fcntl(state.descriptor, F_DUPFD_CLOEXEC, 0), state.isNew)
        }
        guard copy >= 0 else { throw FileError(.synchronize, path, errno: errno) }
        defer { _ = closeFile(copy) }
        var reason = synchronizeData(copy)
        if reason == 0, isNew { reason = synchronizeFolder(of: path) }
        guard reason == 0 else { throw FileError(.synchronize, path, errno: reason) }
        state.withLock { $0.isNew = false }
    }

    func truncate(to size: Int) throws(FileError) {
        let reason = state.withLock { state -> Int32 in
            guard size < state.size || state.hasTornTail || state.descriptor < 0 else { return 0 }
            guard ftruncate(state.descriptor, off_t(min(size, state.size))) == 0 else { return errno }
            state.size = min(size, state.size)
            state.hasTornTail = false
            return 0
        }
        guard reason == 0 else { throw FileError(.truncate, path, errno: reason) }
    }

    /// Works on a second descriptor of the same file, so that no append waits for the disk; without one on the first.
    func read(from offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(FileError) -> Int {
        let copy = state.withLock { fcntl($0.descriptor, F_DUPFD_CLOEXEC, 3) }
        let (count, reason): (Int, Int32)
        if copy >= 0 {
            (count, reason) = fill(buffer, from: copy, at: offset)
            _ = closeFile(copy)
        } else {
            (count, reason) = state.withLock { fill(buffer, from: $0.descriptor, at: offset) }
        }
        guard reason == 0 else { throw FileError(.read, path, errno: reason) }
        return count
    }

    func look() throws(FileError) -> FilePlace {
        var status = stat()
        if lstat(path, &status) == 0 {
            if (status.st_dev, status.st_ino) == identity { return FilePlace(isNamed: true, size: Int(status.st_size)) }
        } else if errno != ENOENT, errno != ENOTDIR {
            throw FileError(.measure, path, errno: errno)
        }
        let reason = state.withLock { fstat($0.descriptor, &status) == 0 ? 0 : errno }
        guard reason == 0 else { throw FileError(.measure, path, errno: reason) }
        return FilePlace(isNamed: false, size: Int(status.st_size))
    }

    func close() {
        state.withLock { state in
            if state.descriptor >= 0 { _ = closeFile(state.descriptor) }
            state.descriptor = -1
        }
    }
}

/// An open descriptor that holds an `flock`.
private final class LocalLock: FileLock {
    private let descriptor: Locked<Int32>

    init(_ descriptor: Int32) {
        self.descriptor = Locked(descriptor)
    }

    deinit {
        unlock()
    }

    func unlock() {
        descriptor.withLock { descriptor in
            if descriptor >= 0 { _ = closeFile(descriptor) }
            descriptor = -1
        }
    }
}

// MARK: System calls, outside the types whose members have the same names

/// Calls again for as long as a signal cuts in.
private func repeatedly<Number: SignedInteger>(_ call: () -> Number) -> Number {
    while true {
        let result = call()
        if result >= 0 || errno != EINTR { return result }
    }
}

/// Without waiting: a pipe that somebody put there would keep us until it has another end.
private func openFile(_ path: String, _ flags: Int32) -> Int32 {
    repeatedly { open(path, flags | O_CLOEXEC | O_NONBLOCK, 0o600) }
}

private func closeFile(_ descriptor: Int32) -> Int32 {
    // Not repeated: on Linux the descriptor is gone even when a signal cut in.
    close(descriptor)
}

private func renameFile(_ path: String, _ newPath: String) -> Int32 {
    rename(path, newPath)
}

/// Reads until the memory is full or the file ends.
private func fill(
    _ buffer: UnsafeMutableRawBufferPointer,
    from descriptor: Int32,
    at offset: Int
) -> (count: Int, reason: Int32) {
    var count = 0
    while count < buffer.count {
        let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
        let done = repeatedly { pread(descriptor, rest.baseAddress, rest.count, off_t(offset + count)) }
        if done < 0 { return (count, errno) }
        if done == 0 { break }
        count += done
    }
    return (count, 0)
}

/// The longest file that this process may write (`ulimit -f`), in bytes.
private func largestFile() -> Int {
    var limit = rlimit()
    #if canImport(Glibc)
    let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
    #else
    let resource = RLIMIT_FSIZE
    #endif
    guard getrlimit(resource, &limit) == 0 else { return .max }
    return Int(clamping: limit.rlim_cur)
}

/// Opens and locks a file beside `path` that no other thread or process is writing to: `.new`, or else `.new2` and so on.
private func openTemporary(for path: String) -> (path: String, descriptor: Int32)? {
    for number in 1...64 {
        let temporary = path + ".new" + (number > 1 ? String(number) : "")
        if let descriptor = openExclusively(temporary) { return (temporary, descriptor) }
        guard errno == EWOULDBLOCK else { return nil }
    }
    return nil
}

/// Opens (or makes) a file and takes its `flock`; `nil` leaves the reason in `errno`, `EWOULDBLOCK` when it is held.
///
/// The file may have been renamed or removed between the two steps: then the lock means nothing, and it is tried anew.
private func openExclusively(_ path: String) -> Int32? {
    while true {
        let descriptor = openFile(path, O_RDWR | O_CREAT | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        guard repeatedly({ flock(descriptor, LOCK_EX | LOCK_NB) }) == 0 else {
            let reason = errno
            close(descriptor)
            errno = reason
            return nil
        }
        var held = stat()
        var standing = stat()
        if fstat(descriptor, &held) == 0, stat(path, &standing) == 0,
            held.st_ino == standing.st_ino, held.st_dev == standing.st_dev
        {
            return descriptor
        }
        close(descriptor)
    }
}

/// Writes everything, in as many steps as the system needs.
/// - Parameter offset: where in the file; `nil` for its end, or where the last write ended.
/// - Returns: how many bytes were written, and why not all of them; 0 when all were.
private func write(
    all bytes: UnsafeRawBufferPointer,
    to descriptor: Int32,
    at offset: Int? = nil
) -> (written: Int, reason: Int32) {
    guard let start = bytes.baseAddress else { return (0, 0) }
    var written = 0
    while written < bytes.count {
        let (next, rest) = (start + written, bytes.count - written)
        let done = repeatedly {
            if let offset { return pwrite(descriptor, next, rest, off_t(offset + written)) }
            return write(descriptor, next, rest)
        }
        guard done > 0 else { return (written, done == 0 ? EIO : errno) }
        written += done
    }
    return (written, 0)
}

private func synchronizeData(_ descriptor: Int32) -> Int32 {
    #if canImport(Darwin)
    let result = repeatedly { fcntl(descriptor, F_FULLFSYNC) }
    #else
    let result = repeatedly { fdatasync(descriptor) }
    #endif
    return result == 0 ? 0 : errno
}

/// Makes the names in the folder that holds `path` survive a loss of power.
private func synchronizeFolder(of path: String) -> Int32 {
    let descriptor = openFile(parentFolder(of: path), O_RDONLY | O_DIRECTORY)
    guard descriptor >= 0 else { return errno }
    defer { close(descriptor) }
    return repeatedly { fsync(descriptor) } == 0 ? 0 : errno
}

/// The path without its last part: `.` for a bare name, `/` for what stands in the root.
private func parentFolder(of path: String) -> String {
    var rest = path[...]
    while rest.count > 1, rest.last == "/" { rest.removeLast() }
    guard let slash = rest.lastIndex(of: "/") else { return "." }
    rest = rest[..<slash]
    while rest.last == "/" { rest.removeLast() }
    return rest.isEmpty ? "/" : String(rest)
}
