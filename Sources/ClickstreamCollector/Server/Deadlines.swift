#if Tools
import ClickstreamCore

/// Ends what has had its time, such as connections on which a body does not come whole, up to a second late.
///
/// One look at all of them each second, instead of a timer of the event loop for each: to cancel one of those the loop looks
/// through all its timers, and every silent connection has one. Beginning and forgetting take the same time however many
/// there are. Callable from any thread.
final class Deadlines: Sendable {
    private struct Waiting: Sendable {
        var time: ContinuousClock.Instant
        var end: @Sendable () -> Void
    }

    private struct State: Sendable {
        var last = 0
        var waiting: [Int: Waiting] = [:]
    }

    private let state = Locked(State())

    /// Calls `end` when so many seconds have passed, unless it is forgotten before.
    /// - Returns: what to forget it by.
    func begin(seconds: Int64, _ end: @escaping @Sendable () -> Void) -> Int {
        let waiting = Waiting(time: .now + .seconds(seconds), end: end)
        return state.withLock { state in
            state.last += 1
            state.waiting[state.last] = waiting
            return state.last
        }
    }

    func forget(_ number: Int) {
        // Let go of outside the lock.
        _ = state.withLock { $0.waiting.removeValue(forKey: number) }
    }

    /// Ends what has no time left, in the order in which it began.
    func endDue(at now: ContinuousClock.Instant = .now) {
        let due = state.withLock { state in
            let due = state.waiting.filter { $0.value.time <= now }
            for number in due.keys { state.waiting[number] = nil }
            return due
        }
        for (_, waiting) in due.sorted(by: { $0.key < $1.key }) { waiting.end() }
    }

    /// Ends what is due each second until the task is cancelled.
    func watch() async throws {
        while true {
            try await Task.sleep(for: .seconds(1))
            endDue()
        }
    }
}
#endif
