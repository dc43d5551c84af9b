import Testing

@testable import ClickstreamCore

@Suite("Use of memory by a store")
struct MemoryFallbackTests {
    private static let home = OpenStore.Location(files: TransientFileSystem(), root: "/data", limits: QueueLimits())

    @Test(
        "a return to the disk begins ten seconds after the last attempt, on a clock that was set back too",
        arguments: [
            (5_000, [5_000, 14_999, 15_000, 24_999, 25_000], [false, false, true, false, true]),
            (20_000, [10_001, 10_000, 0], [false, true, true]),
            (nil, [5_000, 14_999, 15_000], [false, false, true]),
            (5_000, [nil, 14_999, nil, 15_000], [true, false, true, true]),
        ] as [(Int64?, [Int64?], [Bool])]
    )
    func interval(entered: Int64?, attempts: [Int64?], begins: [Bool]) {
        var memory = MemoryFallback(isAllowed: true)
        memory.enter(insteadOf: Self.home, at: entered.map { Timestamp(milliseconds: $0) })
        let found = attempts.map { memory.beginsReturn(at: $0.map { Timestamp(milliseconds: $0) }) }
        #expect(found == begins)
    }

    @Test("a store on the disk does not return")
    func onDisk() {
        var memory = MemoryFallback(isAllowed: true)
        var begins = [memory.beginsReturn(at: nil)]
        memory.enter(insteadOf: Self.home, at: nil)
        begins.append(memory.beginsReturn(at: nil))
        memory.leave()
        begins.append(memory.beginsReturn(at: nil))
        #expect(begins == [false, true, false])
    }

    @Test("each store in memory has a path of its own")
    func paths() {
        var memory = MemoryFallback(isAllowed: true)
        #expect(memory.location(insteadOf: Self.home).root == "memory-0-1")
        memory.enter(insteadOf: Self.home, at: nil)
        memory.leave()
        #expect(memory.location(insteadOf: Self.home).root == "memory-0-2")
    }
}
