public import ClickstreamCore

/// The attributes of an event, a user or an item, as the published API calls them.
public typealias ClickstreamAttribute = ClickstreamCore.Attributes
/// The chained configuration of the published API.
public typealias ClickstreamConfiguration = ClickstreamCore.ClickstreamConfiguration
/// What an early version of the published API called the configuration of a running SDK.
public typealias ClickstreamContextConfiguration = ClickstreamCore.ClickstreamConfiguration
/// What ``ClickstreamAnalytics/observe(_:)`` tells.
public typealias ClickstreamNotice = ClickstreamCore.Notice

/// The published SDK's API, over one `ClickstreamClient` for the whole process.
///
/// Every call is synchronous, callable from any thread, before and after ``initSDK(_:)``, and never traps. What is called
/// before is held (1 000 calls at most, the oldest are kept) and takes effect after the launch events, with its own time.
/// A call that records returns when the event would survive the death of the process: some microseconds, a write to the
/// system's page cache among them. Mistakes of the caller are reported by code, in the event, on standard error and to
/// ``observe(_:)``; they are never thrown. Several apps in one process each make a `ClickstreamClient` of their own.
///
/// Source: the manual of the published SDK, and its code where the manual is silent; `Docs/migration.md` compares them.
public enum ClickstreamAnalytics: Sendable {
    // MARK: Start

    /// Starts the SDK with what `configuration` sets; the rest comes from the environment (`CLICKSTREAM_...`), then
    /// `amplifyconfiguration.json` (working directory, or beside the executable), then the defaults.
    ///
    /// Opens the store, which costs some file operations, and records what the launch means; sends nothing yet.
    /// - Throws: ``InitError`` when it runs already, or when the app id is missing or a setting cannot be used;
    ///   `ConfigurationError` when the file or a variable cannot be used: it says which file, line and key, and what was
    ///   expected; `StoreError` when the store cannot be opened. Nothing has been started then; what is held stays held.
    public static func initSDK(_ configuration: ClickstreamConfiguration? = nil) throws {
        let facade = Facade.current
        try facade.requireIdle()
        let code = configuration ?? ClickstreamConfiguration()
        let host = try facade.world.map { try Host(code, in: $0) } ?? Host(code)
        try facade.start(in: host.world, warnings: host.warnings, endsWithProcess: facade.world == nil)
        if facade.world == nil { AppleLifecycle.start() }
    }

    /// Starts the SDK on doors of the caller's: for platforms that bring their own.
    /// - Parameters:
    ///   - configuration: used as it is; neither file nor environment is read.
    ///   - device: what every event says of the device and the app.
    ///   - storage: the folder that holds the stores of all apps; made when it is missing.
    ///   - doors: clock, identifiers, disk and network.
    ///   - observe: is told everything that happens, as by ``observe(_:)``.
    /// - Throws: ``InitError/alreadyRunning``, or `StoreError` when the store cannot be opened.
    public static func initSDK(
        _ configuration: Configuration,
        device: Device,
        storage: String,
        doors: ClickstreamClient.Doors,
        observe: (@Sendable (Notice) -> Void)? = nil
    ) throws {
        let world = ClickstreamClient.World(
            configuration: configuration,
            device: device,
            storage: storage,
            doors: doors,
            observe: observe
        )
        try Facade.current.start(in: world, endsWithProcess: configuration.endsOnSignals)
    }

    /// Ends the SDK in order: what the end means is recorded, the store closed. ``initSDK(_:)`` may start it anew.
    ///
    /// An event that another thread records meanwhile is stored, or counted as disabled in the store's books.
    /// Sends nothing more: what is queued goes out after the next start. While a request is on its way this blocks until the
    /// reply is there, two seconds at most, so that its events are not sent again. Calls that were held are forgotten.
    public static func shutdown() {
        Facade.current.shutdown()
    }

    // MARK: Events

    /// Records an event without attributes.
    /// - Parameter eventName: at most 50 characters of `A-Z`, `a-z`, `0-9` and `_`, not beginning with a digit; another
    ///   name is recorded as `_clickstream_error` with 1001 or 1002.
    public static func recordEvent(_ eventName: String) {
        recordEvent(eventName, [:], [])
    }

    /// Records an event with attributes and items.
    ///
    /// An attribute or item that breaks a rule is left out, and `_error_code` and `_error_message` of the event say why.
    /// ``EventName/SCREEN_VIEW`` makes a screen the current one: ``Attr/SCREEN_NAME`` is required then.
    /// - Parameters:
    ///   - eventName: as in ``recordEvent(_:)``.
    ///   - attributes: win over global attributes of the same name.
    ///   - items: at most 100; each needs ``Item/ITEM_ID``.
    public static func recordEvent(
        _ eventName: String,
        _ attributes: ClickstreamAttribute,
        _ items: [ClickstreamAttribute] = []
    ) {
        let facade = Facade.current
        if let client = facade.client {
            client.recordEvent(eventName, attributes, items)
        } else {
            facade.call(isEvent: true) { $0.record(eventName, attributes, items, at: $1) }
        }
    }

    /// Records an event; the labelled form of the older manual.
    public static func recordEvent(eventName: String, attributes: ClickstreamAttribute = [:]) {
        recordEvent(eventName, attributes, [])
    }

    // MARK: Attributes of every event

    /// Adds attributes to every event from now on, for the life of the process.
    ///
    /// One that breaks a rule is not set, and recorded as `_clickstream_error`. Setting a name again changes its value.
    public static func addGlobalAttributes(_ attributes: ClickstreamAttribute) {
        Facade.current.call { $0.setGlobals(attributes, at: $1) }
    }

    /// Adds global attributes; the labelled form of early versions.
    public static func addGlobalAttributes(attributes: ClickstreamAttribute) {
        addGlobalAttributes(attributes)
    }

    /// Takes attributes out of every event from now on. A name that is not there is ignored.
    public static func deleteGlobalAttributes(_ names: String...) {
        Facade.current.call { recorder, _ in recorder.deleteGlobalAttributes(names) }
    }

    /// Takes global attributes out; the labelled form of early versions.
    public static func deleteGlobalAttributes(attributes names: String...) {
        Facade.current.call { recorder, _ in recorder.deleteGlobalAttributes(names) }
    }

    // MARK: User

    /// Sets attributes of the current user, keeps them on disk, and records the whole profile as `_profile_set`.
    ///
    /// One that breaks a rule is not set, and recorded as `_clickstream_error` with 3001 to 3005.
    public static func addUserAttributes(_ attributes: ClickstreamAttribute) {
        Facade.current.call { $0.addUserAttributes(attributes, at: $1) }
    }

    /// Sets user attributes; the labelled form of early versions.
    public static func addUserAttributes(attributes: ClickstreamAttribute) {
        addUserAttributes(attributes)
    }

    /// Logs a user in, or out with `nil`, and records the whole profile as `_profile_set`.
    ///
    /// Another user gets a `unique_id` of their own; one known from before gets theirs back, with their attributes.
    /// - Parameter userId: 1 to 256 characters; another is recorded as `_clickstream_error`, and nobody is logged in.
    public static func setUserId(_ userId: String?) {
        Facade.current.call { $0.setUserID(userId, at: $1) }
    }

    /// Logs a user in or out; the labelled form of early versions.
    public static func setUserId(userId: String?) {
        setUserId(userId)
    }

    // MARK: Lifecycle, for adapters of platforms that report it

    /// The app became visible. A second call in a row changes nothing.
    public static func foreground() {
        Facade.current.call { $0.foreground(at: $1) }
    }

    /// The app became invisible: what that means is recorded, and a flush begins. A second call changes nothing.
    public static func background() {
        let facade = Facade.current
        facade.call { $0.background(at: $1) }
        facade.flushEvents()
    }

    /// A screen appeared, as automatic tracking sees it; ignored while `isTrackScreenViewEvents` is off.
    ///
    /// The screen that is shown already is not recorded again: name, id and unique id all count. A unique id that is not
    /// given derives from the name, as for a screen view recorded by hand.
    public static func screen(name: String, id: String? = nil, uniqueID: String? = nil) {
        Facade.current.call { $0.screen(Screen(name: name, id: id, uniqueID: uniqueID), at: $1) }
    }

    // MARK: Switches

    /// Stops recording and sending until ``enable()``, or the end of the process. What is queued stays on disk.
    public static func disable() {
        Facade.current.call { recorder, _ in recorder.disable() }
    }

    /// Records and sends again; the profile is recorded when it changed meanwhile.
    public static func enable() {
        Facade.current.call { $0.enable(at: $1) }
    }

    /// The running SDK's configuration: changing it changes the SDK at once, from the next call on.
    ///
    /// What cannot change while the SDK runs stays as it is, with a warning: the store's place, caps and
    /// durability, and whether signals end it.
    /// - Throws: ``InitError/notRunning`` before ``initSDK(_:)``.
    public static func getClickstreamConfiguration() throws -> ClickstreamConfiguration {
        guard let client = Facade.current.client else { throw InitError.notRunning }
        return ClickstreamConfiguration(of: client)
    }

    // MARK: Delivery

    /// Begins to send what is queued, and returns at once. Before ``initSDK(_:)``: sends as soon as the SDK runs.
    public static func flushEvents() {
        Facade.current.flushEvents()
    }

    /// Sends what is queued and says what became of it; an empty report before ``initSDK(_:)``.
    /// - Parameter deadline: milliseconds after which it comes back and no further request is made; one that is under way
    ///   then goes on. `nil`: until the queue is empty or a request fails.
    public static func flush(deadline: Int64? = nil) async -> FlushReport {
        guard let client = Facade.current.client else { return FlushReport() }
        return await client.flush(deadline: deadline)
    }

    // MARK: Debugging and testing

    /// Tells `body` everything that the SDK does and decides, in order: recorded, rejected, uploaded, retained, ...
    ///
    /// Called before ``initSDK(_:)`` it hears the launch too; it goes on through ``shutdown()`` and the next start. It is
    /// called outside every lock, on the thread of the call that caused the notice (of deliveries: on the uploader's),
    /// and may call the SDK; what it takes, that call takes longer. Every event then costs a copy of its line.
    /// `Docs/debugging.md` has examples, among them the way to swift-log.
    /// - Returns: what ends it; may be dropped.
    @discardableResult
    public static func observe(_ body: @escaping @Sendable (ClickstreamNotice) -> Void) -> NoticeObserver {
        Facade.current.observe(body)
    }

    /// Runs `body` with an SDK of its own that is launched in `world`: for tests of code that calls this API.
    ///
    /// Whatever `body` calls, and the tasks that it starts, see an SDK that does not run yet; ``initSDK(_:)`` starts it in
    /// `world`, and reads neither file nor environment. Other tests run beside it undisturbed. Detached tasks, threads and
    /// dispatch queues see the process's SDK instead. At the end the SDK disappears without recording anything.
    public static func isolated<Result>(
        in world: ClickstreamClient.World,
        _ body: () throws -> Result
    ) rethrows -> Result {
        let facade = Facade(in: world)
        defer { facade.stop()?.kill() }
        return try Facade.$isolated.withValue(facade, operation: body)
    }

    /// Runs `body`, which may wait, with an SDK of its own that is launched in `world`; as the form that does not wait.
    public static func isolated<Result>(
        in world: ClickstreamClient.World,
        isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> Result
    ) async rethrows -> Result {
        let facade = Facade(in: world)
        defer { facade.stop()?.kill() }
        return try await Facade.$isolated.withValue(facade, operation: body, isolation: isolation)
    }
}
