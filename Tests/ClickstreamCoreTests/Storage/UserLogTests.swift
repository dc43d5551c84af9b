import ClickstreamSimulation
import ClickstreamStores
import TestSupport
import Testing

@testable import ClickstreamCore

@Suite("UserLog")
struct UserLogTests {
    /// The users of a store, as a process that opens it reads them.
    private static func users(on disk: MemoryFileSystem) throws -> KnownUsers {
        var shared = SharedState(try StoreFolder(disk, existing: "/data/shop"))
        _ = try shared.open()
        defer { shared.release() }
        return try #require(shared.current).users
    }

    /// The names of the files with users.
    private static func names(on disk: MemoryFileSystem) -> [String] {
        disk.paths.filter { $0.hasPrefix(Phone.path("users.")) }.map { String($0.dropFirst(Phone.path("").count)) }
    }

    /// Store in which users have logged in, in this order; the last one still is.
    private static func phone(_ logins: [String] = ["ann", "bob", "carl", "dora"]) async throws -> Phone {
        let phone = Phone()
        let client = try phone.launch()
        for id in logins {
            await phone.time.advance(milliseconds: 1)
            client.setUserID(id)
        }
        client.kill()
        return phone
    }

    // MARK: Damage

    enum Damage: Sendable, CaseIterable {
        /// Behind the position of the state: a line of a login whose process ended before it saved the state.
        case uncommittedLine
        /// The same, incomplete.
        case tornLine
        case wrongByte
        case cutOff
        case missing
        /// The content of another store's file of that name.
        case other

        /// The users whose profiles are lost. The state contains that of `dora`.
        var lost: Set<String> {
            switch self {
            case .uncommittedLine, .tornLine: []
            case .wrongByte: ["ann"]
            case .cutOff: ["carl"]
            case .missing, .other: ["ann", "bob", "carl"]
            }
        }

        func apply(to disk: MemoryFileSystem) async throws {
            let path = Phone.path("users.1")
            let bytes = try #require(disk[path])
            let lines = bytes.split(separator: UInt8(ascii: "\n")).map { Array($0) + [UInt8(ascii: "\n")] }
            switch self {
            case .uncommittedLine: disk[path] = bytes + lines[0]
            case .tornLine: disk[path] = bytes + lines[0].dropLast(20)
            case .wrongByte: disk[path]?[40] ^= 1
            case .cutOff: disk[path] = Array(bytes.dropLast(lines[3].count + lines[2].count / 2))
            case .missing: disk[path] = nil
            case .other: disk[path] = try await UserLogTests.phone(["emil", "fay"]).disk[path]
            }
        }
    }

    @Test("loses at most the damaged profiles, with one warning, and is written again", arguments: Damage.allCases)
    func damaged(damage: Damage) async throws {
        let phone = try await Self.phone()
        let whole = try Self.users(on: phone.disk)
        try await damage.apply(to: phone.disk)
        func findings() throws -> [StoreFinding.Kind] {
            try StoreCheck(phone.disk, StoreFolder(phone.disk, existing: "/data/shop")).findings.map(\.kind)
        }
        #expect(try findings() == (damage.lost.isEmpty ? [] : [.damagedUsers]))
        for _ in 0..<2 { try phone.launch().kill() }
        #expect(phone.log.all.codes == (damage.lost.isEmpty ? [] : [.storeDamaged]), "\(phone.log.all.warnings)")
        #expect(try findings() == [])
        let users = try Self.users(on: phone.disk)
        #expect(users.current == whole.current)
        let kept = whole.byID.filter { !damage.lost.contains($0.key.text) }
        #expect(users.byID.filter { whole.byID[$0.key] != nil } == kept)
        #expect(Self.names(on: phone.disk) == [damage.lost.isEmpty ? "users.1" : "users.2"])
        // A line that is appended is read, whatever followed the position before.
        let client = try phone.launch()
        client.setUserID("gus")
        client.kill()
        #expect(try Self.users(on: phone.disk).byID[UserID("gus")] != nil)
        #expect(try findings() == [])
    }

    @Test("is repaired with its readable profiles")
    func repaired() async throws {
        let phone = try await Self.phone()
        let folder = try StoreFolder(phone.disk, existing: "/data/shop")
        #expect(try SharedState.repair(folder) == [])
        try await Damage.wrongByte.apply(to: phone.disk)
        #expect(
            try SharedState.repair(folder) == [
                "/data/shop/users.1 is damaged; 3 of 4 profiles of users are read from it"
            ]
        )
        #expect(try SharedState.repair(folder) == [])
        #expect(try Set(Self.users(on: phone.disk).byID.keys.map(\.text)) == ["bob", "carl", "dora"])
    }

    @Test("a state that is taken up keeps the profiles of the disk that could not be copied with it")
    func takenUp() async throws {
        let phone = try await Self.phone()
        let whole = try Self.users(on: phone.disk)
        var shared = SharedState(try StoreFolder(phone.disk, existing: "/data/shop"))
        _ = try shared.open()
        var copy = try #require(shared.current)
        copy.users = KnownUsers(current: whole.current)
        shared.takeUp(copy)
        try shared.save()
        shared.release()
        #expect(try Self.users(on: phone.disk) == whole)
    }

    @Test("is removed when no profile is left")
    func emptied() async throws {
        let phone = try await Self.phone()
        var shared = SharedState(try StoreFolder(phone.disk, existing: "/data/shop"))
        _ = try shared.open()
        let current = try #require(shared.current).users.current.anonymous
        shared.current?.users = KnownUsers(current: current)
        try shared.save()
        shared.release()
        #expect(Self.names(on: phone.disk) == [])
        #expect(try Self.users(on: phone.disk) == KnownUsers(current: current))
        #expect(phone.disk[Phone.path("state")] == phone.disk[Phone.path("state.old")])
    }

    @Test("is written to one file, however often the state cannot be saved")
    func unsavedState() async throws {
        let phone = try await Self.phone()
        try await Damage.wrongByte.apply(to: phone.disk)
        var shared = SharedState(try StoreFolder(phone.disk, existing: "/data/shop"))
        _ = try shared.open()
        let users = try #require(shared.current).users
        // The temporary file of the state cannot be created.
        try phone.disk.createFolder(Phone.path("state.new"))
        for _ in 0..<3 {
            #expect(throws: StoreError.self) { try shared.save() }
        }
        #expect(Self.names(on: phone.disk) == ["users.1", "users.2"])
        try phone.disk.removeFolder(Phone.path("state.new"))
        try shared.save()
        shared.release()
        #expect(Self.names(on: phone.disk) == ["users.2"])
        #expect(try Self.users(on: phone.disk) == users)
    }

    // MARK: Ends

    @Test(
        "a login whose process ends at any operation leaves the users of before or of after it",
        arguments: [4, 2 * 2 + UserLog.outdatedLines],
        [.cutPower, .tear(bytes: 40)] as [MemoryFileSystem.Fault]
    )
    func everyPoint(lines: Int, fault: MemoryFileSystem.Fault) async throws {
        let phone = try await Self.phone((0..<lines).map { ["ann", "bob"][$0 % 2] })
        let store = phone.disk.snapshot()
        let before = try Self.users(on: phone.disk)
        func live(_ phone: Phone) async throws {
            await phone.time.advance(milliseconds: 1_000)
            let client = try phone.launch()
            client.setUserID("ann")
            client.kill()
        }
        let whole = Phone(disk: MemoryFileSystem(store), seed: 2)
        try await live(whole)
        let after = try Self.users(on: whole.disk)
        #expect(after != before)
        // As many outdated lines as there may be: the login writes another file.
        #expect(Self.names(on: whole.disk) == [lines == 4 ? "users.1" : "users.2"])
        for point in TestLength.sample(Array(1...whole.disk.operations), short: 40) {
            let copy = Phone(disk: MemoryFileSystem(store), seed: 2)
            copy.disk.inject(fault, at: .operation(point))
            try? await live(copy)  // it ends at the point
            let next = Phone(disk: MemoryFileSystem(copy.disk.snapshot()), seed: 3)
            let found = try Self.users(on: next.disk)
            #expect(found == before || found == after, "\(fault) at operation \(point)")
            let client = try next.launch()
            client.setUserID("carl")
            client.kill()
            #expect(try Self.users(on: next.disk).byID.count == 3, "\(fault) at operation \(point)")
            #expect(next.log.all.warnings == [], "\(fault) at operation \(point)")
        }
    }

    @Test("an erasure whose process ends at any operation is completed by the next launch: no user id is left")
    func erased() async throws {
        let phone = try await Self.phone(["user-ann", "user-bob"])
        let store = phone.disk.snapshot()
        let before = try Self.users(on: phone.disk)
        func live(_ phone: Phone) throws {
            let client = try phone.launch()
            client.eraseAll()
            client.kill()
        }
        let whole = Phone(disk: MemoryFileSystem(store), seed: 2)
        try live(whole)
        var completed = 0
        for point in TestLength.sample(Array(1...whole.disk.operations), short: 40) {
            let copy = Phone(disk: MemoryFileSystem(store), seed: 2)
            copy.disk.inject(.cutPower, at: .operation(point))
            try? live(copy)  // it ends at the point
            let next = Phone(disk: MemoryFileSystem(copy.disk.snapshot()), seed: 3)
            guard try Self.users(on: next.disk).current.uniqueID != before.current.uniqueID else { continue }
            completed += 1
            try next.launch().kill()
            for path in next.disk.paths {
                let text = String(decoding: next.disk[path] ?? [], as: UTF8.self)
                #expect(!text.contains("user-"), "\(path), operation \(point)")
            }
        }
        #expect(completed > 5)
    }

    @Test("survives a loss of power with its state, if the state does")
    func durable() throws {
        let phone = Phone()
        let client = try phone.launch { $0.durability = .power }
        for id in ["ann", "bob", "carl"] { client.setUserID(id) }
        let users = try Self.users(on: MemoryFileSystem(phone.disk.snapshot()))
        #expect(users.byID.count == 3)
        #expect(try Self.users(on: MemoryFileSystem(phone.disk.snapshot(losingUnsynchronized: true))) == users)
        client.kill()
    }

    // MARK: Several processes

    @Test("another process reads appended lines, and a file that replaced another: each user keeps one unique id")
    func twoProcesses() async throws {
        let phone = Phone()
        let processes = [try phone.launch(), try phone.launch()]
        for number in 0..<200 {
            await phone.time.advance(milliseconds: 1)
            processes[number % 2].setUserID("user\(number % 3)")
        }
        #expect(phone.log.all.warnings == [])
        var ids: [String: Set<String>] = [:]
        for event in phone.log.events where event.name == EventName.profileSet {
            let json = try JSONReader.parse(event.json)
            let user = try #require(json["user"]?["_user_id"]?["value"]?.string)
            ids[user, default: []].insert(try #require(json["unique_id"]?.string))
        }
        #expect(ids.count == 3)
        #expect(ids.values.allSatisfy { $0.count == 1 })
        #expect(Set(ids.values).count == 3)
        #expect(Self.names(on: phone.disk).count == 1)
        #expect(Self.names(on: phone.disk) != ["users.1"])
        for process in processes { process.kill() }
    }

    @Test("a file that a process without the lock is about to name is neither overwritten nor removed")
    func withoutLock() async throws {
        let phone = try await Self.phone()
        let folder = try StoreFolder(phone.disk, existing: "/data/shop")
        var (log, next) = (UserLog(folder), UserLog(folder))
        var users = try Self.users(on: phone.disk)
        let former = users.position
        users.isDamaged = true  // so that the process with the lock writes a file too
        var other = UserLog(try StoreFolder(MemoryFileSystem(phone.disk.snapshot()), existing: "/data/shop"))
        let both = [
            try log.write(users, after: former, isLocked: false),
            try other.write(users, after: former, isLocked: true),
        ]
        #expect(both[0].file != both[1].file)
        #expect(try next.write(users, after: former, isLocked: true).file > both[0].file)
        try next.removeFiles(through: former.file)
        #expect(Self.names(on: phone.disk).contains(UserLog.name(both[0].file)))
        #expect(!Self.names(on: phone.disk).contains(UserLog.name(former.file)))
    }

    // MARK: Cost

    @Test("a login costs as many file operations and bytes with 3 000 known users as with 10")
    func cost() throws {
        let few = try Self.cost(users: 10)
        let many = try Self.cost(users: 3_000)
        #expect(few.operations == many.operations)
        #expect(few.operations.contains(.append) && few.operations.contains(.write))
        // The numbers of lines and bytes in the state, which is read twice and written, have more digits.
        #expect(abs(many.bytes - few.bytes) < 64, "\(few.bytes) and \(many.bytes) bytes")
    }

    /// The operations, and the bytes read and written, of one login in a store of an earlier version with so many users.
    private static func cost(users: Int) throws -> CountingFileSystem.Count {
        let phone = Phone()
        try phone.launch().kill()
        let known = (0..<users).map { number in
            let id = "user\(String(zeroPadded: number, width: 4))"
            return #""\#(id)":{"unique_id":"U-\#(id)","first_touch":1,"id":"\#(id)","login":1,"attributes":[]}"#
        }
        let text =
            #"{"device_id":"D","user":{"unique_id":"U","first_touch":1,"attributes":[]},"known_users":{"#
            + known.joined(separator: ",") + #"},"last_number":1,"sessions":[]}"#
        phone.disk[Phone.path("state")] = StateFile.encode(Array(text.utf8), kind: "clickstream-state", version: 1)
        let files = CountingFileSystem(phone.disk)
        let client = try phone.launch(files: files)
        client.setUserID("user0001")
        files.reset()
        client.setUserID("user0002")
        let count = files.count
        client.kill()
        let stored = try Self.users(on: phone.disk)
        #expect(stored.byID.count == users)
        #expect(stored.current.uniqueID == "U-user0002")
        #expect(phone.log.all.warnings == [])
        return count
    }
}

/// File system that counts operations, and bytes read and written.
private final class CountingFileSystem: ForwardingFileSystem {
    struct Count: Sendable {
        var operations: [FileError.Operation] = []
        var bytes = 0
    }

    let base: MemoryFileSystem
    private let counted = Locked(Count())

    init(_ base: MemoryFileSystem) {
        self.base = base
    }

    var count: Count { counted.withLock { $0 } }

    func reset() {
        counted.withLock { $0 = Count() }
    }

    fileprivate func add(_ operation: FileError.Operation, _ bytes: Int = 0) {
        counted.withLock {
            $0.operations.append(operation)
            $0.bytes += bytes
        }
    }

    func names(in folder: String) throws(FileError) -> [String] {
        add(.list)
        return try base.names(in: folder)
    }

    func size(of path: String) throws(FileError) -> Int? {
        add(.measure)
        return try base.size(of: path)
    }

    func read(_ path: String, range: Range<Int>) throws(FileError) -> [UInt8] {
        let bytes = try base.read(path, range: range)
        add(.read, bytes.count)
        return bytes
    }

    func replace(_ path: String, with bytes: [UInt8], durably: Bool) throws(FileError) {
        add(.write, bytes.count)
        try base.replace(path, with: bytes, durably: durably)
    }

    func remove(_ path: String) throws(FileError) {
        add(.remove)
        try base.remove(path)
    }

    func rename(_ path: String, to newPath: String) throws(FileError) {
        add(.rename)
        try base.rename(path, to: newPath)
    }

    func open(_ path: String) throws(FileError) -> any AppendableFile {
        add(.open)
        return CountingFile(try base.open(path), self)
    }

    func openAsOnlyWriter(_ path: String) throws(FileError) -> any AppendableFile {
        add(.open)
        return CountingFile(try base.openAsOnlyWriter(path), self)
    }

    func lock(_ path: String) throws(FileError) -> (any FileLock)? {
        add(.lock)
        return try base.lock(path)
    }
}

/// File of a ``CountingFileSystem``.
private final class CountingFile: AppendableFile {
    private let base: any AppendableFile
    private let files: CountingFileSystem

    init(_ base: any AppendableFile, _ files: CountingFileSystem) {
        (self.base, self.files) = (base, files)
    }

    var size: Int { base.size }

    func append(_ bytes: UnsafeRawBufferPointer) throws(FileError) {
        files.add(.append, bytes.count)
        try base.append(bytes)
    }

    func synchronize() throws(FileError) {
        files.add(.synchronize)
        try base.synchronize()
    }

    func truncate(to size: Int) throws(FileError) {
        files.add(.truncate)
        try base.truncate(to: size)
    }

    func read(from offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(FileError) -> Int {
        try base.read(from: offset, into: buffer)
    }

    func status() throws(FileError) -> FileStatus { try base.status() }

    func close() { base.close() }
}
