import ClickstreamCore
import ClickstreamSimulation
import Testing

@testable import ClickstreamCollector

@Suite("Deadlines")
struct DeadlinesTests {
    @Test("expire once and in order, unless they were cancelled or have time left")
    func due() async {
        let time = virtualTime()
        let deadlines = Deadlines(time: time)
        let ended = Locked<[Int64]>([])
        var numbers: [Int64: Int] = [:]
        for seconds: Int64 in [60, 61, 62, 3_600] {
            numbers[seconds] = deadlines.begin(seconds: seconds) { ended.withLock { $0.append(seconds) } }
        }
        #expect(Set(numbers.values).count == 4)
        await time.advance(milliseconds: 59_999)
        #expect(ended.withLock { $0 } == [])
        if let number = numbers[61] { deadlines.forget(number) }
        await time.advance(milliseconds: 600_000)
        #expect(ended.withLock { $0 } == [60, 62])
        for number in numbers.values { deadlines.forget(number) }
        await time.advance(milliseconds: 100_000_000)
        #expect(ended.withLock { $0 } == [60, 62])
    }

    @Test("expire at most a second late")
    func precision() async {
        let time = virtualTime()
        let deadlines = Deadlines(time: time)
        let ended = Locked<[Int64]>([])
        for offset: Int64 in [0, 1, 400, 599] {
            await time.advance(milliseconds: offset)
            let due = time.now().steady + 2_000
            _ = deadlines.begin(seconds: 2) { ended.withLock { $0.append(time.now().steady - due) } }
        }
        await time.advance(milliseconds: 10_000)
        #expect(ended.withLock { $0 } == [0, 999, 599, 0])
    }

    @Test("need no timer while there are none")
    func idle() async {
        let time = virtualTime()
        let deadlines = Deadlines(time: time)
        #expect(time.millisecondsToNextTimer == nil)
        for _ in 0..<2 {
            deadlines.forget(deadlines.begin(seconds: 60) {})
            let last = deadlines.begin(seconds: 60) {}
            #expect(time.millisecondsToNextTimer == Deadlines.interval)
            deadlines.forget(last)
            await time.advance(milliseconds: Deadlines.interval)
            #expect(time.millisecondsToNextTimer == nil)
        }
    }
}
