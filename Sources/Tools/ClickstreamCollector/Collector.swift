#if Collector
import ClickstreamCore
package import ClickstreamJudges
package import ClickstreamPlan
import Dispatch
import Synchronization

/// Local ingestion server: stores and validates the events of apps, and answers queries about them.
///
/// A request is answered with 200 once it is stored so that it survives the end of the process; a loss of power can
/// lose what the system had not written to disk yet. A query, direct or over HTTP, sees every request answered before
/// it. All members are thread-safe. Call ``stop()`` at the end: releasing the value does not stop the server.
public final class Collector: Sendable {
    /// Configuration passed to ``start(_:)``.
    package let configuration: CollectorConfiguration

    private let store: Store
    private let server: HTTPServer
    let ingestion: Ingestion
    private let arrivals: ArrivalNotifier
    private let maintenance: StoreMaintenance
    private let followings: [Following]
    private let faults: FaultInjector
    /// Comparison with the tracking plan; `nil` without one.
    let plan: PlanMonitor?
    /// Comparison of events as they are stored, until the stop, so that a query has only the newest ones left; `nil` without a plan.
    let planFollowing: Task<Void, Never>?
    let metrics: Metrics
    private let limits: Limits
    private let time: any TimeSource
    private let ending = Mutex<Task<Void, Never>?>(nil)
    /// Monotonic time at which all work of the stop ends; `nil` before the stop.
    private let stopDeadline = Mutex<Int64?>(nil)
    private let stopping = Mutex<Task<Void, Never>?>(nil)
    private let unfinished = Mutex(false)

    /// Starts to listen.
    init(
        _ configuration: CollectorConfiguration,
        store: Store,
        responder: Responder,
        followers: [any Follower],
        limits: Limits
    ) async throws {
        let (time, arrivals, plan) = (responder.time, responder.stream.arrivals, responder.queries.plan)
        server = try await HTTPServer.start(configuration, responder, limits)
        self.configuration = configuration
        self.store = store
        self.limits = limits
        self.time = time
        self.arrivals = arrivals
        faults = responder.faults
        self.plan = plan
        planFollowing = plan.map { plan in Task { await plan.follow(arrivals.changes()) } }
        metrics = responder.metrics
        ingestion = responder.ingestion
        followings = followers.map { Following($0, store: store, arrivals: arrivals, time: time) }
        maintenance = StoreMaintenance(
            of: store,
            writer: ingestion.writer,
            arrivals: arrivals,
            evicts: configuration.maxAge != nil || configuration.maxStoreBytes != nil || configuration.archive != nil,
            interval: limits.tidySeconds * 1_000,
            time: time
        )
    }

    /// The port it listens on.
    public var port: Int { server.port }

    /// Base URL of the inspector and the query API, such as `http://127.0.0.1:9090`, without a slash at the end.
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

    /// URL to which apps send events.
    public var endpoint: String { baseURL + configuration.path }

    /// Path of the store. ``stop()`` removes a temporary store unless its archive is incomplete.
    package var storePath: String { store.path }

    /// Warnings about permitted but doubtful settings, one sentence each.
    package var warnings: [String] { configuration.warnings }

    // MARK: - Stopping

    /// Accepts no more connections and ends the requests in progress. Direct queries are still answered, and see every
    /// request that was answered with 200.
    ///
    /// Requests in progress are cut off after seven seconds. A second call waits for the first.
    package func endServing() async {
        let task = ending.withLock { task in
            if let task { return task }
            let begun = Task { await self.endOnce() }
            task = begun
            return begun
        }
        await task.value
    }

    private func endOnce() async {
        let deadline = time.now().steady + limits.stopSeconds * 1_000
        stopDeadline.withLock { $0 = deadline }
        arrivals.end()
        maintenance.end()
        let (ends, end) = AsyncStream<Void>.makeStream()
        let shutdown = Task { [server] in
            await server.shutDown()
            end.finish()
        }
        let timeout = Task { [server, store, limits, time] in
            try await time.sleep(milliseconds: min(limits.stopRequestSeconds, limits.stopSeconds) * 1_000)
            server.cancel()
            store.interrupt()
            // A request that ignores its cancellation delays the shutdown no longer.
            try await time.sleep(milliseconds: Self.cutSeconds * 1_000)
            shutdown.cancel()
            end.finish()
        }
        for await _ in ends {}
        timeout.cancel()
    }

    /// Seconds between the cancellation of requests and the end of the wait for them.
    private static let cutSeconds: Int64 = 1

    /// Accepts no more connections, ends the requests in progress, completes the archive, closes the store and removes a temporary one.
    ///
    /// Requests in progress are cut off after seven seconds. Ends after ten, also if the disk of the archive or of the store blocks;
    /// closing then continues in the background. A temporary store with requests that could not be archived by then is kept.
    /// A second call waits for the first.
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
        // Not awaited: its current event may take long.
        planFollowing?.cancel()
        let (now, part) = (time.now().steady, Self.partMilliseconds)
        let end = (stopDeadline.withLock { $0 } ?? now) - 2 * part
        let due = max(end, now + min(2 * part, limits.stopSeconds * 1_000))
        let keepsFile = Locked(store.archive != nil)
        // A file system that blocks ends neither of these.
        let isDelivered = await ends(before: due + part) { [self] in
            await deliver(until: due)
            let behind = store.archive?.status.behind ?? 0
            keepsFile.withLock { $0 = behind > 0 }
        }
        let isClosed = await ends(before: max(due + 2 * part, time.now().steady + part)) { [self] in
            await withCheckedContinuation { (closed: CheckedContinuation<Void, Never>) in
                // Not on a thread that the time limit needs.
                DispatchQueue.global(qos: .utility).async { [self] in
                    // Every answered request is committed: a failure to close loses nothing.
                    try? store.close(keepsFile: keepsFile.withLock { $0 })
                    closed.resume()
                }
            }
        }
        unfinished.withLock { $0 = !isDelivered || !isClosed }
    }

    /// Milliseconds from the last requests that are delivered to the end of their delivery, and from there to that of the stop.
    private static let partMilliseconds: Int64 = 250

    /// Ends the work in the background, and writes requests to the archive and the followers up to a time.
    private func deliver(until due: Int64) async {
        // The final status of an archive or a sink that blocks.
        if let archive = store.archive { await store.noteRequestsBehind(archive) }
        await metrics.kafka?.update(from: store)
        await maintenance.settle()
        await ingestion.writer.settle()
        if let archive = store.archive {
            // Requests that cannot be written stay in the store; the status has the reason.
            try? await store.follow(by: archive, now: time.now().wall, closes: true) { [time] in
                time.now().steady >= due
            }
            await store.noteRequestsBehind(archive)
        }
        for following in followings { await following.stop(milliseconds: max(0, due - time.now().steady)) }
        await metrics.kafka?.update(from: store)
    }

    /// Returns at the end of `work`, or at a time, after which the work continues in the background.
    /// - Returns: false if the time came first.
    private func ends(before due: Int64, _ work: @escaping @Sendable () async -> Void) async -> Bool {
        let (ends, end) = AsyncStream<Bool>.makeStream()
        Task {
            await work()
            end.yield(true)
        }
        let timeout = Task { [time] in
            try await time.sleep(milliseconds: max(0, due - time.now().steady))
            end.yield(false)
        }
        defer { timeout.cancel() }
        for await isDone in ends { return isDone }
        return false
    }

    /// True if ``stop()`` ended before all its work: a write to the archive or a sink, or the store, was still blocked. A store
    /// that is kept has every request that was answered.
    package var isStopUnfinished: Bool { unfinished.withLock { $0 } }

    // MARK: - Status

    /// Reason why the archive cannot be written; `nil` if it can, or if there is none.
    package var archiveFailure: String? { store.archive?.status.failure }

    /// Reason why no more requests are stored; `nil` while they are. ``changes()`` has an element after it changes.
    package var storeFailure: CollectorError? { store.files.failure }

    /// Status of the archive; after ``stop()``, its final status. `nil` without an archive.
    package func archiveStatus() async -> ArchiveStatus? {
        guard let archive = store.archive else { return nil }
        if stopping.withLock({ $0 == nil }) { await store.noteRequestsBehind(archive) }
        return archive.status
    }

    /// Status of the delivery to Kafka; after ``stop()``, its final status. `nil` without Kafka.
    package func kafka() async -> KafkaStatus? {
        if stopping.withLock({ $0 == nil }) { await metrics.kafka?.update(from: store) }
        return metrics.kafka?.status
    }

    // MARK: - Plan

    /// Comparison of stored events with the plan.
    package struct PlanComparison: Sendable {
        /// The comparison; `nil` if a single event takes longer than the time limit.
        package var coverage: PlanCoverage?
        /// True if all stored events are compared.
        package var isComplete: Bool
    }

    /// Time that a single event may take after the end of a comparison.
    private static let eventMilliseconds: Int64 = 500

    /// Compares the stored events with the plan, from the event on at which the last comparison ended.
    /// - Parameter milliseconds: the time after which the rest is left out.
    /// - Returns: `nil` without a plan.
    package func planComparison(within milliseconds: Int64) async -> PlanComparison? {
        guard let plan else { return nil }
        let due = time.now().steady + milliseconds
        // The monitor ends between two events; a longer event is left behind.
        let limit = QueryLimit(
            1,
            milliseconds: milliseconds + Self.eventMilliseconds,
            time: time,
            arrivals: ArrivalNotifier()
        )
        // A store that cannot be read has failed the summary before.
        let found = try? await limit.run { [time] in
            try await plan.comparison { time.now().steady >= due }
        }
        return found ?? PlanComparison(coverage: nil, isComplete: false)
    }

    // MARK: - Faults

    /// Replaces the injected faults; an empty list ends them.
    public func inject(_ faults: [CollectorFault]) {
        self.faults.replace(by: faults)
    }

    // MARK: - Queries

    /// Elements for stored requests, until the collector stops. One element may represent several requests.
    ///
    /// The first element is available at once, so that requests stored before are not missed.
    package func changes() -> AsyncStream<Void> {
        arrivals.changes()
    }

    /// Returns counts of requests, events, sessions and users. Reads the indexes of all events.
    /// - Throws: ``CollectorError``, as all queries do, if the store cannot be read or the collector is stopped.
    public func summary() async throws(CollectorError) -> CollectorSummary {
        try await query { try await $0.summary() }
    }

    /// Returns a page of events in the order of arrival.
    public func events(_ filter: EventFilter = .init()) async throws(CollectorError) -> EventPage {
        try await query { try await $0.events(filter) }
    }

    /// Returns a page of captured events, or of audit events, in the order of arrival.
    package func captured(_ filter: CapturedFilter = .init()) async throws(CollectorError) -> CapturedPage {
        try await query { try await $0.captured(filter) }
    }

    /// Returns the counts of each captured form.
    package func capturedSummary() async throws(CollectorError) -> [CapturedFormat: CapturedCounts] {
        try await query { try await $0.capturedSummary() }
    }

    /// Returns the counts of audit events.
    package func auditSummary() async throws(CollectorError) -> AuditSummary {
        try await query { try await $0.auditSummary() }
    }

    /// Returns a page of requests in the order of arrival, without their bodies.
    /// - Parameter cursor: the `next` of the previous page.
    /// - Parameter limit: the maximum number of requests in the page.
    public func requests(after cursor: Int64? = nil, limit: Int = 100) async throws(CollectorError) -> RequestPage {
        try await query { try await $0.requests(after: cursor, limit: limit) }
    }

    /// Returns one request with its body.
    /// - Parameter id: value of the `X-Request-ID` header of the reply.
    public func request(_ id: String) async throws(CollectorError) -> CollectedRequest? {
        try await query { try await $0.request(id) }
    }

    /// Returns a page of sessions in the order in which their first events arrived.
    /// - Parameter cursor: the `next` of the previous page.
    /// - Parameter limit: the maximum number of sessions in the page.
    package func sessions(after cursor: Int64? = nil, limit: Int = 100) async throws(CollectorError) -> SessionPage {
        try await query { try await $0.sessions(after: cursor, limit: limit) }
    }

    /// Returns one session with its events in the order in which they happened.
    /// - Parameter id: the session id.
    /// - Parameter app: app id; `nil` for the app whose event arrived first.
    package func session(_ id: String, app: String? = nil) async throws(CollectorError) -> SessionTimeline? {
        try await query { try await $0.timeline(id, app: app) }
    }

    /// Removes all stored requests and events.
    public func reset() async throws(CollectorError) {
        try await query { try await $0.reset() }
        arrivals.notify()
    }

    private func query<Value: Sendable>(
        _ body: (Store) async throws -> Value
    ) async throws(CollectorError) -> Value {
        if stopping.withLock({ $0 != nil }) { throw .stopped }
        do {
            return try await body(store)
        } catch {
            // The stop has interrupted the query.
            if stopping.withLock({ $0 != nil }) { throw .stopped }
            throw store.failure(of: error)
        }
    }
}
#endif
