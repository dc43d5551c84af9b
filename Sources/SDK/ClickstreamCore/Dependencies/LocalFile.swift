#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Append-only file of the local file system.
///
/// A host may close the descriptor, and open a file of its own with the same number. All calls except ``append(_:)``, which is to
/// cost one system call, therefore check the file's identity and throw `EBADF`. The number is a high one, which is hardly reused.
final class LocalFile: AppendableFile {
    private struct State {
        var descriptor: Int32
        var size: Int
        /// True if bytes beyond `size` have not been truncated yet, after a failed write.
        var hasTornTail = false
        /// True if the folder entry of this file may not have reached the physical disk.
        var isNew: Bool
        /// The file size limit, beyond which a write would end the process by `SIGXFSZ`.
        var largest: Int
    }

    private let path: String
    /// The only process that writes: a child of `fork` inherits the descriptor, and the lock in an undefined state.
    private let owner = OwningProcess()
    private let identity: FileIdentity
    /// True if appends go to the offset `size`, otherwise to the end of the file.
    private let isPositioned: Bool
    private let state: Locked<State>

    init(path: String, descriptor: Int32, status: stat, isNew: Bool, isPositioned: Bool) {
        self.path = path
        self.isPositioned = isPositioned
        identity = FileIdentity(status)
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
        guard owner.isCurrent else { throw FileError(.append, path, errno: EBADF) }
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

    /// Uses a duplicate descriptor, so that concurrent appends are not blocked by the disk.
    func synchronize() throws(FileError) {
        let (copy, isNew) = state.withLock { state -> (Int32, Bool) in
            (fcntl(state.descriptor, F_DUPFD_CLOEXEC, 3), state.isNew)
        }
        guard copy >= 0 else { throw FileError(.synchronize, path, errno: errno) }
        defer { _ = closeFile(copy) }
        guard identity.isFile(of: copy) else { throw FileError(.synchronize, path, errno: EBADF) }
        var reason = synchronizeData(copy)
        if reason == 0, isNew { reason = synchronizeFolder(of: path) }
        guard reason == 0 else { throw FileError(.synchronize, path, errno: reason) }
        state.withLock { $0.isNew = false }
    }

    func truncate(to size: Int) throws(FileError) {
        let reason = state.withLock { state -> Int32 in
            guard identity.isFile(of: state.descriptor) else { return EBADF }
            guard size < state.size || state.hasTornTail else { return 0 }
            guard ftruncate(state.descriptor, off_t(min(size, state.size))) == 0 else { return errno }
            state.size = min(size, state.size)
            state.hasTornTail = false
            return 0
        }
        guard reason == 0 else { throw FileError(.truncate, path, errno: reason) }
    }

    /// Uses a duplicate descriptor, so that no append is blocked by the disk; without a free one, the original
    /// descriptor under the lock.
    func read(from offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(FileError) -> Int {
        let copy = state.withLock { fcntl($0.descriptor, F_DUPFD_CLOEXEC, 3) }
        let (count, reason): (Int, Int32)
        if copy >= 0 {
            (count, reason) = read(copy, from: offset, into: buffer)
            _ = closeFile(copy)
        } else {
            (count, reason) = state.withLock { read($0.descriptor, from: offset, into: buffer) }
        }
        guard reason == 0 else { throw FileError(.read, path, errno: reason) }
        return count
    }

    private func read(
        _ descriptor: Int32,
        from offset: Int,
        into buffer: UnsafeMutableRawBufferPointer
    ) -> (count: Int, reason: Int32) {
        guard identity.isFile(of: descriptor) else { return (0, EBADF) }
        return fill(buffer, from: descriptor, at: offset)
    }

    func status() throws(FileError) -> FileStatus {
        var status = stat()
        let reason = state.withLock { fstat($0.descriptor, &status) == 0 ? 0 : errno }
        guard reason == 0 else { throw FileError(.measure, path, errno: reason) }
        guard FileIdentity(status) == identity else { throw FileError(.measure, path, errno: EBADF) }
        let named = FileIdentity(at: path, followsLinks: false)
        guard named != nil || errno == ENOENT || errno == ENOTDIR else { throw FileError(.measure, path, errno: errno) }
        return FileStatus(isNamed: named == identity, size: Int(status.st_size))
    }

    func close() {
        guard owner.isCurrent else { return }
        state.withLock { state in
            if identity.isFile(of: state.descriptor) { _ = closeFile(state.descriptor) }
            state.descriptor = -1
        }
    }
}
