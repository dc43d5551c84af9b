#if Audit
@testable import ClickstreamAudit
import Testing

@Suite("Statements that drop a table, or give it another name")
struct TableChangeTests {
    @Test(
        "names",
        arguments: [
            ("ALTER TABLE t RENAME TO u", ["", "t", "u"]),
            ("/* a */ alter\ttable main . \"T\"\"x\" rename to 'it''s'; ", ["main", "T\"x", "it's"]),
            ("ALTER TABLE [a b].`É` RENAME TO [É.]", ["a b", "É", "É."]),
            ("DROP TABLE t", ["", "t"]),
            ("DROP TABLE IF EXISTS main.\"if\"", ["main", "if"]),
            ("DROP TABLE \"if\"", ["", "if"]),
        ]
    )
    func names(sql: String, names: [String]) throws {
        let change = try #require(TableChange(sql))
        #expect([change.database ?? "", change.table] + [change.newName].compactMap { $0 } == names)
    }

    @Test(
        "other statements",
        arguments: [
            "ALTER TABLE t RENAME COLUMN a TO b", "ALTER TABLE t RENAME a TO b", "ALTER TABLE t RENAME \"to\" TO b",
            "ALTER TABLE t ADD COLUMN c", "DROP VIEW t", "DROP INDEX table_t", "CREATE TABLE t (a)", "ALTER TABLE", "",
        ]
    )
    func others(sql: String) {
        #expect(TableChange(sql) == nil)
    }
}
#endif
