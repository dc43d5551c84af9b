#if Tools
import ClickstreamCore
import Testing

@testable import ClickstreamCollector

@Suite("Deadlines")
struct DeadlinesTests {
    @Test("expire once and in order, unless they were cancelled or have time left")
    func due() {
        let deadlines = Deadlines()
        let ended = Locked<[Int64]>([])
        let start = ContinuousClock.now
        var numbers: [Int64: Int] = [:]
        for seconds: Int64 in [60, 61, 62, 3_600] {
            numbers[seconds] = deadlines.begin(seconds: seconds) { ended.withLock { $0.append(seconds) } }
        }
        #expect(Set(numbers.values).count == 4)
        deadlines.endDue(at: start)
        #expect(ended.withLock { $0 } == [])
        if let number = numbers[61] { deadlines.forget(number) }
        deadlines.endDue(at: start + .seconds(600))
        #expect(ended.withLock { $0 } == [60, 62])
        for number in numbers.values { deadlines.forget(number) }
        deadlines.endDue(at: start + .seconds(100_000))
        #expect(ended.withLock { $0 } == [60, 62])
    }
}
#endif
