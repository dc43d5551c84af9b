#if Audit
package import ClickstreamCore

/// Destination of audit events: the store of a client, or memory.
package protocol AuditStore: Sendable {
    /// Stores the events of one scope: all of them, or none. On return without an error they survive the death of the
    /// process, unless the store is in memory.
    func store(_ events: [AuditEvent], at moment: Moment) -> AuditError?
    /// Reports a warning.
    func warn(_ text: String)
}

/// Events that are collected in memory, for tests and a dry run of the command line. Thread-safe.
package final class MemoryAuditStore: AuditStore {
    private struct State {
        var events: [AuditEvent] = []
        var warnings: [String] = []
    }

    private let state = Locked(State())

    package init() {}

    /// The stored events, oldest first.
    package var events: [AuditEvent] { state.withLock { $0.events } }
    /// The reported warnings, oldest first.
    package var warnings: [String] { state.withLock { $0.warnings } }

    /// Returns and removes the stored events.
    package func takeEvents() -> [AuditEvent] {
        state.withLock { state in
            defer { state.events = [] }
            return state.events
        }
    }

    package func store(_ events: [AuditEvent], at moment: Moment) -> AuditError? {
        state.withLock { $0.events += events }
        return nil
    }

    package func warn(_ text: String) {
        state.withLock { $0.warnings.append(text) }
    }
}
#endif
