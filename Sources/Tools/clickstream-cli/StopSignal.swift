import ArgumentParser
import ClickstreamCore
import Dispatch
import Glibc
import Synchronization

/// Turns SIGINT, SIGTERM and SIGHUP into a clean stop: the task is cancelled, cleans up, and the exit status names the
/// signal.
///
/// A signal that arrives a second or more after the first ends the process at once.
final class StopSignal: Sendable {
    private struct First: Sendable {
        var number: Int32
        var time: Int64
    }

    private static let repeatInterval: Int64 = 1_000

    private let received = Mutex<First?>(nil)
    private let cancel = Mutex<(@Sendable () -> Void)?>(nil)

    /// The exit status after a signal; `nil` without one.
    var status: ExitStatus? {
        switch received.withLock({ $0?.number }) {
        case SIGINT: .interrupted
        case SIGTERM: .terminated
        case SIGHUP: .hungUp
        default: nil
        }
    }

    /// Runs a whole command, prints its failure, and ends it with the right status.
    ///
    /// - Parameter body: returns the status of a completed run; a stop by signal takes precedence.
    static func command(_ body: @escaping @Sendable () async throws -> ExitStatus) async throws {
        let signals = StopSignal()
        do {
            let status = try await signals.run(body)
            let last = signals.status ?? status
            if last != .done { throw ExitCode(last.rawValue) }
        } catch is CancellationError {
            throw ExitCode((signals.status ?? .interrupted).rawValue)
        } catch {
            guard let failure = CommandFailure(error) else { throw error }
            let code = failure.report()
            throw signals.status.map { ExitCode($0.rawValue) } ?? code
        }
    }

    /// Runs `body` until it ends or a signal cancels it.
    func run<Result: Sendable>(_ body: @escaping @Sendable () async throws -> Result) async throws -> Result {
        // A queue of its own has a thread of its own: on one processor the command occupies the only one of the global queue.
        let queue = DispatchQueue(label: "clickstream-cli.signals")
        let sources = ([SIGINT, SIGTERM] + (Self.isIgnored(SIGHUP) ? [] : [SIGHUP])).map { number in
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler { [self] in receive(number) }
            return source
        }
        defer {
            for source in sources { source.cancel() }
        }
        // Handlers are installed before the task creates anything to clean up. Until then a signal ends the process.
        for source in sources {
            await withCheckedContinuation { continuation in
                source.setRegistrationHandler { continuation.resume() }
                source.resume()
            }
        }
        let task = Task { try await body() }
        cancel.withLock { $0 = { task.cancel() } }
        if status != nil { task.cancel() }
        return try await task.value
    }

    /// True if the parent process ignores a signal, as `nohup` does with SIGHUP.
    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        guard sigaction(number, nil, &action) == 0 else { return false }
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    private func receive(_ number: Int32) {
        let now = SystemDependencies.time.now().steady
        let first = received.withLock { received in
            let first = received ?? First(number: number, time: now)
            received = first
            return first
        }
        // `timeout` sends each signal twice at once: only a later signal is an impatient user's.
        if now - first.time >= Self.repeatInterval { _exit(128 + number) }
        cancel.withLock { $0 }?()
    }
}
