import ClickstreamAnalytics
import ClickstreamCore
import Foundation
import Glibc

/// One call of `bench`.
struct BenchRun: Sendable {
    private let events: Int
    private let folder: String
    /// Folders that have to be created for the store, outermost first; removed at the end if empty.
    private let missingFolders: [String]

    init(_ command: BenchCommand) {
        events = command.events
        let parent = command.storage ?? ProcessInfo.processInfo.environment.temporaryFolder
        folder = "\(parent)/clickstream-bench-\(SystemDependencies.ids.next())"
        var missing: [String] = []
        var path = URL(fileURLWithPath: parent).standardizedFileURL
        while path.path.count > 1, !FileManager.default.fileExists(atPath: path.path) {
            missing.append(path.path)
            path.deleteLastPathComponent()
        }
        missingFolders = missing.reversed()
    }

    func run() async throws -> BenchReport {
        defer {
            if FileManager.default.fileExists(atPath: folder) {
                do {
                    try FileManager.default.removeItem(atPath: folder)
                } catch {
                    Console.warn("cannot remove \(folder): \(error.localizedDescription)")
                }
            }
            // Fails for a folder that is no longer empty, which remains.
            for path in missingFolders.reversed() { _ = rmdir(path) }
        }
        var report = BenchReport(events: events)
        try record(&report)
        if EmbeddedCollector.isAvailable { try await deliver(&report) }
        return report
    }

    private func client(
        endpoint: String,
        sends: Bool,
        as role: ClientRole,
        observe: (@Sendable (Notice) -> Void)? = nil
    ) throws(StoreError) -> ClickstreamClient {
        var configuration = ClickstreamClient.Configuration(appID: "bench", endpoint: endpoint)
        configuration.maxStoreBytes = .max
        configuration.sendInterval = .zero
        let world = ClickstreamClient.World(
            configuration: configuration,
            device: HostDevice.current(),
            storage: folder,
            dependencies: ClickstreamClient.Dependencies(
                time: SystemDependencies.time,
                ids: SystemDependencies.ids,
                files: LocalFileSystem(),
                transport: sends ? SocketTransport() : nil
            ),
            observe: observe
        )
        return try ClickstreamClient(in: world, as: role)
    }

    /// Measures a launch, and recording ``events`` events with four attributes.
    private func record(_ report: inout BenchReport) throws {
        let clock = ContinuousClock()
        var client: ClickstreamClient?
        report.launch = try clock.measure {
            client = try self.client(endpoint: "", sends: false, as: .app(goesToMemory: false))
        }
        guard let client else { return }
        defer { client.kill() }
        var durations: [Duration] = []
        durations.reserveCapacity(events)
        let progress = ProgressLine("event", of: events)
        defer { progress?.end() }
        for number in 0..<events {
            if number % 1_024 == 0 {
                try Task.checkCancellation()
                if number > 0 { progress?.advance(by: 1_024) }
            }
            let attributes: Attributes = ["category": "shoes", "value": 279.9, "count": number, "gift": false]
            durations.append(clock.measure { client.record("add_to_cart", attributes: attributes) })
        }
        report.record = durations.reduce(.zero, +)
        durations.sort()
        report.median = durations[events / 2]
        report.percentile99 = durations[min(events - 1, events * 99 / 100)]
        report.storedBytes = size(of: folder)
    }

    private func size(of folder: String) -> Int {
        (FileManager.default.subpaths(atPath: folder) ?? []).reduce(0) { sum, path in
            // Folders have a size, too, which is not counted.
            let attributes = try? FileManager.default.attributesOfItem(atPath: "\(folder)/\(path)")
            guard attributes?[.type] as? FileAttributeType == .typeRegular else { return sum }
            return sum + (attributes?[.size] as? Int ?? 0)
        }
    }

    /// Measures reopening the store, and sending all events.
    private func deliver(_ report: inout BenchReport) async throws {
        let collector = try await EmbeddedCollector.start()
        let progress = ProgressLine("event", of: events)
        defer { progress?.end() }
        do {
            let clock = ContinuousClock()
            var client: ClickstreamClient?
            report.reopen = try clock.measure {
                client = try self.client(endpoint: collector.endpoint, sends: true, as: .delivery) { notice in
                    if case .uploaded(let events, _, _) = notice { progress?.advance(by: events) }
                }
            }
            guard let client else { return await collector.stop() }
            let start = clock.now
            let flush = await withTaskCancellationHandler {
                await client.flush(deadline: nil)
            } onCancel: {
                client.kill()
            }
            report.delivery = clock.now - start
            client.terminate()
            try Task.checkCancellation()
            (report.delivered, report.sentBytes, report.requests) = (flush.sent, flush.sentBytes, flush.attempts)
            await collector.stop()
        } catch {
            await collector.stop()
            throw error
        }
    }
}

/// Measurements of `bench`.
struct BenchReport: Sendable {
    let events: Int
    var launch = Duration.zero
    /// Sum, median and 99th percentile of the calls.
    var record = Duration.zero
    var median = Duration.zero
    var percentile99 = Duration.zero
    var storedBytes = 0
    /// Duration of opening the store with all events.
    var reopen = Duration.zero
    var delivery = Duration.zero
    var delivered = 0
    var sentBytes = 0
    var requests = 0

    private func nanoseconds(_ duration: Duration) -> Int64 {
        duration.components.seconds * 1_000_000_000 + duration.components.attoseconds / 1_000_000_000
    }

    private func perSecond(_ count: Int, _ duration: Duration) -> Int64 {
        Int64(Double(count) * 1e9 / Double(max(1, nanoseconds(duration))))
    }

    var human: String {
        func milliseconds(_ duration: Duration) -> String {
            "\(nanoseconds(duration) / 10_000 / 100).\(nanoseconds(duration) / 10_000 % 100) ms"
        }
        var rows: [[String]] = [
            ["launch", milliseconds(launch), "new store"],
            ["record", "\(nanoseconds(record) / Int64(events)) ns", "per event, mean of \(events)"],
            ["", "\(nanoseconds(median)) ns", "p50"],
            ["", "\(nanoseconds(percentile99)) ns", "p99"],
            ["store", "\(storedBytes / events) bytes", "per event"],
        ]
        if EmbeddedCollector.isAvailable {
            rows += [
                ["reopen", milliseconds(reopen), "with all events"],
                [
                    "deliver", "\(perSecond(delivered, delivery)) events/s",
                    "\(delivered) in \(Plural.count(requests, "request"))",
                ],
                ["", "\(sentBytes / max(1, delivered)) bytes", "per event, as sent"],
            ]
        }
        return Table(rows, indent: 0, rightAligned: [1]).lines.joined(separator: "\n")
    }

    var json: String {
        JSONValue(
            .object([
                .number("events", events), .number("launch_ns", nanoseconds(launch)),
                .number("record_ns", nanoseconds(record) / Int64(events)),
                .number("record_median_ns", nanoseconds(median)),
                .number("record_p99_ns", nanoseconds(percentile99)), .number("stored_bytes", storedBytes),
                .number("reopen_ns", nanoseconds(reopen)), .number("delivered", delivered),
                .number("delivered_per_second", perSecond(delivered, delivery)), .number("requests", requests),
                .number("sent_bytes", sentBytes),
            ])
        ).description
    }
}
