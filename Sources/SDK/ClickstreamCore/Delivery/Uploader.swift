/// Sends the events of one destination, batch by batch, until the queue is empty: the shell around ``FlushMachine``.
///
/// One flush runs at a time; further callers join it. An event leaves the queue after the server has accepted it, never
/// before. Ids, timestamps and bundle sequence of a repeated request stay the same, so that the server can discard
/// duplicates. Thread-safe.
package final class Uploader: Sendable {
    let queue: DeliveryQueue
    let transport: (any ClickstreamClient.Transport)?
    let time: any TimeSource
    let ids: any IDSource
    /// True if the next batch is made while a request is under way.
    let readsAhead: Bool
    private let state = Locked(State())

    private struct State: Sendable {
        var machine = FlushMachine()
        var eventLimit = EventLimit()
        /// The flush under way.
        var running: RunningFlush?
        /// Timer that starts the next flush.
        var retry: (any ScheduledWork)?
        /// Callers that try again after a failure, until their deadlines.
        var callers = 0
        /// The time for which the timer is to be set when the last of these callers leaves. Set before, it could start a flush
        /// ahead of a caller that waits for its turn to run, whose report would lack that flush.
        var retryDue: Int64?
    }

    package init(
        queue: DeliveryQueue,
        transport: (any ClickstreamClient.Transport)?,
        time: any TimeSource,
        ids: any IDSource,
        readsAhead: Bool = true
    ) {
        self.queue = queue
        self.transport = transport
        self.time = time
        self.ids = ids
        self.readsAhead = readsAhead
    }

    /// Limit on deadlines, in milliseconds: 50 years. Later ones would exceed the range of the clock.
    private static let longestDeadline: Int64 = 50 * 366 * 86_400_000

    // MARK: Requesting a flush

    /// Starts a flush and returns at once.
    package func flushSoon() {
        guard transport != nil else { return }
        time.after(milliseconds: 0) { [self] in await flushUnlessRunning() }
    }

    /// Flushes. A flush that is under way sends what was queued meanwhile, too; this call does not wait for it.
    /// - Returns: the outcome; `nil` if a flush is under way.
    @discardableResult
    package func flushUnlessRunning() async -> FlushReport? {
        let request = state.withLock { $0.machine.requestUnlessFlushing() }
        return request == .join ? nil : await flush(deadline: nil)
    }

    /// Flushes, and returns the outcome.
    ///
    /// Without a deadline the flush ends at the first failure. With one it pauses after a failure and tries again until the
    /// deadline has passed: see ``FlushMachine/wait(until:_:at:)``.
    /// - Parameter isLast: true if the request under way at the deadline is awaited, and none is made after it.
    package func flush(deadline: Duration?, isLast: Bool = false) async -> FlushReport {
        let end = deadline.map { time.now().steady + min(max(0, $0.wholeMilliseconds), Self.longestDeadline) }
        if end != nil { state.withLock { $0.callers += 1 } }
        defer { if end != nil { callerLeaves() } }
        var total = FlushReport()
        while true {
            let report = await join(end: end, isLast: isLast)
            total.add(report)
            guard !report.isComplete, let end, !Task.isCancelled, let pause = pause(until: end) else { return total }
            do {
                try await time.sleep(milliseconds: pause)
            } catch {
                let now = time.now().steady
                state.withLock { perform($0.machine.waitCancelled(at: now), &$0) }
                return total
            }
        }
    }

    private func callerLeaves() {
        state.withLock { state in
            state.callers -= 1
            guard state.callers == 0, let due = state.retryDue else { return }
            perform(.schedule(milliseconds: max(0, due - time.now().steady)), &state)
        }
    }

    /// Milliseconds until the next attempt; `nil` if there is none before `end`.
    private func pause(until end: Int64) -> Int64? {
        let now = time.now().steady
        let conditions = conditions(of: queue.state())
        return state.withLock { state in
            switch state.machine.wait(until: end, conditions, at: now) {
            case .stop:
                return nil
            case .sleep(let milliseconds, let retry):
                perform(retry, &state)
                return milliseconds
            }
        }
    }

    /// Waits for the flush under way, or for a new one, but not past `end`; if the flush is the last, past `end` for its request
    /// under way alone.
    private func join(end: Int64?, isLast: Bool) async -> FlushReport {
        let (flush, earlier, isOurs) = state.withLock { state in
            if state.machine.request() == .join, let running = state.running {
                return (running, running.account.returned, false)
            }
            let flush = start(end: end, isLast: isLast)
            state.running = flush
            return (flush, FlushReport(), true)
        }
        let outcome = await isOurs ? flush.account.answer.value : answer(of: flush.task, by: end)
        guard outcome == .ended else {
            guard isLast else { return reportAtDeadline(flush.account.takeReport(since: earlier)) }
            _ = await finish()
            return reportAtDeadline(flush.account.report.since(earlier))
        }
        var report = flush.account.report.since(earlier)
        // A flush that was ending may have missed what was queued just before this call joined it.
        guard !isOurs, flush.account.mayContinue, queue.state().pendingEvents > 0 else { return report }
        report.add(await join(end: end, isLast: isLast))
        return report
    }

    /// Starts a flush. It is not cancelled with its caller, so that no batch is left half sent.
    private func start(end: Int64?, isLast: Bool) -> RunningFlush {
        let account = FlushAccount()
        let task = BackgroundTask.start(at: time) { [self] in
            await QueueDrain(self, end: end, isLast: isLast, account).run()
            let isRequestedAgain = state.withLock { state in
                state.running = nil
                return state.machine.ended()
            }
            account.answer.give(.ended)
            if isRequestedAgain, account.mayContinue, queue.state().pendingEvents > 0 { flushSoon() }
        }
        return RunningFlush(task: task, account: account)
    }

    /// Waits for a flush that another caller started, but not past `end`. The flush continues.
    private func answer(of flush: Task<Void, Never>, by end: Int64?) async -> FlushAnswer {
        guard let end else {
            await flush.value
            return .ended
        }
        let answer = FirstAnswer()
        let timer = time.after(milliseconds: max(0, end - time.now().steady)) { answer.give(.deadline) }
        BackgroundTask.start(at: time) {
            await flush.value
            answer.give(.ended)
            timer.cancel()
        }
        return await answer.value
    }

    private func reportAtDeadline(_ soFar: FlushReport) -> FlushReport {
        var report = soFar
        report.retained = queue.state().pendingEvents
        let failure = state.withLock { $0.machine.lastError }
        report.lastError = report.retained > 0 ? .deadlinePassed(after: failure) : nil
        return report
    }

    // MARK: Switches

    /// Sets the availability of the network.
    package func setOnline(_ isOnline: Bool) {
        state.withLock { $0.machine.setOnline(isOnline) }
    }

    /// True while a flush is under way.
    package var isRunning: Bool { state.withLock { $0.machine.isFlushing } }

    /// Ends all delivery for good, after the request under way: a request that is cut off may be sent twice.
    /// - Returns: true unless the last attempt failed.
    package func finish() async -> Bool {
        let running = state.withLock { state in
            perform(state.machine.stop(), &state)
            return state.running?.task
        }
        await running?.value
        return state.withLock { $0.machine.lastError == nil }
    }

    /// Ends all delivery for good. A request under way is cancelled, and its events are kept.
    package func stop() {
        state.withLock { state in
            perform(state.machine.stop(), &state)
            state.running?.task.cancel()
        }
    }

    // MARK: Steps of a flush

    private func conditions(of queue: QueueState) -> FlushMachine.Conditions {
        FlushMachine.Conditions(
            hasTransport: transport != nil,
            isEnabled: queue.settings.isEnabled,
            destination: queue.destination
        )
    }

    /// Returns the reason for which nothing can be sent now from a queue in that state; `nil` if there is none.
    func obstacle(_ queue: QueueState, end: Int64?) -> FlushError? {
        let conditions = conditions(of: queue)
        let now = time.now().steady
        let step = state.withLock { $0.machine.next(conditions, end: end, at: now) }
        if case .stop(let error) = step { return error }
        return nil
    }

    /// True if the server accepted a batch lately, and nothing has failed since.
    var isServerAvailable: Bool {
        let now = time.now().steady
        return state.withLock { $0.machine.isServerAvailable(at: now) }
    }

    func maxEvents(wholeRefusals: Int) -> Int {
        state.withLock { $0.eventLimit.events(wholeRefusals: wholeRefusals) }
    }

    /// The server accepted events.
    func succeeded() {
        let now = time.now().steady
        state.withLock { $0.machine.succeeded(at: now) }
    }

    /// The next batches may have more events: part of one was accepted.
    /// - Parameter wholeRefusals: as before the batch.
    func grow(wholeRefusals: Int) {
        state.withLock { $0.eventLimit.accepted(wholeRefusals: wholeRefusals) }
    }

    /// The next batches have fewer events: one had too many refused events to take it apart.
    func shrink(from events: Int) {
        state.withLock { $0.eventLimit.refused(events: events) }
    }

    /// An attempt failed; the events are kept.
    func failed(_ failure: DeliveryFailure) {
        let isReported = pause { $0.failed(failure, random: $1, at: $2) }
        if isReported { queue.note(.deliveryRefused(failure.reason)) }
    }

    func readingSucceeded() {
        state.withLock { $0.machine.readingSucceeded() }
    }

    /// A range of the queue cannot be read.
    func readingFailed(_ error: FileError) {
        let isReported = pause { $0.readingFailed(random: $1, at: $2) }
        if isReported { queue.note(.warning(.init(.queueUnreadable, "\(error)"))) }
    }

    private func pause(_ body: (inout FlushMachine, _ random: UInt64, _ now: Int64) -> FlushMachine.Pause) -> Bool {
        let now = time.now().steady
        let random = ids.random()
        return state.withLock { state in
            let pause = body(&state.machine, random, now)
            perform(pause.retry, &state)
            return pause.isReported
        }
    }

    /// Performs an action on the timer, under the lock: the action of a later input cannot overtake it.
    private func perform(_ retry: FlushMachine.Retry, _ state: inout State) {
        if case .keep = retry { return }
        state.retry?.cancel()
        (state.retry, state.retryDue) = (nil, nil)
        guard case .schedule(let milliseconds) = retry else { return }
        guard state.callers == 0 else {
            state.retryDue = time.now().steady + milliseconds
            return
        }
        state.retry = time.after(milliseconds: milliseconds) { [weak self] in await self?.flushUnlessRunning() }
    }
}
