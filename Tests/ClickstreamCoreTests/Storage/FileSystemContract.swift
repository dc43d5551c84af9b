import ClickstreamSimulation
import Foundation
import TestSupport
import Testing

@testable import ClickstreamCore

/// Contract of all file systems; each test runs on the machine's disk and on those in memory.
@Suite("File system contract")
struct FileSystemContract {
    enum Side: String, Sendable, CaseIterable {
        case local
        /// File system of the core for stores without a folder.
        case transient
        /// The same, with injectable faults.
        case memory

        /// All sides where this user may mount a small disk; elsewhere those in memory alone.
        static let withSmallDisks: [Side] = Mount.isPermitted ? allCases : [.transient, .memory]
    }

    // MARK: Folders

    @Test("creates a folder with its parents, and leaves an existing one unchanged", arguments: Side.allCases)
    func createsFolders(side: Side) throws {
        try with(side) { disk, root in
            try disk.createFolder(root + "/a/b/c")
            try disk.replace(root + "/a/b/file", with: [1], durably: false)
            try disk.createFolder(root + "/a/b")
            #expect(try disk.names(in: root + "/a/b") == ["c", "file"])
        }
    }

    @Test("makes folders and files accessible to the owner only")
    func permissions() throws {
        try with(.local) { disk, root in
            try disk.createFolder(root + "/a/b")
            try disk.replace(root + "/a/replaced", with: [1], durably: true)
            try disk.open(root + "/a/opened").close()
            try disk.lock(root + "/a/locked")?.unlock()
            let modes = try ["a", "a/b", "a/replaced", "a/opened", "a/locked"].map {
                try FileManager.default.attributesOfItem(atPath: root + "/" + $0)[.posixPermissions] as? Int
            }
            #expect(modes == [0o700, 0o700, 0o600, 0o600, 0o600])
        }
    }

    @Test("does not create a folder over a file, or below one", arguments: Side.allCases)
    func folderBehindFile(side: Side) throws {
        try with(side) { disk, root in
            try disk.replace(root + "/file", with: [], durably: false)
            #expect(throws: FileError(.createFolder, root + "/file", errno: ENOTDIR)) {
                try disk.createFolder(root + "/file")
            }
            #expect(throws: FileError(.createFolder, root + "/file/below", errno: ENOTDIR)) {
                try disk.createFolder(root + "/file/below")
            }
            #expect(throws: FileError(.open, root + "/file/below", errno: ENOTDIR)) {
                _ = try disk.open(root + "/file/below")
            }
            #expect(throws: FileError(.list, root + "/file", errno: ENOTDIR)) {
                try disk.names(in: root + "/file")
            }
        }
    }

    @Test("lists names sorted by their bytes, hidden ones too", arguments: Side.allCases)
    func listsNames(side: Side) throws {
        try with(side) { disk, root in
            for name in ["b", "a", "B", ".hidden", "10", "9", "\u{E9}"] {
                try disk.replace(root + "/" + name, with: [], durably: false)
            }
            #expect(try disk.names(in: root) == [".hidden", "10", "9", "B", "a", "b", "\u{E9}"])
            #expect(throws: FileError(.list, root + "/none", errno: ENOENT)) { try disk.names(in: root + "/none") }
        }
    }

    @Test("removes only an empty folder, and ignores a missing one", arguments: Side.allCases)
    func removesFolders(side: Side) throws {
        try with(side) { disk, root in
            try disk.createFolder(root + "/a")
            try disk.replace(root + "/a/file", with: [], durably: false)
            #expect(throws: FileError(.remove, root + "/a", errno: ENOTEMPTY)) { try disk.removeFolder(root + "/a") }
            try disk.remove(root + "/a/file")
            try disk.removeFolder(root + "/a")
            try disk.removeFolder(root + "/a")
            #expect(try disk.names(in: root) == [])
        }
    }

    // MARK: Whole files

    @Test("replaces a whole file, leaving no temporary file", arguments: Side.allCases, [false, true])
    func replaces(side: Side, durably: Bool) throws {
        try with(side) { disk, root in
            let path = root + "/file"
            try disk.replace(path, with: Array("a long text".utf8), durably: durably)
            try disk.replace(path, with: Array("short".utf8), durably: durably)
            #expect(try disk.contents(of: path) == Array("short".utf8))
            #expect(try disk.names(in: root) == ["file"])
        }
    }

    @Test("replaces even after a crash left an incomplete replacement", arguments: Side.allCases)
    func replacesOverLeftovers(side: Side) throws {
        try with(side) { disk, root in
            // Written without a lock, of which a child of the test's process could keep a copy for a moment.
            let leftover = try disk.open(root + "/file.new")
            try Array("something longer, left over".utf8).withUnsafeBytes { try leftover.append($0) }
            leftover.close()
            try disk.replace(root + "/file", with: Array("new".utf8), durably: false)
            #expect(try disk.contents(of: root + "/file") == Array("new".utf8))
            #expect(try disk.names(in: root) == ["file"])
        }
    }

    @Test("shows the old or the new content, never a mixture, during concurrent replacements", arguments: Side.allCases)
    func replacesAtomically(side: Side) async throws {
        try await with(side) { disk, root in
            let path = root + "/file"
            let contents = (0..<4).map { [UInt8](repeating: UInt8($0), count: 3_000 + 1_000 * $0) }
            try disk.replace(path, with: contents[0], durably: false)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for content in contents {
                    group.addTask {
                        for _ in 0..<50 { try disk.replace(path, with: content, durably: false) }
                    }
                }
                group.addTask {
                    for _ in 0..<200 {
                        // Asked for more than any of them has, a read meets one file alone.
                        let read = try disk.read(path, range: 0..<100_000)
                        #expect(contents.contains(read), "\(read.count) bytes")
                    }
                }
                try await group.waitForAll()
            }
            #expect(try disk.names(in: root) == ["file"])
        }
    }

    @Test("reads the existing part of a requested range", arguments: Side.allCases)
    func readsRanges(side: Side) throws {
        try with(side) { disk, root in
            try disk.replace(root + "/file", with: Array(0..<10), durably: false)
            let ranges: [Range<Int>] = [0..<10, 0..<0, 3..<5, 8..<20, 10..<11, 50..<60]
            let path: String = root + "/file"
            let parts: [[UInt8]] = try ranges.map { (range: Range<Int>) throws -> [UInt8] in
                try disk.read(path, range: range)
            }
            let whole: [UInt8] = Array(0..<10)
            let expected: [[UInt8]] = [whole, [], [3, 4], [8, 9], [], []]
            #expect(parts == expected)
            #expect(try disk.size(of: root + "/file") == 10)
        }
    }

    @Test("reads into the caller's buffer up to the end of the file", arguments: Side.allCases)
    func readsIntoMemory(side: Side) throws {
        try with(side) { disk, root in
            let path = root + "/file"
            try disk.replace(path, with: Array(0..<10), durably: false)
            for (offset, length, count) in [(0, 10, 10), (0, 0, 0), (3, 2, 2), (8, 12, 2), (10, 1, 0), (50, 10, 0)] {
                var memory = [UInt8](repeating: 0xFF, count: length)
                let read = try memory.withUnsafeMutableBytes { try disk.read(path, from: offset, into: $0) }
                #expect(read == count)
                #expect(memory.prefix(count).elementsEqual((0..<count).map { UInt8(offset + $0) }))
                #expect(memory.dropFirst(count).allSatisfy { $0 == 0xFF })
            }
            var memory = [UInt8](repeating: 0, count: 10)
            #expect(throws: FileError(.read, root + "/none", errno: ENOENT)) {
                _ = try memory.withUnsafeMutableBytes { try disk.read(root + "/none", from: 0, into: $0) }
            }
            try disk.createFolder(root + "/folder")
            #expect(throws: FileError(.read, root + "/folder", errno: EISDIR)) {
                _ = try memory.withUnsafeMutableBytes { try disk.read(root + "/folder", from: 0, into: $0) }
            }
        }
    }

    @Test("distinguishes a missing file from an empty one", arguments: Side.allCases)
    func absence(side: Side) throws {
        try with(side) { disk, root in
            try disk.replace(root + "/empty", with: [], durably: false)
            #expect(try disk.size(of: root + "/empty") == 0)
            #expect(try disk.contents(of: root + "/empty") == [])
            #expect(try disk.size(of: root + "/none") == nil)
            #expect(try disk.contents(of: root + "/none") == nil)
            #expect(throws: FileError(.read, root + "/none", errno: ENOENT)) {
                try disk.read(root + "/none", range: 0..<1)
            }
            try disk.remove(root + "/none")
        }
    }

    @Test("does not accept a folder as a file", arguments: Side.allCases)
    func folderIsNoFile(side: Side) throws {
        try with(side) { disk, root in
            let path = root + "/folder"
            try disk.createFolder(path)
            #expect(throws: FileError(.measure, path, errno: EISDIR)) { try disk.size(of: path) }
            #expect(throws: FileError(.read, path, errno: EISDIR)) { try disk.read(path, range: 0..<1) }
            #expect(throws: FileError(.open, path, errno: EISDIR)) { _ = try disk.open(path) }
            #expect(throws: FileError(.write, path, errno: EISDIR)) {
                try disk.replace(path, with: [1], durably: false)
            }
            #expect(throws: FileError(.remove, path, errno: EISDIR)) { try disk.remove(path) }
            #expect(try disk.names(in: root) == ["folder"])
        }
    }

    @Test("appends to, truncates and locks nothing through a symbolic link")
    func symbolicLinks() throws {
        try with(.local) { disk, root in
            try disk.replace(root + "/precious", with: Array("precious".utf8), durably: false)
            for target in ["precious", "nothing"] {
                let path = root + "/link-\(target)"
                #expect(symlink(root + "/" + target, path) == 0)
                #expect(throws: FileError(.open, path, errno: ELOOP)) { _ = try disk.open(path) }
                #expect(throws: FileError(.lock, path, errno: ELOOP)) { _ = try disk.lock(path) }
                #expect(FileError(.open, path, errno: ELOOP).description.contains("it is a symbolic link"))
                // Takes its place.
                try disk.replace(path, with: [1], durably: false)
            }
            #expect(try disk.contents(of: root + "/precious") == Array("precious".utf8))
            #expect(try disk.contents(of: root + "/nothing") == nil)
        }
    }

    @Test("does not block on a pipe without a peer")
    func pipes() throws {
        try with(.local) { disk, root in
            let path = root + "/pipe"
            #expect(mkfifo(path, 0o600) == 0)
            let content = try disk.contents(of: path)
            #expect(content == [])
            #expect(throws: FileError(.open, path, errno: ENXIO)) { _ = try disk.open(path) }
        }
    }

    @Test("renames onto an existing file, and not from a missing one", arguments: Side.allCases)
    func renames(side: Side) throws {
        try with(side) { disk, root in
            try disk.createFolder(root + "/folder")
            try disk.replace(root + "/a", with: [1], durably: false)
            try disk.replace(root + "/folder/b", with: [2], durably: false)
            try disk.rename(root + "/a", to: root + "/folder/b")
            #expect(try disk.contents(of: root + "/folder/b") == [1])
            #expect(try disk.names(in: root) == ["folder"])
            #expect(throws: FileError(.rename, root + "/a", errno: ENOENT)) {
                try disk.rename(root + "/a", to: root + "/c")
            }
        }
    }

    // MARK: Appending

    @Test("appends, over several openings", arguments: Side.allCases)
    func appends(side: Side) throws {
        try with(side) { disk, root in
            let path = root + "/log"
            let first = try disk.open(path)
            #expect(first.size == 0)
            try first.append("one ")
            try first.append("")
            try first.append("two ")
            #expect(first.size == 8)
            first.close()
            let second = try disk.open(path)
            #expect(second.size == 8)
            try second.append("three")
            try second.synchronize()
            #expect(try disk.contents(of: path) == Array("one two three".utf8))
            try second.truncate(to: 4)
            try second.truncate(to: 400)
            try second.append("four")
            #expect(second.size == 8)
            #expect(try disk.contents(of: path) == Array("one four".utf8))
        }
    }

    @Test("reads through an open file, whose name and length it reports, until it is closed", arguments: Side.allCases)
    func readsOpenFiles(side: Side) throws {
        try with(side) { disk, root in
            let path = root + "/log"
            let file = try disk.openAsOnlyWriter(path)
            try file.append("text")
            #expect(try file.status() == FileStatus(isNamed: true, size: 4))
            try disk.remove(path)
            #expect(try file.status() == FileStatus(isNamed: false, size: 4))
            var bytes: [UInt8] = [0, 0, 0]
            let count = try bytes.withUnsafeMutableBytes { try file.read(from: 2, into: $0) }
            #expect(count == 2)
            #expect(bytes == Array("xt\0".utf8))
            file.close()
            let error = #expect(throws: FileError.self) { try file.status() }
            #expect(error?.errno == EBADF)
        }
    }

    @Test("keeps the offsets of the only writer after another one truncates the file", arguments: Side.allCases)
    func onlyWriter(side: Side) throws {
        try with(side) { disk, root in
            let path = root + "/log"
            let file = try disk.openAsOnlyWriter(path)
            try file.append("one ")
            let other = try disk.open(path)
            try other.truncate(to: 1)
            #expect(file.size == 4)
            try file.append("two")
            #expect(try disk.contents(of: path) == Array("o\0\0\0two".utf8))
        }
    }

    @Test("rejects a closed file", arguments: Side.allCases)
    func closed(side: Side) throws {
        try with(side) { disk, root in
            let path = root + "/log"
            let file = try disk.open(path)
            file.close()
            file.close()
            #expect(throws: FileError(.append, path, errno: EBADF)) { try file.append("x") }
            #expect(throws: FileError(.synchronize, path, errno: EBADF)) { try file.synchronize() }
            #expect(throws: FileError(.truncate, path, errno: EBADF)) { try file.truncate(to: 0) }
        }
    }

    @Test(
        "leaves the file unchanged if the disk is full, and continues when there is space",
        arguments: Side.withSmallDisks
    )
    func fullDisk(side: Side) throws {
        try withSmallDisk(side, bytes: 65_536) { disk, root in
            let path = root + "/log"
            let block = String(repeating: "x", count: 5_000)
            try disk.replace(root + "/ballast", with: [UInt8](repeating: 0, count: 20_000), durably: false)
            let file = try disk.open(path)
            var appended = 0
            let refusal = #expect(throws: FileError.self) {
                for _ in 0..<20 {
                    try file.append(block)
                    appended += block.utf8.count
                }
            }
            #expect(refusal == FileError(.append, path, errno: ENOSPC))
            #expect(appended > 0)
            #expect(file.size == appended)
            #expect(try disk.size(of: path) == appended)
            #expect(throws: FileError(.write, root + "/state", errno: ENOSPC)) {
                try disk.replace(root + "/state", with: [UInt8](repeating: 1, count: 40_000), durably: false)
            }
            #expect(try disk.names(in: root) == ["ballast", "log"])
            try disk.remove(root + "/ballast")
            try file.append(block)
            #expect(try disk.contents(of: path) == Array(String(repeating: "x", count: appended + block.count).utf8))
        }
    }

    @Test("reports that a device has no space", .enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
    func deviceFull() throws {
        let file = try LocalFileSystem().open("/dev/full")
        #expect(throws: FileError(.append, "/dev/full", errno: ENOSPC)) { try file.append("x") }
        #expect(file.size == 0)
    }

    @Test("rejects creating, removing and renaming in a read-only folder", arguments: Side.withSmallDisks)
    func readOnlyFolder(side: Side) throws {
        try withReadOnlyFolder(side) { disk, root, reason in
            #expect(throws: FileError(.createFolder, root + "/new", errno: reason)) {
                try disk.createFolder(root + "/new")
            }
            #expect(throws: FileError(.write, root + "/file", errno: reason)) {
                try disk.replace(root + "/file", with: [2], durably: false)
            }
            #expect(throws: FileError(.open, root + "/new", errno: reason)) { _ = try disk.open(root + "/new") }
            #expect(throws: FileError(.lock, root + "/lock", errno: reason)) { _ = try disk.lock(root + "/lock") }
            #expect(throws: FileError(.remove, root + "/file", errno: reason)) { try disk.remove(root + "/file") }
            #expect(throws: FileError(.rename, root + "/file", errno: reason)) {
                try disk.rename(root + "/file", to: root + "/moved")
            }
            try disk.createFolder(root)
            #expect(try disk.names(in: root) == ["file"])
            #expect(try disk.contents(of: root + "/file") == [1])
        }
    }

    @Test("reports a missing folder", arguments: Side.allCases)
    func vanishedFolder(side: Side) throws {
        try with(side) { disk, root in
            try disk.createFolder(root + "/store")
            let file = try disk.open(root + "/store/log")
            try file.append("before")
            try removeTree(root + "/store", of: disk)
            // The open file has lost its name alone.
            try file.append("after")
            #expect(file.size == 11)
            #expect(try disk.size(of: root + "/store/log") == nil)
            #expect(throws: FileError(.list, root + "/store", errno: ENOENT)) { try disk.names(in: root + "/store") }
            #expect(throws: FileError(.open, root + "/store/log", errno: ENOENT)) {
                _ = try disk.open(root + "/store/log")
            }
            #expect(throws: FileError(.lock, root + "/store/lock", errno: ENOENT)) {
                _ = try disk.lock(root + "/store/lock")
            }
            #expect(throws: FileError(.write, root + "/store/state", errno: ENOENT)) {
                try disk.replace(root + "/store/state", with: [], durably: false)
            }
        }
    }

    // MARK: Locks

    @Test("grants a lock to one holder at a time", arguments: Side.allCases)
    func locks(side: Side) throws {
        try with(side) { disk, root in
            let path = root + "/lock"
            let first = try #require(try disk.lock(path))
            #expect(try disk.lock(path) == nil)
            #expect(try disk.lock(root + "/other") != nil)
            first.unlock()
            first.unlock()
            let second = try disk.lock(path)
            #expect(second != nil)
            first.unlock()
            #expect(try disk.lock(path) == nil)
            second?.unlock()
        }
    }

    @Test("releases a lock with its last reference", arguments: Side.allCases)
    func dropsLocks(side: Side) throws {
        try with(side) { disk, root in
            do {
                let lock = try disk.lock(root + "/lock")
                #expect(lock != nil)
                #expect(try disk.lock(root + "/lock") == nil)
                withExtendedLifetime(lock) {}
            }
            #expect(try disk.lock(root + "/lock") != nil)
        }
    }

    @Test("grants a lock again if its file was removed", arguments: Side.allCases)
    func locksAreOfTheStandingFile(side: Side) throws {
        try with(side) { disk, root in
            let old = try disk.lock(root + "/lock")
            try disk.remove(root + "/lock")
            let new = try disk.lock(root + "/lock")
            #expect(new != nil)
            #expect(try disk.lock(root + "/lock") == nil)
            withExtendedLifetime((old, new)) {}
        }
    }

    #if os(Linux)
    @Test("a descriptor whose number a host reuses is neither read, nor changed, nor closed")
    func reusedNumbers() throws {
        try with(.local) { disk, root in
            let file = try disk.openAsOnlyWriter(root + "/file")
            try file.append("text")
            let lock = try #require(try disk.lock(root + "/lock"))
            #expect(lock.isHeld)
            let ofHost = try disk.open(root + "/host")
            try ofHost.append("of the host")
            let hosts = try #require(FileIdentity(at: root + "/host"))
            let source = try #require(try descriptor(of: root + "/host"))
            let numbers = try ["/file", "/lock"].map { try #require(try descriptor(of: root + $0)) }
            for number in numbers { #expect(dup2(source, number) == number) }
            #expect(!lock.isHeld)
            let attempts: [(any AppendableFile) throws -> Void] = [
                { _ = try $0.status() }, { try $0.truncate(to: 0) }, { try $0.synchronize() },
                { file in
                    var bytes: [UInt8] = [0]
                    _ = try bytes.withUnsafeMutableBytes { try file.read(from: 0, into: $0) }
                },
            ]
            for attempt in attempts {
                let error = #expect(throws: FileError.self) { try attempt(file) }
                #expect(error?.errno == EBADF)
            }
            file.close()
            lock.unlock()
            for number in numbers {
                #expect(hosts.isFile(of: number))
                close(number)
            }
            #expect(try disk.contents(of: root + "/host") == Array("of the host".utf8))
        }
    }

    /// Returns the descriptor that refers to the file at that path.
    private func descriptor(of path: String) throws -> Int32? {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").lazy.compactMap { Int32($0) }
            .first { FileIdentity(of: $0) == FileIdentity(at: path) }
    }
    #endif

    @Test("excludes another process too", .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/flock")))
    func locksOtherProcesses() throws {
        try with(.local) { disk, root in
            let lock = try disk.lock(root + "/lock")
            #expect(try run("/usr/bin/flock", "--nonblock", root + "/lock", "true") == 1)
            lock?.unlock()
            #expect(try run("/usr/bin/flock", "--nonblock", root + "/lock", "true") == 0)
        }
    }
}

// MARK: - The two sides

extension AppendableFile {
    func append(_ text: String) throws {
        try Array(text.utf8).withUnsafeBytes { try append($0) }
    }
}

/// Returns a file system in memory with the folder `/root`; `nil` for the local one.
private func memoryDisk(_ side: FileSystemContract.Side, capacity: Int? = nil) throws -> (any FileSystem)? {
    let disk: any FileSystem
    switch side {
    case .memory: disk = MemoryFileSystem(capacity: capacity)
    case .transient: disk = TransientFileSystem(MemoryDisk(capacity: capacity))
    case .local: return nil
    }
    try disk.createFolder("/root")
    return disk
}

private func with(_ side: FileSystemContract.Side, _ body: (any FileSystem, String) throws -> Void) throws {
    guard let disk = try memoryDisk(side) else {
        return try withFreshFolder { try body(LocalFileSystem(), $0) }
    }
    try body(disk, "/root")
}

private func with(
    _ side: FileSystemContract.Side,
    _ body: (any FileSystem, String) async throws -> Void
) async throws {
    guard let disk = try memoryDisk(side) else {
        return try await withFreshFolderAsync { try await body(LocalFileSystem(), $0) }
    }
    try await body(disk, "/root")
}

private func withSmallDisk(
    _ side: FileSystemContract.Side,
    bytes: Int,
    _ body: (any FileSystem, String) throws -> Void
) throws {
    guard let disk = try memoryDisk(side, capacity: bytes) else {
        return try withFreshFolder { folder in
            try Mount.with(folder, options: "size=\(bytes)") { try body(LocalFileSystem(), folder) }
        }
    }
    try body(disk, "/root")
}

private func withReadOnlyFolder(
    _ side: FileSystemContract.Side,
    _ body: (any FileSystem, String, Int32) throws -> Void
) throws {
    switch side {
    case .memory:
        let disk = MemoryFileSystem()
        try disk.createFolder("/root")
        try disk.replace("/root/file", with: [1], durably: false)
        disk.setReadOnly(true, folder: "/root")
        try body(disk, "/root", EACCES)
    case .transient:
        let disk = TransientFileSystem()
        try disk.createFolder("/root")
        try disk.replace("/root/file", with: [1], durably: false)
        disk.withDisk { disk in _ = disk.readOnlyFolders.insert("/root") }
        try body(disk, "/root", EACCES)
    case .local:
        try withFreshFolder { folder in
            try Mount.with(folder, options: "size=64k") {
                try LocalFileSystem().replace(folder + "/file", with: [1], durably: false)
                try #require(try run("/bin/mount", "-o", "remount,ro", folder) == 0)
                try body(LocalFileSystem(), folder, EROFS)
            }
        }
    }
}

private func removeTree(_ path: String, of disk: any FileSystem) throws {
    switch disk {
    case let disk as MemoryFileSystem: disk.removeTree(path)
    case let disk as TransientFileSystem:
        for name in try disk.names(in: path) { try disk.remove(path + "/" + name) }
        try disk.removeFolder(path)
    default: try FileManager.default.removeItem(atPath: path)
    }
}

/// Small disks of the real kind, where the system lets us have them.
private enum Mount {
    /// True if this user may mount; otherwise these tests do not run on the local disk.
    static let isPermitted: Bool = {
        let folder = FileManager.default.temporaryDirectory.appending(path: "clickstream-\(UUID())").path
        do {
            try LocalFileSystem().createFolder(folder)
            defer { try? FileManager.default.removeItem(atPath: folder) }  // best effort: the system clears it too
            try with(folder, options: "size=64k") {}
            return true
        } catch {
            return false
        }
    }()

    static func with(_ folder: String, options: String, _ body: () throws -> Void) throws {
        guard try run("/bin/mount", "-t", "tmpfs", "-o", options, "clickstream", folder) == 0 else {
            throw CocoaError(.featureUnsupported)
        }
        defer { _ = try? run("/bin/umount", "-l", folder) }  // a mount left over costs 64 KiB until the next start
        try body()
    }
}

/// Runs a program quietly and gives its exit status.
private func run(_ program: String, _ arguments: String...) throws -> Int32 {
    let process = Process()
    process.executableURL = URL(filePath: program)
    process.arguments = arguments
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus
}
