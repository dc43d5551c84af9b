import ClickstreamCore
import ClickstreamServer
import ClickstreamSimulation
import TestSupport
import Testing

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Operations on the store fail, and shards move to memory and back: no event is delivered before an earlier one of its
/// visitor.
@Suite("Order of server events in shards that move to memory and back")
struct ShardMoveTests {
    /// A shard leaves its folder because of the first only.
    static let errors: [Int32] = [ESTALE, EIO, ENOSPC]
    /// Operations in a row that fail: with one, a shard stays in its folder; with more, it moves to memory.
    static let durations = [1, 2, 3, 5, 40]
    private static let visitors = 7

    /// Starts a process; if that throws, once more without the fault.
    private static func start(on site: Site, shards: Int) throws -> ServerEvents {
        // Segments of ten events with four shards.
        func configure(_ configuration: inout ClickstreamClient.Configuration) { configuration.maxStoreEvents = 640 }
        do {
            return try site.start(shards: shards, configure: configure)
        } catch is StoreError {
            site.disk.refuse(operations: 0..<0, errno: 0)
            return try site.start(shards: shards, configure: configure)
        }
    }

    private static func record(_ numbers: Range<Int>, to events: ServerEvents) {
        for number in numbers {
            events.record("view", ["n": number], for: Visitor(deviceID: "device-\(number % visitors)"))
        }
    }

    /// A process that records and sends in turns: many events within each millisecond.
    private static func live(on site: Site, isKilled: Bool, _ comment: Comment) async throws {
        let events = try start(on: site, shards: 4)
        record(0..<60, to: events)
        _ = await events.flush()
        record(60..<120, to: events)
        await site.time.advance(milliseconds: 30)
        record(120..<150, to: events)
        _ = await events.flush()
        record(150..<210, to: events)
        await site.time.advance(milliseconds: 11_000)
        record(210..<270, to: events)
        _ = await events.flush()
        record(270..<330, to: events)
        await site.time.advance(milliseconds: 11_000)
        record(330..<360, to: events)
        #expect(events.accounts.recorded == 360, comment)
        if isKilled { events.kill() } else { events.terminate() }
        await site.time.advance(milliseconds: 5)
    }

    /// The next processes, with other numbers of shards, record more and deliver the rest.
    /// - Returns: the accounts of the store at the end.
    private static func deliverRest(on site: Site, _ comment: Comment) async throws -> ServerAccounts {
        let next = try start(on: site, shards: 3)
        record(360..<420, to: next)
        _ = await next.flush()
        record(420..<450, to: next)
        next.terminate()
        site.disk.refuse(operations: 0..<0, errno: 0)
        await site.time.advance(milliseconds: 3_600_000)
        let last = try site.start(shards: 2)
        #expect(await last.flush().isComplete, comment)
        return last.accounts
    }

    @Test("holds when operations fail at any call, and the accounts are complete", arguments: durations, [true, false])
    func everyCall(duration: Int, isKilled: Bool) async throws {
        let whole = Site()
        try await Self.live(on: whole, isKilled: isKilled, "without a fault")
        let operations = whole.disk.operations
        #expect(operations > 400)
        for point in TestLength.sample(Array(1...operations + 20), short: 5) {
            for errno in Self.errors {
                let site = Site()
                let comment = Comment(rawValue: "error \(errno) at \(point) of \(operations)")
                site.disk.refuse(operations: point..<point + duration, errno: errno)
                try await Self.live(on: site, isKilled: isKilled, comment)
                // A shard that has to begin in memory cannot deliver the events on the disk first.
                if duration > 1 { site.disk.refuse(operations: 0..<0, errno: 0) }
                let accounts = try await Self.deliverRest(on: site, comment)
                let arrived = site.numbers
                for visitor in 0..<Self.visitors {
                    let own = arrived.filter { $0 % Self.visitors == visitor }
                    #expect(own == own.sorted(), comment)
                }
                guard duration == 1 else { continue }
                let unstored = site.takeNotices().count { if case .unstored = $0 { true } else { false } }
                #expect(arrived.count + unstored == 450, comment)
                // A kill may lose the count of unstored events.
                if isKilled { continue }
                let dropped = [EventOutcome.unstored: unstored].filter { $0.value > 0 }
                let expected = ServerAccounts(recorded: 450, delivered: arrived.count, retained: 0, dropped: dropped)
                #expect(accounts == expected, comment)
            }
        }
    }
}

extension Site {
    /// The numbers of the events in the order of their first arrival.
    fileprivate var numbers: [Int] {
        var known: Set<Int> = []
        let all = uploads.flatMap { $0 }.compactMap { event -> Int? in
            guard case .integer(let number) = event["n"] else { return nil }
            return Int(number)
        }
        return all.filter { known.insert($0).inserted }
    }
}
