import ClickstreamCore
import ClickstreamSimulation
import TestSupport
import Testing

@testable import ClickstreamServer

@Suite("Accounts of server events")
struct ServerAccountsTests {
    /// EIO, ENOSPC, EACCES, EMFILE, ESTALE.
    private static let errors: [Int32] = [5, 28, 13, 24, 116]

    /// Accounts that follow from the calls, their notices and the requests alone.
    private struct Oracle {
        private var calls = 0
        private var rejected = 0
        private var disabled = 0
        private var unstored = 0

        mutating func record(_ count: Int, in events: ServerEvents, isDisabled: Bool = false) {
            for _ in 0..<count {
                events.record("view", ["n": calls], for: Visitor(deviceID: "device-\(calls % 9)"))
                calls += 1
            }
            if isDisabled { disabled += count }
        }

        mutating func reject(in events: ServerEvents) {
            events.record("view", for: Visitor(deviceID: ""))
            calls += 1
            rejected += 1
        }

        mutating func accounts(of site: Site) -> ServerAccounts {
            unstored += site.takeNotices().count { if case .unstored = $0 { true } else { false } }
            let delivered = Set(site.uploads.flatMap { $0 }.compactMap { $0["n"] }).count
            return ServerAccounts(
                recorded: calls,
                delivered: delivered,
                retained: calls - delivered - rejected - disabled - unstored,
                dropped: [EventOutcome.rejected: rejected, .disabled: disabled, .unstored: unstored].filter {
                    $0.value > 0
                }
            )
        }
    }

    /// One process: records, delivers, is disabled for some events, and ends; further calls follow.
    private static func live(
        on site: Site,
        shards: Int,
        _ oracle: inout Oracle,
        _ comment: Comment
    ) async throws {
        let events = try site.start(shards: shards)
        oracle.record(30, in: events)
        oracle.reject(in: events)
        await site.time.advance(milliseconds: 30)
        _ = await events.flush()
        // Outcomes that no manifest contains yet.
        oracle.reject(in: events)
        events.disable()
        oracle.record(2, in: events, isDisabled: true)
        events.enable()
        for isDelivered in [false, true, false] {
            // A store in memory tries to return to the disk.
            await site.time.advance(milliseconds: 11_000)
            oracle.record(10, in: events)
            if isDelivered { _ = await events.flush() }
        }
        let running = oracle.accounts(of: site)
        #expect(events.accounts == running, comment)
        events.terminate()
        let ended = oracle.accounts(of: site)
        #expect(events.accounts == ended, comment)
        oracle.record(3, in: events, isDisabled: true)
        let late = oracle.accounts(of: site)
        #expect(events.accounts == late, comment)
    }

    /// The ledgers of all run folders as they are on the disk, read from a copy on which no operation fails.
    private static func stored(on disk: MemoryFileSystem) throws -> ServerAccounts {
        let copy = MemoryFileSystem(disk.snapshot())
        let (ledger, pending) = try StoreFolder(copy, existing: "/data/shop").ledger()
        return ServerAccounts(ledger, pendingEvents: pending)
    }

    /// Three processes with ever fewer shards.
    private static func run(on site: Site, _ comment: Comment) async throws {
        var oracle = Oracle()
        for shards in [3, 2] {
            try await live(on: site, shards: shards, &oracle, comment)
            let expected = oracle.accounts(of: site)
            #expect(try stored(on: site.disk) == expected, comment)
        }
        let last = try site.start(shards: 1)
        var expected = oracle.accounts(of: site)
        for _ in 0..<5 where expected.retained > 0 {
            _ = await last.flush()
            // A store in memory returns to the disk with a later flush.
            await site.time.advance(milliseconds: 600_000)
            expected = oracle.accounts(of: site)
        }
        #expect(expected.retained == 0, comment)
        #expect(last.accounts == expected, comment)
        last.terminate()
        #expect(try stored(on: site.disk) == expected, comment)
    }

    @Test("agree with the calls, in memory and on the disk, if any one file operation fails")
    func everyOperation() async throws {
        let whole = Site()
        try await Self.run(on: whole, "no failure")
        let operations = whole.disk.operations
        #expect(operations > 200)
        for (number, point) in TestLength.sample(Array(1...operations), short: 12).enumerated() {
            for errno in TestLength.current == .soak ? Self.errors : [Self.errors[number % Self.errors.count]] {
                let site = Site()
                site.disk.refuse(operations: point..<point + 1, errno: errno)
                try await Self.run(on: site, "error \(errno) at \(point) of \(operations)")
            }
        }
    }

    @Test("contain a call after the shutdown before it returns, in a ledger on the disk")
    func late() async throws {
        let site = Site()
        let events = try site.start(shards: 3)
        for number in 0..<10 { events.record("view", for: Visitor(deviceID: "device-\(number)")) }
        #expect(await events.shutdown(deadline: .seconds(5)).sent == 10)
        for number in 0..<7 { events.record("late", for: Visitor(deviceID: "device-\(number)")) }
        let expected = ServerAccounts(recorded: 17, delivered: 10, retained: 0, dropped: [.disabled: 7])
        // The disk as after `kill -9`.
        #expect(try Self.stored(on: site.disk) == expected)
        #expect(events.accounts == expected)
        // No run folder is in use.
        let next = try site.start(shards: 3)
        events.record("late", for: Visitor(deviceID: "device"))
        #expect(next.accounts.dropped == [.disabled: 8])
        withExtendedLifetime(events) {}
    }

    @Test("count each event once while a part of a shard's events is in memory, and after the return to the disk")
    func partInMemory() async throws {
        let site = Site()
        // Segments of ten events.
        let events = try site.start(shards: 1) { $0.maxStoreEvents = 160 }
        for _ in 0..<10 { events.record("view", for: Visitor(deviceID: "device")) }
        site.disk.setReadOnly(true, folder: "/data/shop/runs/1000")
        for _ in 0..<5 { events.record("view", for: Visitor(deviceID: "device")) }
        #expect(events.pressure.isInMemory)
        #expect(events.accounts == ServerAccounts(recorded: 15, delivered: 0, retained: 15, dropped: [:]))
        #expect(await events.flush().sent == 15)
        #expect(events.accounts == ServerAccounts(recorded: 15, delivered: 15, retained: 0, dropped: [:]))
        site.disk.setReadOnly(false, folder: "/data/shop/runs/1000")
        await site.time.advance(milliseconds: 11_000)
        events.record("view", for: Visitor(deviceID: "device"))
        #expect(!events.pressure.isInMemory)
        let expected = ServerAccounts(recorded: 16, delivered: 15, retained: 1, dropped: [:])
        #expect(events.accounts == expected)
        events.terminate()
        #expect(try Self.stored(on: site.disk) == expected)
    }

    @Test("contain earlier events that a flush delivers after a return to the disk, without a further event")
    func returnByFlush() async throws {
        let site = Site()
        let first = try site.start(shards: 2)
        for number in 0..<10 { first.record("view", for: Visitor(deviceID: "device-\(number)")) }
        first.kill()
        site.disk.setReadOnly(true, folder: "/data/shop/runs")
        let next = try site.start(shards: 2)
        #expect(next.pressure.isInMemory)
        #expect(await next.flush().sent == 0)
        site.disk.setReadOnly(false, folder: "/data/shop/runs")
        await site.time.advance(milliseconds: 11_000)
        #expect(await next.flush().sent == 10)
        #expect(!next.pressure.isInMemory)
        #expect(next.accounts == ServerAccounts(recorded: 10, delivered: 10, retained: 0, dropped: [:]))
    }

    @Test("count each run folder once beside another process, and after it")
    func beside() async throws {
        let site = Site()
        let (one, other) = (try site.start(shards: 2), try site.start(shards: 3))
        for number in 0..<5 { one.record("view", for: Visitor(deviceID: "device-\(number)")) }
        for number in 0..<7 { other.record("view", for: Visitor(deviceID: "device-\(number)")) }
        let recorded = ServerAccounts(recorded: 12, delivered: 0, retained: 12, dropped: [:])
        #expect(one.accounts == recorded)
        #expect(other.accounts == recorded)
        other.kill()
        #expect(await one.flush().sent == 5)
        let expected = ServerAccounts(recorded: 12, delivered: 5, retained: 7, dropped: [:])
        #expect(one.accounts == expected)
        one.terminate()
        let next = try site.start(shards: 1)
        #expect(next.accounts == expected)
        #expect(await next.flush().sent == 7)
        #expect(next.accounts == ServerAccounts(recorded: 12, delivered: 12, retained: 0, dropped: [:]))
    }
}
