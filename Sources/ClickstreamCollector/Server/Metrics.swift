#if Tools
import ClickstreamCore
import NIOCore
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// What happened since the collector started, counted on the way. Callable from any thread.
final class Metrics: Sendable {
    let receivedBytes = Atomic<Int>(0)
    let inflatedBytes = Atomic<Int>(0)
    let connections = Atomic<Int>(0)
    private let stored = Locked(StoredCounts())
    private let responses = Locked<[Int: Int]>([:])
    private let start = SystemTime().now()
    /// What counts for Kafka, where requests go on to it.
    let kafka: KafkaWatch?

    init(kafka: KafkaWatch? = nil) {
        self.kafka = kafka
    }

    func count(response status: Int) {
        responses.withLock { $0[status, default: 0] += 1 }
    }

    func count(_ counts: StoredCounts) {
        stored.withLock { $0 = $0 + counts }
    }

    // MARK: - Telling

    /// The text that Prometheus reads (version 0.0.4), with what the store holds now.
    /// - Parameter archive: state of the archive, where there is one.
    func text(_ holdings: StoreHoldings, archive: ArchiveStatus? = nil) -> String {
        let stored = stored.withLock { $0 }
        let responses = responses.withLock { $0 }.sorted { $0.key < $1.key }
        var text = Exposition()
        text.add(
            "clickstream_collector_requests_total",
            .counter,
            "Requests stored, by whether their body could be read.",
            [(["status": "good"], stored.goodRequests), (["status": "bad"], stored.badRequests)]
        )
        text.add(
            "clickstream_collector_events_total",
            .counter,
            "Different events stored, by whether a rule was broken.",
            [(["status": "good"], stored.goodEvents), (["status": "bad"], stored.badEvents)]
        )
        text.add(
            "clickstream_collector_duplicates_total",
            .counter,
            "Events that had come before.",
            [([:], stored.duplicates)]
        )
        text.add(
            "clickstream_collector_received_bytes_total",
            .counter,
            "Bytes of stored bodies, as sent.",
            [([:], receivedBytes.load(ordering: .relaxed))]
        )
        text.add(
            "clickstream_collector_inflated_bytes_total",
            .counter,
            "Bytes of JSON text in stored bodies.",
            [([:], inflatedBytes.load(ordering: .relaxed))]
        )
        text.add(
            "clickstream_collector_responses_total",
            .counter,
            "Answers given, by status.",
            responses.map { (["code": String($0.key)], $0.value) }
        )
        text.add(
            "clickstream_collector_connections",
            .gauge,
            "Connections open now.",
            [([:], connections.load(ordering: .relaxed))]
        )
        text.add(
            "clickstream_collector_store_bytes",
            .gauge,
            "Bytes of the store's files.",
            [([:], holdings.bytes)]
        )
        text.add(
            "clickstream_collector_evicted_requests",
            .gauge,
            "Requests that had to make room, since the last reset.",
            [([:], holdings.evicted.requests)]
        )
        text.add(
            "clickstream_collector_evicted_events",
            .gauge,
            "Events that had to make room, since the last reset.",
            [([:], holdings.evicted.events)]
        )
        if let archive {
            text.add(
                "clickstream_collector_archive_failing",
                .gauge,
                "1 while the archive cannot be written.",
                [([:], archive.failure == nil ? 0 : 1)]
            )
        }
        if let kafka = kafka?.status { add(kafka, to: &text) }
        text.add(
            "clickstream_collector_build_info",
            .gauge,
            "The version, as a label.",
            [(["version": SDK.version], 1)]
        )
        addProcess(to: &text)
        return text.text
    }

    private func add(_ kafka: KafkaStatus, to text: inout Exposition) {
        text.add(
            "clickstream_collector_kafka_delivered_total",
            .counter,
            "Requests that Kafka has confirmed.",
            [([:], kafka.delivered)]
        )
        text.add(
            "clickstream_collector_kafka_refused_total",
            .counter,
            "Requests that Kafka will never take.",
            [([:], kafka.refused)]
        )
        text.add(
            "clickstream_collector_kafka_behind",
            .gauge,
            "Stored requests that Kafka does not have yet.",
            [([:], kafka.behind)]
        )
        text.add(
            "clickstream_collector_kafka_failing",
            .gauge,
            "1 while Kafka takes nothing.",
            [([:], kafka.failure == nil ? 0 : 1)]
        )
    }

    /// What every Prometheus client tells of its process. Memory and files are told where the system has `/proc`.
    private func addProcess(to text: inout Exposition) {
        var usage = rusage()
        #if canImport(Darwin) || canImport(Musl)
        let own = RUSAGE_SELF
        #else
        let own = RUSAGE_SELF.rawValue
        #endif
        if getrusage(__rusage_who_t(own), &usage) == 0 {
            let seconds = Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
            let micros = Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec)
            text.add(
                "process_cpu_seconds_total",
                .counter,
                "Processor time used, in seconds.",
                [([:], seconds + micros / 1e6)]
            )
        }
        text.add(
            "process_start_time_seconds",
            .gauge,
            "When the collector started, in seconds since 1970.",
            [([:], Double(start.wall.milliseconds) / 1_000)]
        )
        guard let memory = ProcessMemory.now() else { return }
        text.add("process_resident_memory_bytes", .gauge, "Memory in use, in bytes.", [([:], memory.resident)])
        text.add("process_virtual_memory_bytes", .gauge, "Address space in use, in bytes.", [([:], memory.virtual)])
        text.add("process_open_fds", .gauge, "Open file descriptors.", [([:], memory.descriptors)])
    }
}

/// What one transaction brought into the store.
struct StoredCounts: Sendable, Hashable {
    var goodRequests = 0
    var badRequests = 0
    var goodEvents = 0
    var badEvents = 0
    var duplicates = 0

    static func + (left: StoredCounts, right: StoredCounts) -> StoredCounts {
        StoredCounts(
            goodRequests: left.goodRequests + right.goodRequests,
            badRequests: left.badRequests + right.badRequests,
            goodEvents: left.goodEvents + right.goodEvents,
            badEvents: left.badEvents + right.badEvents,
            duplicates: left.duplicates + right.duplicates
        )
    }
}

/// What the store's files take, and what had to leave them.
struct StoreHoldings: Sendable, Hashable {
    var bytes = 0
    var evicted = Evicted()

    /// What was removed to keep the store within its limits.
    struct Evicted: Sendable, Hashable {
        var requests = 0
        var events = 0
    }
}

/// Counts a connection while it is open, and follows the presence of its client.
final class ConnectionCounter: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = Any

    let presence = Presence()
    private let metrics: Metrics
    private var isCounted = false

    init(_ metrics: Metrics) {
        self.metrics = metrics
    }

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { count() }
        do {
            try KeepAliveHandler.add(to: context.pipeline.syncOperations)
        } catch {
            context.fireErrorCaught(error)
        }
    }

    func channelActive(context: ChannelHandlerContext) {
        count()
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        if isCounted { metrics.connections.subtract(1, ordering: .relaxed) }
        isCounted = false
        presence.leave()
        context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .inputClosed? = event as? ChannelEvent {
            presence.finish()
            context.eventLoop.scheduleTask(in: .seconds(Presence.graceSeconds)) { [presence] in presence.leave() }
        }
        context.fireUserInboundEventTriggered(event)
    }

    private func count() {
        if !isCounted { metrics.connections.add(1, ordering: .relaxed) }
        isCounted = true
    }
}

/// Prometheus' text format, line by line.
private struct Exposition {
    enum Kind: String {
        case counter, gauge
    }

    var text = ""

    /// Label values are ours and need no escapes.
    mutating func add(_ name: String, _ kind: Kind, _ help: String, _ samples: [([String: String], some Any)]) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
        for (labels, value) in samples {
            let pairs = labels.map { "\($0.key)=\"\($0.value)\"" }.joined(separator: ",")
            text += "\(name)\(pairs.isEmpty ? "" : "{\(pairs)}") \(value)\n"
        }
    }
}

/// What the system says that this process holds.
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
        // Beside "." and ".." the folder's own is listed.
        return max(0, count - 3)
    }
}
#endif
