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

    init(_ command: ReplayCommand) {
        self.command = command
        format = command.format ?? (Console.isTerminal ? .human : .json)
    }

    func run() async throws {
        let scripts = try command.scripts.map(Self.read)
        if command.dryRun {
            try await dryRun(scripts)
        } else if let endpoint = command.endpoint {
            try await send(scripts, to: endpoint)
        } else {
            try await collect(scripts)
        }
    }

    /// Reads a script whole; nothing runs before all have been read.
    private static func read(_ path: String) throws -> Script {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw CommandFailure(.inputMissing, "cannot read \(path): no such file; check the name")
        }
        if isFolder.boolValue {
            throw CommandFailure(.inputMissing, "cannot read \(path): it is a folder; name a script in it")
        }
        let bytes: [UInt8]
        do {
            bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        } catch {
            throw CommandFailure(.inputMissing, "cannot read \(path): \(error.localizedDescription); check its permissions")
        }
        do {
            return try ScriptReader.read(bytes, file: path)
        } catch {
            for problem in error.problems { Console.say(problem.rendered(file: path)) }
            throw CommandFailure(.badData, "")
        }
    }

    // MARK: The three ways to play

    private func dryRun(_ scripts: [Script]) async throws {
        let golden = try command.expect.map { try GoldenFile($0, isWritten: command.update) }
        let output = ResultStream.standard
        try await play(scripts, transport: nil, endpoint: nil) { line in
            golden?.add(line)
            try output.write(line + [UInt8(ascii: "\n")])
        }
        try output.flush()
        try golden?.finish()
    }

    private func send(_ scripts: [Script], to endpoint: String) async throws {
        let golden = try command.expect.map { try GoldenFile($0, isWritten: command.update) }
        let result = try await play(scripts, transport: URLSessionTransport(), endpoint: endpoint) { golden?.add($0) }
        let report = DeliveryReport(endpoint: endpoint, recorded: result.recorded, delivered: result.delivered, flush: result.flush)
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
            let result = try await play(scripts, transport: URLSessionTransport(), endpoint: collector.endpoint) {
                golden?.add($0)
            }
            let report = try await ReplayReport(of: collector, recorded: result.recorded)
            switch format {
            case .human: try Console.print(report.human(in: Style(isColoured: Console.usesColour)))
            case .ndjson: for event in report.events { try Console.print(event.json) }
            case .json: try Console.print(report.json)
            }
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

    // MARK: Playing

    /// What all scripts together came to.
    private struct Result: Sendable {
        var recorded = 0
        var delivered = 0
        var flush = FlushReport()
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
        var result = Result()
        let host = HostDevice.current()
        for (script, path) in zip(scripts, command.scripts) {
            for user in 0..<command.users {
                let place = StorePlace(command: command, user: user, isOnDisk: transport != nil)
                let tally = Tally(receive: receive)
                let seed = (command.seed ?? script.seed) &+ UInt64(user)
                var replayer = Replayer(
                    script,
                    setup: Replayer.Setup(
                        host: host,
                        files: place.files,
                        storage: place.folder,
                        transport: transport,
                        deliveryTime: SystemTime(),
                        endpoint: endpoint,
                        start: transport == nil
                            ? Timestamp(CivilTime(year: 2024, month: 1, day: 1))
                            : SystemTime().now().wall + -script.wallSpan,
                        seed: seed,
                        speed: command.speed.factor,
                        observe: { tally.take($0) }
                    )
                )
                let flush: FlushReport
                do {
                    try await replayer.run()
                    flush = try await replayer.finish(deadline: Self.patience)
                } catch {
                    replayer.end()
                    place.removeIfTemporary()
                    throw CommandFailure(error)
                }
                replayer.end()
                result.recorded += tally.recorded
                result.delivered += tally.delivered
                result.flush.retained += flush.retained
                result.flush.attempts += flush.attempts
                result.flush.lastError = flush.lastError ?? result.flush.lastError
                if flush.retained > 0 {
                    throw CommandFailure(
                        Task.isCancelled ? .interrupted : .temporaryFailure,
                        "\(flush.retained) of \(tally.recorded) events of \(path) are not delivered: "
                            + "\(flush.lastError ?? "no reason known"). They are kept in \(place.folder): replay any script "
                            + "with --storage \(place.folder) and the same endpoint to send them"
                    )
                }
                place.removeIfTemporary()
                if let failure = tally.failure { throw failure }
                try Task.checkCancellation()
            }
        }
        return result
    }
}

/// Counts what the library says while a script is played, and passes the lines on.
private final class Tally: Sendable {
    private struct Counts: Sendable {
        var recorded = 0
        var delivered = 0
        var unstored = 0
        var reason = ""
        var writing: CommandFailure?
        var warnings: Set<String> = []
    }

    private let counts = Mutex(Counts())
    private let receive: @Sendable ([UInt8]) throws -> Void

    init(receive: @escaping @Sendable ([UInt8]) throws -> Void) {
        self.receive = receive
    }

    var recorded: Int { counts.withLock { $0.recorded } }
    var delivered: Int { counts.withLock { $0.delivered } }

    /// Why the replay cannot count as done.
    var failure: CommandFailure? {
        counts.withLock { counts in
            if let writing = counts.writing { return writing }
            guard counts.unstored > 0 else { return nil }
            return CommandFailure(
                .inputOutput,
                "\(counts.unstored) events could not be stored: \(counts.reason); make room, or choose another --storage"
            )
        }
    }

    func take(_ notice: Notice) {
        switch notice {
        case .recorded(_, _, let line, _):
            counts.withLock { $0.recorded += 1 }
            do {
                try receive(line)
            } catch {
                counts.withLock { $0.writing = error as? CommandFailure ?? CommandFailure(.inputOutput, "\(error)") }
            }
        case .unstored(_, _, let reason):
            counts.withLock { counts in
                counts.unstored += 1
                counts.reason = reason
            }
        case .uploaded(let events, _, _):
            counts.withLock { $0.delivered += events }
        case .warning(let text):
            if counts.withLock({ $0.warnings.insert(text).inserted }) { Console.say("warning: \(text)") }
        case .rejected, .sessionDecided, .retained, .setAside, .evicted:
            break
        }
    }
}

/// Where one replay keeps its store.
private struct StorePlace: Sendable {
    let files: any FileSystem
    let folder: String
    private let isTemporary: Bool

    init(command: ReplayCommand, user: Int, isOnDisk: Bool) {
        if let storage = command.storage {
            files = LocalFileSystem()
            folder = command.users == 1 ? storage : "\(storage)/user-\(user)"
            isTemporary = false
        } else if isOnDisk {
            files = LocalFileSystem()
            folder = FileManager.default.temporaryDirectory.path + "/clickstream-replay-\(UUID().uuidString)"
            isTemporary = true
        } else {
            files = MemoryFileSystem()
            folder = "/replay"
            isTemporary = false
        }
    }

    func removeIfTemporary() {
        guard isTemporary, FileManager.default.fileExists(atPath: folder) else { return }
        do {
            try FileManager.default.removeItem(atPath: folder)
        } catch {
            Console.say("warning: cannot remove \(folder): \(error.localizedDescription)")
        }
    }
}
#endif
