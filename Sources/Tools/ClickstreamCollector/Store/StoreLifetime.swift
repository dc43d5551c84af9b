import ClickstreamCore
import Dispatch

/// Lifetime of the connections to a store: the operations in progress, and their one closing, which begins after these have ended.
///
/// An operation that began while a pool of connections is closed would open another connection afterwards, whose files remain. Two closings
/// at once end the process in SQLite. Thread-safe.
final class StoreLifetime: Sendable {
    /// Error of an operation that begins after the closing.
    struct Closed: Error, Sendable, Hashable, CustomStringConvertible {
        var description: String { "the store is closed" }
    }

    private let isClosing = Locked(false)
    private let operations = DispatchGroup()
    private let closing = DispatchGroup()

    /// Runs an operation on the connections.
    /// - Throws: ``Closed`` without running it if the closing has begun; the error of the operation.
    func run<Value: Sendable>(_ operation: () async throws -> Value) async throws -> Value {
        try begin()
        defer { operations.leave() }
        return try await operation()
    }

    /// Runs a short operation, unless the closing has begun.
    func runIfOpen(_ operation: () -> Void) {
        do throws(Closed) { try begin() } catch { return }
        defer { operations.leave() }
        operation()
    }

    /// For an operation that has waited for its connection.
    /// - Throws: ``Closed`` if the closing has begun.
    func check() throws(Closed) {
        if isClosing.withLock({ $0 }) { throw Closed() }
    }

    private func begin() throws(Closed) {
        try isClosing.withLock { isClosing throws(Closed) in
            if isClosing { throw Closed() }
            // With the lock: the closing waits for each operation that began before it.
            operations.enter()
        }
    }

    /// Closes the connections once. A further call returns at the end of the first one, without an error. Blocks.
    /// - Parameters:
    ///   - interrupt: ends the operations in progress early; no other one begins any more.
    ///   - close: called when no operation is in progress.
    func close(interrupting interrupt: () -> Void, closing close: () throws -> Void) rethrows {
        let isFirst = isClosing.withLock { isClosing in
            if isClosing { return false }
            isClosing = true
            closing.enter()
            return true
        }
        guard isFirst else { return closing.wait() }
        defer { closing.leave() }
        interrupt()
        operations.wait()
        try close()
    }
}
