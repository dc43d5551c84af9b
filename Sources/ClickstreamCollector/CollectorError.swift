#if Tools
/// Why a collector could not start, or a reading could not be made: what failed, on what, why, and what to do next.
public enum CollectorError: Error, Sendable, Hashable {
    /// Another program listens on that address already.
    case portInUse(host: String, port: Int)
    /// The system would not let the collector listen there, for the reason given.
    case cannotListen(host: String, port: Int, reason: String)
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
            "Cannot listen on \(host):\(port): another program does already. "
                + "Stop it, or choose another port (0 takes a free one)."
        case .cannotListen(let host, let port, let reason):
            "Cannot listen on \(host):\(port): \(reason). "
                + "Choose an address of this machine and a port that you may use."
        case .storeUnusable(let path, let reason):
            "Cannot open the store \(path): \(reason). Choose a file in a folder that exists and that you may write to."
        case .storeForeign(let path):
            "Cannot use \(path) as a store: a file stands there that no collector made. "
                + "It was left as it is; choose another path."
        case .storeTooNew(let path, let layout):
            "Cannot use the store \(path): a newer version made it (layout \(layout)). Update, or choose another path."
        case .storeDamaged(let path, let reason):
            "The store \(path) is damaged: \(reason). Stop the collector, keep a copy of the file, and go on with "
                + "another store; sqlite3's .recover may save what the copy still holds."
        case .archiveUnusable(let path, let reason):
            "Cannot write the archive \(path): \(reason). Choose a folder that you may write to."
        case .storeArchived(let path):
            "Cannot archive the store \(path): another collector that uses it does already. "
                + "Leave out the archive here, or stop that one."
        case .invalidConfiguration(let text):
            text
        case .unreadable(let reason):
            "Cannot read the store: \(reason). Stop the collector and check the file and its disk."
        case .stopped:
            "The collector has been stopped: start another one on the same store to go on."
        }
    }
}
#endif
