#if Collector
import ClickstreamCore
package import ClickstreamJudges

/// Import of events and requests, one per line, through the ingestion of requests over HTTP.
///
/// The caller passes lines to ``add(_:)``, calls ``store()`` whenever ``isFull`` is true, and ``flush()`` at a pause, when
/// ``isOverdue`` is true, and at the end. Memory is bounded by a batch of requests that is being stored, one that is being decoded, and
/// one that is being filled. Requests are stored in the order of their lines.
package struct Import: Sendable {
    /// Number and bytes of requests from which they are stored.
    private static let batchCount = 256
    private static let batchBytes = 2_097_152
    /// Bytes of decoded requests from which a batch is stored: a part of the memory that all requests share.
    private static let batchMemory = 8_388_608
    /// Milliseconds for which the lines of an input without pauses are not stored.
    private static let maxDelay: Int64 = 1_000

    /// Numbers of the lines, and of the requests that are stored.
    package private(set) var counts = ImportCounts()

    private let ingestion: Ingestion
    /// Events that are not a complete request yet.
    private var group: ImportGroup?
    /// Complete requests, in their order.
    private var pending: [Envelope] = []
    private var pendingBytes = 0
    /// Monotonic time of the first line after the last ``flush()``.
    private var unstoredSince: Int64?
    /// Results of the last batch.
    private var storing: Task<[Result<UploadResult, any Error>], Never>?

    init(_ ingestion: Ingestion) {
        self.ingestion = ingestion
    }

    /// True if requests have to be stored before the next line.
    package var isFull: Bool { pending.count >= Self.batchCount || pendingBytes >= Self.batchBytes }

    /// True if lines have been waiting for a second. An input that grows slowly, but without pauses, fills no request for long.
    package var isOverdue: Bool {
        unstoredSince.map { ingestion.time.now().steady - $0 >= Self.maxDelay } ?? false
    }

    // MARK: - Lines

    /// Adds a line. The lines before and after one with an error are imported.
    /// - Returns: the reason why the line, or the first event in it that is none, is not imported; `nil` if the whole line is.
    package mutating func add(_ line: LineSplitter.Line) -> ImportError? {
        counts.lines += 1
        let error = read(line)
        if error != nil { counts.badLines += 1 }
        return error
    }

    private mutating func read(_ line: LineSplitter.Line) -> ImportError? {
        guard let bytes = line.bytes else { return ImportError(.lineTooLong) }
        let moment = ingestion.time.now()
        let now = moment.wall
        if unstoredSince == nil { unstoredSince = moment.steady }
        do throws(ImportError) {
            switch try ImportedLine(bytes, now: now) {
            case .request(var envelope):
                if !ingestion.accepts(envelope.appID, envelope.form) {
                    return ImportError(.refusedApp, detail: envelope.appID)
                }
                if !envelope.hasRequestID { envelope.id = ingestion.ids.next().hexadecimal }
                endGroup()
                append(envelope)
                return nil
            case .body(let first):
                return add(body: bytes, first, now: now)
            case .events(let found):
                var error = found.error
                for event in found.events {
                    if let refusal = add(event, of: bytes, now: now) { error = error ?? refusal }
                }
                return error
            }
        } catch {
            return error
        }
    }

    /// Adds a request that is only a body: its app id and platform are those of the first event.
    private mutating func add(body: [UInt8], _ first: ImportedEvent, now: Timestamp) -> ImportError? {
        let id = ingestion.ids.next().hexadecimal
        let group = ImportGroup(first, of: body, now: now, batchSize: 1)
        var envelope = group.envelope(id: id, path: ingestion.configuration.path)
        if !ingestion.accepts(envelope.appID, envelope.form) {
            return ImportError(.refusedApp, detail: envelope.appID)
        }
        envelope.body = body
        endGroup()
        append(envelope)
        return nil
    }

    private mutating func add(_ event: ImportedEvent, of line: [UInt8], now: Timestamp) -> ImportError? {
        if !ingestion.configuration.appIDs.isEmpty {
            let app = event.members(in: line)?.text(FieldName.appID)
            if !ingestion.accepts(app, event.key.form.captured) {
                return ImportError(.refusedApp, offset: event.range.lowerBound, detail: app)
            }
        }
        if group?.takes(event.key, bytes: event.range.count) != true {
            endGroup()
            group = ImportGroup(event, of: line, now: now, batchSize: ingestion.configuration.batchSize)
        }
        group?.append(line[event.range])
        return nil
    }

    private mutating func endGroup() {
        guard let group else { return }
        self.group = nil
        append(group.envelope(id: ingestion.ids.next().hexadecimal, path: ingestion.configuration.path))
    }

    private mutating func append(_ envelope: Envelope) {
        var envelope = envelope
        envelope.receivedAt = envelope.receivedAt.storable
        pending.append(envelope)
        pendingBytes += envelope.body.count
    }

    // MARK: - Storing

    /// Decodes the complete requests and begins to store them. Returns when the batch before them is stored. A cancelled task
    /// stores them, too: they are bounded, and standard input cannot be read again.
    /// - Throws: ``ImportFailure`` if a request is not stored.
    package mutating func store() async throws {
        var requests = pending[...]
        (pending, pendingBytes) = ([], 0)
        while !requests.isEmpty {
            let batch = await Batch(requests, ingestion)
            do { try await finish() } catch {
                batch.release(ingestion)
                throw error
            }
            // A batch is empty if no memory became free in time; the previous one has released its own since then.
            if batch.uploads.isEmpty { continue }
            requests = requests.dropFirst(batch.uploads.count)
            storing = Task { [ingestion] in await batch.store(ingestion) }
        }
    }

    /// Stores all events that were added, those of an incomplete request too. They survive the end of the process when this
    /// returns.
    /// - Throws: as ``store()``.
    package mutating func flush() async throws {
        endGroup()
        unstoredSince = nil
        try await store()
        try await finish()
    }

    /// Returns when the last batch is stored, and counts it.
    private mutating func finish() async throws {
        guard let storing else { return }
        self.storing = nil
        var failure: (any Error)?
        for result in await storing.value {
            switch result {
            case .success(.stored(let tally)):
                counts.requests += 1
                counts.events += tally.events - tally.duplicates
                counts.duplicates += tally.duplicates
            case .success(.present):
                counts.requestsPresent += 1
            case .failure(let error):
                failure = failure ?? error
            }
        }
        if let failure { throw ImportFailure(failure) }
    }

    /// Decoded requests with the memory that is reserved for them.
    private struct Batch: Sendable {
        var uploads: [Upload] = []
        private var shares: [Admission.Share] = []

        /// Decodes requests up to a number of bytes, or until no memory becomes free in time: requests that wait for memory
        /// must not keep what others need.
        init(_ requests: ArraySlice<Envelope>, _ ingestion: Ingestion) async {
            var memory = 0
            for request in requests where memory < Import.batchMemory {
                guard let (decoded, share) = await ingestion.read(request) else { return }
                var upload = decoded
                upload.isImported = true
                memory += share.bytes
                uploads.append(upload)
                shares.append(share)
                // The next one would wait until this one is stored.
                if share.isLarge { return }
            }
        }

        func store(_ ingestion: Ingestion) async -> [Result<UploadResult, any Error>] {
            let results = await ingestion.writer.take(uploads)
            release(ingestion)
            return results
        }

        func release(_ ingestion: Ingestion) {
            for share in shares { ingestion.admission.endStoring(share) }
        }
    }
}

/// Failure to store imported requests; those before them are stored.
package struct ImportFailure: Error, Sendable {
    /// The cause, for a message.
    package var reason: String

    init(_ error: any Error) {
        reason = (error as? CollectorError)?.description ?? "the store cannot be written: \(Store.reason(of: error))"
    }
}

extension Collector {
    /// Begins an import into the store.
    package func beginImport() -> Import { Import(ingestion) }
}
#endif
