#if Tools
/// Why a collector could not start, or a reading could not be made: what failed, on what, why, and what to do next.
///
/// Further cases may be added: a `switch` outside this package needs `@unknown default`.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum CollectorError: Error, Sendable, Hashable {
    /// Another program listens on that address already.
    case portInUse(host: String, port: Int)
    /// The process may not listen on that address.
    case listeningForbidden(host: String, port: Int)
    /// The system would not let the collector listen there, for the reason given.
    case cannotListen(host: String, port: Int, reason: String)
    /// The name of the address to listen on cannot be resolved.
    case unknownHost(String)
    /// The folder for a temporary store could not be created in `folder`, the value of `TMPDIR` or `/tmp`.
    case noTemporaryFolder(folder: String, reason: String)
    /// The store's file could not be opened or made, for the reason given.
    case storeUnusable(path: String, reason: String)
    /// A file stands at the store's path that no collector made; it was left untouched.
    case storeForeign(path: String)
    /// The store was made by a newer version of the collector, whose layout has the number given.
    case storeTooNew(path: String, layout: Int)
    /// The store holds values that no collector writes; the reason names the table and the column.
    case storeDamaged(path: String, reason: String)
    /// The archive's folder could not be made or written, for the reason given.
    case archiveUnusable(path: String, reason: String)
    /// Another collector archives this store already, and what both wrote would stand there twice.
    case storeArchived(path: String)
    /// A setting makes no sense; the text says which and what would.
    case invalidConfiguration(String)
    /// The store failed while it was read, for the reason given.
    case unreadable(reason: String)
    /// The collector was stopped: it answers no more questions.
    case stopped
}

extension CollectorError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .portInUse(let host, let port):
            "cannot listen on \(host):\(port): address already in use; stop the other program, or use another port (0 picks "
                + "a free one)"
        case .listeningForbidden(let host, let port):
            "cannot listen on \(host):\(port): Permission denied; use an address of this machine and a permitted port"
        case .cannotListen(let host, let port, let reason):
            "cannot listen on \(host):\(port): \(reason); use an address of this machine and a permitted port"
        case .unknownHost(let host):
            "no such host: \(host)"
        case .noTemporaryFolder(let folder, let reason):
            "cannot create a temporary store: TMPDIR (\(folder)) \(reason); set TMPDIR or pass --store FILE"
        case .storeUnusable(let path, let reason):
            "cannot open the store \(path): \(reason); choose a file in an existing, writable folder"
        case .storeForeign(let path):
            "cannot use \(path) as a store: the file was not created by a collector and is left untouched; choose another "
                + "path"
        case .storeTooNew(let path, let layout):
            "cannot use the store \(path): it was created by a newer version (layout \(layout)); update, or choose another path"
        case .storeDamaged(let path, let reason):
            "the store \(path) is damaged: \(reason); stop the collector, keep a copy of the file, and continue with another "
                + "store (sqlite3's .recover may save the contents of the copy)"
        case .archiveUnusable(let path, let reason):
            "cannot write the archive \(path): \(reason); choose a writable folder"
        case .storeArchived(let path):
            "cannot archive the store \(path): another collector archives it already; stop that collector, or leave out the "
                + "archive here"
        case .invalidConfiguration(let text):
            text
        case .unreadable(let reason):
            "cannot read the store: \(reason); stop the collector and check the file and its disk"
        case .stopped:
            "the collector has stopped; start another one on the same store"
        }
    }
}
#endif
