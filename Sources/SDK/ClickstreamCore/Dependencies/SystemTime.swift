#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// System clocks: `CLOCK_REALTIME`, and monotonic clocks with and without suspended time.
///
/// They are `CLOCK_BOOTTIME` and `CLOCK_MONOTONIC` on Linux, `CLOCK_MONOTONIC` and `CLOCK_UPTIME_RAW` on Apple's systems,
/// where the former includes sleep. Elsewhere both are `CLOCK_MONOTONIC`. Timers use the first.
///
/// All timers share one thread, which is started with the first timer; it sleeps until the next timer is due and starts its
/// work as a task on threads of the SDK. Adding a timer never blocks and needs no descriptor.
package struct SystemTime: TimeSource {
    /// Creates the clocks. Costs nothing; all values share the timer thread.
    package init() {}

    package func now() -> Moment {
        let wall = Timestamp(milliseconds: Self.read(CLOCK_REALTIME))
        // In this order: a thread that is interrupted between the readings sees no sleep.
        let steady = Self.steady
        return Moment(wall: wall, steady: steady, awake: Self.awake)
    }

    @discardableResult
    package func after(milliseconds delay: Int64, _ work: @escaping @Sendable () async -> Void) -> any ScheduledWork {
        Timers.current.add(.task(work), due: Self.steady + Self.bounded(delay))
    }

    package func sleep(milliseconds delay: Int64) async throws {
        let sleeper = Sleeper()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                sleeper.begin(continuation, due: Self.steady + Self.bounded(delay))
            }
        } onCancel: {
            sleeper.end(.failure(CancellationError()))
        }
    }

    /// Limits a delay to the range supported by the clocks: 0 … 50 years.
    private static func bounded(_ delay: Int64) -> Int64 {
        min(max(0, delay), 50 * 366 * 86_400_000)
    }

    /// The monotonic clock that includes suspended time, in milliseconds.
    static var steady: Int64 { read(steadyClock) }

    /// The monotonic clock without suspended time, in milliseconds.
    private static var awake: Int64 { read(awakeClock) }

    #if os(Linux) || os(Android)
    private static var steadyClock: clockid_t { CLOCK_BOOTTIME }
    private static var awakeClock: clockid_t { CLOCK_MONOTONIC }
    #elseif canImport(Darwin)
    private static var steadyClock: clockid_t { CLOCK_MONOTONIC }
    private static var awakeClock: clockid_t { CLOCK_UPTIME_RAW }
    #else
    private static var steadyClock: clockid_t { CLOCK_MONOTONIC }
    private static var awakeClock: clockid_t { CLOCK_MONOTONIC }
    #endif

    private static func read(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        // Cannot fail with an existing clock and a valid address.
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }
}

/// Suspended caller of `sleep`, resumed at its time or when its task is cancelled.
private final class Sleeper: Sendable {
    private struct State: Sendable {
        var continuation: CheckedContinuation<Void, any Error>?
        var outcome: Result<Void, any Error>?
        var timer: (any ScheduledWork)?
    }

    private let state = Locked(State())

    func begin(_ continuation: CheckedContinuation<Void, any Error>, due: Int64) {
        let early = state.withLock { state in
            if state.outcome == nil { state.continuation = continuation }
            return state.outcome
        }
        if let early { return continuation.resume(with: early) }
        let timer = Timers.current.add(.call { self.end(.success(())) }, due: due)
        // Without a timer the sleep ends at once; the caller rechecks its condition.
        guard timer.isAccepted else { return end(.success(())) }
        let hasEnded = state.withLock { state in
            state.timer = timer
            return state.outcome != nil
        }
        if hasEnded { timer.cancel() }
    }

    func end(_ outcome: Result<Void, any Error>) {
        let (continuation, timer) = state.withLock {
            state -> (CheckedContinuation<Void, any Error>?, (any ScheduledWork)?) in
            guard state.outcome == nil else { return (nil, nil) }
            state.outcome = outcome
            defer { (state.continuation, state.timer) = (nil, nil) }
            return (state.continuation, state.timer)
        }
        timer?.cancel()
        continuation?.resume(with: outcome)
    }
}
