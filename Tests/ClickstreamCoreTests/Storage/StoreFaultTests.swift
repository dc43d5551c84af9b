import ClickstreamSimulation
import Foundation
import TestSupport
import Testing

@testable import ClickstreamCore

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

@Suite("Limits and suspended processes")
struct StoreFaultTests {
    private func launch(in folder: String) throws -> ClickstreamClient {
        var configuration = ClickstreamClient.Configuration(appID: "shop")
        configuration.sendInterval = .zero
        return try ClickstreamClient(
            configuration: configuration,
            device: ClickstreamClient.Device(platform: "Linux", app: ClickstreamClient.Device.App(version: "1")),
            storage: folder,
            dependencies: ClickstreamClient.Dependencies(time: SystemTime(), ids: SystemIDs(), files: LocalFileSystem())
        )
    }

    @Test("a process suspended between opening state.new and renaming it blocks no other")
    func stoppedWhileReplacing() throws {
        try withFreshFolder { folder in
            let disk = LocalFileSystem()
            let path = folder + "/state"
            let stopped = try #require(try disk.lock(path + ".new"))
            try disk.replace(path, with: [1], durably: false)
            #expect(try disk.contents(of: path) == [1])
            #expect(try disk.names(in: folder) == ["state", "state.new"])
            stopped.unlock()
        }
    }

    @Test(
        "a launch survives one failed operation with a transient error: it stays on the disk and in its session",
        arguments: [EIO, EMFILE, ENOMEM, EINTR]
    )
    func passingFaultOfLaunch(errno: Int32) throws {
        let before = Phone()
        try before.launch().kill()
        let store = before.disk.snapshot()
        let whole = Phone(disk: MemoryFileSystem(store))
        _ = try EventStore.opened(whole.disk)
        let operations = whole.disk.operations
        #expect(operations > 10)
        for operation in 1...operations {
            let phone = Phone(disk: MemoryFileSystem(store))
            phone.disk.refuse(operations: operation..<operation + 1, errno: errno)
            let client = try phone.launch()
            #expect(phone.log.events.map(\.name) == ["_app_start"], "operation \(operation)")
            #expect(phone.log.all.warnings == [], "operation \(operation)")
            client.kill()
            #expect(phone.records().last?.event.name == "_app_start", "operation \(operation)")
        }
    }

    @Test("a crash file that is larger than any report is read in part, reported and removed")
    func largeCrashReport() throws {
        let phone = Phone()
        let report = CrashReport(
            id: phone.ids.next(),
            timestamp: phone.time.now().wall,
            movesLastActive: true,
            line: [UInt8](repeating: UInt8(ascii: " "), count: 5_000_000)
        )
        try phone.launch().kill()
        phone.disk[Phone.path("crash")] = report.bytes
        try phone.launch().kill()
        #expect(phone.log.all.warnings == ["/data/shop/crash is damaged: the crash it tells of is not recorded"])
        #expect(phone.log.all.codes == [.crashFileFailed])
        #expect(phone.disk[Phone.path("crash")] == nil)
    }

    @Test("a held lock is awaited until the timeout, and acquired when it is free")
    func waitsForLock() throws {
        try withFreshFolder { folder in
            let disk = LocalFileSystem()
            let held = try #require(try disk.lock(folder + "/lock"))
            let clock = ContinuousClock()
            let start = clock.now
            #expect(try disk.lock(folder + "/lock", timeout: .milliseconds(100)) == nil)
            let waited = start.duration(to: clock.now)
            #expect(waited >= .milliseconds(100) && waited < .seconds(5))
            held.unlock()
            #expect(try disk.lock(folder + "/lock", timeout: .zero) != nil)
        }
    }

    @Test("a state of 8 GB is not read completely, and its predecessor is used")
    func hugeState() throws {
        try withFreshFolder { folder in
            let first = try launch(in: folder)
            first.setUserID("carl")
            first.setUserID("dora")
            first.terminate()
            let path = folder + "/shop/state"
            #expect(truncate(path, 8 << 30) == 0)
            #expect(try LocalFileSystem().contents(of: path)?.count == StateFile.maxBytes + 1)
            let state = try StoreFolder(LocalFileSystem(), existing: folder + "/shop").state
            guard case .recovered = try state.load() else {
                Issue.record("\(try state.load())")
                return
            }
            let next = try launch(in: folder)
            next.terminate()
            #expect(try #require(try LocalFileSystem().size(of: path)) < 100_000)
        }
    }

    @Test("a segment of 200 MiB without a line feed needs no such memory")
    func hugeSegment() throws {
        try withFreshFolder { folder in
            let path = folder + "/00000001.events"
            let file = try LocalFileSystem().open(path)
            file.close()
            #expect(truncate(path, 200 << 20) == 0)
            let (run, report) = try RunFolder.open(LocalFileSystem(), path: folder, lock: nil)
            #expect((run.pendingEvents, report.tornBytes) == (0, 200 << 20))
        }
    }

    @Test("without a free descriptor a launch continues in memory, and so does a client that needs a new file")
    func noDescriptor() async throws {
        let phone = Phone()
        let client = try phone.launch()
        #expect(await client.flush().isComplete)
        phone.disk.refuse([.open, .lock, .list, .read, .write], errno: EMFILE)
        for index in 0..<20 { client.record("tap\(index)") }
        #expect(phone.log.all.unstored == [])
        phone.disk.refuse([.open, .lock, .list, .read, .write], errno: nil)
        #expect(await client.flush().isComplete)
        #expect(phone.server.events == phone.log.events)

        let other = Phone()
        other.disk.refuse([.open, .lock, .list, .read, .write], errno: EMFILE)
        let launched = try other.launch()
        for index in 0..<20 { launched.record("tap\(index)") }
        #expect(other.log.all.unstored == [])
        #expect(await launched.flush().isComplete)
        #expect(other.server.events == other.log.events)
    }

    @Test("a limit on the file size ends a segment, and loses no event")
    func fileLimit() async throws {
        let phone = Phone()
        let client = try phone.launch()
        for index in 0..<30 {
            // As a limit that each file has reached: the next has room.
            let next = phone.disk.operations + 1
            phone.disk.refuse(operations: next..<next + 1, errno: EFBIG)
            client.record("tap\(index)")
        }
        #expect(phone.log.all.unstored == [])
        #expect(await client.flush().isComplete)
        #expect(phone.server.events == phone.log.events)
    }

    @Test("a segment evicted while a batch is made of it causes no warning")
    func evictedMeanwhile() async throws {
        let phone = Phone()
        let client = Locked<ClickstreamClient?>(nil)
        let files = HookedFileSystem(disk: phone.disk) {
            for _ in 0..<80 { client.withLock { $0 }?.record("more") }
        }
        var configuration = ClickstreamClient.Configuration(appID: "shop", endpoint: Phone.endpoint)
        configuration.sendInterval = .zero
        configuration.maxStoreEvents = 64
        let log = phone.log
        let launched = try ClickstreamClient(
            configuration: configuration,
            device: ClickstreamClient.Device(platform: "Linux", app: ClickstreamClient.Device.App(version: "1")),
            storage: "/data",
            dependencies: ClickstreamClient.Dependencies(
                time: phone.time,
                ids: phone.ids,
                files: files,
                transport: phone.server
            ),
            observe: { log.add($0) }
        )
        client.withLock { $0 = launched }
        for _ in 0..<20 { launched.record("tap") }
        files.isArmed.withLock { $0 = true }
        #expect(await launched.flush().isComplete)
        #expect(files.isArmed.withLock { $0 } == false)
        #expect(log.all.warnings == [])
        let (ledger, pending) = launched.ledger
        #expect((ledger[.missing], ledger[.damaged], pending) == (0, 0, 0))
        #expect(ledger[.evictedForCount] > 0)
        client.withLock { $0 = nil }
    }
}

/// A disk that calls back before the first read of a segment once it is armed.
private final class HookedFileSystem: ForwardingFileSystem {
    let isArmed = Locked(false)
    let base: MemoryFileSystem
    private let hook: @Sendable () -> Void

    init(disk: MemoryFileSystem, hook: @escaping @Sendable () -> Void) {
        base = disk
        self.hook = hook
    }

    func read(_ path: String, range: Range<Int>) throws(FileError) -> [UInt8] {
        let calls = isArmed.withLock { isArmed in
            defer { if path.hasSuffix(".events") { isArmed = false } }
            return isArmed && path.hasSuffix(".events")
        }
        if calls { hook() }
        return try base.read(path, range: range)
    }
}

extension EventStore {
    fileprivate static func opened(_ disk: MemoryFileSystem) throws -> EventStore {
        let configuration = ClickstreamClient.Configuration(appID: "shop", endpoint: Phone.endpoint)
        return try opened(
            files: disk,
            root: "/data",
            destination: Destination(configuration),
            limits: QueueLimits(configuration),
            goesToMemory: true
        )
    }
}
