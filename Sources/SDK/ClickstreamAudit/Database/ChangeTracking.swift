import CClickstreamSQLite

/// Mechanism that reports changes of rows.
package enum ChangeTracking: Sendable, Equatable {
    /// The hook if the SQLite library has it, otherwise triggers.
    case automatic
    /// SQLite's pre-update hook.
    case hook
    /// Temporary triggers on all tables while a scope is active.
    case triggers

    /// The mechanism for this SQLite library.
    var usable: ChangeTracking {
        switch self {
        case .automatic, .hook: clickstream_has_preupdate_hook() ? .hook : .triggers
        case .triggers: .triggers
        }
    }
}
