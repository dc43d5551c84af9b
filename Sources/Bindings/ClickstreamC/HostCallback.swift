import ClickstreamCore
import Dispatch

/// Function of the host program with its context, which is released with this object. A host that is about to end can end its
/// calls: see ``end(by:)``.
final class HostCallback<Function>: @unchecked Sendable {
    // Unchecked: the fields are constant, and the header requires the functions to be callable from any thread, with the
    // context.
    private let function: Function
    private let context: UnsafeMutableRawPointer?
    private let release: (@convention(c) (UnsafeMutableRawPointer?) -> Void)?

    private struct Calls: Sendable {
        var isCancelled = false
        var running = 0
        var waiters: [DispatchSemaphore] = []
    }
    private let calls = Locked(Calls())

    init(
        _ function: Function,
        _ context: UnsafeMutableRawPointer?,
        _ release: (@convention(c) (UnsafeMutableRawPointer?) -> Void)?
    ) {
        self.function = function
        self.context = context
        self.release = release
    }

    deinit {
        release?(context)
    }

    /// Calls `body` with the function and the context, as a callback.
    /// - Returns: the result of `body`; `nil` if the callback is cancelled.
    @discardableResult
    func run<Result>(_ body: (Function, UnsafeMutableRawPointer?) -> Result) -> Result? {
        let begins = calls.withLock { calls in
            if !calls.isCancelled { calls.running += 1 }
            return !calls.isCancelled
        }
        guard begins else { return nil }
        let result = BlockingFunction.$isInCallback.withValue(true) { body(function, context) }
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
    func cancel() {
        calls.withLock { $0.isCancelled = true }
    }

    /// Blocks until no call is running, until `deadline` at most. Returns at once in a callback, which may be that call.
    func awaitCalls(by deadline: DispatchTime) {
        guard !BlockingFunction.isInCallback else { return }
        let waiter = calls.withLock { calls -> DispatchSemaphore? in
            guard calls.running > 0 else { return nil }
            let waiter = DispatchSemaphore(value: 0)
            calls.waiters.append(waiter)
            return waiter
        }
        _ = waiter?.wait(timeout: deadline)
    }

    /// No call begins after the return, and none is running, unless the deadline has passed or a callback is the caller.
    func end(by deadline: DispatchTime) {
        cancel()
        awaitCalls(by: deadline)
    }
}

extension DispatchTime {
    /// The time until which a function that ends callbacks waits for those that are running.
    static var callbackDeadline: DispatchTime { .now() + .seconds(2) }
}
