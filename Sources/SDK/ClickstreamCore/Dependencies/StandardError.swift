import CClickstreamSystem

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Non-blocking access to standard error for a library: printing never ends the process, and blocks it only briefly.
///
/// A pipe without a reader raises no `SIGPIPE`, and a file that may not grow (`ulimit -f`) no `SIGXFSZ`. A full pipe
/// blocks for 100 ms in total, and then not again until a line is accepted. Descriptor 2 is not written to if it is not
/// standard error (closed at the start, or reused for a file of the app). Dropped lines are counted, and their number is
/// printed before the next accepted line.
final class StandardError: Sendable {
    static let process = StandardError()

    private struct State: Sendable {
        var dropped = 0
        /// True if the last line was truncated.
        var isTorn = false
    }

    /// The timeout for a full pipe, socket or terminal, in milliseconds.
    private static let timeout: Int32 = 100
    /// The maximum size of a write that a writable pipe accepts without blocking.
    private static let pieceBytes = 4_096

    private let owner = OwningProcess()
    private let state = Locked(State())

    private init() {}

    /// Prints a line, which must end with a line feed.
    func print(_ line: [UInt8]) {
        guard clickstream_has_standard_error() == 1 else { return }
        guard owner.isCurrent else {
            // The lock may have been held by another thread of the parent.
            _ = Self.write(line, timeout: Self.timeout)
            return
        }
        state.withLock { state in
            var bytes: [UInt8] = state.isTorn ? [UInt8(ascii: "\n")] : []
            if state.dropped > 0 {
                let lines = state.dropped == 1 ? "1 line was" : "\(state.dropped) lines were"
                bytes += "Clickstream: \(lines) dropped: standard error was not read\n".utf8
            }
            bytes += line
            let written = Self.write(bytes, timeout: state.dropped > 0 ? 0 : Self.timeout)
            if written == bytes.count {
                state = State()
            } else {
                state.dropped += 1
                if written > 0 { state.isTorn = true }
            }
        }
    }

    // MARK: Writing without blocking

    /// - Returns: the number of bytes written within `timeout` milliseconds.
    private static func write(_ bytes: [UInt8], timeout: Int32) -> Int {
        var status = stat()
        guard fstat(STDERR_FILENO, &status) == 0 else { return 0 }
        switch status.st_mode & S_IFMT {
        case S_IFSOCK:
            return write(bytes, to: STDERR_FILENO, timeout: timeout) { start, count in
                send(STDERR_FILENO, start, count, Int32(MSG_DONTWAIT) | noSignal)
            }
        case S_IFIFO:
            return without(SIGPIPE) { writePipe(bytes, timeout: timeout) }
        default:
            return without(SIGXFSZ) {
                write(bytes, to: STDERR_FILENO, timeout: timeout) { start, count in
                    systemWrite(STDERR_FILENO, start, min(count, pieceBytes))
                }
            }
        }
    }

    /// Writes to a pipe through a separate non-blocking open file description; the flags of the shared one are
    /// unchanged. If none can be opened, writes at most as much as a writable pipe accepts.
    private static func writePipe(_ bytes: [UInt8], timeout: Int32) -> Int {
        let own = clickstream_above_standard(open("/dev/fd/2", O_WRONLY | O_NONBLOCK | O_CLOEXEC))
        // The pipe has no reader.
        if own < 0, errno == ENXIO { return 0 }
        defer { if own >= 0 { close(own) } }
        let descriptor = own >= 0 ? own : STDERR_FILENO
        return write(bytes, to: descriptor, timeout: timeout) { start, count in
            systemWrite(descriptor, start, own >= 0 ? count : min(count, pieceBytes))
        }
    }

    private static func write(
        _ bytes: [UInt8],
        to descriptor: Int32,
        timeout: Int32,
        _ body: (UnsafeRawPointer, Int) -> Int
    ) -> Int {
        let clock = SystemTime()
        let end = clock.now().steady + Int64(timeout)
        return bytes.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return 0 }
            var written = 0
            while written < bytes.count {
                var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                let rest = Int32(clamping: max(0, end - clock.now().steady))
                let ready = poll(&entry, 1, rest)
                if ready < 0, errno == EINTR { continue }
                guard ready > 0, entry.revents & Int16(POLLOUT) != 0 else { break }
                let count = body(start + written, bytes.count - written)
                if count < 0, errno == EINTR { continue }
                if count < 0, errno == EAGAIN, clock.now().steady < end { continue }
                guard count > 0 else { break }
                written += count
            }
            return written
        }
    }

    /// Runs `body` with `signal` blocked for this thread, and consumes one caused by `body`.
    private static func without(_ signal: Int32, _ body: () -> Int) -> Int {
        var (set, before, pending) = (sigset_t(), sigset_t(), sigset_t())
        sigemptyset(&set)
        sigaddset(&set, signal)
        sigpending(&pending)
        let wasPending = sigismember(&pending, signal) == 1
        pthread_sigmask(SIG_BLOCK, &set, &before)
        let result = body()
        sigpending(&pending)
        if !wasPending, sigismember(&pending, signal) == 1 {
            var taken: Int32 = 0
            sigwait(&set, &taken)
        }
        pthread_sigmask(SIG_SETMASK, &before, nil)
        return result
    }
}

private let noSignal: Int32 = {
    #if canImport(Darwin)
    // Unnecessary for datagrams; for a closed stream, the app's own `SIGPIPE` disposition applies.
    return 0
    #else
    return Int32(MSG_NOSIGNAL)
    #endif
}()

private func systemWrite(_ descriptor: Int32, _ start: UnsafeRawPointer, _ count: Int) -> Int {
    write(descriptor, start, count)
}
