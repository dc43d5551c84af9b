import ClickstreamCore
import Synchronization

/// State behind the static API: the process's client, or queued calls before its start.
///
/// A class, because all callers must share it. No callback is called under its lock, so an observer may call the API at
/// any time, including during the launch.
final class Facade: Sendable {
    typealias Call = FacadeState.Call

    /// The facade of the app.
    private static let facade = ProcessLocal(since: .reset) { Facade(in: nil) }
    private static var process: Facade { facade.current }
    /// The facade of the current test and its tasks.
    @TaskLocal static var isolated: Facade?

    static var current: Facade { isolated ?? process }

    /// The environment of clients started without an explicit one; `nil` is this machine.
    let world: ClickstreamClient.World?
    private let state: Locked<FacadeState>
    /// The number of forks before the last start plus one; 0 before the first start.
    private let startedAfter = Atomic<UInt32>(0)

    init(in world: ClickstreamClient.World?) {
        self.world = world
        state = Locked(FacadeState(clock: world?.dependencies.time ?? SystemTime()))
    }

    /// True in a child of `fork` whose parent had started the SDK. Nothing is recorded there: the client belongs to the
    /// parent, and the lock of the state may have been held by a thread that does not exist in the child.
    private var isParents: Bool {
        let started = startedAfter.load(ordering: .relaxed)
        return started != 0 && started != OwningProcess.forks + 1
    }

    /// The running client; `nil` in a child of `fork`.
    var client: ClickstreamClient? { isParents ? nil : state.withLock { $0.client } }

    /// Throws if no client can be started, before a configuration is read.
    func requireIdle() throws(InitError) {
        if isParents { throw .childOfFork }
        guard state.withLock({ $0.isIdle }) else { throw .alreadyRunning }
    }

    /// Starts a client in `world`, executes queued calls, and directs further calls to it.
    /// - Parameters:
    ///   - warnings: further warnings to report.
    ///   - endsWithProcess: true if the client is shut down gracefully at the end of the process.
    func start(in world: ClickstreamClient.World, warnings: [Notice.Warning] = [], endsWithProcess: Bool) throws {
        if isParents { throw InitError.childOfFork }
        let observers = try state.withLock { state throws(InitError) in
            try state.beginStart(clock: world.dependencies.time)
            startedAfter.store(OwningProcess.forks + 1, ordering: .relaxed)
            return state.observers
        }
        var world = world
        if !observers.isEmpty {
            let observe = world.observe
            world.observe = { notice in
                observe?(notice)
                for observer in observers { observer.notify(notice) }
            }
        }
        let client: ClickstreamClient
        do {
            client = try ClickstreamClient(in: world)
        } catch {
            state.withLock { $0.abandonStart() }
            startedAfter.store(0, ordering: .relaxed)
            throw error
        }
        // The store of the new client counts events after the end of the former one.
        _ = state.withLock { $0.takeFormer() }
        if endsWithProcess { GracefulShutdown.process.cover(client, signals: world.configuration.endsOnSignals) }
        for warning in warnings { client.note(.warning(warning)) }
        while let held = state.withLock({ $0.takeHeld(orRun: client) }) {
            for (call, moment) in held.calls { call(client, moment) }
            if held.lost > 0 {
                client.note(
                    .warning(
                        .init(
                            .callsLost,
                            "\(held.lost) calls before initSDK were lost: at most \(FacadeState.maxHeld) are held."
                        )
                    )
                )
            }
            for observer in held.observers { client.observe { observer.notify($0) } }
            if held.flushes { client.flushEvents() }
            if held.ends { client.terminate() }
        }
    }

    /// Discards the client and queued calls, and returns the client, which the caller must end.
    func stop() -> ClickstreamClient? {
        isParents ? nil : state.withLock { $0.stop() }
    }

    /// Shuts the client down gracefully, and discards it and queued calls. Concurrent calls go to the client, which
    /// stores them, or rejects and counts them.
    func shutdown() {
        guard !isParents else { return }
        let client = client
        if let client { GracefulShutdown.process.end(client) }
        discard(client)
    }

    /// Shuts the client down as ``shutdown()``, after a last delivery.
    /// - Returns: an empty report if no client runs.
    func shutdown(deadline: Duration) async -> FlushReport {
        guard let client else {
            shutdown()
            return FlushReport()
        }
        let report = await client.shutdown(deadline: deadline)
        discard(client)
        return report
    }

    /// Discards an ended client and queued calls, unless another client was started meanwhile.
    private func discard(_ client: ClickstreamClient?) {
        let isStopped = state.withLock { state in
            _ = state.stop(client)
            return state.isIdle
        }
        if isStopped { startedAfter.store(0, ordering: .relaxed) }
    }

    /// Counts queued events in the store of the last client at the end of the process. From then on each further event is
    /// counted before its call returns.
    static func countHeldEvents() {
        guard !process.isParents else { return }
        let (events, former) = process.state.withLock { $0.takeHeldEvents() }
        former?.countLate(events)
    }

    /// Runs `body` now, or, while no client runs, queues it for the launch with the current time.
    /// - Parameters:
    ///   - isEvent: true if `body` records an event.
    ///   - isVital: true if `body` is queued beyond the limit.
    func call(isEvent: Bool = false, isVital: Bool = false, _ body: @escaping Call) {
        run(isEvent: isEvent, isVital: isVital) { client, moment in client.perform(at: moment, body) }
    }

    /// Records an event of the app, with the scoped attributes of this task, now or at the launch.
    func record(_ draft: DraftEvent, found: [Violation] = [], as userID: String? = nil) {
        let draft = draft.scoped
        run(isEvent: true) { $0.record(draft, found: found, as: userID, at: $1) }
    }

    /// Records an event as ``record(_:found:as:)``; between the end of a client and the next start, counts it in the store of that
    /// client.
    /// - Returns: false if the event was only counted.
    func recordUnlessEnded(_ draft: DraftEvent) -> Bool {
        guard let ended = isParents ? nil : state.withLock({ $0.ended }) else {
            record(draft)
            return true
        }
        ended.saveLateCall()
        return false
    }

    /// Runs `body` on the client, without a time: now; or, while no client runs, queues it for the launch.
    private func run(
        isEvent: Bool = false,
        isVital: Bool = false,
        _ body: @escaping @Sendable (ClickstreamClient, Moment?) -> Void
    ) {
        guard !isParents else { return Diagnostics.refuseInChild() }
        let (client, former) = state.withLock { state in
            guard state.client == nil else { return (state.client, state.former) }
            // By each thread for its own event: one that returns while another counts for it may see the process end before.
            if state.isOver { return (nil, isEvent ? state.former : nil) }
            state.hold({ body($0, $1) }, isEvent: isEvent, isVital: isVital)
            return (nil, nil)
        }
        if let client { body(client, nil) } else { former?.countLate(1) }
    }

    /// Adds or removes middleware of the client, now or before the queued calls of the launch.
    func changeMiddleware(_ body: @escaping @Sendable (ClickstreamClient) -> Void) {
        run(isVital: true) { client, _ in body(client) }
    }

    /// Starts a flush, now or as soon as a client runs.
    func flushEvents() {
        guard !isParents else { return Diagnostics.refuseInChild() }
        let client = state.withLock { state in
            if state.client == nil { state.holdFlush() }
            return state.client
        }
        client?.flushEvents()
    }

    /// Registers a handler for the notices of the current client and all later ones.
    func observe(_ body: @escaping @Sendable (Notice) -> Void) -> NoticeObserver {
        let observer = NoticeObserver(body)
        guard !isParents else { return observer }
        let client = state.withLock { state in
            state.add(observer)
            return state.client
        }
        client?.observe { observer.notify($0) }
        return observer
    }
}
