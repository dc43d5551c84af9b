import Synchronization

/// Analytics client of one app: records events, manages sessions and screens, stores and delivers.
///
/// Creating a client is the launch of the app. Every call is synchronous, ordered and callable from any thread; on
/// return, the recorded events would survive the death of the process. Only `flush(deadline:)` and
/// `shutdown(deadline:)` wait for the network. A process can have several clients, each with a store of its own.
///
/// A client belongs to the process that created it. In a child of `fork` every call returns at once, records and sends
/// nothing, and is reported on standard error; the child holds none of the store's locks.
///
/// ```swift
/// let client = try ClickstreamClient(in: world)
/// client.record("add_to_cart", attributes: ["price": 12.5])
/// ```
///
/// The module `ClickstreamAnalytics` has the world of this machine: `ClickstreamClient(_:observe:)` takes a
/// `ClickstreamConfiguration` and finds device, files, environment and network.
public final class ClickstreamClient: Sendable {
    let shared: SharedRecorder
    let delivery: Delivery
    let timers: ClientTimers
    package let time: any TimeSource
    package let ids: any IDSource
    let owner = OwningProcess()
    let middleware = Locked(MiddlewareChain())
    /// The configuration of the launch.
    private let launchConfiguration: Configuration
    /// Source of the device properties that can change.
    let device: (any DeviceSource)?

    /// Launches the app with these dependencies: as ``init(in:)``.
    package convenience init(
        configuration: Configuration,
        device: Device,
        storage: String,
        dependencies: Dependencies,
        observe: (@Sendable (Notice) -> Void)? = nil
    ) throws(StoreError) {
        let world = World(
            configuration: configuration,
            device: device,
            storage: storage,
            dependencies: dependencies,
            observe: observe
        )
        try self.init(in: world)
    }

    /// Opens the store in `world`, for the app or a tool beside it.
    package init(in world: World, as role: ClientRole) throws(StoreError) {
        let dependencies = world.dependencies
        time = dependencies.time
        ids = dependencies.ids
        launchConfiguration = world.configuration
        device = dependencies.device
        shared = try SharedRecorder(in: world, as: role)
        delivery = Delivery(
            shared,
            transport: dependencies.transport,
            time: dependencies.deliveryTime,
            ids: dependencies.ids,
            readsAhead: dependencies.readsAhead
        )
        timers = ClientTimers(shared, delivery, in: world)
        shared.setFlush { [weak delivery] in delivery?.flushSoon() }
        timers.arm()
    }

    /// False in a child of `fork`: the client's lock may be held by a thread of the parent, and only the parent may
    /// write to the run folder. Calls are then refused and reported on standard error.
    var isOurs: Bool {
        if owner.isCurrent { return true }
        Diagnostics.refuseInChild()
        return false
    }

    // MARK: Events

    /// Records an event. Invalid names and values are reported by error code, never by a trap.
    ///
    /// With a `user`, the event belongs to another user than the current one, such as the customer for whom an agent acts: it
    /// has the `unique_id`, user id and attributes with which that user was last logged in here; an unknown user has this
    /// device's `unique_id`. The current user, the session and the screen stay. Costs an encoding of both users more.
    /// - Parameters:
    ///   - name: at most 50 characters of `A-Z`, `a-z`, `0-9` and `_`, not beginning with a digit.
    ///   - attributes: the event's attributes; for `_screen_view` also the screen's name, id and unique id.
    ///   - items: at most 100; each needs an `id`.
    ///   - user: the user id, 1 to 256 characters; any other id is recorded as `_clickstream_error` instead of the event. `nil`
    ///     for the current user, also if none is logged in.
    public func record(
        _ name: String,
        attributes: Attributes = Attributes(),
        items: [Attributes] = [],
        user: String? = nil
    ) {
        guard isOurs else { return }
        if user != nil || RecordingExtensions.areUsed {
            return recordExtended(DraftEvent(name, attributes: attributes, items: items), as: user)
        }
        if items.isEmpty {
            FastPathEvent.attempt(name, attributes) { attempt in
                shared.record(name, attributes, attempt)
            }
        } else {
            change { $0.record(name, attributes, items, at: $1) }
        }
        timers.arm()
    }

    /// Adds attributes to every later event of the process.
    public func addGlobalAttributes(_ attributes: Attributes) {
        change { $0.setGlobals(attributes, at: $1) }
    }

    /// Removes attributes from every later event.
    public func deleteGlobalAttributes(_ names: [String]) {
        change { recorder, _ in recorder.deleteGlobalAttributes(names) }
    }

    /// Sets attributes of the current user, and records the whole profile.
    public func addUserAttributes(_ attributes: Attributes) {
        perform { $0.addUserAttributes(attributes, at: $1) }
    }

    /// Logs a user in, or out with `nil`, and records the whole profile.
    public func setUserID(_ id: String?) {
        perform { $0.setUserID(id, at: $1) }
    }

    // MARK: Lifecycle, reported by the platform's adapter or the app

    /// The app became visible. A client of this machine reads the device properties that can change. A repeated call changes
    /// nothing.
    public func foreground() {
        guard isOurs else { return }
        let reading = newReading
        perform { recorder, moment in
            if let reading { recorder.refresh(reading) }
            recorder.foreground(at: moment)
        }
    }

    /// The app became invisible: engagement and `_app_end` are recorded, and a flush begins. A repeated call changes
    /// nothing.
    public func background() {
        guard isOurs else { return }
        change { $0.background(at: $1) }
        flushEvents()
    }

    /// Graceful shutdown: records and stores the final events, and closes the store. Later events are refused, and
    /// counted as disabled in the store's ledger.
    public func terminate() {
        // A child of `fork` ends by itself.
        guard owner.isCurrent else { return }
        end { change { $0.terminate(at: $1) } }
    }

    /// Graceful shutdown with a last delivery: as ``terminate()``, after the queue is sent. Events that other threads
    /// record meanwhile are stored.
    /// - Parameter deadline: the time after which no request begins; unsent events are kept for the next process. A
    ///   request in progress then is awaited, for ``ClickstreamClient/Configuration/requestTimeout`` at most, since it would
    ///   be sent twice if it were cut off; an attempt to connect ends at the deadline.
    @discardableResult
    public func shutdown(deadline: Duration) async -> FlushReport {
        guard isOurs else { return .inChild }
        change { $0.background(at: $1) }
        let report = await flushLast(deadline: deadline)
        terminate()
        return report
    }

    /// Graceful shutdown of the process: records and stores the final events, while other threads may still record.
    package func settle() {
        guard owner.isCurrent else { return }
        timers.cancelFlush()
        change { $0.settle(at: $1) }
    }

    /// Counts events that were refused because the client has ended, in the store's ledger.
    package func countLate(_ events: Int) {
        guard owner.isCurrent, events > 0 else { return }
        shared.change { $0.access.log.store.count(.disabled, events) }
    }

    /// Counts an event that was refused because the client has ended, in the store's ledger, before it returns. Costs some
    /// file operations.
    package func saveLateCall() {
        guard owner.isCurrent else { return }
        shared.change { recorder in
            recorder.access.log.store.count(.disabled)
            recorder.access.saveLateCalls()
        }
    }

    deinit {
        guard owner.isCurrent else { return }
        shared.change { $0.access.saveLateCalls() }
    }

    /// A screen appeared, as reported by automatic tracking. Without a unique id, one is derived from the name.
    public func screen(name: String, id: String? = nil, uniqueID: String? = nil) {
        perform { $0.access.screen(Screen(name: name, id: id, uniqueID: uniqueID), at: $1) }
    }

    /// An uncaught failure: stores the `_app_exception` that the next launch records, and ends the client.
    public func crash(message: String, stack: String) {
        guard isOurs else { return }
        end { shared.change { $0.crash(message: message, stack: stack, at: time.now()) } }
    }

    /// Ends the client as `kill -9` would: records, stores and sends nothing.
    package func kill() {
        guard owner.isCurrent else { return }
        end { shared.change { $0.kill() } }
    }

    /// Ends sending, then performs the last change, which may arm a timer.
    private func end(_ lastChange: () -> Void) {
        timers.cancel()
        delivery.stop()
        lastChange()
        timers.cancel()
    }

    // MARK: Switches

    /// Stops recording and sending until ``enable()``.
    public func disable() {
        change { recorder, _ in recorder.disable() }
    }

    /// Resumes recording and sending; records the profile if it changed meanwhile.
    public func enable() {
        perform { $0.enable(at: $1) }
    }

    /// Indicates whether events are recorded.
    package var isEnabled: Bool { owner.isCurrent && shared.read { $0.access.isEnabled } }

    /// The current configuration; in a child of `fork`, that of the launch.
    public var configuration: Configuration {
        owner.isCurrent ? shared.read { $0.configuration } : launchConfiguration
    }

    /// Changes the configuration from the next call on.
    ///
    /// With another endpoint, later events are sent there; events recorded before are still sent to the old one. With
    /// another app id, the current app ends as by ``terminate()`` and the other is launched, with a store, an identity
    /// and a session of its own; global attributes and visibility are kept.
    /// - Parameter body: changes a copy, and may call the client. Runs again if the configuration was changed meanwhile, by
    ///   another thread or by `body` itself, so that no change is lost.
    public func configure(_ body: (inout Configuration) -> Void) {
        guard isOurs else { return }
        if shared.changeConfiguration(body) { timers.cancelFlush() }
        timers.armFlush()
    }

    /// Reports the network's state. While it is offline, no request is made.
    public func setOnline(_ isOnline: Bool) {
        guard isOurs else { return }
        shared.change { $0.access.isOnline = isOnline }
        delivery.setOnline(isOnline)
        timers.armFlush()
    }

    // MARK: Delivery

    /// Begins to send the queue, and returns at once.
    public func flushEvents() {
        guard isOurs else { return }
        delivery.flushSoon()
    }

    /// Sends the queue, and returns a report.
    ///
    /// Joins a flush that is in progress, and reports what it sends until the return.
    /// - Parameter deadline: the time after which the call returns and no further request is made; `nil` for no
    ///   deadline. A current request continues, since it would be sent twice if it were cut off. A negative deadline counts
    ///   as zero.
    @discardableResult
    public func flush(deadline: Duration? = nil) async -> FlushReport {
        guard isOurs else { return .inChild }
        return await delivery.flush(deadline: deadline)
    }

    /// Performs a change that may record events.
    /// - Parameter moment: the time of the change; `nil` for now.
    package func perform(at moment: Moment? = nil, _ body: (inout Recorder, Moment) -> Void) {
        guard isOurs else { return }
        shared.receive(at: moment, body)
        timers.arm()
    }

    /// Gives another module access to the recording, under the client's lock.
    /// - Parameter moment: the time of the call; `nil` for now.
    package func withAccess(at moment: Moment? = nil, _ body: (inout RecorderAccess, Moment) -> Void) {
        guard isOurs else { return }
        shared.receive(at: moment) { body(&$0.access, $1) }
        timers.arm()
    }

    /// The number of the run folder that is recorded to.
    package var run: Int { shared.read { $0.access.log.store.run } }

    /// True if the store's folder was removed or renamed and cannot be created again: later events are lost. Costs two
    /// file operations.
    package var isStoreGone: Bool {
        shared.findStore()
        return shared.read { $0.access.log.store.isGone }
    }

    /// Reports a notice from before the launch to the observers.
    package func note(_ notice: Notice) {
        guard isOurs else { return }
        shared.note(notice)
    }

    /// Adds an observer, which receives every later notice, in order, outside the client's lock.
    ///
    /// Called on the thread of the call that caused the notice, of another thread that records at the same time, or of
    /// the uploader. It may call the client; its time is added to the call. Each event costs a copy of its line while
    /// there is an observer.
    /// - Returns: a handle that cancels the observer; may be discarded.
    @discardableResult
    public func observe(_ body: @escaping @Sendable (Notice) -> Void) -> NoticeObserver {
        let observer = NoticeObserver(body)
        guard isOurs else { return observer }
        shared.add(observer)
        return observer
    }

    /// Performs a change that arms no flush.
    private func change(_ body: (inout Recorder, Moment) -> Void) {
        guard isOurs else { return }
        shared.receive(body)
        timers.armSynchronizer()
    }
}
