/// Error of a failed start or query. The description contains the operation, its object, the reason and a remedy.
///
/// Further cases may be added: a `switch` outside this package needs `@unknown default`.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum CollectorError: Error, Sendable, Hashable {
    /// Another program already listens on the address.
    case portInUse(host: String, port: Int)
    /// The process has no permission to listen on the address.
    case listeningForbidden(host: String, port: Int)
    /// The system cannot listen on the address, for the given reason.
    case cannotListen(host: String, port: Int, reason: String)
    /// The name of the address to listen on cannot be resolved.
    case unknownHost(String)
    /// The folder for a temporary store could not be created in `folder`, the value of `TMPDIR` or `/tmp`.
    case noTemporaryFolder(folder: String, reason: String)
    /// The file of the store cannot be opened or created, for the given reason.
    case storeUnusable(path: String, reason: String)
    /// The file at the path of the store was not created by a collector. It is left untouched.
    case storeForeign(path: String)
    /// The store was created by a newer version of the collector, with the given layout number.
    case storeTooNew(path: String, layout: Int)
    /// The store was created by an earlier version of the collector, with the given layout number, and was opened for reading
    /// alone, which does not migrate it.
    case storeTooOld(path: String, layout: Int)
    /// The schema of the store contains an object that no collector creates, such as a view or a trigger; the text names it. The
    /// file is left untouched.
    case storeAltered(path: String, object: String)
    /// The store contains values that no collector writes; the reason names the table and the column.
    case storeDamaged(path: String, reason: String)
    /// Another program removed, replaced or truncated a file of the store while the collector used it; the reason names the file.
    /// Requests are refused from then on.
    case storeGone(path: String, reason: String)
    /// The folder of the archive cannot be created or written, for the given reason.
    case archiveUnusable(path: String, reason: String)
    /// Another collector already archives the store; both together would write each request twice.
    case storeArchived(path: String)
    /// A setting is invalid; the text names it and the valid values.
    case invalidConfiguration(String)
    /// The store cannot be read, for the given reason.
    case unreadable(reason: String)
    /// The collector is stopped and answers no more queries, or its start was cancelled.
    case stopped
}

extension CollectorError: CustomStringConvertible {
    /// One or two sentences for a person: the failed operation, the reason and a remedy.
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
        case .storeTooOld(let path, let layout):
            "cannot read the store \(path): it was created by an earlier version (layout \(layout)); 'clickstream-cli collect "
                + "--store \(path)' upgrades it at its start"
        case .storeAltered(let path, let object):
            "cannot use the store \(path): it contains \(object), which no collector creates, and is left untouched; remove it "
                + "from a copy, or choose another path"
        case .storeDamaged(let path, let reason):
            "the store \(path) is damaged: \(reason); stop the collector, keep a copy of the file, and continue with another "
                + "store (sqlite3's .recover may save the contents of the copy)"
        case .storeGone(let path, let reason):
            "the store \(path) is gone: \(reason) while the collector was using it, and requests are refused; start the "
                + "collector again"
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
