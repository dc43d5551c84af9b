/// Moves what is queued for one destination to its server, batch by batch, until the queue is empty. The only asynchronous
/// type of the core.
///
/// One flush runs at a time; whoever asks meanwhile joins it. Nothing is taken out of the queue before the server said
/// that it has it, so that whatever happens an event is sent again rather than lost; ids, timestamps and bundle sequence
/// stay the same, so that the server recognises it.
package final class Uploader: Sendable {
    /// While nobody knows whether the server answers, a batch has at most so many bytes as sent, until one succeeds.
    ///
    /// Twenty attempts at a server that is down then cost less than a tenth of a queue of a mebibyte.
    static let probeBytes = 4_096
    /// Milliseconds for which a success says that the server answers.
    private static let trust: Int64 = 60_000
    /// So many bytes of the queue are read for a batch: at sixteen to one they fill the largest.
    private static let readBytes = 8_388_608

    private let shared: SharedRecorder
    /// The queue that this one delivers from.
    private let queue: Int
    private let files: any FileSystem
    private let transport: (any Transport)?
    private let time: any TimeSource
    private let ids: any IDSource
    private let state = Locked(State())

    private struct State: Sendable {
        var running: Task<FlushReport, Never>?
        var retry: (any ScheduledWork)?
        var backoff = Backoff()
        /// On the steady clock: nothing is tried before.
        var notBefore: Int64?
        /// On the steady clock: when a batch was last delivered.
        var lastSuccess: Int64?
        var lastError: String?
        /// What was last tried: with another endpoint or cookie the pause means nothing.
        var tried: Destination?
        /// How often in a row the server turned us away.
        var refusals: Int64 = 0
        /// Whether the first event was refused alone: the next request needs a second one, to tell whose fault it is.
        var needsNeighbor = false
        var isOnline = true
        var isStopped = false
        /// Whether a flush was asked for while one was under way.
        var isAskedAgain = false
    }

    package init(
        shared: SharedRecorder,
        queue: Int,
        files: any FileSystem,
        transport: (any Transport)?,
        time: any TimeSource,
        ids: any IDSource
    ) {
        self.shared = shared
        self.queue = queue
        self.files = files
        self.transport = transport
        self.time = time
        self.ids = ids
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
    /// a failure lasts, and tries again until the deadline has passed.
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
    /// Who waits makes that attempt: the timer would make it behind their back.
    private func pause(until end: Int64) -> Int64? {
        let now = time.now().steady
        let mayTry = shared.read { $0.isEnabled } && destination?.endpoint.isEmpty == false
        return state.withLock { state in
            guard mayTry, !state.isStopped, state.isOnline, transport != nil else { return nil }
            let next = max(state.notBefore ?? now, now)
            guard next < end else { return nil }
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
        let (task, isOurs) = state.withLock { state in
            if let running = state.running { return (running, false) }
            // The flush outlives whoever asked: a cancelled caller does not leave a batch half sent.
            let task = Task {
                let report = await drain(end: end)
                let isAskedAgain = self.state.withLock { state in
                    defer { state.isAskedAgain = false }
                    state.running = nil
                    return state.isAskedAgain
                }
                // A flush that was ending may have missed what was queued just before it was asked for again.
                if isAskedAgain, report.isComplete, hasPendingEvents { flushSoon() }
                return report
            }
            state.running = task
            return (task, true)
        }
        if !isOurs, let end {
            guard let report = await result(of: task, by: end) else { return reportAtDeadline() }
            return report.isComplete && hasPendingEvents ? await join(end: end) : report
        }
        let report = await task.value
        // A flush that was ending may have missed what was queued just before we joined it.
        return !isOurs && report.isComplete && hasPendingEvents ? await join(end: end) : report
    }

    private func withQueue<Result: Sendable>(_ body: (inout DestinationQueue) -> Result) -> Result? {
        shared.change { $0.withQueue(queue, body) }
    }

    private var destination: Destination? { withQueue { $0.destination } }
    private var pendingEvents: Int { withQueue { $0.queue.pendingEvents } ?? 0 }
    private var hasPendingEvents: Bool { pendingEvents > 0 }

    /// Waits for a flush that somebody else began, but not past `end`; that flush goes on.
    private func result(of flush: Task<FlushReport, Never>, by end: Int64) async -> FlushReport? {
        let left = end - time.now().steady
        return await withCheckedContinuation { continuation in
            let answer = FirstAnswer(continuation)
            let timer = time.after(milliseconds: left) { answer.give(nil) }
            Task {
                answer.give(await flush.value)
                timer.cancel()
            }
        }
    }

    private func reportAtDeadline() -> FlushReport {
        var report = FlushReport()
        report.retained = pendingEvents
        if report.retained > 0 { report.lastError = Self.deadlineHasPassed }
        return report
    }

    private static let deadlineHasPassed = "the deadline has passed"

    /// Says whether the network can be reached.
    package func setOnline(_ isOnline: Bool) {
        state.withLock { state in
            state.isOnline = isOnline
            if isOnline { state.notBefore = nil }
        }
    }

    /// Ends all delivery for good; a request under way is cancelled, its events are kept.
    package func stop() {
        state.withLock { state in
            state.isStopped = true
            state.retry?.cancel()
            state.running?.cancel()
        }
    }

    // MARK: Draining

    private func drain(end: Int64?) async -> FlushReport {
        var report = FlushReport()
        var limit = Int.max
        let deflater = Deflater()
        let (lock, reason) = shared.change { $0.lockForUpload(queue) }
        // Held to the end, maybe together with the delivery to another destination.
        defer { withExtendedLifetime(lock) {} }
        report.lastError = reason
        while report.lastError == nil, obstacle(end: end) == nil, let batch = nextBatch(limit: limit, deflater) {
            switch await send(batch, end: end, &report) {
            case .delivered:
                report.sent += batch.events
                delivered(batch)
            case .tooLarge where batch.events > 1:
                // What this server takes is known now for the rest of this flush.
                limit = max(1, batch.request.body.count / 2)
            case .tooLarge:
                let size = batch.request.body.count
                let reason = "the server refuses a single event of \(size) bytes as too large"
                setAside(0, of: batch, status: 413, reason: reason, attempts: 1, &report)
            case .refused(let status, let reason):
                await bisect(batch, status: status, reason: reason, end: end, deflater, &report)
            case .turnedAway(let atLeast, let reason):
                report.lastError = reason
                turnedAway(atLeast: atLeast, reason: reason)
            case .retained(let atLeast, let reason):
                report.lastError = reason
                failed(atLeast: atLeast, reason: reason)
            }
        }
        report.retained = pendingEvents
        if report.retained > 0 {
            report.lastError = report.lastError ?? obstacle(end: end) ?? "the flush ended early"
            let (retained, reason) = (report.retained, report.lastError ?? "")
            shared.change { $0.note(.retained(events: retained, reason: reason)) }
        }
        return report
    }

    /// Why nothing can be tried now; `nil` when it can.
    private func obstacle(end: Int64?) -> String? {
        guard transport != nil else { return "nothing is sent: this client has no transport" }
        guard shared.read({ $0.isEnabled }) else { return "recording and sending are disabled" }
        guard let destination else { return nil }
        let endpoint = destination.endpoint
        guard !endpoint.isEmpty else { return "no endpoint is configured" }
        do {
            _ = try Endpoint(endpoint)
        } catch {
            return "the endpoint cannot be used: \(error)"
        }
        let now = time.now().steady
        if let end, now >= end { return Self.deadlineHasPassed }
        return state.withLock { state in
            if state.isStopped { return "the client has ended" }
            if !state.isOnline { return "the device is offline" }
            if state.tried != destination {
                state.tried = destination
                state.notBefore = nil
                state.refusals = 0
            }
            guard let notBefore = state.notBefore, now < notBefore else { return nil }
            return "waiting \(notBefore - now) ms after a failure: \(state.lastError ?? "")"
        }
    }

    /// One request that is ready to go, and the part of the queue that it holds.
    private struct ReadyBatch: Sendable {
        var reading: QueueReading
        var rawBytes: Int
        var request: UploadRequest

        var range: QueueRange { reading.range }
        var events: Int { reading.records.count }
    }

    /// Reads what comes next, puts it into a request, and writes down that it is about to be sent.
    private func nextBatch(limit: Int, _ deflater: Deflater) -> ReadyBatch? {
        let (configuration, platform) = shared.read { ($0.configuration, $0.device.platform) }
        guard let destination, let endpoint = endpoint(destination.endpoint) else { return nil }
        let now = time.now().steady
        let isProbing = state.withLock { state in
            let isUnknown = state.lastSuccess.map { now - $0 > Self.trust } ?? true
            return (state.backoff.failures > 0 || isUnknown) && !state.needsNeighbor
        }
        let most = min(configuration.maxBatchBytes, limit, isProbing ? Self.probeBytes : .max)
        while let range = withQueue({ $0.queue.nextRange }) ?? nil {
            do throws(FileError) {
                var reading = try QueueReading(files, range, maxRawBytes: Self.readBytes)
                guard !reading.records.isEmpty else {
                    _ = withQueue { $0.queue.acknowledge(reading.range) }
                    continue
                }
                let (batch, count) = batch(of: reading, from: 0, limit: most, deflater, configuration)
                reading = reading.prefix(count)
                guard let bundle = withQueue({ $0.queue.begin(reading.range) }) ?? nil else { continue }
                let request = request(batch, bundle, to: endpoint, destination, platform, configuration)
                return ReadyBatch(reading: reading, rawBytes: batch.rawByteCount, request: request)
            } catch {
                shared.change { $0.note(.warning("\(error)")) }
                // A passing trouble, such as too many open files: the next flush tries again.
                guard error.isLastingLoss else { return nil }
                // The disk does not give the range back: it is counted as damaged, so that the rest can go on.
                _ = withQueue { $0.queue.giveUp(range) }
            }
        }
        return nil
    }

    /// Puts records together, from one on, as far as the limit goes; gives how many.
    private func batch(
        of reading: QueueReading,
        from start: Int,
        to end: Int = .max,
        limit: Int,
        _ deflater: Deflater,
        _ configuration: Configuration
    ) -> (batch: Batch, count: Int) {
        var builder = BatchBuilder(limit: limit, deflater: configuration.compressesEvents ? deflater : nil)
        var count = 0
        reading.bytes.withUnsafeBytes { bytes in
            for record in reading.records[start..<min(end, reading.records.count)] {
                guard builder.append(UnsafeRawBufferPointer(rebasing: bytes[record.json])) else { break }
                count += 1
            }
        }
        return (builder.finish(), count)
    }

    private func request(
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

    // MARK: What a server refuses

    /// Finds the one event for which a server refuses a batch with 400, in at most two requests for each halving.
    ///
    /// What is refused beside a neighbour that is taken goes to the dead letters. When both halves are refused it is the
    /// server's fault: everything that it has not taken is kept.
    private func bisect(
        _ whole: ReadyBatch,
        status: Int,
        reason: String,
        end: Int64?,
        _ deflater: Deflater,
        _ report: inout FlushReport
    ) async {
        var (low, high) = (0, whole.events)
        var attempts = 1
        /// Why it cannot go on; then what stands in front of `low` is settled, and the rest kept.
        var obstacle: DeliveryVerdict? = whole.events > 1 ? nil : .refused(status: status, reason: reason)
        while high - low > 1, obstacle == nil {
            let middle = low + (high - low) / 2
            attempts += 1
            let first = await attempt(low..<middle, of: whole, end: end, deflater, &report)
            let goesOn = first == .delivered || first.isRefusal
            let second = goesOn ? await attempt(middle..<high, of: whole, end: end, deflater, &report) : first
            switch (first, second) {
            case (.delivered, .delivered): low = high
            case (.delivered, .refused): low = middle
            case (.refused, .delivered): high = middle
            case (.delivered, _):
                low = middle
                obstacle = second
            default: obstacle = goesOn && first.isRefusal && second.isRefusal ? first : goesOn ? second : first
            }
        }
        guard let obstacle else {
            if low == high {
                // Refused together and taken apart: nothing is wrong with any of them.
                succeeded()
                _ = withQueue { $0.queue.acknowledge(whole.range) }
            } else {
                setAside(low, of: whole, status: status, reason: reason, attempts: attempts, &report)
            }
            return
        }
        if low > 0 {
            let part = whole.reading.prefix(low)
            _ = withQueue { $0.queue.acknowledge(part.range) }
        } else {
            _ = withQueue { $0.queue.withdraw(whole.range) }
        }
        state.withLock { $0.needsNeighbor = whole.events == 1 }
        switch obstacle {
        case .retained(let atLeast, let reason):
            report.lastError = reason
            failed(atLeast: atLeast, reason: reason)
        case .turnedAway(let atLeast, let reason):
            report.lastError = reason
            turnedAway(atLeast: atLeast, reason: reason)
        case .refused, .tooLarge, .delivered:
            report.lastError = "\(reason), to every part of a batch: its fault, not that of an event"
            failed(atLeast: 0, reason: report.lastError ?? reason)
        }
    }

    /// Sends some records of a batch that was refused, under a bundle id of their own.
    private func attempt(
        _ records: Range<Int>,
        of whole: ReadyBatch,
        end: Int64?,
        _ deflater: Deflater,
        _ report: inout FlushReport
    ) async -> DeliveryVerdict {
        if let reason = obstacle(end: end) { return .retained(atLeast: 0, reason: reason) }
        let (configuration, platform) = shared.read { ($0.configuration, $0.device.platform) }
        guard let destination, let endpoint = endpoint(destination.endpoint),
            let bundle = withQueue({ $0.queue.reserveBundleID(for: whole.range) }) ?? nil
        else { return .retained(atLeast: 0, reason: "the flush ended early") }
        let (batch, _) = batch(
            of: whole.reading,
            from: records.lowerBound,
            to: records.upperBound,
            limit: .max,
            deflater,
            configuration
        )
        let part = ReadyBatch(
            reading: whole.reading,
            rawBytes: batch.rawByteCount,
            request: request(batch, bundle, to: endpoint, destination, platform, configuration)
        )
        let verdict = await send(part, end: end, &report)
        if verdict == .delivered {
            report.sent += records.count
            let (raw, sent) = (part.rawBytes, part.request.body.count)
            shared.change { $0.note(.uploaded(events: records.count, rawBytes: raw, sentBytes: sent)) }
        }
        return verdict
    }

    /// Puts one event of a batch aside; all others of it were taken.
    private func setAside(
        _ index: Int,
        of batch: ReadyBatch,
        status: Int,
        reason: String,
        attempts: Int,
        _ report: inout FlushReport
    ) {
        let letter = DeadLetter(
            json: Array(batch.reading.bytes[batch.reading.records[index].json]),
            status: status,
            reason: reason,
            attempts: attempts,
            setAside: time.now().wall
        )
        let failure: StoreError? =
            withQueue { queue in
                do throws(StoreError) {
                    try queue.setAside(letter, of: batch.range)
                    return nil
                } catch {
                    return error
                }
            } ?? nil
        if let failure {
            report.lastError = "\(failure)"
            failed(atLeast: 0, reason: "\(failure)")
            return
        }
        succeeded()
        report.setAside += 1
        shared.change { $0.note(.setAside(events: 1, reason: reason)) }
    }

    private func endpoint(_ text: String) -> Endpoint? {
        do {
            return try Endpoint(text)
        } catch {
            return nil
        }
    }

    private func send(_ batch: ReadyBatch, end: Int64?, _ report: inout FlushReport) async -> DeliveryVerdict {
        guard let transport else { return .retained(atLeast: 0, reason: "no transport") }
        report.attempts += 1
        report.rawBytes += batch.rawBytes
        report.sentBytes += batch.request.body.count
        var request = batch.request
        if let end {
            let left = max(1, end - time.now().steady)
            request.connectTimeout = min(request.connectTimeout, left)
            request.requestTimeout = min(request.requestTimeout, left)
        }
        let result: Result<UploadResponse, TransportError>
        do {
            result = .success(try await transport.send(request))
        } catch {
            result = .failure(error)
        }
        return DeliveryVerdict(result, now: time.now().wall)
    }

    private func succeeded() {
        let now = time.now().steady
        state.withLock { state in
            state.lastSuccess = now
            state.backoff.succeeded()
            state.notBefore = nil
            state.lastError = nil
            state.refusals = 0
            state.needsNeighbor = false
        }
    }

    private func delivered(_ batch: ReadyBatch) {
        succeeded()
        shared.change { recorder in
            _ = recorder.withQueue(queue) { $0.queue.acknowledge(batch.range) }
            recorder.note(
                .uploaded(events: batch.events, rawBytes: batch.rawBytes, sentBytes: batch.request.body.count)
            )
        }
    }

    /// The server will not hear of us: it is left alone for longer each time, an hour at most, and that is said once.
    private func turnedAway(atLeast: Int64, reason: String) {
        let refusals = state.withLock { state in
            state.refusals += 1
            return state.refusals
        }
        if refusals == 1 { shared.change { $0.note(.warning("Events are kept: \(reason)")) } }
        failed(atLeast: max(atLeast, min(3_600_000, atLeast << min(refusals - 1, 6))), reason: reason)
    }

    private func failed(atLeast: Int64, reason: String) {
        let now = time.now().steady
        let random = ids.random()
        state.withLock { state in
            guard !state.isStopped else { return }
            let pause = state.backoff.failed(atLeast: atLeast, random: random)
            state.notBefore = now + pause
            state.lastError = reason
            state.retry?.cancel()
            state.retry = time.after(milliseconds: pause) { [weak self] in await self?.flushUnlessRunning() }
        }
    }
}

/// Two may answer one question; the first one is heard.
private final class FirstAnswer: Sendable {
    private let asker: Locked<CheckedContinuation<FlushReport?, Never>?>

    init(_ asker: CheckedContinuation<FlushReport?, Never>) {
        self.asker = Locked(asker)
    }

    func give(_ report: FlushReport?) {
        let asker = asker.withLock { asker in
            defer { asker = nil }
            return asker
        }
        asker?.resume(returning: report)
    }
}

extension DeliveryVerdict {
    fileprivate var isRefusal: Bool {
        if case .refused = self { true } else { false }
    }
}

extension FlushReport {
    /// Counts a flush to another destination in: everything adds up.
    mutating func join(_ other: FlushReport) {
        let (left, reason) = (retained, lastError)
        add(other)
        retained += left
        lastError = reason ?? other.lastError
    }

    /// Counts a further attempt in: what was sent adds up, what is left is as the later one found it.
    fileprivate mutating func add(_ later: FlushReport) {
        sent += later.sent
        rejected += later.rejected
        setAside += later.setAside
        rawBytes += later.rawBytes
        sentBytes += later.sentBytes
        attempts += later.attempts
        retained = later.retained
        lastError = later.lastError
    }
}
