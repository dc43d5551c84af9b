import Synchronization

/// Timer of the automatic flush. Set while there are events to send, once at a time.
package final class FlushTimer: Sendable {
    private let time: any TimeSource
    package let isNeeded: Bool
    private let pending = Locked<(any ScheduledWork)?>(nil)
    /// Copy of `pending != nil`, read without the lock.
    private let isArmed = Atomic(false)
    private let isStopped = Atomic(false)

    /// - Parameter isNeeded: true if the client has a transport.
    package init(time: any TimeSource, isNeeded: Bool) {
        self.time = time
        self.isNeeded = isNeeded
    }

    /// True if the timer is to be set. Read for each event, without a lock.
    package var isIdle: Bool {
        isNeeded && !isArmed.load(ordering: .acquiring) && !isStopped.load(ordering: .relaxed)
    }

    /// Runs `flush` after `interval` milliseconds, unless the timer is set already; an interval of 0 means never.
    package func arm(after interval: Int64, _ flush: @escaping @Sendable () async -> Void) {
        guard isNeeded, interval > 0 else { return }
        change { pending in
            guard pending == nil, !isStopped.load(ordering: .relaxed) else { return }
            let work = time.after(milliseconds: interval) { [weak self] in
                self?.change { $0 = nil }
                await flush()
            }
            // A timer that is refused is set with the next event.
            if work.isAccepted { pending = work }
        }
    }

    /// Cancels the timer.
    package func cancel() {
        change { pending in
            pending?.cancel()
            pending = nil
        }
    }

    /// Cancels the timer for good.
    package func stop() {
        isStopped.store(true, ordering: .relaxed)
        cancel()
    }

    private func change(_ body: (inout (any ScheduledWork)?) -> Void) {
        pending.withLock { pending in
            body(&pending)
            isArmed.store(pending != nil, ordering: .releasing)
        }
    }
}
