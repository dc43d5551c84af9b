#if Collector
import CClickstreamSQLite
import ClickstreamCore
import Foundation
import GRDB
import GRDBSQLite

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// SQLite database of requests and events, with one writer and concurrent readers, each of which reads a snapshot.
///
/// A commit (write-ahead log, `synchronous = NORMAL`) survives the end of the process, but not always a loss of power.
final class Store: Sendable {
    let path: String
    /// Folder of a temporary store, removed with it; `nil` for other stores.
    private let temporaryFolder: String?
    private let pool: DatabasePool
    private let lifetime = StoreLifetime()
    /// Checked at each commit of requests.
    let files: StoreFiles
    /// Archive that has to contain a request before it is evicted.
    let archive: Archive?
    /// Cache of bodies in which pages ended.
    let texts = BodyTexts()
    /// Progress of the search for requests beyond the maximum age.
    let expiry = Locked(ExpirySearch())
    /// Limit for queries whose cost grows with the store, which leaves connections for others.
    private let longQueries = Semaphore(longQueryLimit)
    /// Maximum bytes of events in a page, which bounds the memory of a query.
    let pageBytes: Int
    /// Bytes of the write-ahead log at which it is checkpointed.
    let logBytes: Int
    /// Digest of the plan by which this process judges events; empty for none.
    let plans: [String]

    /// Bytes of the log of a store without a limit: frequently changed pages are checkpointed once for many commits.
    private static let maxLogBytes = 16_777_216
    private static let leastLogBytes = 262_144
    /// Number of concurrent queries whose cost grows with the store, and of connections for all queries.
    private static let longQueryLimit = 4
    private static let readers = 8
    /// Timeout in seconds for a lock held by another process.
    static let busySeconds = 5
    /// Maximum bytes of a value and of a row: more than any body, of which 128 MiB wait to be stored, and than the texts of an
    /// event, which are parts of an inflated body.
    static let valueBytes = 268_435_456

    /// Opens the store at `path`, or creates it (mode 0600). `nil` creates a temporary one.
    /// - Parameters:
    ///   - decoder: decodes the bodies of a store with an older layout, or with the verdicts of another plan, again.
    ///   - limit: maximum bytes of the store, of which the log uses a part.
    ///   - opening: cancellation of a migration, or of judging events again, which is then rolled back.
    init(
        path: String?,
        decoder: UploadDecoder = UploadDecoder(),
        archive: Archive? = nil,
        pageBytes: Int = Limits().pageBytes,
        limit: Int? = nil,
        opening: StoreOpening = StoreOpening()
    ) throws(CollectorError) {
        logBytes = min(max((limit ?? .max) / 8, Self.leastLogBytes), Self.maxLogBytes)
        self.archive = archive
        self.pageBytes = pageBytes
        plans = decoder.planDigests
        let folder = path == nil ? try Self.makeTemporaryFolder() : nil
        let path = path ?? "\(folder ?? "")/store.sqlite"
        do throws(CollectorError) {
            let failure = makePrivateFile(path)
            if failure != 0 { throw CollectorError.storeUnusable(path: path, reason: Self.reason(of: failure)) }
            // No other process uses a temporary store.
            if folder == nil { try archive?.claim(store: path) }
            do throws(CollectorError) {
                pool = try Self.open(path, decoder, opening, logBytes: logBytes)
                files = try StoreFiles(path: path)
            } catch {
                archive?.release(store: path)
                throw error
            }
        } catch {
            if let folder { Self.remove(path, folder: folder) }
            throw error
        }
        self.path = path
        temporaryFolder = folder
    }

    /// Opens an existing store for queries alone, beside collectors that use it. Its file is neither changed nor migrated, and no
    /// lock of a writer is taken; SQLite creates the log and its index, empty, if no collector has them open.
    /// - Throws: ``CollectorError/storeTooOld(path:layout:)`` for a layout that only a writer could migrate.
    init(reading path: String, pageBytes: Int = Limits().pageBytes) throws(CollectorError) {
        pool = try ExistingStore.open(path, Self.connections)
        files = try StoreFiles(path: path)
        self.path = path
        self.pageBytes = pageBytes
        temporaryFolder = nil
        archive = nil
        logBytes = Self.maxLogBytes
        plans = []
    }

    /// Closes the database, ends running queries with an error, and removes a temporary store. A further call does nothing else than
    /// wait for the end of the first one.
    /// - Parameter keepsFile: true to keep a temporary store.
    func close(keepsFile: Bool = false) throws {
        // Ends the readers first: SQLite checkpoints the log when the last connection, the writer, closes.
        try lifetime.close(
            interrupting: { pool.interrupt() },
            closing: {
                defer {
                    archive?.release(store: path)
                    if let temporaryFolder, !keepsFile { Self.remove(path, folder: temporaryFolder) }
                }
                // The interrupt of an idle connection applies to its next statement, and would stop the checkpoint of `close`.
                try? pool.writeWithoutTransaction { try $0.execute(sql: "SELECT 1") }
                do { try files.check() } catch { pool.writeWithoutTransaction { StoreFiles.keepLog($0) } }
                pool.releaseMemory()
                try pool.close()
            }
        )
    }

    /// Ends all running queries with an error.
    func interrupt() {
        // The closing ends them itself; a closed connection cannot be interrupted.
        lifetime.runIfOpen { pool.interrupt() }
    }

    /// Runs a query whose cost does not depend on the size of the store. Cancelling the task interrupts it.
    /// - Throws: ``StoreLifetime/Closed`` after ``close(keepsFile:)``, as all functions that use a connection do; errors of GRDB.
    func read<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        try await lifetime.run {
            try await pool.read { [lifetime] database in
                try lifetime.check()
                return try StoreDamage.reporting { try body(database) }
            }
        }
    }

    /// As ``read(_:)``, for a query whose cost grows with the store. A few run concurrently, the others wait in order.
    func readInTurn<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        try await longQueries.withPermit { try await read(body) }
    }

    func write<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        try await lifetime.run {
            try await pool.write { [lifetime] database in
                try lifetime.check()
                return try body(database)
            }
        }
    }

    /// As ``write(_:)``, without a transaction.
    func writeOutside(_ body: @escaping @Sendable (Database) throws -> Void) async throws {
        try await lifetime.run {
            try await pool.writeWithoutTransaction { [lifetime] database in
                try lifetime.check()
                try body(database)
            }
        }
    }

    /// Bytes of the store's files, the log included.
    var bytes: Int {
        StoreFiles.suffixes.reduce(0) { sum, suffix in
            var status = stat()
            return stat(path + suffix, &status) == 0 ? sum + Int(status.st_size) : sum
        }
    }

    /// Bytes of the log.
    var loggedBytes: Int {
        var status = stat()
        return stat(path + StoreFiles.logSuffix, &status) == 0 ? Int(status.st_size) : 0
    }

    // MARK: - Opening

    private static func makeTemporaryFolder() throws(CollectorError) -> String {
        let parent = ProcessInfo.processInfo.environment.temporaryFolder
        let template = parent + "/clickstream-collector-XXXXXX"
        var name = Array(template.utf8CString)
        guard mkdtemp(&name) != nil else {
            throw .noTemporaryFolder(
                folder: parent,
                reason: errno == ENOENT ? "does not exist" : "is not usable: \(reason(of: errno))"
            )
        }
        return String(decoding: name.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Settings of all connections. SQL in a file is not trusted: the schema is checked before anything else is read, calls
    /// no function with side effects if it changes later, and allocates no more than a row of a store takes.
    private static var connections: GRDB.Configuration {
        var configuration = GRDB.Configuration()
        configuration.label = "ClickstreamCollector"
        configuration.busyMode = .timeout(TimeInterval(busySeconds))
        configuration.foreignKeysEnabled = false
        configuration.maximumReaderCount = readers
        configuration.prepareDatabase { database in
            guard let connection = database.sqliteConnection else { return }
            sqlite3_limit(connection, SQLITE_LIMIT_LENGTH, Int32(Self.valueBytes))
            // A library without this mode is older than 3.26. The other settings apply.
            _ = clickstream_set_defensive(connection)
            try RequestRange.define(in: connection)
            try database.execute(sql: "PRAGMA trusted_schema = OFF")
            // An index of all events for one query would be searched for each request.
            try database.execute(sql: "PRAGMA automatic_index = OFF")
        }
        return configuration
    }

    private static func open(
        _ path: String,
        _ decoder: UploadDecoder,
        _ opening: StoreOpening,
        logBytes: Int
    ) throws(CollectorError) -> DatabasePool {
        let configuration = connections
        do {
            // Before the pool is opened, which would already write to a file of another program.
            var cancellable = configuration
            cancellable.prepareDatabase { opening.watch($0) }
            let queue = try DatabaseQueue(path: path, configuration: cancellable)
            try prepare(queue, path, decoder, opening)
            try queue.close()
            let pool = try DatabasePool(path: path, configuration: configuration)
            try pool.writeWithoutTransaction { database in
                // Truncates a log that has grown by a large transaction or during a long query.
                try database.execute(sql: "PRAGMA wal_autocheckpoint = \(logBytes / 4_096)")
                try database.execute(sql: "PRAGMA journal_size_limit = \(2 * logBytes)")
                try database.execute(sql: "PRAGMA cache_size = -32768")
            }
            return pool
        } catch _ where opening.isCancelled {
            throw .stopped
        } catch {
            throw CollectorError(opening: path, error)
        }
    }

    /// Removes a temporary store. Failures are ignored: the files are in the system's temporary folder.
    private static func remove(_ path: String, folder: String) {
        for suffix in StoreFiles.suffixes { _ = unlink(path + suffix) }
        _ = rmdir(folder)
    }

    private static func reason(of number: Int32) -> String {
        String(cString: strerror(number))
    }

    /// Public error for the error of a query.
    func failure(of error: any Error) -> CollectorError {
        switch error {
        case let error as CollectorError: error
        case let error as StoreDamage: .storeDamaged(path: path, reason: "\(error)")
        case let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT:
            .storeDamaged(path: path, reason: Self.reason(of: error))
        default: .unreadable(reason: Self.reason(of: error))
        }
    }

    /// Message of SQLite, without the statement and its values.
    static func reason(of error: any Error) -> String {
        guard let error = error as? DatabaseError else { return "\(error)" }
        return error.message ?? error.resultCode.description
    }
}

/// Creates the file before SQLite does, so that other users can never read it. Its log has the same permissions.
/// - Returns: 0, or the system's error number.
private func makePrivateFile(_ path: String) -> Int32 {
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    if descriptor < 0 { return errno }
    // Nothing was written through the descriptor, so closing it loses nothing.
    _ = close(descriptor)
    return 0
}
#endif
