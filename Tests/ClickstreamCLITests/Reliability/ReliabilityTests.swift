#if Collector
import ClickstreamCore
import ClickstreamSimulation
import Foundation
import TestSupport
import Testing

/// Real processes, really killed, against a real collector that fails. `make soak` runs them at full length.
@Suite("Reliability", .serialized)
struct ReliabilityTests {
    /// The ids that a producer printed whole.
    private static func acknowledged(_ output: String) -> [String] {
        output.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
    }

    private static func lines(_ numbers: Range<Int>, of producer: Int) -> String {
        numbers.map { "{\"name\":\"made\",\"attributes\":{\"producer\":\(producer),\"number\":\($0)}}\n" }.joined()
    }

    private struct Position: Hashable, Comparable {
        var producer: Int64
        var number: Int64

        static func < (left: Position, right: Position) -> Bool {
            (left.producer, left.number) < (right.producer, right.number)
        }
    }

    private static func position(_ event: JSONValue) -> Position? {
        guard let producer = event.ownAttributes["producer"]?.integer,
            let number = event.ownAttributes["number"]?.integer
        else { return nil }
        return Position(producer: producer, number: number)
    }

    /// Sends what is queued until nothing is left.
    private func drain(_ workplace: Workplace, to endpoint: String) async throws {
        let flush = try await workplace.run(
            "flush",
            "--storage",
            "s",
            "--app-id",
            "shop",
            "--endpoint",
            endpoint,
            "--deadline",
            "10m"
        )
        #expect(flush.status == 0, "\(flush.output) \(flush.errors)")
    }

    @Test("no event is lost, duplicated or reordered when producer, sender and collector are killed at random")
    func kills() async throws {
        let rounds = TestLength.count(5, full: 12, soak: 1_000)
        let faults = ["--fail", "503:0.3", "--retry-after", "0"]
        try await Workplace.use { workplace in
            let random = SeededIDs(seed: 4_711)
            func draw(_ count: Int) -> Int { Int(random.random() % UInt64(count)) }
            let collector = try await CollectorProcess(workplace, faults)
            var promised: [String] = []
            for round in 0..<rounds {
                let producer = try workplace.start(
                    ["record", "-", "--storage", "s", "--app-id", "shop"],
                    input: .text(Self.lines(0..<100, of: round))
                )
                let enough = draw(100)
                _ = try await producer.wait { Self.acknowledged(producer.outputSoFar).count >= enough }
                producer.send(SIGKILL)
                promised += Self.acknowledged(try await producer.finish().output)

                let sender = try workplace.start([
                    "flush", "--storage", "s", "--app-id", "shop", "--endpoint", collector.endpoint, "--deadline", "2s",
                ])
                // The one place where a test waits for nothing: what is killed must be anywhere in its work.
                try await Task.sleep(for: .milliseconds(draw(300)))
                if draw(4) == 0 {
                    try await collector.kill()
                    try await collector.restart(faults)
                }
                if draw(3) > 0 { sender.send(SIGKILL) }
                _ = try await sender.finish()
            }
            try await collector.kill()
            try await collector.restart()
            try await drain(workplace, to: collector.endpoint)
            try await collector.kill()

            let (events, duplicates) = try await workplace.collectedEvents()
            let ids = events.compactMap(\.eventID)
            #expect(ids.count == events.count)
            #expect(Set(ids).count == ids.count, "an event is stored twice")
            let lost = Set(promised).subtracting(ids)
            #expect(lost.isEmpty, "\(lost.count) of \(promised.count) acknowledged events are lost")
            let order = events.compactMap(Self.position)
            #expect(order == order.sorted())
            #expect(Set(order).count == order.count)
            print(
                "kill rounds \(rounds): \(promised.count) acknowledged, \(events.count) stored, \(lost.count) lost,",
                "\(ids.count - Set(ids).count) stored twice, \(duplicates) sent again and recognised"
            )
        }
    }

    @Test("each acknowledged event of eight processes on one store is delivered once, even if they are killed")
    func processes() async throws {
        let count = TestLength.count(80, full: 250, soak: 20_000)
        try await Workplace.use { workplace in
            let promised = try await withThrowingTaskGroup(of: [String].self) { group in
                for number in 0..<8 {
                    group.addTask { try await produce(count, number: number, in: workplace) }
                }
                var promised: [String] = []
                for try await ids in group { promised += ids }
                return promised
            }
            #expect(promised.count == 8 * count)
            let collector = try await CollectorProcess(workplace)
            try await drain(workplace, to: collector.endpoint)
            try await collector.kill()

            let (events, duplicates) = try await workplace.collectedEvents()
            let ids = events.compactMap(\.eventID)
            #expect(Set(ids).count == ids.count)
            #expect(Set(promised).subtracting(ids).isEmpty)
            #expect(duplicates == 0)
            for number in 0..<8 {
                let order = events.compactMap(Self.position).filter { $0.producer == number }
                #expect(Set(order).count >= count)
            }
            print("8 processes x \(count) events: \(promised.count) acknowledged, \(events.count) stored, 0 lost")
        }
    }

    /// Records that many events from processes that are killed at random and started again with what is left.
    private func produce(_ count: Int, number: Int, in workplace: Workplace) async throws -> [String] {
        let random = SeededIDs(seed: UInt64(number + 1))
        var promised: [String] = []
        while promised.count < count {
            let producer = try workplace.start(
                ["record", "-", "--storage", "s", "--app-id", "shop"],
                input: .text(Self.lines(promised.count..<count, of: number)),
                environment: ["CLICKSTREAM_MAX_STORE_BYTES": "4000000000"]
            )
            let left = count - promised.count
            let enough = Int(random.random() % UInt64(2 * left))
            if enough < left {
                _ = try await producer.wait { Self.acknowledged(producer.outputSoFar).count >= enough }
                producer.send(SIGKILL)
            }
            promised += Self.acknowledged(try await producer.finish().output)
        }
        return promised
    }

    @Test(
        "acknowledged events survive a full disk, and recording continues when there is space again",
        .enabled(if: MemoryDisk.isPermitted)
    )
    func fullDisk() async throws {
        try await Workplace.use { workplace in
            try await MemoryDisk.use(at: workplace.path("s"), options: "size=4m") {
                try await fillAndGoOn(workplace)
            }
        }
    }

    private func fillAndGoOn(_ workplace: Workplace) async throws {
        let collector = try await CollectorProcess(workplace)
        func record(_ numbers: Range<Int>, of producer: Int) async throws -> Finished {
            try await workplace.run(
                "record",
                "-",
                "--storage",
                "s/store",
                "--app-id",
                "shop",
                input: Self.lines(numbers, of: producer)
            )
        }
        func drain() async throws {
            let flush = try await workplace.run(
                "flush",
                "--storage",
                "s/store",
                "--app-id",
                "shop",
                "--endpoint",
                collector.endpoint,
                "--deadline",
                "10m"
            )
            #expect(flush.status == 0, "\(flush.output) \(flush.errors)")
        }
        let full = try await record(0..<6_000, of: 0)
        #expect(full.status == 74, "\(full.errors.suffix(300))")
        var promised = Self.acknowledged(full.output)
        #expect((1_000..<6_000).contains(promised.count))

        // Room by delivery, then none again because of a foreign file, then room by its removal.
        try await drain()
        let filler = workplace.folder.appending(path: "s/filler")
        try Data(count: 3_500_000).write(to: filler)
        let fullAgain = try await record(0..<3_000, of: 1)
        #expect(fullAgain.status == 74, "\(fullAgain.errors.suffix(300))")
        promised += Self.acknowledged(fullAgain.output)
        try FileManager.default.removeItem(at: filler)
        let after = try await record(0..<50, of: 2)
        #expect(after.status == 0, "\(after.errors)")
        promised += Self.acknowledged(after.output)
        try await drain()
        try await collector.kill()

        let (events, duplicates) = try await workplace.collectedEvents()
        #expect(events.compactMap(\.eventID) == promised)
        #expect(duplicates == 0)
        print("full disk: \(promised.count) of 9050 acknowledged, \(events.count) stored")
    }
}
#endif
