/// Settings of one client. A plain value; times are in milliseconds, sizes in bytes.
///
/// The defaults are the manual's, if it defines one.
public struct Configuration: Sendable, Hashable {
    /// The app id, sent to the server and used as the name of the store's folder.
    public var appID: String
    /// The complete URL that events are posted to, with path and query. If empty, nothing is sent and events are kept.
    public var endpoint: String
    /// True if batches are sent as base64 of gzip, false for plain JSON.
    public var compressesEvents = true
    /// The interval between automatic flushes in milliseconds; 0 disables them.
    public var sendInterval: Int64 = 10_000
    /// True if a crash is recorded by the next launch.
    public var tracksExceptions = false
    /// True if screens reported by the platform are recorded; screens recorded by the app always are.
    public var tracksScreenViews = true
    /// True if a stay of a second or more on a screen is recorded as an event.
    public var tracksUserEngagement = true
    /// True if each event is printed on standard error, with the prefix `EventRecorder`.
    public var logsEvents = false
    /// The time in the background, in milliseconds, after which a new session starts.
    public var sessionTimeout: Int64 = 1_800_000
    /// The value of the header `cookie`, for a load balancer that requires authentication.
    public var authCookie: String?
    /// Attributes added to every event, from the first event on.
    public var globalAttributes: Attributes = [:]
    /// True if `user` contains all user attributes in every event, false if only in `_profile_set`.
    public var sendsUserAttributesInEveryEvent = true
    /// The folder that contains the stores of all apps; `nil` selects the platform's folder for such data.
    public var storageFolder: String?
    /// The maximum size of stored events in bytes; beyond it the oldest events are evicted and counted. At least 65 536: an
    /// event with more bytes than the limit is not recorded.
    public var maxStoreBytes = 52_428_800
    /// The least ``maxStoreBytes`` that `doctor` accepts.
    package static let minimumStoreBytes = 65_536
    /// The maximum number of stored events; `nil` means no limit.
    public var maxStoreEvents: Int?
    /// The maximum age of a stored event in milliseconds; `nil` means no limit.
    public var maxEventAge: Int64?
    /// The kind of failure that a recorded event survives.
    public var durability = Durability.process
    /// With ``Durability/power``: the maximum time in milliseconds until a recorded event is flushed to the physical
    /// disk. One flush covers all events recorded since the previous one.
    public var synchronizeInterval: Int64 = 200
    /// The maximum size of a request's body in bytes, as sent.
    public var maxBatchBytes = 524_288
    /// The timeout for connecting in milliseconds.
    public var connectTimeout: Int64 = 15_000
    /// The timeout in milliseconds from the first byte sent to the last byte received.
    public var requestTimeout: Int64 = 15_000
    /// True if SIGTERM and SIGINT shut the client down gracefully before they end the process; false leaves both
    /// signals untouched.
    public var endsOnSignals = false
    /// Device and app properties in place of the machine's.
    public var device = DeviceOverrides()
    /// The `unique_id` of the person or device while no user is logged in, in place of the random one in the store; 1 to
    /// 255 bytes. Read by the launch.
    public var uniqueID: String?

    /// The consent that recording requires, and the treatment of events while it is undecided.
    public var consent = ConsentPolicy.notRequired
    /// With ``ConsentPolicy/hold``: the maximum number of waiting events; later ones are dropped and counted.
    public var maxHeldEvents = 1_000
    /// Sampled events: by name, the share of devices that record it, from 0 to 1. Names of the app only.
    public var sampling: [String: Double] = [:]

    /// Consent that recording requires.
    public enum ConsentPolicy: String, Sendable, Hashable, CaseIterable {
        /// A purpose without a decision counts as granted; a denial is respected.
        case notRequired
        /// Without a decision on analytics, events wait in memory.
        case hold
        /// Without a decision on analytics, events are dropped and counted.
        case drop
    }

    /// Kind of failure that a recorded event survives.
    public enum Durability: String, Sendable, Hashable {
        /// The death of the process (`kill -9`).
        case process
        /// The loss of power too.
        case power
    }

    /// Creates the settings of an app, all others at their defaults. Nothing is checked here.
    public init(appID: String, endpoint: String = "") {
        self.appID = appID
        self.endpoint = endpoint
    }
}
