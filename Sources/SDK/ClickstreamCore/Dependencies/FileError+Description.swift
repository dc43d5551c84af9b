#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

extension FileError: CustomStringConvertible {
    /// A one-line message: the failed operation, its path, the cause, and a remedy.
    public var description: String {
        "\(account); \(advice)"
    }

    /// ``description`` without the advice, for an error that was overcome.
    var account: String {
        "cannot \(operation.rawValue) \(path): \(reason) (error \(errno))"
    }

    /// The system's text for ``errno``.
    package var reason: String {
        // glibc and musl keep one text per thread or per number, so no other thread modifies it.
        strerror(errno).map { String(cString: $0) } ?? "unknown error"
    }

    /// The remedy for ``errno``.
    package var advice: String {
        FileError.advice.first { $0.errnos.contains(errno) }?.text ?? "see the system's log for more"
    }

    /// The remedies by error number.
    private static let advice: [(errnos: [Int32], text: String)] = [
        ([ENOSPC], "free some space on that disk; recording continues automatically"),
        ([EDQUOT], "free some of your quota on that disk; recording continues automatically"),
        ([EROFS], "mount it writable, or choose another storage directory"),
        ([EACCES, EPERM], "check its owner and permissions, or choose another storage directory"),
        ([ENOENT], "create the folder again, or choose another storage directory"),
        ([ENOTDIR], "it is a file, not a folder: move it away, or choose another storage directory"),
        ([EISDIR], "it is a folder, not a file: move it away, or choose another storage directory"),
        ([ENOTEMPTY, EEXIST], "move its contents away"),
        ([EIO], "the disk failed: check its health and the system's log"),
        ([EMFILE, ENFILE], "too many files are open: close some, or raise the limit (ulimit -n)"),
        ([ENAMETOOLONG], "choose a storage directory with a shorter path"),
        ([ELOOP], "it is a symbolic link, not a file: move it away, or choose another storage directory"),
        (
            [ENXIO, ESPIPE],
            "it is not a regular file: move it away, or choose another storage directory"
        ),
        ([EFBIG], "raise the limit of the store's or the file's size"),
        ([EXDEV], "both places must be on one disk"),
        ([ENOLCK, EOPNOTSUPP], "the file system does not support locks: choose a storage directory on a local disk"),
        ([ESTALE], "the network disk is unavailable: mount it again, or choose a storage directory on a local disk"),
        ([EBADF], "the file was closed before: open it again"),
    ]
}
