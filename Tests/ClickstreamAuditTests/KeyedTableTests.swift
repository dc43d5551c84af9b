#if Audit
import ClickstreamAudit
import Testing

/// Write events of tables without row numbers, whose rows are identified by their primary key.
@Suite("Tables without row numbers")
struct KeyedTableTests {
    private static let mechanisms: [ChangeTracking] = [.hook, .triggers]

    /// SQLite stores the key first, and an integral value of a `REAL` column as an integer. Its hook converts the value at a
    /// column's place in the storage by the type of the column with that index in the declaration.
    @Test(
        "columns of the type REAL",
        arguments: mechanisms,
        [
            ("x REAL, k INTEGER, n INTEGER, v TEXT, PRIMARY KEY (k)", #""x":7.0,"k":1,"n":3"#),
            ("x REAL, k INTEGER, n INTEGER, v TEXT, PRIMARY KEY (k, x)", #""x":7.0,"k":1,"n":3"#),
            ("x INTEGER, k REAL, n REAL, v TEXT, PRIMARY KEY (n)", #""x":7,"k":1.0,"n":3.0"#),
            ("x, k REAL, n, v TEXT, PRIMARY KEY (n)", #""x":7,"k":1.0,"n":3"#),
            ("x DECIMAL, k REAL, n, v TEXT, PRIMARY KEY (n)", #""x":"7","k":1.0,"n":3"#),
        ]
    )
    func realColumns(tracking: ChangeTracking, table: (columns: String, row: String)) throws {
        let database = try AuditedDatabase(
            "CREATE TABLE t (\(table.columns)) WITHOUT ROWID; INSERT INTO t VALUES (7, 1, 3, 'a')",
            tracking: tracking
        )
        let old = "{\(table.row),\"v\":\"a\"}"
        let new = "{\(table.row),\"v\":\"b\"}"
        #expect(
            try database.payloads(of: "UPDATE t SET v = 'b'")
                == [#"{"t":{"modifications":[{"oldValue":\#(old),"newValue":{"v":"b"}}]}}"#]
        )
        #expect(try database.payloads(of: "UPDATE t SET v = 'a'; UPDATE t SET v = 'b'") == [])
        #expect(try database.payloads(of: "DELETE FROM t; INSERT INTO t VALUES (7, 1, 3, 'b')") == [])
        #expect(try database.payloads(of: "DELETE FROM t") == [#"{"t":{"deletions":[\#(new)]}}"#])
        #expect(
            try database.payloads(of: "INSERT INTO t VALUES (7, 1, 3, 'c'); UPDATE t SET v = 'b'")
                == [#"{"t":{"insertions":[\#(new)]}}"#]
        )
    }

    @Test("keys that are too large for a floating point number", arguments: mechanisms)
    func largeKeys(tracking: ChangeTracking) throws {
        let database = try AuditedDatabase(
            "CREATE TABLE t (x REAL, k INTEGER PRIMARY KEY, n INTEGER) WITHOUT ROWID; "
                + "INSERT INTO t VALUES (7, 9007199254740992, 1), (7, 9007199254740993, 2), (7, 9007199254740994, 3)",
            tracking: tracking
        )
        #expect(try database.payloads(of: "UPDATE t SET x = 7, n = n + 0") == [])
        let row = #"{"x":7.0,"k":9007199254740993,"n":2}"#
        #expect(
            try database.payloads(of: "UPDATE t SET n = 4 WHERE n = 2")
                == [#"{"t":{"modifications":[{"oldValue":\#(row),"newValue":{"n":4}}]}}"#]
        )
        #expect(
            try database.payloads(of: "DELETE FROM t WHERE n = 4")
                == [#"{"t":{"deletions":[{"x":7.0,"k":9007199254740993,"n":4}]}}"#]
        )
    }

    /// The hook numbers the new values of an update by their place in the storage, where generated columns are the last ones.
    @Test("a key behind a generated column without storage", arguments: mechanisms)
    func generatedColumn(tracking: ChangeTracking) throws {
        let database = try AuditedDatabase(
            "CREATE TABLE t (a TEXT, g AS (k || '!'), k TEXT PRIMARY KEY, n INTEGER) WITHOUT ROWID; "
                + "INSERT INTO t(a, k, n) VALUES ('q', 'a', 1), ('z', 'q', 2)",
            tracking: tracking
        )
        #expect(
            try database.payloads(of: "UPDATE t SET k = 'z', n = 3 WHERE n = 1")
                == [
                    #"{"t":{"insertions":[{"a":"q","g":"z!","k":"z","n":3}],"#
                        + #""deletions":[{"a":"q","g":"a!","k":"a","n":1}]}}"#
                ]
        )
        #expect(
            try database.payloads(of: "UPDATE OR REPLACE t SET k = 'q', n = 4 WHERE n = 3")
                == [
                    #"{"t":{"modifications":[{"oldValue":{"a":"z","g":"q!","k":"q","n":2},"newValue":{"a":"q","n":4}}],"#
                        + #""deletions":[{"a":"q","g":"z!","k":"z","n":3}]}}"#
                ]
        )
        #expect(try database.payloads(of: "UPDATE t SET k = 'b'; UPDATE t SET k = 'q'") == [])
    }

    @Test("a foreign key's action changes a row that has just got another key", arguments: mechanisms)
    func ownReference(tracking: ChangeTracking) throws {
        let database = try AuditedDatabase(
            """
            PRAGMA foreign_keys = 1;
            CREATE TABLE t (k TEXT PRIMARY KEY, r TEXT REFERENCES t ON UPDATE CASCADE) WITHOUT ROWID;
            INSERT INTO t VALUES ('a', 'a')
            """,
            tracking: tracking
        )
        #expect(
            try database.payloads(of: "UPDATE t SET k = 'b'")
                == [#"{"t":{"insertions":[{"k":"b","r":"b"}],"deletions":[{"k":"a","r":"a"}]}}"#]
        )
        #expect(try database.payloads(of: "UPDATE t SET k = 'c'; UPDATE t SET k = 'b'") == [])
    }
}
#endif
