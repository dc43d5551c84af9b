/// The published API's configuration: chained `with…` calls or settable properties, over a ``Configuration``.
///
/// A reference: the one that a running client gives out changes that client at once, the result of a call may be
/// dropped. What is not set here comes from the environment, the configuration file, or the default; a property that is
/// not set here reads as the default until a client runs. A number below what its setting takes counts as the least that
/// it takes. Nothing is thrown here: what cannot be used is refused by the launch, or, while a client runs, stays as it
/// was, with a warning. Callable from any thread; costs a lock, and nothing on disk.
///
/// Source: the published SDK's `ClickstreamConfiguration`; from `storageDirectory` on, the settings are ours.
public final class ClickstreamConfiguration: Sendable {
    package typealias Change = @Sendable (inout Configuration) -> Void

    private let changes = Locked<[Change]>([])
    private let file = Locked<String?>(nil)
    private let client: ClickstreamClient?

    /// An empty configuration: everything comes from elsewhere until it is set.
    public init() {
        client = nil
    }

    /// The configuration of a running client: reads and changes it directly.
    package init(of client: ClickstreamClient) {
        self.client = client
    }

    /// `configuration` with everything changed that was set here, in the order in which it was set.
    package func applied(to configuration: Configuration) -> Configuration {
        var result = configuration
        for change in changes.withLock({ $0 }) { change(&result) }
        return result
    }

    // Not inlined: each property would hold a copy of it, with the lock's code.
    @inline(never)
    private var current: Configuration {
        client?.configuration ?? applied(to: Configuration(appID: ""))
    }

    private func set(_ change: @escaping Change) {
        if let client {
            client.configure { change(&$0) }
        } else {
            changes.withLock { $0.append(change) }
        }
    }

    // MARK: Settable properties

    /// Names the app to the server. Required. Changed on a running client, the app so far ends and the other is launched.
    public var appId: String {
        get { current.appID }
        set { set { $0.appID = newValue } }
    }

    /// The URL that events are posted to. Required for anything to be sent.
    public var endpoint: String {
        get { current.endpoint }
        set { set { $0.endpoint = newValue } }
    }

    /// Whether each event is printed on standard error, under the name `EventRecorder`. Default `false`.
    public var isLogEvents: Bool {
        get { current.logsEvents }
        set { set { $0.logsEvents = newValue } }
    }

    /// Whether batches are compressed. Default `true`.
    public var isCompressEvents: Bool {
        get { current.compressesEvents }
        set { set { $0.compressesEvents = newValue } }
    }

    /// Milliseconds between two automatic flushes; 0 means none. Default 10 000.
    public var sendEventsInterval: Int {
        get { Int(current.sendInterval) }
        set { set { $0.sendInterval = Int64(max(0, newValue)) } }
    }

    /// Milliseconds that the app may be away before a new session starts. Default 1 800 000.
    public var sessionTimeoutDuration: Int64 {
        get { current.sessionTimeout }
        set { set { $0.sessionTimeout = max(0, newValue) } }
    }

    /// Whether screens that the platform reports are recorded. Default `true`.
    public var isTrackScreenViewEvents: Bool {
        get { current.tracksScreenViews }
        set { set { $0.tracksScreenViews = newValue } }
    }

    /// Whether time on screens is recorded. Default `true`.
    public var isTrackUserEngagementEvents: Bool {
        get { current.tracksUserEngagement }
        set { set { $0.tracksUserEngagement = newValue } }
    }

    /// Whether crashes are recorded at the next launch. Default `false`.
    public var isTrackAppExceptionEvents: Bool {
        get { current.tracksExceptions }
        set { set { $0.tracksExceptions = newValue } }
    }

    /// Whether SIGTERM and SIGINT end the app in order before they end the process. Default `false`; read at the start.
    public var endsOnSignals: Bool {
        get { current.endsOnSignals }
        set { set { $0.endsOnSignals = newValue } }
    }

    /// Sent as the header `cookie` with each request. One with line breaks or other control characters is refused.
    public var authCookie: String? {
        get { current.authCookie }
        set { set { $0.authCookie = newValue } }
    }

    /// Attributes of every event.
    public var globalAttributes: Attributes {
        get { current.globalAttributes }
        set { set { $0.globalAttributes = newValue } }
    }

    /// Whether `user` holds all user attributes in every event, or in `_profile_set` alone. Default `true`.
    public var isUserAttributesInEveryEvent: Bool {
        get { current.sendsUserAttributesInEveryEvent }
        set { set { $0.sendsUserAttributesInEveryEvent = newValue } }
    }

    /// The configuration file to read, instead of looking for `amplifyconfiguration.json` in the usual places.
    ///
    /// It must be there when the SDK starts. Means nothing to a client that runs.
    public var configurationFile: String? {
        get { file.withLock { $0 } }
        set { file.withLock { $0 = newValue } }
    }

    /// The folder that holds the stores; made when it is missing. `nil`: the platform's place for such data. Fixed while
    /// a client runs.
    public var storageDirectory: String? {
        get { current.storageFolder }
        set { set { $0.storageFolder = newValue } }
    }

    /// The most bytes that the store holds; past it the oldest events go first. Default 52 428 800. Fixed while a client
    /// runs.
    public var maxStoreBytes: Int {
        get { current.maxStoreBytes }
        set { set { $0.maxStoreBytes = max(1, newValue) } }
    }

    /// The most events that the store holds; `nil`, the default: no such cap. Fixed while a client runs.
    public var maxStoreEvents: Int? {
        get { current.maxStoreEvents }
        set { set { $0.maxStoreEvents = newValue.map { max(1, $0) } } }
    }

    /// Milliseconds past which an event is not kept; `nil`, the default: no such cap. Fixed while a client runs.
    public var maxEventAge: Int64? {
        get { current.maxEventAge }
        set { set { $0.maxEventAge = newValue.map { max(0, $0) } } }
    }

    /// What a recorded event survives. Default `.process`. Fixed while a client runs.
    public var durability: Configuration.Durability {
        get { current.durability }
        set { set { $0.durability = newValue } }
    }

    /// The most bytes of one request's body, as sent. Default 524 288.
    public var maxBatchBytes: Int {
        get { current.maxBatchBytes }
        set { set { $0.maxBatchBytes = max(1, newValue) } }
    }

    /// Milliseconds that a connection may take. Default 15 000.
    public var connectTimeout: Int64 {
        get { current.connectTimeout }
        set { set { $0.connectTimeout = max(1, newValue) } }
    }

    /// Milliseconds that a request may take, from its first byte sent to the last byte received. Default 15 000.
    public var requestTimeout: Int64 {
        get { current.requestTimeout }
        set { set { $0.requestTimeout = max(1, newValue) } }
    }

    // MARK: Chained calls

    /// Sets ``appId``.
    @discardableResult
    public func withAppId(_ appId: String) -> ClickstreamConfiguration {
        self.appId = appId
        return self
    }

    /// Sets ``endpoint``.
    @discardableResult
    public func withEndpoint(_ endpoint: String) -> ClickstreamConfiguration {
        self.endpoint = endpoint
        return self
    }

    /// Sets ``isLogEvents``.
    @discardableResult
    public func withLogEvents(_ isLogEvents: Bool) -> ClickstreamConfiguration {
        self.isLogEvents = isLogEvents
        return self
    }

    /// Sets ``isCompressEvents``.
    @discardableResult
    public func withCompressEvents(_ isCompressEvents: Bool) -> ClickstreamConfiguration {
        self.isCompressEvents = isCompressEvents
        return self
    }

    /// Sets ``sendEventsInterval``, in the published code's spelling.
    @discardableResult
    public func withSendEventInterval(_ milliseconds: Int) -> ClickstreamConfiguration {
        sendEventsInterval = milliseconds
        return self
    }

    /// Sets ``sendEventsInterval``, in the manual's spelling.
    @discardableResult
    public func withSendEventsInterval(_ milliseconds: Int) -> ClickstreamConfiguration {
        sendEventsInterval = milliseconds
        return self
    }

    /// Sets ``sessionTimeoutDuration``.
    @discardableResult
    public func withSessionTimeoutDuration(_ milliseconds: Int64) -> ClickstreamConfiguration {
        sessionTimeoutDuration = milliseconds
        return self
    }

    /// Sets ``isTrackScreenViewEvents``.
    @discardableResult
    public func withTrackScreenViewEvents(_ isTracked: Bool) -> ClickstreamConfiguration {
        isTrackScreenViewEvents = isTracked
        return self
    }

    /// Sets ``isTrackUserEngagementEvents``.
    @discardableResult
    public func withTrackUserEngagementEvents(_ isTracked: Bool) -> ClickstreamConfiguration {
        isTrackUserEngagementEvents = isTracked
        return self
    }

    /// Sets ``isTrackAppExceptionEvents``.
    @discardableResult
    public func withTrackAppExceptionEvents(_ isTracked: Bool) -> ClickstreamConfiguration {
        isTrackAppExceptionEvents = isTracked
        return self
    }

    /// Sets ``endsOnSignals``.
    @discardableResult
    public func withEndsOnSignals(_ ends: Bool) -> ClickstreamConfiguration {
        endsOnSignals = ends
        return self
    }

    /// Sets ``authCookie``.
    @discardableResult
    public func withAuthCookie(_ cookie: String) -> ClickstreamConfiguration {
        authCookie = cookie
        return self
    }

    /// Sets ``globalAttributes``.
    @discardableResult
    public func withInitialGlobalAttributes(_ attributes: Attributes) -> ClickstreamConfiguration {
        globalAttributes = attributes
        return self
    }

    /// Sets ``isUserAttributesInEveryEvent``.
    @discardableResult
    public func withUserAttributesInEveryEvent(_ isInEveryEvent: Bool) -> ClickstreamConfiguration {
        isUserAttributesInEveryEvent = isInEveryEvent
        return self
    }

    /// Sets ``configurationFile``.
    @discardableResult
    public func withConfigurationFile(_ path: String) -> ClickstreamConfiguration {
        configurationFile = path
        return self
    }

    /// Sets ``storageDirectory``.
    @discardableResult
    public func withStorageDirectory(_ folder: String) -> ClickstreamConfiguration {
        storageDirectory = folder
        return self
    }

    /// Sets ``maxStoreBytes``.
    @discardableResult
    public func withMaxStoreBytes(_ bytes: Int) -> ClickstreamConfiguration {
        maxStoreBytes = bytes
        return self
    }

    /// Sets ``maxStoreEvents``.
    @discardableResult
    public func withMaxStoreEvents(_ events: Int) -> ClickstreamConfiguration {
        maxStoreEvents = events
        return self
    }

    /// Sets ``maxEventAge``.
    @discardableResult
    public func withMaxEventAge(_ milliseconds: Int64) -> ClickstreamConfiguration {
        maxEventAge = milliseconds
        return self
    }

    /// Sets ``durability``.
    @discardableResult
    public func withDurability(_ durability: Configuration.Durability) -> ClickstreamConfiguration {
        self.durability = durability
        return self
    }

    /// Sets ``maxBatchBytes``.
    @discardableResult
    public func withMaxBatchBytes(_ bytes: Int) -> ClickstreamConfiguration {
        maxBatchBytes = bytes
        return self
    }

    /// Sets ``connectTimeout``.
    @discardableResult
    public func withConnectTimeout(_ milliseconds: Int64) -> ClickstreamConfiguration {
        connectTimeout = milliseconds
        return self
    }

    /// Sets ``requestTimeout``.
    @discardableResult
    public func withRequestTimeout(_ milliseconds: Int64) -> ClickstreamConfiguration {
        requestTimeout = milliseconds
        return self
    }
}
