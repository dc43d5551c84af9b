public import ClickstreamCore

/// The attributes of an event, a user or an item, as the published API calls them.
public typealias ClickstreamAttribute = ClickstreamCore.Attributes
/// The chained configuration of the published API.
public typealias ClickstreamConfiguration = ClickstreamCore.ClickstreamConfiguration

/// The published SDK's API, over one ``ClickstreamClient`` for the whole process.
///
/// Every call is callable from any thread, before and after ``initSDK(_:)``, and never traps. What is called before is
/// held (1 000 calls at most, the oldest are kept) and takes effect after the launch events, with its own time.
public enum ClickstreamAnalytics: Sendable {
    private static let process = Locked(FacadeState())

    // MARK: Start

    /// Starts the SDK with what `configuration` sets; the rest comes from the environment (`CLICKSTREAM_…`), then
    /// `amplifyconfiguration.json` (working directory, or beside the executable), then the defaults.
    ///
    /// - Throws: ``InitError`` when it runs already or the app id is missing, `ConfigurationError` when the file
    ///   cannot be used, ``StoreError`` when the store cannot be opened.
    public static func initSDK(_ configuration: ClickstreamConfiguration? = nil) throws {
        let host = try Host(configuration ?? ClickstreamConfiguration())
        try start { try host.client(observe: nil) }
    }

    /// Starts the SDK on doors of the caller's: for tests, and for platforms that bring their own.
    public static func initSDK(
        _ configuration: Configuration,
        device: Device,
        storage: String,
        doors: ClickstreamClient.Doors,
        observe: (@Sendable (Notice) -> Void)? = nil
    ) throws {
        try start {
            try ClickstreamClient(
                configuration: configuration,
                device: device,
                storage: storage,
                doors: doors,
                observe: observe
            )
        }
    }

    private static func start(_ launch: () throws -> ClickstreamClient) throws {
        try process.withLock { state in
            guard state.client == nil else { throw InitError.alreadyRunning }
            let client = try launch()
            state.start(client)
        }
    }

    /// Ends the SDK in order: what the end means is recorded, the store closed. ``initSDK(_:)`` may start it anew.
    public static func shutdown() {
        let client = process.withLock { state in
            defer { state = FacadeState() }
            return state.client
        }
        client?.terminate()
    }

    // MARK: Events

    /// Records an event without attributes.
    public static func recordEvent(_ eventName: String) {
        recordEvent(eventName, [:], [])
    }

    /// Records an event with attributes and items.
    public static func recordEvent(
        _ eventName: String,
        _ attributes: ClickstreamAttribute,
        _ items: [ClickstreamAttribute] = []
    ) {
        if let client = process.withLock({ $0.client }) {
            client.recordEvent(eventName, attributes, items)
        } else {
            call { $0.record(eventName, attributes, items, at: $1) }
        }
    }

    /// Records an event; the labelled form of the older manual.
    public static func recordEvent(eventName: String, attributes: ClickstreamAttribute = [:]) {
        recordEvent(eventName, attributes, [])
    }

    /// Adds attributes to every event from now on.
    public static func addGlobalAttributes(_ attributes: ClickstreamAttribute) {
        call { $0.setGlobals(attributes, at: $1) }
    }

    /// Takes attributes out of every event from now on.
    public static func deleteGlobalAttributes(_ names: String...) {
        call { recorder, _ in recorder.deleteGlobalAttributes(names) }
    }

    /// Sets attributes of the current user.
    public static func addUserAttributes(_ attributes: ClickstreamAttribute) {
        call { $0.addUserAttributes(attributes, at: $1) }
    }

    /// Logs a user in, or out with `nil`.
    public static func setUserId(_ userId: String?) {
        call { $0.setUserID(userId, at: $1) }
    }

    // MARK: Lifecycle, for adapters of platforms that report it

    /// The app became visible.
    public static func foreground() {
        call { $0.foreground(at: $1) }
    }

    /// The app became invisible: what that means is recorded, and a flush begins.
    public static func background() {
        call { $0.background(at: $1) }
        flushEvents()
    }

    /// A screen appeared, as automatic tracking sees it.
    public static func screen(name: String, id: String? = nil, uniqueID: String? = nil) {
        call { $0.screen(Screen(name: name, id: id, uniqueID: uniqueID), at: $1) }
    }

    // MARK: Switches

    /// Stops recording and sending until ``enable()``.
    public static func disable() {
        call { recorder, _ in recorder.disable() }
    }

    /// Records and sends again.
    public static func enable() {
        call { $0.enable(at: $1) }
    }

    /// The running client's configuration: changing it changes the client at once.
    /// - Throws: ``InitError/notRunning`` before ``initSDK(_:)``.
    public static func getClickstreamConfiguration() throws -> ClickstreamConfiguration {
        guard let client = process.withLock({ $0.client }) else { throw InitError.notRunning }
        return ClickstreamConfiguration(of: client)
    }

    // MARK: Delivery

    /// Begins to send what is queued, and returns at once.
    public static func flushEvents() {
        process.withLock { $0.client }?.flushEvents()
    }

    /// Sends what is queued and says what became of it; an empty report before ``initSDK(_:)``.
    /// - Parameter deadline: milliseconds after which no further request is made.
    public static func flush(deadline: Int64? = nil) async -> FlushReport {
        guard let client = process.withLock({ $0.client }) else { return FlushReport() }
        return await client.flush(deadline: deadline)
    }

    /// Does `body` now, or, while no client runs, keeps it for the launch, with its time.
    private static func call(_ body: @escaping FacadeState.Call) {
        let client = process.withLock { state in
            if state.client == nil { state.hold(body) }
            return state.client
        }
        client?.perform(body)
    }
}

/// Why the SDK could not be started, or asked.
public enum InitError: Error, Sendable, Hashable, CustomStringConvertible {
    /// ``ClickstreamAnalytics/initSDK(_:)`` was called before.
    case alreadyRunning
    /// ``ClickstreamAnalytics/initSDK(_:)`` was not called yet.
    case notRunning
    /// No app id in code, environment or file.
    case missingAppID
    /// The endpoint is no http or https URL.
    case badEndpoint(String)

    public var description: String {
        switch self {
        case .alreadyRunning:
            "The SDK runs already. Change it through getClickstreamConfiguration(), or make another ClickstreamClient."
        case .notRunning:
            "The SDK does not run yet. Call ClickstreamAnalytics.initSDK() first."
        case .missingAppID:
            "No app id. Set it with withAppId(_:), in CLICKSTREAM_APP_ID, or as appId in amplifyconfiguration.json."
        case .badEndpoint(let reason):
            reason
        }
    }
}
