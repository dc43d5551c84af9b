import Synchronization

/// Slot for a test that depends on the real clock: with a server in the process, child processes or timeouts.
///
/// Swift Testing starts all tests at once, on an executor with one thread per core. A test in a slot runs beside few
/// others of its kind, after most compute-bound tests: they would delay each of its steps by their whole duration.
package enum RealTimeSlot {
    private struct State: Sendable {
        var free = 6
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private static let state = Mutex(State())
    /// True in the task that has the slot, which may request it again.
    @TaskLocal private static var isTaken = false

    /// Runs `body` in a slot, or in the slot that the current task already has.
    package static func use<Result>(_ body: () async throws -> Result) async rethrows -> Result {
        if isTaken { return try await body() }
        await take()
        defer { release() }
        return try await $isTaken.withValue(true) { try await body() }
    }

    private static func take() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                if state.free == 0 {
                    state.waiters.append(continuation)
                    return false
                }
                state.free -= 1
                return true
            }
            if isFree { continuation.resume() }
        }
        // A turn takes as long as the jobs that are queued before it. Their number falls as tests end.
        for _ in 0..<10_000 {
            let start = ContinuousClock.now
            await Task.yield()
            if ContinuousClock.now - start < .milliseconds(50) { return }
        }
    }

    private static func release() {
        let next: CheckedContinuation<Void, Never>? = state.withLock { state in
            if state.waiters.isEmpty {
                state.free += 1
                return nil
            }
            return state.waiters.removeFirst()
        }
        next?.resume()
    }
}
