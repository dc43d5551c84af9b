#if Collector
import ClickstreamCore

/// Background work on a store: the archive is extended after each arrival, and old requests are evicted at intervals.
final class StoreMaintenance: Sendable {
    private let archiving: Task<Void, Never>?
    private let evicting: Task<Void, any Error>?

    /// - Parameters:
    ///   - evicts: true if requests can expire, or a file of the archive can become due, without an arrival.
    ///   - interval: milliseconds between two checks for that.
    init(
        of store: Store,
        writer: IngestionWriter,
        arrivals: ArrivalNotifier,
        evicts: Bool,
        interval: Int64,
        time: any TimeSource
    ) {
        archiving = store.archive.map { archive in
            Task {
                for await _ in arrivals.changes() {
                    // Retried after the next arrival; the status has the reason. A stop does the rest itself.
                    try? await store.follow(by: archive, now: time.now().wall, closes: false) { arrivals.hasEnded }
                }
            }
        }
        evicting =
            evicts
            ? Task {
                // The first check covers requests that expired before this start.
                while true {
                    await writer.tidy()
                    // For the archive, which has a file to close or a write to retry.
                    arrivals.notify()
                    try await time.sleep(milliseconds: interval)
                }
            } : nil
    }

    /// Ends the checks at intervals.
    func end() {
        evicting?.cancel()
    }

    /// Returns when no work is in progress. Call after ``end()`` and after the last arrival.
    func settle() async {
        await archiving?.value
        _ = await evicting?.result
    }
}
#endif
