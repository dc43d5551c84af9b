import CClickstreamSystem

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Open file with an `flock`, of which a child of `fork` keeps no copy.
///
/// An `flock` belongs to the open file description, which parent and child share: a child with a copy of the descriptor
/// would hold the lock for its lifetime. The child therefore closes its copy before `fork` returns there.
struct ExclusiveFile: Sendable {
    let descriptor: Int32
    // Refers to memory that is never freed and is accessed only by atomic operations.
    private nonisolated(unsafe) let kept: UnsafeMutableRawPointer
    private let owner = OwningProcess()

    private init(_ descriptor: Int32, kept: UnsafeMutableRawPointer) {
        (self.descriptor, self.kept) = (descriptor, kept)
    }

    /// Opens or creates a file and acquires its `flock`; on failure returns `nil` with the cause in `errno`,
    /// `EWOULDBLOCK` if the lock is held.
    ///
    /// If the file is renamed or removed between the two steps, the lock is void and the call is retried.
    static func open(_ path: String) -> ExclusiveFile? {
        while true {
            let descriptor = openFile(path, O_RDWR | O_CREAT | O_NOFOLLOW)
            guard descriptor >= 0 else { return nil }
            guard let identity = FileIdentity(of: descriptor) else {
                let reason = errno
                _ = closeFile(descriptor)
                errno = reason
                return nil
            }
            guard let kept = clickstream_lock_keep(descriptor, identity.device, identity.inode) else {
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
            if FileIdentity(at: path) == identity { return file }
            file.close()
        }
    }

    /// True unless the host closed the descriptor, which releases the lock. One system call.
    var isHeld: Bool { clickstream_lock_is_held(kept) != 0 }

    /// Closes the file, which releases the lock with its last copy. Either this or ``unlock()`` must be called, once.
    func close() {
        guard owner.isCurrent else { return }
        let descriptor = clickstream_lock_take(kept)
        if descriptor >= 0 { _ = closeFile(descriptor) }
    }

    /// Releases the lock for all copies of the descriptor, and closes the file, unless the host did.
    func unlock() {
        guard owner.isCurrent else { return }
        let isHeld = isHeld
        let descriptor = clickstream_lock_take(kept)
        guard isHeld, descriptor >= 0 else { return }
        _ = flock(descriptor, LOCK_UN)
        _ = closeFile(descriptor)
    }
}

/// File lock, held until it is unlocked or released; without effect in a child of `fork`.
final class LocalLock: FileLock {
    private let owner = OwningProcess()
    private let file: Locked<ExclusiveFile?>

    init(_ file: ExclusiveFile) {
        self.file = Locked(file)
    }

    deinit {
        unlock()
    }

    var isHeld: Bool {
        owner.isCurrent && file.withLock { $0?.isHeld == true }
    }

    func unlock() {
        // The thread that held the lock of `file` at the fork does not exist in the child.
        guard owner.isCurrent, let file = file.withLock({ $0.take() }) else { return }
        // A child created without fork handlers may have a copy.
        file.unlock()
    }
}
