import ClickstreamCore
import ClickstreamSimulation
import Testing

/// The contract that the system's clocks and the virtual ones both keep.
@Suite("Time source", .timeLimit(.minutes(10)))
struct TimeSourceTests {
    /// One side of the door, with a way to let its time pass.
    struct Side: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var make: @Sendable () -> (time: any TimeSource, pass: @Sendable (Int64) async throws -> Void)

        static let both = [
            Side(testDescription: "system") {
                let time = SystemTime()
                return (time, { try await time.sleep(milliseconds: $0) })
            },
            Side(testDescription: "virtual") {
                let time = VirtualTime(start: Timestamp(milliseconds: 1_693_920_000_000))
                return (time, { await time.advance(milliseconds: $0) })
            },
        ]
    }

    @Test("advances all clocks, never back", arguments: Side.both)
    func moves(side: Side) async throws {
        let (time, pass) = side.make()
        let before = time.now()
        try await pass(20)
        let after = time.now()
        #expect(after.steady - before.steady >= 20)
        #expect(after.awake - before.awake >= 19)
        #expect(after.wall.milliseconds - before.wall.milliseconds >= 19)
        for _ in 0..<1_000 {
            let (first, second) = (time.now(), time.now())
            #expect(second.steady >= first.steady)
            #expect(second.awake >= first.awake)
        }
    }

    @Test("runs work once, not before its time", arguments: Side.both)
    func runsOnce(side: Side) async throws {
        let (time, pass) = side.make()
        let start = time.now().steady
        let runs = Log<Int64>()
        time.after(milliseconds: 15) { runs.add(time.now().steady) }
        try await wait(for: runs, count: 1, pass: pass)
        try await pass(20)
        let seen = runs.all
        #expect(seen.count == 1)
        #expect(try #require(seen.first) - start >= 15)
    }

    @Test("runs timers by due time, and those of one time in the order of creation", arguments: Side.both)
    func order(side: Side) async throws {
        let (time, pass) = side.make()
        let runs = Log<String>()
        time.after(milliseconds: 60) { runs.add("late") }
        // Asked for within one reading of the clock, unless the clock moves on right here: then try again.
        var names: [String] = []
        for attempt in 0..<100 {
            names = (0..<8).map { "\(attempt).\($0)" }
            let before = time.now().steady
            let timers = names.map { name in time.after(milliseconds: 20) { runs.add(name) } }
            if time.now().steady == before { break }
            for timer in timers { timer.cancel() }
        }
        try await wait(for: runs, count: 9, pass: pass)
        #expect(runs.all == names + ["late"])
    }

    @Test("does not run work cancelled in time", arguments: Side.both)
    func cancel(side: Side) async throws {
        let (time, pass) = side.make()
        let runs = Log<String>()
        let timer = time.after(milliseconds: 10) { runs.add("cancelled") }
        timer.cancel()
        timer.cancel()
        time.after(milliseconds: 20) { runs.add("kept") }
        try await wait(for: runs, count: 1, pass: pass)
        #expect(runs.all == ["kept"])
    }

    @Test("continues work that is cancelled after it began", arguments: Side.both)
    func cancelTooLate(side: Side) async throws {
        let (time, pass) = side.make()
        let runs = Log<Bool>()
        let timer = Locked<(any ScheduledWork)?>(nil)
        await withCheckedContinuation { made in
            timer.withLock {
                $0 = time.after(milliseconds: 5) {
                    timer.withLock { $0 }?.cancel()
                    runs.add(Task.isCancelled)
                }
            }
            made.resume()
        }
        try await wait(for: runs, count: 1, pass: pass)
        #expect(runs.all == [false])
    }

    @Test("runs work without a delay as soon as time passes", arguments: Side.both, [0, -5, Int64.min])
    func noDelay(side: Side, delay: Int64) async throws {
        let (time, pass) = side.make()
        let runs = Log<String>()
        time.after(milliseconds: delay) { runs.add("ran") }
        try await wait(for: runs, count: 1, pass: pass)
        try await time.sleep(milliseconds: delay)
        #expect(runs.all == ["ran"])
    }

    @Test("accepts the maximum delay", arguments: Side.both)
    func longest(side: Side) async throws {
        let (time, pass) = side.make()
        let runs = Log<String>()
        let timer = time.after(milliseconds: .max) { runs.add("ran") }
        let sleeper = Task { try await time.sleep(milliseconds: .max) }
        try await pass(5)
        timer.cancel()
        sleeper.cancel()
        #expect(runs.all == [])
        await #expect(throws: CancellationError.self) { try await sleeper.value }
    }

    @Test("ends a sleep when its task is cancelled, before or during it", arguments: Side.both)
    func cancelledSleep(side: Side) async throws {
        let (time, pass) = side.make()
        let start = time.now().steady
        let before = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await time.sleep(milliseconds: 60_000)
        }
        await #expect(throws: CancellationError.self) { try await before.value }
        let during = Task { try await time.sleep(milliseconds: 60_000) }
        try await pass(5)
        during.cancel()
        await #expect(throws: CancellationError.self) { try await during.value }
        #expect(time.now().steady - start < 60_000)
    }

    @Test("resumes a sleeper not before its time", arguments: Side.both)
    func sleeps(side: Side) async throws {
        let (time, pass) = side.make()
        let woken = Log<Int64>()
        let start = time.now().steady
        let sleeper = Task.immediate {
            try await time.sleep(milliseconds: 10)
            woken.add(time.now().steady - start)
        }
        try await wait(for: woken, count: 1, pass: pass)
        try await sleeper.value
        #expect(woken.all.allSatisfy { $0 >= 10 })
    }

    @Test("supports concurrent tasks", arguments: Side.both)
    func concurrent(side: Side) async throws {
        let (time, pass) = side.make()
        let runs = Log<Int>()
        await withTaskGroup { group in
            for task in 0..<8 {
                group.addTask {
                    for index in 0..<100 {
                        let timer = time.after(milliseconds: Int64(index % 7)) { runs.add(task * 100 + index) }
                        if index % 2 == 1 { timer.cancel() }
                    }
                }
            }
        }
        try await wait(for: runs, count: 400, pass: pass)
        try await pass(10)
        // Timers of a real clock may have run before they were taken back: the even ones run, and nothing runs twice.
        let seen = runs.all
        #expect(Set(seen).count == seen.count)
        #expect(Set(seen).isSuperset(of: (0..<800).filter { $0 % 2 == 0 }))
    }

    /// Lets enough time pass for all timers of a test, and waits until `log` has `count` entries.
    private func wait<Entry>(
        for log: Log<Entry>,
        count: Int,
        pass: (Int64) async throws -> Void
    ) async throws {
        try await pass(60)
        await log.reaches(count)
    }
}

/// Log of events in order, from any task.
private final class Log<Entry: Sendable>: Sendable {
    private let entries = AwaitedState<[Entry]>([])

    var all: [Entry] { entries.withLock { $0 } }

    func add(_ entry: Entry) {
        entries.withLock { $0.append(entry) }
    }

    /// Suspends until there are `count` entries.
    func reaches(_ count: Int) async {
        await entries.until { $0.count >= count }
    }
}
