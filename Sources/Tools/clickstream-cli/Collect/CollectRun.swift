#if Collector
import ClickstreamCollector
import ClickstreamCore
import ClickstreamJudges
import ClickstreamPlan
import Foundation

/// One call of `collect`: starts the collector, waits for the end, and prints a summary.
struct CollectRun: Sendable {
    /// Cause of the end.
    private enum Ending: Sendable {
        case enough
        case timeOver
        case stopped
        /// The command after `--` has ended with this status.
        case command(Int32)
    }

    private let command: CollectCommand
    private let format: OutputFormat
    private let plan: TrackingPlan?
    private let imports: [ImportInput]

    init(_ command: CollectCommand) throws {
        self.command = command
        plan = try command.expected.plan.read()
        imports = try command.imports.map { try ImportInput($0) }
        format = command.format.inUse
    }

    /// - Returns: the exit status.
    func run() async throws -> Int32 {
        OpenFileLimit.raise()
        var configuration = command.collectorConfiguration
        configuration.plan = plan
        configuration.allowedHosts.formUnion(try CollectCommand.allowedHosts())
        let collector = try await Self.start(configuration)
        do {
            for warning in collector.warnings { Console.warn("\(warning)") }
            let imported = try await imports.isEmpty ? nil : ImportRun(collector).run(imports)
            // A signal during the import ends the run, with a summary of what is stored.
            let isStopped = imported != nil && Task.isCancelled
            let ending = isStopped ? Ending.stopped : try await serve(collector)
            let deadline = StopDeadline()
            // No request is in progress any more: the numbers cover all answered requests.
            await collector.endServing()
            var summary = try await Self.summary(of: collector)
            summary.imported = imported
            let report = try await report(on: collector, summary, until: deadline)
            summary.coverage = report?.expectations.coverage
            await collector.stop()
            let archive = await collector.archiveStatus()
            if let kafka = await collector.kafka(), kafka.behind > 0 {
                Console.warn("\(Plural.count(kafka.behind, "stored request")) not delivered to Kafka\(rest(kafka))")
            }
            do {
                try printSummary(summary)
            } catch let failure as CommandFailure where failure.status == .readerLeft {
                // A reader that needs only the addresses (`| head -1`) does not change the outcome.
            }
            var status = status(of: ending, summary, report, endpoint: collector.endpoint)
            if collector.isStopUnfinished {
                let note = command.store == nil ? "" : "; the store has all requests"
                Console.fail("the stop ended before the archive and the store were closed\(note)")
                if status == ExitStatus.done.rawValue { status = ExitStatus.unfinished.rawValue }
            }
            if let archive, archive.behind > 0 {
                let failure = incomplete(archive, collector)
                if status == ExitStatus.done.rawValue { throw failure }
                _ = failure.report()
            }
            if let imported, imported.isIncomplete, status == ExitStatus.done.rawValue {
                status = ExitStatus.badData.rawValue
            }
            return status
        } catch {
            await collector.stop()
            throw error
        }
    }

    /// Announces the collector, and waits for the end.
    private func serve(_ collector: Collector) async throws -> Ending {
        try announce(collector)
        if command.open { ChildProcess.openPage(collector.baseURL + "/") }
        return try await wait(for: collector)
    }

    private static func start(_ configuration: CollectorConfiguration) async throws -> Collector {
        do throws(CollectorError) {
            return try await Collector.start(configuration) { note($0) }
        } catch {
            // A signal during the migration of the store.
            if error == .stopped { throw CancellationError() }
            throw error
        }
    }

    /// Prints what delays the start. The transaction is rolled back if the start is interrupted.
    private static func note(_ preparation: StorePreparation) {
        switch preparation {
        case .migration(let requests):
            Console.note("upgrading the store of an earlier version: \(Plural.count(requests, "request"))")
        case .judging(let requests):
            Console.note("judging the stored events by the tracking plan: \(Plural.count(requests, "request"))")
        }
    }

    /// The failure of an archive that does not hold all requests, with the place where they are.
    private func incomplete(_ archive: ArchiveStatus, _ collector: Collector) -> CommandFailure {
        let count = Plural.count(archive.behind, "request")
        let advice =
            command.store == nil
            ? "they are kept in \(collector.storePath); start collect with --store \(collector.storePath) and a writable "
                + "archive folder"
            : "they are kept in the store; start collect again on it with a writable archive folder"
        return CommandFailure(
            .inputOutput,
            "cannot archive \(count) in \(archive.folder) (\(archive.failure ?? "not written yet")); \(advice)"
        )
    }

    /// Reports once when the archive fails, and once when it is writable again.
    private static func watchArchive(of collector: Collector) async {
        var isFailing = false
        for await _ in collector.changes() {
            guard let folder = collector.configuration.archive else { return }
            let failure = collector.archiveFailure
            if let failure, !isFailing {
                Console.warn("cannot write the archive \(folder): \(failure); requests stay in the store")
            } else if failure == nil, isFailing {
                Console.note("the archive \(folder) is writable again")
            }
            isFailing = failure != nil
        }
    }

    /// Reports once that the store is gone.
    private static func watchStore(of collector: Collector) async {
        for await _ in collector.changes() {
            guard let failure = collector.storeFailure else { continue }
            return Console.fail("\(failure)")
        }
    }

    private func rest(_ kafka: KafkaStatus) -> String {
        let reason = kafka.failure.map { " (\($0))" } ?? ""
        return reason
            + (command.store == nil ? "; they are lost" : "; start collect again on this store to deliver them")
    }

    // MARK: Waiting

    private func wait(for collector: Collector) async throws -> Ending {
        let watch = Task { await Self.watchArchive(of: collector) }
        let storeWatch = Task { await Self.watchStore(of: collector) }
        defer {
            watch.cancel()
            storeWatch.cancel()
        }
        return try await withThrowingTaskGroup(of: Ending.self) { group in
            group.addTask {
                for await _ in collector.changes() {
                    guard let wanted = command.once else { continue }
                    if try await Self.summary(of: collector).received >= wanted { return .enough }
                }
                return .stopped
            }
            if let timeout = command.timeout {
                group.addTask {
                    // Cancelled by a signal.
                    do { try await SystemDependencies.time.sleep(milliseconds: timeout.milliseconds) } catch {
                        return .stopped
                    }
                    return .timeOver
                }
            }
            if format == .human, command.command.isEmpty {
                group.addTask { await showArrivals(at: collector) }
            }
            if !command.command.isEmpty {
                group.addTask { .command(try await ChildProcess.run(command.command, collector: collector)) }
            }
            let ending = try await group.next() ?? .stopped
            group.cancelAll()
            return ending
        }
    }

    /// Prints each event as it is stored, until the task is cancelled.
    private func showArrivals(at collector: Collector) async -> Ending {
        let line = TailLine(format: .human, style: Style(isColoured: Console.usesColour), width: Console.columns)
        do {
            guard let address = CollectorAddress(collector.baseURL) else { return .stopped }
            let reader = CollectorReader(source: .collector(address), query: EventQuery())
            // Events of an earlier run on the same store are not repeated.
            let position = try await reader.stored(last: 0) { _ in }
            try await reader.follow(from: position) { update in
                guard case .event(let event) = update else { return true }
                for line in line.lines(of: event) { try Console.print(line) }
                return true
            }
        } catch is CancellationError {
            return .stopped
        } catch {
            Console.warn("events are stored, but no longer shown: \((error as? CommandFailure)?.message ?? "\(error)")")
        }
        // Only the display has ended. Cancellation ends the sleep.
        try? await SystemDependencies.time.sleep(milliseconds: 31_536_000_000)
        return .stopped
    }

    private static func summary(of collector: Collector) async throws -> CollectSummary {
        // After a stop by signal the summary is still printed.
        try await Task.detached { try await CollectSummary(of: collector) }.value
    }

    /// Report on `--event`, `--no-errors`, `--no-duplicates`, `--plan` and `--require-coverage`; `nil` without any of them.
    private func report(
        on collector: Collector,
        _ summary: CollectSummary,
        until deadline: StopDeadline
    ) async throws -> ExpectationReport? {
        var wanted = Expectations(
            try command.expected.expectations(),
            allowsErrors: !command.noErrors,
            allowsDuplicates: !command.expected.noDuplicates,
            isStrict: command.expected.strict.isOn
        )
        guard !wanted.isEmpty || plan != nil else { return nil }
        wanted.coverage = command.expected.coverage(of: plan)
        // After a stop by signal the summary is still printed.
        return try await Task.detached { [wanted] in
            async let comparison = collector.planComparison(within: deadline.remaining)
            var expectations = wanted
            expectations.take(duplicates: summary.duplicates, unreadableRequests: summary.badRequests)
            var isComplete = try await Self.take(storedIn: collector, until: deadline, into: &expectations)
            if let comparison = await comparison {
                expectations.take(comparison.coverage, isComplete: comparison.isComplete)
                isComplete = isComplete && comparison.isComplete
            }
            return ExpectationReport(expectations: expectations, waited: 0, isComplete: isComplete)
        }.value
    }

    /// Counts the stored events; only bad ones if no expectation is about others.
    /// - Returns: false if the deadline came first.
    private static func take(
        storedIn collector: Collector,
        until deadline: StopDeadline,
        into expectations: inout Expectations
    ) async throws -> Bool {
        if expectations.outcomes.isEmpty, expectations.allowsErrors { return true }
        let status: CollectedStatus? = expectations.outcomes.isEmpty && !expectations.isStrict ? .bad : nil
        var captured = CapturedFilter(status: status, limit: 1_000)
        captured.forms = CapturedFormat.captured
        repeat {
            if deadline.hasPassed { return false }
            let page = try await collector.captured(captured)
            for event in page.events {
                if deadline.hasPassed { return false }
                let isCompared = expectations.compares(event.name, event.form)
                expectations.take(try ReceivedEvent(event, withContent: isCompared))
            }
            captured.cursor = page.next
        } while captured.cursor != nil
        var filter = EventFilter(status: status, limit: 1_000)
        repeat {
            if deadline.hasPassed { return false }
            let page = try await collector.events(filter)
            for event in page.events {
                if deadline.hasPassed { return false }
                expectations.take(try ReceivedEvent(event))
            }
            filter.cursor = page.next
        } while filter.cursor != nil
        return true
    }

    private func status(
        of ending: Ending,
        _ summary: CollectSummary,
        _ report: ExpectationReport?,
        endpoint: String
    ) -> Int32 {
        if let report, report.status != .unfinished {
            for line in report.human(in: Style(isColoured: false)) { Console.log(line) }
        }
        switch ending {
        case .command(let status) where status != 0:
            return status
        case .timeOver where command.once != nil || !command.command.isEmpty:
            let time = Plural.time(command.timeout?.milliseconds ?? 0)
            let received = summary.received
            let share = received == 0 ? "no events" : "only \(received) of \(Plural.events(command.once ?? 0))"
            Console.fail(
                command.once == nil
                    ? "the command did not end within \(time) and was stopped; use a longer --timeout"
                    : "\(share) received within \(time); check that the app sends to \(endpoint), or use a longer --timeout"
            )
            return ExitStatus.deadline.rawValue
        case .enough, .timeOver, .stopped, .command:
            break
        }
        guard let report, !report.holds else { return ExitStatus.done.rawValue }
        let advice = command.store == nil ? ", and use --store FILE to keep the events" : ""
        if report.status == .unfinished {
            if let coverage = report.expectations.coverage, coverage.isUndecided { Console.fail(coverage.text) }
            Console.fail(
                "the expectations were checked for only a part of the events: the stop has "
                    + "\(Plural.time(StopDeadline.milliseconds)) for them; receive fewer events\(advice)"
            )
        } else {
            Console.fail("\(report.failure); see above\(advice)")
        }
        return report.status.rawValue
    }

    // MARK: Output

    private struct Announcement: Encodable {
        var url: String
        var endpoint: String
        var port: Int
        var store: String?
        /// Endpoint for other devices, if the collector is reachable for them.
        var network: String?
    }

    private func announce(_ collector: Collector) throws {
        switch format {
        case .human:
            try Console.print("Endpoint:  \(collector.endpoint)")
            if let address = LocalNetwork.endpoint(of: collector, host: command.host) {
                try Console.print("Network:   \(address) (for other devices)")
            }
            try Console.print("Inspector: \(collector.baseURL)/")
            try Console.print("Query API: \(collector.baseURL)/api/summary and others; see Docs/collector.md")
            try Console.print(
                "Store:     \(command.store ?? "temporary, removed at the end; use --store FILE to keep it")"
            )
        case .json, .ndjson:
            try Self.printJSON(
                Announcement(
                    url: collector.baseURL,
                    endpoint: collector.endpoint,
                    port: collector.port,
                    store: command.store,
                    network: LocalNetwork.endpoint(of: collector, host: command.host)
                )
            )
        }
    }

    private func printSummary(_ summary: CollectSummary) throws {
        switch format {
        case .human:
            for line in summary.lines { try Console.print(line) }
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
