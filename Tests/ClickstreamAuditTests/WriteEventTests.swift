#if Audit
import ClickstreamAudit
import GRDB
import Testing

/// Scope with statements, and its payloads.
struct ScopeCase: Sendable, CustomTestStringConvertible {
    let name: String
    let schema: String
    let statements: String
    let payloads: [String]

    init(_ name: String, _ schema: String, _ statements: String, _ payloads: String...) {
        self.name = name
        self.schema = schema
        self.statements = statements
        self.payloads = payloads
    }

    var testDescription: String { name }
}

@Suite("Write events")
struct WriteEventTests {
    private static let table =
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, b INTEGER); "
        + "INSERT INTO t VALUES (1, 'x', 10), (2, 'y', 20), (3, 'z', 30);"
    private static let keyed =
        "CREATE TABLE k (name TEXT PRIMARY KEY, n INTEGER) WITHOUT ROWID; "
        + "INSERT INTO k VALUES ('a', 1), ('b', 2);"
    private static let texts =
        "CREATE TABLE s (name TEXT PRIMARY KEY, n INTEGER); "
        + "INSERT INTO s VALUES ('a', 1), ('b', 2);"

    static let changes: [ScopeCase] = [
        ScopeCase(
            "insertion",
            table,
            "INSERT INTO t VALUES (4, 'w', NULL)",
            #"{"t":{"insertions":[{"id":4,"a":"w","b":null}]}}"#
        ),
        ScopeCase(
            "modification",
            table,
            "UPDATE t SET a = 'q' WHERE id = 2",
            #"{"t":{"modifications":[{"oldValue":{"id":2,"a":"y","b":20},"newValue":{"a":"q"}}]}}"#
        ),
        ScopeCase(
            "deletion",
            table,
            "DELETE FROM t WHERE id = 3",
            #"{"t":{"deletions":[{"id":3,"a":"z","b":30}]}}"#
        ),
        ScopeCase(
            "deletion of all rows",
            table,
            "DELETE FROM t",
            #"{"t":{"deletions":[{"id":1,"a":"x","b":10},{"id":2,"a":"y","b":20},{"id":3,"a":"z","b":30}]}}"#
        ),
        ScopeCase("no net change", table, "UPDATE t SET b = 11 WHERE id = 1; UPDATE t SET b = 10 WHERE id = 1"),
        ScopeCase("inserted and deleted", table, "INSERT INTO t VALUES (9, '', 0); DELETE FROM t WHERE id = 9"),
        ScopeCase("rolled back", table, "BEGIN; DELETE FROM t; ROLLBACK"),
        ScopeCase(
            "savepoint rolled back",
            table,
            "BEGIN; UPDATE t SET b = 0 WHERE id = 1; SAVEPOINT s; UPDATE t SET b = 1 WHERE id < 3; ROLLBACK TO s; COMMIT",
            #"{"t":{"modifications":[{"oldValue":{"id":1,"a":"x","b":10},"newValue":{"b":0}}]}}"#
        ),
        ScopeCase(
            "order of first touch, lists in their order",
            table,
            "UPDATE t SET b = 1 WHERE id = 3; DELETE FROM t WHERE id = 2; INSERT INTO t VALUES (8, 'n', 1); "
                + "UPDATE t SET b = 2 WHERE id = 1",
            #"{"t":{"insertions":[{"id":8,"a":"n","b":1}],"modifications":["#
                + #"{"oldValue":{"id":3,"a":"z","b":30},"newValue":{"b":1}},"#
                + #"{"oldValue":{"id":1,"a":"x","b":10},"newValue":{"b":2}}],"deletions":[{"id":2,"a":"y","b":20}]}}"#
        ),
        ScopeCase(
            "changed integer key",
            table,
            "UPDATE t SET id = 7 WHERE id = 1",
            #"{"t":{"insertions":[{"id":7,"a":"x","b":10}],"deletions":[{"id":1,"a":"x","b":10}]}}"#
        ),
        ScopeCase(
            "replaced row with the same number",
            table,
            "REPLACE INTO t VALUES (1, 'x', 99)",
            #"{"t":{"modifications":[{"oldValue":{"id":1,"a":"x","b":10},"newValue":{"b":99}}]}}"#
        ),
        ScopeCase(
            "replaced row with another number and the same key",
            texts,
            "REPLACE INTO s VALUES ('a', 5)",
            #"{"s":{"modifications":[{"oldValue":{"name":"a","n":1},"newValue":{"n":5}}]}}"#
        ),
        ScopeCase("replaced by itself", texts, "REPLACE INTO s VALUES ('a', 1)"),
        ScopeCase(
            "changed text key",
            texts,
            "UPDATE s SET name = 'c' WHERE name = 'a'",
            #"{"s":{"modifications":[{"oldValue":{"name":"a","n":1},"newValue":{"name":"c"}}]}}"#
        ),
        ScopeCase(
            "unique value taken over",
            "CREATE TABLE u (id INTEGER PRIMARY KEY, e TEXT UNIQUE); "
                + "INSERT INTO u VALUES (1, 'a'), (2, 'b')",
            "REPLACE INTO u VALUES (3, 'a')",
            #"{"u":{"insertions":[{"id":3,"e":"a"}],"deletions":[{"id":1,"e":"a"}]}}"#
        ),
        ScopeCase(
            "update or replace",
            "CREATE TABLE u (id INTEGER PRIMARY KEY, e TEXT UNIQUE); "
                + "INSERT INTO u VALUES (1, 'a'), (2, 'b')",
            "UPDATE OR REPLACE u SET e = 'a' WHERE id = 2",
            #"{"u":{"modifications":[{"oldValue":{"id":2,"e":"b"},"newValue":{"e":"a"}}],"deletions":[{"id":1,"e":"a"}]}}"#
        ),
        ScopeCase(
            "upsert",
            texts,
            "INSERT INTO s VALUES ('a', 1), ('c', 3) ON CONFLICT DO UPDATE SET n = n + 100",
            #"{"s":{"insertions":[{"name":"c","n":3}],"modifications":[{"oldValue":{"name":"a","n":1},"newValue":{"n":101}}]}}"#
        ),
        ScopeCase(
            "without rowid",
            keyed,
            "UPDATE k SET n = 5 WHERE name = 'a'; DELETE FROM k WHERE name = 'b'; INSERT INTO k VALUES ('c', 3)",
            #"{"k":{"insertions":[{"name":"c","n":3}],"modifications":[{"oldValue":{"name":"a","n":1},"newValue":{"n":5}}],"#
                + #""deletions":[{"name":"b","n":2}]}}"#
        ),
        ScopeCase(
            "changed key without rowid",
            keyed,
            "UPDATE k SET name = 'c' WHERE name = 'a'",
            #"{"k":{"insertions":[{"name":"c","n":1}],"deletions":[{"name":"a","n":1}]}}"#
        ),
        ScopeCase(
            "replaced without rowid",
            keyed,
            "REPLACE INTO k VALUES ('a', 7)",
            #"{"k":{"modifications":[{"oldValue":{"name":"a","n":1},"newValue":{"n":7}}]}}"#
        ),
        ScopeCase(
            "table without key",
            "CREATE TABLE n (a, b); INSERT INTO n VALUES (1, 2), (1, 2)",
            "UPDATE n SET b = 3 WHERE rowid = 2; INSERT INTO n VALUES (4, 5)",
            #"{"n":{"insertions":[{"a":4,"b":5}],"modifications":[{"oldValue":{"a":1,"b":2},"newValue":{"b":3}}]}}"#
        ),
        ScopeCase(
            "cascade",
            "PRAGMA foreign_keys = 1; CREATE TABLE p (id INTEGER PRIMARY KEY); "
                + "CREATE TABLE c (id INTEGER PRIMARY KEY, p INTEGER REFERENCES p ON DELETE CASCADE ON UPDATE CASCADE); "
                + "INSERT INTO p VALUES (1), (2); INSERT INTO c VALUES (10, 1), (20, 2)",
            "DELETE FROM p WHERE id = 1; UPDATE p SET id = 3",
            #"{"p":{"insertions":[{"id":3}],"deletions":[{"id":1},{"id":2}]},"#
                + #""c":{"modifications":[{"oldValue":{"id":20,"p":2},"newValue":{"p":3}}],"deletions":[{"id":10,"p":1}]}}"#
        ),
        ScopeCase(
            "trigger of the app",
            table + " CREATE TABLE log (m TEXT); INSERT INTO log VALUES ('old'); "
                + "CREATE TRIGGER tr AFTER UPDATE ON t BEGIN DELETE FROM log; INSERT INTO log VALUES (NEW.a); END;",
            "UPDATE t SET a = 'new' WHERE id = 1",
            #"{"t":{"modifications":[{"oldValue":{"id":1,"a":"x","b":10},"newValue":{"a":"new"}}]},"#
                + #""log":{"modifications":[{"oldValue":{"m":"old"},"newValue":{"m":"new"}}]}}"#
        ),
        ScopeCase(
            "view with a trigger",
            table + " CREATE VIEW v AS SELECT id, a FROM t; "
                + "CREATE TRIGGER i INSTEAD OF UPDATE ON v BEGIN UPDATE t SET a = NEW.a WHERE id = NEW.id; END;",
            "UPDATE v SET a = 'q' WHERE id = 1",
            #"{"t":{"modifications":[{"oldValue":{"id":1,"a":"x","b":10},"newValue":{"a":"q"}}]}}"#
        ),
        ScopeCase(
            "column that is younger than the row",
            "CREATE TABLE d (id INTEGER PRIMARY KEY); INSERT INTO d VALUES (1), (2); ALTER TABLE d ADD COLUMN n REAL DEFAULT 5;"
                + " ALTER TABLE d ADD COLUMN m TEXT",
            "UPDATE d SET n = 6 WHERE id = 1; DELETE FROM d WHERE id = 2",
            #"{"d":{"modifications":[{"oldValue":{"id":1,"n":5.0,"m":null},"newValue":{"n":6.0}}],"#
                + #""deletions":[{"id":2,"n":5.0,"m":null}]}}"#
        ),
        ScopeCase(
            "generated columns",
            "CREATE TABLE g (id INTEGER PRIMARY KEY, a INTEGER, v INTEGER AS (a * 2), s INTEGER AS (a * 3) STORED, z TEXT); "
                + "INSERT INTO g (id, a, z) VALUES (1, 1, 'z')",
            "UPDATE g SET a = 2",
            #"{"g":{"modifications":[{"oldValue":{"id":1,"a":1,"v":2,"s":3,"z":"z"},"newValue":{"a":2,"v":4,"s":6}}]}}"#
        ),
        ScopeCase(
            "generated columns without rowid, with an index on the key",
            "CREATE TABLE g (code TEXT PRIMARY KEY, n INTEGER, v TEXT AS (code || '!')) WITHOUT ROWID; "
                + "CREATE UNIQUE INDEX i ON g(code); INSERT INTO g (code, n) VALUES ('a', 1), ('b', 2)",
            "UPDATE g SET code = 'a' WHERE n = 1; UPDATE g SET n = 3 WHERE code = 'b'",
            #"{"g":{"modifications":[{"oldValue":{"code":"b","n":2,"v":"b!"},"newValue":{"n":3}}]}}"#
        ),
        ScopeCase(
            "blob columns",
            "CREATE TABLE b (id INTEGER PRIMARY KEY, d BLOB, n TEXT); INSERT INTO b VALUES (1, x'00', 'n')",
            "UPDATE b SET d = x'01'; INSERT INTO b VALUES (2, NULL, x'02')",
            #"{"b":{"insertions":[{"id":2}]}}"#
        ),
        ScopeCase("temporary table", "CREATE TEMP TABLE x (a)", "INSERT INTO x VALUES (1)"),
        ScopeCase(
            "table of the scope",
            "",
            "CREATE TABLE n (a); INSERT INTO n VALUES (1); ALTER TABLE n ADD COLUMN b DEFAULT 2",
            #"{"n":{"insertions":[{"a":1,"b":2}]}}"#
        ),
        ScopeCase(
            "table of the scope, after another statement",
            table,
            "UPDATE t SET a = 'q' WHERE id = 1; CREATE TABLE n (a); INSERT INTO n VALUES (1)",
            #"{"t":{"modifications":[{"oldValue":{"id":1,"a":"x","b":10},"newValue":{"a":"q"}}]},"n":{"insertions":[{"a":1}]}}"#
        ),
        ScopeCase(
            "column added in the scope",
            table,
            "UPDATE t SET a = 'q' WHERE id = 1; UPDATE t SET b = 20 WHERE id = 2; ALTER TABLE t ADD COLUMN c DEFAULT 5",
            #"{"t":{"modifications":[{"oldValue":{"id":1,"a":"x","b":10},"newValue":{"a":"q","c":5}}]}}"#
        ),
        ScopeCase(
            "column added between two changes",
            table,
            "UPDATE t SET a = 'q' WHERE id = 1; ALTER TABLE t ADD COLUMN c DEFAULT 5; UPDATE t SET c = 6 WHERE id = 2",
            #"{"t":{"modifications":[{"oldValue":{"id":1,"a":"x","b":10},"newValue":{"a":"q","c":5}},"#
                + #"{"oldValue":{"id":2,"a":"y","b":20,"c":5},"newValue":{"c":6}}]}}"#
        ),
        ScopeCase(
            "table with another name",
            table,
            "UPDATE t SET a = 'q' WHERE id = 1; DELETE FROM t WHERE id = 3; ALTER TABLE main.\"t\" RENAME TO 'new name'",
            #"{"new name":{"modifications":[{"oldValue":{"id":1,"a":"x","b":10},"newValue":{"a":"q"}}],"#
                + #""deletions":[{"id":3,"a":"z","b":30}]}}"#
        ),
        ScopeCase(
            "changes before and after another name",
            table,
            "UPDATE t SET a = 'q' WHERE id = 1; ALTER TABLE t RENAME TO u; UPDATE u SET b = 5 WHERE id < 3; "
                + "DELETE FROM u WHERE id = 3",
            #"{"u":{"modifications":[{"oldValue":{"id":1,"a":"x","b":10},"newValue":{"a":"q","b":5}},"#
                + #"{"oldValue":{"id":2,"a":"y","b":20},"newValue":{"b":5}}],"deletions":[{"id":3,"a":"z","b":30}]}}"#
        ),
        ScopeCase(
            "another name that is rolled back",
            table,
            "BEGIN; UPDATE t SET a = 'q' WHERE id = 1; SAVEPOINT s; ALTER TABLE t RENAME TO u; ROLLBACK TO s; "
                + "UPDATE t SET b = 5 WHERE id = 1; COMMIT",
            #"{"t":{"modifications":[{"oldValue":{"id":1,"a":"x","b":10},"newValue":{"a":"q","b":5}}]}}"#
        ),
        ScopeCase(
            "table that is replaced by a copy",
            table,
            "CREATE TABLE c (id INTEGER PRIMARY KEY, a TEXT, b INTEGER); INSERT INTO c SELECT * FROM t; DROP TABLE t; "
                + "ALTER TABLE c RENAME TO t"
        ),
        ScopeCase(
            "failed replacement of a row of the scope",
            "PRAGMA foreign_keys = 1; CREATE TABLE p (code TEXT PRIMARY KEY, v TEXT, ref TEXT REFERENCES p(code)); "
                + "INSERT INTO p VALUES ('q', NULL, 'q')",
            "INSERT INTO p VALUES ('a', 'd', 'q'); REPLACE INTO p VALUES ('a', NULL, 'nokey')",
            #"{"p":{"insertions":[{"code":"a","v":"d","ref":"q"}]}}"#
        ),
        ScopeCase(
            "statement that fails in a foreign key action",
            "PRAGMA foreign_keys = 1; CREATE TABLE o (code TEXT PRIMARY KEY, "
                + "ref TEXT REFERENCES o(code) ON UPDATE RESTRICT) WITHOUT ROWID",
            "INSERT INTO o VALUES ('b', 'b'); UPDATE OR REPLACE o SET code = 'c'",
            #"{"o":{"insertions":[{"code":"b","ref":"b"}]}}"#
        ),
        ScopeCase(
            "statement that fails without a rollback",
            "CREATE TABLE i (code TEXT PRIMARY KEY)",
            "INSERT OR FAIL INTO i VALUES ('x'), ('x'), ('a')",
            #"{"i":{"insertions":[{"code":"x"}]}}"#
        ),
        ScopeCase(
            "row number of another row, refused and replaced",
            "CREATE TABLE w (a TEXT); INSERT INTO w(rowid, a) VALUES (0, 'x'), (1, 'y'), (2, 'z')",
            "UPDATE OR IGNORE w SET rowid = 0 WHERE a = 'y'; UPDATE OR REPLACE w SET rowid = 2 WHERE a = 'y'",
            #"{"w":{"modifications":[{"oldValue":{"a":"z"},"newValue":{"a":"y"}}],"deletions":[{"a":"y"}]}}"#
        ),
        ScopeCase("dropped table of the scope", "", "CREATE TABLE n (a); INSERT INTO n VALUES (1); DROP TABLE n"),
        ScopeCase(
            "attached database",
            "ATTACH ':memory:' AS other; CREATE TABLE other.o (a); CREATE TABLE o (a)",
            "INSERT INTO other.o VALUES (1); INSERT INTO o VALUES (2)",
            #"{"other.o":{"insertions":[{"a":1}]},"o":{"insertions":[{"a":2}]}}"#
        ),
        ScopeCase(
            "names with quotation marks",
            #"CREATE TABLE "a'b""c" ("x""y" TEXT, "select" TEXT)"#,
            #"INSERT INTO "a'b""c" VALUES ('"', '\')"#,
            #"{"a'b\"c":{"insertions":[{"x\"y":"\"","select":"\\"}]}}"#
        ),
        ScopeCase(
            "failed statement",
            table,
            "INSERT OR IGNORE INTO t VALUES (1, 'q', 0), (5, 'v', 50)",
            #"{"t":{"insertions":[{"id":5,"a":"v","b":50}]}}"#
        ),
        ScopeCase(
            "copied rows",
            table + " CREATE TABLE t2 (id INTEGER PRIMARY KEY, a TEXT, b INTEGER);",
            "INSERT INTO t2 SELECT * FROM t WHERE id > 1",
            #"{"t2":{"insertions":[{"id":2,"a":"y","b":20},{"id":3,"a":"z","b":30}]}}"#
        ),
        ScopeCase(
            "copied table",
            table + " CREATE TABLE t2 (id INTEGER PRIMARY KEY, a TEXT, b INTEGER);",
            "INSERT INTO t2 SELECT * FROM t",
            #"{"t2":{"insertions":[{"id":1,"a":"x","b":10},{"id":2,"a":"y","b":20},{"id":3,"a":"z","b":30}]}}"#
        ),
    ]

    @Test("net change", arguments: [ChangeTracking.hook, .triggers], changes)
    func netChange(tracking: ChangeTracking, test: ScopeCase) throws {
        let database = try AuditedDatabase(test.schema, tracking: tracking)
        #expect(try database.payloads(of: test.statements) == test.payloads)
        #expect(database.reports.errors == [])
    }

    @Test("net change, with the statements in one transaction", arguments: [ChangeTracking.hook, .triggers], changes)
    func netChangeOfTransaction(tracking: ChangeTracking, test: ScopeCase) throws {
        guard !test.statements.contains("BEGIN"), !test.statements.contains("FAIL"),
            !test.name.contains("failed replacement"), !test.name.contains("foreign key action")
        else { return }
        let database = try AuditedDatabase(test.schema, tracking: tracking)
        let found = try database.scope { queue in try queue.write { try $0.execute(sql: test.statements) } }
        #expect(found == test.payloads)
    }

    @Test(
        "statements that were prepared before the scope",
        arguments: [ChangeTracking.hook, .triggers],
        [false, true]
    )
    func preparedBefore(tracking: ChangeTracking, isInTransaction: Bool) throws {
        let database = try AuditedDatabase(Self.table, tracking: tracking)
        let sql = "DELETE FROM t"
        try database.queue.write { try $0.cachedStatement(sql: sql).execute() }
        try database.execute("INSERT INTO t VALUES (1, 'x', 10)")
        let found = try database.scope { queue in
            if isInTransaction {
                try queue.write { try $0.cachedStatement(sql: sql).execute() }
            } else {
                try queue.writeWithoutTransaction { try $0.cachedStatement(sql: sql).execute() }
            }
        }
        #expect(found == [#"{"t":{"deletions":[{"id":1,"a":"x","b":10}]}}"#])
    }

    @Test(
        "first statement of a scope, prepared before, with a cascade and a trigger that deletes all rows of a table",
        arguments: [ChangeTracking.hook, .triggers],
        [
            "DELETE FROM t", "DELETE FROM t WHERE a = 1", "/* all */ delete from main . [t]",
            "WITH x AS (SELECT 1 AS n) DELETE FROM t WHERE a IN (SELECT n FROM x)",
        ]
    )
    func actionsOfFirstStatement(tracking: ChangeTracking, sql: String) throws {
        let database = try AuditedDatabase(
            "PRAGMA foreign_keys = 1; CREATE TABLE t (a INTEGER PRIMARY KEY); INSERT INTO t VALUES (1); "
                + "CREATE TABLE log (m); INSERT INTO log VALUES ('old'), ('x'); "
                + "CREATE TABLE c (t INTEGER REFERENCES t ON DELETE CASCADE); INSERT INTO c VALUES (1); "
                + "CREATE TRIGGER tr AFTER DELETE ON c BEGIN DELETE FROM LOG; END",
            tracking: tracking
        )
        let statement = try database.queue.inDatabase { try $0.makeStatement(sql: sql) }
        let found = try database.scope { queue in try queue.writeWithoutTransaction { _ in try statement.execute() } }
        #expect(found.count == 1)
        let lists = [#""t":{"deletions":[{"a":1}]}"#, #""c":{"deletions":[{"t":1}]}"#]
        for list in lists + [#""log":{"deletions":[{"m":"old"},{"m":"x"}]}"#] {
            #expect(found.first?.contains(list) == true, "\(list) in \(found)")
        }
    }

    @Test(
        "first statement of a scope, prepared before, while a query has not returned all its rows",
        arguments: [ChangeTracking.hook, .triggers]
    )
    func firstStatementBesideQuery(tracking: ChangeTracking) throws {
        let database = try AuditedDatabase(Self.table, tracking: tracking)
        let (found, rest) = try database.queue.inDatabase { db in
            let deletion = try db.makeStatement(sql: "DELETE FROM t")
            let query = try Int.fetchCursor(db, sql: "SELECT value FROM json_each('[1,2,3]')")
            _ = try query.next()
            let found = try database.scope { _ in try deletion.execute() }
            return (found, [try query.next(), try query.next(), try query.next()])
        }
        #expect(found.count == 1)
        #expect(found.first?.contains(#"{"t":{"deletions":[{"id":1,"a":"x","b":10},{"id":2,"#) == true)
        #expect(rest == [2, 3, nil])
    }

    @Test("the setting writable_schema stays as it is", arguments: [0, 1])
    func writableSchema(setting: Int) throws {
        let database = try AuditedDatabase(Self.table)
        try database.execute("PRAGMA writable_schema = \(setting)")
        #expect(try database.payloads(of: "DELETE FROM t").count == 1)
        let found = try database.queue.inDatabase { try Int.fetchOne($0, sql: "PRAGMA writable_schema") }
        #expect(found == setting)
    }

    @Test("several transactions, and a scope that ends in one", arguments: [ChangeTracking.hook, .triggers])
    func transactions(tracking: ChangeTracking) throws {
        let database = try AuditedDatabase(Self.table, tracking: tracking)
        let scope = database.events.beginScope(activity: "test")
        try database.queue.write { try $0.execute(sql: "UPDATE t SET b = 1 WHERE id = 1") }
        try database.queue.write { try $0.execute(sql: "UPDATE t SET b = 2 WHERE id = 1; DELETE FROM t WHERE id = 2") }
        try database.queue.write { connection in
            try connection.execute(sql: "UPDATE t SET b = 3 WHERE id = 1; DELETE FROM t WHERE id = 3")
            scope.commit()
        }
        #expect(
            database.payloads == [
                #"{"t":{"modifications":[{"oldValue":{"id":1,"a":"x","b":10},"newValue":{"b":2}}],"#
                    + #""deletions":[{"id":2,"a":"y","b":20}]}}"#
            ]
        )
        // After the scope nothing is recorded, and no trigger is left.
        try database.execute("DELETE FROM t")
        #expect(database.store.events.count == 1)
        let triggers = try database.queue.read { db in
            try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM sqlite_temp_master WHERE type = 'trigger'")
        }
        #expect(triggers == 0)
    }

    @Test("overlapping scopes: each has the state at its own first touch", arguments: [ChangeTracking.hook, .triggers])
    func overlapping(tracking: ChangeTracking) throws {
        let database = try AuditedDatabase(Self.table, tracking: tracking)
        let one = database.events.beginScope(activity: "one")
        try database.execute("UPDATE t SET b = 1 WHERE id = 1")
        let two = database.events.beginScope(activity: "two")
        try database.execute("UPDATE t SET b = 2 WHERE id = 1")
        one.commit()
        try database.execute("UPDATE t SET b = 3 WHERE id = 1")
        two.commit()
        func payload(_ old: Int, _ new: Int) -> String {
            #"{"t":{"modifications":[{"oldValue":{"id":1,"a":"x","b":\#(old)},"newValue":{"b":\#(new)}}]}}"#
        }
        #expect(database.payloads == [payload(10, 2), payload(1, 3)])
    }
}
#endif
