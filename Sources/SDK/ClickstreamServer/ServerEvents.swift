package import ClickstreamAnalytics
public import ClickstreamCore
import Foundation

/// Recorder of the events of a server's visitors: one process, many visitors, many threads.
///
/// Every call is synchronous and callable from any thread or task. ``record(_:_:_:for:at:)`` returns when the event's bytes
/// would survive `kill -9`; it never waits for the network. Rules, wire format, store, delivery and accounting are those of
/// `ClickstreamClient`. There are no lifecycle events, and nothing about the machine or a request is recorded unless the
/// ``Visitor`` contains it.
///
/// ```swift
/// let events = try ServerEvents(ClickstreamConfiguration().withAppId("shop").withEndpoint(endpoint))
/// events.record("add_to_cart", ["price": 12.5], for: Visitor(deviceID: cookie))
/// ```
///
/// Visitors are distributed over shards by their device id, each with a lock, a run folder and buffers of its own. Events of
/// one visitor keep the order in which they are recorded. A child of `fork` records and sends nothing.
public final class ServerEvents: Sendable {
    /// The visitor of the current task, for code that does not have the request.
    @TaskLocal public static var visitor: Visitor?

    /// Sessions of visitors without one, or `nil`.
    public let sessions: SessionTable?
    let shards: [EventShard]
    private let budget: StoreBudget
    let delivery: Delivery
    let timer: FlushTimer
    let synchronizer: FlushTimer?
    let time: any TimeSource
    let outbox: ServerNotices
    /// The duration of requests, for metrics.
    let requests: RequestObserver
    let settings: Locked<ServerSettings>
    /// The number of configurations taken; locked during a change, with all that follows from it.
    ///
    /// A value without size would have the address of its neighbour, of which the thread sanitizer reports a race.
    let changes = Locked(0)
    private let owner = OwningProcess()

    /// Opens the store of this machine, with settings from `configuration`, the environment, `amplifyconfiguration.json` and
    /// the defaults, in this order.
    ///
    /// - Parameters:
    ///   - configuration: at least the app id, unless the environment or the file has it.
    ///   - sessions: table that assigns sessions to visitors without one; `nil` records them without a session.
    ///   - shards: the number of shards, 1 to 64; `nil` for 16 for each core, at most 64.
    ///   - observe: receives every notice, outside every lock; costs a copy of each event's line.
    /// - Throws: `InitError` or `ConfigurationError` for a missing or invalid setting, `StoreError` for a store of a later
    ///   version, and for a broken disk. With any other unusable folder, events are kept in memory, with a warning.
    public convenience init(
        _ configuration: ClickstreamConfiguration,
        sessions: SessionTable? = nil,
        shards: Int? = nil,
        observe: (@Sendable (Notice) -> Void)? = nil
    ) throws {
        let host = try Host(configuration)
        var world = host.world
        world.observe = observe
        try self.init(in: world, sessions: sessions, shards: shards)
        for warning in host.warnings { outbox.post([.warning(warning)], printsEvents: false) }
    }

    /// Opens the store in `world`, such as that of a test.
    ///
    /// - Throws: `StoreError` for a store of a later version, and for a broken disk.
    public init(
        in world: ClickstreamClient.World,
        sessions: SessionTable? = nil,
        shards count: Int? = nil
    ) throws(StoreError) {
        var notices: [Notice] = []
        let settings = ServerSettings(world.configuration, notices: &notices)
        let outbox = ServerNotices(world.observe)
        let configuration = settings.configuration
        let count = min(SessionTable.stripeCount, max(1, count ?? Self.shardsPerCore * Self.cores))
        let budget = StoreBudget(configuration, shards: count)
        let shards = try Self.open(count, budget, configuration, world, sessions, outbox)
        self.budget = budget
        self.sessions = sessions
        self.shards = shards
        self.outbox = outbox
        let requests = RequestObserver()
        self.requests = requests
        self.settings = Locked(settings)
        time = world.dependencies.time
        delivery = Delivery(
            shards,
            transport: world.dependencies.transport.map { transport in
                TimedTransport(transport, time: world.dependencies.deliveryTime, observer: requests)
            },
            time: world.dependencies.deliveryTime,
            ids: world.dependencies.ids
        )
        timer = FlushTimer(time: time, isNeeded: world.dependencies.transport != nil)
        synchronizer = configuration.durability == .power ? FlushTimer(time: time, isNeeded: true) : nil
        if !notices.isEmpty { outbox.post(notices, printsEvents: false) }
        armTimer()
    }

    private static func open(
        _ count: Int,
        _ budget: StoreBudget,
        _ configuration: ClickstreamClient.Configuration,
        _ world: ClickstreamClient.World,
        _ sessions: SessionTable?,
        _ outbox: ServerNotices
    ) throws(StoreError) -> [EventShard] {
        var shards: [EventShard] = []
        for number in 0..<count {
            // A shared source would be a lock that all shards contend for.
            let ids = world.dependencies.ids is SystemIDs ? SystemIDs() : world.dependencies.ids
            shards.append(
                try EventShard(
                    configuration,
                    number: number,
                    budget: budget,
                    device: world.device.with(configuration.device),
                    storage: world.storage,
                    files: world.dependencies.files,
                    ids: ids,
                    sessions: sessions,
                    observesLines: world.observe != nil
                ) { [outbox] notices, printsEvents in
                    outbox.post(notices, printsEvents: printsEvents)
                }
            )
        }
        return shards
    }

    /// Two threads rarely need the same of 16 shards for each core. See `ServerCosts scaling`.
    private static let shardsPerCore = 16
    private static var cores: Int { ProcessInfo.processInfo.activeProcessorCount }

    deinit {
        guard owner.isCurrent else { return }
        for shard in shards { shard.saveLateCalls() }
    }

    /// False in a child of `fork`, where no call has an effect.
    var isOurs: Bool {
        if owner.isCurrent { return true }
        Diagnostics.refuseInChild()
        return false
    }

    // MARK: Recording

    /// Records an event of a visitor. Invalid names and values are reported by error code, never by a trap.
    ///
    /// - Parameters:
    ///   - name: at most 50 characters of `A-Z`, `a-z`, `0-9` and `_`, not beginning with a digit.
    ///   - attributes: the event's attributes; one with the name of an attribute of the visitor replaces it.
    ///   - items: at most 100; each needs an `id`.
    ///   - visitor: the origin of the event. Without a usable device id nothing is recorded, and the event is counted as
    ///     rejected.
    ///   - time: the time of the event; `nil` for now. It is also the time at which the session is active.
    public func record(
        _ name: String,
        _ attributes: Attributes = Attributes(),
        _ items: [Attributes] = [],
        for visitor: Visitor,
        at time: Timestamp? = nil
    ) {
        guard isOurs else { return }
        let stripe = SessionTable.stripe(of: visitor.deviceID)
        let time = time ?? self.time.now().wall
        #if Server
        let attributes = TraceAttribute.adding(to: attributes)
        #endif
        let shard = shards[stripe % shards.count]
        if shard.record(name, attributes, items, for: visitor, stripe: stripe, at: time) {
            budget.divide(among: shards)
        }
        if timer.isIdle { armTimer() }
        if let synchronizer, synchronizer.isIdle { synchronizeSoon() }
    }

    /// Records an event of the visitor of the current task; see ``withVisitor(_:operation:)``.
    ///
    /// - Returns: false if the task has no visitor: nothing is recorded then.
    @discardableResult
    public func record(
        _ name: String,
        _ attributes: Attributes = Attributes(),
        _ items: [Attributes] = [],
        at time: Timestamp? = nil
    ) -> Bool {
        guard let visitor = Self.visitor else { return false }
        record(name, attributes, items, for: visitor, at: time)
        return true
    }

    /// Runs `operation` with ``visitor`` set, also for the tasks that it creates, except detached ones.
    public static func withVisitor<Result, Failure: Error>(
        _ visitor: Visitor?,
        operation: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        do {
            return try $visitor.withValue(visitor) { try operation() }
        } catch {
            // The binding throws what `operation` throws.
            guard let failure = error as? Failure else { preconditionFailure("Invalid state: another error") }
            throw failure
        }
    }

    /// Runs `operation` with ``visitor`` set, also for the tasks that it creates, except detached ones.
    public static func withVisitor<Result>(
        _ visitor: Visitor?,
        isolation: isolated (any Actor)? = #isolation,
        operation: () async throws -> Result
    ) async rethrows -> Result {
        try await $visitor.withValue(visitor, operation: operation, isolation: isolation)
    }
}
