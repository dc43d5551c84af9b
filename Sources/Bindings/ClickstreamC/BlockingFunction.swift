import CClickstream
import ClickstreamCore
import Dispatch

/// Execution of an asynchronous operation by a C function that blocks.
enum BlockingFunction {
    /// True while an observer's callback runs on the current thread. A callback may run on a thread that the operation
    /// needs.
    @TaskLocal static var isInCallback = false

    static func checkThread() throws(Refusal) {
        guard !isInCallback else { throw Refusal(CLICKSTREAM_IN_CALLBACK) }
    }

    /// Blocks until `body` has ended, and returns its result.
    static func result<Result: Sendable>(
        of body: @escaping @Sendable () async -> Result
    ) throws(Refusal) -> Result {
        try checkThread()
        guard BackgroundTask.isPossible else { throw Refusal(CLICKSTREAM_NO_THREAD) }
        let outcome = Outcome<Result>()
        let done = DispatchSemaphore(value: 0)
        BackgroundTask.start {
            let result = await body()
            outcome.result.withLock { $0 = result }
            done.signal()
        }
        done.wait()
        guard let result = outcome.result.withLock({ $0 }) else {
            preconditionFailure("Invalid state: the operation ended without a result")
        }
        return result
    }

    private final class Outcome<Result: Sendable>: Sendable {
        let result = Locked<Result?>(nil)
    }
}
