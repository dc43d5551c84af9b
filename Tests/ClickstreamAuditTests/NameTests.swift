#if Audit
import ClickstreamAudit
import Testing

/// Names that Swift compares in another way than SQLite does. Payloads are compared byte by byte.
@Suite("Names of tables and columns")
struct NameTests {
    private static let mechanisms: [ChangeTracking] = [.hook, .triggers]
    private static let composed = "\u{E9}"
    private static let decomposed = "e\u{301}"

    private func bytes(_ texts: [String]) -> [[UInt8]] { texts.map { Array($0.utf8) } }

    @Test("a quotation mark before a combining character", arguments: mechanisms)
    func combinedMark(tracking: ChangeTracking) throws {
        let database = try AuditedDatabase(
            "CREATE TABLE \"t\"\"\u{308}\" (id INTEGER PRIMARY KEY, \"a\"\"\u{308}\" TEXT);"
                + "INSERT INTO \"t\"\"\u{308}\" VALUES (1, 'x')",
            tracking: tracking
        )
        let payloads = try database.payloads(of: "UPDATE \"t\"\"\u{308}\" SET \"a\"\"\u{308}\" = 'y'")
        let expected =
            #"{"t\"\#u{308}":{"modifications":[{"oldValue":{"id":1,"a\"\#u{308}":"x"},"#
            + #""newValue":{"a\"\#u{308}":"y"}}]}}"#
        #expect(bytes(payloads) == bytes([expected]))
    }

    @Test("two tables with canonically equivalent names", arguments: mechanisms)
    func equivalentTables(tracking: ChangeTracking) throws {
        let (one, other) = (Self.composed, Self.decomposed)
        let database = try AuditedDatabase(
            "CREATE TABLE \"\(one)\" (id INTEGER PRIMARY KEY, v);"
                + "CREATE TABLE \"\(other)\" (id INTEGER PRIMARY KEY, w)",
            tracking: tracking
        )
        let written = try database.payloads(
            of: "INSERT INTO \"\(one)\" VALUES (1, 2); INSERT INTO \"\(other)\" VALUES (1, 3)"
        )
        #expect(
            bytes(written)
                == bytes([
                    "{\"\(one)\":{\"insertions\":[{\"id\":1,\"v\":2}]},"
                        + "\"\(other)\":{\"insertions\":[{\"id\":1,\"w\":3}]}}"
                ])
        )
        let read = try database.payloads(of: "SELECT * FROM \"\(one)\"; SELECT * FROM \"\(other)\"")
        #expect(
            bytes(read)
                == bytes([
                    "{\"type\":\"\(one)\",\"value\":[{\"id\":1,\"v\":2}]}",
                    "{\"type\":\"\(other)\",\"value\":[{\"id\":1,\"w\":3}]}",
                ])
        )
    }

    @Test("two columns, and statements, with canonically equivalent texts", arguments: mechanisms)
    func equivalentColumns(tracking: ChangeTracking) throws {
        let (one, other) = (Self.composed, Self.decomposed)
        let database = try AuditedDatabase(
            "CREATE TABLE t (id INTEGER PRIMARY KEY, \"\(one)\", \"\(other)\"); INSERT INTO t VALUES (1, 2, 3)",
            tracking: tracking
        )
        for (column, value) in [(one, 2), (other, 3)] {
            let read = try database.payloads(of: "SELECT \"\(column)\" FROM t")
            #expect(bytes(read) == bytes(["{\"type\":\"t\",\"value\":[{\"\(column)\":\(value)}]}"]))
        }
        let written = try database.payloads(of: "UPDATE t SET \"\(other)\" = 2")
        let old = "{\"id\":1,\"\(one)\":2,\"\(other)\":3}"
        #expect(
            bytes(written)
                == bytes(["{\"t\":{\"modifications\":[{\"oldValue\":\(old),\"newValue\":{\"\(other)\":2}}]}}"])
        )
    }

    @Test(
        "a foreign key of one of two columns that differ in the case of a letter outside of ASCII",
        arguments: mechanisms
    )
    func cases(tracking: ChangeTracking) throws {
        let database = try AuditedDatabase(
            "CREATE TABLE p (id INTEGER PRIMARY KEY); INSERT INTO p VALUES (1);"
                + "CREATE TABLE c (\"\u{C9}\" INTEGER REFERENCES p (id), \"\u{E9}\" INTEGER);"
                + "INSERT INTO c VALUES (1, 1)",
            tracking: tracking
        )
        let read = try database.payloads(of: "SELECT * FROM p; SELECT * FROM c")
        #expect(
            bytes(read)
                == bytes([
                    #"{"type":"p","value":[{"id":1}]}"#,
                    "{\"type\":\"c\",\"value\":[{\"\u{C9}\":{\"id\":1},\"\u{E9}\":1}]}",
                ])
        )
    }

    @Test("of a database and a table, which joined are those of another table", arguments: mechanisms)
    func joinedNames(tracking: ChangeTracking) throws {
        let database = try AuditedDatabase(
            "ATTACH ':memory:' AS main_a; CREATE TABLE main.a_b (v); CREATE TABLE main_a.b (w)",
            tracking: tracking
        )
        #expect(
            try database.payloads(of: "INSERT INTO main.a_b VALUES (1); INSERT INTO main_a.b VALUES (2)")
                == [#"{"a_b":{"insertions":[{"v":1}]},"main_a.b":{"insertions":[{"w":2}]}}"#]
        )
    }
}
#endif
