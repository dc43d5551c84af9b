import Synchronization

/// Timer of the automatic flush. Set while there are events to send, once at a time.
package final class FlushTimer: Sendable {
    private let time: any TimeSource
    package let isNeeded: Bool
    private let state = Locked(State())
    /// Copy of `state.isSet`, read without the lock.
    private let isSet = Atomic(false)

    private struct State: Sendable {
        var pending: (any ScheduledWork)?
        var isStopped = false

        /// True if the timer is not to be set: it is, or never will be again.
        var isSet: Bool { pending != nil || isStopped }

        mutating func cancel() {
            pending?.cancel()
            pending = nil
        }
    }

    /// - Parameter isNeeded: true if the client has a transport.
    package init(time: any TimeSource, isNeeded: Bool) {
        self.time = time
        self.isNeeded = isNeeded
    }

    /// True if the timer is to be set. Read for each event, without a lock.
    package var isIdle: Bool { isNeeded && !isSet.load(ordering: .acquiring) }

    /// Runs `flush` after `interval` milliseconds, unless the timer is set already; an interval of 0 means never.
    package func arm(after interval: Int64, _ flush: @escaping @Sendable () async -> Void) {
        guard isNeeded, interval > 0 else { return }
        change { state in
            guard !state.isSet else { return }
            let work = time.after(milliseconds: interval) { [weak self] in
                self?.change { $0.pending = nil }
                await flush()
            }
            // A timer that is refused is set with the next event.
            if work.isAccepted { state.pending = work }
        }
    }

    /// Cancels the timer.
    package func cancel() {
        change { $0.cancel() }
    }

    /// Cancels the timer for good.
    package func stop() {
        change { state in
            state.isStopped = true
            state.cancel()
        }
    }

    private func change(_ body: (inout State) -> Void) {
        state.withLock { state in
            body(&state)
            isSet.store(state.isSet, ordering: .releasing)
        }
    }
}
