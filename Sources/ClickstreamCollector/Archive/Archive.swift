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

/// Writes what the published server's S3 sink writes: files of envelopes, a line each, in folders by the hour.
///
/// Follows the store. A file is written under a name of its own and gets its last one when it is whole and on the disk;
/// only then the store notes how far the archive has come. What a crash leaves half is written again from the store at
/// the next start, under the same name, since that is made of the first request in it. So every request that was
/// answered stands in the archive exactly once, and nothing leaves the store before. Callable from any thread.
final class Archive: Sendable {
    /// When a file is closed.
    struct Rotation: Sendable, Hashable {
        /// Bytes of the file, as compressed: the published sink's batch.
        var bytes = 30_000_000
        /// Seconds since it was begun.
        var seconds: Int64 = 300
    }

    private struct State {
        var file: ArchiveFile?
        /// The last request that was written, in a file that may still be open.
        var written: Int64?
    }

    private let folder: String
    private let rotation: Rotation
    private let state = Locked(State())

    /// Bytes of bodies that are looked at together.
    private static let pieceBytes = 4 * 1_048_576

    /// Makes the folder when it is not there.
    init(folder: String, rotation: Rotation = Rotation()) throws(CollectorError) {
        self.folder = folder
        self.rotation = rotation
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        } catch {
            throw .archiveUnusable(path: folder, reason: error.localizedDescription)
        }
    }

    /// Writes what the store has and the archive has not, and closes files that are due.
    /// - Parameter closes: whether the last file is closed too.
    /// - Returns: the last request that stands in a closed file, to be noted in the store.
    func follow(_ database: Database, now: Timestamp, closes: Bool = false) throws -> Int64? {
        try state.withLock { state in
            var closed: Int64?
            do {
                var cursor =
                    try state.written
                    ?? Int64.fetchOne(database.cachedStatement(sql: "SELECT archived FROM state")) ?? 0
                while true {
                    let rows = try Self.rows(after: cursor, in: database)
                    if rows.isEmpty { break }
                    for row in rows {
                        if let file = state.file, !file.takes(row, rotation) {
                            try file.close()
                            state.file = nil
                            closed = cursor
                        }
                        let file = try state.file ?? ArchiveFile(folder: folder, first: row)
                        state.file = file
                        try file.append(row)
                        cursor = row.sequence
                        state.written = cursor
                    }
                    try state.file?.flush()
                }
                if let file = state.file, closes || file.isDue(rotation, now: now) {
                    try file.close()
                    state.file = nil
                    closed = cursor
                }
            } catch {
                // What is half is begun again from where the archive was whole.
                state.file?.abandon()
                state = State()
                throw error
            }
            return closed
        }
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
            let found = ArchivedRow(row)
            room -= found.request.data?.utf8.count ?? 0
            rows.append(found)
        }
        return rows
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
        var descriptor: Int32
    }

    private let partial: String
    private let path: String
    private let hour: Int64
    private let start: Timestamp
    private let state: Locked<State>

    struct Failure: Error, CustomStringConvertible {
        var description: String

        init(_ call: String, _ path: String) {
            description = "\(call) \(path): \(String(cString: strerror(errno)))"
        }
    }

    /// The name says when the first request came and which it was.
    init(folder: String, first row: ArchivedRow) throws {
        start = row.request.receivedAt
        hour = start.milliseconds / 3_600_000
        let time = start.civil
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let place = "\(folder)/year=\(time.year)/month=\(two(time.month))/day=\(two(time.day))/hour=\(two(time.hour))"
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        let name = "\(start.milliseconds / 1_000)-\(row.request.id.grouped).log.gz"
        path = "\(place)/\(name)"
        // Engines that read such folders pass over names that begin so.
        partial = "\(place)/_\(name).part"
        let descriptor = open(partial, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Failure("open", partial) }
        state = Locked(State(descriptor: descriptor))
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
            var written = 0
            while written < member.count {
                let count = member[written...].withUnsafeBytes { write(state.descriptor, $0.baseAddress, $0.count) }
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { throw Failure("write", partial) }
                written += count
            }
            state.lines = []
            state.bytes += member.count
        }
    }

    /// Brings the file to the disk and gives it its name.
    func close() throws {
        try flush()
        try state.withLock { state in
            guard fsync(state.descriptor) == 0 else { throw Failure("fsync", partial) }
            let descriptor = state.descriptor
            state.descriptor = -1
            // It is on the disk: nothing that closing it could lose.
            _ = closeDescriptor(descriptor)
            guard rename(partial, path) == 0 else { throw Failure("rename", partial) }
        }
    }

    func abandon() {
        state.withLock { state in
            if state.descriptor >= 0 { _ = closeDescriptor(state.descriptor) }
            state.descriptor = -1
        }
        _ = unlink(partial)
    }

    deinit {
        state.withLock { state in
            if state.descriptor >= 0 { _ = closeDescriptor(state.descriptor) }
        }
    }
}

/// `close(2)`, which a method of the same name hides.
private func closeDescriptor(_ descriptor: Int32) -> Int32 {
    close(descriptor)
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
