#if Collector
import ClickstreamCore
import Synchronization

/// Group commit: uploads that arrive during one transaction are stored together in the next one.
///
/// A commit costs the same for one upload as for a hundred, so that concurrent clients share it.
actor IngestionWriter {
    private let store: Store
    private let arrivals: ArrivalNotifier
    private let metrics: Metrics
    private let retention: Retention
    private let time: any TimeSource
    private var waiting = Backlog<Arrival>()
    private var isCommitting = false
    /// Time of the last check for requests to evict, on the monotonic clock.
    private var lastTidied: Int64
    /// Archives requests that have to be evicted.
    private var archiving: Task<Void, Never>?

    /// Milliseconds between two checks while more uploads wait.
    private static let tidyInterval: Int64 = 100

    private struct Arrival {
        var upload: Upload
        var stored: CheckedContinuation<Void, any Error>
    }

    init(store: Store, arrivals: ArrivalNotifier, metrics: Metrics, retention: Retention, time: any TimeSource) {
        self.store = store
        self.arrivals = arrivals
        self.metrics = metrics
        self.retention = retention
        self.time = time
        lastTidied = time.now().steady
    }

    /// Returns when the upload is stored and survives the end of the process. Throws if it is not stored.
    func take(_ upload: Upload) async throws {
        try await withCheckedThrowingContinuation { (stored: CheckedContinuation<Void, any Error>) in
            waiting.append(Arrival(upload: upload, stored: stored), events: upload.content.eventCount)
            if isCommitting { return }
            isCommitting = true
            Task { await commit() }
        }
    }

    private func commit() async {
        while !waiting.isEmpty {
            let batch = waiting.next()
            do {
                count(try await store.append(batch.map(\.upload)), batch)
                for arrival in batch { arrival.stored.resume() }
            } catch {
                await commitOneByOne(batch, failure: error)
            }
            arrivals.notify()
            // Not after each transaction while more uploads wait: the check is a transaction itself.
            if waiting.isEmpty || time.now().steady - lastTidied > Self.tidyInterval { await tidy() }
        }
        isCommitting = false
    }

    /// Evicts requests beyond the retention limits. Requests that have to be archived first are evicted later, in the
    /// background, so that clients do not wait for the disk of the archive.
    func tidy() async {
        if retention.isUnlimited { return }
        lastTidied = time.now().steady
        guard await evict(), archiving == nil, let archive = store.archive else { return }
        archiving = Task {
            // A failed write is retried by the next check. A stop does the rest itself.
            try? await store.follow(by: archive, now: time.now().wall, closes: true) { [arrivals] in arrivals.hasEnded }
            _ = await evict()
            archiving = nil
        }
    }

    /// - Returns: true if more requests have to be evicted after they are archived. A failed eviction is retried by the
    ///   next check.
    private func evict() async -> Bool {
        guard let eviction = try? await store.evict(retention, now: time.now().wall) else { return false }
        if eviction.removed { arrivals.notify() }
        return eviction.waits
    }

    /// Returns when no background work is in progress. Call after the last upload.
    func settle() async {
        await archiving?.value
    }

    private func count(_ counts: StoredCounts, _ batch: [Arrival]) {
        metrics.count(counts)
        for arrival in batch {
            metrics.receivedBytes.add(arrival.upload.envelope.body.count, ordering: .relaxed)
            metrics.inflatedBytes.add(arrival.upload.content.rawBytes, ordering: .relaxed)
        }
    }

    /// Stores each upload in a transaction of its own, so that a failing upload does not affect the others.
    private func commitOneByOne(_ batch: [Arrival], failure: any Error) async {
        if batch.count == 1 {
            batch[0].stored.resume(throwing: failure)
            return
        }
        for arrival in batch {
            do {
                count(try await store.append([arrival.upload]), [arrival])
                arrival.stored.resume()
            } catch {
                arrival.stored.resume(throwing: error)
            }
        }
    }
}
#endif
