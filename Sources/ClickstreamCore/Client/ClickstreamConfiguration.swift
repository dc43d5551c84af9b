/// The published API's configuration: chained `with…` calls or settable properties, over a ``Configuration``.
///
/// A reference: the one that a running client gives out changes that client at once, the result of a call may be
/// dropped. What is not set here comes from the environment, the configuration file, or the default. Thread-safe.
public final class ClickstreamConfiguration: Sendable {
    package typealias Change = @Sendable (inout Configuration) -> Void

    private let changes = Locked<[Change]>([])
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

    /// Sent as the header `cookie` with each request.
    public var authCookie: String? {
        get { current.authCookie }
        set { set { $0.authCookie = newValue } }
    }

    /// Attributes of every event.
    public var globalAttributes: Attributes {
        get { current.globalAttributes }
        set { set { $0.globalAttributes = newValue } }
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

    /// Sets the folder that holds the stores; it is made when it is missing.
    @discardableResult
    public func withStorageDirectory(_ folder: String) -> ClickstreamConfiguration {
        set { $0.storageFolder = folder }
        return self
    }
}
