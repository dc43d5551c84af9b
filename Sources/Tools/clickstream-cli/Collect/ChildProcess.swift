#if Collector
import ClickstreamCollector
import ClickstreamCore
import Foundation

/// The command that `collect -- COMMAND` runs against its collector.
enum ChildProcess {
    /// Milliseconds between SIGTERM and SIGKILL.
    private static let timeout: Int64 = 10_000

    /// Runs the command with the collector's addresses in its environment, and returns its exit status.
    ///
    /// The command inherits the standard streams. When the task is cancelled, it receives SIGTERM, and SIGKILL ten
    /// seconds later. Its child processes receive both, unless standard input is a terminal, which only one process
    /// group can read.
    static func run(_ words: [String], collector: Collector) async throws -> Int32 {
        var environment = ProcessInfo.processInfo.environment
        environment["CLICKSTREAM_ENDPOINT"] = collector.endpoint
        environment["CLICKSTREAM_COLLECTOR"] = collector.baseURL
        let isGroup = isatty(STDIN_FILENO) == 0
        let child = Child(try spawn(words, environment, isGroup: isGroup), isGroup: isGroup)
        return await withTaskCancellationHandler {
            await child.status()
        } onCancel: {
            child.signal(SIGTERM)
            Task {
                // A detached task is not cancelled.
                try? await SystemDependencies.time.sleep(milliseconds: timeout)
                child.signal(SIGKILL)
            }
        }
    }

    /// Starts a program as a shell does: with no signal blocked, and default actions. `Process` would pass on the
    /// signal mask of the calling thread, and threads of the concurrency runtime block SIGTERM and SIGINT.
    private static func spawn(
        _ words: [String],
        _ environment: [String: String],
        isGroup: Bool
    ) throws(CommandFailure) -> pid_t {
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        // Zero requests a new process group.
        posix_spawnattr_setpgroup(&attributes, 0)
        let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | (isGroup ? POSIX_SPAWN_SETPGROUP : 0)
        posix_spawnattr_setflags(&attributes, Int16(flags))
        // `env` finds the command in PATH, as a shell would.
        let arguments = ["/usr/bin/env", "--"] + words
        var argv = arguments.map { strdup($0) } + [nil]
        var envp = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in argv + envp { free(text) } }
        keepDescriptors()
        var identifier = pid_t()
        let failure = posix_spawn(&identifier, arguments[0], nil, &attributes, &argv, &envp)
        guard failure == 0 else {
            throw CommandFailure(
                .inputMissing,
                "cannot run \(words[0]): \(String(cString: strerror(failure))); check the name after --"
            )
        }
        return identifier
    }

    /// Closes sockets in started programs: one that continues in the background would keep the port. Pipes are
    /// inherited, as a shell's `<(...)` requires.
    private static func keepDescriptors() {
        for descriptor in 3..<Int32(min(max(sysconf(Int32(_SC_OPEN_MAX)), 1_024), 32_768)) {
            var status = stat()
            if fstat(descriptor, &status) != 0 || status.st_mode & S_IFMT == S_IFIFO { continue }
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        }
    }

    /// Opens an address in the browser; warns if there is none.
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
            if process.terminationStatus != 0 { Console.warn("cannot open a browser; open \(address) yourself") }
        }
        do {
            try process.run()
        } catch {
            Console.warn("cannot open a browser; open \(address) yourself")
        }
    }

    /// A started program, until its exit status has been read.
    private final class Child: Sendable {
        private let identifier: pid_t
        private let isGroup: Bool
        /// The process id may be reused once the status has been read.
        private let isGone = Locked(false)

        init(_ identifier: pid_t, isGroup: Bool) {
            self.identifier = identifier
            self.isGroup = isGroup
        }

        func signal(_ number: Int32) {
            isGone.withLock { isGone in
                if !isGone { _ = kill(isGroup ? -identifier : identifier, number) }
            }
        }

        /// Waits for the end on a blocking thread. As in shells, the status of a signal is 128 plus its number.
        func status() async -> Int32 {
            await withCheckedContinuation { continuation in
                Thread.detachNewThread { [self] in
                    var end = siginfo_t()
                    while waitid(P_PID, id_t(identifier), &end, WEXITED | WNOWAIT) != 0, errno == EINTR {}
                    var status: Int32 = 0
                    isGone.withLock { isGone in
                        _ = waitpid(identifier, &status, 0)
                        isGone = true
                    }
                    let signal = status & 0x7F
                    continuation.resume(returning: signal == 0 ? status >> 8 & 0xFF : 128 + signal)
                }
            }
        }
    }
}
#endif
