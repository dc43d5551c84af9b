/// Decides when the events of one destination are sent: now, after a pause, or not at all.
///
/// A pure machine: time, random bits and replies come in, actions go out. Times are milliseconds of the steady clock.
package struct FlushMachine: Sendable, Equatable {
    /// State of the client that a flush depends on.
    package struct Conditions: Sendable, Equatable {
        package var hasTransport: Bool
        package var isEnabled: Bool
        /// `nil` once the queue is delivered, or the client has ended.
        package var destination: Destination?

        package init(hasTransport: Bool = true, isEnabled: Bool = true, destination: Destination? = nil) {
            self.hasTransport = hasTransport
            self.isEnabled = isEnabled
            self.destination = destination
        }
    }

    /// Action of ``request()``.
    enum Request: Sendable, Equatable {
        /// Start a flush.
        case start
        /// A flush is under way.
        case join
    }

    /// Action of ``next(_:end:at:)``.
    enum Step: Sendable, Equatable {
        case send
        case stop(FlushError)
    }

    /// Action on the timer that starts the next flush.
    enum Retry: Sendable, Equatable {
        case keep
        case cancel
        /// Replaces the timer, if one is set.
        case schedule(milliseconds: Int64)
    }

    /// Action of ``wait(until:_:at:)``.
    enum Wait: Sendable, Equatable {
        /// No further attempt before the deadline.
        case stop
        /// Wait, then try again. The caller makes the attempt, so that the timer is cancelled.
        case sleep(milliseconds: Int64, Retry)
    }

    /// Action after a failure.
    struct Pause: Sendable, Equatable {
        var retry: Retry
        /// True if an observer is to be notified: at the first failure of its kind in a row.
        var isReported: Bool
    }

    /// Shortest pause between two attempts of a flush with a deadline.
    static let shortestPause: Int64 = 250
    /// Time after a success in which the server counts as available.
    static let trust: Int64 = 60_000
    /// Limit on the pause after a server that refuses the client, unless the server asks for a longer one.
    static let longestRefusal: Int64 = 3_600_000

    private(set) var isOnline = true
    private(set) var isStopped = false
    private(set) var isFlushing = false
    /// Error of the last attempt; `nil` after a success.
    private(set) var lastError: FlushError?
    /// True if a flush was requested while one was under way.
    private var isRequestedAgain = false
    private var isRetryScheduled = false
    private var backoff = Backoff()
    /// End of the pause after a failure.
    private var notBefore: Int64?
    /// End of the pause that the server asked for.
    private var askedUntil: Int64?
    /// Pauses after failures to read the queue.
    private var readBackoff = Backoff()
    private var readNotBefore: Int64 = 0
    private var lastSuccess: Int64?
    /// Destination of the last attempt. A pause holds for it alone.
    private var tried: Destination?
    /// Replies in a row by which the server refused the client.
    private var refusals: Int64 = 0
    /// True if a web page in place of the server's reply was reported.
    private var hasReportedPage = false

    // MARK: Requests

    /// A flush is requested.
    mutating func request() -> Request {
        guard !isFlushing else { return .join }
        isFlushing = true
        return .start
    }

    /// A flush is requested by a caller that does not wait for it.
    /// - Returns: `join` if the flush under way covers it.
    mutating func requestUnlessFlushing() -> Request {
        guard isFlushing else { return .start }
        isRequestedAgain = true
        return .join
    }

    /// The flush under way has ended.
    /// - Returns: true if another was requested meanwhile: the flush may have missed what was queued before that.
    mutating func ended() -> Bool {
        defer { isRequestedAgain = false }
        isFlushing = false
        return isRequestedAgain
    }

    /// The network became available or unavailable.
    mutating func setOnline(_ isOnline: Bool) {
        self.isOnline = isOnline
        if isOnline { endPause() }
    }

    /// The client ends: nothing is sent any more.
    mutating func stop() -> Retry {
        isStopped = true
        isRetryScheduled = false
        return .cancel
    }

    // MARK: Before an attempt

    /// A batch is about to be sent. A new destination ends the pause.
    /// - Parameter end: deadline of the flush.
    mutating func next(_ conditions: Conditions, end: Int64?, at now: Int64) -> Step {
        if !conditions.hasTransport { return .stop(.noTransport) }
        if !conditions.isEnabled { return .stop(.disabled) }
        guard let destination = conditions.destination else { return .send }
        if destination.endpoint.isEmpty { return .stop(.noEndpoint) }
        do {
            _ = try Endpoint(destination.endpoint)
        } catch {
            return .stop(.invalidEndpoint(reason: "\(error)"))
        }
        if let end, now >= end { return .stop(.deadlinePassed(after: lastError)) }
        if isStopped { return .stop(.clientEnded) }
        if !isOnline { return .stop(.offline) }
        if tried != destination {
            tried = destination
            endPause()
            resetRefusals()
        }
        guard let notBefore, now < notBefore else { return .send }
        return .stop(.pausing(for: .milliseconds(notBefore - now), after: lastError))
    }

    /// A flush with a deadline has left events.
    ///
    /// A pause after a failure is shortened to half of the time left, so that a server that comes back in time is reached;
    /// the pause that the server asked for is not.
    mutating func wait(until end: Int64, _ conditions: Conditions, at now: Int64) -> Wait {
        guard conditions.hasTransport, conditions.isEnabled, conditions.destination?.endpoint.isEmpty == false,
            !isStopped, isOnline
        else { return .stop }
        let latest = now + max((end - now) / 2, Self.shortestPause)
        let wanted = max(notBefore ?? now, readNotBefore)
        let next = max(min(wanted, latest), askedUntil ?? now, now)
        guard next < end else { return .stop }
        notBefore = notBefore.map { min($0, next) }
        isRetryScheduled = false
        return .sleep(milliseconds: max(1, next - now), .cancel)
    }

    /// The caller that waited for the next attempt was cancelled: the timer makes it.
    mutating func waitCancelled(at now: Int64) -> Retry {
        guard !isStopped, !isRetryScheduled, let notBefore else { return .keep }
        return schedule(after: max(0, notBefore - now))
    }

    /// True if the server accepted a batch lately, and nothing has failed since.
    func isServerAvailable(at now: Int64) -> Bool {
        backoff.failures == 0 && lastSuccess.map { now - $0 <= Self.trust } ?? false
    }

    // MARK: After an attempt

    /// The server accepted a batch, or a part of one.
    mutating func succeeded(at now: Int64) {
        lastSuccess = now
        lastError = nil
        backoff.succeeded()
        endPause()
        resetRefusals()
    }

    /// An attempt failed.
    ///
    /// A server that refuses the client is left alone for twice as long each time.
    mutating func failed(_ failure: DeliveryFailure, random: UInt64, at now: Int64) -> Pause {
        var atLeast = failure.atLeast
        var isReported = false
        if failure.reason.isClientRefused {
            refusals += 1
            atLeast = max(atLeast, min(Self.longestRefusal, atLeast << min(refusals - 1, 6)))
            isReported = refusals == 1
        } else if failure.reason.isWebPage {
            isReported = !hasReportedPage
            hasReportedPage = true
        }
        lastError = failure.reason
        guard !isStopped else { return Pause(retry: .keep, isReported: isReported) }
        let pause = backoff.failed(atLeast: atLeast, random: random)
        notBefore = now + pause
        askedUntil = atLeast > 0 ? now + min(atLeast, pause) : nil
        return Pause(retry: schedule(after: pause), isReported: isReported)
    }

    /// A range of the queue was read.
    mutating func readingSucceeded() {
        readBackoff.succeeded()
    }

    /// A range of the queue cannot be read. Each requested flush tries again, and the timer does after a pause.
    mutating func readingFailed(random: UInt64, at now: Int64) -> Pause {
        let isFirst = readBackoff.failures == 0
        guard !isStopped else { return Pause(retry: .keep, isReported: isFirst) }
        let pause = readBackoff.failed(random: random)
        readNotBefore = now + pause
        return Pause(retry: schedule(after: pause), isReported: isFirst)
    }

    private mutating func schedule(after milliseconds: Int64) -> Retry {
        isRetryScheduled = true
        return .schedule(milliseconds: milliseconds)
    }

    private mutating func endPause() {
        (notBefore, askedUntil) = (nil, nil)
    }

    private mutating func resetRefusals() {
        (refusals, hasReportedPage) = (0, false)
    }
}
