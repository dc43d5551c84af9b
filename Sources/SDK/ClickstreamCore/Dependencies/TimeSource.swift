/// Time dependency: clocks and timers.
///
/// Every decision of the library uses a ``Moment`` that was read once, at the call. Production reads the system's
/// clocks; the simulation (`VirtualTime` in `ClickstreamSimulation`) advances only on request. Both pass one contract
/// suite. All members are thread-safe.
package protocol TimeSource: Sendable {
    /// Reads all clocks. Costs three clock reads (about 100 ns) and never fails.
    func now() -> Moment

    /// Runs `work` once, `delay` milliseconds from now, on an unspecified thread, unless the timer is cancelled first.
    ///
    /// Timers due at the same time run in the order in which they were added.
    /// - Parameters:
    ///   - delay: milliseconds of the monotonic clock; zero or less means as soon as possible.
    ///   - work: runs once, on an unspecified thread.
    /// - Returns: the timer. Releasing it does not cancel it.
    @discardableResult
    func after(milliseconds delay: Int64, _ work: @escaping @Sendable () async -> Void) -> any ScheduledWork

    /// Suspends the caller for `delay` milliseconds of the monotonic clock.
    /// - Throws: `CancellationError` as soon as the calling task is cancelled.
    func sleep(milliseconds delay: Int64) async throws
}

/// Clock with an executor for the tasks that work by it, as a simulated clock that waits for them has.
package protocol ExecutingTimeSource: TimeSource {
    var executor: any TaskExecutor { get }
}

/// Handle of work scheduled with a ``TimeSource``.
package protocol ScheduledWork: Sendable {
    /// False if the work was rejected and will never run, because no thread can be created: ``SystemTime`` has one
    /// thread for all timers, started with the first. True by default.
    var isAccepted: Bool { get }

    /// Cancels the work if it has not begun. Otherwise, or if called again, has no effect.
    func cancel()
}

extension ScheduledWork {
    package var isAccepted: Bool { true }
}
