/// One flush: sends the queue of an uploader batch by batch, until it is empty or nothing can be sent.
struct QueueDrain: Sendable {
    /// Bytes of a probe as sent: the limit on a batch at the start, after a failure and after 60 s without a success, until
    /// one is delivered.
    ///
    /// Twenty attempts at a server that is down cost less than a tenth of a queue of a mebibyte.
    static let probeBytes = 4_096
    /// Ranges of a merged batch, at most.
    private static let maxRanges = 129

    let uploader: Uploader
    /// Deadline, on the steady clock.
    let end: Int64?
    /// True for the last flush of a client, whose caller awaits the request in progress at the deadline: an attempt to connect
    /// ends then, since nothing was sent.
    let isLast: Bool
    let account: FlushAccount
    let maker = BatchMaker()

    var queue: DeliveryQueue { uploader.queue }
    var time: any TimeSource { uploader.time }

    /// A request that is ready to be sent, and the parts of the queue that it contains.
    struct ReadyBatch: Sendable {
        var ranges: [QueueRange]
        var events: Int
        var rawBytes: Int
        var request: UploadRequest

        /// The first of its ranges: the only one, unless it contains several run folders.
        var range: QueueRange { ranges[0] }
    }

    init(_ uploader: Uploader, end: Int64?, isLast: Bool, _ account: FlushAccount) {
        self.uploader = uploader
        self.end = end
        self.isLast = isLast
        self.account = account
    }

    func run() async {
        var limit = BodyLimit()
        let (lock, error) = queue.lock()
        // Held to the end, possibly together with the delivery to another destination.
        defer { withExtendedLifetime(lock) {} }
        account.lastError = error
        var ahead: MadeBatch?
        var merges = queue.mergesRuns
        while let (made, address) = nextBatch(limit: limit.bytes, merges: merges, ahead) {
            // Writing the manifest, sending and settling a batch mostly wait for the disk and the server: meanwhile the next
            // one is made.
            let next = recipe(after: made, limit: limit.bytes)
            async let making = make(next)
            let outcome = await deliver(made, to: address)
            ahead = await making
            guard let (batch, verdict) = outcome else { continue }
            if batch.ranges.count > 1, verdict.isRefusal {
                // The events that the server refuses are searched for in each run folder alone.
                queue.withdraw(batch.ranges)
                merges = false
                if verdict == .tooLarge { limit.refused(bytes: batch.request.body.count) }
                continue
            }
            switch limit.answered(verdict, events: batch.events, bytes: batch.request.body.count) {
            case .proceed: break
            case .search(let refusal): await resolve(batch, refusal: refusal)
            case .fail(let failure): fail(failure)
            }
        }
        let rest = queue.state()
        account.retained = rest.pendingEvents
        guard account.retained > 0 else { return }
        let reason = account.lastError ?? uploader.obstacle(rest, end: end) ?? .interrupted
        account.lastError = reason
        queue.note(.retained(events: account.retained, reason: reason))
    }

    /// Ends the flush after a failed attempt.
    func fail(_ failure: DeliveryFailure) {
        account.lastError = failure.reason
        uploader.failed(failure)
    }

    // MARK: Making batches

    /// Makes a batch of the next events of the queue; returns `nil` if none can be made now.
    /// - Parameter ahead: batch that was made while the one before was under way; used if it is still what comes next.
    private func nextBatch(limit: Int, merges: Bool, _ ahead: MadeBatch?) -> (MadeBatch, RequestAddress)? {
        while account.lastError == nil {
            let state = queue.state(count: merges ? Self.maxRanges : 1)
            // An invalid endpoint is reported before each attempt.
            guard uploader.obstacle(state, end: end) == nil, let next = state.ranges.first, let address = state.address
            else { return nil }
            do throws(FileError) {
                let recipe = recipe(for: next, limit: limit, address)
                let isMade = ahead?.isMade(by: recipe) ?? false
                let made =
                    if let ahead, isMade {
                        ahead
                    } else {
                        try maker.make(recipe, from: next.source, and: Self.further(behind: next, of: state))
                    }
                uploader.readingSucceeded()
                guard made.batch.eventCount == 0 else { return (made, address) }
                queue.acknowledge(made.ranges)
            } catch {
                guard isSkipped(next.range, after: error) else { return nil }
            }
        }
        return nil
    }

    /// The ranges of a queue, of other run folders too, that may be sent in one batch with the first.
    private static func further(behind first: PendingRange, of state: QueueState) -> [PendingRange] {
        // A range that was sent before is sent alone, unchanged, and before those behind it.
        guard first.range.bundleID == nil else { return [] }
        return Array(state.ranges.dropFirst().prefix { $0.range.bundleID == nil })
    }

    /// Handles a failure to read a range: the range was evicted meanwhile, its file is gone, or it is kept for a later attempt.
    /// - Returns: true if the next range can be read now.
    private func isSkipped(_ range: QueueRange, after error: FileError) -> Bool {
        guard error.isMissingFile else {
            account.lastError = FlushError(error)
            uploader.readingFailed(error)
            return false
        }
        queue.findStore()
        let isGivenUp = queue.change(range) { queue in
            // A cap, or another flush, may have removed the segment.
            guard queue.queue.holds(range) else { return false }
            queue.queue.giveUp(range)
            return true
        }
        if isGivenUp == true {
            queue.note(
                .warning(
                    .init(
                        .eventsLost,
                        "\(range.events) events are lost: another program removed or renamed \(range.file)"
                    )
                )
            )
        }
        return true
    }

    private func recipe(for next: PendingRange, limit: Int, _ address: RequestAddress) -> BatchParameters {
        let refusals = next.wholeRefusals
        let isProbe = !uploader.isServerAvailable && refusals == 0
        return BatchParameters(
            range: next.range,
            limit: min(address.settings.configuration.maxBatchBytes, limit, isProbe ? Self.probeBytes : .max),
            maxEvents: uploader.maxEvents(wholeRefusals: refusals),
            form: address.form
        )
    }

    /// Recipe of the batch to send once `made` is delivered, if nothing else happens until then; `nil` if none is to be made
    /// ahead: while the server may be unavailable, each attempt would make one in vain.
    private func recipe(after made: MadeBatch, limit: Int) -> (recipe: BatchParameters, source: SegmentSource)? {
        guard uploader.readsAhead, uploader.isServerAvailable else { return nil }
        let state = queue.state(behind: made.range, count: 1)
        guard let next = state.ranges.first, let address = state.address else { return nil }
        return (recipe(for: next, limit: limit, address), next.source)
    }

    /// Makes a batch ahead. It is dropped unless it comes next.
    private func make(_ next: (recipe: BatchParameters, source: SegmentSource)?) async -> MadeBatch? {
        // A failure to read is reported when the batch's turn comes, if it fails again.
        try? next.map { try maker.make($0.recipe, from: $0.source) }
    }

    // MARK: Sending

    /// Writes to the manifest that a batch is about to be sent, sends it, and removes it from the queue if the server accepts it.
    /// - Returns: `nil` if it is not to be sent any more: it was evicted, its destination is gone, or consent was withdrawn.
    private func deliver(
        _ made: MadeBatch,
        to address: RequestAddress
    ) async -> (ReadyBatch, DeliveryVerdict)? {
        guard let bundle = queue.begin(made.ranges) else { return nil }
        let batch = ReadyBatch(
            ranges: made.ranges,
            events: made.batch.eventCount,
            rawBytes: made.batch.rawByteCount,
            request: request(made.batch, bundle, made.range.partition, to: address)
        )
        let verdict = await send(batch.request, rawBytes: batch.rawBytes, address.format)
        if verdict == .delivered {
            account.sent += batch.events
            delivered(batch)
        }
        return (batch, verdict)
    }

    private func delivered(_ batch: ReadyBatch) {
        uploader.succeeded()
        let notice = Notice.uploaded(
            events: batch.events,
            rawBytes: batch.rawBytes,
            sentBytes: batch.request.body.count
        )
        _ = settle(batch.ranges, noting: [notice])
    }

    /// Removes ranges that the server has answered: some events of the first are set aside, the server accepted all others.
    /// - Returns: false if the dead letters cannot be stored; nothing is settled then.
    func settle(_ ranges: [QueueRange], setAside letters: [DeadLetter] = [], noting notices: [Notice]) -> Bool {
        do throws(StoreError) {
            uploader.grow(wholeRefusals: try queue.settle(ranges, setAside: letters, noting: notices))
            return true
        } catch {
            fail(DeliveryFailure(.store(error)))
            return false
        }
    }

    func request(
        _ batch: Batch,
        _ bundle: Int,
        _ partition: PartitionKey?,
        to address: RequestAddress
    ) -> UploadRequest {
        let attempt = DeliveryAttempt(
            endpoint: address.endpoint,
            destination: address.destination,
            configuration: address.settings.configuration,
            device: address.settings.device,
            bundleSequenceID: Int64(bundle),
            partition: partition,
            time: time.now().wall
        )
        return address.format.request(for: batch, attempt)
    }

    func send(_ request: UploadRequest, rawBytes: Int, _ format: any WireFormat) async -> DeliveryVerdict {
        guard let transport = uploader.transport else { return .failed(DeliveryFailure(.noTransport)) }
        account.attempts += 1
        // The request continues after the deadline: cut off, it would be sent twice. The caller does not wait for it.
        let timer = end.map { end in
            time.after(milliseconds: max(0, end - time.now().steady)) { account.answer.give(.deadline) }
        }
        defer { timer?.cancel() }
        let result: Result<UploadResponse, TransportError>
        var request = request
        if isLast, let end {
            let left = max(1, end - time.now().steady)
            request.connectTimeout = min(request.connectTimeout, .milliseconds(left))
        }
        do {
            result = .success(try await transport.send(request))
        } catch {
            result = .failure(error)
        }
        switch result {
        case .failure(.refused), .failure(.cancelled):
            // Without a connection nothing went over the wire, and a cancelled request may have had none.
            break
        case .success, .failure:
            account.rawBytes += rawBytes
            account.sentBytes += request.body.count
        }
        return format.verdict(on: result, at: time.now().wall)
    }
}
