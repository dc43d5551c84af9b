public import ClickstreamCore

/// A server without a network: takes requests, and answers what its script says.
///
/// Time passes on the `TimeSource` that it is given: with ``VirtualTime``, a reply that takes an hour takes none.
/// Time-outs of the request count as they do on a network. A class, because the client and the test share it. All members
/// are callable from any thread.
public final class ScriptedServer: Transport {
    /// What happens to one request.
    public indirect enum Reply: Sendable, Hashable {
        /// The request arrives and is answered; of the body, `UploadResponse.bodyLimit` bytes are given.
        case response(UploadResponse)
        /// Nobody listens: the request does not arrive.
        case refuse
        /// The connection is never made: the request does not arrive, and its connect time-out passes.
        case ignore
        /// The request arrives, no reply comes, and its time-out passes.
        case timeOut
        /// The connection ends while the request is being sent: it does not arrive.
        case cutBeforeRequest
        /// The request arrives, and the connection ends before the reply is complete.
        case cutBeforeReply
        /// The request arrives, and is answered so many milliseconds later.
        case delay(Int64, Reply)
        /// The request arrives, and is answered once ``ScriptedServer/release()`` is called.
        case hold(Reply)

        /// A plain reply.
        public static func status(
            _ status: Int,
            retryAfter: String? = nil,
            location: String? = nil,
            body: [UInt8] = []
        ) -> Reply {
            .response(UploadResponse(status: status, retryAfter: retryAfter, location: location, body: body))
        }
    }

    private struct State {
        var script: ArraySlice<Reply>
        var defaultReply: Reply
        var attempts: [UploadRequest] = []
        var requests: [UploadRequest] = []
        /// Who waits for time to pass or for `release`, by number.
        var waiting: [UInt64: Waiter] = [:]
        var nextNumber: UInt64 = 0
    }

    private struct Waiter {
        var continuation: CheckedContinuation<Wakening, Never>
        var isHeld: Bool
        /// Whether its timer is set.
        var hasTimer = false
    }

    /// Why a wait ended.
    private enum Wakening {
        case timePassed
        case released
        case cancelled
    }

    private let time: any TimeSource
    private let handler: (@Sendable (UploadRequest) -> Reply?)?
    private let state: Locked<State>

    /// - Parameters:
    ///   - time: what delays and time-outs are measured by.
    ///   - script: what happens to the first requests, one reply each.
    ///   - defaultReply: what happens to those after them.
    ///   - handler: asked first, for each request, on the sender's task; `nil` leaves it to the script.
    public init(
        time: any TimeSource,
        script: [Reply] = [],
        defaultReply: Reply = .status(200),
        handler: (@Sendable (UploadRequest) -> Reply?)? = nil
    ) {
        self.time = time
        self.handler = handler
        state = Locked(State(script: script[...], defaultReply: defaultReply))
    }

    /// Every request that was tried, whether it arrived or not, in the order of the calls.
    public var attempts: [UploadRequest] {
        state.withLock { $0.attempts }
    }

    /// The requests that arrived whole, in the order of arrival.
    public var requests: [UploadRequest] {
        state.withLock { $0.requests }
    }

    /// How many requests are held now.
    public var heldCount: Int {
        state.withLock { $0.waiting.values.count { $0.isHeld } }
    }

    /// How many requests wait for the clock now, or to be released.
    package var waitingCount: Int {
        state.withLock { $0.waiting.values.count { $0.hasTimer } }
    }

    /// What happens to a request when the script is used up.
    public var defaultReply: Reply {
        get { state.withLock { $0.defaultReply } }
        set { state.withLock { $0.defaultReply = newValue } }
    }

    /// Adds to the end of the script.
    public func answer(_ replies: Reply...) {
        state.withLock { $0.script += replies }
    }

    /// Lets every request that is held now go on.
    public func release() {
        let released = state.withLock { state in
            let held = state.waiting.filter { $0.value.isHeld }
            for number in held.keys { state.waiting[number] = nil }
            return held.sorted { $0.key < $1.key }
        }
        for (_, waiter) in released { waiter.continuation.resume(returning: .released) }
    }

    public func send(_ request: UploadRequest) async throws(TransportError) -> UploadResponse {
        if Task.isCancelled { throw .cancelled }
        let asked = handler?(request)
        let reply = state.withLock { state in
            state.attempts.append(request)
            return asked ?? state.script.popFirst() ?? state.defaultReply
        }
        switch reply {
        case .refuse:
            throw .refused("nobody listens, says the script")
        case .ignore:
            throw await wait(milliseconds: request.connectTimeout, isHeld: false) == .cancelled ? .cancelled : .timedOut
        case .cutBeforeRequest:
            throw .cut("the connection ended, says the script")
        case .response, .timeOut, .cutBeforeReply, .delay, .hold:
            state.withLock { $0.requests.append(request) }
            return try await answer(reply, patience: request.requestTimeout)
        }
    }

    /// Carries out what happens to a request that arrived.
    /// - Parameter patience: how many milliseconds are left to the request.
    private func answer(_ reply: Reply, patience: Int64) async throws(TransportError) -> UploadResponse {
        switch reply {
        case .response(var response):
            response.body = Array(response.body.prefix(UploadResponse.bodyLimit))
            return response
        case .refuse, .ignore, .cutBeforeRequest, .cutBeforeReply:
            throw .cut("the connection ended, says the script")
        case .timeOut:
            throw await wait(milliseconds: patience, isHeld: false) == .cancelled ? .cancelled : .timedOut
        case .delay(let milliseconds, let reply):
            let isInTime = milliseconds < patience
            if await wait(milliseconds: min(milliseconds, patience), isHeld: false) == .cancelled { throw .cancelled }
            guard isInTime else { throw .timedOut }
            return try await answer(reply, patience: patience - milliseconds)
        case .hold(let reply):
            let start = time.now().steady
            switch await wait(milliseconds: patience, isHeld: true) {
            case .cancelled: throw .cancelled
            case .timePassed: throw .timedOut
            case .released: return try await answer(reply, patience: patience - (time.now().steady - start))
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
