/// How one client behaves. A plain value; times are milliseconds, sizes bytes.
///
/// The defaults are the manual's, where it has one.
public struct Configuration: Sendable, Hashable {
    /// Names the app to the server, and the folder of its store.
    public var appID: String
    /// The whole URL that events are posted to, path and query included; empty: nothing is sent, events are kept.
    public var endpoint: String
    /// Whether a batch goes out as base64 of gzip, rather than as plain JSON.
    public var compressesEvents = true
    /// Milliseconds between two automatic flushes; 0 means none.
    public var sendInterval: Int64 = 10_000
    /// Whether a crash is recorded by the next launch.
    public var tracksExceptions = false
    /// Whether screens that the platform reports are recorded; those that the app records are in any case.
    public var tracksScreenViews = true
    /// Whether a stay of a second or more on a screen is an event of its own.
    public var tracksUserEngagement = true
    /// Whether each event is printed on standard error, under the name `EventRecorder`.
    public var logsEvents = false
    /// How many milliseconds the app may be away before a new session starts.
    public var sessionTimeout: Int64 = 1_800_000
    /// Sent as the header `cookie`, for a load balancer that asks who we are.
    public var authCookie: String?
    /// Attributes of every event, from the first on.
    public var globalAttributes: Attributes = [:]
    /// Whether `user` holds all user attributes in every event, or in `_profile_set` alone.
    public var sendsUserAttributesInEveryEvent = true
    /// The folder that holds the stores of all apps; `nil`: the platform's place for such data.
    public var storageFolder: String?
    /// The most bytes that are kept on disk; past it the oldest events go first, counted.
    public var maxStoreBytes = 52_428_800
    /// The most events that are kept; `nil`: no such cap.
    public var maxStoreEvents: Int?
    /// The age past which an event is not kept; `nil`: no such cap.
    public var maxEventAge: Int64?
    /// What a recorded event survives.
    public var durability = Durability.process
    /// With ``Durability/power``: the most milliseconds until what was recorded is on the disk itself. Everything recorded
    /// meanwhile goes there at once.
    public var synchronizeInterval: Int64 = 200
    /// The most bytes of one request's body, as sent.
    public var maxBatchBytes = 524_288
    /// How long a connection may take, in milliseconds.
    public var connectTimeout: Int64 = 15_000
    /// From the first byte sent to the last byte received.
    public var requestTimeout: Int64 = 15_000
    /// Whether SIGTERM and SIGINT end the app in order before they end the process; nobody listens to them otherwise.
    public var endsOnSignals = false

    /// What a recorded event survives.
    public enum Durability: String, Sendable, Hashable {
        /// The death of the process (`kill -9`).
        case process
        /// The loss of power too.
        case power
    }

    public init(appID: String, endpoint: String = "") {
        self.appID = appID
        self.endpoint = endpoint
    }
}
