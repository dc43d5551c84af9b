public import ClickstreamCore

/// In-process server for tests: receives requests and replies according to a script.
///
/// Delays use the recorder's ``VirtualTime``: a reply after an hour takes no real time. Timeouts of the request apply as on
/// a network. A class, because the client and the test share it. All members are thread-safe.
public final class ScriptedServer: ClickstreamClient.Transport {
    /// Treatment of one request.
    public indirect enum Reply: Sendable, Hashable {
        /// The request arrives and is answered; the body is cut to `UploadResponse.bodyLimit` bytes.
        case response(UploadResponse)
        /// The connection is refused: the request does not arrive.
        case refuse
        /// The connection is never established: the request does not arrive, and its connect timeout expires.
        case ignore
        /// The request arrives, there is no reply, and its timeout expires.
        case timeOut
        /// The connection is closed during the request, which does not arrive.
        case cutBeforeRequest
        /// The request arrives, and the connection is closed before the reply is complete.
        case cutBeforeReply
        /// The request arrives, and is answered after a delay, rounded towards zero to milliseconds; a negative one counts
        /// as zero.
        case delay(Duration, Reply)
        /// The request arrives, and is answered when ``ScriptedServer/release()`` is called.
        case hold(Reply)

        /// Returns a reply with a status code.
        public static func status(
            _ status: Int,
            retryAfter: String? = nil,
            location: String? = nil,
            contentType: String? = nil,
            body: [UInt8] = []
        ) -> Reply {
            .response(
                UploadResponse(
                    status: status,
                    retryAfter: retryAfter,
                    location: location,
                    contentType: contentType,
                    body: body
                )
            )
        }
    }

    private struct State {
        var script: ArraySlice<Reply>
        var defaultReply: Reply
        var attempts: [UploadRequest] = []
        var requests: [UploadRequest] = []
        /// The suspended requests by number, waiting for a timer or for `release`.
        var waiting: [UInt64: Waiter] = [:]
        var nextNumber: UInt64 = 0
    }

    private struct Waiter {
        var continuation: CheckedContinuation<Wakening, Never>
        var isHeld: Bool
        /// True once its timer is set.
        var hasTimer = false
    }

    /// Reason for the end of a wait.
    private enum Wakening {
        case timePassed
        case released
        case cancelled
    }

    private let time: any TimeSource
    private let handler: (@Sendable (UploadRequest) -> Reply?)?
    private let state: AwaitedState<State>

    /// - Parameters:
    ///   - time: the clock of delays and timeouts.
    ///   - script: the treatment of the first requests, one reply each.
    ///   - defaultReply: the treatment of further requests.
    ///   - handler: called first, for each request, on the sender's task; `nil` as a result selects the script.
    package init(
        time: any TimeSource,
        script: [Reply] = [],
        defaultReply: Reply = .status(200),
        handler: (@Sendable (UploadRequest) -> Reply?)? = nil
    ) {
        self.time = time
        self.handler = handler
        state = AwaitedState(State(script: script[...], defaultReply: defaultReply))
    }

    /// All attempted requests, delivered or not, in the order of the calls.
    package var attempts: [UploadRequest] {
        state.withLock { $0.attempts }
    }

    /// The requests that arrived completely, in the order of arrival.
    public var requests: [UploadRequest] {
        state.withLock { $0.requests }
    }

    /// The number of requests currently held.
    package var heldCount: Int {
        state.withLock { $0.waiting.values.count { $0.isHeld } }
    }

    /// The number of requests that wait for the clock or for release.
    package var waitingCount: Int {
        state.withLock { $0.waiting.values.count { $0.hasTimer } }
    }

    /// Suspends until this number of requests has arrived in total.
    package func requests(reach count: Int) async {
        await state.until { $0.requests.count >= count }
    }

    /// Suspends until a request waits for the clock or for release.
    package func requestWaits() async {
        await state.until { $0.waiting.values.contains { $0.hasTimer } }
    }

    /// The treatment of a request after the end of the script.
    public var defaultReply: Reply {
        get { state.withLock { $0.defaultReply } }
        set { state.withLock { $0.defaultReply = newValue } }
    }

    /// Appends replies to the script.
    public func answer(_ replies: Reply...) {
        state.withLock { $0.script += replies }
    }

    /// Continues all requests that are currently held.
    public func release() {
        let released = state.withLock { state in
            let held = state.waiting.filter { $0.value.isHeld }
            for number in held.keys { state.waiting[number] = nil }
            return held.sorted { $0.key < $1.key }
        }
        for (_, waiter) in released { waiter.continuation.resume(returning: .released) }
    }

    /// Receives a request, and replies according to the script.
    public func send(_ request: UploadRequest) async throws(TransportError) -> UploadResponse {
        if Task.isCancelled { throw .cancelled }
        let asked = handler?(request)
        let reply = state.withLock { state in
            state.attempts.append(request)
            return asked ?? state.script.popFirst() ?? state.defaultReply
        }
        switch reply {
        case .refuse:
            throw .refused("connection refused by the script")
        case .ignore:
            let timeout = request.connectTimeout.wholeMilliseconds
            throw await wait(milliseconds: timeout, isHeld: false) == .cancelled
                ? .cancelled : .unreached("the scripted server", within: timeout)
        case .cutBeforeRequest:
            throw .cut("connection closed by the script")
        case .response, .timeOut, .cutBeforeReply, .delay, .hold:
            state.withLock { $0.requests.append(request) }
            return try await answer(reply, timeout: max(0, request.requestTimeout.wholeMilliseconds))
        }
    }

    /// Executes the treatment of a request that has arrived.
    /// - Parameter timeout: the remaining time of the request in milliseconds.
    private func answer(_ reply: Reply, timeout: Int64) async throws(TransportError) -> UploadResponse {
        switch reply {
        case .response(var response):
            response.body = Array(response.body.prefix(UploadResponse.bodyLimit))
            return response
        case .refuse, .ignore, .cutBeforeRequest, .cutBeforeReply:
            throw .cut("connection closed by the script")
        case .timeOut:
            throw await wait(milliseconds: timeout, isHeld: false) == .cancelled ? .cancelled : .timedOut
        case .delay(let delay, let reply):
            let milliseconds = max(0, delay.wholeMilliseconds)
            let isInTime = milliseconds < timeout
            if await wait(milliseconds: min(milliseconds, timeout), isHeld: false) == .cancelled { throw .cancelled }
            guard isInTime else { throw .timedOut }
            return try await answer(reply, timeout: timeout - milliseconds)
        case .hold(let reply):
            let start = time.now().steady
            switch await wait(milliseconds: timeout, isHeld: true) {
            case .cancelled: throw .cancelled
            case .timePassed: throw .timedOut
            case .released: return try await answer(reply, timeout: timeout - (time.now().steady - start))
            }
        }
    }

    private func wait(milliseconds: Int64, isHeld: Bool) async -> Wakening {
        let number = state.withLock { state in
            defer { state.nextNumber += 1 }
            return state.nextNumber
        }
        let timer = Locked<(any ScheduledWork)?>(nil)
        let wakening = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isCancelled = state.withLock { state in
                    if Task.isCancelled { return true }
                    state.waiting[number] = Waiter(continuation: continuation, isHeld: isHeld)
                    return false
                }
                guard !isCancelled else { return continuation.resume(returning: .cancelled) }
                let scheduled = time.after(milliseconds: milliseconds) { [self] in wake(number, .timePassed) }
                timer.withLock { $0 = scheduled }
                state.withLock { $0.waiting[number]?.hasTimer = true }
                VirtualTime.leaveTurn()
            }
        } onCancel: {
            wake(number, .cancelled)
        }
        timer.withLock { $0 }?.cancel()
        return wakening
    }

    private func wake(_ number: UInt64, _ wakening: Wakening) {
        state.withLock { $0.waiting.removeValue(forKey: number) }?.continuation.resume(returning: wakening)
    }
}
