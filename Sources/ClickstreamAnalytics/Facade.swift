import ClickstreamCore

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

    init(in world: ClickstreamClient.World?) {
        self.world = world
        state = Locked(FacadeState(clock: world?.doors.time ?? SystemTime()))
    }

    /// The client, once it runs.
    var client: ClickstreamClient? { state.withLock { $0.client } }

    /// Says early that no client can be started, before a configuration is read.
    func requireIdle() throws(InitError) {
        guard state.withLock({ $0.isIdle }) else { throw .alreadyRunning }
    }

    /// Launches a client in `world`, gives it what was held, and lets calls go to it directly.
    /// - Parameters:
    ///   - warnings: what a developer should know beside it.
    ///   - endsWithProcess: whether the end of the process is to be the client's end, in order.
    func start(in world: ClickstreamClient.World, warnings: [String] = [], endsWithProcess: Bool) throws {
        let observers = try state.withLock { state throws(InitError) in
            try state.beginStart(clock: world.doors.time)
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
            throw error
        }
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
        state.withLock { $0.stop() }
    }

    /// Does `body` now, or, while no client runs, keeps it for the launch, with its time.
    func call(_ body: @escaping Call) {
        let client = state.withLock { state in
            if state.client == nil { state.hold(body) }
            return state.client
        }
        client?.perform(body)
    }

    /// Begins to send, now or once a client runs.
    func flushEvents() {
        let client = state.withLock { state in
            if state.client == nil { state.holdFlush() }
            return state.client
        }
        client?.flushEvents()
    }

    /// Tells every client from now on; the one that runs, too.
    func observe(_ body: @escaping @Sendable (Notice) -> Void) -> NoticeObserver {
        let observer = NoticeObserver(body)
        let client = state.withLock { state in
            state.add(observer)
            return state.client
        }
        client?.observe { observer.tell($0) }
        return observer
    }
}
