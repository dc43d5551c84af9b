/// Timers of one client: of the automatic flush, and of writing recorded events to the physical disk. Thread-safe.
final class ClientTimers: Sendable {
    private let shared: SharedRecorder
    private let delivery: Delivery
    private let flush: FlushTimer
    /// Timer of the next `fdatasync`; `nil` unless the durability is ``ClickstreamClient/Configuration/Durability/power``.
    private let synchronizer: FlushTimer?

    init(_ shared: SharedRecorder, _ delivery: Delivery, in world: ClickstreamClient.World) {
        let time = world.dependencies.time
        self.shared = shared
        self.delivery = delivery
        flush = FlushTimer(time: time, isNeeded: world.dependencies.transport != nil)
        synchronizer = world.configuration.durability == .power ? FlushTimer(time: time, isNeeded: true) : nil
    }

    /// Arms both timers after an event, unless they are set. Costs two loads if they are.
    @inline(__always)
    func arm() {
        if synchronizer != nil { armSynchronizer() }
        armFlush()
    }

    /// Arms the timer of the automatic flush, unless it is set.
    @inline(__always)
    func armFlush() {
        if flush.isIdle { armIdleFlush() }
    }

    @inline(never)
    private func armIdleFlush() {
        flush.arm(after: shared.read { $0.configuration.sendInterval.wholeMilliseconds }) { [weak self] in
            guard let self else { return }
            if await !delivery.flushUnlessRunning() { armFlush() }
        }
    }

    /// With the durability of power, flushes recorded events to the physical disk: once per interval, outside the lock. Costs one
    /// load if the timer is set.
    func armSynchronizer() {
        guard let synchronizer, synchronizer.isIdle else { return }
        let interval = shared.read { $0.configuration.synchronizeInterval.wholeMilliseconds }
        synchronizer.arm(after: max(1, interval)) { [weak self] in
            guard let self else { return }
            let files = shared.read { $0.access.log.store.filesToSynchronize }
            for error in files.synchronizeAll() { shared.note(.warning(.init(.notSynchronized, "\(error)"))) }
        }
    }

    func cancelFlush() {
        flush.cancel()
    }

    func cancel() {
        flush.cancel()
        synchronizer?.cancel()
    }
}
