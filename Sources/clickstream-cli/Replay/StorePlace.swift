#if Tools
import ClickstreamCore
import ClickstreamSimulation
import Foundation

/// Where one replay keeps its store: the folder that was named, a temporary one, or memory.
struct StorePlace: Sendable {
    let files: any FileSystem
    let folder: String
    private let isTemporary: Bool

    /// - Parameter isOnDisk: whether events are sent, so that they must be kept when that fails.
    /// - Throws: ``CommandFailure`` when the folder that was named belongs to something else.
    init(command: ReplayCommand, user: Int, isOnDisk: Bool) throws(CommandFailure) {
        if let storage = command.storage {
            try Self.refuseForeign(storage)
            files = LocalFileSystem()
            folder = command.users == 1 ? storage : "\(storage)/\(Self.userPrefix)\(user)"
            isTemporary = false
        } else if isOnDisk {
            files = LocalFileSystem()
            folder = FileManager.default.temporaryDirectory.path + "/clickstream-replay-\(UUID().uuidString)"
            isTemporary = true
        } else {
            files = MemoryFileSystem()
            folder = "/replay"
            isTemporary = false
        }
    }

    /// Removes a temporary store; one that was named stays.
    func removeIfTemporary() {
        guard isTemporary, FileManager.default.fileExists(atPath: folder) else { return }
        do {
            try FileManager.default.removeItem(atPath: folder)
        } catch {
            Console.say("warning: cannot remove \(folder): \(error.localizedDescription)")
        }
    }

    private static let userPrefix = "user-"

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
        for name in names where !holdsStores("\(storage)/\(name)", orUsers: true) {
            throw CommandFailure(StoreError.foreignFolder(path: storage, contains: name))
        }
    }

    /// Whether a folder is a store, is empty, or holds one user's stores (`--users`).
    private static func holdsStores(_ folder: String, orUsers: Bool) -> Bool {
        guard let names = names(in: folder) else { return false }
        if names.isEmpty || names.contains(StoreFolder.mark) { return true }
        // A crash while a store was made leaves no more than the unfinished mark.
        if names == [StoreFolder.mark + ".new"] { return true }
        return orUsers && names.allSatisfy { holdsStores("\(folder)/\($0)", orUsers: false) }
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
