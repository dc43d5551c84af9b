import ClickstreamCore

/// Time limits of connections, such as the time until a body must be complete. A limit expires up to a second late.
///
/// One timer for all limits, which runs each second while there is any: an event loop removes a timer in linear time,
/// and each open connection would have one. ``begin(seconds:_:)`` and ``forget(_:)`` take constant time. Callable from
/// any thread.
final class Deadlines: Sendable {
    private struct Deadline: Sendable {
        /// On the monotonic clock, in milliseconds.
        var time: Int64
        var work: @Sendable () -> Void
    }

    private struct State: Sendable {
        var last = 0
        var pending: [Int: Deadline] = [:]
        var hasTimer = false
    }

    /// Milliseconds between two checks.
    static let interval: Int64 = 1_000

    private let time: any TimeSource
    private let state = Locked(State())

    init(time: any TimeSource) {
        self.time = time
    }

    /// Calls `work` after `seconds`, unless the deadline is removed before.
    /// - Returns: number for ``forget(_:)``.
    func begin(seconds: Int64, _ work: @escaping @Sendable () -> Void) -> Int {
        let deadline = Deadline(time: time.now().steady + seconds * 1_000, work: work)
        let (number, needsTimer) = state.withLock { state in
            state.last += 1
            state.pending[state.last] = deadline
            defer { state.hasTimer = true }
            return (state.last, !state.hasTimer)
        }
        if needsTimer { startTimer() }
        return number
    }

    /// Removes a deadline. Has no effect if it has expired.
    func forget(_ number: Int) {
        // Released outside the lock.
        _ = state.withLock { $0.pending.removeValue(forKey: number) }
    }

    private func startTimer() {
        let timer = time.after(milliseconds: Self.interval) { [self] in check() }
        // The next deadline retries.
        if !timer.isAccepted { state.withLock { $0.hasTimer = false } }
    }

    /// Calls the work of expired deadlines, in the order in which they began.
    private func check() {
        let now = time.now().steady
        let (due, needsTimer) = state.withLock { state in
            let due = state.pending.filter { $0.value.time <= now }
            for number in due.keys { state.pending[number] = nil }
            state.hasTimer = !state.pending.isEmpty
            return (due, state.hasTimer)
        }
        for (_, deadline) in due.sorted(by: { $0.key < $1.key }) { deadline.work() }
        if needsTimer { startTimer() }
    }
}
