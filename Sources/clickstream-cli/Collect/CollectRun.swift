#if Tools
import ClickstreamCollector
import ClickstreamCore
import Foundation

/// One call of `collect`: starts the collector, waits for what ends it, and prints what came.
struct CollectRun: Sendable {
    /// What ended the wait.
    private enum Ending: Sendable {
        case enough
        case timeOver
        case stopped
        /// The command behind `--` has ended with this status.
        case command(Int32)
    }

    private let command: CollectCommand
    private let format: OutputFormat

    init(_ command: CollectCommand) {
        self.command = command
        format = command.format ?? (Console.isTerminal ? .human : .json)
    }

    /// - Returns: the exit status.
    func run() async throws -> Int32 {
        OpenFileLimit.raise()
        let collector: Collector
        do {
            collector = try await Collector.start(command.collectorConfiguration)
        } catch {
            throw CommandFailure(error)
        }
        do {
            for warning in collector.warnings { Console.say("warning: \(warning)") }
            try announce(collector)
            if command.open { ChildProcess.openPage(collector.baseURL + "/") }
            let ending = try await wait(for: collector)
            // After this, no request is on its way: the numbers are those of all that was answered.
            await collector.endServing()
            let summary = try await Self.summary(of: collector)
            let report = try await report(on: collector, summary)
            await collector.stop()
            let archive = await collector.archiveStatus()
            if let kafka = await collector.kafka(), kafka.behind > 0 {
                Console.say("warning: Kafka does not have \(kafka.behind) of the stored requests yet\(rest(kafka))")
            }
            do {
                try tell(summary)
            } catch let failure as CommandFailure where failure.status == .readerLeft {
                // Whoever wanted only to know where it listens (`| head -1`) changes nothing about what came.
            }
            let status = status(of: ending, summary, report)
            if let archive, archive.behind > 0 {
                let failure = incomplete(archive, collector)
                if status == ExitStatus.done.rawValue { throw failure }
                _ = failure.said()
            }
            return status
        } catch {
            await collector.stop()
            throw error
        }
    }

    /// The failure of an archive that does not hold all requests, with the place where they are.
    private func incomplete(_ archive: ArchiveStatus, _ collector: Collector) -> CommandFailure {
        let count = archive.behind == 1 ? "1 request" : "\(archive.behind) requests"
        let place =
            command.store == nil
            ? "they are kept in \(collector.storePath); start collect with --store \(collector.storePath) and a folder "
                + "that can be written"
            : "they are in the store; start collect again on it with a folder that can be written"
        return CommandFailure(
            .inputOutput,
            "the archive \(archive.folder) does not have \(count) (\(archive.failure ?? "not written yet")): \(place)"
        )
    }

    /// Warns once when the archive begins to fail, and says when it goes on.
    private static func watchArchive(of collector: Collector) async {
        var isFailing = false
        for await _ in collector.changes() {
            guard let folder = collector.configuration.archive else { return }
            let failure = collector.archiveFailure
            if let failure, !isFailing {
                Console.say("warning: cannot write the archive \(folder): \(failure); requests stay in the store")
            } else if failure == nil, isFailing {
                Console.say("the archive \(folder) is written again")
            }
            isFailing = failure != nil
        }
    }

    private func rest(_ kafka: KafkaStatus) -> String {
        let reason = kafka.failure.map { " (\($0))" } ?? ""
        return reason
            + (command.store == nil ? "; they are lost" : "; they follow when collect is started again on this store")
    }

    // MARK: Waiting

    private func wait(for collector: Collector) async throws -> Ending {
        let watch = Task { await Self.watchArchive(of: collector) }
        defer { watch.cancel() }
        return try await withThrowingTaskGroup(of: Ending.self) { group in
            group.addTask {
                for await _ in collector.changes() {
                    guard let wanted = command.once else { continue }
                    let summary = try await Self.summary(of: collector)
                    if summary.events + summary.duplicates >= wanted { return .enough }
                }
                return .stopped
            }
            if let timeout = command.timeout {
                group.addTask {
                    // Ended by a signal, it ends the wait as that.
                    do { try await SystemTime().sleep(milliseconds: timeout.milliseconds) } catch { return .stopped }
                    return .timeOver
                }
            }
            if !command.command.isEmpty {
                group.addTask { .command(try await ChildProcess.run(command.command, collector: collector)) }
            }
            let ending = try await group.next() ?? .stopped
            group.cancelAll()
            return ending
        }
    }

    private static func summary(of collector: Collector) async throws -> CollectorSummary {
        // A stop by signal must still tell what came.
        let task = Task.detached { try await collector.summary() }
        do {
            return try await task.value
        } catch let error as CollectorError {
            throw CommandFailure(error)
        }
    }

    /// What came of `--expect`, `--no-errors` and `--no-duplicates`; `nil` when nothing of the kind was asked for.
    private func report(on collector: Collector, _ summary: CollectorSummary) async throws -> ExpectationReport? {
        let wanted = Expectations(
            try command.expected.expectations(),
            allowsErrors: !command.noErrors,
            allowsDuplicates: !command.expected.noDuplicates
        )
        guard !wanted.isEmpty else { return nil }
        // A stop by signal must still tell what came.
        let task = Task.detached {
            var expectations = wanted
            expectations.take(duplicates: summary.duplicates, unreadableRequests: summary.badRequests)
            var filter = EventFilter(limit: 1_000)
            repeat {
                let page = try await collector.events(filter)
                for event in page.events { expectations.take(try ReceivedEvent(event)) }
                filter.cursor = page.next
            } while filter.cursor != nil
            return ExpectationReport(expectations: expectations, waited: 0)
        }
        do {
            return try await task.value
        } catch let error as CollectorError {
            throw CommandFailure(error)
        }
    }

    private func status(of ending: Ending, _ summary: CollectorSummary, _ report: ExpectationReport?) -> Int32 {
        for line in report?.human(in: Style(isColoured: false)) ?? [] { Console.say(line) }
        switch ending {
        case .command(let status) where status != 0:
            return status
        case .timeOver where command.once != nil || !command.command.isEmpty:
            let time = "\(command.timeout?.milliseconds ?? 0) ms"
            Console.say(
                command.once == nil
                    ? "error: the command had not ended after \(time) and was stopped; raise --timeout"
                    : "error: only \(summary.events + summary.duplicates) events came in \(time); "
                        + "look whether the app sends to the endpoint above, or raise --timeout"
            )
            return ExitStatus.deadline.rawValue
        case .enough, .timeOver, .stopped, .command:
            break
        }
        if let report, !report.holds {
            Console.say(
                "error: \(report.failures) of the expectations do not hold: what came is told above"
                    + (command.store == nil ? "; --store FILE keeps all of it" : "")
            )
            return ExitStatus.findings.rawValue
        }
        return ExitStatus.done.rawValue
    }

    // MARK: Telling

    private struct Announcement: Encodable {
        var url: String
        var endpoint: String
        var port: Int
        var store: String?
    }

    private func announce(_ collector: Collector) throws {
        switch format {
        case .human:
            try Console.print("Listening: apps send to \(collector.endpoint)")
            try Console.print("Inspector: \(collector.baseURL)/")
            try Console.print("Readings:  \(collector.baseURL)/api/summary and others; Docs/collector.md names them")
            try Console.print("Store:     \(command.store ?? "temporary, gone at the end; --store FILE keeps it")")
        case .json, .ndjson:
            try Self.printJSON(
                Announcement(
                    url: collector.baseURL,
                    endpoint: collector.endpoint,
                    port: collector.port,
                    store: command.store
                )
            )
        }
    }

    private func tell(_ summary: CollectorSummary) throws {
        switch format {
        case .human:
            try Console.print(
                "\(summary.events) events (\(summary.goodEvents) good, \(summary.badEvents) bad), "
                    + "\(summary.duplicates) duplicates, \(summary.requests) requests (\(summary.badRequests) unreadable), "
                    + "\(summary.sessions) sessions, \(summary.users) users"
            )
        case .json, .ndjson:
            try Self.printJSON(summary)
        }
    }

    private static func printJSON(_ value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        try Console.print(String(decoding: try encoder.encode(value), as: UTF8.self))
    }
}
#endif
