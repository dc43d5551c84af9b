#if Collector
import ClickstreamCore
import ClickstreamPlan
import NIOCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

extension Collector {
    /// Opens the store and starts to listen. Requests are answered when this returns.
    /// - Throws: a ``CollectorError`` with a remedy if it cannot listen or cannot use the store; ``CollectorError/stopped`` if the
    ///   task is cancelled while a store of an older version is migrated, or judged by another plan, which rolls this back. A
    ///   completed migration remains if the judging after it is cancelled.
    public static func start(
        _ configuration: CollectorConfiguration = .init()
    ) async throws(CollectorError) -> Collector {
        try await start(configuration) { _ in }
    }

    /// As ``start(_:)``.
    /// - Parameter report: called before work on the store that takes time in proportion to its content, on another thread.
    package static func start(
        _ configuration: CollectorConfiguration,
        report: @escaping @Sendable (StorePreparation) -> Void
    ) async throws(CollectorError) -> Collector {
        try await start(configuration, time: SystemTime(), ids: SystemIDs(), limits: Limits(), report: report)
    }

    /// As ``start(_:)``, with the clock, identifiers, disk of the archive and limits of a test.
    static func start(
        _ configuration: CollectorConfiguration,
        time: any TimeSource,
        ids: any IDSource = SystemIDs(),
        disk: any FileSystem = LocalFileSystem(),
        limits: Limits = Limits(),
        report: @escaping @Sendable (StorePreparation) -> Void = { _ in }
    ) async throws(CollectorError) -> Collector {
        try configuration.check()
        let time = StorableTime(time)
        let crossOrigin = try CrossOrigin(configuration.corsOrigins)
        let archive: Archive? =
            if let folder = configuration.archive {
                try Archive(folder: folder, rotation: limits.rotation, disk: disk)
            } else {
                nil
            }
        let decoder = UploadDecoder(
            inflationLimit: limits.inflatedBytes,
            batchSize: configuration.batchSize,
            plan: configuration.plan.map { PlanJudge($0) }
        )
        let store = try await Store.open(
            path: configuration.storePath,
            decoder: decoder,
            archive: archive,
            pageBytes: limits.pageBytes,
            limit: configuration.maxStoreBytes,
            report: report
        )
        let metrics = Metrics(kafka: configuration.kafka.map { KafkaWatch($0) }, start: time.now().wall)
        let followers = try followers(of: configuration, metrics, time)
        let responder = responder(configuration, store, decoder, crossOrigin, metrics, limits, time: time, ids: ids)
        do {
            return try await Collector(
                configuration,
                store: store,
                responder: responder,
                followers: followers,
                limits: limits
            )
        } catch {
            for follower in followers { await follower.close() }
            // The start has failed already; a temporary store that remains is the lesser problem.
            try? store.close()
            throw cannotListen(configuration, error)
        }
    }

    /// Assembles the parts that answer requests.
    static func responder(
        _ configuration: CollectorConfiguration,
        _ store: Store,
        _ decoder: UploadDecoder,
        _ crossOrigin: CrossOrigin,
        _ metrics: Metrics,
        _ limits: Limits,
        time: any TimeSource,
        ids: any IDSource
    ) -> Responder {
        let faults = FaultInjector(configuration.faults, seed: configuration.faultSeed ?? ids.random())
        let arrivals = ArrivalNotifier()
        let admission = Admission(limits, time: time)
        let hosts = AllowedHosts(configuration)
        let origins = RequestOriginGuard(hosts: hosts)
        return Responder(
            ingestion: Ingestion(
                configuration: configuration,
                crossOrigin: crossOrigin,
                hosts: hosts,
                writer: IngestionWriter(
                    store: store,
                    arrivals: arrivals,
                    metrics: metrics,
                    retention: Retention(
                        bytes: configuration.maxStoreBytes,
                        age: configuration.maxAge?.wholeMilliseconds
                    ),
                    time: time
                ),
                decoder: decoder,
                admission: admission,
                smallBytes: limits.smallBytes,
                largeBytes: limits.largeBytes,
                time: time,
                ids: ids
            ),
            queries: queries(configuration, store, limits, faults, arrivals, origins, time: time),
            micro: MicroAPI(store: store, arrivals: arrivals, origins: origins),
            stream: EventStream(
                store: store,
                arrivals: arrivals,
                time: time,
                heartbeatSeconds: limits.heartbeatSeconds
            ),
            metrics: metrics,
            faults: faults,
            admission: admission,
            deadlines: Deadlines(time: time),
            time: time,
            limits: limits
        )
    }

    /// Assembles the query API.
    static func queries(
        _ configuration: CollectorConfiguration,
        _ store: Store,
        _ limits: Limits,
        _ faults: FaultInjector,
        _ arrivals: ArrivalNotifier,
        _ origins: RequestOriginGuard,
        time: any TimeSource
    ) -> QueryAPI {
        QueryAPI(
            store: store,
            faults: faults,
            arrivals: arrivals,
            origins: origins,
            plan: configuration.plan.map { PlanMonitor($0, store: store) },
            planQueries: QueryLimit(
                limits.planQueries,
                milliseconds: limits.planSeconds * 1_000,
                time: time,
                arrivals: arrivals
            ),
            reports: QueryLimit(
                limits.reports,
                milliseconds: limits.reportSeconds * 1_000,
                time: time,
                arrivals: arrivals
            )
        )
    }

    /// Followers of the store that the configuration asks for.
    private static func followers(
        of configuration: CollectorConfiguration,
        _ metrics: Metrics,
        _ time: any TimeSource
    ) throws(CollectorError) -> [any Follower] {
        #if Kafka
        if let kafka = configuration.kafka, let watch = metrics.kafka {
            return [try KafkaSink(kafka, status: watch, time: time)]
        }
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
}
#endif
