#if Tools
import ClickstreamCore
import Dispatch
import Glibc
import Synchronization

/// Turns SIGINT and SIGTERM into a clean stop: what runs is cancelled, cleans up, and the status says which signal it was.
///
/// One that comes a second or more after the first ends the process at once, for a person who will not wait.
final class StopSignal: Sendable {
    private struct First: Sendable {
        var number: Int32
        var time: Int64
    }

    private static let patience: Int64 = 1_000

    private let received = Mutex<First?>(nil)

    /// The status of a stop by signal; `nil` when none came.
    var status: ExitStatus? {
        switch received.withLock({ $0?.number }) {
        case SIGINT: .interrupted
        case SIGTERM: .terminated
        default: nil
        }
    }

    /// Runs `body` until it ends or a signal cancels it.
    func run<Result: Sendable>(_ body: @escaping @Sendable () async throws -> Result) async throws -> Result {
        let task = Task { try await body() }
        let sources = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { [self] in
                let now = SystemTime().now().steady
                let first = received.withLock { received in
                    let first = received ?? First(number: number, time: now)
                    received = first
                    return first
                }
                // `timeout` sends every signal twice: only a later one says that the cleaning up takes too long.
                if now - first.time >= Self.patience { _exit(128 + number) }
                task.cancel()
            }
            source.resume()
            return source
        }
        defer { sources.forEach { $0.cancel() } }
        return try await task.value
    }
}
#endif
