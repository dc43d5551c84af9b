#if Tools
import ClickstreamCore
import Foundation
import GRDB

/// State of a collector's archive.
public struct ArchiveStatus: Sendable, Hashable {
    /// Folder of the archive.
    public var folder: String
    /// Reason why the last attempt to write failed; `nil` when it did not.
    public var failure: String?
    /// Stored requests that no closed file of the archive holds yet.
    public var behind: Int
}

/// Writes what the published server's S3 sink writes: files of envelopes, a line each, in folders by the hour.
///
/// Follows the store. A file is written under a name of its own and gets its last one when it is whole and on the disk;
/// the next one is begun only after the store has noted that. What a crash leaves half, or whole and not noted, is
/// written again from the store at the next start, under the same name, since that is made of the first request in it.
/// So every request that was answered stands in the archive exactly once. Callable from any thread; blocks on the disk.
final class Archive: Sendable {
    /// When a file is closed.
    struct Rotation: Sendable, Hashable {
        /// Bytes of the file, as compressed: the published sink's batch.
        var bytes = 30_000_000
        /// Seconds since it was begun.
        var seconds: Int64 = 300
    }

    /// What a step came to.
    enum Step: Sendable, Hashable {
        /// There may be more to write.
        case wrote
        /// All requests up to this one stand in closed files: the store has to note it, and then ``noted(_:)`` to be told.
        case closed(Int64)
        /// Nothing was left to do.
        case idle
    }

    private struct State {
        var file: ArchiveFile?
        /// The last request that was written, in a file that may still be open.
        var written: Int64?
        /// The last request of a file that was closed, until the store has noted it.
        var closed: Int64?
        /// What the store has noted, as far as it was told here.
        var noted: Int64 = 0
        var hasTidied = false
    }

    private let folder: String
    private let rotation: Rotation
    private let disk: any FileSystem
    private let state = Locked(State())
    private let progress: Locked<ArchiveStatus>
    /// Says to other collectors of the store that this one archives it.
    private let claim = Locked<(any FileLock)?>(nil)

    /// Bytes of bodies that are looked at together.
    private static let pieceBytes = 4 * 1_048_576

    /// Makes the folder when it is not there.
    init(
        folder: String,
        rotation: Rotation = Rotation(),
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

    /// Notes how an attempt to write ended; `nil` when it did not fail.
    func noteAttempt(_ error: (any Error)?) {
        let reason = error.map { ($0 as? FileError)?.reason ?? Store.reason(of: $0) }
        progress.withLock { $0.failure = reason }
    }

    // MARK: - Whose store it is

    /// Says that the store at `path` is archived from here, until ``release(store:)``: two processes that followed one
    /// store would both write each request.
    func claim(store path: String) throws(CollectorError) {
        do {
            guard let lock = try disk.lock(Self.claimPath(path)) else { throw CollectorError.storeArchived(path: path) }
            claim.withLock { $0 = lock }
        } catch let error as CollectorError {
            throw error
        } catch {
            // Where there are no locks, nobody can be told apart: the one collector that there mostly is goes on.
        }
    }

    func release(store path: String) {
        claim.withLock { claim in
            guard let lock = claim else { return }
            // A file that stays behind is in nobody's way.
            try? disk.remove(Self.claimPath(path))
            lock.unlock()
            claim = nil
        }
    }

    private static func claimPath(_ store: String) -> String { store + "-archive" }

    // MARK: - Writing

    /// Writes some of what the store has and the archive has not, or closes a file that is due.
    ///
    /// Bounded: a few megabytes at most, and at most one file is closed.
    /// - Parameter closes: whether the last file is closed too, when everything is in it.
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
                // What is half is begun again from where the archive was whole.
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

    /// The store has noted that the archive has come so far.
    func noted(_ sequence: Int64) {
        state.withLock { state in
            state.noted = max(state.noted, sequence)
            if state.closed == sequence { state.closed = nil }
        }
    }

    /// The last request that stands in a closed file, as the store has noted it.
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
        var room = pieceBytes
        while room > 0, let row = try cursorRows.next() {
            let found = try ArchivedRow(row)
            room -= found.request.data?.utf8.count ?? 0
            rows.append(found)
        }
        return rows
    }

    // MARK: - Leftovers

    /// Removes what crashes left half. A file that somebody writes is locked, and stays.
    private func removeLeftovers() {
        var folders = [folder]
        for part in ["year=", "month=", "day=", "hour="] {
            folders = folders.flatMap { folder in
                // A folder that cannot be read keeps what is in it: it is in nobody's way.
                ((try? disk.names(in: folder)) ?? []).filter { $0.hasPrefix(part) }.map { "\(folder)/\($0)" }
            }
        }
        for folder in folders {
            for name in (try? disk.names(in: folder)) ?? [] where ArchiveFile.isPartial(name) {
                // Where there are no locks, nobody can know whose it is.
                guard let lock = try? disk.lock("\(folder)/\(name)") else { continue }
                try? disk.remove("\(folder)/\(name)")
                lock.unlock()
            }
        }
    }
}

/// A request as the archive keeps it.
struct ArchivedRow {
    var sequence: Int64
    var request: CollectedRequest
}

/// One file of an archive while it is written: gzip members one after the other, each some lines.
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
    /// Says to other collectors of the folder that the file is being written.
    private let lock: (any FileLock)?
    private let state = Locked(State())

    /// Engines that read such folders pass over names that begin so.
    private static let prefix = "_"
    private static let suffix = ".log.gz"
    private static let partialSuffix = suffix + ".part"

    /// The name says when the first request came and which it was.
    init(_ disk: any FileSystem, folder: String, first row: ArchivedRow) throws {
        self.disk = disk
        start = row.request.receivedAt
        hour = start.milliseconds / 3_600_000
        let time = start.civil
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let place = "\(folder)/year=\(time.year)/month=\(two(time.month))/day=\(two(time.day))/hour=\(two(time.hour))"
        try disk.createFolder(place)
        let name = "\(start.milliseconds / 1_000)-\(row.request.id.grouped)"
        path = "\(place)/\(name)\(Self.suffix)"
        partial = "\(place)/\(Self.prefix)\(name)\(Self.partialSuffix)"
        // Where there are no locks, nobody removes what is not locked either.
        lock = try? disk.lock(partial)
        file = try disk.open(partial)
        // What a crash left there.
        if file.size > 0 { try file.truncate(to: 0) }
    }

    /// Whether a file is called as one that is being written: `_1715131615-0123….log.gz.part`.
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

    func takes(_ row: ArchivedRow, _ rotation: Archive.Rotation) -> Bool {
        let milliseconds = row.request.receivedAt.milliseconds
        return milliseconds / 3_600_000 == hour && milliseconds - start.milliseconds < rotation.seconds * 1_000
            && state.withLock { $0.bytes } < rotation.bytes
    }

    func isDue(_ rotation: Archive.Rotation, now: Timestamp) -> Bool {
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

    /// Writes the lines that wait, as a gzip member.
    func flush() throws {
        try state.withLock { state in
            if state.lines.isEmpty { return }
            let member = Gzip.deflate(state.lines, level: 1)
            try member.withUnsafeBytes { try file.append($0) }
            state.lines = []
            state.bytes += member.count
        }
    }

    /// Brings the file to the disk and gives it its name.
    func close() throws {
        try flush()
        try file.synchronize()
        try disk.rename(partial, to: path)
        file.close()
        lock?.unlock()
    }

    /// Removes what was written. It is in nobody's way when that cannot be done.
    func abandon() {
        file.close()
        try? disk.remove(partial)
        lock?.unlock()
    }
}

extension String {
    /// 32 hexadecimal digits with hyphens as a UUID has them; anything else as it is.
    fileprivate var grouped: String {
        guard utf8.count == 32 else { return self }
        var text = ""
        for (place, character) in enumerated() {
            if [8, 12, 16, 20].contains(place) { text.append("-") }
            text.append(character)
        }
        return text
    }
}
#endif
