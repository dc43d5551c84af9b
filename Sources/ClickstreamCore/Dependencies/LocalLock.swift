import CClickstreamProcess

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// An open file with its `flock`, of which a child of `fork` keeps no copy.
///
/// An `flock` belongs to the open file, which parent and child share: a child that kept its copy would hold the lock for as
/// long as it lives. It closes the copy before `fork` returns there.
struct ExclusiveFile: Sendable {
    let descriptor: Int32
    // Points to memory that is never freed, and is used by atomic operations alone.
    private nonisolated(unsafe) let kept: UnsafeMutableRawPointer
    private let owner = OwningProcess()

    private init(_ descriptor: Int32, kept: UnsafeMutableRawPointer) {
        (self.descriptor, self.kept) = (descriptor, kept)
    }

    /// Opens (or makes) a file and takes its `flock`; `nil` leaves the reason in `errno`, `EWOULDBLOCK` if it is held.
    ///
    /// The file may be renamed or removed between the two steps: then the lock is void, and it is tried anew.
    static func open(_ path: String) -> ExclusiveFile? {
        while true {
            let descriptor = openFile(path, O_RDWR | O_CREAT | O_NOFOLLOW)
            guard descriptor >= 0 else { return nil }
            guard let kept = clickstream_lock_keep(descriptor) else {
                _ = closeFile(descriptor)
                errno = ENOMEM
                return nil
            }
            let file = ExclusiveFile(descriptor, kept: kept)
            guard repeatedly({ flock(descriptor, LOCK_EX | LOCK_NB) }) == 0 else {
                let reason = errno
                file.close()
                errno = reason
                return nil
            }
            var held = stat()
            var standing = stat()
            if fstat(descriptor, &held) == 0, stat(path, &standing) == 0,
                held.st_ino == standing.st_ino, held.st_dev == standing.st_dev
            {
                return file
            }
            file.close()
        }
    }

    /// Releases the lock, for all copies of the descriptor that there may be.
    func unlock() {
        guard owner.isCurrent else { return }
        _ = flock(descriptor, LOCK_UN)
    }

    /// Closes the file, and with its last copy releases the lock. To be called once.
    func close() {
        guard owner.isCurrent else { return }
        let descriptor = clickstream_lock_take(kept)
        if descriptor >= 0 { _ = closeFile(descriptor) }
    }
}

/// A lock on the disk, held until it is released or let go of; in a child of `fork`, nothing.
final class LocalLock: FileLock {
    private let owner = OwningProcess()
    private let file: Locked<ExclusiveFile?>

    init(_ file: ExclusiveFile) {
        self.file = Locked(file)
    }

    deinit {
        unlock()
    }

    func unlock() {
        // The parent's thread that held the lock of `file` at the fork does not exist here.
        guard owner.isCurrent, let file = file.withLock({ $0.take() }) else { return }
        // A child that was made without fork's handlers may have a copy.
        file.unlock()
        file.close()
    }
}
