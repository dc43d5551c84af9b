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

    /// Uploads that are stored in their order.
    private struct Arrival {
        var uploads: [Upload]
        var stored: CheckedContinuation<[Result<UploadResult, any Error>], Never>
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
        for result in await take([upload]) { _ = try result.get() }
    }

    /// Stores uploads in their order, as ``take(_:)-(Upload)`` does each.
    /// - Returns: the result of each upload, in the same order.
    func take(_ uploads: [Upload]) async -> [Result<UploadResult, any Error>] {
        await withCheckedContinuation { (stored: CheckedContinuation<[Result<UploadResult, any Error>], Never>) in
            let events = uploads.reduce(0) { $0 + $1.content.eventCount }
            waiting.append(Arrival(uploads: uploads, stored: stored), events: events)
            if isCommitting { return }
            isCommitting = true
            Task { await commit() }
        }
    }

    private func commit() async {
        while !waiting.isEmpty {
            let batch = waiting.next()
            let uploads = batch.flatMap(\.uploads)
            do {
                let results = try await append(uploads)
                var first = 0
                for arrival in batch {
                    let end = first + arrival.uploads.count
                    arrival.stored.resume(returning: results[first..<end].map { .success($0) })
                    first = end
                }
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

    /// Stores uploads in one transaction, and counts them.
    private func append(_ uploads: [Upload]) async throws -> [UploadResult] {
        let counts = try await store.append(uploads)
        metrics.count(counts)
        for (upload, result) in zip(uploads, counts.results) where result != .present {
            metrics.receivedBytes.add(upload.envelope.body.count, ordering: .relaxed)
            metrics.inflatedBytes.add(upload.content.rawBytes, ordering: .relaxed)
        }
        return counts.results
    }

    /// Stores each upload in a transaction of its own, so that a failing upload does not affect the others.
    private func commitOneByOne(_ batch: [Arrival], failure: any Error) async {
        if batch.count == 1, batch[0].uploads.count == 1 {
            batch[0].stored.resume(returning: [.failure(failure)])
            return
        }
        for arrival in batch {
            var results: [Result<UploadResult, any Error>] = []
            for upload in arrival.uploads {
                do {
                    for result in try await append([upload]) { results.append(.success(result)) }
                } catch {
                    results.append(.failure(error))
                }
            }
            arrival.stored.resume(returning: results)
        }
    }
}
#endif
