#if Tools
import ClickstreamCore
import ClickstreamSimulation
import Foundation

/// Where one replay keeps its store: the folder that was named, a temporary one, or memory.
struct StorePlace: Sendable {
    let files: any FileSystem
    let folder: String
    /// How many replays have used the folder before: each has ids of its own, so that none comes twice in one store.
    let earlierReplays: UInt64
    private let isTemporary: Bool

    /// - Parameter isOnDisk: whether events are sent, so that they must be kept when that fails.
    /// - Throws: ``CommandFailure`` when the folder that was named belongs to something else.
    init(command: ReplayCommand, user: Int, isOnDisk: Bool) throws(CommandFailure) {
        if let storage = command.storage {
            try Self.refuseForeign(storage)
            files = LocalFileSystem()
            folder = command.users == 1 ? storage : "\(storage)/\(Self.userPrefix)\(user)"
            earlierReplays = Self.countReplay(in: folder)
            isTemporary = false
        } else if isOnDisk {
            files = LocalFileSystem()
            folder = FileManager.default.temporaryDirectory.path + "/clickstream-replay-\(UUID().uuidString)"
            earlierReplays = 0
            isTemporary = true
        } else {
            files = MemoryFileSystem()
            folder = "/replay"
            earlierReplays = 0
            isTemporary = false
        }
    }

    /// Removes a temporary store; one that was named stays.
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
    /// - Returns: how many came before.
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
            // A folder that takes no file takes no store: opening it says why.
            return 0
        }
    }

    /// A folder that holds anything but stores is somebody else's, and left alone.
    private static func refuseForeign(_ storage: String) throws(CommandFailure) {
        // A missing folder, or something that is none: opening the store makes it, or says why it cannot.
        guard let names = names(in: storage) else { return }
        if names.contains(StoreFolder.mark) {
            throw CommandFailure(
                .cannotCreate,
                "cannot use \(storage): it is the store of one app; name the folder that holds it"
            )
        }
        for name in names where name != counter && !holdsStores("\(storage)/\(name)", orUsers: true) {
            throw CommandFailure(StoreError.foreignFolder(path: storage, contains: name))
        }
    }

    /// Whether a folder is a store, is empty, or holds one user's stores (`--users`).
    private static func holdsStores(_ folder: String, orUsers: Bool) -> Bool {
        guard let names = names(in: folder) else { return false }
        if names.isEmpty || names.contains(StoreFolder.mark) { return true }
        // A crash while a store was made leaves no more than the unfinished mark.
        if !names.isEmpty, names.allSatisfy(StoreFolder.isUnfinishedMark) { return true }
        return orUsers && names.allSatisfy { $0 == counter || holdsStores("\(folder)/\($0)", orUsers: false) }
    }

    /// The names in a folder; `nil` when it cannot be listed.
    private static func names(in folder: String) -> [String]? {
        do {
            return try LocalFileSystem().names(in: folder)
        } catch {
            return nil
        }
    }
}
#endif
