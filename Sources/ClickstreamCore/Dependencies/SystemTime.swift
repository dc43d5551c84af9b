#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// System clocks: `CLOCK_REALTIME`, and a monotonic clock that includes suspended time.
///
/// The monotonic clock is `CLOCK_BOOTTIME` on Linux and `CLOCK_MONOTONIC` elsewhere, which includes sleep on Apple's
/// systems. All timers share one thread, which is started with the first timer; it sleeps until the next timer is due
/// and starts its work as a task on threads of the SDK. Adding a timer never blocks and needs no descriptor.
public struct SystemTime: TimeSource {
    /// Creates the clocks. Costs nothing; all values share the timer thread.
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
        Timers.current.add(.task(work), due: now().steady + Self.bounded(delay))
    }

    public func sleep(milliseconds delay: Int64) async throws {
        let sleeper = Sleeper()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                sleeper.begin(continuation, due: now().steady + Self.bounded(delay))
            }
        } onCancel: {
            sleeper.end(.failure(CancellationError()))
        }
    }

    /// Limits a delay to the range supported by the clocks: 0 … 50 years.
    private static func bounded(_ delay: Int64) -> Int64 {
        min(max(0, delay), 50 * 366 * 86_400_000)
    }

    /// The monotonic clock, in milliseconds.
    static var steady: Int64 { SystemTime().now().steady }

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
