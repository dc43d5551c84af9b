import ClickstreamCore

/// Counting semaphore for tasks, in first-in, first-out order. A cancelled task leaves the queue at once.
final class Semaphore: Sendable {
    private struct State {
        var free: Int
        var last = 0
        var waiting: [(number: Int, turn: CheckedContinuation<Void, any Error>)] = []
    }

    private let state: Locked<State>

    init(_ count: Int) {
        state = Locked(State(free: count))
    }

    /// Runs `body` while holding a permit.
    /// - Throws: `CancellationError` if the task is cancelled while it waits for one.
    func withPermit<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
        try await acquire()
        defer { release() }
        return try await body()
    }

    /// Acquires a permit, which ``release()`` returns.
    /// - Throws: `CancellationError` if the task is cancelled while it waits.
    func acquire() async throws {
        let number = state.withLock { state in
            state.last += 1
            return state.last
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (turn: CheckedContinuation<Void, any Error>) in
                // Checked under the lock: `onCancel` cannot find a task that is not in the queue yet.
                let isFree = state.withLock { state in
                    if Task.isCancelled { return nil as Bool? }
                    if state.free > 0 {
                        state.free -= 1
                        return true
                    }
                    state.waiting.append((number, turn))
                    return false
                }
                switch isFree {
                case nil: turn.resume(throwing: CancellationError())
                case true?: turn.resume()
                case false?: break
                }
            }
        } onCancel: {
            let turn = state.withLock { state -> CheckedContinuation<Void, any Error>? in
                guard let index = state.waiting.firstIndex(where: { $0.number == number }) else { return nil }
                return state.waiting.remove(at: index).turn
            }
            turn?.resume(throwing: CancellationError())
        }
    }

    /// Returns a permit.
    func release() {
        let turn = state.withLock { state -> CheckedContinuation<Void, any Error>? in
            if state.waiting.isEmpty {
                state.free += 1
                return nil
            }
            return state.waiting.removeFirst().turn
        }
        turn?.resume()
    }
}
