import ClickstreamCore
import Dispatch

/// Function of the host program with its context, which is released with this object. After ``cancel()`` no call begins, and
/// ``awaitCalls(until:)`` waits for those that are running: a host that is about to end needs both.
class HostCallback: @unchecked Sendable {
    // Unchecked: the fields are constant, and the context is passed to the host's functions only, which the header requires
    // to be callable from any thread.
    private let context: UnsafeMutableRawPointer?
    private let release: (@convention(c) (UnsafeMutableRawPointer?) -> Void)?

    private struct Calls: Sendable {
        var isCancelled = false
        var running = 0
        var waiters: [DispatchSemaphore] = []
    }
    private let calls = Locked(Calls())

    /// The maximum time for which a function that ends callbacks waits for one that is running.
    static let patience = DispatchTimeInterval.seconds(2)

    init(
        _ context: UnsafeMutableRawPointer?,
        _ release: (@convention(c) (UnsafeMutableRawPointer?) -> Void)?
    ) {
        self.context = context
        self.release = release
    }

    deinit {
        release?(context)
    }

    /// Calls `body` with the context, as a callback.
    /// - Returns: the result of `body`; `nil` if the callback is cancelled.
    @discardableResult
    final func run<Result>(_ body: (UnsafeMutableRawPointer?) -> Result) -> Result? {
        let begins = calls.withLock { calls in
            if !calls.isCancelled { calls.running += 1 }
            return !calls.isCancelled
        }
        guard begins else { return nil }
        let result = BlockingFunction.$isInCallback.withValue(true) { body(context) }
        let waiters = calls.withLock { calls -> [DispatchSemaphore] in
            calls.running -= 1
            guard calls.running == 0 else { return [] }
            defer { calls.waiters = [] }
            return calls.waiters
        }
        for waiter in waiters { waiter.signal() }
        return result
    }

    /// No call begins after the return.
    final func cancel() {
        calls.withLock { $0.isCancelled = true }
    }

    /// Blocks until no call is running, until `end` at most. Returns at once in a callback, which may be that call.
    final func awaitCalls(until end: DispatchTime) {
        guard !BlockingFunction.isInCallback else { return }
        let waiter = calls.withLock { calls -> DispatchSemaphore? in
            guard calls.running > 0 else { return nil }
            let waiter = DispatchSemaphore(value: 0)
            calls.waiters.append(waiter)
            return waiter
        }
        _ = waiter?.wait(timeout: end)
    }
}
