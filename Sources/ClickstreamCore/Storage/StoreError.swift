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
}

extension StoreError {
    /// Whether there is no room, so that removing something helps.
    var isFullDisk: Bool {
        if case .failed(let error) = self { error.errno == ENOSPC || error.errno == EDQUOT } else { false }
    }
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
