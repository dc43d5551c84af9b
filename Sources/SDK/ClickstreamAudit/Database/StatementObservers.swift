#if Audit
import GRDB

/// GRDB's observers of the statements and transactions of a connection. They make each statement of it more expensive, and are
/// added only while they are needed.
struct StatementObservers {
    private let handle: ConnectionHandle
    private var observers: [ChangeObserver] = []
    /// True if GRDB's calls for a deletion come from its execution; see ``ChangeObserver``.
    private(set) var isExecutingDeletion = false

    init(_ handle: ConnectionHandle) {
        self.handle = handle
    }

    /// Adds the observers with these roles, and removes others. GRDB calls them in this order.
    mutating func set(_ roles: [ChangeObserver.Role], for connection: ObservedConnection) {
        guard roles.count != observers.count else { return }
        let database = handle.owner
        for removed in observers { database.remove(transactionObserver: removed) }
        observers = roles.map { ChangeObserver(connection, $0) }
        for added in observers { database.add(transactionObserver: added, extent: .databaseLifetime) }
    }

    /// A deletion is prepared or about to be executed.
    /// - Parameter endsPreparation: true to be called again for its execution only.
    mutating func deletionIsAnnounced(endsPreparation: Bool) { isExecutingDeletion = endsPreparation }
}
#endif
