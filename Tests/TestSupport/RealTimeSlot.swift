import Synchronization

/// Slot for a test that depends on the real clock: with a server in the process, child processes or timeouts.
///
/// Swift Testing starts all tests at once, on an executor with one thread per core and priority. A test in a slot runs beside
/// few others of its kind, at a higher priority than compute-bound tests: its steps are not queued behind theirs.
package enum RealTimeSlot {
    private struct State: Sendable {
        var free = 6
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private static let state = Mutex(State())
    /// True in the task that has the slot, which may request it again.
    @TaskLocal private static var isTaken = false

    /// Runs `body` in a slot, or in the slot that the current task already has.
    package static func use<Result>(_ body: () async throws -> Result) async throws -> Result {
        if isTaken { return try await body() }
        await take()
        defer { release() }
        return try await $isTaken.withValue(true) { try await withHighPriority(body) }
    }

    /// Value of a task that no other task uses at the same time.
    private struct Transferred<Value>: @unchecked Sendable {
        let value: Value
    }

    /// Runs `body` in a task of high priority, which the tasks that it starts inherit.
    private static func withHighPriority<Result>(_ body: () async throws -> Result) async throws -> Result {
        try await withoutActuallyEscaping(body) { body in
            // The calling task is suspended until the other has ended: no value is used by both at the same time.
            nonisolated(unsafe) let body = body
            let task = Task(priority: .high) {
                nonisolated(unsafe) let value = try await body()
                return Transferred(value: value)
            }
            return try await withTaskCancellationHandler {
                try await task.value.value
            } onCancel: {
                task.cancel()
            }
        }
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
