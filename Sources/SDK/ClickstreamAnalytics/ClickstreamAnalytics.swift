public import ClickstreamCore

/// Attributes of an event, a user or an item, with the name of the published API.
public typealias ClickstreamAttribute = ClickstreamCore.Attributes
/// Name of the configuration of a running SDK in early versions of the published API.
public typealias ClickstreamContextConfiguration = ClickstreamConfiguration

/// API of the published SDK, backed by one `ClickstreamClient` for the whole process.
///
/// Every call is synchronous and thread-safe, allowed before and after ``initSDK(_:)``, and never traps. Calls before
/// it are queued (1 000 calls at most, the oldest are kept) and executed after the launch events, with their original
/// time. A call that records returns when the event would survive the death of the process: some microseconds,
/// including a write to the system's page cache. Mistakes of the caller are reported by code, in the event, on standard
/// error and to ``observe(_:)``; they are never thrown. Several apps in one process each need a `ClickstreamClient` of
/// their own.
///
/// Source: the manual of the published SDK, and its code where the manual is silent; `Docs/migration.md` compares them.
public enum ClickstreamAnalytics: Sendable {
    // MARK: Start and end

    /// Starts the SDK with the settings of `configuration`; other settings come from the environment
    /// (`CLICKSTREAM_...`), then `amplifyconfiguration.json` (in the working directory, or next to the executable),
    /// then the defaults.
    ///
    /// Opens the store, which costs some file operations, and records the launch events; does not send yet.
    /// - Throws: ``InitError`` if the SDK is running already, the app id is missing or a setting is invalid;
    ///   `ConfigurationError` if the file or a variable is invalid, with file, line, key and expected value;
    ///   `StoreError` if the store cannot be opened. The SDK is then not started; queued calls stay queued.
    public static func initSDK(_ configuration: ClickstreamConfiguration? = nil) throws {
        let facade = Facade.current
        try facade.requireIdle()
        let code = configuration ?? ClickstreamConfiguration()
        let host = try facade.world.map { try Host(code, in: $0) } ?? Host(code)
        try facade.start(in: host.world, warnings: host.warnings, endsWithProcess: facade.world == nil)
        if facade.world == nil { AppleLifecycle.start() }
    }

    /// Starts the SDK in `world`, for apps that provide their own device properties or network, and for tests.
    ///
    /// The configuration of `world` has the complete settings; neither file nor environment is read.
    /// - Throws: ``InitError/alreadyRunning``, or `StoreError` if the store cannot be opened.
    public static func initSDK(in world: ClickstreamClient.World) throws {
        try Facade.current.start(in: world, endsWithProcess: world.configuration.endsOnSignals)
    }

    /// Starts the SDK with these dependencies.
    package static func initSDK(
        _ configuration: ClickstreamClient.Configuration,
        device: ClickstreamClient.Device,
        storage: String,
        dependencies: ClickstreamClient.Dependencies,
        observe: (@Sendable (Notice) -> Void)? = nil
    ) throws {
        let world = ClickstreamClient.World(
            configuration: configuration,
            device: device,
            storage: storage,
            dependencies: dependencies,
            observe: observe
        )
        try initSDK(in: world)
    }

    /// Shuts the SDK down gracefully: records the end of the app and closes the store. ``initSDK(_:)`` may start it
    /// again.
    ///
    /// An event recorded concurrently by another thread is stored, or counted as disabled in the store. Queued events
    /// are not sent; delivery continues after the next start. If a request is in flight, this call blocks until its
    /// reply, two seconds at most, so that its events are not sent again. Queued calls are discarded.
    public static func shutdown() {
        Facade.current.shutdown()
    }

    // MARK: Events

    /// Records an event without attributes.
    /// - Parameter eventName: at most 50 characters of `A-Z`, `a-z`, `0-9` and `_`, not beginning with a digit; any
    ///   other name is recorded as `_clickstream_error` with code 1001 or 1002.
    public static func recordEvent(_ eventName: String) {
        recordEvent(eventName, [:], [])
    }

    /// Records an event with attributes and items.
    ///
    /// An attribute or item that violates a rule is omitted, and reported in `_error_code` and `_error_message` of the
    /// event. ``EventName/SCREEN_VIEW`` makes a screen the current one and requires ``Attr/SCREEN_NAME``.
    /// - Parameters:
    ///   - eventName: the name, as for ``recordEvent(_:)``.
    ///   - attributes: the attributes; they take precedence over global attributes of the same name.
    ///   - items: the items, at most 100; each requires ``Item/ITEM_ID``.
    public static func recordEvent(
        _ eventName: String,
        _ attributes: ClickstreamAttribute,
        _ items: [ClickstreamAttribute] = []
    ) {
        let facade = Facade.current
        if let client = facade.client {
            client.record(eventName, attributes: attributes, items: items)
        } else {
            facade.record(DraftEvent(eventName, attributes: attributes, items: items))
        }
    }

    /// Records an event as ``recordEvent(_:_:_:)``; between ``shutdown()`` and the next start, counts it as disabled instead.
    /// - Returns: false if the event was only counted.
    package static func recordUnlessEnded(
        _ eventName: String,
        _ attributes: ClickstreamAttribute,
        _ items: [ClickstreamAttribute]
    ) -> Bool {
        let facade = Facade.current
        guard let client = facade.client else {
            return facade.recordUnlessEnded(DraftEvent(eventName, attributes: attributes, items: items))
        }
        client.record(eventName, attributes: attributes, items: items)
        return true
    }

    /// Records an event; the labeled form of the older manual.
    public static func recordEvent(eventName: String, attributes: ClickstreamAttribute = [:]) {
        recordEvent(eventName, attributes, [])
    }

    /// Records a typed event: its flat properties become attributes, its property `items` the items.
    ///
    /// A nested value is omitted, and reported with code 2006 or 4008 in `_error_code` of the event.
    public static func record(_ event: some ClickstreamEvent) {
        let facade = Facade.current
        if let client = facade.client {
            client.record(event)
        } else {
            let encoded = EncodedEvent(event)
            facade.record(
                DraftEvent(encoded.name, attributes: encoded.attributes, items: encoded.items),
                found: encoded.violations
            )
        }
    }

    // MARK: Global attributes

    /// Adds attributes to every event from now on, for the lifetime of the process.
    ///
    /// An attribute that violates a rule is not set, and recorded as `_clickstream_error`. Setting a name again
    /// replaces its value.
    public static func addGlobalAttributes(_ attributes: ClickstreamAttribute) {
        Facade.current.call { $0.setGlobals(attributes, at: $1) }
    }

    /// Adds global attributes; the labeled form of early versions.
    public static func addGlobalAttributes(attributes: ClickstreamAttribute) {
        addGlobalAttributes(attributes)
    }

    /// Removes global attributes from every event from now on. Unknown names are ignored.
    public static func deleteGlobalAttributes(_ names: String...) {
        deleteGlobalAttributes(names)
    }

    /// Removes global attributes; the labeled form of early versions.
    public static func deleteGlobalAttributes(attributes names: String...) {
        deleteGlobalAttributes(names)
    }

    // MARK: User

    /// Sets attributes of the current user, stores them on disk, and records the whole profile as `_profile_set`.
    ///
    /// An attribute that violates a rule is not set, and recorded as `_clickstream_error` with a code of 3001 to 3006.
    public static func addUserAttributes(_ attributes: ClickstreamAttribute) {
        Facade.current.call { $0.addUserAttributes(attributes, at: $1) }
    }

    /// Sets user attributes; the labeled form of early versions.
    public static func addUserAttributes(attributes: ClickstreamAttribute) {
        addUserAttributes(attributes)
    }

    /// Logs a user in, or out with `nil`, and records the whole profile as `_profile_set`.
    ///
    /// A new user gets a new `unique_id`; a known user's `unique_id` and attributes are restored.
    /// - Parameter userId: 1 to 256 characters; any other id is recorded as `_clickstream_error`, and no login takes
    ///   place.
    public static func setUserId(_ userId: String?) {
        Facade.current.call { $0.setUserID(userId, at: $1) }
    }

    /// Logs a user in or out; the labeled form of early versions.
    public static func setUserId(userId: String?) {
        setUserId(userId)
    }

    // MARK: Lifecycle, called by platform adapters

    /// Reports that the app became visible. Repeated calls have no effect.
    public static func foreground() {
        Facade.current.call { $0.foreground(at: $1) }
    }

    /// Reports that the app became invisible: records the related events and starts a flush. Repeated calls record
    /// nothing.
    public static func background() {
        let facade = Facade.current
        facade.call { $0.background(at: $1) }
        facade.flushEvents()
    }

    /// Reports a screen detected by automatic tracking; ignored while `isTrackScreenViewEvents` is off.
    ///
    /// The current screen is not recorded again; screens are equal if name, id and unique id are. A missing unique id
    /// is derived from the name, as for a manually recorded screen view.
    public static func screen(name: String, id: String? = nil, uniqueID: String? = nil) {
        Facade.current.call { $0.access.screen(Screen(name: name, id: id, uniqueID: uniqueID), at: $1) }
    }

    // MARK: Switches

    /// Stops recording and sending until ``enable()``, or the end of the process. Queued events stay on disk.
    public static func disable() {
        Facade.current.call { recorder, _ in recorder.disable() }
    }

    /// Resumes recording and sending; records the profile if it has changed meanwhile.
    public static func enable() {
        Facade.current.call { $0.enable(at: $1) }
    }

    /// Returns the running SDK's configuration; a change takes effect at the next call.
    ///
    /// Settings that cannot change while the SDK runs are kept, with a warning: location, limits and durability of the
    /// store, and signal handling.
    /// - Throws: ``InitError/notRunning`` before ``initSDK(_:)``.
    public static func getClickstreamConfiguration() throws -> ClickstreamConfiguration {
        guard let client = Facade.current.client else { throw InitError.notRunning }
        return ClickstreamConfiguration(of: client)
    }

    /// The running client, for libraries that extend it, such as `ClickstreamCapture`; `nil` before ``initSDK(_:)`` and
    /// after ``shutdown()``.
    public static var client: ClickstreamClient? { Facade.current.client }

    // MARK: Delivery

    /// Starts sending queued events and returns immediately. Before ``initSDK(_:)``, sending starts with the SDK.
    public static func flushEvents() {
        Facade.current.flushEvents()
    }

    /// Sends queued events and returns the result; an empty report before ``initSDK(_:)``.
    /// - Parameter deadline: the time after which the call returns and no further request is made; a request in flight
    ///   continues. `nil` waits until the queue is empty or a request fails.
    @discardableResult
    public static func flush(deadline: Duration? = nil) async -> FlushReport {
        guard let client = Facade.current.client else { return FlushReport() }
        return await client.flush(deadline: deadline)
    }

    // MARK: Observation and testing

    /// Calls `body` with every notice of the SDK, in order: recorded, rejected, uploaded, retained, ...
    ///
    /// Registered before ``initSDK(_:)``, it also receives the notices of the launch; it remains registered over
    /// ``shutdown()`` and the next start. `body` is called outside every lock, on the thread of the call that caused
    /// the notice (for deliveries: on the uploader's thread), and may call the SDK; it delays that call. Every event
    /// then costs a copy of its line. `Docs/debugging.md` has examples, including one for swift-log.
    /// - Returns: the registration, which may be discarded.
    @discardableResult
    public static func observe(_ body: @escaping @Sendable (Notice) -> Void) -> NoticeObserver {
        Facade.current.observe(body)
    }

    /// Runs `body` with a separate SDK in the environment `world`, for tests of code that calls this API.
    ///
    /// `body`, and the tasks that it starts, use an SDK that is not running yet; ``initSDK(_:)`` starts it in `world`,
    /// and reads neither file nor environment. Tests may run concurrently. Detached tasks, threads and dispatch queues
    /// use the process's SDK instead. At the end the SDK is discarded without recording anything.
    public static func isolated<Result>(
        in world: ClickstreamClient.World,
        _ body: () throws -> Result
    ) rethrows -> Result {
        let facade = Facade(in: world)
        defer { facade.stop()?.kill() }
        return try Facade.$isolated.withValue(facade, operation: body)
    }

    /// Runs the asynchronous `body` with a separate SDK in the environment `world`; the equivalent of the synchronous
    /// form.
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
