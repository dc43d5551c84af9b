import ClickstreamCore
import Testing

@testable import ClickstreamCollector

@Suite("Parallel batches")
struct ParallelBatchTests {
    private struct Refusal: Error {}

    @Test(
        "are consumed in the order of the items, whatever the threads and the limit",
        arguments: [0, 1, 3, 200],
        [0, 1, 100, Int.max]
    )
    func order(threads: Int, maxBytes: Int) throws {
        for count in [0, 1, 100] {
            let batch = ParallelBatch(Array(0..<count), threads: threads, maxBytes: maxBytes) { ($0 * $0, 1) }
            var outputs: [Int] = []
            try batch.consume { outputs.append($0) }
            #expect(outputs == (0..<count).map { $0 * $0 })
        }
    }

    @Test("compute each item once, and none after a cancellation", arguments: [0, 1, 3])
    func cancellation(threads: Int) throws {
        let computed = Locked<[Int]>([])
        let batch = ParallelBatch(Array(0..<100), threads: threads, maxBytes: 10) { item in
            computed.withLock { $0.append(item) }
            return (item, 1)
        }
        var count = 0
        #expect(throws: Refusal.self) {
            try batch.consume { _ in
                count += 1
                if count == 50 { throw Refusal() }
            }
        }
        batch.cancel()
        let first = computed.withLock { $0 }
        #expect(count == 50)
        #expect(Set(first).count == first.count)
        // Those beyond the limit are computed when they are consumed.
        #expect(first.sorted() == Array(0..<50))
        #expect(computed.withLock { $0 } == first)
    }
}
