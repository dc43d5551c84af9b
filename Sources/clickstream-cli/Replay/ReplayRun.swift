#if Tools
import ClickstreamAnalytics
import ClickstreamCollector
import ClickstreamCore
import ClickstreamSimulation
import Foundation
import Synchronization

/// One call of `replay`: reads all scripts, plays them, and prints what came of it.
struct ReplayRun: Sendable {
    /// How long the end of a replay waits for a server that does not take the events, in milliseconds.
    private static let patience: Int64 = 10_000

    private let command: ReplayCommand
    private let format: OutputFormat
    private let explanations: Explanations?

    init(_ command: ReplayCommand) {
        self.command = command
        let format = command.format ?? (Console.isTerminal ? .human : .json)
        self.format = format
        let isReport = !command.dryRun && command.endpoint == nil && format != .ndjson
        explanations = command.explain ? Explanations(say: isReport ? nil : Self.say) : nil
    }

    /// Says a decision on standard error, after the events before it and before those that come of it.
    @Sendable
    private static func say(_ decision: Explanations.Decision) throws {
        try ResultStream.standard.flush()
        Console.say(decision.text)
    }

    func run() async throws {
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

    /// Reads all scripts whole and says what is wrong with each of them; nothing runs before all are in order.
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
            for problem in error.problems { Console.say(problem.rendered(file: name)) }
            throw CommandFailure(.badData, "")
        }
    }

    // MARK: The three ways to play

    private func dryRun(_ scripts: [Script]) async throws {
        let golden = try command.expect.map { try GoldenFile($0, isWritten: command.update) }
        let output = ResultStream.standard
        do {
            try await play(scripts, transport: nil, endpoint: nil) { line in
                golden?.add(line)
                try output.write(line: line)
            }
        } catch {
            // What was recorded is printed however the replay ends; why it ended is what the caller is told.
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
        let collector: Collector
        do {
            collector = try await Collector.start()
        } catch {
            throw CommandFailure(error)
        }
        do {
            let transport = URLSessionTransport.withoutProxy()
            let result = try await play(scripts, transport: transport, endpoint: collector.endpoint) { golden?.add($0) }
            var report = try await ReplayReport(of: collector, recorded: result.recorded)
            report.decisions = explanations?.decisions
            try print(report)
        } catch let error as CollectorError {
            await collector.stop()
            throw CommandFailure(error)
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

    /// What all scripts together came to.
    private struct Result: Sendable {
        var recorded = 0
        var delivered = 0
    }

    /// Plays every script for every user.
    /// - Parameter receive: is given each recorded event's line, in order.
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
                let tally = Tally(explanations: explanations, receive: receive)
                let start =
                    transport == nil
                    ? Timestamp(CivilTime(year: 2024, month: 1, day: 1))
                    : SystemTime().now().wall + -script.wallSpan
                var setup = Replayer.Setup(
                    host: host,
                    files: place.files,
                    storage: place.folder,
                    transport: transport,
                    deliveryTime: SystemTime(),
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
                    failure.message += ". \(runsLeft) more of \(runs) runs were not played"
                    throw failure
                }
                result.recorded += tally.recorded
                result.delivered += tally.delivered
            }
        }
        return result
    }

    /// Plays one script for one user, and hands over what it recorded.
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
            // What is meant for somebody else's server is not thrown away because a person lost patience.
            let isKept = command.endpoint != nil && tally.recorded > tally.delivered
            if isKept {
                Console.say(Self.account(of: tally.recorded - tally.delivered, tally, path: path, in: place))
            } else {
                place.removeIfTemporary()
            }
            if let error = error as? StoreError { throw CommandFailure(error) }
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
                "\(tally.setAside) of \(tally.recorded) events of \(path) are set aside, which the server will not take: "
                    + "\(reason). They are kept in \(place.folder): 'clickstream-cli queue dead show --storage \(place.folder)', "
                    + "with the script's appId as --app-id, tells more"
            )
        }
        place.removeIfTemporary()
        if let failure = tally.failure { throw failure }
    }

    /// Scripts that are played one after the other with the same seed give their events the same ids, and a server takes
    /// events with the same id and time for one.
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
                "\(owner) and \(path) have the same seed, \(seed), and so the same ids: where their times agree "
                    + "too, a server takes their events for duplicates; give one of them another 'seed:'"
            )
        }
    }

    /// What was not delivered, where it is, and how it gets to a server.
    private static func account(
        of retained: Int,
        _ tally: Tally,
        path: String,
        in place: StorePlace,
        reason: Remainder.Reason? = nil
    ) -> String {
        // What earlier replays left there is among them.
        (retained > tally.recorded
            ? "\(retained) events, \(tally.recorded) of them of \(path), are not delivered"
            : "\(retained) of \(tally.recorded) events of \(path) are not delivered") + (reason.map { ": \($0)" } ?? "")
            + ". They are kept in \(place.folder): the next replay of a script with the same appId, with "
            + "--storage \(place.folder) and --endpoint URL, sends them first"
    }
}

/// Counts what the library says while a script is played, and passes the lines on.
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
    private let explanations: Explanations?
    private let receive: @Sendable ([UInt8]) throws -> Void

    init(explanations: Explanations?, receive: @escaping @Sendable ([UInt8]) throws -> Void) {
        self.explanations = explanations
        self.receive = receive
    }

    var recorded: Int { counts.withLock { $0.recorded } }
    var delivered: Int { counts.withLock { $0.delivered } }
    var setAside: Int { counts.withLock { $0.setAside } }
    /// `nil` when nothing was set aside.
    var reasonForSettingAside: String? { counts.withLock { $0.reasonForSettingAside } }

    /// What was removed unsent, and why; `nil` when nothing was.
    var eviction: String? {
        counts.withLock { counts in
            guard counts.evicted > 0 else { return nil }
            return "\(counts.evicted) of \(counts.recorded) events are removed unsent: \(counts.reasonForEviction)"
        }
    }

    /// Why the replay cannot count as done.
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
        case .recorded, .warning, .rejected, .sessionDecided, .retained, .deliveryRefused:
            // The library says by itself what a person should know.
            break
        }
    }
}
#endif
