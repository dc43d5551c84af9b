#if Tools
import Dispatch
import Glibc
import Synchronization

/// Turns SIGINT and SIGTERM into a clean stop: what runs is cancelled, cleans up, and the status says which signal it was.
final class StopSignal: Sendable {
    private let received = Mutex<Int32?>(nil)

    /// The status of a stop by signal; `nil` when none came.
    var status: ExitStatus? {
        switch received.withLock({ $0 }) {
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
                received.withLock { $0 = $0 ?? number }
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
