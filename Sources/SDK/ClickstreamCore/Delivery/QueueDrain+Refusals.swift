/// Handling of 400 and 413: the shell around ``RefusalSearch``.
extension QueueDrain {
    /// A batch that the server refuses, and events further behind in the queue.
    struct RefusedBatch: Sendable {
        /// The events that the search settles.
        var reading: QueueReading
        /// The smallest of the events behind them, then one at random: sent as evidence that the server accepts any.
        var witnesses: [Witness] = []

        /// Sizes of the events in bytes, the witnesses last.
        var sizes: [Int] { reading.records.map(\.json.count) + witnesses.map(\.size) }
    }

    /// An event that is sent as evidence.
    struct Witness: Sendable {
        var reading: QueueReading
        var index: Int

        var size: Int { reading.records[index].json.count }
    }

    /// Bytes behind an event that was refused alone that are searched for a witness.
    private static let witnessBytes = 1_048_576
    /// Number of ranges behind that of the event that are searched for a witness, and bytes of each.
    private static let witnessRanges = (count: 8, bytes: 65_536)

    // MARK: The search

    /// Searches `batch` for the events that the server refuses, and sets them aside. Keeps all if the server accepts none.
    func resolve(_ batch: ReadyBatch, refusal: RefusalSearch.Refusal) async {
        let refused: RefusedBatch
        do throws(FileError) {
            guard let read = try batch.events > 1 ? reading(of: batch) : neighborhood(of: batch) else { return }
            refused = read
        } catch {
            // The events are kept; the next flush reads them again.
            fail(DeliveryFailure(FlushError(error)))
            return
        }
        let count = refused.reading.records.count
        var search =
            batch.events > 1
            ? RefusalSearch(batchOf: count, refusal: refusal)
            : RefusalSearch(
                eventOf: refused.sizes,
                witnesses: refused.witnesses.count,
                draw: uploader.ids.random(),
                refusal: refusal
            )
        while let part = search.next() {
            search.answered(await attempt(part, of: refused))
        }
        let result = search.result
        guard settle(result, of: refused.reading), let obstacle = result.obstacle else { return }
        switch obstacle {
        case .failed(let failure):
            account.lastError = failure.reason
            if !failure.reason.isDeadline { uploader.failed(failure) }
        case .tooManyParts(let refusal):
            uploader.shrink(from: count)
            fail(DeliveryFailure(.tooManyRefusals(refusal.reason)))
        case .everythingRefused(let refusal):
            let range = refused.reading.range
            _ = queue.change(range) { queue in
                // Smaller batches are no remedy for 413 to the smallest event.
                let refusals = refusal.status == 413 ? 0 : queue.queue.wholeRefusals(of: range) + 1
                return queue.queue.setWholeRefusals(refusals, of: range)
            }
            fail(DeliveryFailure(.everythingRefused(refusal.reason)))
        }
    }

    /// Reads the events of a batch once more.
    private func reading(of batch: ReadyBatch) throws(FileError) -> RefusedBatch? {
        guard let source = queue.change(batch.range, { $0.queue.source(of: batch.range) }) else { return nil }
        let reading = try QueueReading(source, batch.range, maxRawBytes: .max)
        guard reading.records.count == batch.events else {
            // Damaged or cut since it was sent: the next flush makes another batch.
            throw FileError(.read, batch.range.file, errno: FileError.broken)
        }
        return RefusedBatch(reading: reading)
    }

    /// Reads an event that was refused alone, and those behind it.
    /// - Returns: `nil` if the event was evicted meanwhile.
    private func neighborhood(of batch: ReadyBatch) throws(FileError) -> RefusedBatch? {
        queue.withdraw([batch.range])
        let state = queue.state(count: 1 + Self.witnessRanges.count)
        guard let next = state.ranges.first, next.range.run == batch.range.run,
            next.range.segment == batch.range.segment, next.range.from == batch.range.from
        else { return nil }
        let all = try QueueReading(next.source, next.range, maxRawBytes: Self.witnessBytes)
        let isPartitioned = state.address?.form.isPartitioned ?? false
        let maxCount = isPartitioned ? all.firstPartitionCount : all.records.count
        var refused = RefusedBatch(reading: all.prefix(min(maxCount, 1 + RefusalSearch.maxNeighbors)))
        let rest = all.records.indices.dropFirst(refused.reading.records.count).map { Witness(reading: all, index: $0) }
        var further: [Witness] = []
        for behind in state.ranges.dropFirst() {
            // A range that cannot be read gives no witness; its own turn reports why.
            if let reading = try? QueueReading(behind.source, behind.range, maxRawBytes: Self.witnessRanges.bytes) {
                further += reading.records.indices.map { Witness(reading: reading, index: $0) }
            }
        }
        // At random from another range if there is one: all events of this one may be bad.
        let candidates = further.isEmpty ? rest : further
        if let smallest = (rest + further).min(by: { $0.size < $1.size }) {
            refused.witnesses = [smallest, candidates[Int(uploader.ids.random() % UInt64(candidates.count))]]
        }
        guard !refused.reading.records.isEmpty, queue.begin([refused.reading.range]) != nil else { return nil }
        return refused
    }

    /// Sends some events of a batch that was refused, under a bundle id of their own.
    private func attempt(_ part: Range<Int>, of refused: RefusedBatch) async -> RefusalSearch.Answer {
        let state = queue.state()
        if let error = uploader.obstacle(state, end: end) { return .failed(DeliveryFailure(error)) }
        guard let address = state.address else { return .failed(DeliveryFailure(.interrupted)) }
        guard let bundle = queue.begin(partOf: refused.reading.range) else {
            return .failed(DeliveryFailure(uploader.obstacle(queue.state(), end: end) ?? .interrupted))
        }
        var (reading, records) = (refused.reading, part)
        if part.lowerBound >= reading.records.count {
            let witness = refused.witnesses[part.lowerBound - reading.records.count]
            (reading, records) = (witness.reading, witness.index..<witness.index + 1)
        }
        let form = address.form
        let batch = maker.make(records, of: reading, form)
        let partition = form.isPartitioned ? reading.partition(of: reading.records[records.lowerBound]) : nil
        let request = request(batch, bundle, partition, to: address)
        switch await send(request, rawBytes: batch.rawByteCount, address.format) {
        case .delivered: return .taken(rawBytes: batch.rawByteCount, sentBytes: request.body.count)
        case .refused(let status): return .refused(.answered(status))
        case .tooLarge: return .refused(.tooLarge(bytes: request.body.count))
        case .failed(let failure): return .failed(failure)
        }
    }

    // MARK: Settling

    /// Settles the first events of a batch: those refused are set aside, the server accepted all others.
    /// - Returns: false if the dead letters cannot be stored; nothing is settled then.
    private func settle(_ result: RefusalSearch.Result, of whole: QueueReading) -> Bool {
        guard result.settled > 0 else {
            queue.withdraw([whole.range])
            return true
        }
        let range = whole.prefix(result.settled).range
        let letters = result.refused.map { event in
            DeadLetter(
                json: Array(whole.bytes[whole.records[event.index].json]),
                status: event.refusal.status,
                reason: "\(event.refusal.reason)",
                attempts: event.attempts,
                setAside: time.now().wall,
                partition: whole.partition(of: whole.records[event.index])
            )
        }
        var notices = result.taken.map { part in
            Notice.uploaded(events: part.part.count, rawBytes: part.rawBytes, sentBytes: part.sentBytes)
        }
        if let first = result.refused.first {
            notices.append(.setAside(events: letters.count, reason: first.refusal.reason))
        }
        guard settle([range], setAside: letters, noting: notices) else { return false }
        uploader.succeeded()
        account.sent += result.taken.reduce(0) { $0 + $1.part.count }
        account.setAside += letters.count
        return true
    }
}
