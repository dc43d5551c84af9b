#if Audit
import ClickstreamAudit
import ClickstreamCore
import GRDB
import Testing

@Suite("Read events")
struct ReadEventTests {
    private static let shop = """
        CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT, boss INTEGER REFERENCES author(id));
        CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT, author INTEGER REFERENCES author(id));
        CREATE TABLE tag (name TEXT PRIMARY KEY, n INTEGER) WITHOUT ROWID;
        CREATE TABLE note (a, b);
        CREATE VIEW titles AS SELECT id, title FROM book;
        CREATE VIEW all_names AS SELECT name FROM author UNION SELECT name FROM tag;
        INSERT INTO author VALUES (1, 'Ann', NULL), (2, 'Bo', 1);
        INSERT INTO book VALUES (10, 'X', 1), (20, 'Y', 2), (30, 'Z', NULL);
        INSERT INTO tag VALUES ('t', 1), ('u', 2);
        INSERT INTO note VALUES (1, 2), (1, 2), (3, NULL);
        """

    static let reads: [ScopeCase] = [
        ScopeCase(
            "columns",
            shop,
            "SELECT title, id FROM book WHERE id = 10",
            #"{"type":"book","value":[{"id":10,"title":"X"}]}"#
        ),
        ScopeCase(
            "each row once, columns added, order of first read",
            shop,
            "SELECT id FROM book WHERE id = 20; SELECT id, title FROM book ORDER BY id",
            #"{"type":"book","value":[{"id":20,"title":"Y"},{"id":10,"title":"X"},{"id":30,"title":"Z"}]}"#
        ),
        ScopeCase(
            "first value of a column",
            shop,
            "SELECT id, title FROM book WHERE id = 10; UPDATE book SET title = 'N' WHERE id = 10; SELECT * FROM book WHERE id = 10",
            #"{"type":"book","value":[{"id":10,"title":"X","author":1}]}"#,
            #"{"book":{"modifications":[{"oldValue":{"id":10,"title":"X","author":1},"newValue":{"title":"N"}}]}}"#
        ),
        ScopeCase(
            "rows without their key, by their values",
            shop,
            "SELECT name FROM author; SELECT a, b FROM note",
            #"{"type":"author","value":[{"name":"Ann"},{"name":"Bo"}]}"#,
            #"{"type":"note","value":[{"a":1,"b":2},{"a":3,"b":null}]}"#
        ),
        ScopeCase(
            "row numbers",
            shop,
            "SELECT rowid, a FROM note; SELECT rowid, b FROM note",
            #"{"type":"note","value":[{"a":1,"b":2},{"a":1,"b":2},{"a":3,"b":null}]}"#
        ),
        ScopeCase(
            "text key",
            shop,
            "SELECT * FROM tag WHERE name = 'u'; SELECT name FROM tag",
            #"{"type":"tag","value":[{"name":"u","n":2},{"name":"t"}]}"#
        ),
        ScopeCase(
            "view",
            shop,
            "SELECT * FROM titles WHERE id = 10",
            #"{"type":"book","value":[{"id":10,"title":"X"}]}"#
        ),
        ScopeCase(
            "followed link",
            shop,
            "SELECT * FROM book; SELECT * FROM author WHERE id = 1",
            #"{"type":"book","value":[{"id":10,"title":"X","author":{"id":1,"name":"Ann","boss":null}},"#
                + #"{"id":20,"title":"Y","author":2},{"id":30,"title":"Z","author":null}]}"#,
            #"{"type":"author","value":[{"id":1,"name":"Ann","boss":null}]}"#
        ),
        ScopeCase(
            "links of a followed link are keys",
            shop,
            "SELECT * FROM author",
            #"{"type":"author","value":[{"id":1,"name":"Ann","boss":null},{"id":2,"name":"Bo","boss":{"id":1,"name":"Ann","boss":null}}]}"#
        ),
        ScopeCase(
            "join",
            shop,
            "SELECT book.*, author.* FROM book JOIN author ON author.id = book.author WHERE book.id = 20",
            #"{"type":"book","value":[{"id":20,"title":"Y","author":{"id":2,"name":"Bo","boss":1}}]}"#,
            #"{"type":"author","value":[{"id":2,"name":"Bo","boss":1}]}"#
        ),
        ScopeCase(
            "outer join without a match",
            shop,
            "SELECT book.id, author.name FROM book LEFT JOIN author ON author.id = book.author WHERE book.id = 30",
            #"{"type":"book","value":[{"id":30}]}"#
        ),
        ScopeCase(
            "self-join",
            shop,
            "SELECT a.*, b.* FROM author a JOIN author b ON a.boss = b.id",
            #"{"type":"author","value":[{"id":2,"name":"Bo","boss":{"id":1,"name":"Ann","boss":null}},{"id":1,"name":"Ann","boss":null}]}"#
        ),
        ScopeCase(
            "self-join whose columns cannot be told apart",
            shop,
            "SELECT a.id, b.name FROM author a JOIN author b ON a.boss = b.id",
            #"{"type":"author","value":[{"id":2},{"name":"Ann"}]}"#
        ),
        ScopeCase(
            "names that are keywords or several words",
            #"CREATE TABLE "Order" (a, b); CREATE TABLE "item ""x""" (a, b); INSERT INTO "Order" VALUES (1, 2); "#
                + #"INSERT INTO "item ""x""" VALUES (3, 4); CREATE VIEW v AS SELECT * FROM "Order""#,
            #"SELECT * FROM "Order" ORDER BY a; SELECT a, b FROM "item ""x"""; SELECT * FROM v"#,
            #"{"type":"Order","value":[{"a":1,"b":2}]}"#,
            #"{"type":"item \"x\"","value":[{"a":3,"b":4}]}"#
        ),
        ScopeCase(
            "subquery of the same table",
            shop,
            "SELECT id, name FROM author WHERE id IN (SELECT boss FROM author)",
            #"{"type":"author","value":[{"id":1,"name":"Ann"}]}"#
        ),
        ScopeCase(
            "count",
            shop,
            "SELECT COUNT(*) FROM author",
            #"{"type":"author","value":null,"columns":["id","name","boss"]}"#
        ),
        ScopeCase(
            "expressions",
            shop,
            "SELECT id, upper(name) FROM author WHERE id = 1; SELECT MAX(n) FROM tag",
            #"{"type":"author","value":[{"id":1}]}"#,
            #"{"type":"author","value":null,"columns":["id","name"]}"#,
            #"{"type":"tag","value":null,"columns":["n"]}"#
        ),
        ScopeCase(
            "compound",
            shop,
            "SELECT name FROM tag UNION ALL SELECT name FROM author",
            #"{"type":"author","value":null,"columns":["name"]}"#,
            #"{"type":"tag","value":null,"columns":["name"]}"#
        ),
        ScopeCase(
            "compound view",
            shop,
            "SELECT * FROM all_names",
            #"{"type":"author","value":null,"columns":["name"]}"#,
            #"{"type":"tag","value":null,"columns":["name"]}"#
        ),
        ScopeCase(
            "foreign keys with another type than their target",
            "CREATE TABLE p (id INTEGER PRIMARY KEY); INSERT INTO p VALUES (5); CREATE TABLE q (k TEXT PRIMARY KEY);"
                + "INSERT INTO q VALUES ('5');"
                + "CREATE TABLE c (t TEXT REFERENCES p, d DECIMAL REFERENCES p, i INT REFERENCES q);"
                + "INSERT INTO c VALUES ('5', 5, 5)",
            "SELECT * FROM p; SELECT * FROM q; SELECT * FROM c",
            #"{"type":"p","value":[{"id":5}]}"#,
            #"{"type":"q","value":[{"k":"5"}]}"#,
            #"{"type":"c","value":[{"t":{"id":5},"d":{"id":5},"i":{"k":"5"}}]}"#
        ),
        ScopeCase(
            "a full-text index, whose own tables are read by SQLite",
            "CREATE VIRTUAL TABLE note USING fts5 (text); INSERT INTO note VALUES ('hello')",
            "SELECT * FROM note WHERE note MATCH 'hello'; SELECT count(*) FROM note_content",
            #"{"type":"note","value":[{"text":"hello"}]}"#
        ),
        ScopeCase("no rows", shop, "SELECT * FROM book WHERE id = 99"),
        ScopeCase("schema and settings", shop, "SELECT * FROM sqlite_master; PRAGMA table_info(book); SELECT 1"),
        ScopeCase(
            "returning",
            shop,
            "INSERT INTO tag VALUES ('v', 3) RETURNING name, n",
            #"{"type":"tag","value":[{"name":"v","n":3}]}"#,
            #"{"tag":{"insertions":[{"name":"v","n":3}]}}"#
        ),
    ]

    @Test("rows and regions", arguments: [ChangeTracking.hook, .triggers], reads)
    func rows(tracking: ChangeTracking, test: ScopeCase) throws {
        let database = try AuditedDatabase(test.schema, tracking: tracking)
        #expect(try database.payloads(of: test.statements) == test.payloads)
        #expect(database.reports.errors == [])
    }

    @Test("statements of a scope that begins while they are read")
    func runningStatement() throws {
        let database = try AuditedDatabase(Self.shop)
        let found = try database.queue.read { connection in
            let cursor = try Row.fetchCursor(connection, sql: "SELECT id FROM book ORDER BY id")
            _ = try cursor.next()
            let scope = database.events.beginScope(activity: "test")
            _ = try Int.fetchOne(connection, sql: "SELECT 1")
            while try cursor.next() != nil {}
            scope.commit()
            return database.payloads
        }
        #expect(found == [#"{"type":"book","value":[{"id":20},{"id":30}]}"#])
    }

    @Test(
        "values by declared type",
        arguments: [
            ("DATETIME", "'2024-01-31 10:11:12.345'", #""2024-01-31T10:11:12.345Z""#),
            ("DATE", "'2024-01-31'", #""2024-01-31T00:00:00.000Z""#),
            ("TIMESTAMP", "1700000000.5", #""2023-11-14T22:13:20.500Z""#),
            ("DATETIME", "'2024-01-31T10:11:12+02:00'", #""2024-01-31T08:11:12.000Z""#),
            ("DATETIME", "'2024-02-31'", #""2024-02-31""#), ("DATETIME", "'soon'", #""soon""#),
            ("DATETIME", "NULL", "null"), ("DATETIME", "1e15", "1000000000000000"),
            ("BOOLEAN", "1", "true"), ("BOOLEAN", "0", "false"), ("BOOLEAN", "NULL", "null"),
            ("BOOLEAN", "'t'", #""t""#),
            ("DECIMAL(10,2)", "1.5", #""1.5""#), ("NUMERIC", "3", #""3""#), ("NUMERIC", "NULL", "null"),
            ("DECIMAL", "'12345678901234567890.5x'", #""12345678901234567890.5x""#),
            ("UUID", "x'00112233445566778899AABBCCDDEEFF'", #""00112233-4455-6677-8899-aabbccddeeff""#),
            ("UUID", "'ABC'", #""ABC""#), ("UUID", "x'00'", "null"),
            ("JSON", #"'{"b": [1, 2.50], "a": null}'"#, #"{"b":[1,2.50],"a":null}"#), ("JSON", "'[1, 2]'", "[1,2]"),
            ("JSON", "'{'", #""{""#), ("JSON", "'5'", "5"), ("JSON", "'true'", #""true""#),
            ("INTEGER", "9223372036854775807", "9223372036854775807"), ("REAL", "0.1", "0.1"),
            ("REAL", "1e999", "null"),
            ("TEXT", "'é\u{1}\"'", #""é\u0001\"""#), ("TEXT", "CAST(x'FF41' AS TEXT)", "\"\u{FFFD}A\""),
        ]
    )
    func values(type: String, value: String, json: String) throws {
        let schema = "CREATE TABLE v (id INTEGER PRIMARY KEY, x \(type)); INSERT INTO v VALUES (1, \(value))"
        let read = try AuditedDatabase(schema).payloads(of: "SELECT * FROM v")
        #expect(read == [#"{"type":"v","value":[{"id":1,"x":\#(json)}]}"#])
        for tracking in [ChangeTracking.hook, .triggers] {
            let deleted = try AuditedDatabase(schema, tracking: tracking).payloads(of: "DELETE FROM v WHERE id = 1")
            #expect(deleted == [#"{"v":{"deletions":[{"id":1,"x":\#(json)}]}}"#])
        }
    }

    @Test("excluded values", arguments: [("BLOB", "x'00'"), ("BLOB", "NULL"), ("BLOB", "1"), ("TEXT", "x'00'")])
    func excluded(type: String, value: String) throws {
        let schema = "CREATE TABLE v (id INTEGER PRIMARY KEY, x \(type)); INSERT INTO v VALUES (1, \(value))"
        #expect(try AuditedDatabase(schema).payloads(of: "SELECT * FROM v") == [#"{"type":"v","value":[{"id":1}]}"#])
    }

    @Test("a pool: the writer and the readers, and reads of a snapshot")
    func pool() throws {
        let database = try AuditedDatabase()
        try database.withPool { pool in
            try pool.write { try $0.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY); INSERT INTO t VALUES (1)") }
            let scope = database.events.beginScope(activity: "test")
            _ = try pool.read { try Row.fetchAll($0, sql: "SELECT * FROM t") }
            try pool.write { try $0.execute(sql: "INSERT INTO t VALUES (2); ALTER TABLE t ADD COLUMN n") }
            _ = try pool.read { try Row.fetchAll($0, sql: "SELECT * FROM t WHERE id = 2") }
            scope.commit()
        }
        #expect(
            database.payloads == [
                #"{"type":"t","value":[{"id":1},{"id":2,"n":null}]}"#, #"{"t":{"insertions":[{"id":2,"n":null}]}}"#,
            ]
        )
    }
}
#endif
