/// Moves what is queued for one destination to its server, batch by batch, until the queue is empty. The only asynchronous
/// type of the core.
///
/// One flush runs at a time; whoever asks meanwhile joins it. Nothing is taken out of the queue before the server said
/// that it has it, so that whatever happens an event is sent again rather than lost; ids, timestamps and bundle sequence
/// stay the same, so that the server recognises it.
package final class Uploader: Sendable {
    /// Bytes of a probe as sent: the most that a batch has at the start, after a failure and after 60 s without a success,
    /// until one is delivered.
    ///
    /// Twenty attempts at a server that is down cost less than a tenth of a queue of a mebibyte.
    static let probeBytes = 4_096
    /// Milliseconds between two attempts towards the end of a flush with a deadline.
    private static let shortestPause: Int64 = 250
    /// Milliseconds for which a success says that the server answers.
    private static let trust: Int64 = 60_000

    let shared: SharedRecorder
    /// The queue that this one delivers from.
    private let queue: Int
    private let transport: (any Transport)?
    let time: any TimeSource
    let ids: any IDSource
    /// Whether the next batch is made while one is on its way.
    private let looksAhead: Bool
    let state = Locked(State())

    struct State: Sendable {
        var running: RunningFlush?
        var retry: (any ScheduledWork)?
        var backoff = Backoff()
        /// On the steady clock: nothing is tried before.
        var notBefore: Int64?
        /// On the steady clock: until then the server asked to be left alone.
        var askedUntil: Int64?
        /// On the steady clock: when a batch was last delivered.
        var lastSuccess: Int64?
        var lastError: FlushError?
        /// The pauses after failures to read the queue, and, on the steady clock, the end of the last one.
        var reading = (backoff: Backoff(), notBefore: Int64(0))
        /// What was last tried: with another endpoint or cookie the pause means nothing.
        var tried: Destination?
        /// How often in a row the server turned us away.
        var refusals: Int64 = 0
        /// The most events of a batch, after too much of a larger one was refused with 400; doubles with each success.
        var mostEvents: Int?
        var isOnline = true
        var isStopped = false
        /// Whether a flush was asked for while one was under way.
        var isAskedAgain = false
    }

    package init(
        shared: SharedRecorder,
        queue: Int,
        transport: (any Transport)?,
        time: any TimeSource,
        ids: any IDSource,
        looksAhead: Bool = true
    ) {
        self.shared = shared
        self.queue = queue
        self.transport = transport
        self.time = time
        self.ids = ids
        self.looksAhead = looksAhead
    }

    // MARK: Asking for a flush

    /// Begins a flush and returns at once.
    package func flushSoon() {
        guard transport != nil else { return }
        time.after(milliseconds: 0) { [self] in await flushUnlessRunning() }
    }

    /// Flushes; a flush that is under way takes care of what has come meanwhile, and is not waited for.
    /// - Returns: what became of the events; `nil` when a flush is under way.
    @discardableResult
    package func flushUnlessRunning() async -> FlushReport? {
        let isRunning = state.withLock { state in
            guard state.running != nil else { return false }
            state.isAskedAgain = true
            return true
        }
        return isRunning ? nil : await flush(deadline: nil)
    }

    /// Flushes, and says what became of the events.
    ///
    /// Without a deadline it stops at the first failure. With one it waits as long as the server asks or the pause after
    /// a failure lasts, the latter no longer than half of the time that is left, and tries again until the deadline has
    /// passed.
    package func flush(deadline: Int64?) async -> FlushReport {
        let end = deadline.map { time.now().steady + $0 }
        var total = FlushReport()
        while true {
            let report = await join(end: end)
            total.add(report)
            guard !report.isComplete, let end, !Task.isCancelled, let pause = pause(until: end) else { return total }
            do {
                try await time.sleep(milliseconds: pause)
            } catch {
                retryByItself()
                return total
            }
        }
    }

    /// How long to wait for the next attempt; `nil` when it would come after `end`, or never.
    ///
    /// A pause of our own is no longer than half of what is left, so that a server that comes back in time is not missed;
    /// what the server asks for stands. Who waits makes that attempt: the timer would make it behind their back.
    private func pause(until end: Int64) -> Int64? {
        let now = time.now().steady
        let mayTry = shared.read { $0.isEnabled } && destination?.endpoint.isEmpty == false
        return state.withLock { state in
            guard mayTry, !state.isStopped, state.isOnline, transport != nil else { return nil }
            let latest = now + max((end - now) / 2, Self.shortestPause)
            let wanted = max(state.notBefore ?? now, state.reading.notBefore)
            let next = max(min(wanted, latest), state.askedUntil ?? now, now)
            guard next < end else { return nil }
            state.notBefore = state.notBefore.map { min($0, next) }
            state.retry?.cancel()
            state.retry = nil
            return max(1, next - now)
        }
    }

    /// Sets the timer of the next attempt, when there is to be one and nobody waits for it any more.
    private func retryByItself() {
        let now = time.now().steady
        state.withLock { state in
            guard !state.isStopped, state.retry == nil, let next = state.notBefore else { return }
            state.retry = time.after(milliseconds: max(0, next - now)) { [weak self] in
                await self?.flushUnlessRunning()
            }
        }
    }

    private func join(end: Int64?) async -> FlushReport {
        let (flush, isOurs) = state.withLock { state in
            if let running = state.running { return (running, false) }
            let account = FlushAccount()
            // The flush outlives whoever asked: a cancelled caller does not leave a batch half sent.
            let task = Task {
                await drain(end: end, account)
                let isAskedAgain = self.state.withLock { state in
                    defer { state.isAskedAgain = false }
                    state.running = nil
                    return state.isAskedAgain
                }
                account.answer.give(.ended)
                // A flush that was ending may have missed what was queued just before it was asked for again.
                if isAskedAgain, account.mayGoOn, hasPendingEvents { flushSoon() }
            }
            let flush = RunningFlush(task: task, account: account)
            state.running = flush
            return (flush, true)
        }
        if isOurs {
            let hasEnded = await flush.account.answer.value == .ended
            return hasEnded ? flush.account.report : reportAtDeadline(flush.account.tell())
        }
        guard await answer(of: flush.task, by: end) == .ended else { return reportAtDeadline(FlushReport()) }
        var report = flush.account.untold
        // A flush that was ending may have missed what was queued just before we joined it.
        guard flush.account.mayGoOn, hasPendingEvents else { return report }
        report.add(await join(end: end))
        return report
    }

    func withQueue<Result: Sendable>(_ body: (inout DestinationQueue) -> Result) -> Result? {
        shared.change { $0.withQueue(queue, body) }
    }

    var destination: Destination? { withQueue { $0.destination } }
    private var pendingEvents: Int { withQueue { $0.queue.pendingEvents } ?? 0 }
    private var hasPendingEvents: Bool { pendingEvents > 0 }

    /// Waits for a flush that somebody else began, but not past `end`; that flush goes on.
    private func answer(of flush: Task<Void, Never>, by end: Int64?) async -> FlushAnswer {
        guard let end else {
            await flush.value
            return .ended
        }
        let answer = FirstAnswer()
        let timer = time.after(milliseconds: max(0, end - time.now().steady)) { answer.give(.deadline) }
        Task {
            await flush.value
            answer.give(.ended)
            timer.cancel()
        }
        return await answer.value
    }

    private func reportAtDeadline(_ soFar: FlushReport) -> FlushReport {
        var report = soFar
        report.retained = pendingEvents
        report.lastError = report.retained > 0 ? atDeadline : nil
        return report
    }

    private var atDeadline: FlushError { .deadlinePassed(after: state.withLock { $0.lastError }) }

    /// Says whether the network can be reached.
    package func setOnline(_ isOnline: Bool) {
        state.withLock { state in
            state.isOnline = isOnline
            if isOnline { (state.notBefore, state.askedUntil) = (nil, nil) }
        }
    }

    /// True while a flush is under way.
    package var isRunning: Bool { state.withLock { $0.running != nil } }

    /// Ends all delivery for good, once the request under way has ended: cut off, it might be sent twice.
    /// - Returns: whether the last that was tried, if anything was, went well.
    package func finish() async -> Bool {
        let running = state.withLock { state in
            state.isStopped = true
            state.retry?.cancel()
            return state.running?.task
        }
        await running?.value
        return state.withLock { $0.lastError == nil }
    }

    /// Ends all delivery for good; a request under way is cancelled, its events are kept.
    package func stop() {
        state.withLock { state in
            state.isStopped = true
            state.retry?.cancel()
            state.running?.task.cancel()
        }
    }

    // MARK: Draining

    private func drain(end: Int64?, _ report: FlushAccount) async {
        var limit = BodyLimit()
        let maker = BatchMaker()
        let (lock, reason) = shared.change { $0.lockForUpload(queue) }
        // Held to the end, maybe together with the delivery to another destination.
        defer { withExtendedLifetime(lock) {} }
        report.lastError = reason
        var ahead: MadeBatch?
        while report.lastError == nil, obstacle(end: end) == nil,
            let made = nextBatch(limit: limit.bytes, maker, ahead, report)
        {
            // Writing down, sending and settling one batch mostly wait, for the disk and the server: meanwhile the next
            // one is made.
            let next = recipe(after: made, limit: limit.bytes)
            async let making = make(next, maker)
            let outcome = await deliver(made, end: end, report)
            ahead = await making
            guard let (batch, verdict) = outcome else { continue }
            switch verdict {
            case .delivered:
                limit.accepted()
            case .tooLarge where batch.events > 1:
                limit.refused(bytes: batch.request.body.count)
            case .tooLarge:
                let refusal = RefusalSearch.Refusal.tooLarge(bytes: batch.request.body.count)
                await resolve(batch, refusal: refusal, end: end, maker, report)
            case .refused where batch.events > 1 && limit.isActive:
                // Larger batches, in which a good half could be found, are too large: the first event is singled out.
                limit.refused(bytes: batch.request.body.count)
            case .refused(let status):
                await resolve(batch, refusal: .answered(status), end: end, maker, report)
            case .failed(let failure):
                report.lastError = failure.reason
                failed(failure)
            }
        }
        report.retained = pendingEvents
        if report.retained > 0 {
            let reason = report.lastError ?? obstacle(end: end) ?? .interrupted
            report.lastError = reason
            let retained = report.retained
            shared.change { $0.note(.retained(events: retained, reason: reason)) }
        }
    }

    /// Why nothing can be tried now; `nil` when it can.
    func obstacle(end: Int64?) -> FlushError? {
        guard transport != nil else { return .noTransport }
        guard shared.read({ $0.isEnabled }) else { return .disabled }
        guard let destination else { return nil }
        let endpoint = destination.endpoint
        guard !endpoint.isEmpty else { return .noEndpoint }
        do {
            _ = try Endpoint(endpoint)
        } catch {
            return .invalidEndpoint(reason: "\(error)")
        }
        let now = time.now().steady
        if let end, now >= end { return atDeadline }
        return state.withLock { state in
            if state.isStopped { return .clientEnded }
            if !state.isOnline { return .offline }
            if state.tried != destination {
                state.tried = destination
                (state.notBefore, state.askedUntil) = (nil, nil)
                state.refusals = 0
            }
            guard let notBefore = state.notBefore, now < notBefore else { return nil }
            return .pausing(milliseconds: notBefore - now, after: state.lastError)
        }
    }

    /// One request that is ready to go, and the part of the queue that it holds.
    struct ReadyBatch: Sendable {
        var range: QueueRange
        var events: Int
        var rawBytes: Int
        var request: UploadRequest
    }

    /// What comes next in the queue, made into a batch; `nil` when nothing can be made now.
    /// - Parameter ahead: what was made while the one before was on its way; made anew unless it is just what comes next.
    private func nextBatch(
        limit: Int,
        _ maker: BatchMaker,
        _ ahead: MadeBatch?,
        _ report: FlushAccount
    ) -> MadeBatch? {
        let configuration = shared.read { $0.configuration }
        while let (range, source) = nextRange {
            do throws(FileError) {
                let recipe = recipe(for: range, limit: limit, configuration)
                let isMade = ahead?.isMade(by: recipe) ?? false
                let made = if let ahead, isMade { ahead } else { try maker.make(recipe, from: source) }
                state.withLock { $0.reading.backoff.succeeded() }
                guard made.batch.eventCount == 0 else { return made }
                _ = withQueue { $0.queue.acknowledge(made.range) }
            } catch {
                guard mayGoOn(after: error, reading: range, report) else { return nil }
            }
        }
        return nil
    }

    /// What comes next in the queue, and where its bytes are read from.
    private var nextRange: (QueueRange, SegmentSource)? {
        withQueue { queue in queue.queue.nextRange.map { ($0, queue.queue.source(of: $0)) } } ?? nil
    }

    /// Decides what a failure to read a range means: it was evicted meanwhile, its file is gone, or it is kept for a later
    /// attempt.
    /// - Returns: whether the next range can be read now.
    private func mayGoOn(after error: FileError, reading range: QueueRange, _ report: FlushAccount) -> Bool {
        guard error.isMissingFile else {
            report.lastError = .store(reason: "\(error)")
            readingFailed(error)
            return false
        }
        shared.change { $0.lookForStore() }
        let isGivenUp =
            withQueue { queue in
                // A cap, or another flush, may have removed the segment.
                guard queue.queue.holds(range) else { return false }
                queue.queue.giveUp(range)
                return true
            } ?? false
        if isGivenUp {
            let text = "\(range.events) events are lost: another program removed or renamed \(range.file)"
            shared.change { $0.note(.warning(text)) }
        }
        return true
    }

    /// Reading is tried again after a pause, and by each flush that is asked for; the first failure in a row is reported.
    private func readingFailed(_ error: FileError) {
        let now = time.now().steady
        let random = ids.random()
        let isFirst = state.withLock { state in
            let isFirst = state.reading.backoff.failures == 0
            guard !state.isStopped else { return isFirst }
            let pause = state.reading.backoff.failed(atLeast: 0, random: random)
            state.reading.notBefore = now + pause
            state.retry?.cancel()
            state.retry = time.after(milliseconds: pause) { [weak self] in await self?.flushUnlessRunning() }
            return isFirst
        }
        if isFirst { shared.change { $0.note(.warning("\(error)")) } }
    }

    private func recipe(for range: QueueRange, limit: Int, _ configuration: Configuration) -> BatchRecipe {
        let refusals = withQueue { $0.queue.wholeRefusals(of: range) } ?? 0
        let isShort = !isServerKnown && refusals == 0
        return BatchRecipe(
            range: range,
            limit: min(configuration.maxBatchBytes, limit, isShort ? Self.probeBytes : .max),
            mostEvents: refusals > 0 ? Self.mostEvents(refusals) : state.withLock { $0.mostEvents } ?? .max,
            isCompressed: configuration.compressesEvents
        )
    }

    /// Whether the server took something lately, and nothing has failed since.
    private var isServerKnown: Bool {
        let now = time.now().steady
        return state.withLock { state in
            state.backoff.failures == 0 && state.lastSuccess.map { now - $0 <= Self.trust } ?? false
        }
    }

    /// What comes next once a batch is delivered, if nothing else happens until then; `nil` when nothing is to be made ahead.
    ///
    /// While nobody knows whether the server answers, that would be work for nothing at each attempt.
    private func recipe(after made: MadeBatch, limit: Int) -> (recipe: BatchRecipe, source: SegmentSource)? {
        guard looksAhead, isServerKnown else { return nil }
        let configuration = shared.read { $0.configuration }
        let next =
            withQueue { queue in
                queue.queue.nextRange(after: made.range).map { ($0, queue.queue.source(of: $0)) }
            } ?? nil
        return next.map { range, source in (recipe(for: range, limit: limit, configuration), source) }
    }

    /// Makes a batch ahead. It is dropped when it turns out not to come next.
    private func make(_ next: (recipe: BatchRecipe, source: SegmentSource)?, _ maker: BatchMaker) async -> MadeBatch? {
        // A failure to read is reported when the batch's turn comes, if it fails again.
        try? next.map { try maker.make($0.recipe, from: $0.source) }
    }

    /// Writes down that a batch is about to be sent, sends it, and settles it when the server took it.
    /// - Returns: `nil` when it is no longer to be sent: it was evicted, or its destination is gone.
    private func deliver(
        _ made: MadeBatch,
        end: Int64?,
        _ report: FlushAccount
    ) async -> (ReadyBatch, DeliveryVerdict)? {
        let (configuration, platform) = shared.read { ($0.configuration, $0.device.platform) }
        guard let destination, let endpoint = endpoint(destination.endpoint),
            let bundle = withQueue({ $0.queue.begin(made.range) }) ?? nil
        else { return nil }
        let batch = ReadyBatch(
            range: made.range,
            events: made.batch.eventCount,
            rawBytes: made.batch.rawByteCount,
            request: request(made.batch, bundle, to: endpoint, destination, platform, configuration)
        )
        let verdict = await send(batch.request, rawBytes: batch.rawBytes, end: end, report)
        if verdict == .delivered {
            report.sent += batch.events
            delivered(batch)
        }
        return (batch, verdict)
    }

    func request(
        _ batch: Batch,
        _ bundle: Int,
        to endpoint: Endpoint,
        _ destination: Destination,
        _ platform: String,
        _ configuration: Configuration
    ) -> UploadRequest {
        UploadRequest.make(
            batch,
            to: endpoint,
            platform: platform,
            appID: destination.appID,
            bundleSequenceID: Int64(bundle),
            at: time.now().wall,
            authCookie: destination.authCookie,
            connectTimeout: configuration.connectTimeout,
            requestTimeout: configuration.requestTimeout
        )
    }

    func endpoint(_ text: String) -> Endpoint? {
        do {
            return try Endpoint(text)
        } catch {
            return nil
        }
    }

    func send(
        _ request: UploadRequest,
        rawBytes: Int,
        end: Int64?,
        _ report: FlushAccount
    ) async -> DeliveryVerdict {
        guard let transport else { return .failed(DeliveryFailure(.noTransport)) }
        report.attempts += 1
        // The request goes on after the deadline: cut off, it would be sent twice. Who asked does not wait for it.
        let timer = end.map { end in
            time.after(milliseconds: max(0, end - time.now().steady)) { report.answer.give(.deadline) }
        }
        defer { timer?.cancel() }
        let result: Result<UploadResponse, TransportError>
        do {
            result = .success(try await transport.send(request))
        } catch {
            result = .failure(error)
        }
        // Without a connection nothing went over the wire.
        if case .failure(.refused) = result {
        } else {
            report.rawBytes += rawBytes
            report.sentBytes += request.body.count
        }
        return DeliveryVerdict(result, now: time.now().wall)
    }

    func succeeded() {
        let now = time.now().steady
        state.withLock { state in
            state.lastSuccess = now
            state.backoff.succeeded()
            (state.notBefore, state.askedUntil) = (nil, nil)
            state.lastError = nil
            state.refusals = 0
        }
    }

    private func delivered(_ batch: ReadyBatch) {
        succeeded()
        grow(after: batch.range)
        shared.change { recorder in
            _ = recorder.withQueue(queue) { $0.queue.acknowledge(batch.range) }
            recorder.note(
                .uploaded(events: batch.events, rawBytes: batch.rawBytes, sentBytes: batch.request.body.count)
            )
        }
    }

    /// Keeps the events, and pauses. A server that accepts nothing from this client is left alone for longer each time, an
    /// hour at most, which is reported once.
    func failed(_ failure: DeliveryFailure) {
        var atLeast = failure.atLeast
        if failure.reason.isClientRefused {
            let refusals = state.withLock { state in
                state.refusals += 1
                return state.refusals
            }
            if refusals == 1 { shared.change { $0.note(.deliveryRefused(failure.reason)) } }
            atLeast = max(atLeast, min(3_600_000, atLeast << min(refusals - 1, 6)))
        }
        let now = time.now().steady
        let random = ids.random()
        state.withLock { state in
            state.lastError = failure.reason
            guard !state.isStopped else { return }
            let pause = state.backoff.failed(atLeast: atLeast, random: random)
            state.notBefore = now + pause
            state.askedUntil = atLeast > 0 ? now + min(atLeast, pause) : nil
            state.retry?.cancel()
            state.retry = time.after(milliseconds: pause) { [weak self] in await self?.flushUnlessRunning() }
        }
    }
}
