#if Audit
import GRDB

/// Observer of the statements and transactions of one connection.
///
/// GRDB calls `observes(eventsOfKind:)` before it executes a statement, and also while it prepares a deletion, where SQLite
/// executes no other statement. It does not report which: a preparation ends at the first observer that returns true, an
/// execution is reported to all. So there are two observers: while the first returns true, the second is called for
/// executions only.
final class ChangeObserver: TransactionObserver {
    enum Role {
        /// Ends the calls of a preparation. Added first.
        case preparations
        /// Handles executions, and the ends of transactions.
        case executions
    }

    // Lives until the connection is closed, and thus longer than any call of GRDB; it retains this object.
    private unowned(unsafe) let connection: ObservedConnection
    private let role: Role

    init(_ connection: ObservedConnection, _ role: Role) {
        self.connection = connection
        self.role = role
    }

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool {
        if case .preparations = role {
            if case .delete = eventKind { return connection.deletionAnnounced() }
            return false
        }
        connection.willExecute(eventKind)
        return false
    }

    func databaseDidChange(with event: DatabaseEvent) {}

    func databaseDidCommit(_ db: Database) {
        if case .executions = role { connection.transactionEnded(isCommitted: true) }
    }

    func databaseDidRollback(_ db: Database) {
        if case .executions = role { connection.transactionEnded(isCommitted: false) }
    }
}
#endif
