import ClickstreamSimulation
import TestSupport
import Testing

@testable import ClickstreamCore

@Suite("A withdrawal of consent with a failing disk")
struct WithdrawalFaultTests {
    /// EIO and EACCES.
    private static let errors: [Int32] = [5, 13]

    @Test(
        "leaves nothing that is sent later, if any removal, renaming, replacement or truncation fails once, or for good",
        arguments: [false, true],
        [false, true]
    )
    func everyOperation(isForGood: Bool, relaunches: Bool) async throws {
        let model = try await Scene()
        model.client.setConsent(.denied, for: .analytics)
        let calls = model.files.calls
        #expect(Set(calls.map(\.operation)) == [.remove, .rename, .write, .truncate])
        for name in ["dead", "dead.old", "runs-pulse/dead", "crash"] {
            #expect(calls.contains(FailingFileSystem.Call(.remove, Phone.path(name))))
        }
        for (number, call) in calls.enumerated() where !isForGood || !calls[..<number].contains(call) {
            let errors = TestLength.current == .short ? [Self.errors[number % Self.errors.count]] : Self.errors
            for errno in errors {
                let scene = try await Scene()
                scene.files.fail(isForGood ? .always(call) : .once(number: number), errno: errno)
                scene.client.setConsent(.denied, for: .analytics)
                let comment = Comment(rawValue: "error \(errno) at \(number) of \(calls.count): \(call)")
                try await scene.check(relaunches: relaunches, comment)
            }
        }
    }

    @Test("removes the events on the disk and those in memory while the store is in memory")
    func inMemory() async throws {
        let phone = Phone()
        // Segments of ten events.
        let client = try phone.launch { $0.maxStoreEvents = 160 }
        for _ in 0..<12 { client.record("before") }
        phone.disk.setReadOnly(true, folder: Phone.path("runs/1"))
        for _ in 0..<12 { client.record("before") }
        #expect(phone.log.all.codes.count { $0 == .storeInMemory } == 1)
        client.setConsent(.denied, for: .analytics)
        #expect(client.ledger.pendingEvents == 0)
        client.setConsent(.granted, for: .analytics)
        phone.disk.setReadOnly(false, folder: Phone.path("runs/1"))
        await phone.time.advance(milliseconds: 11_000)
        // The store returns to the disk, and completes the withdrawal there.
        client.record("return")
        #expect(!phone.records().contains { $0.event.name == "before" })
        client.record("after")
        #expect(await client.flush().isComplete)
        client.kill()
        let next = try phone.launch()
        #expect(await next.flush().isComplete)
        next.kill()
        #expect(!phone.server.events.contains { $0.name == "before" })
        #expect(phone.server.events.contains { $0.name == "after" })
        #expect(try !Scene.state(of: phone).contains("withdrawn"))
    }

    @Test("drops the event with which a process saves its state again, and finds the withdrawal of another process")
    func unsaved() throws {
        let phone = Phone()
        let client = try phone.launch(sends: false)
        let other = try phone.launch(sends: false)
        phone.disk.refuse([.write], errno: Self.errors[1])
        client.setUserID("ann")
        phone.disk.refuse([.write], errno: nil)
        #expect(client.shared.change { $0.access.log.store.isStateUnsaved })
        other.setConsent(.denied, for: .analytics)
        client.record("tap")
        #expect(client.consent(for: .analytics) == .denied)
        #expect(phone.records().isEmpty)
        let (ledger, pending) = client.ledger
        #expect(pending == 0)
        #expect(ledger.recorded == ledger.settled)
    }

    @Test("removes dead letters that an earlier version had not removed yet")
    func earlierVersion() throws {
        let phone = Phone()
        try phone.launch().kill()
        let folder = try StoreFolder(phone.disk, root: "/data", appID: "shop")
        try folder.deadLetters.add([Scene.letter("dead-1")])
        let content = try folder.state.load()
        guard case .loaded(let bytes) = content, var state = StoredState(json: bytes) else {
            Issue.record("no state: \(content)")
            return
        }
        state.consent.decide(.denied, for: [.analytics])
        state.withdrawn = ["runs/1"]
        try folder.state.save(state.json)
        let next = try phone.launch()
        #expect(try folder.deadLetters.all() == [])
        #expect(phone.records().isEmpty)
        next.kill()
        #expect(try !Scene.state(of: phone).contains("withdrawn"))
    }

    @Test("keeps the dead letters of after a new consent, when another process completes it")
    func laterLetters() async throws {
        let phone = Phone()
        let one = try phone.launch()
        let other = try phone.launch()
        other.record("before")
        let folder = try StoreFolder(phone.disk, root: "/data", appID: "shop")
        let own = folder.path(ofRun: other.run)
        one.setConsent(.denied, for: .analytics)
        // What a request of the other process, in progress at the withdrawal, leads to.
        #expect(try !folder.deadLetters.add([Scene.letter("dead-1")], ofRun: own))
        one.setConsent(.granted, for: .analytics)
        #expect(try folder.deadLetters.add([Scene.letter("dead-2")], ofRun: folder.path(ofRun: one.run)))
        other.setUserID("carl")
        #expect(try folder.deadLetters.all().map(\.eventID) == ["dead-2"])
        #expect(!phone.records().contains { $0.event.name == "before" })
        one.kill()
        other.kill()
        #expect(try !Scene.state(of: phone).contains("withdrawn"))
    }

    @Test("an erasure leaves no profile of a user whose file could not be removed at first, and keeps those of after")
    func usersOfBefore() throws {
        let phone = Phone()
        let files = FailingFileSystem(phone.disk)
        let client = try phone.launch(files: files)
        client.setUserID("alice")
        files.fail(.always(FailingFileSystem.Call(.remove, Phone.path("users.1"))), errno: 5)
        client.eraseAll()
        client.setUserID("bob")
        client.kill()
        #expect(phone.disk[Phone.path("users.1")] != nil)
        files.heal()
        try phone.launch().kill()
        for path in phone.disk.paths {
            #expect(!String(decoding: phone.disk[path] ?? [], as: UTF8.self).contains("alice"), "\(path)")
        }
        let users = String(decoding: try #require(phone.disk[Phone.path("users.2")]), as: UTF8.self)
        #expect(users.contains("bob"))
        #expect(try !Scene.state(of: phone).contains("withdrawn"))
    }

    @Test(
        "an erasure of a store that cannot be listed leaves no profile of a user once it can, and keeps those of after",
        arguments: [false, true],
        [false, true]
    )
    func usersOfUnlisted(relaunches: Bool, withdraws: Bool) throws {
        let phone = Phone()
        let client = try phone.launch(sends: false)
        client.setUserID("alice")
        let users = try #require(phone.disk[Phone.path("users.1")])
        // Of a process that ended before its state named the file.
        phone.disk[Phone.path("users.7")] = users
        client.disable()
        phone.disk.refuse([.list], errno: 5)
        client.eraseAll()
        if withdraws {
            client.setConsent(.denied, for: .analytics)
            client.setConsent(.granted, for: .analytics)
        }
        phone.disk.refuse([.list], errno: nil)
        #expect(phone.disk[Phone.path("users.7")] == users)
        #expect(try Scene.state(of: phone).contains("withdrawn"))
        if relaunches {
            client.kill()
            let next = try phone.launch(sends: false)
            next.setUserID("bob")
            next.kill()
        } else {
            client.setUserID("bob")
            client.kill()
        }
        for path in phone.disk.paths {
            #expect(!String(decoding: phone.disk[path] ?? [], as: UTF8.self).contains("alice"), "\(path)")
        }
        try phone.launch().kill()
        #expect(phone.log.events.last?.text.contains("bob") == true)
        #expect(phone.disk.paths.count { $0.hasPrefix(Phone.path("users.")) } == 1)
        #expect(try !Scene.state(of: phone).contains("withdrawn"))
    }

    @Test(
        "is stored as a list that earlier versions read",
        arguments: [
            ([], [], [], false),
            (["runs/1", "runs-pulse/2"], ["runs/1", "runs-pulse/2"], nil, false),
            (["*", "runs/1"], ["runs/1"], nil, true),
            (["runs/2", "files"], ["runs/2"], [], false),
            (["*", "files"], [], [], true),
            (["files", "file:dead", "file:runs/1/crash"], [], ["dead", "runs/1/crash"], false),
        ] as [([String], [String], [String]?, Bool)]
    )
    func list(entries: [String], runs: [String], files: [String]?, isEverything: Bool) {
        var expected = WithdrawalList()
        (expected.runs, expected.files, expected.isEverything) = (runs, files, isEverything)
        #expect(WithdrawalList(entries: entries) == expected)
        #expect(expected.entries == entries)
    }
}

/// Store with events, dead letters and a crash of ended processes, and a client with a refused batch that is to withdraw consent.
private struct Scene {
    let phone: Phone
    let files: FailingFileSystem
    let client: ClickstreamClient
    /// The ids of all events of before.
    let before: Set<String>
    /// The number of requests before the withdrawal.
    let requests: Int

    static func letter(_ id: String) -> DeadLetter {
        DeadLetter(
            json: Array(#"{"event_id":"\#(id)","event_type":"before"}"#.utf8),
            status: 400,
            reason: "bad",
            attempts: 1,
            setAside: Timestamp(milliseconds: 1)
        )
    }

    static func state(of phone: Phone) throws -> String {
        String(decoding: try #require(phone.disk[Phone.path("state")]), as: UTF8.self)
    }

    init() async throws {
        let phone = Phone()
        let files = FailingFileSystem(phone.disk)
        // Their run folders are 1 to 4: the client's own, one that it adopts, and two that it opens for the removal.
        let processes = try (0..<3).map { _ in try phone.launch() }
        let crashing = try phone.launch { $0.tracksExceptions = true }
        for process in processes { process.record("before") }
        processes[0].kill()
        processes[1].kill()
        let client = try phone.launch(files: files)
        client.record("before")
        processes[2].kill()
        phone.disk[Phone.path("runs/3/00000001.events")]? += Array("deadbeef 99 F17".utf8)
        crashing.crash(message: "before", stack: "")
        let folder = try StoreFolder(phone.disk, root: "/data", appID: "shop")
        for id in ["dead-1", "dead-2"] { try folder.deadLetters.add([Self.letter(id)]) }
        phone.disk[Phone.path("runs-pulse/dead")] = [1]
        phone.server.answer(.status(503))
        let report = await client.flush()
        #expect(report.sent == 0)
        files.begin()
        (self.phone, self.files, self.client) = (phone, files, client)
        before = Set(phone.log.events.map(\.id) + ["dead-1", "dead-2"])
        requests = phone.server.requests.count
    }

    /// Grants consent again, in the same process or in another one on a healthy disk, and compares with what is sent then.
    func check(relaunches: Bool, _ comment: Comment) async throws {
        var next = client
        if relaunches {
            client.kill()
            files.heal()
            next = try phone.launch()
            let left = phone.disk.paths.filter { path in
                ["/crash", "/dead", "/dead.old"].contains { path.hasSuffix($0) }
            }
            #expect(left == [], comment)
            #expect(!phone.records().contains { before.contains($0.event.id) }, comment)
            #expect(try !Scene.state(of: phone).contains("withdrawn"), comment)
        }
        next.setConsent(.granted, for: .analytics)
        // Dead letters that are left, and cannot be removed, are refused.
        _ = try? next.requeueDeadLetters()
        next.record("after")
        await phone.time.advance(milliseconds: 600_000)
        _ = await next.flush()
        let sent = phone.server.uploads.dropFirst(requests).flatMap(\.recordedEvents)
        #expect(!sent.contains { before.contains($0.id) || $0.name == EventName.appException }, comment)
        #expect(sent.contains { $0.name == "after" }, comment)
        next.kill()
    }
}

/// Disk on which one removal, renaming, replacement or truncation fails, or all of one file.
private final class FailingFileSystem: ForwardingFileSystem {
    struct Call: Sendable, Hashable {
        var operation: FileError.Operation
        var path: String

        init(_ operation: FileError.Operation, _ path: String) {
            (self.operation, self.path) = (operation, path)
        }
    }

    enum Fault: Sendable {
        /// The call of that number since ``begin()`` fails, from 0.
        case once(number: Int)
        /// All calls of that kind on that path fail.
        case always(Call)
    }

    private struct State: Sendable {
        var calls: [Call] = []
        var fault: Fault?
        var errno: Int32 = 0
    }

    let base: MemoryFileSystem
    private let state = Locked(State())

    init(_ base: MemoryFileSystem) {
        self.base = base
    }

    /// The calls since ``begin()``.
    var calls: [Call] { state.withLock { $0.calls } }

    func begin() {
        state.withLock { $0.calls = [] }
    }

    func fail(_ fault: Fault, errno: Int32) {
        state.withLock { ($0.fault, $0.errno) = (fault, errno) }
    }

    func heal() {
        state.withLock { $0.fault = nil }
    }

    fileprivate func check(_ operation: FileError.Operation, _ path: String) throws(FileError) {
        let call = Call(operation, path)
        let errno: Int32? = state.withLock { state in
            state.calls.append(call)
            switch state.fault {
            case .once(let number): return number == state.calls.count - 1 ? state.errno : nil
            case .always(let failing): return failing == call ? state.errno : nil
            case nil: return nil
            }
        }
        if let errno { throw FileError(operation, path, errno: errno) }
    }

    func remove(_ path: String) throws(FileError) {
        try check(.remove, path)
        try base.remove(path)
    }

    func rename(_ path: String, to newPath: String) throws(FileError) {
        try check(.rename, path)
        try base.rename(path, to: newPath)
    }

    func replace(_ path: String, with bytes: [UInt8], durably: Bool) throws(FileError) {
        try check(.write, path)
        try base.replace(path, with: bytes, durably: durably)
    }

    func open(_ path: String) throws(FileError) -> any AppendableFile {
        FailingFile(try base.open(path), self, path)
    }

    func openAsOnlyWriter(_ path: String) throws(FileError) -> any AppendableFile {
        FailingFile(try base.openAsOnlyWriter(path), self, path)
    }
}

/// File whose truncation is a call of a ``FailingFileSystem``.
private final class FailingFile: AppendableFile {
    private let base: any AppendableFile
    private let files: FailingFileSystem
    private let path: String

    init(_ base: any AppendableFile, _ files: FailingFileSystem, _ path: String) {
        (self.base, self.files, self.path) = (base, files, path)
    }

    var size: Int { base.size }

    func append(_ bytes: UnsafeRawBufferPointer) throws(FileError) { try base.append(bytes) }

    func synchronize() throws(FileError) { try base.synchronize() }

    func truncate(to size: Int) throws(FileError) {
        try files.check(.truncate, path)
        try base.truncate(to: size)
    }

    func read(from offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(FileError) -> Int {
        try base.read(from: offset, into: buffer)
    }

    func status() throws(FileError) -> FileStatus { try base.status() }

    func close() { base.close() }
}
