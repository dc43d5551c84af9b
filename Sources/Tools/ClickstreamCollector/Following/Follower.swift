#if Collector
import ClickstreamCore

/// Sink that receives stored requests.
protocol Follower: Sendable {
    /// Name under which the store records the position.
    var name: String { get }

    /// Returns when each request is delivered, or permanently rejected and counted.
    ///
    /// Retries without limit. Throws if the task is cancelled; the requests are then passed again later.
    func take(_ requests: [CollectedRequest]) async throws

    /// Closes all connections.
    func close() async
}

/// Delivery of stored requests to a follower: in the order of arrival, each at least once, also across restarts.
///
/// Does not delay clients: an unavailable follower falls behind. One batch is in memory at a time. The position is
/// recorded in the store after each batch.
final class Following: Sendable {
    let follower: any Follower
    private let running: Task<Void, Never>
    private let closing: AsyncStream<Never>.Continuation
    private let time: any TimeSource

    /// Maximum number of requests, and of bytes of bodies, in a batch. One request is always sent.
    private static let maxBatch = (requests: 1_000, bytes: 4 * 1_048_576)
    /// Milliseconds before a failed batch is retried.
    static let pause: Int64 = 250

    init(_ follower: any Follower, store: Store, arrivals: ArrivalNotifier, time: any TimeSource) {
        self.follower = follower
        self.time = time
        let (closed, closing) = AsyncStream<Never>.makeStream()
        self.closing = closing
        running = Task {
            var cursor: Int64?
            for await _ in arrivals.changes() { await Self.catchUp(follower, store, time, &cursor) }
            // Requests stored during the shutdown cause no notification.
            for await _ in closed {}
            await Self.catchUp(follower, store, time, &cursor)
            await follower.close()
        }
    }

    /// Ends the delivery once all requests are delivered, or after a time. Call after the last arrival.
    func stop(milliseconds: Int64) async {
        closing.finish()
        let timer = Task { [running, time] in
            try await time.sleep(milliseconds: milliseconds)
            running.cancel()
        }
        await running.value
        timer.cancel()
    }

    /// - Parameter cursor: position of the follower; `nil` until it is read from the store.
    private static func catchUp(
        _ follower: any Follower,
        _ store: Store,
        _ time: any TimeSource,
        _ cursor: inout Int64?
    ) async {
        while !Task.isCancelled {
            do {
                let begin = if let cursor { cursor } else { try await store.cursor(of: follower.name) }
                cursor = begin
                let batch = try await store.requestsWithBodies(
                    after: begin,
                    limit: maxBatch.requests,
                    bytes: maxBatch.bytes
                )
                guard let last = batch.last else { return }
                try await follower.take(batch)
                try await store.keep(cursor: last.sequence, of: follower.name)
                cursor = last.sequence
            } catch is CancellationError {
                return
            } catch {
                // The store is busy, its disk is full, or the follower failed.
                do { try await time.sleep(milliseconds: pause) } catch { return }
            }
        }
    }
}
#endif
