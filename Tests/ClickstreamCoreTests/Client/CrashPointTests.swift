import ClickstreamSimulation
import TestSupport
import Testing

@testable import ClickstreamCore

/// Stops the world after each single file operation of an app's life, and sees what its next processes make of it.
@Suite("Crash between two file operations of a process")
struct CrashPointTests {
    private typealias Fault = MemoryFileSystem.Fault

    /// Two processes' lives: launches, sessions, screens, logins, an update, a crash, evictions and deliveries.
    private static func live(on phone: Phone) async throws {
        let timeout: Int64 = 60_000
        var client = try phone.launch { $0.sessionTimeout = .milliseconds(timeout) }
        client.foreground()
        client.record("one")
        client.screen(name: "A", id: "a", uniqueID: "1")
        await phone.time.advance(milliseconds: 2_000)
        client.screen(name: "B", id: "b", uniqueID: "2")
        client.setUserID("carl")
        client.background()
        await phone.time.advance(milliseconds: timeout)
        client.foreground()
        client.addUserAttributes(["plan": "gold"])
        client.terminate()

        await phone.time.advance(milliseconds: 1_000)
        client = try phone.launch(
            configure: {
                $0.sessionTimeout = .milliseconds(timeout)
                $0.tracksExceptions = true
            },
            device: {
                $0.app.version = "2.0"
                $0.osVersion = "6.2"
            }
        )
        client.setUserID("dora")
        client.record("two")
        client.crash(message: "boom", stack: "main")

        await phone.time.advance(milliseconds: timeout * 2)
        client = try phone.launch(device: { $0.app.version = "2.0" })
        client.record("three")
        client.kill()
    }

    /// How many operations that life takes.
    private static func operations() async throws -> Int {
        let phone = Phone()
        try await live(on: phone)
        return phone.disk.operations
    }

    @Test(
        "leaves a store with increasing numbers, one first open, one start per session, and every acknowledged event",
        arguments: TestLength.pairs(
            [.cutPower, .tear(bytes: 40)] as [MemoryFileSystem.Fault],
            [0, 90_000, 3_600_000] as [Int64]
        )
    )
    func everyPoint(fault: MemoryFileSystem.Fault, pause: Int64) async throws {
        let operations = try await Self.operations()
        #expect(operations > 150)
        for point in TestLength.sample(Array(1...operations), short: 50) {
            let phone = Phone()
            phone.disk.inject(fault, at: .operation(point))
            // It dies at the point: what it throws after that does not matter.
            try? await Self.live(on: phone)
            let acknowledged = phone.log.take()
            await phone.time.advance(milliseconds: pause)

            let next = Phone(disk: MemoryFileSystem(phone.disk.snapshot()), seed: UInt64(point) + 1_000)
            next.time.setWall(to: phone.time.now().wall)
            for _ in 0..<2 {
                let client = try next.launch(device: { $0.app.version = "2.0" })
                client.record("after")
                client.kill()
                await next.time.advance(milliseconds: 90_000)
            }
            let comment = Comment(rawValue: "\(fault) at operation \(point)")
            #expect(next.log.all.warnings == [], comment)
            // An event that arrived may still be queued: the server recognizes it by its id.
            let stored = next.records().map(\.event)
            var seen: Set<String> = []
            let kept = (phone.server.events + stored).filter { seen.insert($0.id).inserted }
            #expect(acknowledged.events.allSatisfy { seen.contains($0.id) }, comment)
            // A crash is recorded twice rather than not at all.
            let ordinary = stored.filter { $0.name != "_app_exception" }.map(\.id)
            #expect(Set(ordinary).count == ordinary.count, comment)
            try check(kept, comment)
        }
    }

    /// Checks invariants of one store's events, in the order in which they were recorded.
    private func check(_ events: [RecordedEvent], _ comment: Comment) throws {
        #expect(events.count { $0.name == "_first_open" } == 1, comment)
        #expect(events.count { $0.name == "_app_update" } <= 1, comment)
        let starts = events.filter { $0.name == "_session_start" }.compactMap(\.session)
        #expect(starts == starts.sorted() && Set(starts).count == starts.count, comment)
        #expect(Set(starts) == Set(events.compactMap(\.session)), comment)
        var ids: [Int64: Set<JSONValue.Kind?>] = [:]
        for event in events { ids[event.session ?? 0, default: []].insert(event["_session_id"]) }
        #expect(ids.values.allSatisfy { $0.count == 1 }, comment)
        #expect(ids.keys.allSatisfy { $0 > 0 }, comment)
        var viewed: Set<Int64> = []
        for view in events where view.name == "_screen_view" {
            let isFirst = viewed.insert(view.session ?? 0).inserted
            #expect(view["_entrances"] == .number(JSONNumber(integer: isFirst ? 1 : 0)), comment)
        }
    }

    @Test("records an update once that its process did not record")
    func owedUpdate() async throws {
        let phone = Phone()
        try phone.launch().kill()
        let before = phone.disk.operations
        try Phone(disk: MemoryFileSystem(phone.disk.snapshot())).launch().kill()
        for point in TestLength.sample(Array(1...60), short: 20) {
            let copy = Phone(disk: MemoryFileSystem(phone.disk.snapshot()), seed: 7)
            copy.disk.inject(.cutPower, at: .operation(point))
            try? copy.launch(device: { $0.app.version = "2.0" }).kill()  // it dies at the point
            let next = Phone(disk: MemoryFileSystem(copy.disk.snapshot()), seed: 8)
            for _ in 0..<2 { try next.launch(device: { $0.app.version = "2.0" }).kill() }
            let updates = next.records().map(\.event).filter { $0.name == "_app_update" }
            #expect(updates.count == 1, "after operation \(point) of \(before)")
            #expect(updates.first?["_previous_app_version"] == .string("1.0"))
        }
    }

    @Test("keeps its numbers if the last state file is damaged, from its predecessor")
    func damagedState() async throws {
        for name in ["state", "state.old"] {
            let phone = Phone()
            for _ in 0..<3 {
                try phone.launch { $0.sessionTimeout = .milliseconds(10) }.kill()
                await phone.time.advance(milliseconds: 10)
            }
            #expect(phone.disk[Phone.path(name)] != nil)
            phone.disk[Phone.path(name)] = [1, 2, 3]
            try phone.launch { $0.sessionTimeout = .milliseconds(10) }.kill()
            #expect(
                phone.records().compactMap { $0.event.name == "_session_start" ? $0.event.session : nil } == [
                    1, 2, 3, 4,
                ]
            )
            #expect(phone.records().count { $0.event.name == "_first_open" } == 1)
        }
    }

    @Test("never repeats a number if the disk rejects the state temporarily")
    func unsavedNumber() async throws {
        let phone = Phone()
        try phone.launch { $0.sessionTimeout = .milliseconds(10) }.kill()
        await phone.time.advance(milliseconds: 10)
        phone.disk.refuse([.write], errno: 28)
        let client = try phone.launch { $0.sessionTimeout = .milliseconds(10) }
        phone.disk.refuse([.write], errno: nil)
        client.record("room")
        client.kill()
        await phone.time.advance(milliseconds: 10)
        try phone.launch { $0.sessionTimeout = .milliseconds(10) }.kill()
        #expect(phone.records().compactMap { $0.event.name == "_session_start" ? $0.event.session : nil } == [1, 2, 3])
    }
}
