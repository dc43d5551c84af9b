import ClickstreamAnalytics
import ClickstreamCollector
import ClickstreamCore
import ClickstreamDocuments
import ClickstreamJudges
import ClickstreamPlan
import ClickstreamReplay
import ClickstreamSimulation
import Foundation

/// One call of `replay`: reads all scripts, plays them, and prints the outcome.
struct ReplayRun: Sendable {
    /// Longest wait at the end of a replay for a server that does not accept the events, in milliseconds.
    private static let timeout: Int64 = 10_000

    private let command: ReplayCommand
    private let format: OutputFormat
    private let explanations: Explanations?
    private let warnings = WarningLog()
    private let plan: TrackingPlan?
    private let planFindings: PlanFindingLog?

    init(_ command: ReplayCommand) throws {
        self.command = command
        plan = try command.plan.read()
        planFindings = plan.map { PlanFindingLog(PlanJudge($0), isStrict: command.strict.isOn) }
        let format = command.format.inUse
        self.format = format
        let isReport = !command.dryRun && command.endpoint == nil && format != .ndjson
        explanations = command.explain ? Explanations(report: isReport ? nil : Self.report) : nil
    }

    /// Prints a decision to standard error, between the events before and after it.
    @Sendable
    private static func report(_ decision: Explanations.Decision) throws {
        try ResultStream.standard.flush()
        Console.log(decision.text)
    }

    /// - Returns: the status 1 if an event has an error by the plan.
    func run() async throws -> ExitStatus {
        Diagnostics.leaveToObserver()
        defer { warnings.printTotal() }
        let scripts = try Self.read(command.scripts)
        if command.dryRun {
            try await dryRun(scripts)
        } else if let endpoint = command.endpoint {
            try await send(scripts, to: endpoint)
        } else {
            try await collect(scripts)
        }
        return planFindings?.report() ?? .done
    }

    // MARK: Reading

    /// Reads all scripts and prints the problems of each; nothing runs before all are valid.
    private static func read(_ paths: [String]) throws -> [Script] {
        var failure: CommandFailure?
        let scripts = try paths.compactMap { path -> Script? in
            do {
                return try read(path)
            } catch let error as CommandFailure {
                if !error.message.isEmpty { Console.fail("\(error.message)") }
                failure = failure ?? CommandFailure(error.status, "")
                return nil
            }
        }
        if let failure { throw failure }
        return scripts
    }

    private static func read(_ path: String) throws -> Script {
        let maxBytes = DocumentTree.maxBytes + 1
        let bytes = try InputFile.bytes(of: path, maxBytes: maxBytes, folderAdvice: "name a script in it")
        let name = InputFile.name(of: path)
        do throws(DocumentError) {
            return try ScriptReader.read(bytes, file: name)
        } catch {
            for problem in error.problems { Console.log(problem.rendered(file: name)) }
            throw CommandFailure(.badData, "")
        }
    }

    // MARK: Modes

    private func dryRun(_ scripts: [Script]) async throws {
        let golden = try command.expect.map { try GoldenFile($0, isWritten: command.update) }
        let output = ResultStream.standard
        do {
            try await play(scripts, to: .printing(command.form ?? .clickstream, batches: command.batches)) { line in
                golden?.add(line)
                try output.write(line: line)
            }
        } catch {
            // Recorded events are printed in any case; the error is reported by the caller.
            try? output.flush()
            throw error
        }
        try output.flush()
        try golden?.finish()
    }

    private func send(_ scripts: [Script], to endpoint: String) async throws {
        let golden = try command.expect.map { try GoldenFile($0, isWritten: command.update) }
        let target = Target(transport: LinuxTransport(), endpoint: endpoint)
        let result = try await play(scripts, to: target) { golden?.add($0) }
        let report = DeliveryReport(
            endpoint: endpoint,
            recorded: result.stored,
            captured: result.captured,
            delivered: result.delivered
        )
        switch format {
        case .human: try Console.print(report.human)
        case .ndjson, .json: try Console.print(report.json)
        }
        try golden?.finish()
    }

    private func collect(_ scripts: [Script]) async throws {
        let golden = try command.expect.map { try GoldenFile($0, isWritten: command.update) }
        let collector = try await EmbeddedCollector.start(plan: plan)
        do {
            var target = Target(transport: SocketTransport(), endpoint: collector.endpoint)
            target.formats = .configured { [url = collector.baseURL] in "\(url)/\($0.rawValue)" }
            let result = try await play(scripts, to: target) { golden?.add($0) }
            var report = try await collector.report(recorded: result.recorded, captured: result.captured)
            report.decisions = explanations?.decisions
            try print(report)
        } catch {
            await collector.stop()
            throw error
        }
        await collector.stop()
        try golden?.finish()
    }

    private func print(_ report: ReplayReport) throws {
        switch format {
        case .human:
            try Console.print(report.human(in: Style(isColoured: Console.usesColour)))
        case .ndjson:
            for event in report.events { try ResultStream.standard.write(line: Array(event.json.utf8)) }
            try ResultStream.standard.flush()
        case .json:
            try Console.print(report.json)
        }
    }

    // MARK: Playing

    /// Totals of all scripts.
    private struct Result: Sendable {
        var recorded = 0
        /// Events in other formats.
        var captured: [FormatName: Int] = [:]
        var delivered = 0

        /// The number of events in all formats.
        var stored: Int { captured.values.reduce(recorded, +) }
    }

    /// Destination of the events.
    private struct Target: Sendable {
        /// `nil` to send nothing.
        var transport: (any ClickstreamClient.Transport)?
        var endpoint: String?
        var formats = Replayer.CaptureFormats.withEndpoint
        var lines = ReplayTally.Lines.events(.clickstream)
        var capturesAlways = false
        /// The format of printed request bodies, if any.
        var batches: CapturedFormat?

        func apply(to setup: inout Replayer.Setup) {
            setup.formats = formats
            setup.capturesAlways = capturesAlways
            setup.deliversOnScriptTime = batches != nil
            setup.isUncompressed = batches != nil
        }

        /// Standard output.
        static func printing(_ form: CapturedFormat, batches: Bool) -> Target {
            var target = Target()
            target.capturesAlways = form != .clickstream
            target.formats = .all { name in
                name == form.name || CapturedFormat(rawValue: name.rawValue)?.drawsIDs == true ? "" : nil
            }
            target.lines = .events(form)
            guard batches else { return target }
            target.batches = form
            target.lines = .others
            target.endpoint = BatchTransport.endpoint(.clickstream)
            target.formats = .all { BatchTransport.endpoint($0) }
            return target
        }
    }

    /// Plays every script for every user.
    /// - Parameter receive: called with each line of the output, in order.
    @discardableResult
    private func play(
        _ scripts: [Script],
        to destination: Target,
        receive: @escaping @Sendable ([UInt8]) throws -> Void
    ) async throws -> Result {
        let isSending = destination.transport != nil
        if isSending { warnOfSharedSeeds(scripts) }
        var result = Result()
        let runs = scripts.count * command.users
        var runsLeft = runs
        let progress = ReplayProgress(
            all: scripts.reduce(Script.Extent()) { $0 + $1.extent } * command.users,
            isTimed: command.speed != .max
        )
        defer { progress?.end() }
        let host = HostDevice.current()
        for (script, path) in zip(scripts, command.scripts) {
            for user in 0..<command.users {
                let location = try StoreLocation(command: command, user: user, isOnDisk: isSending)
                let tally = ReplayTally(
                    explanations: explanations,
                    warnings: warnings,
                    lines: destination.lines,
                    planFindings: planFindings,
                    pass: receive
                )
                let start =
                    isSending
                    ? SystemDependencies.time.now().wall + -script.wallSpan
                    : Timestamp(CivilTime(year: 2024, month: 1, day: 1))
                var setup = Replayer.Setup(
                    host: host,
                    files: location.files,
                    storage: location.folder,
                    transport: destination.transport
                        ?? destination.batches.map { BatchTransport(form: $0) { tally.receive($0) } },
                    deliveryTime: SystemDependencies.time,
                    endpoint: destination.endpoint,
                    start: start,
                    seed: SeededIDs.seed((command.seed ?? script.seed) &+ UInt64(user), round: location.earlierReplays),
                    speed: command.speed.factor,
                    observe: { tally.take($0) }
                )
                destination.apply(to: &setup)
                if let progress { setup.advanced = { progress.advance(by: $0) } }
                runsLeft -= 1
                do {
                    try await play(script, path: path, setup, tally, in: location)
                } catch var failure as CommandFailure where runsLeft > 0 && !failure.message.isEmpty {
                    failure.message += ". \(runsLeft) of \(Plural.count(runs, "run")) not played"
                    throw failure
                }
                result.recorded += tally.recorded
                result.captured.merge(tally.captured) { $0 + $1 }
                result.delivered += tally.delivered
            }
        }
        return result
    }

    /// Plays one script for one user, and returns the recorded events.
    private func play(
        _ script: Script,
        path: String,
        _ setup: Replayer.Setup,
        _ tally: ReplayTally,
        in location: StoreLocation
    ) async throws {
        var replayer = Replayer(script, setup: setup)
        let remainder: Remainder
        do {
            try await replayer.run()
            remainder = try await replayer.finish(timeout: Self.timeout)
            try Task.checkCancellation()
        } catch {
            replayer.end()
            // Events for another server are kept when the replay is interrupted.
            let isKept = command.endpoint != nil && tally.stored > tally.delivered
            if isKept {
                Console.log(Self.account(of: tally.stored - tally.delivered, tally, path: path, in: location))
            } else {
                location.removeIfTemporary()
            }
            throw error
        }
        replayer.end()
        if let eviction = tally.eviction { Console.warn("\(path): \(eviction)") }
        guard remainder.isEmpty else {
            let account = Self.account(of: remainder.events, tally, path: path, in: location, reason: remainder.reason)
            throw CommandFailure(.temporaryFailure, account)
        }
        if let reason = tally.reasonForSettingAside {
            throw CommandFailure(
                .temporaryFailure,
                "the server rejected \(tally.setAside) of \(tally.stored) events of \(path) permanently: \(reason). They are "
                    + "kept in \(location.folder); to see them: 'clickstream-cli queue dead show --storage \(location.folder)' with "
                    + "the script's appId as --app-id"
            )
        }
        location.removeIfTemporary()
        if let failure = tally.failure { throw failure }
    }

    /// Scripts of an app played with the same seed would record events with the same ids, and a server treats events with
    /// the same id and time as duplicates.
    private func warnOfSharedSeeds(_ scripts: [Script]) {
        guard command.storage == nil, scripts.count > 1 else { return }
        var owners: [UInt64: String] = [:]
        for (script, path) in zip(scripts, command.scripts) {
            let seed = command.seed ?? script.seed
            let key = SeededIDs.seed(seed, appID: script.appID)
            guard let owner = owners[key] else {
                owners[key] = path
                continue
            }
            Console.warn(
                "\(owner) and \(path) have the same seed (\(seed)) and app id: their events have the same ids, and count as duplicates "
                    + "where their times are the same too; change 'seed:' in one of them"
            )
        }
    }

    /// Message on undelivered events: number, place, and how to send them.
    private static func account(
        of retained: Int,
        _ tally: ReplayTally,
        path: String,
        in location: StoreLocation,
        reason: Remainder.Reason? = nil
    ) -> String {
        // Includes events of earlier replays.
        (retained > tally.stored
            ? "\(Plural.events(retained)), \(tally.stored) of them of \(path), not delivered"
            : "\(retained) of \(Plural.events(tally.stored)) of \(path) not delivered")
            + (reason.map { ": \($0)" } ?? "")
            + "; kept in \(location.folder): the next replay of a script with the same appId, with "
            + "--storage \(location.folder) and --endpoint URL, sends them first"
    }
}
