#if Tools
import ClickstreamCore
import Synchronization

/// The way into the store: what arrives while one transaction is being written goes into the next one together.
///
/// A commit costs the same for one request as for a hundred, so that many clients at once share it.
actor IngestionWriter {
    private let store: Store
    private let arrivals: ArrivalNotifier
    private let metrics: Metrics
    private let retention: Retention
    private let time: any TimeSource
    private var waiting = Backlog<Arrival>()
    private var isCommitting = false
    private var lastTidied = ContinuousClock.now
    /// Puts into the archive what has to leave the store.
    private var archiving: Task<Void, Never>?

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
    }

    /// Returns when the upload would survive the death of the process; throws when it is not stored.
    func take(_ upload: Upload) async throws {
        try await withCheckedThrowingContinuation { (stored: CheckedContinuation<Void, any Error>) in
            waiting.append(Arrival(upload: upload, stored: stored), events: upload.content.events.count)
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
            arrivals.tell()
            // While more waits, not after every transaction: looking costs one too.
            if waiting.isEmpty || lastTidied.duration(to: .now) > .milliseconds(100) { await tidy() }
        }
        isCommitting = false
    }

    /// Lets go of what is too old or too much. What the archive has to take first goes a little later: nobody who sends
    /// waits for its disk.
    func tidy() async {
        if retention.isUnlimited { return }
        lastTidied = .now
        // What could not be removed now is removed the next time.
        let waits = (try? await store.evict(retention, now: time.now().wall)) ?? false
        guard waits, archiving == nil, let archive = store.archive else { return }
        archiving = Task {
            // What could not be written now is tried again the next time.
            try? await store.follow(by: archive, now: time.now().wall, closes: true)
            _ = try? await store.evict(retention, now: time.now().wall)
            archiving = nil
        }
    }

    /// Returns when nothing is left under way. To be called when nothing more comes.
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

    /// What one upload does wrong is not the others' fault.
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
