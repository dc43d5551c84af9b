import ClickstreamCore

/// Mutex-protected value, with tasks that are suspended until it meets a condition. Thread-safe.
package final class AwaitedState<Value: Sendable>: Sendable {
    private struct Waiter: Sendable {
        var isMet: @Sendable (Value) -> Bool
        var continuation: CheckedContinuation<Void, Never>
    }

    private struct Contents: Sendable {
        var value: Value
        var waiters: [Int: Waiter] = [:]
        var nextWaiter = 0

        mutating func removeMetWaiters() -> [Waiter] {
            let met = waiters.filter { $0.value.isMet(value) }
            for number in met.keys { waiters[number] = nil }
            return Array(met.values)
        }
    }

    private let contents: Locked<Contents>

    package init(_ value: Value) {
        contents = Locked(Contents(value: value))
    }

    /// Runs `body` with exclusive access to the value, then resumes the tasks whose conditions are met.
    package func withLock<Result: Sendable, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var met: [Waiter] = []
        // Without the lock: the executor that a task is enqueued on may be the owner of this value.
        defer { for waiter in met { waiter.continuation.resume() } }
        return try contents.withLock { contents throws(Failure) in
            defer { met = contents.removeMetWaiters() }
            return try body(&contents.value)
        }
    }

    /// Suspends until the value meets the condition, or the task is cancelled.
    package func until(_ isMet: @escaping @Sendable (Value) -> Bool) async {
        let number = contents.withLock { contents in
            defer { contents.nextWaiter += 1 }
            return contents.nextWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = contents.withLock { contents in
                    if Task.isCancelled || isMet(contents.value) { return true }
                    contents.waiters[number] = Waiter(isMet: isMet, continuation: continuation)
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            contents.withLock { $0.waiters.removeValue(forKey: number) }?.continuation.resume()
        }
    }
}
