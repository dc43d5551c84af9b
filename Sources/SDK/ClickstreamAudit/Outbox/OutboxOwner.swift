#if Audit
import ClickstreamCore

/// Process that writes to the outbox of one database file, or an ended one whose rows are being sent.
///
/// The file `<database>-audit-<owner>` is locked while the process lives. It contains a line for each scope that has ended
/// and may still have rows: its events are stored, or were dropped. A line survives the death of the process.
final class OutboxOwner: Sendable {
    private struct State: Sendable {
        let file: any AppendableFile
        var ended: [String]
    }

    let id: String
    /// The file of the database.
    let database: String
    private let files: any FileSystem
    private let lock: any FileLock
    private let state: Locked<State>

    private init(
        _ id: String,
        _ database: String,
        _ files: any FileSystem,
        _ lock: any FileLock,
        _ file: any AppendableFile,
        ended: [String]
    ) {
        self.id = id
        self.database = database
        self.files = files
        self.lock = lock
        state = Locked(State(file: file, ended: ended))
    }

    /// Acquires the lock of a process.
    /// - Parameter database: the file of the database.
    /// - Returns: `nil` if the process lives, or another one sends its rows.
    static func open(
        _ id: String,
        of database: String,
        _ files: any FileSystem
    ) throws(FileError) -> OutboxOwner? {
        let path = Self.path(of: id, database)
        guard let lock = try files.lock(path) else { return nil }
        let text = try files.contents(of: path) ?? []
        // The last line of a killed process may be incomplete.
        let lines = text.split(separator: UInt8(ascii: "\n")).filter { $0.count == ObjectIDSource.length }
        let ended = lines.map { String(decoding: $0, as: UTF8.self) }
        return OutboxOwner(id, database, files, lock, try files.open(path), ended: ended)
    }

    private static func path(of id: String, _ database: String) -> String { "\(database)-audit-\(id)" }

    /// Returns the processes with a file beside that of the database.
    static func owners(of database: String, _ files: any FileSystem) throws(FileError) -> Set<String> {
        guard let slash = database.lastIndex(of: "/") else { return [] }
        let prefix = path(of: "", String(database[database.index(after: slash)...]))
        let names = try files.names(in: String(database[...slash]))
        return Set(names.filter { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }.filter(isID))
    }

    /// Returns the identifier of a process.
    static func newID(_ ids: any IDSource) -> String {
        String(zeroPadded: ids.random(), width: idLength, radix: 16)
    }

    private static let idLength = 16

    private static func isID(_ text: String) -> Bool {
        text.utf8.count == idLength && UInt64(text, radix: 16) != nil
    }

    /// The scopes that have ended, and whose rows may exist.
    var ended: [String] { state.withLock { $0.ended } }

    /// Records that a scope has ended. The rows are deleted by the next transaction of a scope, or at the next launch.
    func end(_ event: String) throws(FileError) {
        let failure: FileError? = state.withLock { state in
            state.ended.append(event)
            var failure: FileError?
            Array("\(event)\n".utf8).withUnsafeBytes { bytes in
                do throws(FileError) {
                    try state.file.append(bytes)
                } catch {
                    failure = error
                }
            }
            return failure
        }
        if let failure { throw failure }
    }

    /// Removes scopes whose rows were deleted by a committed transaction.
    func remove(_ events: [String]) {
        guard !events.isEmpty else { return }
        state.withLock { state in
            state.ended.removeAll(where: events.contains)
            // The lines that remain are without effect.
            if state.ended.isEmpty { try? state.file.truncate(to: 0) }
        }
    }

    /// Removes the file of an ended process without rows, and releases its lock.
    func removeFile() throws(FileError) {
        try files.remove(Self.path(of: id, database))
        lock.unlock()
    }
}
#endif
