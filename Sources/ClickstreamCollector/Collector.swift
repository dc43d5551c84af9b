#if Tools
import ClickstreamCore
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A local stand-in for the ingestion server: stores what apps send, judges it, and tells what came.
///
/// Answers 200 only after a request is stored so that it survives the death of the process; a loss of power may take
/// what the system had not yet written out. Readings made directly or over HTTP see everything answered before.
/// Callable from any thread. Stop it with ``stop()``: letting go of the value does not.
public final class Collector: Sendable {
    public let configuration: CollectorConfiguration
    /// The port that it listens on.
    public let port: Int

    private let store: Store
    private let server: Server<HTTP1Channel>
    private let running: Task<Void, any Error>
    private let ending = Mutex<Task<Void, Never>?>(nil)
    private let stopping = Mutex<Task<Void, Never>?>(nil)
    private let limits: Limits
    private let faults: FaultInjector
    private let arrivals: ArrivalNotifier
    private let metrics: Metrics
    private let intake: IngestionWriter
    private let followings: [Following]
    private let tidying: Task<Void, any Error>?
    private let archiving: Task<Void, Never>?
    private let watching: Task<Void, any Error>
    private let time: any TimeSource

    /// Where its pages and readings are: `http://127.0.0.1:9090`, without a slash at the end.
    public var baseURL: String {
        let host =
            switch configuration.host {
            case "0.0.0.0": "127.0.0.1"
            case "::": "[::1]"
            case let host where host.contains(":"): "[\(host)]"
            default: configuration.host
            }
        return "http://\(host):\(port)"
    }

    /// Where apps send to.
    public var endpoint: String { baseURL + configuration.path }

    /// The file that keeps what was sent; a temporary one is gone after ``stop()``, unless its archive is behind.
    public var storePath: String { store.path }

    /// What is allowed but may not be meant, to be shown to whoever started it.
    public var warnings: [String] { configuration.warnings }

    /// Opens the store and listens. When this returns, requests are answered.
    /// - Throws: a ``CollectorError`` that says what to do, when it cannot listen or cannot use the store.
    public static func start(
        _ configuration: CollectorConfiguration = .init()
    ) async throws(CollectorError) -> Collector {
        try await start(configuration, time: SystemTime(), ids: SystemIDs(), limits: Limits())
    }

    /// As ``start(_:)``, with the clocks, identifiers and limits of a test.
    static func start(
        _ configuration: CollectorConfiguration,
        time: any TimeSource,
        ids: any IDSource = SystemIDs(),
        limits: Limits = Limits()
    ) async throws(CollectorError) -> Collector {
        try configuration.check()
        let crossOrigin: CrossOrigin? =
            if let pattern = configuration.corsOrigin, !pattern.isEmpty { try CrossOrigin(pattern) } else { nil }
        let decoder = UploadDecoder(inflationLimit: limits.inflatedBytes)
        let archive: Archive? =
            if let folder = configuration.archive { try Archive(folder: folder, rotation: limits.rotation) } else {
                nil
            }
        let store = try Store(
            path: configuration.storePath,
            decoder: decoder,
            archive: archive,
            pageBytes: limits.pageBytes,
            limit: configuration.maxStoreBytes
        )
        let faults = FaultInjector(configuration.faults, seed: configuration.faultSeed ?? UInt64.random(in: 0 ... .max))
        let arrivals = ArrivalNotifier()
        let metrics = Metrics(kafka: configuration.kafka.map { KafkaWatch($0) })
        let followers = try Self.followers(of: configuration, metrics)
        let intake = IngestionWriter(
            store: store,
            arrivals: arrivals,
            metrics: metrics,
            retention: Retention(bytes: configuration.maxStoreBytes, age: configuration.maxAge),
            time: time
        )
        let admission = Admission(
            bodyBytes: limits.waitingBodyBytes,
            smallReadBytes: limits.smallReadBytes,
            mediumReadBytes: limits.mediumReadBytes,
            reading: System.coreCount,
            patience: limits.readingSeconds * 1_000,
            time: time
        )
        let responder = Responder(
            ingestion: Ingestion(
                configuration: configuration,
                crossOrigin: crossOrigin,
                hosts: Hosts(configuration),
                intake: intake,
                decoder: decoder,
                admission: admission,
                smallBytes: limits.smallBytes,
                largeBytes: limits.largeBytes,
                time: time,
                ids: ids
            ),
            readings: QueryAPI(store: store, faults: faults, arrivals: arrivals),
            micro: MicroAPI(store: store, arrivals: arrivals),
            stream: EventStream(
                store: store,
                arrivals: arrivals,
                time: time,
                heartbeatSeconds: limits.heartbeatSeconds
            ),
            metrics: metrics,
            faults: faults,
            admission: admission,
            time: time,
            limits: limits
        )
        do {
            return try await Collector(
                configuration,
                store: store,
                responder: responder,
                arrivals: arrivals,
                followers: followers,
                limits: limits
            )
        } catch {
            for follower in followers { await follower.close() }
            // The start has failed already: that a temporary store stays behind is the smaller trouble.
            try? store.close()
            throw cannotListen(configuration, error)
        }
    }

    private init(
        _ configuration: CollectorConfiguration,
        store: Store,
        responder: Responder,
        arrivals: ArrivalNotifier,
        followers: [any Follower],
        limits: Limits
    ) async throws {
        var logger = Logger(label: "clickstream.collector")
        logger.logLevel = .critical
        let (starts, started) = AsyncStream<Result<Int, any Error>>.makeStream()
        let server = Server(
            childChannelSetup: HTTP1Channel(
                responder: { try await responder.respond(to: $0, writer: $1, channel: $2) },
                configuration: HTTP1Channel.Configuration(
                    additionalChannelHandlers: [ConnectionCounter(responder.metrics)],
                    idleTimeout: .seconds(limits.idleSeconds),
                    httpDecoderConfiguration: .init(
                        maxHeaderFieldSize: limits.headerBytes,
                        maxHeaderListSize: limits.headerBytes,
                        maxHeaderFieldCount: limits.headerCount
                    )
                )
            ),
            configuration: ServerConfiguration(
                address: .hostname(configuration.host, port: configuration.port),
                backlog: 1_024,
                availableConnectionsDelegate: MaximumAvailableConnections(
                    limits.connections(openFiles: Int(sysconf(Int32(_SC_OPEN_MAX)))),
                    logger: logger
                )
            ),
            onServerRunning: { channel in
                started.yield(.success(channel.localAddress?.port ?? configuration.port))
            },
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton,
            logger: logger
        )
        running = Task {
            do {
                try await server.run()
                started.finish()
            } catch {
                started.yield(.failure(error))
                throw error
            }
        }
        var port: Int?
        for await start in starts {
            port = try start.get()
            break
        }
        self.port = port ?? configuration.port
        self.configuration = configuration
        self.store = store
        self.server = server
        self.limits = limits
        self.arrivals = arrivals
        faults = responder.faults
        metrics = responder.metrics
        followings = followers.map { Following($0, store: store, arrivals: arrivals) }
        time = responder.time
        watching = Task { [deadlines = responder.deadlines] in try await deadlines.watch() }
        archiving = store.archive.map { archive in
            Task { [time = responder.time] in
                for await _ in arrivals.changes() {
                    // What could not be written now is tried again with the next request; the status has the reason.
                    try? await store.follow(by: archive, now: time.now().wall, closes: false)
                }
            }
        }
        intake = responder.ingestion.intake
        tidying =
            configuration.maxAge == nil && configuration.maxStoreBytes == nil && configuration.archive == nil
            ? nil
            : Task { [intake] in
                // What came in before this start may be too old or too much by now.
                while true {
                    await intake.tidy()
                    arrivals.tell()
                    try await Task.sleep(for: .seconds(limits.tidySeconds))
                }
            }
    }

    /// Those who take what is stored, by the configuration.
    private static func followers(
        of configuration: CollectorConfiguration,
        _ metrics: Metrics
    ) throws(CollectorError) -> [any Follower] {
        #if Kafka
        if let kafka = configuration.kafka, let watch = metrics.kafka { return [try KafkaSink(kafka, status: watch)] }
        #endif
        return []
    }

    private static func cannotListen(_ configuration: CollectorConfiguration, _ error: any Error) -> CollectorError {
        if error is SocketAddressError.UnknownHost { return .unknownHost(configuration.host) }
        if let error = error as? IOError {
            if error.errnoCode == EADDRINUSE {
                return .portInUse(host: configuration.host, port: configuration.port)
            }
            if error.errnoCode == EACCES {
                return .listeningForbidden(host: configuration.host, port: configuration.port)
            }
            return .cannotListen(
                host: configuration.host,
                port: configuration.port,
                reason: String(cString: strerror(error.errnoCode))
            )
        }
        return .cannotListen(host: configuration.host, port: configuration.port, reason: "\(error)")
    }

    // MARK: - Stopping

    /// Takes no more connections and ends the requests under way. Readings by this value are still answered, and see
    /// every request that was answered with 200.
    ///
    /// Requests that do not end within ten seconds are cut off. A second call waits for the first.
    public func endServing() async {
        let task = ending.withLock { task in
            if let task { return task }
            let begun = Task { await self.endOnce() }
            task = begun
            return begun
        }
        await task.value
    }

    private func endOnce() async {
        arrivals.end()
        tidying?.cancel()
        let (ends, end) = AsyncStream<Void>.makeStream()
        let serving = Task { [server, running] in
            // It fails only when the listening socket is gone already: there is nothing left to stop then.
            try? await server.shutdownGracefully()
            _ = await running.result
            end.finish()
        }
        let patience = Task { [running, store, limits] in
            try await Task.sleep(for: .seconds(limits.stopSeconds))
            running.cancel()
            store.interrupt()
            // A request that takes no notice holds up the stop no longer.
            try await Task.sleep(for: .seconds(Self.cutSeconds))
            serving.cancel()
            end.finish()
        }
        for await _ in ends {}
        patience.cancel()
        watching.cancel()
    }

    /// Seconds from cutting off requests to giving them up.
    private static let cutSeconds = 1

    /// Ends serving as ``endServing()`` does, brings the archive up to date, closes the store and removes a temporary one.
    ///
    /// A temporary store that holds what the archive could not take stays: ``archiveStatus()`` says so. A second call waits
    /// for the first.
    public func stop() async {
        await endServing()
        let stop = stopping.withLock { task in
            if let task { return task }
            let begun = Task { await self.stopOnce() }
            task = begun
            return begun
        }
        await stop.value
    }

    private func stopOnce() async {
        for following in followings { await following.stop(seconds: limits.stopSeconds) }
        await metrics.kafka?.look(into: store)
        await archiving?.value
        _ = await tidying?.result
        await intake.settle()
        var keepsFile = false
        if let archive = store.archive {
            // What could not be written stays in the store; the status has the reason.
            try? await store.follow(by: archive, now: time.now().wall, closes: true)
            let behind = await store.requestsBehind(archive)
            archive.noteEnd(behind: behind)
            keepsFile = behind > 0
        }
        // What was answered is committed: a failure to close loses nothing.
        try? store.close(keepsFile: keepsFile)
    }

    /// Reason why the archive cannot be written now; `nil` when it can, or when there is none.
    public var archiveFailure: String? { store.archive?.status.failure }

    /// State of the archive, its requests counted; after ``stop()``, how it ended. `nil` without an archive.
    public func archiveStatus() async -> ArchiveStatus? {
        guard let archive = store.archive else { return nil }
        if stopping.withLock({ $0 == nil }) { archive.noteEnd(behind: await store.requestsBehind(archive)) }
        return archive.status
    }

    /// How far Kafka has come, where requests go on to it; after ``stop()``, how it ended.
    public func kafka() async -> KafkaStatus? {
        if stopping.withLock({ $0 == nil }) { await metrics.kafka?.look(into: store) }
        return metrics.kafka?.status
    }

    // MARK: - Faults

    /// What goes wrong on purpose from now on, in place of what was asked for before; an empty list ends all faults.
    public func inject(_ faults: [CollectorFault]) {
        self.faults.replace(by: faults)
    }

    // MARK: - Reading

    /// Tells whenever requests have been stored, until the collector stops. Several arrivals may be told as one.
    ///
    /// The first element comes at once, so that what was stored before is looked at too.
    public func changes() -> AsyncStream<Void> {
        arrivals.changes()
    }

    /// Counts what came. Reads the indexes of all events.
    /// - Throws: ``CollectorError``, as all readings do, when the store cannot be read or the collector was stopped.
    public func summary() async throws(CollectorError) -> CollectorSummary {
        try await reading { try await $0.summary() }
    }

    /// Gives events in the order of their arrival.
    public func events(_ filter: EventFilter = .init()) async throws(CollectorError) -> EventPage {
        try await reading { try await $0.events(filter) }
    }

    /// Gives requests in the order of their arrival, without their bodies.
    /// - Parameter cursor: where an earlier page ended, its `next`.
    public func requests(after cursor: Int64? = nil, limit: Int = 100) async throws(CollectorError) -> RequestPage {
        try await reading { try await $0.requests(after: cursor, limit: limit) }
    }

    /// Gives one request with its body.
    /// - Parameter id: what `X-Request-ID` answered.
    public func request(_ id: String) async throws(CollectorError) -> CollectedRequest? {
        try await reading { try await $0.request(id) }
    }

    /// Gives sessions in the order in which their first events arrived.
    /// - Parameter cursor: where an earlier page ended, its `next`.
    public func sessions(after cursor: Int64? = nil, limit: Int = 100) async throws(CollectorError) -> SessionPage {
        try await reading { try await $0.sessions(after: cursor, limit: limit) }
    }

    /// Gives one session with its events in the order in which they happened.
    /// - Parameter app: the app to look in; `nil` takes the one whose event came first.
    public func session(_ id: String, app: String? = nil) async throws(CollectorError) -> SessionTimeline? {
        try await reading { try await $0.session(id, app: app) }
    }

    /// Removes everything that was sent so far.
    public func reset() async throws(CollectorError) {
        try await reading { try await $0.reset() }
        arrivals.tell()
    }

    private func reading<Value: Sendable>(
        _ body: (Store) async throws -> Value
    ) async throws(CollectorError) -> Value {
        if stopping.withLock({ $0 != nil }) { throw .stopped }
        do {
            return try await body(store)
        } catch {
            // A reading that the stop has ended.
            if stopping.withLock({ $0 != nil }) { throw .stopped }
            throw store.failure(of: error)
        }
    }
}
#endif
