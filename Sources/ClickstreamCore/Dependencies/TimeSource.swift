/// The door to clocks and timers: what the library knows of time, it is told here.
///
/// Every decision of the library is made from a ``Moment`` that was read once, at the call. The real side reads the
/// system's clocks; the simulated side (`VirtualTime` in `ClickstreamSimulation`) moves only when it is told to.
/// Both pass one contract suite. All members are callable from any thread.
public protocol TimeSource: Sendable {
    /// Reads both clocks, at once. Costs two clock reads (about 70 ns) and never fails.
    func now() -> Moment

    /// Runs `work` once, `delay` milliseconds from now, on no particular thread, unless the timer is cancelled first.
    ///
    /// Timers that fall due at the same moment run in the order in which they were asked for.
    /// - Parameters:
    ///   - delay: milliseconds of the steady clock; zero or less means as soon as possible.
    ///   - work: runs once, on no particular thread.
    /// - Returns: the timer. Letting go of it does not cancel it.
    @discardableResult
    func after(milliseconds delay: Int64, _ work: @escaping @Sendable () async -> Void) -> any ScheduledWork

    /// Suspends the caller for `delay` milliseconds of the steady clock.
    /// - Throws: `CancellationError` as soon as the calling task is cancelled.
    func sleep(milliseconds delay: Int64) async throws
}

/// Work that a ``TimeSource`` has been asked to do later.
public protocol ScheduledWork: Sendable {
    /// False if the work was refused and will never run, since the system gives no thread for it now: ``SystemTime`` has one
    /// thread for all timers, which it starts with the first. True by default.
    var isAccepted: Bool { get }

    /// Takes the work back when it has not begun. Calling it again, or too late, does nothing.
    func cancel()
}

extension ScheduledWork {
    public var isAccepted: Bool { true }
}
