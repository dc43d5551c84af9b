#if Audit
import CClickstreamSQLite
import GRDBSQLite

/// Outbox of one connection: what its open transaction has written there. Belongs to the connection's transaction.
final class ConnectionOutbox {
    let owner: OutboxOwner
    /// The rows that the open transaction has inserted.
    private var inserted: [OutboxRow] = []
    /// The scopes whose rows the open transaction has deleted.
    private var deleted: [String] = []

    init(_ owner: OutboxOwner) {
        self.owner = owner
    }

    /// Writes rows, and deletes those of scopes that have ended, before the commit of a transaction.
    func write(_ rows: [OutboxRow], _ connection: ObservedConnection) throws(StatementError) {
        let ended = owner.ended
        guard !(rows.isEmpty && ended.isEmpty && inserted.isEmpty) else { return }
        switch connection.lock(on: "main") {
        case CLICKSTREAM_TRANSACTION_NONE, CLICKSTREAM_TRANSACTION_READ:
            // The transaction changes other databases.
            return
        default: break
        }
        do throws(StatementError) {
            try write(rows, deleting: ended, connection)
        } catch {
            // The app may have dropped all tables. After another error, SQLite may have rolled back the transaction.
            guard error.status & 0xFF == SQLITE_ERROR else { throw error }
            try OutboxTable.create(connection.pointer)
            try write(rows, deleting: ended, connection)
        }
        inserted = rows
        deleted = ended
    }

    private func write(
        _ rows: [OutboxRow],
        deleting ended: [String],
        _ connection: ObservedConnection
    ) throws(StatementError) {
        // The commit has failed, and is repeated.
        for row in inserted { try OutboxTable.delete(event: row.event, number: row.number, connection) }
        for event in ended { try OutboxTable.delete(event: event, connection) }
        for row in rows { try OutboxTable.insert(row, connection) }
    }

    /// The transaction has ended.
    func transactionEnded(isCommitted: Bool) {
        if isCommitted { owner.remove(deleted) }
        inserted = []
        deleted = []
    }
}
#endif
