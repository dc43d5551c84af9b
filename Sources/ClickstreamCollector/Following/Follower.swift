#if Tools
import ClickstreamCore

/// Where stored requests go on to.
protocol Follower: Sendable {
    /// Under what name the store keeps how far it has come.
    var name: String { get }

    /// Returns when every one of the requests is safe there, or never will be and is counted.
    ///
    /// Tries again for as long as it takes; throws when the task is cancelled, and then they come again another time.
    func take(_ requests: [CollectedRequest]) async throws

    /// Ends all connections.
    func close() async
}

/// Walks a follower through the store: in the order of arrival, each request at least once, across restarts.
///
/// The store is the truth and nobody who sends waits for this: a follower that is away falls behind. One batch is in
/// memory at a time. How far it has come stands in the store itself, and is written after each batch.
final class Following: Sendable {
    let follower: any Follower
    private let running: Task<Void, Never>
    private let closing: AsyncStream<Never>.Continuation

    /// A batch ends after so many requests, or so many bytes of bodies.
    private static let most = (requests: 1_000, bytes: 4 * 1_048_576)

    init(_ follower: any Follower, store: Store, arrivals: ArrivalNotifier) {
        self.follower = follower
        let (closed, closing) = AsyncStream<Never>.makeStream()
        self.closing = closing
        running = Task {
            var cursor: Int64?
            for await _ in arrivals.changes() { await Self.catchUp(follower, store, &cursor) }
            // What comes while the server ends its last requests is not told of any more.
            for await _ in closed {}
            await Self.catchUp(follower, store, &cursor)
            await follower.close()
        }
    }

    /// Ends it when it has come to the end of the store, or when the time is over. To be called when nothing more comes.
    func stop(seconds: Int64) async {
        closing.finish()
        let patience = Task { [running] in
            try await SystemTime().sleep(milliseconds: seconds * 1_000)
            running.cancel()
        }
        await running.value
        patience.cancel()
    }

    /// - Parameter cursor: the last request that the follower has, once it has been looked up.
    private static func catchUp(_ follower: any Follower, _ store: Store, _ cursor: inout Int64?) async {
        while !Task.isCancelled {
            do {
                let begin = if let cursor { cursor } else { try await store.cursor(of: follower.name) }
                cursor = begin
                let batch = try await store.requestsWithBodies(after: begin, limit: most.requests, bytes: most.bytes)
                guard let last = batch.last else { return }
                try await follower.take(batch)
                try await store.keep(cursor: last.sequence, of: follower.name)
                cursor = last.sequence
            } catch is CancellationError {
                return
            } catch {
                // The store is busy or its disk is full: what could not be read or noted down is tried again.
                do { try await SystemTime().sleep(milliseconds: 250) } catch { return }
            }
        }
    }
}
#endif
