#if os(Linux)
package import ClickstreamCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Network operation executed by blocking calls on a separate thread; the caller may stop waiting at any time.
package final class BlockingCall<Value: Sendable>: Sendable {
    package typealias Outcome = Result<Value, TransportError>

    private struct State {
        var continuation: CheckedContinuation<Outcome, Never>?
        var outcome: Outcome?
        /// Wakes the thread from a blocking wait; `nil` while it is not in one.
        var wake: (@Sendable () -> Void)?
        var timer: (any ScheduledWork)?
    }

    /// The start of the call on the monotonic clock, in milliseconds.
    let startTime = SystemTime().now().steady
    private let state = Locked(State())

    /// Runs `work` on a separate thread, until it ends the call, the calling task is cancelled, or the timeout expires.
    /// - Parameters:
    ///   - server: host and port, for the error after the timeout.
    ///   - connectTimeout: the timeout in milliseconds until ``stopConnectTimer()`` is called.
    package static func run(
        to server: String,
        connectTimeout: Int64,
        _ work: @escaping @Sendable (BlockingCall) -> Void
    ) async throws(TransportError) -> Value {
        try await run(timeout: connectTimeout, .unreached(server, within: connectTimeout), work)
    }

    /// Runs `work` on a separate thread, until it ends the call, the calling task is cancelled, or the timeout expires.
    /// - Parameters:
    ///   - timeout: the timeout in milliseconds until ``stopConnectTimer()`` is called.
    ///   - timeoutError: the error after the timeout.
    package static func run(
        timeout: Int64,
        _ timeoutError: TransportError,
        _ work: @escaping @Sendable (BlockingCall) -> Void
    ) async throws(TransportError) -> Value {
        if Task.isCancelled { throw .cancelled }
        let call = BlockingCall()
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation {
                call.start($0, timeout: timeout, timeoutError, work)
            }
        } onCancel: {
            call.end(.failure(.cancelled))
        }
        return try outcome.get()
    }

    private func start(
        _ continuation: CheckedContinuation<Outcome, Never>,
        timeout: Int64,
        _ timeoutError: TransportError,
        _ work: @escaping @Sendable (BlockingCall) -> Void
    ) {
        // A timer, because host name resolution has no timeout of its own.
        let timer = SystemTime().after(milliseconds: timeout) { self.end(.failure(timeoutError)) }
        let early: Outcome? = state.withLock { state in
            if let outcome = state.outcome { return outcome }
            state.continuation = continuation
            state.timer = timer
            return nil
        }
        if let early {
            timer.cancel()
            return continuation.resume(returning: early)
        }
        let reason = DetachedThread.start { work(self) }
        if reason != 0 { end(.failure(.refused("no thread for the request: \(String(cString: strerror(reason)))"))) }
    }

    /// Ends the call; only the first outcome is used. Wakes the thread, which then cleans up.
    package func end(_ outcome: Outcome) {
        let (continuation, timer): (CheckedContinuation<Outcome, Never>?, (any ScheduledWork)?) = state.withLock {
            state in
            guard state.outcome == nil else { return (nil, nil) }
            state.outcome = outcome
            // Called under the lock, since the thread clears `wake` before it closes the resource.
            state.wake?()
            defer { (state.continuation, state.timer) = (nil, nil) }
            return (state.continuation, state.timer)
        }
        timer?.cancel()
        continuation?.resume(returning: outcome)
    }

    // MARK: - Called by the thread

    var hasEnded: Bool {
        state.withLock { $0.outcome != nil }
    }

    /// Cancels the timeout: from now on `work` handles its own timeouts.
    package func stopConnectTimer() {
        state.withLock { $0.timer.take() }?.cancel()
    }

    /// Registers `wake` to be called when the call ends, until ``release()``; returns `false` if it has ended.
    package func hold(_ wake: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
            guard state.outcome == nil else { return false }
            state.wake = wake
            return true
        }
    }

    package func release() {
        state.withLock { $0.wake = nil }
    }
}

extension ContinuousClock.Instant {
    /// Returns the instant after the given time, at most 50 years from now.
    static func after(_ time: Duration) -> Self {
        .now.advanced(by: min(max(.zero, time), .seconds(50 * 366 * 86_400)))
    }

    /// The time until this instant: 0 if it is past, at most a day, rounded up.
    var millisecondsLeft: Int32 {
        let rest = ContinuousClock.now.duration(to: self)
        guard rest > .zero else { return 0 }
        return Int32(min(rest, .seconds(86_400)).wholeMilliseconds + 1)
    }
}
#endif
