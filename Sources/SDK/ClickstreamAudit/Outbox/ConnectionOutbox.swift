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
    func write(_ rows: [OutboxRow], _ handle: ConnectionHandle) throws(StatementError) {
        let ended = owner.ended
        guard !(rows.isEmpty && ended.isEmpty && inserted.isEmpty) else { return }
        switch handle.lock(on: "main") {
        case CLICKSTREAM_TRANSACTION_NONE, CLICKSTREAM_TRANSACTION_READ:
            // The transaction changes other databases.
            return
        default: break
        }
        do throws(StatementError) {
            try write(rows, deleting: ended, handle)
        } catch {
            // The app may have dropped all tables. After another error, SQLite may have rolled back the transaction.
            guard error.status & 0xFF == SQLITE_ERROR else { throw error }
            try OutboxTable.create(handle.pointer)
            try write(rows, deleting: ended, handle)
        }
        inserted = rows
        deleted = ended
    }

    private func write(
        _ rows: [OutboxRow],
        deleting ended: [String],
        _ handle: ConnectionHandle
    ) throws(StatementError) {
        // The commit has failed, and is repeated.
        for row in inserted { try OutboxTable.delete(event: row.event, number: row.number, handle) }
        for event in ended { try OutboxTable.delete(event: event, handle) }
        for row in rows { try OutboxTable.insert(row, handle) }
    }

    /// The transaction has ended.
    func transactionEnded(isCommitted: Bool) {
        if isCommitted { owner.remove(deleted) }
        inserted = []
        deleted = []
    }
}
#endif
