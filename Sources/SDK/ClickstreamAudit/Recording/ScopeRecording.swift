#if Audit
import ClickstreamCore

/// Recording of one scope. Connections add to it on their threads; the scope ends it.
final class ScopeRecording: Sendable {
    struct Logs: Sendable {
        var reads = ReadLog()
        var writes = WriteLog()
        var budget: ScopeBudget
        /// The first failure after which rows may be missing.
        var failure: AuditError?
        /// The outboxes with changes of the scope.
        var outboxes: [ScopeOutbox] = []
    }

    /// Outbox of one database file, and the identifier of the write event with the changes of that file.
    struct ScopeOutbox: Sendable {
        let owner: OutboxOwner
        let event: String
    }

    let activity: String
    /// The encoded metadata at the beginning.
    let metadata: [UInt8]
    private struct State: Sendable {
        var logs: Logs
        var isActive = true
    }

    private let state: Locked<State>

    init(activity: String, metadata: [UInt8], budget: ScopeBudget) {
        self.activity = activity
        self.metadata = metadata
        state = Locked(State(logs: Logs(budget: budget)))
    }

    var isActive: Bool { state.withLock { $0.isActive } }

    /// Ends the recording.
    /// - Returns: `nil` if it has ended before.
    func end() -> Logs? {
        state.withLock { state in
            guard state.isActive else { return nil }
            state.isActive = false
            defer { state.logs = Logs(budget: ScopeBudget(rows: 0, bytes: 0)) }
            return state.logs
        }
    }

    /// Changes the logs; does nothing after the end. `body` must not call out.
    @inline(__always)
    func change(_ body: (inout Logs) -> Void) {
        state.withLock { state in
            if state.isActive { body(&state.logs) }
        }
    }
}
#endif
