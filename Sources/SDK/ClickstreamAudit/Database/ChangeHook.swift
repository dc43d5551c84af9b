#if Audit
import CClickstreamSQLite

/// SQLite's pre-update hook of a connection. SQLite has one: each function detects another user of it.
struct ChangeHook {
    private let handle: ConnectionHandle
    /// True until statements are prepared again that may delete all rows of a table without the hook.
    private var mustExpire = false

    init(_ handle: ConnectionHandle) {
        self.handle = handle
    }

    /// Installs the hook for a scope.
    /// - Returns: false if another user's was replaced.
    mutating func activate() -> Bool {
        mustExpire = true
        return set(true) == nil
    }

    /// Installs the hook again if it was replaced.
    /// - Returns: false if it was.
    func restore() -> Bool {
        guard let anchor = handle.anchor else { return true }
        return set(true) == UnsafeMutableRawPointer(anchor)
    }

    /// Removes the hook.
    /// - Returns: false if another user's was removed.
    @discardableResult
    mutating func deactivate() -> Bool {
        mustExpire = false
        let context = set(false)
        return context == nil || context == handle.anchor.map { UnsafeMutableRawPointer($0) }
    }

    /// - Returns: the context of the hook before.
    private func set(_ isActive: Bool) -> UnsafeMutableRawPointer? {
        handle.anchor.flatMap { clickstream_connection_hook($0, isActive) }
    }

    /// Returns true once after ``activate()``: SQLite has to prepare all statements again, also the one that begins, since code
    /// that was generated without the hook may delete all rows of a table without calling it.
    mutating func expiresStatements(before first: OpaquePointer) -> Bool {
        // A statement that changes rows refers to the schema.
        guard mustExpire, !handle.hasBusyChanges(beside: first) else { return false }
        mustExpire = false
        return true
    }
}
#endif
