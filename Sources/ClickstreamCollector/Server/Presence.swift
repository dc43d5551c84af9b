#if Tools
import ClickstreamCore
import NIOCore

/// Presence of a connection's client. Callable from any thread.
///
/// A client that closed its sending side may still read. It counts as gone ``graceSeconds`` later: an answer that is
/// made at once reaches it, a long reading ends.
final class Presence: Sendable {
    static let graceSeconds: Int64 = 2

    private struct State {
        var hasFinished = false
        var isGone = false
        var last = 0
        var onFinish: [Int: @Sendable () -> Void] = [:]
        var onLeave: [Int: @Sendable () -> Void] = [:]
    }

    private let state = Locked(State())

    /// Calls `work` when the client is gone, at once if it is.
    /// - Returns: number for ``forget(_:)``.
    func onLeave(_ work: @escaping @Sendable () -> Void) -> Int {
        let number: Int? = state.withLock { state in
            if state.isGone { return nil }
            state.last += 1
            state.onLeave[state.last] = work
            return state.last
        }
        if number == nil { work() }
        return number ?? 0
    }

    /// Calls `work` when the client has closed its sending side or is gone, at once if so.
    /// - Returns: number for ``forget(_:)``.
    func onFinish(_ work: @escaping @Sendable () -> Void) -> Int {
        let number: Int? = state.withLock { state in
            if state.hasFinished { return nil }
            state.last += 1
            state.onFinish[state.last] = work
            return state.last
        }
        if number == nil { work() }
        return number ?? 0
    }

    func forget(_ number: Int) {
        // Released outside the lock.
        _ = state.withLock { ($0.onFinish.removeValue(forKey: number), $0.onLeave.removeValue(forKey: number)) }
    }

    func finish() {
        let works = state.withLock { state in
            defer { state.onFinish = [:] }
            state.hasFinished = true
            return Array(state.onFinish.values)
        }
        for work in works { work() }
    }

    func leave() {
        finish()
        let works = state.withLock { state in
            defer { state.onLeave = [:] }
            state.isGone = true
            return Array(state.onLeave.values)
        }
        for work in works { work() }
    }

    /// Runs `body` in a task that is cancelled when the client is gone.
    func bounding<Value: Sendable>(
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let task = Task { try await body() }
        let number = onLeave { task.cancel() }
        defer { forget(number) }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }
}

extension Channel {
    /// The presence of the client of this connection.
    func presence() async throws -> Presence {
        try await eventLoop.submit {
            try self.pipeline.syncOperations.handler(type: ConnectionCounter.self).presence
        }.get()
    }
}
#endif
