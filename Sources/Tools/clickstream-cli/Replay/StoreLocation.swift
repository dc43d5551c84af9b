import ClickstreamCore
import ClickstreamSimulation
import Foundation

/// Place of a replay's store: the given folder, a temporary one, or memory.
struct StoreLocation: Sendable {
    let files: any FileSystem
    let folder: String
    /// Number of earlier replays in the folder; part of the seed, so that ids in one store are unique.
    let earlierReplays: UInt64
    private let isTemporary: Bool

    /// - Parameter isOnDisk: true if events are sent and must survive a failure.
    /// - Throws: ``CommandFailure`` if the given folder has foreign content.
    init(command: ReplayCommand, user: Int, isOnDisk: Bool) throws(CommandFailure) {
        if let storage = command.storage {
            try Self.refuseForeign(storage)
            files = LocalFileSystem()
            folder = command.users == 1 ? storage : "\(storage)/\(Self.userPrefix)\(user)"
            earlierReplays = Self.countReplay(in: folder)
            isTemporary = false
        } else if isOnDisk {
            files = LocalFileSystem()
            let parent = ProcessInfo.processInfo.environment.temporaryFolder
            folder = "\(parent)/clickstream-replay-\(SystemDependencies.ids.next())"
            earlierReplays = 0
            isTemporary = true
        } else {
            files = MemoryFileSystem()
            folder = "/replay"
            earlierReplays = 0
            isTemporary = false
        }
    }

    /// Removes a temporary store; a store in a given folder remains.
    func removeIfTemporary() {
        guard isTemporary, FileManager.default.fileExists(atPath: folder) else { return }
        do {
            try FileManager.default.removeItem(atPath: folder)
        } catch {
            Console.warn("cannot remove \(folder): \(error.localizedDescription)")
        }
    }

    private static let userPrefix = "user-"
    /// The file that counts the replays of a folder.
    private static let counter = "clickstream-replays"

    /// Counts a further replay.
    /// - Returns: the number of earlier replays.
    private static func countReplay(in folder: String) -> UInt64 {
        let files = LocalFileSystem()
        do {
            let path = "\(folder)/\(counter)"
            let counted = try files.contents(of: path).flatMap { bytes in
                UInt64(String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
            }
            let replays = counted ?? (names(in: folder)?.isEmpty == false ? 1 : 0)
            try files.createFolder(folder)
            try files.replace(path, with: Array("\(replays &+ 1)\n".utf8), durably: false)
            return replays
        } catch {
            // Opening a store in a folder without write access reports the reason.
            return 0
        }
    }

    /// A folder with anything but stores in it belongs to another program, and stays untouched.
    private static func refuseForeign(_ storage: String) throws(CommandFailure) {
        // A missing folder, or a file: opening the store creates it, or reports the reason.
        guard let names = names(in: storage) else { return }
        if names.contains(StoreFolder.mark) {
            throw CommandFailure(
                .cannotCreate,
                "cannot use \(storage): it is the store of one app; name its parent folder"
            )
        }
        for name in names where name != counter && !holdsStores("\(storage)/\(name)", orUsers: true) {
            throw CommandFailure(StoreError.foreignFolder(path: storage, contains: name))
        }
    }

    /// True if a folder is a store, is empty, or contains one user's stores (`--users`).
    private static func holdsStores(_ folder: String, orUsers: Bool) -> Bool {
        guard let names = names(in: folder) else { return false }
        if names.isEmpty || names.contains(StoreFolder.mark) { return true }
        // A crash during creation leaves an unfinished marker file.
        if !names.isEmpty, names.allSatisfy(StoreFolder.isUnfinishedMark) { return true }
        return orUsers && names.allSatisfy { $0 == counter || holdsStores("\(folder)/\($0)", orUsers: false) }
    }

    /// The names in a folder; `nil` if it cannot be listed.
    private static func names(in folder: String) -> [String]? {
        do {
            return try LocalFileSystem().names(in: folder)
        } catch {
            return nil
        }
    }
}
