#if Tools
import ClickstreamAnalytics
import ClickstreamCollector
import ClickstreamCore
import ClickstreamSimulation
import Foundation
import Synchronization

/// One call of `replay`: reads all scripts, plays them, and prints the outcome.
struct ReplayRun: Sendable {
    /// Longest wait at the end of a replay for a server that does not accept the events, in milliseconds.
    private static let patience: Int64 = 10_000

    private let command: ReplayCommand
    private let format: OutputFormat
    private let explanations: Explanations?
    private let warnings = WarningLog()

    init(_ command: ReplayCommand) {
        self.command = command
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

    func run() async throws {
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
        let most = ScriptReader.maxBytes + 1
        let bytes = try InputFile.bytes(of: path, most: most, folderAdvice: "name a script in it")
        let name = InputFile.name(of: path)
        do throws(ScriptError) {
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
            try await play(scripts, transport: nil, endpoint: nil) { line in
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
        let result = try await play(scripts, transport: URLSessionTransport(), endpoint: endpoint) { golden?.add($0) }
        let report = DeliveryReport(endpoint: endpoint, recorded: result.recorded, delivered: result.delivered)
        switch format {
        case .human: try Console.print(report.human)
        case .ndjson, .json: try Console.print(report.json)
        }
        try golden?.finish()
    }

    private func collect(_ scripts: [Script]) async throws {
        let golden = try command.expect.map { try GoldenFile($0, isWritten: command.update) }
        let collector = try await Collector.start()
        do {
            let transport = URLSessionTransport.withoutProxy()
            let result = try await play(scripts, transport: transport, endpoint: collector.endpoint) { golden?.add($0) }
            var report = try await ReplayReport(of: collector, recorded: result.recorded)
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
        var delivered = 0
    }

    /// Plays every script for every user.
    /// - Parameter receive: called with each recorded event's line, in order.
    @discardableResult
    private func play(
        _ scripts: [Script],
        transport: (any Transport)?,
        endpoint: String?,
        receive: @escaping @Sendable ([UInt8]) throws -> Void
    ) async throws -> Result {
        if transport != nil { warnOfSharedSeeds(scripts) }
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
                let place = try StorePlace(command: command, user: user, isOnDisk: transport != nil)
                let tally = Tally(explanations: explanations, warnings: warnings, receive: receive)
                let start =
                    transport == nil
                    ? Timestamp(CivilTime(year: 2024, month: 1, day: 1))
                    : SystemDependencies.time.now().wall + -script.wallSpan
                var setup = Replayer.Setup(
                    host: host,
                    files: place.files,
                    storage: place.folder,
                    transport: transport,
                    deliveryTime: SystemDependencies.time,
                    endpoint: endpoint,
                    start: start,
                    seed: SeededIDs.seed((command.seed ?? script.seed) &+ UInt64(user), round: place.earlierReplays),
                    speed: command.speed.factor,
                    observe: { tally.take($0) }
                )
                if let progress { setup.advanced = { progress.advance(by: $0) } }
                runsLeft -= 1
                do {
                    try await play(script, path: path, setup, tally, in: place)
                } catch var failure as CommandFailure where runsLeft > 0 && !failure.message.isEmpty {
                    failure.message += ". \(runsLeft) of \(Plural.count(runs, "run")) not played"
                    throw failure
                }
                result.recorded += tally.recorded
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
        _ tally: Tally,
        in place: StorePlace
    ) async throws {
        var replayer = Replayer(script, setup: setup)
        let remainder: Remainder
        do {
            try await replayer.run()
            remainder = try await replayer.finish(patience: Self.patience)
            try Task.checkCancellation()
        } catch {
            replayer.end()
            // Events for another server are kept when the replay is interrupted.
            let isKept = command.endpoint != nil && tally.recorded > tally.delivered
            if isKept {
                Console.log(Self.account(of: tally.recorded - tally.delivered, tally, path: path, in: place))
            } else {
                place.removeIfTemporary()
            }
            throw error
        }
        replayer.end()
        if let eviction = tally.eviction { Console.warn("\(path): \(eviction)") }
        guard remainder.isEmpty else {
            let account = Self.account(of: remainder.events, tally, path: path, in: place, reason: remainder.reason)
            throw CommandFailure(.temporaryFailure, account)
        }
        if let reason = tally.reasonForSettingAside {
            throw CommandFailure(
                .temporaryFailure,
                "the server rejected \(tally.setAside) of \(tally.recorded) events of \(path) permanently: \(reason). They are "
                    + "kept in \(place.folder); to see them: 'clickstream-cli queue dead show --storage \(place.folder)' with "
                    + "the script's appId as --app-id"
            )
        }
        place.removeIfTemporary()
        if let failure = tally.failure { throw failure }
    }

    /// Scripts played with the same seed would record events with the same ids, and a server treats events with the
    /// same id and time as duplicates.
    private func warnOfSharedSeeds(_ scripts: [Script]) {
        guard command.storage == nil, scripts.count > 1 else { return }
        var owners: [UInt64: String] = [:]
        for (script, path) in zip(scripts, command.scripts) {
            let seed = command.seed ?? script.seed
            guard let owner = owners[seed] else {
                owners[seed] = path
                continue
            }
            Console.warn(
                "\(owner) and \(path) have the same seed (\(seed)): their events have the same ids, and count as duplicates "
                    + "where their times are the same too; change 'seed:' in one of them"
            )
        }
    }

    /// Message on undelivered events: number, place, and how to send them.
    private static func account(
        of retained: Int,
        _ tally: Tally,
        path: String,
        in place: StorePlace,
        reason: Remainder.Reason? = nil
    ) -> String {
        // Includes events of earlier replays.
        (retained > tally.recorded
            ? "\(Plural.events(retained)), \(tally.recorded) of them of \(path), not delivered"
            : "\(retained) of \(Plural.events(tally.recorded)) of \(path) not delivered")
            + (reason.map { ": \($0)" } ?? "")
            + "; kept in \(place.folder): the next replay of a script with the same appId, with "
            + "--storage \(place.folder) and --endpoint URL, sends them first"
    }
}

/// Counts the notices of the library while a script is played, and passes the lines on.
private final class Tally: Sendable {
    private struct Counts: Sendable {
        var recorded = 0
        var delivered = 0
        var unstored = 0
        var setAside = 0
        var reason = ""
        var reasonForSettingAside: String?
        var evicted = 0
        var reasonForEviction = ""
        var writing: CommandFailure?
    }

    private let counts = Mutex(Counts())
    private let warnings: WarningLog
    private let explanations: Explanations?
    private let receive: @Sendable ([UInt8]) throws -> Void

    init(explanations: Explanations?, warnings: WarningLog, receive: @escaping @Sendable ([UInt8]) throws -> Void) {
        self.explanations = explanations
        self.warnings = warnings
        self.receive = receive
    }

    var recorded: Int { counts.withLock { $0.recorded } }
    var delivered: Int { counts.withLock { $0.delivered } }
    var setAside: Int { counts.withLock { $0.setAside } }
    /// `nil` if no event was set aside.
    var reasonForSettingAside: String? { counts.withLock { $0.reasonForSettingAside } }

    /// Message on events removed unsent; `nil` if there are none.
    var eviction: String? {
        counts.withLock { counts in
            guard counts.evicted > 0 else { return nil }
            return "removed \(counts.evicted) of \(Plural.events(counts.recorded)) unsent: \(counts.reasonForEviction)"
        }
    }

    /// Failure of the replay in spite of a complete flush.
    var failure: CommandFailure? {
        counts.withLock { counts in
            if let writing = counts.writing { return writing }
            guard counts.unstored > 0 else { return nil }
            return CommandFailure(
                .inputOutput,
                "\(counts.unstored) of \(counts.recorded + counts.unstored) events could not be stored: \(counts.reason)"
            )
        }
    }

    func take(_ notice: Notice) {
        do {
            try explanations?.take(notice)
            if case .recorded(_, _, let line, _) = notice {
                counts.withLock { $0.recorded += 1 }
                try receive(line)
            }
        } catch {
            counts.withLock { $0.writing = error as? CommandFailure ?? CommandFailure(.inputOutput, "\(error)") }
        }
        switch notice {
        case .unstored(_, _, let reason):
            counts.withLock { counts in
                counts.unstored += 1
                counts.reason = reason
            }
        case .uploaded(let events, _, _):
            counts.withLock { $0.delivered += events }
        case .setAside(let events, let reason):
            counts.withLock { counts in
                counts.setAside += events
                counts.reasonForSettingAside = reason
            }
        case .evicted(let events, let reason):
            counts.withLock { counts in
                counts.evicted += events
                counts.reasonForEviction = reason
            }
        case .recorded(_, _, _, let violations), .rejected(let violations):
            warnings.add(violations)
        case .warning(let text):
            warnings.add(text)
        case .deliveryRefused:
            warnings.add(notice.description)
        case .captured, .sessionDecided, .retained:
            break
        }
    }
}
#endif
