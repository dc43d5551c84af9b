#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The system's clocks: `CLOCK_REALTIME`, and a steady one that goes on while the machine sleeps.
///
/// The steady clock is `CLOCK_BOOTTIME` on Linux and `CLOCK_MONOTONIC` elsewhere, which on Apple's systems counts
/// through sleep too. Timers are tasks on Swift's own executor; nothing here has a thread of its own. Copies share their
/// timers.
public struct SystemTime: TimeSource {
    private let timers = Timers()

    public init() {}

    public func now() -> Moment {
        #if os(Linux) || os(Android)
        let steady = CLOCK_BOOTTIME
        #else
        let steady = CLOCK_MONOTONIC
        #endif
        return Moment(wall: Timestamp(milliseconds: Self.read(CLOCK_REALTIME)), steady: Self.read(steady))
    }

    @discardableResult
    public func after(milliseconds delay: Int64, _ work: @escaping @Sendable () async -> Void) -> any ScheduledWork {
        let delay = Self.bounded(delay)
        return timers.add(work, due: now().steady + delay, delay: delay)
    }

    public func sleep(milliseconds delay: Int64) async throws {
        try await Task.sleep(for: .milliseconds(Self.bounded(delay)))
    }

    /// What the clocks underneath can carry: 0 … 50 years.
    private static func bounded(_ delay: Int64) -> Int64 {
        min(max(0, delay), 50 * 366 * 86_400_000)
    }

    private static func read(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        // With a clock that exists and an address that is valid there is no error.
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }
}

/// The timers by the millisecond at which they fall due, so that those of one millisecond run in the order of asking.
private final class Timers: Sendable {
    private struct Group {
        var number: UInt64
        var timers: [Timer]
        /// Waits for the group's millisecond and then runs its timers.
        var task: Task<Void, Never>
    }

    private struct State {
        var groups: [Int64: Group] = [:]
        var nextNumber: UInt64 = 0
    }

    private let state = Locked(State())

    func add(_ work: @escaping @Sendable () async -> Void, due: Int64, delay: Int64) -> Timer {
        let timer = Timer(work, due: due, of: self)
        state.withLock { state in
            guard state.groups[due] == nil else {
                state.groups[due]?.timers.append(timer)
                return
            }
            let number = state.nextNumber
            state.nextNumber += 1
            let task = Task {
                // Cancelled only with a group that is gone: there is nothing to take then.
                try? await Task.sleep(for: .milliseconds(delay))
                for timer in self.take(due: due, number: number) { await timer.run() }
            }
            state.groups[due] = Group(number: number, timers: [timer], task: task)
        }
        return timer
    }

    /// Forgets a timer; with the last one of its millisecond, the wait for it ends.
    func remove(_ timer: Timer) {
        let task: Task<Void, Never>? = state.withLock { state in
            guard var group = state.groups[timer.due] else { return nil }
            group.timers.removeAll { $0 === timer }
            state.groups[timer.due] = group.timers.isEmpty ? nil : group
            return group.timers.isEmpty ? group.task : nil
        }
        task?.cancel()
    }

    private func take(due: Int64, number: UInt64) -> [Timer] {
        state.withLock { state in
            guard let group = state.groups[due], group.number == number else { return [] }
            state.groups[due] = nil
            return group.timers
        }
    }
}

/// One piece of work that waits for its time.
private final class Timer: ScheduledWork {
    let due: Int64
    private let timers: Timers
    /// Gone once the work has begun or was taken back.
    private let work: Locked<(@Sendable () async -> Void)?>

    init(_ work: @escaping @Sendable () async -> Void, due: Int64, of timers: Timers) {
        self.due = due
        self.timers = timers
        self.work = Locked(work)
    }

    func cancel() {
        guard work.withLock({ $0.take() }) != nil else { return }
        timers.remove(self)
    }

    func run() async {
        await work.withLock { $0.take() }?()
    }
}
