#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Why the store on disk cannot be used.
public enum StoreError: Error, Sendable, Hashable {
    /// The folder holds things that are not ours, and no mark of ours.
    case foreignFolder(path: String, contains: String)
    /// Something other than a folder stands there, or above it.
    case notFolder(path: String)
    /// The folder, or the disk, is read-only for us.
    case notWritable(FileError)
    /// A later version of the library wrote it. Nothing was changed.
    case laterVersion(path: String, version: Int)
    /// The disk's other reasons.
    case failed(FileError)

    /// The store's view of what the disk said.
    package init(_ error: FileError) {
        switch error.errno {
        case EROFS, EACCES, EPERM: self = .notWritable(error)
        case ENOTDIR: self = .notFolder(path: error.path)
        default: self = .failed(error)
        }
    }

    /// What `errno` says where nothing stands.
    package static let absent = ENOENT
    /// A disk that does not work.
    static let broken = EIO
    /// A file that was closed.
    static let closed = EBADF
    /// An event that is larger than the whole store may be, or a file that is larger than the process may write.
    static let tooLarge = EFBIG
}

extension StoreError {
    /// Whether there is no room, so that removing something helps.
    var isFullDisk: Bool {
        if case .failed(let error) = self { error.errno == ENOSPC || error.errno == EDQUOT } else { false }
    }
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

extension StoreError: CustomStringConvertible {
    /// One line for a person: what failed, on what, why, and what to do next.
    public var description: String {
        switch self {
        case .foreignFolder(let path, let name):
            "cannot use \(path) as a store: it holds \(name) and no clickstream-store file, so it belongs to something else; "
                + "choose another storage directory, or an empty one"
        case .notFolder(let path):
            "cannot use \(path) as a store: something other than a folder stands there; "
                + "move it away, or choose another storage directory"
        case .notWritable(let error), .failed(let error):
            error.description
        case .laterVersion(let path, let version):
            "cannot use \(path): version \(version) of its format was written by a later version of this library; "
                + "update the library, or choose another storage directory"
        }
    }
}
