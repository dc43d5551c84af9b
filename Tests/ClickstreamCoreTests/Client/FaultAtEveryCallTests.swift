import ClickstreamJudges
import ClickstreamSimulation
import TestSupport
import Testing

@testable import ClickstreamCore

/// Lets each single file operation of a store fail, once, for a while, or until the end, while the process lives on.
@Suite("A fault at the n-th file operation, for every n")
struct FaultAtEveryCallTests {
    /// EIO, ENOSPC, EACCES, EMFILE.
    static let errors: [Int32] = [5, 28, 13, 24]
    /// Operations in a row that fail: one, and all until the process ends. More of them, and every error at every operation,
    /// in `soak`.
    static let durations = isThorough ? [1, 2, 3, 10, 40, 1_000_000] : [1, 1_000_000]

    private static func phone(disk: MemoryFileSystem, seed: UInt64) -> Phone {
        Phone(disk: disk, seed: seed) { request in
            let events = ReceivedUpload(target: request.url, body: request.body).recordedEvents
            return events.contains { $0.name == "poison" } ? .status(400) : .status(200)
        }
    }

    /// A store that is to be adopted and repaired: two processes were killed, one of them within an append.
    private static func damagedStore() async throws -> (disk: MemoryFileSystem.Snapshot, acknowledged: Set<String>) {
        let phone = phone(disk: MemoryFileSystem(), seed: 1)
        let first = try phone.launch { $0.maxStoreEvents = 64 }
        let second = try phone.launch()
        for index in 0..<6 {
            first.record("one\(index)")
            second.record("two\(index)")
        }
        first.setUserID("carl")
        first.kill()
        second.kill()
        let torn = try #require(phone.disk.paths.last { $0.hasSuffix(".events") })
        phone.disk[torn]? += Array("deadbeef 99 F17".utf8)
        return (phone.disk.snapshot(), Set(phone.log.events.map(\.id)))
    }

    /// One process on that store: launch, events, screens, logins, flushes, dead letters, background, segments.
    private static func live(on phone: Phone) async throws -> ClickstreamClient {
        let client: ClickstreamClient
        do {
            client = try phone.launch { $0.maxStoreEvents = 1_000 }
        } catch is StoreError {
            // The launch throws, and the app tries again when the disk works.
            phone.disk.refuse(operations: 0..<0, errno: 0)
            client = try phone.launch { $0.maxStoreEvents = 1_000 }
        }
        func pass(_ milliseconds: Int64) async { await phone.time.advance(milliseconds: milliseconds) }
        for index in 0..<3 {
            await pass(30)
            client.record("tap\(index)")
        }
        client.screen(name: "Start")
        _ = await client.flush()
        client.setUserID("dora")
        client.record("poison")
        for index in 0..<66 { client.record("many\(index)") }
        _ = await client.flush()
        await pass(11_000)
        client.background()
        await pass(30)
        client.foreground()
        for index in 0..<3 { client.record("late\(index)") }
        await pass(600_000)
        client.record("last")
        return client
    }

    private static var isThorough: Bool { TestLength.current == .soak }

    @Test("no acknowledged event is lost, and the accounting is exact", arguments: durations)
    func everyCall(duration: Int) async throws {
        let (store, before) = try await Self.damagedStore()
        let whole = Self.phone(disk: MemoryFileSystem(store), seed: 2)
        try await Self.live(on: whole).terminate()
        let operations = whole.disk.operations
        #expect(operations > 150)
        for (number, point) in TestLength.sample(Array(1...operations), short: 24).enumerated() {
            for errno in Self.isThorough ? Self.errors : [Self.errors[(number + 1) % Self.errors.count]] {
                let phone = Self.phone(disk: MemoryFileSystem(store), seed: UInt64(point) + 2)
                phone.disk.refuse(operations: point..<point + duration, errno: errno)
                let comment = Comment(rawValue: "error \(errno) at \(point) of \(operations), \(duration) times")
                try await check(phone, after: before, comment)
            }
        }
    }

    /// Lives with the fault, ends without it, delivers the rest, and compares with what was acknowledged.
    private func check(_ phone: Phone, after before: Set<String>, _ comment: Comment) async throws {
        let client = try await Self.live(on: phone)
        phone.disk.refuse(operations: 0..<0, errno: 0)
        client.terminate()
        let next = try phone.launch()
        await phone.time.advance(milliseconds: 3_600_000)
        #expect(await next.flush().isComplete, comment)
        next.terminate()
        let last = try phone.launch()
        #expect(await last.flush().isComplete, comment)

        let folder = try StoreFolder(phone.disk, root: "/data", appID: "shop")
        let letters = try folder.deadLetters.all().map(\.eventID)
        let taken = phone.server.uploads.map(\.recordedEvents).filter { !$0.contains { $0.name == "poison" } }
        var forms: [String: RecordedEvent] = [:]
        for event in taken.joined() {
            #expect(forms[event.id] ?? event == event, comment)
            forms[event.id] = event
        }
        let acknowledged = before.union(phone.log.events.map(\.id))
        let lost = acknowledged.subtracting(forms.keys).subtracting(letters)
        #expect(lost == [], comment)
        let warnings = Comment(rawValue: "\(comment.rawValue): \(phone.log.all.warnings.joined(separator: "\n"))")
        let (ledger, pending) = try folder.ledger()
        #expect(ledger.recorded == ledger.settled + pending, warnings)
        #expect((ledger[.damaged], ledger[.missing], pending) == (0, 0, 0), warnings)
        #expect(ledger[.delivered] + ledger[.setAside] == acknowledged.count, warnings)
        #expect(ledger[.unstored] == phone.log.all.unstored.count, warnings)
    }
}
