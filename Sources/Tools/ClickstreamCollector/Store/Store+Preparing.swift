#if Collector
import GRDB

extension Store {
    /// Creates the tables of a new store, migrates an older one, validates the result, and judges its events by the plan. Other
    /// collectors may do the same at the same time.
    /// - Throws: ``CollectorError`` for a file that is not a store, has a newer layout, or a schema of another program;
    ///   ``StoreDamage``; errors of GRDB.
    static func prepare(
        _ queue: DatabaseQueue,
        _ path: String,
        _ decoder: UploadDecoder,
        _ opening: StoreOpening
    ) throws {
        let found = try queue.read { try layout(of: $0, path) }
        // Before the first table and outside of a transaction, so that free pages can be released later.
        if found == nil { try queue.inDatabase { try $0.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL") } }
        if found != StoreLayout.version {
            let former = try queue.write { try update($0, path, decoder, opening) }
            if let former { releasePages(of: queue, former) }
        }
        try queue.read { try StoreLayout.check($0) }
        try judge(queue, by: decoder, opening)
    }

    /// Creates the tables or migrates the store, within a transaction that writes. Does nothing if another collector has done so
    /// since the layout was read.
    /// - Returns: the former layout of a migrated store.
    /// - Throws: as ``prepare(_:_:_:_:)``, after which the transaction has to be rolled back.
    static func update(
        _ database: Database,
        _ path: String,
        _ decoder: UploadDecoder,
        _ opening: StoreOpening
    ) throws -> Int? {
        let former = try layout(of: database, path)
        if former == StoreLayout.version { return nil }
        if let former {
            try opening.begin(StorePreparation.migration, in: database)
            try StoreMigration.migrate(database, from: former, decoder, opening)
            // A store that is refused stays in its layout.
            try StoreLayout.check(database)
        } else {
            try database.execute(sql: StoreLayout.tables)
        }
        try database.execute(sql: "PRAGMA application_id = \(StoreLayout.applicationID)")
        try database.execute(sql: "PRAGMA user_version = \(StoreLayout.version)")
        return former
    }

    /// Layout of a store; `nil` for an empty file.
    /// - Throws: ``CollectorError`` for a file that is not a store, has a newer layout, or a schema of another program.
    static func layout(of database: Database, _ path: String) throws -> Int? {
        let application = try Int.fetchOne(database, sql: "PRAGMA application_id") ?? 0
        let layout = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
        let objects = try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM sqlite_master") ?? 0
        if (application, layout, objects) == (0, 0, 0) { return nil }
        if application != StoreLayout.applicationID { throw CollectorError.storeForeign(path: path) }
        if layout > StoreLayout.version { throw CollectorError.storeTooNew(path: path, layout: layout) }
        if let object = try StoreSchema.foreignObject(in: database) {
            throw CollectorError.storeAltered(path: path, object: object)
        }
        return layout
    }

    /// Releases the pages of the tables of the former layout.
    private static func releasePages(of queue: DatabaseQueue, _ former: Int) {
        // The migration is committed. A failure or a cancellation only leaves the file larger: new events use its free pages.
        try? queue.inDatabase { database in
            if former < 3 { try database.execute(sql: "VACUUM") }
            try database.execute(sql: "PRAGMA incremental_vacuum")
        }
    }
}
#endif
