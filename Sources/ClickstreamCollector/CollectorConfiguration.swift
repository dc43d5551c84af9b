#if Tools
/// Where a collector listens, what it lets in and where it keeps it. The defaults suit a test: loopback, a free port.
public struct CollectorConfiguration: Sendable, Hashable {
    /// The address to listen on. Anything but loopback lets other machines in: ``warnings`` says so.
    public var host: String
    /// The port to listen on; 0 takes a free one, which ``Collector/port`` then names.
    public var port: Int
    /// The SQLite file that keeps what was sent, made when it is not there.
    ///
    /// `nil` makes a temporary one, which ``Collector/stop()`` removes.
    public var storePath: String?
    /// The app ids that are let in, compared exactly; none given lets every one in, and a request without one too.
    public var appIDs: Set<String>
    /// What the `cookie` header must hold, as a whole or as one of its parts; `nil` asks for none.
    public var authCookie: String?
    /// The path that takes events. It is compared exactly, as by the published load balancer.
    public var path: String
    /// A regular expression, found anywhere in `Origin` whatever the case, for pages that may post from elsewhere.
    ///
    /// Matched in linear time: the syntax of PCRE without back references, atomic groups and possessive quantifiers.
    /// `nil` answers no page of another origin.
    public var corsOrigin: String?
    /// The most bytes of a request's body as sent, before anything is decoded: 1 MiB, as published.
    public var bodyLimit: Int
    /// The folder that gets what the published server's S3 sink writes, made when it is not there.
    ///
    /// With a ``storePath`` it holds every request that was answered, also after a crash.
    public var archive: String?
    /// The most bytes that the store's tables may take; the oldest requests make room. `nil` for no end.
    public var maxStoreBytes: Int?
    /// Milliseconds after which a request is removed; `nil` for never.
    public var maxAge: Int64?
    /// Further names, without a port, under which pages and readings are answered, beside `localhost`, ``host``, and,
    /// beyond loopback, this machine's name and every IP address. Events are taken under any name.
    public var allowedHosts: Set<String>
    /// What goes wrong on purpose from the start.
    public var faults: [CollectorFault]
    /// What decides which requests the faults strike; `nil` for another choice at each start.
    public var faultSeed: UInt64?

    /// Where stored requests go on to; needs a build with the trait `Kafka`.
    public var kafka: KafkaDestination?

    public init(
        host: String = "127.0.0.1",
        port: Int = 0,
        storePath: String? = nil,
        appIDs: Set<String> = [],
        authCookie: String? = nil,
        path: String = "/collect",
        corsOrigin: String? = nil,
        bodyLimit: Int = 1_048_576,
        archive: String? = nil,
        maxStoreBytes: Int? = nil,
        maxAge: Int64? = nil,
        allowedHosts: Set<String> = [],
        faults: [CollectorFault] = [],
        faultSeed: UInt64? = nil,
        kafka: KafkaDestination? = nil
    ) {
        self.host = host
        self.port = port
        self.storePath = storePath
        self.appIDs = appIDs
        self.authCookie = authCookie
        self.path = path
        self.corsOrigin = corsOrigin
        self.bodyLimit = bodyLimit
        self.archive = archive
        self.maxStoreBytes = maxStoreBytes
        self.maxAge = maxAge
        self.allowedHosts = allowedHosts
        self.faults = faults
        self.faultSeed = faultSeed
        self.kafka = kafka
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

    /// Whether only this machine can reach ``host``.
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

    /// Finds what could never work, before anything is opened.
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
        if ["/ping", "/health", "/metrics"].contains(path) || path.hasPrefix("/api/") || path.hasPrefix("/micro/") {
            throw .invalidConfiguration(
                "--path \(path) is reserved by the collector; choose another path, such as /collect"
            )
        }
        if let name = allowedHosts.first(where: { $0.isEmpty || $0.contains { ":/ ".contains($0) } }) {
            throw .invalidConfiguration(
                "--allow-host must be a name without a port, such as build.local, not '\(name)'"
            )
        }
        try kafka?.check()
        if let maxStoreBytes, maxStoreBytes < 1_048_576 {
            throw .invalidConfiguration("--max-store-bytes must be at least 1048576 bytes, not \(maxStoreBytes)")
        }
        if let maxAge, maxAge < 1 {
            throw .invalidConfiguration("--max-age must be at least 1 ms, not \(maxAge)")
        }
        if bodyLimit < 1 {
            throw .invalidConfiguration("the body limit must be at least 1 byte, not \(bodyLimit)")
        }
    }
}

/// What keeps one client from using up the whole collector. Figures that nobody has needed to set so far.
struct Limits: Sendable, Hashable {
    /// Bytes of one header line, the request line included, and of all of them together.
    var headerBytes = 32_768
    /// Header lines of a request.
    var headerCount = 200
    /// Bytes of a refused body that are read before the connection is closed, so that the client sees the status.
    var refusedBodyBytes = 2 * 1_048_576
    /// Bytes that a body may inflate to: a real request of 10 000 events has 13 MB.
    var inflatedBytes = 64 * 1_048_576
    /// Bytes of all bodies together that are not stored yet, as sent; further ones are refused with 503.
    var waitingBodyBytes = 128 * 1_048_576
    /// Bytes of memory for small bodies that are being read or wait to be stored; further ones wait.
    var smallReadBytes = 32 * 1_048_576
    /// The same for the bodies between small and large.
    var mediumReadBytes = 96 * 1_048_576
    /// Bytes of JSON text up to which a body is small: it is read at once, on the threads of the requests.
    var smallBytes = 262_144
    /// Bytes of JSON text from which a body is large: large ones are read and stored one after the other.
    var largeBytes = 8 * 1_048_576
    /// Seconds that a body waits for memory to be read; then it is refused with 503.
    var readingSeconds: Int64 = 10
    /// Bytes of events, or of requests, after which a page that is read ends, whatever limit was asked for.
    var pageBytes = 32 * 1_048_576
    /// Seconds that a connection may be silent, within a request or between two.
    var idleSeconds: Int64 = 60
    /// Seconds that a client may take nothing of an answer that is held whole for it.
    var heldSeconds: Int64 = 5
    /// Seconds from a request's head to its body's last byte.
    var bodySeconds: Int64 = 60
    /// Seconds that a refused client is listened to after it has been answered.
    var lingerSeconds: Int64 = 2
    /// When a file of the archive is closed.
    var rotation = Archive.Rotation()
    /// Seconds between two looks for what is too old, or for a file of the archive that is due.
    var tidySeconds: Int64 = 10
    /// Seconds of silence after which a stream says that it is still there.
    var heartbeatSeconds: Int64 = 15
    /// Connections at a time; further ones wait to be accepted. Fewer where the system allows fewer files.
    var connections = 16_384
    /// Seconds that requests under way have to end when the collector is told to stop.
    var stopSeconds: Int64 = 10

    /// Connections that are taken when the process may have so many files open: some are needed for the rest.
    /// - Parameter openFiles: negative when there is no limit.
    func connections(openFiles: Int) -> Int {
        openFiles < 0 ? connections : min(connections, max(16, openFiles - 128))
    }
}
#endif
