#if Audit
import CClickstreamSQLite

/// SQLite's trace function of a connection, which an app may replace.
struct ConnectionTrace {
    private let handle: ConnectionHandle
    /// The generation of the scopes for which the function was installed.
    private var generation: UInt64 = .max
    /// True after a statement was announced, until its beginning is traced.
    private(set) var isAwaited = false
    private var reportsReplacement = true

    init(_ handle: ConnectionHandle) {
        self.handle = handle
    }

    /// Installs the function.
    /// - Parameters:
    ///   - isActive: true to trace statements and rows.
    ///   - ends: the statements without a scope whose end is traced.
    ///   - generation: the generation of the scopes.
    mutating func install(isActive: Bool, ends: clickstream_ends, generation: UInt64) {
        guard let anchor = handle.anchor else { return }
        self.generation = generation
        clickstream_connection_trace(anchor, isActive, ends, generation)
    }

    func isInstalled(for generation: UInt64) -> Bool { generation == self.generation }

    /// Removes the function until it is installed again.
    /// - Returns: false if another function may be installed, which stays.
    func pause() -> Bool {
        guard let anchor = handle.anchor, !isAwaited else { return false }
        clickstream_connection_pause(anchor)
        return true
    }

    mutating func statementIsAnnounced() { isAwaited = true }

    mutating func statementBegins() { isAwaited = false }

    /// Returns true once if another function is installed: a statement that was announced did not begin.
    mutating func detectsReplacement() -> Bool {
        guard isAwaited, reportsReplacement else { return false }
        reportsReplacement = false
        return true
    }
}
#endif
