import ClickstreamJudges
import ClickstreamSimulation
import TestSupport
import Testing

@testable import ClickstreamCore

/// Stops the world after each single file operation of a run in which everything happens to events that can.
@Suite("Crash between two file operations of deliveries, evictions and adoptions")
struct CrashPointDeliveryTests {
    private static func phone(disk: MemoryFileSystem = MemoryFileSystem(), seed: UInt64 = 1) -> Phone {
        Phone(disk: disk, seed: seed) { request in
            let events = ReceivedUpload(target: request.url, body: request.body).recordedEvents
            if events.contains(where: { $0.name == "poison" }) { return .status(400) }
            return events.contains { $0.name == "away" } ? .status(503) : .status(200)
        }
    }

    /// Two processes at a time: appends, whole segments, uploads that succeed, are refused, put aside and fail; removals,
    /// evictions, a process whose folder another adopts, dead letters that are queued again, changes of the state.
    private static func live(on phone: Phone) async throws {
        func launch() throws -> ClickstreamClient { try phone.launch { $0.maxStoreEvents = 32 } }
        let first = try launch()
        let second = try launch()
        for index in 0..<4 {
            first.record(index == 1 ? "poison" : "one\(index)")
            second.record("two\(index)")
        }
        _ = await first.flush()
        second.setUserID("carl")
        second.record("left")
        second.kill()
        first.record("away")
        _ = await first.flush()
        // Past the cap: the oldest segments go.
        for index in 0..<40 { first.record("many\(index)") }
        first.terminate()

        await phone.time.advance(milliseconds: 600_000)
        let third = try launch()
        _ = await third.flush()
        _ = try third.requeueDeadLetters()
        third.record("late")
        third.kill()
    }

    @Test(
        "loses no acknowledged event except counted evictions, and sends no event in two forms",
        arguments: [.cutPower, .tear(bytes: 40)] as [MemoryFileSystem.Fault]
    )
    func everyPoint(fault: MemoryFileSystem.Fault) async throws {
        let whole = Self.phone()
        try await Self.live(on: whole)
        let operations = whole.disk.operations
        #expect(operations > 150)
        #expect(whole.log.all.outline.contains { $0.hasPrefix("evicted") })
        #expect(whole.log.all.outline.contains { $0.hasPrefix("set aside") })
        // Half a write at fewer operations, since what comes of it is the same at most of them.
        let usual = fault == .cutPower ? 3 : 12
        let step = TestLength.count(3 * usual, full: usual, soak: 1)
        for point in stride(from: 1, through: operations, by: step) {
            let phone = Self.phone()
            phone.disk.inject(fault, at: .operation(point))
            // It dies at the point: what it throws after that does not matter.
            try? await Self.live(on: phone)
            let comment = Comment(rawValue: "\(fault) at operation \(point) of \(operations)")
            try await check(phone, seed: UInt64(point) + 1_000, comment)
        }
    }

    /// Opens what the device left, sends everything, and compares with what was acknowledged before.
    private func check(_ phone: Phone, seed: UInt64, _ comment: Comment) async throws {
        let next = Phone(disk: MemoryFileSystem(phone.disk.snapshot()), seed: seed)
        next.time.setWall(to: phone.time.now().wall)
        let client = try next.launch()
        #expect(await client.flush().isComplete, comment)
        client.terminate()
        let folder = try StoreFolder(next.disk, root: "/data", appID: "shop")
        let letters = try folder.deadLetters.all().map(\.eventID)
        // What a server answers 400 or 503 to, it has not taken.
        let taken = phone.server.uploads.map(\.recordedEvents).filter { events in
            !events.contains { $0.name == "poison" || $0.name == "away" }
        }
        let arrived = taken.flatMap { $0 } + next.server.events
        var forms: [String: RecordedEvent] = [:]
        for event in arrived {
            #expect(forms[event.id] ?? event == event, comment)
            forms[event.id] = event
        }
        let (ledger, pending) = try folder.ledger()
        #expect(ledger.recorded == ledger.settled + pending, comment)
        #expect((ledger[.damaged], ledger[.missing]) == (0, 0), comment)
        let lost = Set(phone.log.events.map(\.id)).subtracting(forms.keys).subtracting(letters)
        #expect(lost.count <= ledger[.evictedForCount], comment)
        // A process that loses nothing to the cap loses nothing.
        if ledger[.evictedForCount] == 0 { #expect(lost == [], comment) }
    }
}
