#if Audit
import ClickstreamCore
import GRDBSQLite

/// Transfer of the rows of ended processes from an outbox to the queue, when a connection is opened.
///
/// The lock of a process is held meanwhile: of several processes that open the database at the same time, one sends its
/// rows. An event is marked as ended between its storage and the deletion of its rows. If this process dies between storage
/// and mark, the event is stored again with the same identifier and content.
struct OutboxRecovery {
    let events: Audit.Events
    let connection: OpaquePointer
    /// The file of the database.
    let database: String
    private let files: any FileSystem

    init(_ events: Audit.Events, _ connection: OpaquePointer, database: String) {
        self.events = events
        self.connection = connection
        self.database = database
        files = events.files
    }

    /// Sends the rows of all ended processes.
    /// - Parameter current: this process.
    func run(without current: String) {
        do throws(StatementError) {
            // A folder that cannot be listed has files that are without effect.
            let names = (try? OutboxOwner.owners(of: database, files)) ?? []
            for id in try OutboxTable.owners(connection).union(names).sorted() where id != current { recover(id) }
        } catch {
            report(error.message)
        }
    }

    private func recover(_ id: String) {
        do throws(FileError) {
            guard let owner = try OutboxOwner.open(id, of: database, files) else { return }
            if send(owner) { try owner.removeFile() }
        } catch {
            report("\(error)")
        }
    }

    /// Sends the rows of an ended process.
    /// - Returns: false if rows remain.
    private func send(_ owner: OutboxOwner) -> Bool {
        do throws(StatementError) {
            let rows = try OutboxTable.rows(of: owner.id, connection)
            let ended = Set(owner.ended)
            var isEmpty = true
            var start = rows.startIndex
            while start < rows.endIndex {
                let event = rows[start].event
                let end = rows[start...].firstIndex { $0.event != event } ?? rows.endIndex
                if ended.contains(event) || store(rows[start..<end], owner) {
                    try OutboxTable.delete(event: event, connection)
                } else {
                    isEmpty = false
                }
                start = end
            }
            return isEmpty
        } catch {
            report(error.message)
            return false
        }
    }

    /// Stores the write event of a scope.
    /// - Returns: false if the rows have to be kept.
    private func store(_ rows: ArraySlice<OutboxRow>, _ owner: OutboxOwner) -> Bool {
        do throws(OutboxFormatError) {
            guard let event = try OutboxReplay.event(of: rows) else { return true }
            guard events.storeRecovered(event) else { return false }
        } catch {
            report("the changes of the event \(rows.first?.event ?? "") cannot be read")
            return false
        }
        do throws(FileError) {
            try owner.end(rows.first?.event ?? "")
        } catch {
            // The rows are deleted at once.
            report("\(error)")
        }
        return true
    }

    private func report(_ reason: String) {
        events.report(.outbox(database: database, reason: reason))
    }
}

extension ObservedConnection {
    /// Opens the outbox of the connection's database, and empties it of the rows of ended processes.
    func openOutbox() {
        guard events.configuration.usesOutbox, !handle.isReadOnly else { return }
        let database = schemas.path(of: "main")
        let isFile = sqlite3_db_filename(handle.pointer, "main").map { $0.pointee != 0 } ?? false
        handle.internally { () -> Void in
            do throws(StatementError) {
                // Also in memory: GRDB's migrator compares schemas with those of a database there.
                try OutboxTable.create(handle.pointer)
            } catch {
                return events.report(.outbox(database: database, reason: error.message))
            }
            guard isFile else { return }
            do throws(FileError) {
                guard let owner = try events.outbox(of: database) else { return }
                transaction.add(ConnectionOutbox(owner))
                OutboxRecovery(events, handle.pointer, database: database).run(without: owner.id)
            } catch {
                events.report(.outbox(database: database, reason: "\(error)"))
            }
        }
    }
}
#endif
