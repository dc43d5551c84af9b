#if Audit
import ClickstreamAudit
import GRDB
import Testing

/// Differences of the two mechanisms, and of a database with triggers from one without.
@Suite("Triggers")
struct TriggerTests {
    private static let mechanisms: [ChangeTracking] = [.hook, .triggers]

    @Test("are installed again after a statement that rolls back their transaction", arguments: mechanisms)
    func rollbackByStatement(tracking: ChangeTracking) throws {
        let database = try AuditedDatabase(
            "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT UNIQUE); INSERT INTO t VALUES (1, 'x')",
            tracking: tracking
        )
        let found = try database.payloads(
            of: """
                BEGIN; INSERT INTO t VALUES (2, 'y'); INSERT OR ROLLBACK INTO t VALUES (3, 'x');
                INSERT INTO t VALUES (4, 'w'); BEGIN; UPDATE t SET a = 'v' WHERE id = 4; COMMIT
                """
        )
        #expect(found == [#"{"t":{"insertions":[{"id":4,"a":"v"}]}}"#])
    }

    @Test("leave the number of the last inserted row as it is without them, except for a failed foreign key")
    func lastRow() throws {
        func numbers(_ tracking: ChangeTracking) throws -> [Int64] {
            let database = try AuditedDatabase(
                "PRAGMA foreign_keys = 1; "
                    + "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT UNIQUE, r INTEGER REFERENCES t)",
                tracking: tracking
            )
            let scope = database.events.beginScope(activity: "test")
            defer { scope.cancel() }
            return database.queue.inDatabase { db in
                [
                    "INSERT INTO t VALUES (1, 'a', NULL)", "INSERT INTO t VALUES (5, 'a', NULL)",
                    "INSERT INTO t VALUES (6, 'q', NULL), (7, 'a', NULL)",
                    "INSERT OR FAIL INTO t VALUES (15, 'r', NULL), (16, 'a', NULL)",
                    "INSERT INTO t VALUES (9, 'z', 77)",
                    "INSERT INTO t VALUES (20, 'k', NULL)",
                ].map { sql in
                    try? db.execute(sql: sql)  // most of them fail
                    return db.lastInsertedRowID
                }
            }
        }
        #expect(try numbers(.hook) == [1, 1, 6, 15, 15, 20])
        // SQLite rejects the only row of a statement before it is inserted, unless the table has a trigger.
        #expect(try numbers(.triggers) == [1, 1, 6, 15, 9, 20])
    }

    /// SQLite reads its schema again after the triggers were installed, by a query that may have the address of an earlier one.
    @Test("record no rows of the schema", arguments: mechanisms)
    func schemaRows(tracking: ChangeTracking) throws {
        let database = try AuditedDatabase(
            "CREATE TABLE t (a TEXT PRIMARY KEY, b, c, d, e) WITHOUT ROWID; CREATE TABLE u (a); CREATE INDEX i ON u (a)",
            tracking: tracking
        )
        #expect(
            try database.payloads(
                of: "SELECT * FROM t WHERE b > 1; SAVEPOINT s; RELEASE s; INSERT INTO t VALUES (1, 2, 3, 4, 5)"
            )
                == [#"{"t":{"insertions":[{"a":"1","b":2,"c":3,"d":4,"e":5}]}}"#]
        )
    }

    @Test("make SQLite check a foreign key with SET NULL that it omits in a replacement without them")
    func uncheckedKey() throws {
        func failure(_ tracking: ChangeTracking) throws -> ResultCode? {
            let database = try AuditedDatabase(
                "PRAGMA foreign_keys = 1; "
                    + "CREATE TABLE t (id TEXT PRIMARY KEY, r TEXT UNIQUE REFERENCES t ON DELETE SET NULL)",
                tracking: tracking
            )
            let scope = database.events.beginScope(activity: "test")
            defer { scope.cancel() }
            do {
                try database.execute("REPLACE INTO t VALUES ('a', 'missing')")
                return nil
            } catch let error as DatabaseError {
                return error.extendedResultCode
            }
        }
        #expect(try failure(.hook) == nil)
        #expect(try failure(.triggers) == .SQLITE_CONSTRAINT_FOREIGNKEY)
    }

    @Test("make SQLite undo a statement that fails with FAIL in an action of a foreign key")
    func failureInAction() throws {
        func rows(_ tracking: ChangeTracking) throws -> Int? {
            let database = try AuditedDatabase(
                "PRAGMA foreign_keys = 1; CREATE TABLE t (id INTEGER PRIMARY KEY); "
                    + "CREATE TABLE u (r INTEGER REFERENCES t ON DELETE CASCADE); "
                    + "CREATE TRIGGER refusal BEFORE DELETE ON u BEGIN SELECT RAISE(FAIL, 'refused'); END; "
                    + "INSERT INTO t VALUES (1); INSERT INTO u VALUES (1)",
                tracking: tracking
            )
            let scope = database.events.beginScope(activity: "test")
            defer { scope.cancel() }
            return try database.queue.inDatabase { db in
                try db.execute(sql: "SAVEPOINT s")
                #expect(throws: DatabaseError.self) { try db.execute(sql: "DELETE FROM t") }
                defer { try? db.execute(sql: "ROLLBACK TO s; RELEASE s") }  // the transaction is still open
                return try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t")
            }
        }
        #expect(try rows(.hook) == 0)
        #expect(try rows(.triggers) == 1)
    }

    @Test("can make SQLite visit the rows of an UPDATE in another order")
    func order() throws {
        func changes(_ tracking: ChangeTracking) throws -> Int {
            let database = try AuditedDatabase(
                "CREATE TABLE t (a UNIQUE, b INTEGER, c TEXT, PRIMARY KEY (c, b)) WITHOUT ROWID; "
                    + "CREATE UNIQUE INDEX i ON t (b); INSERT INTO t VALUES (0, 9, 'b'), (1, 2, 'c')",
                tracking: tracking
            )
            let scope = database.events.beginScope(activity: "test")
            defer { scope.cancel() }
            return database.queue.inDatabase { db in
                #expect(throws: DatabaseError.self) {
                    try db.execute(sql: "UPDATE OR FAIL t SET a = 1 WHERE c IS NOT NULL")
                }
                return db.changesCount
            }
        }
        #expect(try changes(.hook) == 1)
        #expect(try changes(.triggers) == 0)
    }

    @Test("make SQLite read a query to its end before a replacement deletes its rows")
    func replacementOfRowsOfItsQuery() throws {
        func changes(_ tracking: ChangeTracking) throws -> Int {
            let database = try AuditedDatabase(
                "PRAGMA foreign_keys = 1; CREATE TABLE t (id INTEGER PRIMARY KEY); "
                    + "CREATE TABLE u (r INTEGER REFERENCES t ON DELETE CASCADE); "
                    + "INSERT INTO t VALUES (1); INSERT INTO u VALUES (1), (1)",
                tracking: tracking
            )
            let scope = database.events.beginScope(activity: "test")
            defer { scope.cancel() }
            return try database.queue.inDatabase { db in
                try db.execute(sql: "INSERT OR REPLACE INTO t SELECT r FROM u")
                return db.changesCount
            }
        }
        #expect(try changes(.hook) == 1)
        #expect(try changes(.triggers) == 2)
    }

    @Test("keep the deferral of foreign keys in an open transaction", arguments: mechanisms)
    func deferral(tracking: ChangeTracking) throws {
        let database = try AuditedDatabase(
            "PRAGMA foreign_keys = 1; CREATE TABLE t (id INTEGER PRIMARY KEY, r INTEGER REFERENCES t)",
            tracking: tracking
        )
        let found = try database.queue.inDatabase { db in
            try db.execute(sql: "BEGIN; PRAGMA defer_foreign_keys = ON")
            return try database.scope { _ in
                try db.execute(sql: "INSERT INTO t VALUES (1, 2); INSERT INTO t VALUES (2, 1); COMMIT")
            }
        }
        #expect(found == [#"{"t":{"insertions":[{"id":1,"r":2},{"id":2,"r":1}]}}"#])
    }

    @Test("report rows that a trigger of the app deletes in its own table", arguments: mechanisms)
    func nestedDeletion(tracking: ChangeTracking) throws {
        let database = try AuditedDatabase(
            "CREATE TABLE t (id INTEGER PRIMARY KEY); INSERT INTO t VALUES (1), (2), (3); "
                + "CREATE TRIGGER tr AFTER DELETE ON t BEGIN DELETE FROM t WHERE id = OLD.id + 1; END",
            tracking: tracking
        )
        #expect(
            try database.payloads(of: "DELETE FROM t WHERE id = 1") == [#"{"t":{"deletions":[{"id":1},{"id":2}]}}"#]
        )
    }
}
#endif
