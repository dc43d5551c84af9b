import Synchronization

/// One app's analytics: records events, decides sessions and screens, keeps everything on disk, and delivers it.
///
/// Making one is the launch of the app. Every call is synchronous, ordered, callable from any thread, and returns when
/// what it recorded would survive the death of the process; only ``flush(deadline:)`` waits for the network. Several
/// clients live side by side, each with a store of its own.
///
/// A client belongs to the process that made it. In a child of `fork` every call on it returns at once, records and sends
/// nothing, and is reported on standard error; the child holds none of the store's locks.
///
/// ```swift
/// let client = try ClickstreamClient(in: world)
/// client.recordEvent("add_to_cart", ["price": 12.5])
/// ```
public final class ClickstreamClient: Sendable {
    /// The four dependencies to the world that a client is given.
    public struct Dependencies: Sendable {
        public var time: any TimeSource
        public var ids: any IDSource
        public var files: any FileSystem
        /// `nil`: nothing is ever sent, events are kept.
        public var transport: (any Transport)?
        /// The clock of deliveries: time-outs, pauses, `upload_timestamp`. The same as `time`, except where a script's
        /// clock is not the network's.
        public var deliveryTime: any TimeSource
        /// Notices crashes of this process, for one client; `nil`: nobody does.
        package var crashes: (any CrashCapture)?
        /// Whether deliveries make the next batch while one is on its way; without it they are what those are held against.
        package var looksAhead = true

        public init(
            time: any TimeSource,
            ids: any IDSource,
            files: any FileSystem,
            transport: (any Transport)? = nil,
            deliveryTime: (any TimeSource)? = nil
        ) {
            self.time = time
            self.ids = ids
            self.files = files
            self.transport = transport
            self.deliveryTime = deliveryTime ?? time
        }
    }

    private let shared: SharedRecorder
    private let delivery: Delivery
    private let timer: FlushTimer
    /// Set while something recorded may not have reached the disk itself; `nil` unless it has to.
    private let synchronizer: FlushTimer?
    private let time: any TimeSource
    private let owner = OwningProcess()
    /// The configuration of the launch.
    private let launchConfiguration: Configuration

    /// Launches: opens the store, and records what the launch means.
    ///
    /// - Parameters:
    ///   - configuration: at least the app id; without an endpoint events are kept.
    ///   - device: what every event says of the device and the app.
    ///   - storage: the folder that holds the stores of all apps; made when it is missing.
    ///   - dependencies: clock, identifiers, disk and network.
    ///   - observe: is told everything that happens, in order; nothing is called under the client's lock. When it is
    ///     given, every event costs a copy of its line.
    /// - Throws: ``StoreError`` for a store that a later version of the library wrote, and for a disk that is broken (`EIO`):
    ///   nothing is recorded then. Any other folder that cannot be used (read-only, foreign, somebody else's, a full disk)
    ///   throws nothing: a warning says why, and at most 1 000 events of 1 MiB are kept in memory until it can be used, or
    ///   until they are delivered.
    public convenience init(
        configuration: Configuration,
        device: Device,
        storage: String,
        dependencies: Dependencies,
        observe: (@Sendable (Notice) -> Void)? = nil
    ) throws(StoreError) {
        try self.init(
            configuration: configuration,
            device: device,
            storage: storage,
            dependencies: dependencies,
            launches: true,
            goesToMemory: true,
            observe: observe
        )
    }

    /// - Parameters:
    ///   - launches: whether this is a launch of the app, or somebody who looks after its store from outside.
    ///   - records: whether who is outside records too: in the stored session or the next, no lifecycle events around it.
    ///   - goesToMemory: whether a launch goes on in memory while the store's folder cannot be used.
    ///   - last: the run folder that the caller recorded to from outside before, which it goes on with.
    package init(
        configuration: Configuration,
        device: Device,
        storage: String,
        dependencies: Dependencies,
        launches: Bool,
        records: Bool = false,
        goesToMemory: Bool = false,
        runAfter last: Int? = nil,
        observe: (@Sendable (Notice) -> Void)? = nil
    ) throws(StoreError) {
        let store =
            launches
            ? try EventStore.opened(
                files: dependencies.files,
                root: storage,
                destination: Destination(configuration),
                limits: QueueLimits(configuration),
                goesToMemory: goesToMemory
            )
            : try EventStore(
                files: dependencies.files,
                root: storage,
                destination: Destination(configuration),
                limits: QueueLimits(configuration),
                runAfter: last
            )
        time = dependencies.time
        launchConfiguration = configuration
        let recorder = Recorder(
            configuration: configuration,
            device: device,
            ids: dependencies.ids,
            store: store,
            launches: launches,
            records: records,
            observesLines: observe != nil,
            crashes: dependencies.crashes,
            at: dependencies.time.now()
        )
        shared = SharedRecorder(recorder, observe: observe)
        delivery = Delivery(
            shared,
            transport: dependencies.transport,
            time: dependencies.deliveryTime,
            ids: dependencies.ids,
            looksAhead: dependencies.looksAhead
        )
        timer = FlushTimer(time: dependencies.time, isNeeded: dependencies.transport != nil)
        synchronizer = configuration.durability == .power ? FlushTimer(time: dependencies.time, isNeeded: true) : nil
        armTimer()
        synchronizeSoon()
    }

    /// False in a child of `fork`: the client belongs to the parent, another thread of which may hold its lock, and which alone
    /// writes to its run folder. A call is then refused, which is reported on standard error.
    private var isOurs: Bool {
        if owner.isCurrent { return true }
        Diagnostics.refuseInChild()
        return false
    }

    // MARK: Events

    /// Records an event. Bad names and values are reported by code, never by a trap.
    ///
    /// - Parameters:
    ///   - name: at most 50 characters of `A-Z`, `a-z`, `0-9` and `_`, not beginning with a digit.
    ///   - attributes: what happened; `_screen_view` takes the screen's name, id and unique id from here.
    ///   - items: at most 100; each needs an `id`.
    public func recordEvent(_ name: String, _ attributes: Attributes = Attributes(), _ items: [Attributes] = []) {
        guard isOurs else { return }
        if items.isEmpty {
            FastPathEvent.attempt(name, attributes) { attempt in
                shared.record(name, attributes, attempt, time: time)
            }
            synchronizeSoon()
        } else {
            change { $0.record(name, attributes, items, at: $1) }
        }
        armTimer()
    }

    /// Adds attributes to every event from now on, for the life of the process.
    public func addGlobalAttributes(_ attributes: Attributes) {
        change { $0.setGlobals(attributes, at: $1) }
    }

    /// Takes attributes out of every event from now on.
    public func deleteGlobalAttributes(_ names: [String]) {
        change { recorder, _ in recorder.deleteGlobalAttributes(names) }
    }

    /// Sets attributes of the current user, and records the whole profile.
    public func addUserAttributes(_ attributes: Attributes) {
        guard isOurs else { return }
        change { $0.addUserAttributes(attributes, at: $1) }
        armTimer()
    }

    /// Logs a user in, or out with `nil`, and records the whole profile.
    public func setUserID(_ id: String?) {
        guard isOurs else { return }
        change { $0.setUserID(id, at: $1) }
        armTimer()
    }

    // MARK: Lifecycle, reported by whoever sees it

    /// The app became visible. A second call in a row changes nothing.
    public func foreground() {
        guard isOurs else { return }
        change { $0.foreground(at: $1) }
        armTimer()
    }

    /// The app became invisible: engagement and the end are recorded, and a flush begins. A second call changes nothing.
    public func background() {
        guard isOurs else { return }
        change { $0.background(at: $1) }
        flushEvents()
    }

    /// The orderly end: what the end means is recorded and stored, and the store is closed. Nothing is recorded afterwards; events
    /// that come too late are counted as disabled in the store's books.
    public func terminate() {
        // A child of `fork` ends by itself.
        guard owner.isCurrent else { return }
        stop()
        change { $0.terminate(at: $1) }
        synchronizer?.cancel()
    }

    /// The orderly end with a last delivery: as ``terminate()``, and what is queued is sent before the store is closed. Events that
    /// other threads record meanwhile are stored.
    /// - Parameter deadline: milliseconds after which it ends with what was sent; the rest is kept for the next process.
    public func shutdown(deadline: Int64) async -> FlushReport {
        guard isOurs else { return .inChild }
        timer.cancel()
        change { $0.background(at: $1) }
        let report = await delivery.flush(deadline: deadline)
        terminate()
        return report
    }

    /// The orderly end of the process: what it means is recorded and stored, while other threads may still record.
    package func settle() {
        guard owner.isCurrent else { return }
        timer.cancel()
        change { $0.settle(at: $1) }
    }

    /// Counts events that were refused because the client has ended; for the books of its store.
    package func countLate(_ events: Int) {
        guard owner.isCurrent, events > 0 else { return }
        shared.change { $0.countLate(events) }
    }

    deinit {
        guard owner.isCurrent else { return }
        shared.change { $0.bookLateCalls() }
    }

    /// A screen appeared, as automatic tracking sees it. A unique id that is not given derives from the name.
    public func screen(name: String, id: String? = nil, uniqueID: String? = nil) {
        guard isOurs else { return }
        change { $0.screen(Screen(name: name, id: id, uniqueID: uniqueID), at: $1) }
        armTimer()
    }

    /// An uncaught failure: leaves on disk what the next launch records as `_app_exception`, and ends the client.
    public func crash(message: String, stack: String) {
        guard isOurs else { return }
        stop()
        change { $0.crash(message: message, stack: stack, at: $1) }
        synchronizer?.cancel()
    }

    /// True while a flush is under way.
    package var isDelivering: Bool { delivery.isRunning }

    /// Sends no more, once the request under way has ended: cut off, it might be sent twice.
    /// - Returns: whether the last that was tried, if anything was, went well.
    @discardableResult
    package func endDelivery() async -> Bool {
        guard isOurs else { return true }
        timer.cancel()
        return await delivery.finish()
    }

    /// Ends the client as `kill -9` would: nothing is recorded, stored or sent.
    package func kill() {
        guard owner.isCurrent else { return }
        stop()
        change { recorder, _ in recorder.kill() }
        synchronizer?.cancel()
    }

    private func stop() {
        timer.cancel()
        synchronizer?.cancel()
        delivery.stop()
    }

    // MARK: Switches

    /// Stops recording and sending until ``enable()``.
    public func disable() {
        change { recorder, _ in recorder.disable() }
    }

    /// Records and sends again; the profile is recorded when it changed meanwhile.
    public func enable() {
        guard isOurs else { return }
        change { $0.enable(at: $1) }
        armTimer()
    }

    /// Whether events are recorded.
    public var isEnabled: Bool { owner.isCurrent && shared.read { $0.isEnabled } }

    /// How the client behaves now; in a child of `fork`, how it behaved at its launch.
    public var configuration: Configuration {
        owner.isCurrent ? shared.read { $0.configuration } : launchConfiguration
    }

    /// Changes how the client behaves, from the next call on.
    ///
    /// With another endpoint, what is recorded from now on goes there; what was recorded before still goes to the old one.
    /// With another app id, the app so far ends as by ``terminate()`` and the other is launched, with a store, an identity
    /// and a session of its own; global attributes and visibility go on.
    public func configure(_ body: (inout Configuration) -> Void) {
        guard isOurs else { return }
        let hasNewInterval = shared.change { recorder in
            let interval = recorder.configuration.sendInterval
            var changed = recorder.configuration
            body(&changed)
            recorder.configure(changed, at: time.now())
            return recorder.configuration.sendInterval != interval
        }
        if hasNewInterval { timer.cancel() }
        armTimer()
    }

    /// Changes what events say about the device, from the next event on.
    public func updateDevice(_ body: (inout Device) -> Void) {
        change { recorder, _ in
            var changed = recorder.device
            body(&changed)
            recorder.update(changed)
        }
    }

    /// Says whether the network can be reached. While it cannot, nothing is tried.
    public func setOnline(_ isOnline: Bool) {
        guard isOurs else { return }
        delivery.setOnline(isOnline)
        armTimer()
    }

    // MARK: Delivery

    /// Begins to send what is queued, and returns at once.
    public func flushEvents() {
        guard isOurs else { return }
        delivery.flushSoon()
    }

    /// Sends what is queued, and says what became of it.
    ///
    /// A flush that is under way is joined.
    /// - Parameter deadline: milliseconds after which it comes back and no further request is made; one that is under way
    ///   then goes on, since cut off it would be sent twice. `nil` for as long as it takes.
    public func flush(deadline: Int64? = nil) async -> FlushReport {
        guard isOurs else { return .inChild }
        return await delivery.flush(deadline: deadline)
    }

    /// What became of every event of this process's run folders, and how many are pending there.
    package var ledger: (ledger: Ledger, pendingEvents: Int) { shared.read { $0.ledger } }

    /// The events of this app that a server will never take, for people to look at and to remove.
    package var deadLetters: DeadLetters { shared.read { $0.deadLetters } }

    /// Queues dead letters again, those with these event ids or all.
    /// - Returns: how many.
    package func requeueDeadLetters(_ ids: Set<String>? = nil) throws(StoreError) -> Int {
        let result: Result<Int, StoreError> = shared.change { recorder in
            do throws(StoreError) {
                return .success(try recorder.requeueDeadLetters(ids))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    /// With the durability of power, brings what was recorded to the disk itself, all of an interval at once and outside
    /// the lock.
    private func synchronizeSoon() {
        guard let synchronizer else { return }
        synchronizer.arm(after: max(1, shared.read { $0.configuration.synchronizeInterval })) { [weak self] in
            guard let self else { return }
            for file in shared.read({ $0.filesToSynchronize }) {
                do throws(FileError) {
                    try file.synchronize()
                } catch {
                    // A closed file's segment was ended meanwhile, and synchronized then.
                    if error.errno != FileError.closed { note(.warning("\(error)")) }
                }
            }
        }
    }

    private func armTimer() {
        guard timer.isIdle else { return }
        timer.arm(after: shared.read { $0.configuration.sendInterval }) { [weak self] in
            guard let self else { return }
            if await !delivery.flushUnlessRunning() { armTimer() }
        }
    }

    /// Does what an adapter asks of the recorder.
    /// - Parameter moment: when it was asked; `nil` for now.
    package func perform(at moment: Moment? = nil, _ body: (inout Recorder, Moment) -> Void) {
        guard isOurs else { return }
        shared.change { recorder in body(&recorder, moment ?? time.now()) }
        armTimer()
        synchronizeSoon()
    }

    /// The number of the run folder that is recorded to.
    package var run: Int { shared.read { $0.run } }

    /// True if the store's folder was removed or moved away, and could not be made anew: events that come now are lost. Costs a
    /// look at two files.
    package var isStoreGone: Bool {
        shared.change { recorder in
            recorder.lookForStore()
            return recorder.isStoreGone
        }
    }

    /// Tells the observer something that happened before the launch.
    package func note(_ notice: Notice) {
        guard isOurs else { return }
        shared.change { $0.note(notice) }
    }

    /// Tells `body` everything that happens from now on, in order, outside the client's lock.
    ///
    /// It is called on the thread of the call that caused the notice, or of another that records at the same time (of
    /// deliveries: on the uploader's), and may call the client; what it takes, that call takes longer. As long as anybody
    /// observes, every event costs a copy of its line.
    /// - Returns: what ends it; may be dropped.
    @discardableResult
    public func observe(_ body: @escaping @Sendable (Notice) -> Void) -> NoticeObserver {
        let observer = NoticeObserver(body)
        guard isOurs else { return observer }
        shared.add(observer)
        return observer
    }

    private func change(_ body: (inout Recorder, Moment) -> Void) {
        guard isOurs else { return }
        shared.change { recorder in body(&recorder, time.now()) }
        synchronizeSoon()
    }
}
