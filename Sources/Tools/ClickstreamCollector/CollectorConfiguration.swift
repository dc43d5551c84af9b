#if Collector
import ClickstreamCore
import ClickstreamJudges
public import ClickstreamPlan

/// Settings of a collector. The defaults suit a test: loopback, a free port and a temporary store.
public struct CollectorConfiguration: Sendable, Hashable {
    /// The address to listen on. Addresses other than loopback admit other machines: programs there can read and empty the store.
    public var host: String
    /// The port to listen on; 0 for a free one, which ``Collector/port`` returns.
    public var port: Int
    /// The SQLite file of the store, created if it does not exist.
    ///
    /// `nil` for a temporary file, which ``Collector/stop()`` removes.
    public var storePath: String?
    /// The accepted app ids, compared exactly. An empty set accepts every app id, and requests without one.
    public var appIDs: Set<String>
    /// The required `cookie` header, as a whole or as one of its parts; `nil` if none is required.
    public var authCookie: String?
    /// The path for events, compared exactly, as by the published load balancer.
    public var path: String
    /// Origins of pages that may send events: `https://shop.example`, `https://*.shop.example` for one or more labels in
    /// place of `*`, or `*` for every origin. Case and the default port make no difference. An empty set allows no other
    /// origin.
    public var corsOrigins: Set<String>
    /// The maximum size in bytes of a request's body as sent: 1 MiB, as published.
    public var bodyLimit: Int
    /// The maximum number of events of a batch of captured events; further events have a finding. 50, as documented.
    public var batchSize: Int
    /// The folder of the archive in the format of the published server's S3 sink, created if it does not exist.
    ///
    /// With a ``storePath`` it contains every answered request, also after a crash.
    public var archive: String?
    /// The maximum size in bytes of the store's tables; the oldest requests are evicted. `nil` for no limit.
    public var maxStoreBytes: Int?
    /// The age at which a request is evicted, at least a millisecond; `nil` for never.
    public var maxAge: Duration?
    /// Further host names, without a port, for the inspector and the query API. Always allowed are `localhost`,
    /// ``host`` and, beyond loopback, this machine's name and every IP address. Events are accepted under any name.
    package var allowedHosts: Set<String> = []
    /// Faults injected from the start.
    public var faults: [CollectorFault]
    /// Seed of the random choice of affected requests; `nil` for a different one at each start.
    public var faultSeed: UInt64?

    /// The Kafka topic that receives stored requests. Needs a build with the trait `Kafka`.
    package var kafka: KafkaDestination?
    /// Tracking plan by which received events are judged, beside the rules, and with which the inspector and `/api/plan`
    /// compare them; `nil` for none. Its findings are those of ``CollectedEvent``; it does not change the replies to apps.
    /// A store whose events were judged by another plan, or by none, is judged again at the start.
    public var plan: TrackingPlan?

    /// Creates a configuration. Invalid settings are reported by ``Collector/start(_:)``.
    public init(
        host: String = "127.0.0.1",
        port: Int = 0,
        storePath: String? = nil,
        appIDs: Set<String> = [],
        authCookie: String? = nil,
        path: String = "/collect",
        corsOrigins: Set<String> = [],
        bodyLimit: Int = 1_048_576,
        batchSize: Int = 50,
        archive: String? = nil,
        maxStoreBytes: Int? = nil,
        maxAge: Duration? = nil,
        faults: [CollectorFault] = [],
        faultSeed: UInt64? = nil,
        plan: TrackingPlan? = nil
    ) {
        self.host = host
        self.port = port
        self.storePath = storePath
        self.appIDs = appIDs
        self.authCookie = authCookie
        self.path = path
        self.corsOrigins = corsOrigins
        self.bodyLimit = bodyLimit
        self.batchSize = batchSize
        self.archive = archive
        self.maxStoreBytes = maxStoreBytes
        self.maxAge = maxAge
        self.faults = faults
        self.faultSeed = faultSeed
        self.plan = plan
    }

    /// Warnings about permitted but doubtful settings, one sentence each.
    package var warnings: [String] {
        var warnings: [String] = []
        if !isLoopback {
            warnings.append(
                "listening on \(host): other machines, and web pages opened on them, can send events, and programs there can "
                    + "read and empty the store; use 127.0.0.1 unless devices on the network send events"
            )
        }
        if kafka != nil, storePath == nil {
            warnings.append(
                "the store is temporary: requests not delivered to Kafka are lost when the collector stops; use --store FILE"
            )
        }
        return warnings
    }

    /// True if only this machine can reach ``host``.
    var isLoopback: Bool {
        host == "localhost" || host == "::1" || host.hasPrefix("127.")
    }

    /// True if a text can be one of ``allowedHosts``: a name of letters, digits, `-`, `_` and dots, without a scheme and a port.
    package static func isHostName(_ text: String) -> Bool {
        !text.isEmpty
            && text.unicodeScalars.allSatisfy {
                $0.properties.isAlphabetic || "0123456789-_.".unicodeScalars.contains($0)
            }
    }

    /// Validates the settings, before anything is opened.
    func check() throws(CollectorError) {
        if !(0...65_535).contains(port) {
            throw .invalidConfiguration("--port must be between 0 (a free one) and 65535, not \(port)")
        }
        let allowed = path.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "?") }
        if !path.hasPrefix("/") || path == "/" || !allowed {
            throw .invalidConfiguration(
                "--path \(path): the path must begin with '/' and not be '/' alone, such as /collect"
            )
        }
        let reserved = ["/ping", "/health", "/metrics"] + CapturedFormat.captured.map(\.path)
        if reserved.contains(path) || path.hasPrefix("/api/") || path.hasPrefix("/micro/") {
            throw .invalidConfiguration(
                "--path \(path) is reserved by the collector; choose another path, such as /collect"
            )
        }
        if let name = allowedHosts.first(where: { !Self.isHostName($0) }) {
            throw .invalidConfiguration(
                "--allow-host must be a name without a port, such as build.local, not '\(Characters.escaped(name))'"
            )
        }
        try kafka?.check()
        if let maxStoreBytes, maxStoreBytes < 1_048_576 {
            throw .invalidConfiguration("--max-store-bytes must be at least 1048576 bytes, not \(maxStoreBytes)")
        }
        if let age = maxAge?.wholeMilliseconds, age < 1 {
            throw .invalidConfiguration("--max-age must be at least 1 ms, not \(age)")
        }
        if batchSize < 1 {
            throw .invalidConfiguration("--batch-size must be at least 1 event, not \(batchSize)")
        }
        if bodyLimit < 1 {
            throw .invalidConfiguration("the body limit must be at least 1 byte, not \(bodyLimit)")
        }
    }
}
#endif
