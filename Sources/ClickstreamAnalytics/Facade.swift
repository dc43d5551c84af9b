import ClickstreamCore
import Synchronization

/// What stands behind the static API: the process's client, or, before there is one, what was asked of it.
///
/// A class, since every caller must see the same. Nothing is called under its lock, so that an observer may call the API
/// at any time, during the launch too.
final class Facade: Sendable {
    typealias Call = FacadeState.Call

    /// The one that an app has.
    private static let process = Facade(in: nil)
    /// The one that a test runs with, and whatever tasks it starts.
    @TaskLocal static var isolated: Facade?

    static var current: Facade { isolated ?? process }

    /// Where a client is launched when nothing else is said; `nil`: on this machine.
    let world: ClickstreamClient.World?
    private let state: Locked<FacadeState>
    /// One more than the number of forks before the latest start; 0 before the first.
    private let startedAfter = Atomic<UInt32>(0)

    init(in world: ClickstreamClient.World?) {
        self.world = world
        state = Locked(FacadeState(clock: world?.doors.time ?? SystemTime()))
    }

    /// True in a child of `fork` whose parent had started the SDK. Nothing is recorded there: the client is the parent's, and
    /// the lock of the state may have been held by a thread that the child does not have.
    private var isParents: Bool {
        let started = startedAfter.load(ordering: .relaxed)
        return started != 0 && started != OwningProcess.forks + 1
    }

    /// The client, once it runs; `nil` in a child of `fork`.
    var client: ClickstreamClient? { isParents ? nil : state.withLock { $0.client } }

    /// Says early that no client can be started, before a configuration is read.
    func requireIdle() throws(InitError) {
        if isParents { throw .childOfFork }
        guard state.withLock({ $0.isIdle }) else { throw .alreadyRunning }
    }

    /// Launches a client in `world`, gives it what was held, and lets calls go to it directly.
    /// - Parameters:
    ///   - warnings: what a developer should know beside it.
    ///   - endsWithProcess: whether the end of the process is to be the client's end, in order.
    func start(in world: ClickstreamClient.World, warnings: [String] = [], endsWithProcess: Bool) throws {
        if isParents { throw InitError.childOfFork }
        let observers = try state.withLock { state throws(InitError) in
            try state.beginStart(clock: world.doors.time)
            startedAfter.store(OwningProcess.forks + 1, ordering: .relaxed)
            return state.observers
        }
        var world = world
        if !observers.isEmpty {
            let observe = world.observe
            world.observe = { notice in
                observe?(notice)
                for observer in observers { observer.tell(notice) }
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
        // Its store counts events that came after its end.
        _ = state.withLock { $0.takeFormer() }
        if endsWithProcess { OrderlyEnd.process.cover(client, signals: world.configuration.endsOnSignals) }
        for warning in warnings { client.note(.warning(warning)) }
        while let held = state.withLock({ $0.takeHeld(orRun: client) }) {
            for (call, moment) in held.calls { client.perform(at: moment, call) }
            if held.lost > 0 {
                client.note(
                    .warning("\(held.lost) calls before initSDK were lost: at most \(FacadeState.mostHeld) are held.")
                )
            }
            for observer in held.observers { client.observe { observer.tell($0) } }
            if held.flushes { client.flushEvents() }
            if held.ends { client.terminate() }
        }
    }

    /// Forgets the client and what is held, and gives the client to be ended by the caller.
    func stop() -> ClickstreamClient? {
        isParents ? nil : state.withLock { $0.stop() }
    }

    /// Ends the client in order, and forgets it and what is held. A call that comes meanwhile goes to the client, which stores
    /// it, or refuses and counts it.
    func shutdown() {
        guard !isParents else { return }
        let client = client
        if let client { OrderlyEnd.process.end(client) }
        let isStopped = state.withLock { state in
            _ = state.stop(client)
            return state.isIdle
        }
        if isStopped { startedAfter.store(0, ordering: .relaxed) }
    }

    /// Has the store of the client that was ended last count the events that are held at the end of the process.
    static func countHeldEvents() {
        guard !process.isParents else { return }
        let (events, former) = process.state.withLock { $0.takeHeldEvents() }
        former?.countLate(events)
    }

    /// Does `body` now, or, while no client runs, keeps it for the launch, with its time.
    /// - Parameter isEvent: true if `body` records an event.
    func call(isEvent: Bool = false, _ body: @escaping Call) {
        guard !isParents else { return Diagnostics.refuseInChild() }
        let client = state.withLock { state in
            if state.client == nil { state.hold(body, isEvent: isEvent) }
            return state.client
        }
        client?.perform(body)
    }

    /// Begins to send, now or once a client runs.
    func flushEvents() {
        guard !isParents else { return Diagnostics.refuseInChild() }
        let client = state.withLock { state in
            if state.client == nil { state.holdFlush() }
            return state.client
        }
        client?.flushEvents()
    }

    /// Tells every client from now on; the one that runs, too.
    func observe(_ body: @escaping @Sendable (Notice) -> Void) -> NoticeObserver {
        let observer = NoticeObserver(body)
        guard !isParents else { return observer }
        let client = state.withLock { state in
            state.add(observer)
            return state.client
        }
        client?.observe { observer.tell($0) }
        return observer
    }
}
