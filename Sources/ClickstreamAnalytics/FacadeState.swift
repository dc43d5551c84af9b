import ClickstreamCore

/// The facade's client, or, before there is one, what was asked of it. Calls nobody: whoever holds it acts.
struct FacadeState: Sendable {
    typealias Call = @Sendable (inout Recorder, Moment) -> Void

    /// The most calls that are held before the start; later ones are lost, counted and said.
    static let mostHeld = 1_000

    private enum Stage: Sendable {
        /// Leaves by the begin of a start.
        case idle
        /// Leaves by the end of the start: to running; to idle when it failed, or when somebody asked for the end.
        case starting(isToEnd: Bool)
        /// Leaves by a stop.
        case running(ClickstreamClient)
    }

    /// What waits for a client.
    struct Held: Sendable {
        var calls: [(call: Call, moment: Moment)] = []
        var lost = 0
        /// Calls that record an event, lost ones included.
        var events = 0
        /// Those who came while the client was being launched.
        var observers: [NoticeObserver] = []
        var flushes = false
        /// The client is not wanted any more.
        var ends = false
    }

    private var stage = Stage.idle
    private var held = Held()
    /// The client that was ended last, whose store counts the events that no later client takes.
    private var former: ClickstreamClient?
    private(set) var observers: [NoticeObserver] = []
    private var clock: any TimeSource

    /// - Parameter clock: the time of what is held.
    init(clock: any TimeSource) {
        self.clock = clock
    }

    /// Whether no client runs or is being started.
    var isIdle: Bool {
        if case .idle = stage { true } else { false }
    }

    /// The client that calls go to.
    var client: ClickstreamClient? {
        if case .running(let client) = stage { client } else { nil }
    }

    // MARK: Holding

    mutating func hold(_ call: @escaping Call, isEvent: Bool) {
        if isEvent { held.events += 1 }
        if held.calls.count < Self.mostHeld {
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

    /// The start failed: what is held waits for the next one.
    mutating func abandonStart() {
        stage = .idle
        held.observers = []
    }

    /// What the launched client is to be given; `nil` once that is nothing, and calls go to it directly.
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

    /// Forgets what is held, and the client, which is returned.
    /// - Parameter ended: the client that was ended; another one stays.
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

    /// The client that was ended last, to be let go of outside the lock.
    mutating func takeFormer() -> ClickstreamClient? { former.take() }

    /// The events that are held and that no client takes any more, and the client whose store counts them.
    mutating func takeHeldEvents() -> (events: Int, former: ClickstreamClient?) {
        defer { held = Held() }
        return (held.events, former)
    }
}
