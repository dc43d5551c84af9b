import ClickstreamSimulation
import Foundation
import TestSupport
import Testing

@testable import ClickstreamCore

@Suite("Several processes on one store")
struct SeveralProcessesTests {
    private static let timeout: Int64 = 60_000

    private func launch(_ phone: Phone) throws -> ClickstreamClient {
        try phone.launch { $0.sessionTimeout = .milliseconds(Self.timeout) }
    }

    private func starts(_ phone: Phone) -> [Int64] {
        phone.log.events.filter { $0.name == "_session_start" }.compactMap(\.session)
    }

    @Test("a second one has its own session; the first open is recorded once")
    func ownSession() async throws {
        let phone = Phone()
        let first = try launch(phone)
        let second = try launch(phone)
        #expect(starts(phone) == [1, 2])
        #expect(phone.log.events.count { $0.name == "_first_open" } == 1)
        _ = phone.log.take()
        first.record("one")
        second.record("two")
        #expect(phone.log.take().events.map(\.session) == [1, 2])
        second.kill()
        // Not even with the session of the one that is gone.
        let third = try launch(phone)
        #expect(starts(phone) == [3])
        third.kill()
        first.kill()
    }

    @Test(
        "a later one continues the most recently active session within the timeout",
        arguments: [(0, 1), (1, 2)],
        [(timeout - 1, false), (timeout, true)]
    )
    func goesOn(last: (Int, Int64), pause: (Int64, Bool)) async throws {
        let phone = Phone()
        let clients = [try launch(phone), try launch(phone)]
        await phone.time.advance(milliseconds: 10_000)
        clients[last.0].record("last")
        for client in clients { client.kill() }
        await phone.time.advance(milliseconds: pause.0)
        _ = phone.log.take()
        try launch(phone).kill()
        #expect(phone.log.events.map(\.session) == (pause.1 ? [3, 3] : [last.1]))
        #expect(starts(phone) == (pause.1 ? [3] : []))
    }

    @Test("a session that starts in a running process gets a unique number")
    func counter() async throws {
        let phone = Phone()
        let first = try launch(phone)
        let second = try launch(phone)
        first.background()
        second.background()
        await phone.time.advance(milliseconds: Self.timeout)
        first.foreground()
        second.foreground()
        first.background()
        await phone.time.advance(milliseconds: Self.timeout)
        first.foreground()
        #expect(starts(phone) == [1, 2, 3, 4, 5])
        second.kill()
        first.kill()
        let next = try launch(phone)
        #expect(phone.log.events.last?.session == 5)
        next.kill()
    }

    @Test("use another's login with the next screen, return, login or attribute, and do not revert it")
    func identity() async throws {
        let phone = Phone()
        let first = try launch(phone)
        let second = try launch(phone)
        second.addUserAttributes(["plan": "gold"])
        second.setUserID("carl")
        _ = phone.log.take()
        first.record("before")
        first.screen(name: "A")
        first.addUserAttributes(["age": 7])
        second.background()
        second.foreground()
        second.record("after")
        let texts = phone.log.take().events.filter { !$0.name.hasPrefix("_app") }.map(\.text)
        #expect(texts.map { $0.contains("carl") } == [false, true, true, true])
        #expect(texts.map { $0.contains("gold") } == [false, true, true, true])
        #expect(texts.map { $0.contains("\"age\"") } == [false, false, true, true])
        second.setUserID("dora")
        first.setUserID("carl")
        #expect(phone.log.events.last.map { $0.text.contains("gold") && $0.text.contains("\"age\"") } == true)
        first.kill()
        second.kill()
        try launch(phone).kill()
        #expect(phone.log.events.last.map { $0.text.contains("carl") } == true)
        #expect(Set(phone.log.events.compactMap { try? JSONReader.parse($0.json)["device_id"]?.string }).count == 1)
    }

    @Test("a process that keeps the state's lock blocks no other: it is reported, and each waits only once")
    func keptLock() throws {
        let phone = Phone()
        let first = try launch(phone)
        let lock = try #require(try phone.disk.lock(Phone.path("state.lock")))
        _ = phone.log.take()
        first.setUserID("carl")
        first.setUserID("dora")
        #expect(
            phone.log.all.warnings == [
                "/data/shop/state.lock is kept by another process; the state is changed without it"
            ]
        )
        #expect(phone.log.all.codes == [.stateLocked])
        lock.unlock()
        first.setUserID("emil")
        #expect(phone.log.events.count == 3)
        first.kill()
    }

    @Test(
        "a process that is stopped during its launch uses no session number that others used meanwhile"
    )
    func stoppedInLaunch() async throws {
        let phone = Phone()
        try launch(phone).kill()
        await phone.time.advance(milliseconds: Self.timeout + 1)
        var configuration = ClickstreamClient.Configuration(appID: "shop", endpoint: Phone.endpoint)
        configuration.sessionTimeout = .milliseconds(Self.timeout)
        var others: [ClickstreamClient] = []
        try phone.launchStopped(configuration) {
            others = try [launch(phone), launch(phone)]
        }
        let numbers = starts(phone)
        #expect(numbers.count == 4)
        #expect(Set(numbers).count == 4, "\(numbers)")
        for other in others { other.kill() }
    }

    @Test("two without the lock of the state write the known users to different files, also if both see the same ones")
    func usersWithoutLock() throws {
        let phone = Phone()
        let client = try phone.launch()
        for id in ["ann", "bob"] { client.setUserID(id) }
        client.kill()
        let folder = try StoreFolder(phone.disk, existing: "/data/shop")
        var shared = SharedState(folder)
        _ = try shared.open()
        shared.release()
        var users = try #require(shared.current).users
        let former = users.position
        users.isDamaged = true  // so that each writes a file
        var theirs = users
        theirs.byID[UserID("ann")] = nil
        let other = Locked<(log: UserLog, position: KnownUsers.Position?)>((UserLog(folder), nil))
        let overtaken = OvertakenFileSystem(base: phone.disk) { [theirs] in
            // Without a position the test fails.
            other.withLock { $0.position = try? $0.log.write(theirs, after: former, isLocked: false) }
        }
        var log = UserLog(try StoreFolder(overtaken, existing: "/data/shop"))
        let own = try log.write(users, after: former, isLocked: false)
        let position = try #require(other.withLock { $0.position })
        #expect(own.file != position.file)
        for written in [own, position] {
            let bytes = phone.disk[folder.path + "/" + UserLog.name(written.file)] ?? []
            #expect(bytes.count == written.bytes)
            #expect(Checksum.crc32c(bytes) == written.checksum)
        }
        // A file that is taken belongs to its process, which writes it again until a state names it.
        #expect(try log.write(users, after: former, isLocked: false).file == own.file)
    }

    // MARK: Closed descriptors

    @Test(
        "a process that closes the store's descriptors loses and doubles nothing, also beside another process",
        arguments: TestLength.seeds(40, full: 2_000)
    )
    func closedDescriptors(seed: Int) async throws {
        let phone = Phone(seed: UInt64(seed))
        var random = SeededGenerator(seed: UInt64(seed))
        var living: [ClickstreamClient] = [try launch(phone)]
        for number in 0..<60 {
            await phone.time.advance(milliseconds: Int64.random(in: 0..<100, using: &random))
            let index = living.indices.randomElement(using: &random)
            let client = index.map { living[$0] }
            switch Int.random(in: 0..<10, using: &random) {
            case 0: phone.disk.closeDescriptors()
            case 1: living.append(try launch(phone))
            case 2, 3:
                if number % 2 == 0 { client?.kill() } else { client?.terminate() }
                if let index { living.remove(at: index) }
            case 4:
                if let client { _ = try await phone.moving { await client.flush() } }
            case 5: client?.record("not a name")
            default: client?.record("tap\(number)")
            }
        }
        phone.disk.closeDescriptors()
        for client in living { client.terminate() }
        let last = try launch(phone)
        _ = try await phone.moving { await last.flush() }
        #expect(phone.log.all.unstored == [])
        #expect(phone.server.events.map(\.id).sorted() == phone.log.events.map(\.id).sorted())
        let (ledger, pending) = try StoreFolder(phone.disk, existing: "/data/shop").ledger()
        #expect((ledger.recorded, pending) == (ledger.settled, 0))
        #expect(ledger[.delivered] == phone.log.events.count)
    }

    // MARK: Any order

    @Test("keep all guarantees for any order of calls, waits, kills and ends", arguments: 1...25 as ClosedRange<UInt64>)
    func interleavings(seed: UInt64) async throws {
        let phone = Phone(seed: seed)
        var random = SeededGenerator(seed: seed)
        var living: [(name: Int, client: ClickstreamClient)] = []
        var sessionsOfLiving: [Int: Int64] = [:]
        var launched = 0
        var login: String?
        var events: [RecordedEvent] = []
        for _ in 0..<120 {
            let choice = Int.random(in: 0..<14, using: &random)
            _ = phone.log.take()
            guard let index = living.indices.randomElement(using: &random), choice > 1 || living.count == 3 else {
                launched += 1
                let others = Set(sessionsOfLiving.filter { pair in living.contains { $0.name == pair.key } }.values)
                living.append((launched, try launch(phone)))
                let session = try #require(phone.log.events.last?.session)
                #expect(!others.contains(session))
                note(launched)
                continue
            }
            let (name, client) = living[index]
            switch choice {
            case 2:
                client.kill()
                living.remove(at: index)
            case 3:
                client.terminate()
                living.remove(at: index)
            case 4, 5: client.foreground()
            case 6, 7: client.background()
            case 8: client.screen(name: "S\(Int.random(in: 0..<3, using: &random))")
            case 9:
                login = "user\(Int.random(in: 0..<3, using: &random))"
                client.setUserID(login)
            case 10: await phone.time.advance(milliseconds: Self.timeout)
            case 11: await phone.time.advance(milliseconds: Int64.random(in: 0..<Self.timeout, using: &random))
            default: client.record("tap")
            }
            note(name)
        }
        func note(_ name: Int) {
            for event in phone.log.all.events {
                guard let session = event.session else { continue }
                sessionsOfLiving[name] = session
                events.append(event)
            }
        }
        let starts = events.filter { $0.name == "_session_start" }.compactMap(\.session)
        #expect(starts == Array(1...Int64(starts.count)))
        for (_, client) in living { client.kill() }
        _ = phone.log.take()
        try launch(phone).kill()
        if let login { #expect(phone.log.events.last.map { $0.text.contains("\"\(login)\"") } == true) }
        #expect(events.count { $0.name == "_first_open" } == 1)
        var ids: [Int64: Set<JSONValue.Kind?>] = [:]
        for event in events { ids[event.session ?? 0, default: []].insert(event["_session_id"]) }
        #expect(ids.values.allSatisfy { $0.count == 1 })
        #expect(phone.log.all.warnings == [])
    }

    @Test("share a real folder from many threads: session numbers are unique, nothing is lost")
    func realFolder() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("several-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }  // leftover files have no effect
        let time = VirtualTime(start: Timestamp(CivilTime(year: 2024, month: 1, day: 1)))
        let log = NoticeLog()
        let group = DispatchGroup()
        for number in 0..<6 {
            group.enter()
            let thread = Thread {
                defer { group.leave() }
                let ids = SeededIDs(seed: UInt64(number))
                var configuration = ClickstreamClient.Configuration(appID: "shop")
                configuration.sessionTimeout = .zero
                for round in 0..<8 {
                    do {
                        let client = try ClickstreamClient(
                            configuration: configuration,
                            device: ClickstreamClient.Device(platform: "Linux"),
                            storage: folder,
                            dependencies: ClickstreamClient.Dependencies(
                                time: time,
                                ids: ids,
                                files: WaitingFileSystem()
                            ),
                            observe: { log.add($0) }
                        )
                        client.background()
                        client.foreground()
                        client.setUserID("user\(number)-\(round)")
                        if round % 2 == 0 { client.kill() } else { client.terminate() }
                    } catch {
                        Issue.record(error)
                    }
                }
            }
            thread.start()
        }
        group.wait()
        let numbers = log.events.filter { $0.name == "_session_start" }.compactMap(\.session).sorted()
        #expect(numbers == Array(1...96))
        #expect(log.events.count { $0.name == "_first_open" } == 1)
        #expect(log.all.warnings == [])
        let store = try StoreFolder(LocalFileSystem(), root: folder, appID: "shop")
        let (ledger, pending) = try store.ledger()
        #expect(pending == log.events.count)
        #expect(ledger.recorded == pending)
        var shared = SharedState(store)
        #expect(try shared.open().isEmpty)
        defer { shared.release() }
        let state = try #require(shared.current)
        #expect(state.users.byID.count == 48)
        #expect(state.lastNumber == 96)
    }
}

/// Disk on which another process acts as soon as this one has listed a folder.
private struct OvertakenFileSystem: ForwardingFileSystem {
    let base: MemoryFileSystem
    let act: @Sendable () -> Void

    func names(in folder: String) throws(FileError) -> [String] {
        let names = try base.names(in: folder)
        act()
        return names
    }
}

/// The machine's disk, on which the lock of a store's state is waited for without limit: a client waits for two seconds of
/// real time, which threads that are not scheduled exceed on a busy machine.
private struct WaitingFileSystem: ForwardingFileSystem {
    let base = LocalFileSystem()

    func lock(_ path: String) throws(FileError) -> (any FileLock)? {
        while true {
            if let lock = try base.lock(path) { return lock }
            guard path.hasSuffix("/state.lock") else { return nil }
            sched_yield()
        }
    }
}
