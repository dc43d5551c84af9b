import Synchronization

/// The timer of the automatic flush: set when there is something to send, and never twice at once.
package final class FlushTimer: Sendable {
    private let time: any TimeSource
    package let isNeeded: Bool
    private let pending = Locked<(any ScheduledWork)?>(nil)
    /// What `pending` says, for those who only look.
    private let isArmed = Atomic(false)

    /// - Parameter isNeeded: whether anything can be sent at all.
    package init(time: any TimeSource, isNeeded: Bool) {
        self.time = time
        self.isNeeded = isNeeded
    }

    /// Whether there is anything to arm. Costs no lock: it is asked for each event.
    package var isIdle: Bool { isNeeded && !isArmed.load(ordering: .acquiring) }

    /// Runs `flush` after `interval` milliseconds, unless the timer is set already; an interval of 0 means never.
    package func arm(after interval: Int64, _ flush: @escaping @Sendable () async -> Void) {
        guard isNeeded, interval > 0 else { return }
        change { pending in
            guard pending == nil else { return }
            let work = time.after(milliseconds: interval) { [weak self] in
                self?.change { $0 = nil }
                await flush()
            }
            // One that is refused is tried again with the next event.
            if work.isAccepted { pending = work }
        }
    }

    /// Takes the timer back.
    package func cancel() {
        change { pending in
            pending?.cancel()
            pending = nil
        }
    }

    private func change(_ body: (inout (any ScheduledWork)?) -> Void) {
        pending.withLock { pending in
            body(&pending)
            isArmed.store(pending != nil, ordering: .releasing)
        }
    }
}
