#if Collector
import ClickstreamCore
import GRDB
import GRDBSQLite

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The files of an open store: the database, its log and the index of the log.
///
/// SQLite continues to use files that another program has removed, replaced or truncated, and commits to them without an
/// error. The first failed check is final. Callable from any thread; a check takes some microseconds.
final class StoreFiles: Sendable {
    /// Ends of the paths of the files, after the path of the store.
    static let suffixes = ["", logSuffix, "-shm"]
    static let logSuffix = "-wal"
    /// Bytes of the smallest page of SQLite: no database is shorter.
    private static let leastBytes = 512
    /// First bytes of a log: the number 0x377F0682 or 0x377F0683.
    private static let logMagic: [UInt8] = [0x37, 0x7F, 0x06]

    private let path: String
    /// Identities of the files, which are not reused while they are open.
    private let identities: [FileIdentity]
    private let found = Locked<CollectorError?>(nil)

    /// - Parameter path: path of a database that is open in the mode with a log.
    init(path: String) throws(CollectorError) {
        self.path = path
        var identities: [FileIdentity] = []
        for suffix in Self.suffixes {
            var status = stat()
            guard stat(path + suffix, &status) == 0 else {
                throw .storeUnusable(path: path + suffix, reason: String(cString: strerror(errno)))
            }
            identities.append(FileIdentity(status))
        }
        self.identities = identities
    }

    /// The failure of the first failed check; `nil` if there was none.
    var failure: CollectorError? { found.withLock { $0 } }

    /// Checks that the files at their paths are those in use. Call within a transaction, before its commit.
    /// - Throws: ``CollectorError/storeGone(path:reason:)``.
    func check() throws(CollectorError) {
        if let failure { throw failure }
        for (suffix, identity) in zip(Self.suffixes, identities) {
            var status = stat()
            if stat(path + suffix, &status) != 0 { throw fail(suffix, "was removed or renamed") }
            if FileIdentity(status) != identity { throw fail(suffix, "was replaced by another file") }
            if suffix.isEmpty, status.st_size < Self.leastBytes { throw fail(suffix, "was truncated") }
        }
    }

    /// Checks that the log has a beginning: after a truncation, commits are appended to a hole. Call after a commit.
    /// - Throws: ``CollectorError/storeGone(path:reason:)``.
    func checkLog() throws(CollectorError) {
        if let failure { throw failure }
        // SQLite has no locks on the log, which closing a descriptor would release.
        let descriptor = open(path + Self.logSuffix, O_RDONLY | O_CLOEXEC)
        if descriptor < 0 {
            // Another failure, such as too many open files, proves nothing.
            if errno != ENOENT { return }
            throw fail(Self.logSuffix, "was removed or renamed")
        }
        defer { _ = close(descriptor) }
        var magic = [UInt8](repeating: 0, count: Self.logMagic.count)
        let count = pread(descriptor, &magic, magic.count, 0)
        // Another process may have moved the log into the database and emptied it.
        if count == magic.count, magic != Self.logMagic { throw fail(Self.logSuffix, "was truncated") }
    }

    private func fail(_ suffix: String, _ what: String) -> CollectorError {
        found.withLock { found in
            let failure = found ?? .storeGone(path: path, reason: "\(path)\(suffix) \(what)")
            found = failure
            return failure
        }
    }

    /// Makes a connection keep the log and its index when it closes. SQLite deletes them by their paths, which may be those
    /// of another store by now.
    static func keepLog(_ database: Database) {
        var isKept: Int32 = 1
        // If it fails, the log is deleted, as usual.
        _ = sqlite3_file_control(database.sqliteConnection, "main", SQLITE_FCNTL_PERSIST_WAL, &isKept)
    }
}
#endif
