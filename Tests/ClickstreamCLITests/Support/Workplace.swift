import Foundation
import Synchronization
import TestSupport

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A fresh folder in which the built command line runs, as its home, its state and its temporary folder too.
struct Workplace: Sendable {
    let folder: URL

    var temporaryFolder: URL { folder.appending(path: "tmp") }

    /// Gives `body` a fresh folder, and removes it afterwards. Waits for a slot.
    static func use<Result>(_ body: (Workplace) async throws -> Result) async throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appending(path: "clickstream-cli-\(UUID().uuidString)")
        let workplace = Workplace(folder: folder)
        try FileManager.default.createDirectory(at: workplace.temporaryFolder, withIntermediateDirectories: true)
        defer {
            do {
                try FileManager.default.removeItem(at: folder)
            } catch {
                print("cannot remove \(folder.path): \(error)")
            }
        }
        return try await RealTimeSlot.use { try await body(workplace) }
    }

    func path(_ name: String) -> String { folder.appending(path: name).path }

    /// Writes a file and gives its path.
    @discardableResult
    func write(_ text: String, to name: String) throws -> String {
        try Data(text.utf8).write(to: folder.appending(path: name))
        return path(name)
    }

    func text(of name: String) throws -> String {
        try String(contentsOf: folder.appending(path: name), encoding: .utf8)
    }

    /// Every path below a folder, sorted; those of the folders too.
    func contents(of name: String) -> [String] {
        (FileManager.default.subpaths(atPath: path(name)) ?? []).sorted()
    }

    /// Runs the command line to its end.
    /// - Parameter input: the content of its standard input.
    func run(_ arguments: String..., output: String? = nil, input: String? = nil) async throws -> Finished {
        try await start(arguments, output: output, input: input.map { .text($0) } ?? .none).finish()
    }

    func run(
        _ arguments: [String],
        input: String? = nil,
        environment: [String: String] = [:]
    ) async throws -> Finished {
        try await start(arguments, input: input.map { .text($0) } ?? .none, environment: environment).finish()
    }

    /// Starts the command line. Its working directory is the folder.
    func start(
        _ arguments: [String],
        output: String? = nil,
        input: Running.Input = .none,
        environment: [String: String] = [:]
    ) throws -> Running {
        let command = [Self.executable.path] + arguments
        return try start(command: command, output: output, input: input, environment: environment)
    }

    /// Starts any command the same way. A program without a slash is looked for where a shell looks.
    func start(
        command: [String],
        output: String? = nil,
        input: Running.Input = .none,
        environment: [String: String] = [:]
    ) throws -> Running {
        try Running(command, in: self, output: output, input: input, environment: environment)
    }

    /// Program built with the test, found by walking up from the test's own executable.
    static let executable: URL = {
        let bundles = CommandLine.arguments.dropFirst().filter { $0.hasSuffix(".xctest") }
        let starts = [CommandLine.arguments[0], Bundle.main.bundlePath] + bundles + [#filePath]
        for start in starts {
            var folder = URL(filePath: start)
            while folder.path.count > 1 {
                for candidate in ["clickstream-cli", ".build/debug/clickstream-cli"] {
                    let file = folder.appending(path: candidate)
                    var isFolder: ObjCBool = false
                    if FileManager.default.fileExists(atPath: file.path, isDirectory: &isFolder), !isFolder.boolValue {
                        return file
                    }
                }
                folder.deleteLastPathComponent()
            }
        }
        preconditionFailure("Invalid state: clickstream-cli is not built beside the tests")
    }()
}

/// Result of a run of the command line.
struct Finished: Sendable, Equatable {
    /// The exit status; less than zero for a signal that killed it.
    var status: Int32
    var output: String
    var errors: String

    /// The lines of standard output.
    var lines: [Substring] { output.split(separator: "\n") }
}

/// The command line while it runs.
final class Running: Sendable {
    private enum Ending: Sendable {
        case ahead
        case awaited(CheckedContinuation<Int32, Never>)
        case reached(Int32)
    }

    /// Content of a process's standard input.
    enum Input: Sendable {
        case none
        case text(String)
        /// Text from ``Running/write(_:)``, until ``Running/endInput()``.
        case pipe
    }

    private let workplace: Workplace
    private let name = UUID().uuidString
    private let pipe: Pipe?
    private let identifier: Int32
    private let ending: Ends

    /// Synchronization of the process's end with the tasks that wait for it.
    private final class Ends: Sendable {
        private let state = Mutex(Ending.ahead)

        func reach(_ status: Int32) {
            let waiter: CheckedContinuation<Int32, Never>? = state.withLock { state in
                defer { state = .reached(status) }
                guard case .awaited(let waiter) = state else { return nil }
                return waiter
            }
            waiter?.resume(returning: status)
        }

        func wait() async -> Int32 {
            await withCheckedContinuation { continuation in
                let status: Int32? = state.withLock { state in
                    if case .reached(let status) = state { return status }
                    state = .awaited(continuation)
                    return nil
                }
                if let status { continuation.resume(returning: status) }
            }
        }
    }

    fileprivate init(
        _ command: [String],
        in workplace: Workplace,
        output: String?,
        input: Input,
        environment added: [String: String]
    ) throws {
        self.workplace = workplace
        let process = Process()
        if command[0].contains("/") {
            process.executableURL = URL(filePath: command[0])
            process.arguments = Array(command.dropFirst())
        } else {
            process.executableURL = URL(filePath: "/usr/bin/env")
            process.arguments = command
        }
        process.currentDirectoryURL = workplace.folder
        var environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("CLICKSTREAM_") }
        environment["HOME"] = workplace.folder.path
        environment["XDG_STATE_HOME"] = workplace.folder.appending(path: "state").path
        environment["TMPDIR"] = workplace.temporaryFolder.path
        environment.merge(added) { $1 }
        process.environment = environment
        // The process has its own copies of what it was given: ours are closed at once, or many starts use up all there are.
        var handles: [FileHandle] = []
        func given(_ handle: FileHandle) -> FileHandle {
            handles.append(handle)
            return handle
        }
        switch input {
        case .none:
            pipe = nil
            process.standardInput = FileHandle.nullDevice
        case .text(let text):
            pipe = nil
            let path = try workplace.write(text, to: "\(name).in")
            process.standardInput = given(try FileHandle(forReadingFrom: URL(filePath: path)))
        case .pipe:
            let pipe = Pipe()
            self.pipe = pipe
            process.standardInput = pipe
        }
        process.standardOutput = given(try Self.file(output ?? workplace.path("\(name).out")))
        process.standardError = given(try Self.file(workplace.path("\(name).err")))
        let ends = Ends()
        ending = ends
        process.terminationHandler = { process in
            let isSignal = process.terminationReason == .uncaughtSignal
            ends.reach(isSignal ? -process.terminationStatus : process.terminationStatus)
        }
        try process.run()
        for handle in handles { try handle.close() }
        identifier = process.processIdentifier
    }

    private static func file(_ path: String) throws -> FileHandle {
        if !FileManager.default.fileExists(atPath: path) { try Data().write(to: URL(filePath: path)) }
        return try FileHandle(forWritingTo: URL(filePath: path))
    }

    /// Writes to the process's standard input, which is a pipe. Not once the process has ended.
    func write(_ text: String) throws {
        try pipe?.fileHandleForWriting.write(contentsOf: Data(text.utf8))
    }

    func endInput() throws {
        try pipe?.fileHandleForWriting.close()
    }

    /// Standard output so far.
    var outputSoFar: String {
        // A missing file means no output yet.
        (try? workplace.text(of: "\(name).out")) ?? ""
    }

    func send(_ signal: Int32) {
        kill(identifier, signal)
    }

    /// True if the process handles SIGTERM; always true on systems without `/proc`.
    var listensToSignals: Bool {
        // A process that has ended has no such file.
        guard let status = try? String(contentsOfFile: "/proc/\(identifier)/status", encoding: .utf8) else {
            return true
        }
        let line = status.split(separator: "\n").first { $0.hasPrefix("SigCgt:") } ?? ""
        let mask = line.split(separator: "\t").last.flatMap { UInt64($0, radix: 16) } ?? 0
        return mask & (1 << UInt64(SIGTERM - 1)) != 0
    }

    /// True if the process accepts TCP connections over IPv4; always true on systems without `/proc`.
    var listensOnSocket: Bool {
        let folder = "/proc/\(identifier)"
        // `String(contentsOfFile:)` reads only the first 4 kB of a file of /proc.
        guard let file = FileHandle(forReadingAtPath: "\(folder)/net/tcp"), let bytes = try? file.readToEnd() else {
            return true
        }
        let sockets = Set(
            (try? FileManager.default.contentsOfDirectory(atPath: "\(folder)/fd"))?.compactMap { descriptor in
                // A descriptor may be closed meanwhile.
                try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/fd/\(descriptor)")
            } ?? []
        )
        // Listening sockets come first, before up to thousands of connections.
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n").dropFirst() {
            let fields = line.split(separator: " ", maxSplits: 10)
            guard fields.count > 9, fields[3] == "0A" else { break }
            if sockets.contains("socket:[\(fields[9])]") { return true }
        }
        return false
    }

    /// Waits until the process has ended.
    func finish() async throws -> Finished {
        let status = await ending.wait()
        return try Finished(
            status: status,
            output: FileManager.default.fileExists(atPath: workplace.path("\(name).out"))
                ? workplace.text(of: "\(name).out") : "",
            errors: workplace.text(of: "\(name).err")
        )
    }

    /// Looks again and again whether something has come true in the other process; gives up after two minutes.
    func wait(until isTrue: () -> Bool) async throws -> Bool {
        for _ in 0..<12_000 {
            if isTrue() { return true }
            try await Task.sleep(for: .milliseconds(10))
        }
        return false
    }
}
