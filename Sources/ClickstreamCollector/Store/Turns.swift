#if Tools
import ClickstreamCore

/// Counting semaphore for tasks, first in first out. A task that is cancelled leaves the queue at once.
///
/// Readings whose cost grows with the store take a turn, so that short ones always find a free connection.
final class Turns: Sendable {
    private struct State {
        var free: Int
        var last = 0
        var waiting: [(number: Int, turn: CheckedContinuation<Void, any Error>)] = []
    }

    private let state: Locked<State>

    init(_ count: Int) {
        state = Locked(State(free: count))
    }

    /// Runs `body` in a turn.
    /// - Throws: `CancellationError` if the task is cancelled before its turn comes.
    func take<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
        try await begin()
        defer { end() }
        return try await body()
    }

    /// Waits for a turn, which ``end()`` gives back.
    /// - Throws: `CancellationError` if the task is cancelled before its turn comes.
    func begin() async throws {
        let number = state.withLock { state in
            state.last += 1
            return state.last
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (turn: CheckedContinuation<Void, any Error>) in
                // Read within the continuation: a task cancelled before it is in the queue is not found by `leave`.
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
                guard let place = state.waiting.firstIndex(where: { $0.number == number }) else { return nil }
                return state.waiting.remove(at: place).turn
            }
            turn?.resume(throwing: CancellationError())
        }
    }

    func end() {
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
#endif
