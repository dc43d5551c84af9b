#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Something that the disk would not do: which operation, on what, and the system's reason.
public struct FileError: Error, Sendable, Hashable {
    /// What was asked for.
    public enum Operation: String, Sendable, Hashable {
        case createFolder = "create folder"
        case list = "list"
        case measure = "look up"
        case read = "read"
        case write = "write"
        case append = "append to"
        case synchronize = "synchronize"
        case truncate = "truncate"
        case remove = "remove"
        case rename = "rename"
        case open = "open"
        case lock = "lock"
    }

    public var operation: Operation
    public var path: String
    /// The system's error number, as in `errno.h`.
    public var errno: Int32

    public init(_ operation: Operation, _ path: String, errno: Int32) {
        self.operation = operation
        self.path = path
        self.errno = errno
    }
}

extension FileError {
    /// Attempts at a read before its failure counts.
    private static let attempts = 3

    /// Repeats a read whose failure may pass: an input/output error, or a lack of descriptors or memory.
    static func retrying<Result>(_ read: () throws(FileError) -> Result) throws(FileError) -> Result {
        for _ in 1..<attempts {
            do throws(FileError) {
                return try read()
            } catch {
                guard error.mayPass else { throw error }
            }
        }
        return try read()
    }
}

extension FileError {
    /// Nothing has that path.
    package static let absent = ENOENT
    /// An input/output error.
    package static let broken = EIO
    /// The file was closed.
    package static let closed = EBADF
    /// An event larger than the store may be, or a file larger than the process may write.
    package static let tooLarge = EFBIG
}

extension FileError {
    /// True if events go to memory instead: the place is read-only, gone, or another owner's, or no descriptor is free to
    /// open a file there. A full disk is no such reason: it has room again some time, and what it holds is safe.
    var meansLostPlace: Bool {
        isLackOfDescriptors
            || [EROFS, EACCES, EPERM, ENOENT, ENOTDIR, EISDIR, ELOOP, ENAMETOOLONG, ESTALE].contains(errno)
    }

    /// True if the file to be read does not exist. Every other failure to read may pass, and costs no event.
    package var isMissingFile: Bool { errno == ENOENT }

    /// True if the same call may succeed a moment later.
    var mayPass: Bool { [EIO, EAGAIN, EINTR, ENOMEM, EMFILE, ENFILE, ESTALE].contains(errno) }

    /// True if the process, or the machine, has no free file descriptor.
    var isLackOfDescriptors: Bool { errno == EMFILE || errno == ENFILE }
}
