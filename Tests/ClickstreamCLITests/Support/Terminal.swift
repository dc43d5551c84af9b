#if canImport(Glibc)
import Foundation
import Glibc

/// Pseudo terminals for tests of what a person sees.
enum Terminal {
    /// True if the system can make pseudo terminals; a sandbox without /dev/ptmx cannot.
    static let isAvailable: Bool = {
        let master = Glibc.open("/dev/ptmx", O_RDWR | O_NOCTTY)
        if master >= 0 { close(master) }
        return master >= 0
    }()

    /// Failure to make a pseudo terminal.
    struct Unavailable: Error {
        let errno: Int32
    }

    /// TIOCSPTLCK and TIOCGPTN, which Swift does not import.
    private static let (setLock, getNumber): (UInt, UInt) = (0x4004_5431, 0x8004_5430)

    /// Both ends of a new pseudo terminal of the given width.
    static func open(columns: Int) throws -> (master: Int32, terminal: FileHandle) {
        let master = Glibc.open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var (lock, number): (CInt, CUnsignedInt) = (0, 0)
        guard master >= 0, ioctl(master, setLock, &lock) == 0, ioctl(master, getNumber, &number) == 0 else {
            throw Unavailable(errno: Glibc.errno)
        }
        let terminal = Glibc.open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard terminal >= 0 else { throw Unavailable(errno: Glibc.errno) }
        var size = winsize(ws_row: 50, ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
        guard ioctl(master, UInt(TIOCSWINSZ), &size) == 0 else { throw Unavailable(errno: Glibc.errno) }
        return (master, FileHandle(fileDescriptor: terminal, closeOnDealloc: true))
    }
}

/// Outcome of a run at a terminal: standard output, standard error and the echo of what was typed, in their order.
struct TerminalRun: Sendable {
    var status: Int32
    var output: String

    /// Lines on the screen at the end: a carriage return restarts its line.
    var screen: [String] {
        output.split(separator: "\r\n", omittingEmptySubsequences: false).map { line in
            String(line.split(separator: "\r", omittingEmptySubsequences: false).last ?? "")
                .replacing("\u{1B}[K", with: "")
        }
    }
}

extension Workplace {
    /// Runs the command line to its end, with a pseudo terminal as standard input, output and error.
    /// - Parameters:
    ///   - typing: text that is there to be read from the beginning; U+0004 ends the input.
    ///   - stop: a signal that the process receives once it has printed the text.
    ///   - redirected: true to send standard output to a file; the terminal is then standard input and error alone.
    func runAtTerminal(
        _ arguments: [String],
        typing: String = "",
        stop: (signal: Int32, after: String)? = nil,
        columns: Int = 80,
        environment added: [String: String] = [:],
        redirected: Bool = false
    ) async throws -> TerminalRun {
        let (master, terminal) = try Terminal.open(columns: columns)
        defer { close(master) }
        let process = Process()
        // The tests may have been started by `nohup`.
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["--default-signal=HUP", Self.executable.path] + arguments
        process.currentDirectoryURL = folder
        let dropped = ["NO_COLOR", "COLUMNS", "CLICOLOR", "CLICOLOR_FORCE"]
        var environment = ProcessInfo.processInfo.environment.filter { name, _ in
            !name.hasPrefix("CLICKSTREAM_") && !dropped.contains(name)
        }
        environment["HOME"] = folder.path
        environment["XDG_STATE_HOME"] = path("state")
        environment["TMPDIR"] = temporaryFolder.path
        environment["TERM"] = "xterm-256color"
        process.environment = environment.merging(added) { $1 }
        process.standardInput = terminal
        process.standardOutput = redirected ? FileHandle.nullDevice : terminal
        process.standardError = terminal
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                // Blocking reads belong on a thread of their own.
                Thread.detachNewThread {
                    do {
                        try process.run()
                        try terminal.close()
                    } catch {
                        return continuation.resume(throwing: error)
                    }
                    _ = typing.utf8CString.withUnsafeBytes { Glibc.write(master, $0.baseAddress, $0.count - 1) }
                    var screen: [UInt8] = []
                    var stop = stop
                    var piece = [UInt8](repeating: 0, count: 65_536)
                    while true {
                        let count = read(master, &piece, piece.count)
                        if count < 0, errno == EINTR { continue }
                        // EIO: the other end is closed.
                        if count <= 0 { break }
                        screen += piece[..<count]
                        if let (signal, text) = stop, screen.firstRange(of: Array(text.utf8)) != nil {
                            stop = nil
                            kill(process.processIdentifier, signal)
                        }
                    }
                    process.waitUntilExit()
                    let isSignal = process.terminationReason == .uncaughtSignal
                    let status = process.terminationStatus
                    continuation.resume(
                        returning: TerminalRun(
                            status: isSignal ? -status : status,
                            output: String(decoding: screen, as: UTF8.self)
                        )
                    )
                }
            }
        } onCancel: {
            // The time limit of a test is over.
            if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        }
    }
}
#endif
