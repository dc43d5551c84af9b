#if Audit
import CClickstreamSQLite
@testable import ClickstreamAudit
import ClickstreamCore
import ClickstreamSimulation
import Foundation
import GRDB
import GRDBSQLite
import Testing

@Suite("Scopes")
struct ScopeTests {
    private static let table = "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT); INSERT INTO t VALUES (1, 'x')"

    @Test("members of an event, metadata of the scope's beginning")
    func members() throws {
        let database = try AuditedDatabase(Self.table) { $0.metadata = ["username": "carl", "b": "\"", "event": "x"] }
        let scope = database.events.beginScope(activity: "read object")
        #expect(scope.isActive)
        #expect(scope.activity == "read object")
        database.events.updateMetadata(["username": "dora", "data": "x"])
        try database.execute("DELETE FROM t")
        scope.commit { #expect($0 == nil) }
        #expect(!scope.isActive)
        database.events.recordEvent(activity: "registration", eventType: "pressed submit", data: "{\"a\":1}")
        database.events.recordEvent(activity: "registration", eventType: "left") { #expect($0 == nil) }
        let texts = database.store.events.map(\.text)
        let start = #","activity":"read object","timestamp":"2023-11-14T22:13:20.000Z","data":"#
        #expect(texts.count == 3)
        #expect(
            texts[0].hasSuffix(
                start + #""{\"t\":{\"deletions\":[{\"id\":1,\"a\":\"x\"}]}}","b":"\"","username":"carl"}"#
            )
        )
        #expect(texts[1].contains(#""event":"pressed submit","activity":"registration","timestamp""#))
        #expect(texts[1].hasSuffix(#""data":"{\"a\":1}","username":"dora"}"#))
        #expect(texts[2].hasSuffix(#""data":null,"username":"dora"}"#))
        let ids = texts.map { $0.dropFirst(8).prefix(24) }
        #expect(Set(ids).count == 3)
        #expect(ids.allSatisfy { $0.hasPrefix("6553f100") && $0.allSatisfy(\.isHexDigit) })
        #expect(database.reports.errors == [.reservedMetadata(["event"]), .reservedMetadata(["data"])])
    }

    @Test("cancelled, released and repeated ends")
    func ends() throws {
        let database = try AuditedDatabase(Self.table)
        let cancelled = database.events.beginScope(activity: "one")
        try database.execute("UPDATE t SET a = 'y'")
        cancelled.cancel()
        #expect(!cancelled.isActive)
        var error: AuditError?
        cancelled.commit { error = $0 }
        #expect(error == .scopeEnded)
        do {
            let released = database.events.beginScope(activity: "two")
            try database.execute("UPDATE t SET a = 'z'")
            _ = released
        }
        #expect(database.store.events == [])
        #expect(
            database.store.warnings == ["The scope \"two\" was released without commit or cancel: it is cancelled."]
        )
        let empty = database.events.beginScope(activity: "three")
        empty.commit { #expect($0 == nil) }
        #expect(database.store.events == [])
    }

    @Test("an error without a handler is logged, by the app's logger if there is one")
    func logger() throws {
        let lines = AuditedDatabase.Reports()
        let database = try AuditedDatabase { configuration in
            configuration.errorHandler = nil
            configuration.logger = { _ in lines.add(.disabled) }
        }
        database.events.updateMetadata(["_id": "x"])
        #expect(lines.errors == [.disabled])
        let silent = try AuditedDatabase { $0.errorHandler = nil }
        silent.events.updateMetadata(["_id": "x"])
        #expect(silent.store.warnings == ["\(AuditError.reservedMetadata(["_id"]))"])
    }

    @Test("limits: further rows are counted", arguments: [ChangeTracking.hook, .triggers])
    func limits(tracking: ChangeTracking) throws {
        let rows =
            "CREATE TABLE t (id INTEGER PRIMARY KEY); "
            + "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000) INSERT INTO t SELECT i FROM n"
        let database = try AuditedDatabase(rows, tracking: tracking) { $0.maxScopeEvents = 10 }
        let read = try database.payloads(of: "SELECT * FROM t; SELECT * FROM t WHERE id <= 10")
        #expect(read.count == 1)
        #expect(read[0].hasSuffix(#"{"id":9},{"id":10}]}"#))
        #expect(database.store.events[0].text.hasSuffix(#","truncated":990}"#))
        let deleted = try database.payloads(
            of: "BEGIN; DELETE FROM t WHERE id > 500; ROLLBACK; DELETE FROM t WHERE id <= 100"
        )
        #expect(deleted.count == 1)
        #expect(deleted[0].hasSuffix(#"{"id":9},{"id":10}]}}"#))
        #expect(database.store.events[0].text.hasSuffix(#","truncated":90}"#))
        let bytes = try AuditedDatabase(rows, tracking: tracking) { $0.maxScopeBytes = 400 }
        _ = try bytes.payloads(of: "SELECT * FROM t")
        #expect(bytes.store.events[0].json.count < 600)
        #expect(bytes.store.events[0].text.contains(#","truncated":9"#))
    }

    @Test(
        "a changed row that was left out counts once",
        arguments: [ChangeTracking.hook, .triggers],
        [
            "UPDATE t SET a = 'y'", "DELETE FROM t", "REPLACE INTO t SELECT id, 'y' FROM t",
            "INSERT INTO t(a) SELECT a FROM t",
            "INSERT INTO t SELECT id, 'y' FROM t WHERE 1 ON CONFLICT DO UPDATE SET a = excluded.a",
        ]
    )
    func omittedRows(tracking: ChangeTracking, sql: String) throws {
        let database = try AuditedDatabase(
            "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT); WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n "
                + "WHERE i < 30) INSERT INTO t SELECT i, 'x' FROM n",
            tracking: tracking
        ) { $0.maxScopeEvents = 10 }
        let found = try database.payloads(of: sql)
        #expect(found.count == 1)
        #expect(database.store.events[0].text.hasSuffix(#","truncated":20}"#))
    }

    @Test("custom representation of complete rows", arguments: [ChangeTracking.hook, .triggers])
    func representation(tracking: ChangeTracking) throws {
        let database = try AuditedDatabase(
            "CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT NOT NULL, photo BLOB);"
                + "INSERT INTO person VALUES (1, 'Ann', x'0011'), (2, '', NULL)",
            tracking: tracking
        ) { $0.representations = [RepresentedPerson.self] }
        let found = try database.payloads(
            of: "SELECT * FROM person WHERE id = 1; SELECT id, name FROM person WHERE id = 2; "
                + "UPDATE person SET name = 'Bo', photo = NULL WHERE id = 1; DELETE FROM person WHERE id = 2"
        )
        #expect(
            found == [
                #"{"type":"person","value":[{"who":"Ann","bytes":2},{"id":2}]}"#,
                #"{"person":{"modifications":[{"oldValue":{"who":"Ann","bytes":2},"newValue":{"who":"Bo","bytes":0}}],"#
                    + #""deletions":[{"id":2}]}}"#,
            ]
        )
        #expect(database.reports.errors.contains(.invalidRepresentation(table: "person")))
    }

    @Test(
        "columns that a custom representation hides",
        arguments: [ChangeTracking.hook, .triggers],
        [
            ("SELECT secret FROM person", [#"{"type":"person","value":[{}]}"#]),
            ("SELECT name, id FROM person", [#"{"type":"person","value":[{"id":1}]}"#]),
            (
                "SELECT p.secret, q.id FROM person p JOIN person q ON p.id = q.id",
                [#"{"type":"person","value":[{"id":1}]}"#]
            ),
            ("SELECT upper(secret) FROM person", [#"{"type":"person","value":null,"columns":["secret"]}"#]),
            ("SELECT id FROM person; SELECT * FROM person", [#"{"type":"person","value":[{"who":"Ann"}]}"#]),
            ("SELECT * FROM person; SELECT secret, id FROM person", [#"{"type":"person","value":[{"who":"Ann"}]}"#]),
            (
                "UPDATE person SET name = ''",
                [#"{"person":{"modifications":[{"oldValue":{"who":"Ann"},"newValue":{"id":1}}]}}"#]
            ),
            (
                "UPDATE person SET name = ''; SELECT * FROM person; DELETE FROM person",
                [
                    #"{"type":"person","value":[{"id":1}]}"#,
                    #"{"person":{"deletions":[{"who":"Ann"}]}}"#,
                ]
            ),
            (
                "INSERT INTO person VALUES (2, '', 'hunter2')",
                [#"{"person":{"insertions":[{"id":2}]}}"#]
            ),
        ]
    )
    func hiddenColumns(tracking: ChangeTracking, test: (statements: String, payloads: [String])) throws {
        let database = try AuditedDatabase(
            "CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT NOT NULL, secret TEXT);"
                + "INSERT INTO person VALUES (1, 'Ann', 'hunter2')",
            tracking: tracking
        ) { $0.representations = [SecretivePerson.self] }
        #expect(try database.payloads(of: test.statements) == test.payloads)
    }

    private struct SecretivePerson: CustomEventRepresentable, TableRecord {
        static let databaseTableName = "person"
        let name: String

        init(row: Row) {
            name = row["name"]
        }

        func customEventRepresentation() -> String { name.isEmpty ? "no JSON" : #"{"who":"\#(name)"}"# }
    }

    private struct RepresentedPerson: CustomEventRepresentable, TableRecord {
        static let databaseTableName = "person"
        let name: String
        let photo: Data?

        init(row: Row) {
            name = row["name"]
            photo = row["photo"]
        }

        func customEventRepresentation() -> String {
            name.isEmpty ? "no JSON" : #"{"who": "\#(name)", "bytes": \#(photo?.count ?? 0)}"#
        }
    }

    @Test("another user of the hook is reported, and changes are tracked with triggers")
    func otherHook() throws {
        let database = try AuditedDatabase(Self.table)
        let mine = try #require(clickstream_generation_new())
        defer { clickstream_generation_free(mine) }
        let callbacks = clickstream_callbacks(
            on_statement: { _, _ in },
            on_statement_end: { _ in },
            on_row: { _, _ in },
            on_change: { _, _, _, _, _, _ in },
            on_commit: { _ in 0 },
            on_transaction_end: { _, _ in }
        )
        let other = try database.queue.read { connection in
            clickstream_connection_new(connection.sqliteConnection, mine, callbacks, nil)
        }
        defer { clickstream_connection_free(other) }
        database.queue.writeWithoutTransaction { _ in _ = clickstream_connection_hook(other, true) }
        let found = try database.scope { queue in try queue.write { try $0.execute(sql: "UPDATE t SET a = 'y'") } }
        #expect(found == [#"{"t":{"modifications":[{"oldValue":{"id":1,"a":"x"},"newValue":{"a":"y"}}]}}"#])
        guard case .hookInUse? = database.reports.errors.first else {
            Issue.record("not reported: \(database.reports.errors)")
            return
        }
        // The other user can install its hook again.
        database.queue.writeWithoutTransaction { _ in _ = clickstream_connection_hook(other, true) }
        _ = try database.scope { queue in try queue.write { try $0.execute(sql: "UPDATE t SET a = 'z'") } }
        let kept = database.queue.writeWithoutTransaction { _ in clickstream_connection_hook(other, false) }
        #expect(kept == UnsafeMutableRawPointer(other))
    }

    @Test("another trace function is reported")
    func otherTrace() throws {
        let database = try AuditedDatabase(Self.table)
        _ = try database.scope { queue in
            _ = try queue.read { try Row.fetchAll($0, sql: "PRAGMA user_version") }
            queue.writeWithoutTransaction { $0.trace { _ in } }
            try queue.write { try $0.execute(sql: "UPDATE t SET a = 'y'") }
        }
        #expect(database.payloads == [#"{"t":{"modifications":[{"oldValue":{"id":1,"a":"x"},"newValue":{"a":"y"}}]}}"#])
        guard case .traceReplaced? = database.reports.errors.first else {
            Issue.record("not reported: \(database.reports.errors)")
            return
        }
    }

    @Test("a database closes while a scope is active")
    func close() throws {
        let database = try AuditedDatabase(Self.table)
        let scope = database.events.beginScope(activity: "test")
        try database.execute("UPDATE t SET a = 'y'")
        _ = try database.queue.read { try Row.fetchAll($0, sql: "SELECT * FROM t") }
        try database.queue.close()
        scope.commit()
        #expect(database.payloads.count == 2)
    }

    /// GRDB does not report the commit of a statement that fails: the end of the statement has to be traced.
    @Test(
        "records a first statement that fails without a rollback, after a transaction",
        arguments: [ChangeTracking.hook, .triggers],
        [
            "COMMIT", "end", "ROLLBACK", " Commit", "/* done */ COMMIT", "SAVEPOINT b; RELEASE b; COMMIT",
            "SELECT 1; PRAGMA user_version; VALUES (1); WITH x AS (SELECT 1) SELECT * FROM x; COMMIT",
        ]
    )
    func failureAfterTransaction(tracking: ChangeTracking, end: String) throws {
        let database = try AuditedDatabase(
            "CREATE TABLE i (code TEXT PRIMARY KEY); BEGIN; INSERT INTO i VALUES ('a'); DELETE FROM i; \(end)",
            tracking: tracking
        )
        #expect(
            try database.payloads(of: "INSERT OR FAIL INTO i VALUES ('x'), ('x'), ('a')")
                == [#"{"i":{"insertions":[{"code":"x"}]}}"#]
        )
    }
}
#endif
