import ClickstreamCore

/// Limit for queries with long work: their number, and the time that a client waits for each.
///
/// A client that is refused waits no longer; its work is cancelled, and counts until it has ended. Callable from any
/// thread.
final class QueryLimit: Sendable {
    /// Reason why a query has no answer.
    enum Refusal: Error, Sendable, Hashable {
        /// The maximum number of queries is running.
        case busy
        /// The work takes longer than the time limit.
        case timeout
        /// The collector stops.
        case stopped
    }

    private let maxQueries: Int
    private let milliseconds: Int64
    private let time: any TimeSource
    private let arrivals: ArrivalNotifier
    private let running = Locked(0)

    /// - Parameters:
    ///   - maxQueries: the maximum number of running queries.
    ///   - arrivals: its end is that of all queries.
    init(_ maxQueries: Int, milliseconds: Int64, time: any TimeSource, arrivals: ArrivalNotifier) {
        self.maxQueries = maxQueries
        self.milliseconds = milliseconds
        self.time = time
        self.arrivals = arrivals
    }

    /// Returns the result of `work`.
    /// - Throws: ``Refusal``; `CancellationError` if the calling task is cancelled; the error of the work.
    func run<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) async throws -> Value {
        guard enter() else { throw Refusal.busy }
        let (values, source) = AsyncThrowingStream<Value, any Error>.makeStream()
        let timer = time.after(milliseconds: milliseconds) { source.finish(throwing: Refusal.timeout) }
        let end = arrivals.onEnd { source.finish(throwing: Refusal.stopped) }
        let task = Task {
            do {
                let value = try await work()
                leave()
                source.yield(value)
                source.finish()
            } catch {
                leave()
                source.finish(throwing: error)
            }
        }
        defer {
            timer.cancel()
            arrivals.forget(end)
            task.cancel()
        }
        for try await value in values { return value }
        // The stream of a cancelled task ends without a value.
        throw CancellationError()
    }

    private func enter() -> Bool {
        running.withLock { running in
            guard running < maxQueries else { return false }
            running += 1
            return true
        }
    }

    private func leave() {
        running.withLock { $0 -= 1 }
    }
}
