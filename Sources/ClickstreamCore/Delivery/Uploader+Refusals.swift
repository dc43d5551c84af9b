/// Handling of 400 and 413: the shell around ``RefusalSearch``.
extension Uploader {
    /// A batch that a server refuses, and events from further behind in the queue.
    struct RefusedBatch: Sendable {
        /// The events that the search settles.
        var reading: QueueReading
        /// The smallest of the events behind them and one at random, sent as evidence that the server takes any.
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

    /// Numbers of events to try in turn after every part of a batch was refused with 400: one of these batches has nothing bad
    /// in its second half, if the fault is that of some events.
    static func mostEvents(_ wholeRefusals: Int) -> Int {
        let sizes = [2, 3, 5, 9, 17, 33, .max]
        return wholeRefusals == 0 ? .max : sizes[(wholeRefusals - 1) % sizes.count]
    }

    /// A batch of this size that is taken ends the restriction to small ones.
    private static let manyEvents = 65_536
    /// Bytes behind an event that was refused alone in which a witness is looked for.
    private static let witnessBytes = 1_048_576
    /// Ranges behind that of the event in which a witness is looked for, and bytes of each.
    private static let witnessRanges = (count: 8, bytes: 65_536)

    /// Doubles the size of the next batches: part of `range` was taken.
    func grow(after range: QueueRange) {
        let refusals = withQueue { $0.queue.setWholeRefusals(0, of: range) } ?? 0
        state.withLock { state in
            guard let most = refusals > 0 ? Self.mostEvents(refusals) : state.mostEvents else { return }
            state.mostEvents = most < Self.manyEvents ? most * 2 : nil
        }
    }

    /// Makes the next batches smaller: one had too many refused events to take it apart.
    private func shrink(from events: Int) {
        state.withLock { $0.mostEvents = max(2, events / 4) }
    }

    // MARK: The search

    /// Finds the events for which the server refuses `batch`, and puts them aside; keeps everything if it takes none.
    func resolve(
        _ batch: ReadyBatch,
        refusal: RefusalSearch.Refusal,
        end: Int64?,
        _ maker: BatchMaker,
        _ report: FlushAccount
    ) async {
        let refused: RefusedBatch
        do throws(FileError) {
            guard let read = try batch.events > 1 ? reading(of: batch) : neighborhood(of: batch) else { return }
            refused = read
        } catch {
            // The events are kept; the next flush reads them again.
            fail(because: .store(reason: "\(error)"), report)
            return
        }
        let count = refused.reading.records.count
        var search =
            batch.events > 1
            ? RefusalSearch(batchOf: count, refusal: refusal)
            : RefusalSearch(
                eventOf: refused.sizes,
                witnesses: refused.witnesses.count,
                draw: ids.random(),
                refusal: refusal
            )
        while let part = search.next() {
            search.answered(await attempt(part, of: refused, end: end, maker, report))
        }
        let result = search.result
        guard settle(result, of: refused.reading, report), let obstacle = result.obstacle else { return }
        switch obstacle {
        case .failed(let failure):
            report.lastError = failure.reason
            if !failure.reason.isDeadline { failed(failure) }
        case .tooManyParts(let refusal):
            shrink(from: count)
            fail(because: .tooManyRefusals(refusal.reason), report)
        case .everythingRefused(let refusal):
            _ = withQueue { queue in
                let range = refused.reading.range
                // Smaller batches are no remedy for 413 to the smallest event.
                let refusals = refusal.status == 413 ? 0 : queue.queue.wholeRefusals(of: range) + 1
                return queue.queue.setWholeRefusals(refusals, of: range)
            }
            fail(because: .everythingRefused(refusal.reason), report)
        }
    }

    private func fail(because reason: FlushError, _ report: FlushAccount) {
        report.lastError = reason
        failed(DeliveryFailure(reason))
    }

    /// Reads the events of a batch once more.
    private func reading(of batch: ReadyBatch) throws(FileError) -> RefusedBatch? {
        guard let source = withQueue({ $0.queue.source(of: batch.range) }) else { return nil }
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
        let found = withQueue { queue in
            queue.queue.withdraw(batch.range)
            return queue.queue.nextRange.map { (range: $0, source: queue.queue.source(of: $0)) }
        }
        guard let (range, source) = found ?? nil, range.run == batch.range.run, range.segment == batch.range.segment,
            range.from == batch.range.from
        else { return nil }
        let all = try QueueReading(source, range, maxRawBytes: Self.witnessBytes)
        var refused = RefusedBatch(reading: all.prefix(1 + RefusalSearch.mostNeighbors))
        var others = all.records.indices.dropFirst(refused.reading.records.count).map {
            Witness(reading: all, index: $0)
        }
        var last = range
        for _ in 0..<Self.witnessRanges.count {
            let behind = withQueue { [last] queue in
                queue.queue.nextRange(after: last).map { ($0, queue.queue.source(of: $0)) }
            }
            guard let (next, source) = behind ?? nil else { break }
            // A range that cannot be read gives no witness; its own turn reports why.
            if let reading = try? QueueReading(source, next, maxRawBytes: Self.witnessRanges.bytes) {
                others += reading.records.indices.map { Witness(reading: reading, index: $0) }
            }
            last = next
        }
        if let smallest = others.min(by: { $0.size < $1.size }) {
            refused.witnesses = [smallest, others[Int(ids.random() % UInt64(others.count))]]
        }
        guard !refused.reading.records.isEmpty,
            (withQueue { [range = refused.reading.range] in $0.queue.begin(range) } ?? nil) != nil
        else { return nil }
        return refused
    }

    /// Sends some events of a batch that was refused, under a bundle id of their own.
    private func attempt(
        _ part: Range<Int>,
        of refused: RefusedBatch,
        end: Int64?,
        _ maker: BatchMaker,
        _ report: FlushAccount
    ) async -> RefusalSearch.Answer {
        if let reason = obstacle(end: end) { return .failed(DeliveryFailure(reason)) }
        let (configuration, platform) = shared.read { ($0.configuration, $0.device.platform) }
        guard let destination, let endpoint = endpoint(destination.endpoint),
            let bundle = withQueue({ $0.queue.reserveBundleID(for: refused.reading.range) }) ?? nil
        else { return .failed(DeliveryFailure(.interrupted)) }
        var (reading, records) = (refused.reading, part)
        if part.lowerBound >= reading.records.count {
            let witness = refused.witnesses[part.lowerBound - reading.records.count]
            (reading, records) = (witness.reading, witness.index..<witness.index + 1)
        }
        let batch = maker.make(records, of: reading, isCompressed: configuration.compressesEvents)
        let request = request(batch, bundle, to: endpoint, destination, platform, configuration)
        switch await send(request, rawBytes: batch.rawByteCount, end: end, report) {
        case .delivered: return .taken(rawBytes: batch.rawByteCount, sentBytes: request.body.count)
        case .refused(let status): return .refused(.answered(status))
        case .tooLarge: return .refused(.tooLarge(bytes: request.body.count))
        case .failed(let failure): return .failed(failure)
        }
    }

    // MARK: Settling

    /// Settles the first events of a batch: those refused are put aside, all others were taken.
    /// - Returns: `false` if the disk would not take what is to be put aside; nothing is settled then.
    private func settle(_ result: RefusalSearch.Result, of whole: QueueReading, _ report: FlushAccount) -> Bool {
        guard result.settled > 0 else {
            _ = withQueue { $0.queue.withdraw(whole.range) }
            return true
        }
        let range = whole.prefix(result.settled).range
        let letters = result.refused.map { event in
            DeadLetter(
                json: Array(whole.bytes[whole.records[event.index].json]),
                status: event.refusal.status,
                reason: "\(event.refusal.reason)",
                attempts: event.attempts,
                setAside: time.now().wall
            )
        }
        let failure: StoreError? =
            withQueue { queue in
                do throws(StoreError) {
                    try queue.settle(range, setAside: letters)
                    return nil
                } catch {
                    return error
                }
            } ?? nil
        if let failure {
            fail(because: .store(reason: "\(failure)"), report)
            return false
        }
        grow(after: range)
        succeeded()
        for part in result.taken {
            report.sent += part.part.count
            shared.change {
                $0.note(.uploaded(events: part.part.count, rawBytes: part.rawBytes, sentBytes: part.sentBytes))
            }
        }
        report.setAside += letters.count
        if let reason = letters.first?.reason {
            shared.change { $0.note(.setAside(events: letters.count, reason: reason)) }
        }
        return true
    }
}

extension RefusalSearch.Refusal {
    static func tooLarge(bytes: Int) -> Self {
        Self(status: 413, reason: .tooLarge(bytes: bytes))
    }

    static func answered(_ status: Int) -> Self {
        Self(status: status, reason: .status(status))
    }
}
