#if Tools
import ClickstreamCollector
import ClickstreamCore
import Foundation

/// The command that `collect -- COMMAND` runs against its collector.
enum ChildProcess {
    /// Milliseconds that a command has to end after SIGTERM, before it is killed.
    private static let patience: Int64 = 10_000

    /// Runs the command with the collector's addresses in its environment, and gives its exit status.
    ///
    /// Standard streams are the command line's own. When the task is cancelled, the command gets SIGTERM and is waited for;
    /// one that does not heed it is killed after ten seconds. So does all that it started, unless it may read from a
    /// terminal, which only lets one group of processes do so.
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
                // Nobody cancels this one.
                try? await SystemTime().sleep(milliseconds: patience)
                child.signal(SIGKILL)
            }
        }
    }

    /// Starts a program as a shell would: with every signal let in and at its default. `Process` would hand on the mask of
    /// the thread that it is called on, and those of the concurrency runtime keep out SIGTERM and SIGINT.
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

    /// Sees to it that no program that is started gets our sockets: one that goes on in the background would hold the port.
    /// Pipes go on to it, as those of a shell's `<(...)` are meant to.
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

    /// A program that was started, until it has ended and its status was fetched.
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

        /// Waits for the end on a blocking thread. As in shells, a signal gives 128 plus its number.
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
