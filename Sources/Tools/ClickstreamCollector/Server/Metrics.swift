#if Collector
import ClickstreamCore
import ClickstreamJudges
import NIOCore
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Counters since the start of the collector, in the text format of Prometheus. Callable from any thread.
final class Metrics: Sendable {
    let receivedBytes = Atomic<Int>(0)
    let inflatedBytes = Atomic<Int>(0)
    private let connections = Locked(Connections())
    private let stored = Locked(StoredCounts())
    private let responses = Locked<[Int: Int]>([:])
    private let start: Timestamp
    /// Delivery status of the Kafka sink; `nil` without Kafka.
    let kafka: KafkaWatch?

    init(kafka: KafkaWatch? = nil, start: Timestamp) {
        self.kafka = kafka
        self.start = start
    }

    /// Open connections.
    private struct Connections: Sendable {
        var count = 0
        var onEnd: (@Sendable (_ count: Int) -> Void)?
    }

    func beginConnection() {
        connections.withLock { $0.count += 1 }
    }

    func endConnection() {
        connections.withLock { connections in
            connections.count -= 1
            connections.onEnd?(connections.count)
        }
    }

    /// Calls `observe` with the number of open connections after each end of one. It must not block.
    func onConnectionEnd(_ observe: @escaping @Sendable (_ count: Int) -> Void) {
        connections.withLock { $0.onEnd = observe }
    }

    func count(response status: Int) {
        responses.withLock { $0[status, default: 0] += 1 }
    }

    func count(_ counts: StoredCounts) {
        stored.withLock { $0 = $0 + counts }
    }

    // MARK: - Text

    /// Metrics in the text format of Prometheus (version 0.0.4).
    /// - Parameters:
    ///   - holdings: current size of the store.
    ///   - archive: status of the archive; `nil` without one.
    func text(_ holdings: StoreHoldings, archive: ArchiveStatus? = nil) -> String {
        var text = Exposition()
        for metric in counters + gauges(holdings, archive) + process { text.add(metric) }
        return text.text
    }

    private var counters: [Metric] {
        let stored = stored.withLock { $0 }
        let captured = CapturedFormat.captured.map { ($0.rawValue, stored.captured[$0] ?? CapturedCounts()) }
        let responses = responses.withLock { $0 }.sorted { $0.key < $1.key }
        return [
            Metric(
                .counter,
                "clickstream_collector_requests_total",
                "Stored requests, by whether their body was readable.",
                samples: [(["status": "good"], stored.goodRequests), (["status": "bad"], stored.badRequests)]
            ),
            Metric(
                .counter,
                "clickstream_collector_events_total",
                "Stored events without duplicates, by whether they are valid.",
                samples: [(["status": "good"], stored.goodEvents), (["status": "bad"], stored.badEvents)]
            ),
            Metric(.counter, "clickstream_collector_duplicates_total", "Duplicate events.", stored.duplicates),
            Metric(
                .counter,
                "clickstream_collector_captured_requests_total",
                "Stored requests of the captured formats, by whether their body was readable.",
                samples: captured.flatMap { form, counts in
                    [
                        (["form": form, "status": "good"], counts.requests - counts.badRequests),
                        (["form": form, "status": "bad"], counts.badRequests),
                    ]
                }
            ),
            Metric(
                .counter,
                "clickstream_collector_captured_events_total",
                "Stored captured events without duplicates, by whether they are valid.",
                samples: captured.flatMap { form, counts in
                    [
                        (["form": form, "status": "good"], counts.events - counts.badEvents),
                        (["form": form, "status": "bad"], counts.badEvents),
                    ]
                }
            ),
            Metric(
                .counter,
                "clickstream_collector_captured_duplicates_total",
                "Duplicate captured events.",
                samples: captured.map { form, counts in (["form": form], counts.duplicates) }
            ),
            Metric(
                .counter,
                "clickstream_collector_received_bytes_total",
                "Bytes of stored bodies, as sent.",
                receivedBytes.load(ordering: .relaxed)
            ),
            Metric(
                .counter,
                "clickstream_collector_inflated_bytes_total",
                "Bytes of JSON text in stored bodies.",
                inflatedBytes.load(ordering: .relaxed)
            ),
            Metric(
                .counter,
                "clickstream_collector_responses_total",
                "Responses, by status.",
                samples: responses.map { (["code": String($0.key)], $0.value) }
            ),
        ]
    }

    private func gauges(_ holdings: StoreHoldings, _ archive: ArchiveStatus?) -> [Metric] {
        let connections = connections.withLock { $0.count }
        var metrics = [
            Metric(.gauge, "clickstream_collector_connections", "Open connections.", connections),
            Metric(.gauge, "clickstream_collector_store_bytes", "Bytes of the store's files.", holdings.bytes),
            Metric(
                .gauge,
                "clickstream_collector_evicted_requests",
                "Requests evicted since the last reset.",
                holdings.evicted.requests
            ),
            Metric(
                .gauge,
                "clickstream_collector_evicted_events",
                "Events evicted since the last reset.",
                holdings.evicted.events
            ),
        ]
        if let archive {
            metrics.append(
                Metric(
                    .gauge,
                    "clickstream_collector_archive_failing",
                    "1 while the archive cannot be written.",
                    archive.failure == nil ? 0 : 1
                )
            )
        }
        if let kafka = kafka?.status { metrics += Self.metrics(of: kafka) }
        metrics.append(
            Metric(
                .gauge,
                "clickstream_collector_build_info",
                "Version of the collector, as a label.",
                samples: [(["version": SDK.version], 1)]
            )
        )
        return metrics
    }

    private static func metrics(of kafka: KafkaStatus) -> [Metric] {
        [
            Metric(
                .counter,
                "clickstream_collector_kafka_delivered_total",
                "Requests confirmed by Kafka.",
                kafka.delivered
            ),
            Metric(
                .counter,
                "clickstream_collector_kafka_refused_total",
                "Requests permanently rejected by Kafka.",
                kafka.refused
            ),
            Metric(
                .gauge,
                "clickstream_collector_kafka_behind",
                "Stored requests not delivered to Kafka yet.",
                kafka.behind
            ),
            Metric(
                .gauge,
                "clickstream_collector_kafka_failing",
                "1 while the delivery to Kafka fails.",
                kafka.failure == nil ? 0 : 1
            ),
        ]
    }

    /// Standard process metrics of Prometheus clients. Memory and descriptors only on systems with `/proc`.
    private var process: [Metric] {
        var metrics: [Metric] = []
        var usage = rusage()
        #if canImport(Darwin) || canImport(Musl)
        let own = RUSAGE_SELF
        #else
        let own = RUSAGE_SELF.rawValue
        #endif
        if getrusage(__rusage_who_t(own), &usage) == 0 {
            let seconds = Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
            let micros = Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec)
            metrics.append(
                Metric(
                    .counter,
                    "process_cpu_seconds_total",
                    "Processor time used, in seconds.",
                    seconds + micros / 1e6
                )
            )
        }
        metrics.append(
            Metric(
                .gauge,
                "process_start_time_seconds",
                "Start time of the collector, in seconds since 1970.",
                Double(start.milliseconds) / 1_000
            )
        )
        guard let memory = ProcessMemory.now() else { return metrics }
        return metrics + [
            Metric(.gauge, "process_resident_memory_bytes", "Memory in use, in bytes.", memory.resident),
            Metric(.gauge, "process_virtual_memory_bytes", "Address space in use, in bytes.", memory.virtual),
            Metric(.gauge, "process_open_fds", "Open file descriptors.", memory.descriptors),
        ]
    }
}

/// Counts of one transaction.
struct StoredCounts: Sendable, Hashable {
    var goodRequests = 0
    var badRequests = 0
    var goodEvents = 0
    var badEvents = 0
    var duplicates = 0
    var captured: [CapturedFormat: CapturedCounts] = [:]
    /// Results of the uploads, in their order; none in a sum.
    var results: [UploadResult] = []

    static func + (left: StoredCounts, right: StoredCounts) -> StoredCounts {
        StoredCounts(
            goodRequests: left.goodRequests + right.goodRequests,
            badRequests: left.badRequests + right.badRequests,
            goodEvents: left.goodEvents + right.goodEvents,
            badEvents: left.badEvents + right.badEvents,
            duplicates: left.duplicates + right.duplicates,
            captured: left.captured.merging(right.captured) { left, right in
                var sum = left
                sum += right
                return sum
            }
        )
    }
}

/// Size of the store's files, and the number of evicted requests and events.
struct StoreHoldings: Sendable, Hashable {
    var bytes = 0
    var evicted = Evicted()

    /// Number of requests and events removed by the retention limits.
    struct Evicted: Sendable, Hashable {
        var requests = 0
        var events = 0
    }
}

/// Connection state: counts open connections and reports the end of the client to ``Presence``.
final class ConnectionCounter: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = Any

    let presence = Presence()
    private let metrics: Metrics
    private let time: any TimeSource
    private var isCounted = false

    init(_ metrics: Metrics, time: any TimeSource) {
        self.metrics = metrics
        self.time = time
    }

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { count() }
        do {
            try KeepAliveHandler.add(to: context.pipeline.syncOperations, metrics)
        } catch {
            context.fireErrorCaught(error)
        }
    }

    func channelActive(context: ChannelHandlerContext) {
        count()
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        if isCounted { metrics.endConnection() }
        isCounted = false
        presence.leave()
        context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .inputClosed? = event as? ChannelEvent {
            presence.finish()
            time.after(milliseconds: Presence.graceSeconds * 1_000) { [presence] in presence.leave() }
        }
        context.fireUserInboundEventTriggered(event)
    }

    private func count() {
        if !isCounted { metrics.beginConnection() }
        isCounted = true
    }
}

/// Metric with its samples.
private struct Metric {
    enum Kind: String {
        case counter, gauge
    }

    var kind: Kind
    var name: String
    var help: String
    var samples: [(labels: [String: String], value: any CustomStringConvertible)]

    init(_ kind: Kind, _ name: String, _ help: String, samples: [([String: String], Int)]) {
        self.kind = kind
        self.name = name
        self.help = help
        self.samples = samples.map { ($0, $1) }
    }

    init(_ kind: Kind, _ name: String, _ help: String, _ value: any CustomStringConvertible) {
        self.kind = kind
        self.name = name
        self.help = help
        samples = [([:], value)]
    }
}

/// Writer for the text format of Prometheus.
private struct Exposition {
    var text = ""

    /// Label values contain no characters that need an escape.
    mutating func add(_ metric: Metric) {
        text += "# HELP \(metric.name) \(metric.help)\n# TYPE \(metric.name) \(metric.kind.rawValue)\n"
        for (labels, value) in metric.samples {
            let pairs = labels.sorted { $0.key < $1.key }.map { "\($0.key)=\"\($0.value)\"" }.joined(separator: ",")
            text += "\(metric.name)\(pairs.isEmpty ? "" : "{\(pairs)}") \(value)\n"
        }
    }
}

/// Memory and descriptors of this process, from `/proc`.
private struct ProcessMemory {
    var resident: Int
    var virtual: Int
    var descriptors: Int

    static func now() -> ProcessMemory? {
        guard let file = fopen("/proc/self/statm", "r") else { return nil }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        guard fgets(&line, Int32(line.count), file) != nil else { return nil }
        let pages = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            .split(separator: " ").prefix(2).compactMap { Int($0) }
        guard pages.count == 2 else { return nil }
        let size = Int(sysconf(Int32(_SC_PAGESIZE)))
        return ProcessMemory(resident: pages[1] * size, virtual: pages[0] * size, descriptors: openDescriptors())
    }

    private static func openDescriptors() -> Int {
        guard let folder = opendir("/proc/self/fd") else { return 0 }
        defer { closedir(folder) }
        var count = 0
        while readdir(folder) != nil { count += 1 }
        // Without ".", ".." and the descriptor of the folder itself.
        return max(0, count - 3)
    }
}
#endif
