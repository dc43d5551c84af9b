/// The timer of the automatic flush: set when there is something to send, and never twice at once.
package final class FlushTimer: Sendable {
    private let time: any TimeSource
    package let isNeeded: Bool
    private let pending = Locked<(any ScheduledWork)?>(nil)

    /// - Parameter isNeeded: whether anything can be sent at all.
    package init(time: any TimeSource, isNeeded: Bool) {
        self.time = time
        self.isNeeded = isNeeded
    }

    /// Runs `flush` after `interval` milliseconds, unless the timer is set already; an interval of 0 means never.
    package func arm(after interval: Int64, _ flush: @escaping @Sendable () async -> Void) {
        guard isNeeded, interval > 0 else { return }
        pending.withLock { pending in
            guard pending == nil else { return }
            pending = time.after(milliseconds: interval) { [weak self] in
                self?.pending.withLock { $0 = nil }
                await flush()
            }
        }
    }

    /// Takes the timer back.
    package func cancel() {
        pending.withLock { pending in
            pending?.cancel()
            pending = nil
        }
    }
}
