#if Tools
/// The way into the store: what arrives while one transaction is being written goes into the next one together.
///
/// A commit costs the same for one request as for a hundred, so that many clients at once share it.
actor Intake {
    private let store: Store
    private let arrivals: Arrivals
    private var waiting: [Arrival] = []
    private var isCommitting = false

    private struct Arrival {
        var upload: Upload
        var stored: CheckedContinuation<Void, any Error>
    }

    /// Uploads of one transaction, so that the first of them does not wait for ever.
    private static let most = 128

    init(store: Store, arrivals: Arrivals) {
        self.store = store
        self.arrivals = arrivals
    }

    /// Returns when the upload would survive the death of the process; throws when it is not stored.
    func take(_ upload: Upload) async throws {
        try await withCheckedThrowingContinuation { (stored: CheckedContinuation<Void, any Error>) in
            waiting.append(Arrival(upload: upload, stored: stored))
            if isCommitting { return }
            isCommitting = true
            Task { await commit() }
        }
    }

    private func commit() async {
        while !waiting.isEmpty {
            let batch = Array(waiting.prefix(Self.most))
            waiting.removeFirst(batch.count)
            do {
                try await store.append(batch.map(\.upload))
                for arrival in batch { arrival.stored.resume() }
            } catch {
                await commitOneByOne(batch, failure: error)
            }
            arrivals.tell()
        }
        isCommitting = false
    }

    /// What one upload does wrong is not the others' fault.
    private func commitOneByOne(_ batch: [Arrival], failure: any Error) async {
        if batch.count == 1 {
            batch[0].stored.resume(throwing: failure)
            return
        }
        for arrival in batch {
            do {
                try await store.append([arrival.upload])
                arrival.stored.resume()
            } catch {
                arrival.stored.resume(throwing: error)
            }
        }
    }
}
#endif
