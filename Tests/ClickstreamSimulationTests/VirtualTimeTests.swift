import ClickstreamCore
import ClickstreamSimulation
import Testing

@Suite("Virtual time")
struct VirtualTimeTests {
    private let time = VirtualTime(start: Timestamp(milliseconds: 1_000_000))

    @Test("does not advance by itself")
    func standsStill() async {
        #expect(time.now() == Moment(wall: Timestamp(milliseconds: 1_000_000), steady: 0))
        await time.advance(milliseconds: 0)
        await time.advance(milliseconds: -5)
        #expect(time.now() == Moment(wall: Timestamp(milliseconds: 1_000_000), steady: 0))
        await time.advance(milliseconds: 1_234)
        #expect(time.now() == Moment(wall: Timestamp(milliseconds: 1_001_234), steady: 1_234))
    }

    @Test("shows each timer its due time, and ends at the requested time")
    func dueTimes() async {
        await confirmation(expectedCount: 3) { ran in
            for delay in [300, 100, 200] as [Int64] {
                time.after(milliseconds: delay) { [time] in
                    #expect(time.now() == Moment(wall: Timestamp(milliseconds: 1_000_000 + delay), steady: delay))
                    ran()
                }
            }
            await time.advance(milliseconds: 1_000)
        }
        #expect(time.now().steady == 1_000)
        #expect(time.millisecondsToNextTimer == nil)
    }

    @Test("awaits the work of one timer before the next, and includes timers added meanwhile")
    func nestedTimers() async {
        let log = Locked<[String]>([])
        let time = time
        @Sendable func note(_ text: String) { log.withLock { $0.append("\(text) at \(time.now().steady)") } }
        time.after(milliseconds: 10) {
            note("first begins")
            // Of no concern to the clock, which waits for the end all the same.
            await Task.detached {}.value
            time.after(milliseconds: 5) { note("asked for meanwhile") }
            time.after(milliseconds: 100) { note("too late") }
            note("first ends")
        }
        time.after(milliseconds: 20) { note("second") }
        await time.advance(milliseconds: 30)
        #expect(
            log.withLock { $0 } == [
                "first begins at 10", "first ends at 10", "asked for meanwhile at 15", "second at 20",
            ]
        )
        #expect(time.millisecondsToNextTimer == 80)
    }

    @Test("continues if a timer's work suspends on this clock")
    func sleepingWork() async {
        let log = Locked<[String]>([])
        let time = time
        @Sendable func note(_ text: String) { log.withLock { $0.append("\(text) at \(time.now().steady)") } }
        time.after(milliseconds: 10) {
            note("goes to sleep")
            do { try await time.sleep(milliseconds: 30) } catch { note("\(error)") }
            note("wakes")
        }
        time.after(milliseconds: 20) { note("other") }
        await time.advance(milliseconds: 100)
        #expect(log.withLock { $0 } == ["goes to sleep at 10", "other at 20", "wakes at 40"])
    }

    @Test("resumes a task that sleeps repeatedly, once per period")
    func periodicSleeper() async throws {
        let log = Locked<[Int64]>([])
        let time = time
        let task = Task(executorPreference: time.executor) {
            while true {
                try await time.sleep(milliseconds: 10)
                log.withLock { $0.append(time.now().steady) }
            }
        }
        await time.advance(milliseconds: 100)
        #expect(log.withLock { $0 } == Array(stride(from: 10, through: 100, by: 10)))
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(time.millisecondsToNextTimer == nil)
    }

    @Test("waits before each step until the tasks of its executor are suspended, however long they are busy")
    func busyTasks() async {
        let log = Locked<[Int64]>([])
        let time = time
        let task = Task(executorPreference: time.executor) {
            for _ in 0..<3 {
                // Each resumption is a job of its own, far more of them than turns are given.
                for _ in 0..<1_000 { await Task.yield() }
                time.after(milliseconds: 10) { log.withLock { $0.append(time.now().steady) } }
            }
        }
        await time.advance(milliseconds: 10)
        #expect(log.withLock { $0 } == [10, 10, 10])
        await task.value
        #expect(time.millisecondsToNextTimer == nil)
    }

    @Test("is moved by a task of its own executor too, as by a transport that takes time")
    func advancedByOwnTask() async {
        let time = time
        let task = Task(executorPreference: time.executor) {
            time.after(milliseconds: 10) {}
            await time.advance(milliseconds: 20)
        }
        await task.value
        #expect(time.now().steady == 20)
        #expect(time.millisecondsToNextTimer == nil)
    }

    @Test(
        "sets only the wall clock",
        arguments: [
            (.seconds(-5), 995_000), (.seconds(7_200), 8_200_000), (.seconds(Int64.max), .max),
        ] as [(Duration, Int64)]
    )
    func wallClock(shift: Duration, wall: Int64) async {
        time.shiftWall(by: shift)
        #expect(time.now() == Moment(wall: Timestamp(milliseconds: wall), steady: 0))
        await time.advance(milliseconds: 10)
        time.setWall(to: Timestamp(milliseconds: 5))
        await time.advance(milliseconds: 10)
        #expect(time.now() == Moment(wall: Timestamp(milliseconds: 15), steady: 20))
    }

    @Test("suspends the machine: timers that are overdue run afterwards, in order")
    func suspension() async {
        let log = Locked<[String]>([])
        let time = time
        for delay in [300, 100, 2_000] as [Int64] {
            time.after(milliseconds: delay) {
                log.withLock { $0.append("\(delay) at \(time.now().steady)") }
            }
        }
        await time.advance(milliseconds: 50)
        await time.suspendMachine(for: .milliseconds(-5))
        await time.suspendMachine(for: .seconds(1))
        #expect(log.withLock { $0 } == ["100 at 1050", "300 at 1050"])
        #expect(time.now() == Moment(wall: Timestamp(milliseconds: 1_001_050), steady: 1_050, awake: 50))
        await time.advance(milliseconds: 1_000)
        #expect(log.withLock { $0 } == ["100 at 1050", "300 at 1050", "2000 at 2000"])
        #expect(time.now() == Moment(wall: Timestamp(milliseconds: 1_002_050), steady: 2_050, awake: 1_050))
    }

    @Test("keeps any number of timers in order")
    func manyTimers() async {
        let ran = Locked<[Int64]>([])
        let ids = SeededIDs(seed: 3)
        var expected: [Int64] = []
        for _ in 0..<500 {
            let delay = Int64(ids.random() % 100)
            let timer = time.after(milliseconds: delay) { ran.withLock { $0.append(delay) } }
            if ids.random() % 3 == 0 { timer.cancel() } else { expected.append(delay) }
        }
        await time.advance(milliseconds: 100)
        #expect(ran.withLock { $0 } == expected.sorted())
    }

    @Test("advances a hundred thousand times quickly if nothing is due")
    func fast() async {
        time.after(milliseconds: .max) {}
        let clock = ContinuousClock()
        let taken = await clock.measure {
            for _ in 0..<100_000 { await time.advance(milliseconds: 1) }
        }
        #expect(time.now().steady == 100_000)
        #expect(taken < .seconds(20))
    }

    @Test("resumes an observer once the timers it awaits are pending")
    func observedTimers() async {
        let time = time
        let order = Locked<[String]>([])
        time.after(milliseconds: 70) {}
        await time.timers(after: 70)
        let observer = Task {
            await time.timers(2, after: 50)
            order.withLock { $0.append("observed") }
        }
        for delay: Int64 in [50, 40, 50] {
            order.withLock { $0.append("\(delay)") }
            time.after(milliseconds: delay) {}
        }
        await observer.value
        #expect(order.withLock { $0 } == ["50", "40", "50", "observed"])
    }
}
