import ClickstreamCore

/// State of the facade: its client, or queued calls before its start. Pure: the owner performs the effects.
struct FacadeState: Sendable {
    typealias Call = @Sendable (inout Recorder, Moment) -> Void
    /// A call that waits for a client, to be made with the time of the call.
    typealias HeldCall = @Sendable (ClickstreamClient, Moment) -> Void

    /// The maximum number of queued calls before the start; further calls are dropped, counted and reported.
    static let maxHeld = 1_000

    private enum Stage: Sendable {
        /// Changed by the beginning of a start.
        case idle
        /// Changed by the end of the start: to running, or to idle if it failed or a stop was requested.
        case starting(isToEnd: Bool)
        /// Changed by a stop.
        case running(ClickstreamClient)
    }

    /// Work queued for a client.
    struct Held: Sendable {
        var calls: [(call: HeldCall, moment: Moment)] = []
        var lost = 0
        /// The number of calls that record an event, including dropped ones.
        var events = 0
        /// The observers registered during the launch.
        var observers: [NoticeObserver] = []
        var flushes = false
        /// True if the client must be ended at once.
        var ends = false
    }

    private var stage = Stage.idle
    private var held = Held()
    /// The client that ended last; its store counts events that no later client accepts.
    private(set) var former: ClickstreamClient?
    private(set) var observers: [NoticeObserver] = []
    /// True once the process ends: no later client accepts queued events.
    private(set) var isOver = false
    private var clock: any TimeSource

    /// - Parameter clock: the clock for the time of queued calls.
    init(clock: any TimeSource) {
        self.clock = clock
    }

    /// True if no client is running or being started.
    var isIdle: Bool {
        if case .idle = stage { true } else { false }
    }

    /// The running client.
    var client: ClickstreamClient? {
        if case .running(let client) = stage { client } else { nil }
    }

    /// The client that ended last, if none was started since.
    var ended: ClickstreamClient? { isIdle ? former : nil }

    // MARK: Queueing

    /// - Parameter isVital: true for a call that is held beyond the limit, such as a decision on consent.
    mutating func hold(_ call: @escaping HeldCall, isEvent: Bool, isVital: Bool = false) {
        if isEvent { held.events += 1 }
        if isVital || held.calls.count < Self.maxHeld {
            held.calls.append((call, clock.now()))
        } else {
            held.lost += 1
        }
    }

    mutating func holdFlush() {
        held.flushes = true
    }

    mutating func add(_ observer: NoticeObserver) {
        observers.removeAll { $0.isCancelled }
        observers.append(observer)
        if case .starting = stage { held.observers.append(observer) }
    }

    // MARK: Starting and stopping

    mutating func beginStart(clock: any TimeSource) throws(InitError) {
        guard case .idle = stage else { throw .alreadyRunning }
        stage = .starting(isToEnd: false)
        self.clock = clock
    }

    /// Handles a failed start: queued calls are kept for the next one.
    mutating func abandonStart() {
        stage = .idle
        held.observers = []
    }

    /// Returns the queued work for the started client; `nil` if there is none, and calls now go to the client directly.
    mutating func takeHeld(orRun client: ClickstreamClient) -> Held? {
        guard case .starting(let isToEnd) = stage else { return nil }
        if isToEnd {
            stage = .idle
            held = Held()
            return Held(ends: true)
        }
        guard !held.calls.isEmpty || held.lost > 0 || !held.observers.isEmpty || held.flushes else {
            stage = .running(client)
            return nil
        }
        defer { held = Held() }
        return held
    }

    /// Discards queued work and the client, which is returned.
    /// - Parameter ended: the client that was ended; a different current client is kept.
    mutating func stop(_ ended: ClickstreamClient? = nil) -> ClickstreamClient? {
        if let ended, ended !== client { return nil }
        held = Held()
        if case .starting = stage {
            stage = .starting(isToEnd: true)
            return nil
        }
        former = client ?? former
        defer { stage = .idle }
        return client
    }

    /// Returns and clears the client that ended last, to be released outside the lock.
    mutating func takeFormer() -> ClickstreamClient? { former.take() }

    /// Returns and clears queued events, with the client whose store counts them. For the end of the process.
    mutating func takeHeldEvents() -> (events: Int, former: ClickstreamClient?) {
        isOver = true
        defer { held = Held() }
        return (held.events, former)
    }
}
