#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Failed file operation with its path and the system's error number.
public struct FileError: Error, Sendable, Hashable {
    /// File operation.
    package enum Operation: String, Sendable, Hashable {
        /// Creation of a folder and its parents.
        case createFolder = "create folder"
        /// Listing of a folder.
        case list = "list"
        /// Lookup of a file's length.
        case measure = "look up"
        /// Read of a file's bytes.
        case read = "read"
        /// Replacement of a file.
        case write = "write"
        /// Append to an open file.
        case append = "append to"
        /// Flush to the physical disk.
        case synchronize = "synchronize"
        /// Truncation of an open file.
        case truncate = "truncate"
        /// Removal of a file or an empty folder.
        case remove = "remove"
        /// Renaming of a file.
        case rename = "rename"
        /// Opening of a file for appending.
        case open = "open"
        /// Acquisition of a lock.
        case lock = "lock"
    }

    /// The failed operation.
    package var operation: Operation
    /// The path that it was applied to.
    public var path: String
    /// The system's error number, as in `errno.h`.
    public var errno: Int32

    /// Creates the error of an operation on `path` that failed with the error number `errno`.
    package init(_ operation: Operation, _ path: String, errno: Int32) {
        self.operation = operation
        self.path = path
        self.errno = errno
    }
}

extension FileError {
    /// The number of attempts of a read, or of opening a store, before the error is thrown.
    static let attempts = 3

    /// Retries a read after a possibly transient error: an input/output error, or a lack of descriptors or memory.
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
    /// The path does not exist.
    package static let absent = ENOENT
    /// An input/output error.
    package static let broken = EIO
    /// The file is closed.
    package static let closed = EBADF
    /// The path of a file is a folder.
    package static let folder = EISDIR
    /// An event larger than the store's limit, or a file larger than the process's file size limit.
    package static let tooLarge = EFBIG
}

extension FileError {
    /// True if the store must move to memory: the location is read-only, missing or inaccessible, or no descriptor is
    /// available to open a file there. A full disk is not such a reason: it may regain space, and its content is
    /// intact.
    var meansLostLocation: Bool {
        isLackOfDescriptors
            || [EROFS, EACCES, EPERM, ENOENT, ENOTDIR, EISDIR, ELOOP, ENAMETOOLONG, ESTALE].contains(errno)
    }

    /// True if the file to be read does not exist. Every other read error may be transient, and loses no event.
    package var isMissingFile: Bool { errno == ENOENT }

    /// True if a retry of the call may succeed.
    var mayPass: Bool { [EIO, EAGAIN, EINTR, ENOMEM, EMFILE, ENFILE, ESTALE].contains(errno) }

    /// True if the process, or the machine, has no free file descriptor.
    package var isLackOfDescriptors: Bool { errno == EMFILE || errno == ENFILE }
}
