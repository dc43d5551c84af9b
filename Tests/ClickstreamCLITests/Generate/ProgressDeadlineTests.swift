import Testing

@testable import clickstream_cli

@Suite("Deadline of work with progress")
struct ProgressDeadlineTests {
    @Test(
        "is a time without progress, whatever the work takes in total",
        arguments: [
            ([(0, 0), (4_000, 0), (9_999, 0), (10_000, 0), (70_000, 0)], [10_000, 6_000, 1, 1, 1]),
            ([(0, 0), (9_000, 1), (18_000, 2), (27_000, 3), (36_000, 3)], [10_000, 10_000, 10_000, 10_000, 1_000]),
            ([(10_000, 0), (10_001, 5), (12_001, 5)], [1, 10_000, 8_000]),
        ] as [([(Int64, Int)], [Int64])]
    )
    func timeLeft(calls: [(Int64, Int)], expected: [Int64]) {
        var deadline = ProgressDeadline(after: 10_000, progress: 0, at: 0)
        let left = calls.map { deadline.timeLeft(progress: $0.1, at: $0.0) }
        #expect(left == expected)
    }
}
