public import ClickstreamCore

/// Configuration of the published API: chained `with…` calls or settable properties, over a `ClickstreamClient.Configuration`.
///
/// A reference type: the configuration of a running client changes that client at once, and results may be discarded.
/// A setting without a value here comes from the environment, the configuration file, or the default; its property
/// returns the default until a client runs. A number or a time below the minimum of its setting counts as the minimum.
/// Nothing is thrown here: an unusable value is refused by the launch, or, while a client runs, ignored with a warning.
/// Callable from any thread; costs a lock and no file operation.
///
/// Source: the published SDK's `ClickstreamConfiguration`; from `storageDirectory` on, the settings are ours.
public final class ClickstreamConfiguration: Sendable {
    package typealias Change = @Sendable (inout ClickstreamClient.Configuration) -> Void

    private let changes = Locked<[Change]>([])
    private let file = Locked<String?>(nil)
    private let client: ClickstreamClient?

    /// Creates an empty configuration: all settings come from the environment, the file, or the defaults.
    public init() {
        client = nil
    }

    /// Creates the configuration of a running client, which it reads and changes directly.
    package init(of client: ClickstreamClient) {
        self.client = client
    }

    /// Returns `configuration` with the changes made here, applied in their order.
    package func applied(to configuration: ClickstreamClient.Configuration) -> ClickstreamClient.Configuration {
        var result = configuration
        for change in changes.withLock({ $0 }) { change(&result) }
        return result
    }

    // Not inlined: each property would contain a copy, with the lock's code.
    @inline(never)
    var current: ClickstreamClient.Configuration {
        client?.configuration ?? applied(to: ClickstreamClient.Configuration(appID: ""))
    }

    /// Applies `change` to the running client, or to the configuration of the launch.
    package func set(_ change: @escaping Change) {
        if let client {
            client.configure { change(&$0) }
        } else {
            changes.withLock { $0.append(change) }
        }
    }

    // MARK: Settable properties

    /// The app id that the server expects. Required. A change on a running client ends the current app and launches the
    /// other.
    public var appId: String {
        get { current.appID }
        set { set { $0.appID = newValue } }
    }

    /// The URL that events are posted to. Required for sending.
    public var endpoint: String {
        get { current.endpoint }
        set { set { $0.endpoint = newValue } }
    }

    /// True if each event is printed on standard error, with the prefix `EventRecorder`. Default `false`.
    public var isLogEvents: Bool {
        get { current.logsEvents }
        set { set { $0.logsEvents = newValue } }
    }

    /// True if batches are compressed. Default `true`.
    public var isCompressEvents: Bool {
        get { current.compressesEvents }
        set { set { $0.compressesEvents = newValue } }
    }

    /// The interval between automatic flushes in milliseconds; 0 disables them. Default 10 000.
    public var sendEventsInterval: Int {
        get { Int(clamping: current.sendInterval.wholeMilliseconds) }
        set { flushInterval = .milliseconds(newValue) }
    }

    /// The time in the background, in milliseconds, after which a new session starts. Default 1 800 000.
    public var sessionTimeoutDuration: Int64 {
        get { current.sessionTimeout.wholeMilliseconds }
        set { sessionTimeout = .milliseconds(newValue) }
    }

    /// True if screens reported by the platform are recorded. Default `true`.
    public var isTrackScreenViewEvents: Bool {
        get { current.tracksScreenViews }
        set { set { $0.tracksScreenViews = newValue } }
    }

    /// True if the time on screens is recorded. Default `true`.
    public var isTrackUserEngagementEvents: Bool {
        get { current.tracksUserEngagement }
        set { set { $0.tracksUserEngagement = newValue } }
    }

    /// True if a crash is recorded by the next launch. Default `false`.
    public var isTrackAppExceptionEvents: Bool {
        get { current.tracksExceptions }
        set { set { $0.tracksExceptions = newValue } }
    }

    /// True if SIGTERM and SIGINT shut the client down gracefully before they end the process. Default `false`; read by
    /// the launch.
    public var endsOnSignals: Bool {
        get { current.endsOnSignals }
        set { set { $0.endsOnSignals = newValue } }
    }

    /// The value of the header `cookie` of each request. Line breaks and other control characters are refused.
    public var authCookie: String? {
        get { current.authCookie }
        set { set { $0.authCookie = newValue } }
    }

    /// Attributes added to every event.
    public var globalAttributes: Attributes {
        get { current.globalAttributes }
        set { set { $0.globalAttributes = newValue } }
    }

    /// True if `user` contains all user attributes in every event, false if only in `_profile_set`. Default `true`.
    public var isUserAttributesInEveryEvent: Bool {
        get { current.sendsUserAttributesInEveryEvent }
        set { set { $0.sendsUserAttributesInEveryEvent = newValue } }
    }

    /// The path of the configuration file; `nil` searches for `amplifyconfiguration.json` in the usual folders.
    ///
    /// The file must exist when the SDK starts. Without effect on a running client.
    public var configurationFile: String? {
        get { file.withLock { $0 } }
        set { file.withLock { $0 = newValue } }
    }

    /// The folder that contains the stores, created if it does not exist; `nil` selects the platform's folder for such
    /// data. Fixed while a client runs.
    public var storageDirectory: String? {
        get { current.storageFolder }
        set { set { $0.storageFolder = newValue } }
    }

    /// The maximum size of stored events in bytes; beyond it the oldest events are evicted. Default 52 428 800. Fixed
    /// while a client runs.
    public var maxStoreBytes: Int {
        get { current.maxStoreBytes }
        set { set { $0.maxStoreBytes = max(1, newValue) } }
    }

    /// The maximum number of stored events; `nil`, the default, means no limit. Fixed while a client runs.
    public var maxStoreEvents: Int? {
        get { current.maxStoreEvents }
        set { set { $0.maxStoreEvents = newValue.map { max(1, $0) } } }
    }

    /// The maximum age of a stored event; `nil`, the default, means no limit. Fixed while a client runs.
    public var maxEventAge: Duration? {
        get { current.maxEventAge }
        set { set { $0.maxEventAge = newValue.map { max(.zero, $0) } } }
    }

    /// The kind of failure that a recorded event survives. Default `.process`. Fixed while a client runs.
    public var durability: ClickstreamClient.Configuration.Durability {
        get { current.durability }
        set { set { $0.durability = newValue } }
    }

    /// The maximum size of a request's body in bytes, as sent. Default 524 288.
    public var maxBatchBytes: Int {
        get { current.maxBatchBytes }
        set { set { $0.maxBatchBytes = max(1, newValue) } }
    }

    /// The timeout for connecting, at least a millisecond. Default 15 seconds.
    public var connectTimeout: Duration {
        get { current.connectTimeout }
        set { set { $0.connectTimeout = max(.milliseconds(1), newValue) } }
    }

    /// The timeout from the first byte sent to the last byte received, at least a millisecond. Default 15 seconds.
    public var requestTimeout: Duration {
        get { current.requestTimeout }
        set { set { $0.requestTimeout = max(.milliseconds(1), newValue) } }
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
}
