import Dispatch
import Synchronization

/// Output of a server, written line by line on a thread of its own: a client that does not read delays neither a call nor the end by a
/// signal. All functions are thread-safe.
final class MCPOutput: Sendable {
    private let stream: ResultStream
    private let fail: @Sendable (any Error) -> Void
    private let failure = Mutex<(any Error)?>(nil)
    // A queue of its own has a thread of its own.
    private let queue = DispatchQueue(label: "clickstream-cli.mcp")

    /// - Parameter fail: receives the failure to write a line.
    init(_ stream: ResultStream, fail: @escaping @Sendable (any Error) -> Void) {
        self.stream = stream
        self.fail = fail
    }

    /// Writes a line, given without its line feed, after the earlier ones. Does not block.
    func write(_ line: [UInt8]) {
        queue.async { [self] in
            do {
                try stream.write(line: line)
                try stream.flush()
            } catch {
                failure.withLock { $0 = error }
                fail(error)
            }
        }
    }

    /// Blocks until the client has accepted all lines so far.
    func wait() {
        queue.sync {}
    }

    /// Waits until the client has accepted all lines so far.
    /// - Throws: the failure to write one; `CancellationError` when the task is cancelled.
    func drain() async throws {
        let (ends, end) = AsyncThrowingStream<Never, any Error>.makeStream()
        queue.async { [self] in end.finish(throwing: failure.withLock { $0 }) }
        for try await _ in ends {}
        try Task.checkCancellation()
    }
}
