import ClickstreamSimulation
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

/// Operations on the store fail, and it moves to memory and back: no event is delivered before an earlier one of its writer.
@Suite("Order of events in a store that moves to memory and back")
struct MoveOrderTests {
    /// A store leaves its folder because of the first only.
    static let errors: [Int32] = [ESTALE, EIO, ENOSPC]
    /// Operations in a row that fail: with one, the store stays in its folder; with more, it moves to memory.
    static let durations = [1, 2, 3, 5, 40]

    enum End: Sendable, CaseIterable {
        case terminate, kill
    }

    private static func configure(_ configuration: inout ClickstreamClient.Configuration) {
        // Segments of twelve events.
        configuration.maxStoreEvents = 192
    }

    /// Launches the app; if the launch throws, once more without the fault, as apps do.
    private static func launch(on phone: Phone) throws -> ClickstreamClient {
        do {
            return try phone.launch(configure: configure)
        } catch is StoreError {
            phone.disk.refuse(operations: 0..<0, errno: 0)
            return try phone.launch(configure: configure)
        }
    }

    /// A process that records and sends in turns, alone or beside one that only records.
    private static func live(on phone: Phone, isAlone: Bool, end: End, _ comment: Comment?) async throws {
        let client = try launch(on: phone)
        // While operations fail, the other process may not start: the order of one writer remains to be checked.
        let other = try? isAlone ? nil : phone.outsider()
        var count = 0
        func record(_ events: Int) {
            for _ in 0..<events {
                client.record("one", attributes: ["n": count])
                other?.record("two", attributes: ["n": count])
                count += 1
            }
        }
        record(12)
        _ = await client.flush()
        record(13)
        await phone.time.advance(milliseconds: 30)
        record(12)
        _ = await client.flush()
        await phone.time.advance(milliseconds: 30)
        record(15)
        await phone.time.advance(milliseconds: 11_000)
        record(9)
        _ = await client.flush()
        record(9)
        await phone.time.advance(milliseconds: 11_000)
        record(3)
        let accounted = phone.log.events.count + phone.log.all.unstored.count
        let recorded = client.ledger.ledger.recorded
        // A run folder without events that cannot be used at the return is replaced, and keeps its part of the ledger. The
        // first two are those of the processes.
        // Without the folder, the store was in memory from its launch on.
        let runs = try? MemoryFileSystem(phone.disk.snapshot()).names(in: "/data/shop/runs")
        let isReplaced = runs?.contains("3") == true
        #expect(isReplaced ? recorded <= accounted : recorded == accounted, comment)
        switch end {
        case .terminate: client.terminate()
        case .kill: client.kill()
        }
        other?.kill()
    }

    /// The next processes deliver the rest, after further events of `writer`.
    private static func deliverRest(on phone: Phone, writer: String) async throws {
        let next = try launch(on: phone)
        for number in 1_000..<1_005 { next.record(writer, attributes: ["n": number]) }
        _ = await next.flush()
        await phone.time.advance(milliseconds: 3_600_000)
        next.terminate()
        phone.disk.refuse(operations: 0..<0, errno: 0)
        let last = try phone.launch()
        await phone.time.advance(milliseconds: 3_600_000)
        #expect(await last.flush().isComplete)
    }

    @Test("holds when operations fail at any call, and the accounting is complete", arguments: durations, End.allCases)
    func everyCall(duration: Int, end: End) async throws {
        let whole = Phone()
        try await Self.live(on: whole, isAlone: false, end: end, nil)
        let operations = whole.disk.operations
        #expect(operations > 100)
        for (number, point) in TestLength.sample(Array(1...operations + 20), short: 8).enumerated() {
            let isShort = TestLength.current == .short
            for errno in isShort ? [Self.errors[number % Self.errors.count]] : Self.errors {
                let phone = Phone()
                phone.disk.refuse(operations: point..<point + duration, errno: errno)
                let comment = Comment(rawValue: "error \(errno) at \(point) of \(operations)")
                let isAlone = point % 2 == 0
                let laterWriter = isAlone ? "one" : "three"
                try await Self.live(on: phone, isAlone: isAlone, end: end, comment)
                // A launch that has to begin in memory cannot deliver the events on the disk first.
                if duration > 1 { phone.disk.refuse(operations: 0..<0, errno: 0) }
                // With two processes, the next one may take the run folder of either.
                try await Self.deliverRest(on: phone, writer: laterWriter)
                for writer in ["one", "two", "three"] {
                    let arrived = phone.server.events.numbers(of: writer)
                    #expect(arrived == arrived.sorted(), "\(writer): \(comment)")
                }
                guard duration == 1 else {
                    #expect(phone.server.events.numbers(of: laterWriter).suffix(5) == Array(1_000..<1_005), comment)
                    continue
                }
                let lost = Set(phone.log.events.map(\.id)).subtracting(phone.server.events.map(\.id))
                #expect(lost == [], comment)
            }
        }
    }

    @Test("holds, and no event on the disk is evicted for the limits of memory, when the disk has more than these")
    func longQueue() async throws {
        let phone = Phone()
        // Segments of 2 000 events.
        let client = try phone.launch { $0.maxStoreEvents = 32_000 }
        for number in 0..<2_500 { client.record("one", attributes: ["n": number]) }
        phone.disk.setReadOnly(true, folder: "/data/shop/runs/1")
        for number in 2_500..<4_100 { client.record("one", attributes: ["n": number]) }
        #expect(phone.log.all.codes.count { $0 == .storeInMemory } == 1)
        #expect(client.ledger.pendingEvents == 4_103)
        #expect(await client.flush().isComplete)
        #expect(phone.server.events.numbers(of: "one") == Array(0..<4_100))
    }

    /// A process whose first two events move from memory to the disk during a request with the first, which is held. The third is
    /// recorded on the disk.
    private static func moveDuringRequest(on phone: Phone, reply status: Int) async throws -> ClickstreamClient {
        try phone.disk.createFolder("/data")
        phone.disk.setReadOnly(true, folder: "/data")
        let client = try phone.launch()
        client.record("one", attributes: ["n": 0])
        phone.server.answer(.hold(.status(status)))
        client.flushEvents()
        await phone.settle()
        #expect(phone.server.heldCount == 1)
        client.record("one", attributes: ["n": 1])
        phone.disk.setReadOnly(false, folder: "/data")
        await phone.time.advance(milliseconds: 10_000)
        client.record("one", attributes: ["n": 2])
        return client
    }

    @Test(
        "holds when events move to the disk during a request with them, which are delivered once",
        arguments: [200, 400]
    )
    func requestInProgress(status: Int) async throws {
        let phone = Phone()
        let client = try await Self.moveDuringRequest(on: phone, reply: status)
        #expect(phone.records().map(\.event) == phone.log.events)
        phone.server.release()
        await phone.settle()
        #expect(try await phone.moving { await client.flush() }.isComplete)
        #expect(phone.server.events.numbers(of: "one") == [0, 1, 2])
        if status == 200 { #expect(phone.server.events == phone.log.events) }
        let (ledger, pending) = client.ledger
        #expect((ledger.recorded, ledger[.delivered], pending) == (6, 6, 0))
    }

    @Test(
        "leaves nothing to be sent when another process withdraws consent after events moved during a request with them",
        arguments: [200, 400, 503]
    )
    func withdrawalDuringRequest(status: Int) async throws {
        let phone = Phone()
        let client = try await Self.moveDuringRequest(on: phone, reply: status)
        let other = try phone.launch(observes: false)
        other.setConsent(.denied, for: .analytics)
        phone.server.release()
        await phone.settle()
        // The first may join the flush whose request was held, which ends after a 503.
        _ = try await phone.moving {
            _ = await client.flush()
            return await client.flush()
        }
        #expect(phone.server.attempts.count == 1)
        #expect(!phone.records().contains { $0.event.name == "one" })
        #expect(try StoreFolder(phone.disk, existing: "/data/shop").deadLetters.all().isEmpty)
        #expect(client.ledger.pendingEvents == 0)
        other.kill()
    }
}

extension [RecordedEvent] {
    /// The numbers of a writer's events in the order of their first arrival.
    fileprivate func numbers(of writer: String) -> [Int] {
        var known: Set<Int> = []
        let numbers = filter { $0.name == writer }.compactMap { event in event.integer("n").map { Int($0) } }
        return numbers.filter { known.insert($0).inserted }
    }
}
