#if os(Linux)
import ClickstreamCore
import Foundation

/// One request that a thread of its own works on by calls that block, while its sender may leave at any moment.
final class BlockingCall: Sendable {
    typealias Outcome = Result<UploadResponse, TransportError>

    private struct State {
        var continuation: CheckedContinuation<Outcome, Never>?
        var outcome: Outcome?
        /// Wakes the thread, while it waits for what can be woken.
        var wake: (@Sendable () -> Void)?
        var timer: (any ScheduledWork)?
    }

    private let state = Locked(State())

    /// Runs `work` on a thread of its own, until it ends the call, or the calling task or the time does.
    /// - Parameter connectTimeout: in milliseconds, until the work says that the connection stands.
    static func run(
        connectTimeout: Int64,
        _ work: @escaping @Sendable (BlockingCall) -> Void
    ) async throws(TransportError) -> UploadResponse {
        if Task.isCancelled { throw .cancelled }
        let call = BlockingCall()
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { call.start($0, connectTimeout, work) }
        } onCancel: {
            call.end(.failure(.cancelled))
        }
        return try outcome.get()
    }

    private func start(
        _ continuation: CheckedContinuation<Outcome, Never>,
        _ connectTimeout: Int64,
        _ work: @escaping @Sendable (BlockingCall) -> Void
    ) {
        // A timer rather than a time-out of the calls: finding a name's address knows none.
        let timer = SystemTime().after(milliseconds: connectTimeout) { self.end(.failure(.timedOut)) }
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

    /// Ends the call, once: the first outcome is the one that counts. Wakes the thread, which then cleans up.
    func end(_ outcome: Outcome) {
        let (continuation, timer): (CheckedContinuation<Outcome, Never>?, (any ScheduledWork)?) = state.withLock {
            state in
            guard state.outcome == nil else { return (nil, nil) }
            state.outcome = outcome
            // Under the lock: the thread has it forgotten before it closes what is woken.
            state.wake?()
            defer { (state.continuation, state.timer) = (nil, nil) }
            return (state.continuation, state.timer)
        }
        timer?.cancel()
        continuation?.resume(returning: outcome)
    }

    // MARK: - For the thread

    var hasEnded: Bool {
        state.withLock { $0.outcome != nil }
    }

    /// The connection stands: from here the work sees to its time-outs.
    func connected() {
        state.withLock { $0.timer.take() }?.cancel()
    }

    /// Has the call's end run `wake`, until ``release()``; `false` when the call has ended.
    func hold(_ wake: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
            guard state.outcome == nil else { return false }
            state.wake = wake
            return true
        }
    }

    func release() {
        state.withLock { $0.wake = nil }
    }
}

extension ContinuousClock.Instant {
    /// In so many milliseconds; at most in 50 years.
    static func after(milliseconds: Int64) -> Self {
        .now.advanced(by: .milliseconds(min(max(0, milliseconds), 50 * 366 * 86_400_000)))
    }

    /// How long to wait for this: 0 once it is past, at most a day, never too short.
    var millisecondsLeft: Int32 {
        let rest = ContinuousClock.now.duration(to: self)
        guard rest > .zero else { return 0 }
        let (seconds, attoseconds) = rest.components
        return Int32(min(seconds, 86_400) * 1_000 + attoseconds / 1_000_000_000_000_000 + 1)
    }
}
#endif
