#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Reason why the store on disk cannot be used.
///
/// Further cases may be added: a `switch` outside this package needs `@unknown default`.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum StoreError: Error, Sendable, Hashable {
    /// The folder contains foreign files, and no marker file of this library.
    case foreignFolder(path: String, contains: String)
    /// The path, or a parent of it, is not a folder.
    case notFolder(path: String)
    /// The folder or the disk is not writable by this process.
    case notWritable(FileError)
    /// The store was written by a later version of the library. Nothing was changed.
    case laterVersion(path: String, version: Int)
    /// Any other disk error.
    case failed(FileError)

    /// Maps a disk error to a store error.
    package init(_ error: FileError) {
        switch error.errno {
        case EROFS, EACCES, EPERM: self = .notWritable(error)
        case ENOTDIR: self = .notFolder(path: error.path)
        default: self = .failed(error)
        }
    }
}

extension StoreError {
    /// Runs an operation that throws errors of the disk and of the store; maps errors of the disk to store errors.
    package static func mapping<Result>(_ body: () throws -> Result) throws(StoreError) -> Result {
        do {
            return try body()
        } catch let error as FileError {
            throw StoreError(error)
        } catch let error as StoreError {
            throw error
        } catch {
            preconditionFailure("Invalid state: \(error) is neither a FileError nor a StoreError")
        }
    }

    /// True if the disk is full or a quota is exceeded, so that removing files helps.
    var isFullDisk: Bool {
        if case .failed(let error) = self { error.errno == ENOSPC || error.errno == EDQUOT } else { false }
    }
}

extension StoreError {
    /// True if the same attempt may succeed a moment later.
    var mayPass: Bool {
        if case .failed(let error) = self { error.mayPass } else { false }
    }
}

extension StoreError: CustomStringConvertible {
    /// A one-line message: the failed operation, its path, the cause, and a remedy.
    public var description: String {
        switch self {
        case .foreignFolder(let path, let name):
            "cannot use \(path) as a store: it contains \(name) and no clickstream-store file, so it belongs to another program; "
                + "choose another storage directory, or an empty one"
        case .notFolder(let path):
            "cannot use \(path) as a store: it is not a folder; "
                + "move it away, or choose another storage directory"
        case .notWritable(let error), .failed(let error):
            error.description
        case .laterVersion(let path, let version):
            "cannot use \(path): its format version \(version) is newer than this library; "
                + "update the library, or choose another storage directory"
        }
    }
}
