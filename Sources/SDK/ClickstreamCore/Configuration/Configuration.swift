extension ClickstreamClient {
    /// Settings of one client. A plain value; sizes are in bytes.
    ///
    /// Where a time is used, fractions of a millisecond are dropped, a negative one counts as zero, and one too long for the
    /// clocks as the longest possible one.
    ///
    /// The defaults are the manual's, if it defines one.
    public struct Configuration: Sendable, Hashable {
        /// The app id, sent to the server and used as the name of the store's folder.
        public var appID: String
        /// The complete URL that events are posted to, with path and query. If empty, nothing is sent and events are kept.
        public var endpoint: String
        /// True if batches are sent as base64 of gzip, false for plain JSON.
        public var compressesEvents = true
        /// The interval between automatic flushes; less than a millisecond disables them.
        public var sendInterval = Duration.seconds(10)
        /// True if a crash is recorded by the next launch.
        public var tracksExceptions = false
        /// True if screens reported by the platform are recorded; screens recorded by the app always are.
        public var tracksScreenViews = true
        /// True if a stay of a second or more on a screen is recorded as an event.
        public var tracksUserEngagement = true
        /// True if each event is printed on standard error, with the prefix `EventRecorder`.
        public var logsEvents = false
        /// The time in the background after which a new session starts.
        public var sessionTimeout = Duration.seconds(1_800)
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
        /// The maximum age of a stored event; `nil` means no limit.
        public var maxEventAge: Duration?
        /// The kind of failure that a recorded event survives.
        public var durability = Durability.process
        /// With ``Durability/power``: the maximum time until a recorded event is flushed to the physical disk, at least a
        /// millisecond. One flush covers all events recorded since the previous one.
        public var synchronizeInterval = Duration.milliseconds(200)
        /// The maximum size of a request's body in bytes, as sent.
        public var maxBatchBytes = 524_288
        /// The timeout for connecting.
        public var connectTimeout = Duration.seconds(15)
        /// The timeout from the first byte sent to the last byte received.
        public var requestTimeout = Duration.seconds(15)
        /// True if SIGTERM and SIGINT shut the client down gracefully before they end the process; false leaves both
        /// signals untouched.
        public var endsOnSignals = false
        /// Device and app properties in place of the machine's.
        package var device = DeviceOverrides()
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
}

extension ConfigurationKey {
    /// Keys of delivery, tracking and the store.
    static let clientKeys: [ConfigurationKey] = [
        ConfigurationKey("appId", .text(\.appID), "App id, which identifies the app to the server."),
        ConfigurationKey(
            "endpoint",
            .text(\.endpoint),
            "Complete URL for events. Without it, events are stored and not sent."
        ),
        ConfigurationKey(
            "isCompressEvents",
            .boolean(\.compressesEvents),
            "True: sends base64 of gzip. False: sends plain JSON."
        ),
        ConfigurationKey(
            "autoFlushEventsInterval",
            aliases: ["sendEventsInterval"],
            .milliseconds(\.sendInterval, minimum: 0),
            "Milliseconds between two automatic flushes; 0 means none."
        ),
        ConfigurationKey("isTrackAppExceptionEvents", .boolean(\.tracksExceptions), "Records crashes of the process."),
        ConfigurationKey(
            "isTrackScreenViewEvents",
            .boolean(\.tracksScreenViews),
            "Records screens that the platform reports."
        ),
        ConfigurationKey(
            "isTrackUserEngagementEvents",
            .boolean(\.tracksUserEngagement),
            "Records a stay of a second or more on a screen."
        ),
        ConfigurationKey("isLogEvents", .boolean(\.logsEvents), "Prints each event on standard error."),
        ConfigurationKey(
            "sessionTimeoutDuration",
            .milliseconds(\.sessionTimeout, minimum: 0),
            "Milliseconds in the background after which a new session starts."
        ),
        ConfigurationKey("authCookie", .optionalText(\.authCookie), "Sent as the header cookie.", isSecret: true),
        ConfigurationKey(
            "globalAttributes",
            .attributes,
            "Attributes of every event, from the first one on.",
            isSecret: true
        ),
        ConfigurationKey(
            "userAttributesInEveryEvent",
            .boolean(\.sendsUserAttributesInEveryEvent),
            "False: user attributes are only in _profile_set."
        ),
        ConfigurationKey(
            "storageDirectory",
            .optionalText(\.storageFolder),
            "Folder that contains the stores of all apps.",
            isFixed: true
        ),
        ConfigurationKey(
            "maxStoreBytes",
            .count(\.maxStoreBytes),
            "Maximum bytes of stored events; beyond it the oldest are evicted.",
            isFixed: true
        ),
        ConfigurationKey(
            "maxStoreEvents",
            .optionalCount(\.maxStoreEvents),
            "Maximum number of stored events. Without it, no limit.",
            isFixed: true
        ),
        ConfigurationKey(
            "maxEventAge",
            .optionalMilliseconds(\.maxEventAge),
            "Maximum age of a stored event in milliseconds. Without it, no limit.",
            isFixed: true
        ),
        ConfigurationKey(
            "durability",
            .word(
                ["process", "power"],
                get: { $0.durability.rawValue },
                set: { $0.durability = ClickstreamClient.Configuration.Durability(rawValue: $1) ?? .process }
            ),
            "Kind of failure that a recorded event survives.",
            isFixed: true
        ),
        ConfigurationKey("maxBatchBytes", .count(\.maxBatchBytes), "Maximum bytes of a request body as sent."),
        ConfigurationKey("connectTimeout", .milliseconds(\.connectTimeout, minimum: 1), "Milliseconds for connecting."),
        ConfigurationKey(
            "requestTimeout",
            .milliseconds(\.requestTimeout, minimum: 1),
            "Milliseconds from the first byte of a request to the last byte of the reply."
        ),
        ConfigurationKey(
            "endsOnSignals",
            .boolean(\.endsOnSignals),
            "SIGTERM and SIGINT end the session before the process dies. No effect in a replay script.",
            isFixed: true
        ),
        ConfigurationKey(
            "consent",
            .word(
                ClickstreamClient.Configuration.ConsentPolicy.allCases.map(\.rawValue),
                get: { $0.consent.rawValue },
                set: { $0.consent = ClickstreamClient.Configuration.ConsentPolicy(rawValue: $1) ?? .notRequired }
            ),
            "Treatment of events while consent is undecided.",
            isFixed: true
        ),
        ConfigurationKey("maxHeldEvents", .count(\.maxHeldEvents), "Maximum number of events that wait for consent."),
        ConfigurationKey("sampling", .sampling, "Share of devices that record an event, by name."),
    ]
}
