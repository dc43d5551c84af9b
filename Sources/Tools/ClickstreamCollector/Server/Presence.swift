#if Collector
import ClickstreamCore
import NIOCore

/// Presence of a connection's client. Callable from any thread.
///
/// A client that closed its sending side may still read. It counts as gone ``graceSeconds`` later: an answer that is
/// made at once reaches it, a long reading ends.
final class Presence: Sendable {
    static let graceSeconds: Int64 = 2

    /// Stage of a client that leaves, in order.
    enum Stage: Int, Sendable {
        /// It closed its sending side.
        case finished = 1
        case gone
    }

    private struct State {
        /// `nil` while the client is present.
        var stage: Stage?
        var last = 0
        var works: [Int: (stage: Stage, body: @Sendable () -> Void)] = [:]
    }

    private let state = Locked(State())

    /// Calls `work` when the client has reached a stage, at once if it has.
    /// - Returns: number for ``forget(_:)``.
    func on(_ stage: Stage, _ work: @escaping @Sendable () -> Void) -> Int {
        let number: Int? = state.withLock { state in
            if let reached = state.stage, reached.rawValue >= stage.rawValue { return nil }
            state.last += 1
            state.works[state.last] = (stage, work)
            return state.last
        }
        if number == nil { work() }
        return number ?? 0
    }

    func forget(_ number: Int) {
        // Released outside the lock.
        _ = state.withLock { $0.works.removeValue(forKey: number) }
    }

    /// The client has closed its sending side.
    func finish() {
        reach(.finished)
    }

    /// The client is gone.
    func leave() {
        reach(.gone)
    }

    private func reach(_ stage: Stage) {
        let due = state.withLock { state in
            if stage.rawValue > state.stage?.rawValue ?? 0 { state.stage = stage }
            let due = state.works.filter { $0.value.stage.rawValue <= stage.rawValue }
            for number in due.keys { state.works[number] = nil }
            return due.values.sorted { $0.stage.rawValue < $1.stage.rawValue }.map(\.body)
        }
        for work in due { work() }
    }

    /// Runs `body` in a task that is cancelled when the client is gone.
    func bounding<Value: Sendable>(
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let task = Task { try await body() }
        let number = on(.gone) { task.cancel() }
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
