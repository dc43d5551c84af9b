import Testing

@testable import clickstream_cli

@Suite("Newest values")
struct NewestValuesTests {
    @Test(
        "are the last ones within the number and the bytes, and at least one",
        arguments: [
            (3, 100, [1, 1, 1, 1, 1], [2, 3, 4], false), (3, 2, [1, 1, 1, 1, 1], [3, 4], true),
            (0, 100, [1, 1], [], false), (.max, 100, [1, 1], [0, 1], false), (3, 10, [1, 50], [1], true),
            (3, 10, [50, 1, 1], [1, 2], true), (3, 10, [50, 1, 1, 1], [1, 2, 3], true), (2, 10, [], [], false),
            (1, 2, [1, 1, 1], [2], false),
        ] as [(Int, Int, [Int], [Int], Bool)]
    )
    func values(limit: Int, maxBytes: Int, sizes: [Int], values: [Int], isCut: Bool) {
        var newest = NewestValues<Int>(limit: limit, maxBytes: maxBytes)
        for (index, bytes) in sizes.enumerated() { newest.append(index, bytes: bytes) }
        #expect(newest.values == values)
        #expect(newest.isCut == isCut)
    }

    /// Counts its instances, of which only one test makes some, on one thread.
    private final class Counted {
        static nonisolated(unsafe) var instances = 0

        init() { Self.instances += 1 }

        deinit { Self.instances -= 1 }
    }

    @Test("are the only values in memory")
    func memory() {
        let before = Counted.instances
        var newest = NewestValues<Counted>(limit: 10, maxBytes: 5)
        for _ in 0..<10_000 {
            newest.append(Counted(), bytes: 1)
            #expect(Counted.instances - before <= 5)
        }
        #expect(newest.values.count == 5)
    }
}
