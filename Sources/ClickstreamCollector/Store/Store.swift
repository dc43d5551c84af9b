#if Tools
import ClickstreamCore
import Foundation
import GRDB

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The SQLite file that keeps what was sent: one writer, readers beside it, each reading what was committed before.
///
/// A commit (write-ahead log, `synchronous = NORMAL`) survives the death of the process, not necessarily a loss of
/// power.
final class Store: Sendable {
    let path: String
    /// The folder made for a temporary store, removed with it.
    private let temporaryFolder: String?
    private let pool: DatabasePool
    /// What every request has to stand in before it leaves the store.
    let archive: Archive?
    /// Of the bodies within which readers have stopped.
    let texts = BodyTexts()
    /// Limits readings whose cost grows with the store to some of the connections.
    private let turns = Turns(longReadings)
    /// Bytes of events after which a page ends, so that no question costs more memory than there is.
    let pageBytes: Int
    /// Bytes of the log after which it is taken into the file.
    let logBytes: Int

    /// Bytes of the log of a store without a limit: hot pages are written back once for many commits.
    private static let mostLogBytes = 16_777_216
    private static let leastLogBytes = 262_144
    /// Readings at a time whose cost grows with the store, and connections for all readings.
    private static let longReadings = 4
    private static let readers = 8
    /// Seconds that another process's lock is waited for.
    static let busySeconds = 5

    /// Opens the store at `path`, making it (0600) when nothing stands there; `nil` makes a temporary one.
    /// - Parameters:
    ///   - decoder: reads the bodies of a store with an older layout again.
    ///   - limit: what its files are to take, so that the log is kept to a part of it.
    init(
        path: String?,
        decoder: UploadDecoder = UploadDecoder(),
        archive: Archive? = nil,
        pageBytes: Int = Limits().pageBytes,
        limit: Int? = nil
    ) throws(CollectorError) {
        logBytes = min(max((limit ?? .max) / 8, Self.leastLogBytes), Self.mostLogBytes)
        self.archive = archive
        self.pageBytes = pageBytes
        let folder = path == nil ? try Self.makeTemporaryFolder() : nil
        let path = path ?? "\(folder ?? "")/store.sqlite"
        do throws(CollectorError) {
            let failure = makePrivateFile(path)
            if failure != 0 { throw CollectorError.storeUnusable(path: path, reason: Self.reason(of: failure)) }
            // Nobody else knows of a temporary one.
            if folder == nil { try archive?.claim(store: path) }
            do throws(CollectorError) {
                pool = try Self.open(path, decoder, logBytes: logBytes)
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

    /// Ends all access, readings under way with an error; a temporary store is removed.
    /// - Parameter keepsFile: true to leave a temporary store where it is.
    func close(keepsFile: Bool = false) throws {
        defer {
            archive?.release(store: path)
            if let temporaryFolder, !keepsFile { Self.remove(path, folder: temporaryFolder) }
        }
        // Ends the readers first: only the writer, as the last to go, takes the log back into the file.
        pool.interrupt()
        // The interrupt of an idle connection lasts until its next statement begins, and would stop the checkpoint of `close`.
        try? pool.writeWithoutTransaction { try $0.execute(sql: "SELECT 1") }
        pool.releaseMemory()
        try pool.close()
    }

    /// Ends all readings under way with an error.
    func interrupt() {
        pool.interrupt()
    }

    /// Reads what costs about the same in every store. Cancelling the task ends the statement under way.
    func read<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        try await pool.read(body)
    }

    /// As ``read(_:)``, for readings whose cost grows with the store: some at a time, in the order in which they came.
    func readInTurn<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        try await turns.take { try await pool.read(body) }
    }

    func write<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        try await pool.write(body)
    }

    /// As ``write(_:)``, for what a transaction does not allow.
    func writeOutside(_ body: @escaping @Sendable (Database) throws -> Void) async throws {
        try await pool.writeWithoutTransaction(body)
    }

    /// Bytes of the store's files, the log included.
    var bytes: Int {
        ["", "-wal", "-shm"].reduce(0) { sum, suffix in
            var status = stat()
            return stat(path + suffix, &status) == 0 ? sum + Int(status.st_size) : sum
        }
    }

    /// Bytes of the log alone.
    var loggedBytes: Int {
        var status = stat()
        return stat(path + "-wal", &status) == 0 ? Int(status.st_size) : 0
    }

    // MARK: - Opening

    private static func makeTemporaryFolder() throws(CollectorError) -> String {
        let parent = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"
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

    private static func open(
        _ path: String,
        _ decoder: UploadDecoder,
        logBytes: Int
    ) throws(CollectorError) -> DatabasePool {
        var configuration = GRDB.Configuration()
        configuration.label = "ClickstreamCollector"
        configuration.busyMode = .timeout(TimeInterval(busySeconds))
        configuration.foreignKeysEnabled = false
        configuration.maximumReaderCount = readers
        do {
            // Looked at before the pool is opened, which would already write into it.
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            let found = try queue.read { database in
                try (
                    Int.fetchOne(database, sql: "PRAGMA application_id") ?? 0,
                    Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0,
                    Int.fetchOne(database, sql: "SELECT COUNT(*) FROM sqlite_master") ?? 0
                )
            }
            let isNew = found == (0, 0, 0)
            if !isNew {
                if found.0 != StoreLayout.applicationID { throw CollectorError.storeForeign(path: path) }
                if found.1 > StoreLayout.version { throw CollectorError.storeTooNew(path: path, layout: found.1) }
            }
            // Before the first table, and outside of a transaction: pages that are freed can be given back later.
            if isNew { try queue.inDatabase { try $0.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL") } }
            if found.1 < StoreLayout.version {
                try queue.write { database in
                    if isNew {
                        try database.execute(sql: StoreLayout.tables)
                    } else if found.1 == 3 {
                        try Self.renumber(database)
                    } else {
                        try Self.rebuild(database, decoder)
                    }
                    try database.execute(sql: "PRAGMA application_id = \(StoreLayout.applicationID)")
                    try database.execute(sql: "PRAGMA user_version = \(StoreLayout.version)")
                }
                if !isNew, found.1 < 3 { try queue.vacuum() }
            }
            try queue.read { try StoreLayout.check($0) }
            try queue.close()
            let pool = try DatabasePool(path: path, configuration: configuration)
            try pool.writeWithoutTransaction { database in
                // What the log has grown to, by one large transaction or beside a reader, is given back.
                try database.execute(sql: "PRAGMA wal_autocheckpoint = \(logBytes / 4_096)")
                try database.execute(sql: "PRAGMA journal_size_limit = \(2 * logBytes)")
                try database.execute(sql: "PRAGMA cache_size = -32768")
            }
            return pool
        } catch let error as CollectorError {
            throw error
        } catch let error as StoreDamage {
            throw .storeDamaged(path: path, reason: "\(error)")
        } catch let error as DatabaseError where error.resultCode == .SQLITE_NOTADB {
            throw .storeForeign(path: path)
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
            throw .storeDamaged(path: path, reason: reason(of: error))
        } catch {
            throw .storeUnusable(path: path, reason: reason(of: error))
        }
    }

    /// Failures are left unsaid: what stays behind is a file in the system's temporary folder.
    private static func remove(_ path: String, folder: String) {
        for suffix in ["", "-wal", "-shm"] { _ = unlink(path + suffix) }
        _ = rmdir(folder)
    }

    private static func reason(of number: Int32) -> String {
        String(cString: strerror(number))
    }

    /// The error of a reading, as callers of the collector get it.
    func failure(of error: any Error) -> CollectorError {
        switch error {
        case let error as CollectorError: error
        case let error as StoreDamage: .storeDamaged(path: path, reason: "\(error)")
        case let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT:
            .storeDamaged(path: path, reason: Self.reason(of: error))
        default: .unreadable(reason: Self.reason(of: error))
        }
    }

    /// SQLite's own words, without the statement and its values.
    static func reason(of error: any Error) -> String {
        guard let error = error as? DatabaseError else { return "\(error)" }
        return error.message ?? error.resultCode.description
    }
}

/// Makes the file before SQLite does, so that nobody else can read it even for a moment. Its log takes after it.
/// - Returns: 0, or the system's error number.
private func makePrivateFile(_ path: String) -> Int32 {
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    if descriptor < 0 { return errno }
    // Nothing was written through the descriptor: there is nothing that closing it could lose.
    _ = close(descriptor)
    return 0
}
#endif
