#if Tools
import ClickstreamCollector
import ClickstreamCore
import Foundation

/// The command that `collect -- COMMAND` runs against its collector.
enum ChildProcess {
    /// Runs the command with the collector's addresses in its environment, and gives its exit status.
    ///
    /// Standard streams are the command line's own. When the task is cancelled, the command gets SIGTERM and is waited for.
    static func run(_ words: [String], collector: Collector) async throws -> Int32 {
        let process = Process()
        // `env` finds the command in PATH, as a shell would.
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["--"] + words
        var environment = ProcessInfo.processInfo.environment
        environment["CLICKSTREAM_ENDPOINT"] = collector.endpoint
        environment["CLICKSTREAM_COLLECTOR"] = collector.baseURL
        process.environment = environment
        let ending = Ending()
        process.terminationHandler = { ending.reach($0) }
        do {
            try process.run()
        } catch {
            throw CommandFailure(
                .inputMissing,
                "cannot run \(words[0]): \(error.localizedDescription); check the name behind --"
            )
        }
        let identifier = process.processIdentifier
        return await withTaskCancellationHandler {
            await ending.status()
        } onCancel: {
            if identifier > 0 { _ = kill(identifier, SIGTERM) }
        }
    }

    /// Opens an address in the browser, as far as the system has one; says so when it has none.
    static func openPage(_ address: String) {
        #if os(macOS)
        let name = "open"
        #else
        let name = "xdg-open"
        #endif
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [name, address]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        process.terminationHandler = { process in
            if process.terminationStatus != 0 { Console.say("warning: no browser could be opened; see \(address)") }
        }
        do {
            try process.run()
        } catch {
            Console.say("warning: no browser could be opened; see \(address)")
        }
    }

    /// Where the process's end meets who waits for it.
    private final class Ending: Sendable {
        private let state = Locked<(status: Int32?, waiter: CheckedContinuation<Int32, Never>?)>((nil, nil))

        func reach(_ process: Process) {
            // As a shell tells it: 128 and the signal's number.
            let isSignal = process.terminationReason == .uncaughtSignal
            let status = isSignal ? 128 + process.terminationStatus : process.terminationStatus
            let waiter = state.withLock { state in
                state.status = status
                return state.waiter
            }
            waiter?.resume(returning: status)
        }

        func status() async -> Int32 {
            await withCheckedContinuation { continuation in
                let status: Int32? = state.withLock { state in
                    if state.status == nil { state.waiter = continuation }
                    return state.status
                }
                if let status { continuation.resume(returning: status) }
            }
        }
    }
}
#endif
