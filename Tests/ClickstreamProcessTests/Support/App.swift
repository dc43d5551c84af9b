#if Collector && os(Linux)
import ClickstreamCollector
import ClickstreamCore
import Foundation
import TestSupport
import Testing

/// A store, a collector, and an app that is a process of its own.
struct App: Sendable {
    let storage: String
    let collector: Collector

    /// Gives `body` a fresh folder and a collector, and removes both afterwards. Waits for a slot.
    static func use(_ body: (App) async throws -> Void) async throws {
        try await RealTimeSlot.use { try await useNow(body) }
    }

    private static func useNow(_ body: (App) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "clickstream-app-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let collector = try await Collector.start()
        let result: Result<Void, any Error>
        do {
            result = .success(try await body(App(storage: folder.path, collector: collector)))
        } catch {
            result = .failure(error)
        }
        await collector.stop()
        try FileManager.default.removeItem(at: folder)
        try result.get()
    }

    /// How a process ended.
    struct End: Sendable, Equatable {
        /// The signal that it died of; 0 for none.
        var signal: Int32
        var status: Int32
        var output: String
    }

    /// Runs the app to its end.
    func run(
        _ ending: String,
        earlierHandler: String? = nil,
        endpoint: String? = nil,
        redirection: String? = nil
    ) async throws -> End {
        try await start(ending, earlierHandler: earlierHandler, endpoint: endpoint, redirection: redirection).end()
    }

    /// - Parameters:
    ///   - earlierHandler: kind of the handler that the app installs before the SDK; `nil` for none.
    ///   - zone: the variable `TZ`; `nil` for that of the test.
    ///   - redirection: of the standard streams, as a shell has it, such as `2>&-`; `nil` for a standard error that goes
    ///     nowhere.
    func start(
        _ ending: String,
        earlierHandler: String? = nil,
        zone: String? = nil,
        endpoint: String? = nil,
        redirection: String? = nil
    ) throws -> RunningApp {
        var environment = ProcessInfo.processInfo.environment
        environment["TZ"] = zone ?? environment["TZ"]
        environment["CRASH_FIXTURE_EARLIER"] = earlierHandler
        environment["SWIFT_BACKTRACE"] = "enable=no"
        return try RunningApp([storage, endpoint ?? collector.endpoint, ending], environment, redirection)
    }

    /// The next launch: sends everything. Gives what the collector then holds, in the order of arrival. Launches go on with a
    /// delivery that takes longer than the fixture waits.
    func deliver() async throws -> [JSONValue] {
        var end = try await run("deliver")
        while end.signal == 0, !end.output.contains("retained 0"), !end.output.hasPrefix("sent 0,") {
            end = try await run("deliver")
        }
        #expect(end.signal == 0 && end.status == 0)
        #expect(end.output.contains("retained 0"), "\(end.output)")
        return try await events()
    }

    func events() async throws -> [JSONValue] {
        try await collector.events(EventFilter(limit: 1_000)).events.map { try JSONReader.parse(Array($0.json.utf8)) }
    }

    /// The files of the store, without the folder's path.
    var files: [String] {
        (FileManager.default.subpaths(atPath: storage + "/shop") ?? []).sorted()
    }
}

/// The app while it runs.
final class RunningApp: Sendable {
    private let process: Process
    private let output = Pipe()
    private let input = Pipe()
    private let ended: AsyncStream<Void>

    init(_ arguments: [String], _ environment: [String: String], _ redirection: String?) throws {
        let process = Process()
        process.executableURL = Self.executable
        process.arguments = arguments
        if let redirection {
            process.executableURL = URL(filePath: "/bin/sh")
            process.arguments = ["-c", "exec \"$0\" \"$@\" \(redirection)", Self.executable.path] + arguments
        }
        process.environment = environment
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        let (ended, end) = AsyncStream<Void>.makeStream()
        process.terminationHandler = { _ in end.finish() }
        self.process = process
        self.ended = ended
        try process.run()
    }

    func send(_ signal: Int32) {
        kill(process.processIdentifier, signal)
    }

    /// Waits for the app's first line.
    func line() throws -> String {
        String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    }

    /// Lets an app that waits go on, and moves the clocks of `wait-later` ahead.
    func goOn(later milliseconds: Int64 = 0) throws {
        try input.fileHandleForWriting.write(contentsOf: Data("\(milliseconds)\n".utf8))
    }

    /// Waits for the app's end, and kills an app that has not ended after two minutes.
    func end() async throws -> App.End {
        let identifier = process.processIdentifier
        let deadline = Task {
            try await Task.sleep(for: .seconds(120))
            kill(identifier, SIGKILL)
        }
        for await _ in ended {}
        deadline.cancel()
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        let isSignal = process.terminationReason == .uncaughtSignal
        return App.End(
            signal: isSignal ? process.terminationStatus : 0,
            status: isSignal ? 0 : process.terminationStatus,
            output: text
        )
    }

    /// Program built with the test, found by walking up from the test's own executable.
    private static let executable: URL = {
        let bundles = CommandLine.arguments.dropFirst().filter { $0.hasSuffix(".xctest") }
        for start in [CommandLine.arguments[0], Bundle.main.bundlePath] + bundles + [#filePath] {
            var folder = URL(filePath: start)
            while folder.path.count > 1 {
                for candidate in ["CrashFixture", ".build/debug/CrashFixture"] {
                    let file = folder.appending(path: candidate)
                    var isFolder: ObjCBool = false
                    if FileManager.default.fileExists(atPath: file.path, isDirectory: &isFolder), !isFolder.boolValue {
                        return file
                    }
                }
                folder.deleteLastPathComponent()
            }
        }
        preconditionFailure("Invalid state: CrashFixture is not built beside the tests")
    }()
}

extension JSONValue {
    /// The event's name.
    var name: String { self["event_type"]?.string ?? "" }

    func attribute(_ name: String) -> JSONValue? { self["attributes"]?[name] }
}
#endif
