#if Collector
import ClickstreamCore
import ClickstreamJudges
public import ClickstreamPlan

/// Settings of a collector. The defaults suit a test: loopback, a free port and a temporary store.
public struct CollectorConfiguration: Sendable, Hashable {
    /// The address to listen on. Addresses other than loopback admit other machines, which adds to ``warnings``.
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
    /// Regular expression for the origins of pages that may send events. It matches anywhere in `Origin`, ignoring
    /// case.
    ///
    /// Matched in linear time: the syntax of PCRE without back references, atomic groups and possessive quantifiers.
    /// `nil` to allow no other origin.
    public var corsOrigin: String?
    /// The maximum size in bytes of a request's body as sent: 1 MiB, as published.
    public var bodyLimit: Int
    /// The maximum number of events of a Contentsquare batch; further events have a finding. 50, as documented.
    public var batchSize: Int
    /// The folder of the archive in the format of the published server's S3 sink, created if it does not exist.
    ///
    /// With a ``storePath`` it contains every answered request, also after a crash.
    public var archive: String?
    /// The maximum size in bytes of the store's tables; the oldest requests are evicted. `nil` for no limit.
    public var maxStoreBytes: Int?
    /// The age in milliseconds at which a request is evicted; `nil` for never.
    public var maxAge: Int64?
    /// Further host names, without a port, for the inspector and the query API. Always allowed are `localhost`,
    /// ``host`` and, beyond loopback, this machine's name and every IP address. Events are accepted under any name.
    public var allowedHosts: Set<String>
    /// Faults injected from the start.
    public var faults: [CollectorFault]
    /// Seed of the random choice of affected requests; `nil` for a different one at each start.
    public var faultSeed: UInt64?

    /// The Kafka topic that receives stored requests. Needs a build with the trait `Kafka`.
    public var kafka: KafkaDestination?
    /// Tracking plan that the inspector and `/api/plan` compare the received events with; `nil` for none. It changes
    /// neither the replies to apps nor the findings of ``CollectedEvent``.
    public var plan: TrackingPlan?

    /// Creates a configuration. Invalid settings are reported by ``Collector/start(_:)``.
    public init(
        host: String = "127.0.0.1",
        port: Int = 0,
        storePath: String? = nil,
        appIDs: Set<String> = [],
        authCookie: String? = nil,
        path: String = "/collect",
        corsOrigin: String? = nil,
        bodyLimit: Int = 1_048_576,
        batchSize: Int = 50,
        archive: String? = nil,
        maxStoreBytes: Int? = nil,
        maxAge: Int64? = nil,
        allowedHosts: Set<String> = [],
        faults: [CollectorFault] = [],
        faultSeed: UInt64? = nil,
        kafka: KafkaDestination? = nil,
        plan: TrackingPlan? = nil
    ) {
        self.host = host
        self.port = port
        self.storePath = storePath
        self.appIDs = appIDs
        self.authCookie = authCookie
        self.path = path
        self.corsOrigin = corsOrigin
        self.bodyLimit = bodyLimit
        self.batchSize = batchSize
        self.archive = archive
        self.maxStoreBytes = maxStoreBytes
        self.maxAge = maxAge
        self.allowedHosts = allowedHosts
        self.faults = faults
        self.faultSeed = faultSeed
        self.kafka = kafka
        self.plan = plan
    }

    /// Warnings about permitted but doubtful settings, one sentence each.
    public var warnings: [String] {
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

    /// Reason why a text cannot be ``corsOrigin``; `nil` if it can.
    public static func corsOriginMistake(_ pattern: String) -> String? {
        do {
            _ = try RegularExpression(pattern)
            return nil
        } catch {
            return error.description
        }
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
        let reserved = ["/ping", "/health", "/metrics"] + CapturedForm.allCases.map(\.path)
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
        if let maxAge, maxAge < 1 {
            throw .invalidConfiguration("--max-age must be at least 1 ms, not \(maxAge)")
        }
        if batchSize < 1 {
            throw .invalidConfiguration("--batch-size must be at least 1 event, not \(batchSize)")
        }
        if bodyLimit < 1 {
            throw .invalidConfiguration("the body limit must be at least 1 byte, not \(bodyLimit)")
        }
    }
}

/// Limits that protect the collector from single clients. Not configurable; tests use smaller ones.
struct Limits: Sendable, Hashable {
    /// Bytes of one header line, including the request line, and of all header lines together.
    var headerBytes = 32_768
    /// Header lines of a request.
    var headerCount = 200
    /// Bytes of a rejected body that are read before the connection is closed, so that the client receives the status.
    var refusedBodyBytes = 2 * 1_048_576
    /// Maximum bytes of an inflated body. A real request of 10 000 events has 13 MB.
    var inflatedBytes = 64 * 1_048_576
    /// Bytes of all bodies not stored yet, as sent; further ones are rejected with 503.
    var waitingBodyBytes = 128 * 1_048_576
    /// Bytes of memory for small bodies being decoded or waiting to be stored; further ones wait.
    var smallReadBytes = 32 * 1_048_576
    /// The same for the bodies between small and large.
    var mediumReadBytes = 96 * 1_048_576
    /// Bytes of JSON text up to which a body is small. Small bodies are decoded on the threads of the requests.
    var smallBytes = 262_144
    /// Bytes of JSON text above which a body is large. Large bodies are decoded and stored one at a time.
    var largeBytes = 8 * 1_048_576
    /// Seconds that a body waits for memory before it is rejected with 503.
    var readingSeconds: Int64 = 10
    /// Maximum bytes of the events or requests in one page of a query.
    var pageBytes = 32 * 1_048_576
    /// Seconds after which a silent connection is closed, within a request or between two.
    var idleSeconds: Int64 = 60
    /// Seconds after which a client that reads nothing of a reply held in memory is disconnected.
    var heldSeconds: Int64 = 5
    /// Seconds from a request's head to its body's last byte.
    var bodySeconds: Int64 = 60
    /// Seconds during which the rest of a rejected body is read and dropped after the reply.
    var lingerSeconds: Int64 = 2
    /// Limits at which a file of the archive is closed.
    var rotation = Archive.Rotation()
    /// Seconds between two checks for expired requests and for archive files that are due.
    var tidySeconds: Int64 = 10
    /// Seconds of silence after which a stream sends a comment as heartbeat.
    var heartbeatSeconds: Int64 = 15
    /// Maximum number of connections; further ones wait to be accepted. Lower if the system allows fewer open files.
    var connections = 16_384
    /// Seconds that requests in progress may take at shutdown.
    var stopSeconds: Int64 = 10

    /// Number of connections within a limit on open files, with some files reserved for other purposes.
    /// - Parameter openFiles: limit of the process; negative for none.
    func connections(openFiles: Int) -> Int {
        openFiles < 0 ? connections : min(connections, max(16, openFiles - 128))
    }
}
#endif
