#if Collector
import ClickstreamCore
import Foundation
import GRDB

/// Status of a collector's archive.
package struct ArchiveStatus: Sendable, Hashable {
    /// Folder of the archive.
    package var folder: String
    /// Reason why the last write failed; `nil` if it succeeded.
    package var failure: String?
    /// Number of stored requests that are not in a closed file of the archive.
    package var behind: Int
}

/// Archive in the format of the published server's S3 sink: gzip files of requests, one per line, in a folder per hour.
///
/// The archive follows the store. A file is written under a temporary name and renamed once it is complete and flushed
/// to the disk; the next file begins only after the store has recorded that. A file that a crash leaves incomplete, or
/// complete but not recorded, is written again from the store at the next start. Its name is the same, as it is made of
/// the first request in the file. Every answered request is therefore in the archive exactly once. Callable from any
/// thread; blocks on the disk.
final class Archive: Sendable {
    /// Result of a step.
    enum Step: Sendable, Hashable {
        /// There may be more to write.
        case wrote
        /// All requests up to this one are in closed files. The caller records this in the store, then calls
        /// ``noted(_:)``.
        case closed(Int64)
        /// Nothing is left to write.
        case idle
    }

    private struct State {
        var file: ArchiveFile?
        /// The last request written; its file may still be open.
        var written: Int64?
        /// The last request of a closed file, until the store has recorded it.
        var closed: Int64?
        /// The last request that the store has recorded, as reported to ``noted(_:)``.
        var noted: Int64 = 0
        var hasTidied = false
    }

    private let folder: String
    private let rotation: ArchiveRotation
    private let disk: any FileSystem
    private let state = Locked(State())
    private let progress: Locked<ArchiveStatus>
    /// Lock that keeps other collectors from archiving the same store.
    private let claim = Locked<(any FileLock)?>(nil)

    /// Bytes of bodies that are read in one step.
    private static let pieceBytes = 4 * 1_048_576

    /// Creates the folder if it does not exist.
    init(
        folder: String,
        rotation: ArchiveRotation = ArchiveRotation(),
        disk: any FileSystem = LocalFileSystem()
    ) throws(CollectorError) {
        self.folder = folder
        self.rotation = rotation
        self.disk = disk
        progress = Locked(ArchiveStatus(folder: folder, failure: nil, behind: 0))
        do {
            try disk.createFolder(folder)
        } catch {
            throw .archiveUnusable(path: folder, reason: error.reason)
        }
    }

    // MARK: - Status

    var status: ArchiveStatus { progress.withLock { $0 } }

    func noteEnd(behind: Int) {
        progress.withLock { $0.behind = behind }
    }

    /// Records the result of a write in ``status``; `nil` for success.
    func noteAttempt(_ error: (any Error)?) {
        let reason = error.map { ($0 as? FileError)?.reason ?? Store.reason(of: $0) }
        progress.withLock { $0.failure = reason }
    }

    // MARK: - Ownership of the store

    /// Locks the store at `path` against other archives until ``release(store:)``: two processes that archive one store
    /// would each write every request.
    func claim(store path: String) throws(CollectorError) {
        do {
            guard let lock = try disk.lock(Self.claimPath(path)) else { throw CollectorError.storeArchived(path: path) }
            claim.withLock { $0 = lock }
        } catch let error as CollectorError {
            throw error
        } catch {
            // The file system has no locks. Continues: there is rarely more than one collector.
        }
    }

    func release(store path: String) {
        claim.withLock { claim in
            guard let lock = claim else { return }
            // A remaining lock file does no harm.
            try? disk.remove(Self.claimPath(path))
            lock.unlock()
            claim = nil
        }
    }

    private static func claimPath(_ store: String) -> String { store + "-archive" }

    // MARK: - Writing

    /// Writes some of the requests that the archive lacks, or closes a file that is due.
    ///
    /// Writes a few megabytes at most, and closes at most one file.
    /// - Parameter closes: true to close the last file, too, once all requests are written.
    func step(_ database: Database, now: Timestamp, closes: Bool) throws -> Step {
        try state.withLock { state in
            if let closed = state.closed { return .closed(closed) }
            if !state.hasTidied {
                state.hasTidied = true
                removeLeftovers()
            }
            do {
                let cursor = try state.written ?? max(state.noted, Self.noted(in: database))
                let rows = try Self.rows(after: cursor, in: database)
                for row in rows {
                    if let file = state.file, !file.takes(row, rotation) { return try close(file, &state) }
                    let file = try state.file ?? ArchiveFile(disk, folder: folder, first: row)
                    state.file = file
                    try file.append(row)
                    state.written = row.sequence
                }
                try state.file?.flush()
                if !rows.isEmpty { return .wrote }
                if let file = state.file, closes || file.isDue(rotation, now: now) { return try close(file, &state) }
                return .idle
            } catch {
                // Restarts after the last complete file.
                state.file?.abandon()
                state = State(noted: state.noted, hasTidied: true)
                throw error
            }
        }
    }

    private func close(_ file: ArchiveFile, _ state: inout State) throws -> Step {
        try file.close()
        state.file = nil
        guard let written = state.written else { return .wrote }
        state.closed = written
        return .closed(written)
    }

    /// Reports that the store has recorded the archive's position.
    func noted(_ sequence: Int64) {
        state.withLock { state in
            state.noted = max(state.noted, sequence)
            if state.closed == sequence { state.closed = nil }
        }
    }

    /// The last request in a closed file, as recorded by the store.
    static func noted(in database: Database) throws -> Int64 {
        try Int64.fetchOne(database.cachedStatement(sql: "SELECT archived FROM state")) ?? 0
    }

    static func note(_ sequence: Int64, in database: Database) throws {
        try database.execute(sql: "UPDATE state SET archived = MAX(archived, ?)", arguments: [sequence])
    }

    private static func rows(after cursor: Int64, in database: Database) throws -> [ArchivedRow] {
        let cursorRows = try Row.fetchCursor(
            database.cachedStatement(sql: Store.archivedRequests),
            arguments: [cursor]
        )
        var rows: [ArchivedRow] = []
        var remaining = pieceBytes
        while remaining > 0, let row = try cursorRows.next() {
            let found = try ArchivedRow(row)
            remaining -= found.request.data?.utf8.count ?? 0
            rows.append(found)
        }
        return rows
    }

    // MARK: - Leftovers

    /// Removes incomplete files of crashed processes. A file that a process is writing is locked, and stays.
    private func removeLeftovers() {
        var folders = [folder]
        for part in ["year=", "month=", "day=", "hour="] {
            folders = folders.flatMap { folder in
                // Files in an unreadable folder stay; they do no harm.
                ((try? disk.names(in: folder)) ?? []).filter { $0.hasPrefix(part) }.map { "\(folder)/\($0)" }
            }
        }
        for folder in folders {
            for name in (try? disk.names(in: folder)) ?? [] where ArchiveFile.isPartial(name) {
                // Without locks, the file may belong to a running process.
                guard let lock = try? disk.lock("\(folder)/\(name)") else { continue }
                try? disk.remove("\(folder)/\(name)")
                lock.unlock()
            }
        }
    }
}

/// Request to be archived.
struct ArchivedRow {
    var sequence: Int64
    var request: CollectedRequest
}

/// File of an archive while it is written: a sequence of gzip members of some lines each.
private final class ArchiveFile: Sendable {
    private struct State {
        var lines: [UInt8] = []
        var bytes = 0
    }

    private let disk: any FileSystem
    private let partial: String
    private let path: String
    private let hour: Int64
    private let start: Timestamp
    private let file: any AppendableFile
    /// Marks the file as being written, for other collectors that use the folder.
    private let lock: (any FileLock)?
    private let state = Locked(State())

    /// Query engines such as Athena skip names with this prefix.
    private static let prefix = "_"
    private static let suffix = ".log.gz"
    private static let partialSuffix = suffix + ".part"

    /// Creates the file. Its name contains the time and the id of its first request.
    init(_ disk: any FileSystem, folder: String, first row: ArchivedRow) throws {
        self.disk = disk
        start = row.request.receivedAt
        hour = start.milliseconds / 3_600_000
        let time = start.civil
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let partition =
            "\(folder)/year=\(time.year)/month=\(two(time.month))/day=\(two(time.day))/hour=\(two(time.hour))"
        try disk.createFolder(partition)
        let name = "\(start.milliseconds / 1_000)-\(row.request.id.grouped)"
        path = "\(partition)/\(name)\(Self.suffix)"
        partial = "\(partition)/\(Self.prefix)\(name)\(Self.partialSuffix)"
        // Without locks, other collectors remove no files either.
        lock = try? disk.lock(partial)
        file = try disk.open(partial)
        // Content written before a crash.
        if file.size > 0 { try file.truncate(to: 0) }
    }

    /// True for the name of a file that is being written: `_1715131615-0123….log.gz.part`.
    static func isPartial(_ name: String) -> Bool {
        guard name.hasPrefix(prefix), name.hasSuffix(partialSuffix) else { return false }
        let parts = name.dropFirst(prefix.count).dropLast(partialSuffix.count).split(
            separator: "-",
            maxSplits: 1,
            omittingEmptySubsequences: false
        )
        return parts.count == 2 && !parts[0].isEmpty && parts[0].utf8.allSatisfy { (0x30...0x39).contains($0) }
            && parts[1].utf8.count == 36
    }

    func takes(_ row: ArchivedRow, _ rotation: ArchiveRotation) -> Bool {
        let milliseconds = row.request.receivedAt.milliseconds
        return milliseconds / 3_600_000 == hour && milliseconds - start.milliseconds < rotation.seconds * 1_000
            && state.withLock { $0.bytes } < rotation.bytes
    }

    func isDue(_ rotation: ArchiveRotation, now: Timestamp) -> Bool {
        now.milliseconds - start.milliseconds >= rotation.seconds * 1_000
            || state.withLock { $0.bytes } >= rotation.bytes
    }

    func append(_ row: ArchivedRow) throws {
        let line = row.request.storedRow
        let isMuch = state.withLock { state in
            state.lines.append(contentsOf: line)
            state.lines.append(UInt8(ascii: "\n"))
            return state.lines.count > 1_048_576
        }
        if isMuch { try flush() }
    }

    /// Writes the buffered lines as a gzip member.
    func flush() throws {
        try state.withLock { state in
            if state.lines.isEmpty { return }
            let member = Gzip.deflate(state.lines, level: 1)
            try member.withUnsafeBytes { try file.append($0) }
            state.lines = []
            state.bytes += member.count
        }
    }

    /// Flushes the file to the disk and renames it to its final name.
    func close() throws {
        try flush()
        try file.synchronize()
        try disk.rename(partial, to: path)
        file.close()
        lock?.unlock()
    }

    /// Removes the file. A file that cannot be removed does no harm.
    func abandon() {
        file.close()
        try? disk.remove(partial)
        lock?.unlock()
    }
}

extension String {
    /// 32 hexadecimal digits with the hyphens of a UUID; any other text unchanged.
    fileprivate var grouped: String {
        guard utf8.count == 32 else { return self }
        var text = ""
        for (index, character) in enumerated() {
            if [8, 12, 16, 20].contains(index) { text.append("-") }
            text.append(character)
        }
        return text
    }
}
#endif
