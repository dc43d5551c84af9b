#if Audit && Collector
import ClickstreamCollector
import ClickstreamCore
import ClickstreamJudges
import Foundation
import Testing

@Suite("audit")
struct AuditCommandTests {
    private static let script = """
        -- A trigger contains semicolons, and so does this comment; yes.
        CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT, active BOOLEAN);
        CREATE TABLE log (id INTEGER PRIMARY KEY, text TEXT);
        CREATE TRIGGER renamed AFTER UPDATE OF name ON person BEGIN
            INSERT INTO log (text) VALUES ('was; ' || old.name);
            INSERT INTO log (text) VALUES ('is ' || new.name);
        END;
        /* ; */ INSERT INTO person VALUES (1, 'Anthony', 1), (2, 'Eve', 0);;
        """

    /// A database with two persons, made by the command itself.
    private static func prepare(_ workplace: Workplace) async throws {
        try workplace.write(script, to: "setup.sql")
        let run = try await workplace.run(
            "audit",
            "shop.sqlite",
            "--activity",
            "setup",
            "--script",
            "setup.sql",
            "--dry-run",
            "--create"
        )
        #expect(run.status == 0 && run.errors == "", "\(run.errors)")
        #expect(run.lines.count == 1)
        let payload = try payload(of: run.lines[0])
        #expect(
            payload == #"{"person":{"insertions":[{"id":1,"name":"Anthony","active":true},"#
                + #"{"id":2,"name":"Eve","active":false}]}}"#
        )
    }

    private static func event(_ line: some StringProtocol) throws -> JSONValue {
        try JSONReader.parse(Array(line.utf8))
    }

    private static func payload(of line: some StringProtocol) throws -> String? {
        try event(line)["data"]?.string
    }

    @Test("prints the events of a scope in a dry run, one per line, which the judge accepts")
    func dryRun() async throws {
        try await Workplace.use { workplace in
            try await Self.prepare(workplace)
            let run = try await workplace.run(
                "audit",
                "shop.sqlite",
                "--activity",
                "edit",
                "--metadata",
                "username=carl",
                "--metadata",
                "note=a=b",
                "--dry-run",
                "--",
                "SELECT id, name FROM person WHERE id = 1; UPDATE person SET name = 'Tony' WHERE id = 1"
            )
            #expect(run.status == 0 && run.errors == "")
            #expect(
                try run.lines.map { try Self.payload(of: $0) } == [
                    #"{"type":"person","value":[{"id":1,"name":"Anthony"}]}"#,
                    #"{"person":{"modifications":[{"oldValue":{"id":1,"name":"Anthony","active":true},"#
                        + #""newValue":{"name":"Tony"}}]},"log":{"insertions":[{"id":1,"text":"was; Anthony"},"#
                        + #"{"id":2,"text":"is Tony"}]}}"#,
                ]
            )
            for line in run.lines {
                let event = try Self.event(line)
                #expect(event["activity"]?.string == "edit" && event["username"]?.string == "carl")
                #expect(event["note"]?.string == "a=b")
            }
            try workplace.write(run.output, to: "events.ndjson")
            let judged = try await workplace.run("validate", "--form", "audit", "events.ndjson")
            #expect(judged.status == 0, "\(judged.output)")
            // Nothing is stored.
            #expect(workplace.contents(of: "state").isEmpty)
        }
    }

    @Test(
        "ends at a failing statement with its place and status 65, and cancels the scope",
        arguments: [
            (
                "UPDATE person SET name = 'x';\n\n -- SELECT\n  SELEC 1;",
                "bad.sql:4:3: error: near \"SELEC\": syntax error"
            ),
            (
                "SELECT 1;\nINSERT INTO person (id)\nVALUES (1);",
                "bad.sql:2:1: error: UNIQUE constraint failed: person.id"
            ),
            ("SELECT 1;\nSELECT colour FROM person", "bad.sql:2:8: error: no such column: colour"),
            ("/* a\n; */\nSELECT 1 FROM", "bad.sql:3:1: error: incomplete input"),
            ("SELECT 1; \u{0} SELECT", "bad.sql:1:11: error: the script contains a zero byte; write it as SQL text"),
        ]
    )
    func failing(_ script: String, _ message: String) async throws {
        try await Workplace.use { workplace in
            try await Self.prepare(workplace)
            try workplace.write(script, to: "bad.sql")
            let run = try await workplace.run("audit", "shop.sqlite", "--activity", "x", "--script", "bad.sql")
            #expect(run.status == 65 && run.output == "")
            #expect(run.errors.split(separator: "\n").first.map(String.init) == message)
            #expect(run.errors.contains("the scope is cancelled"))
            let queue = try await workplace.run("queue", "ls", "--form", "audit")
            #expect(queue.output == "[]\n")
        }
    }

    @Test(
        "runs statements in autocommit mode, those of a transaction together, and nothing of an empty script",
        arguments: [
            (["BEGIN", "DELETE FROM person WHERE id = 1", "COMMIT"], [#"{"person":{"deletions":[{"id":1,"#], ""),
            (["BEGIN; DELETE FROM person; ROLLBACK"], [], ""),
            (["BEGIN", "DELETE FROM person WHERE id = 1"], [], "warning: the script ended within a transaction"),
            (["SELECT", "id", "FROM", "log"], [], ""), (["DELETE FROM person WHERE id = 9"], [], ""),
            ([" -- nothing\n ;; /* ; */ "], [], ""), ([""], [], ""),
            (["SAVEPOINT a; DELETE FROM person WHERE id = 2; RELEASE a"], [#"{"person":{"deletions":[{"id":2,"#], ""),
        ]
    )
    func transactions(_ statements: [String], _ payloads: [String], _ warning: String) async throws {
        try await Workplace.use { workplace in
            try await Self.prepare(workplace)
            let run = try await workplace.run(
                ["audit", "shop.sqlite", "--activity", "x", "--dry-run", "--"] + statements
            )
            #expect(run.status == 0)
            #expect(run.errors.hasPrefix(warning) && run.errors.isEmpty == warning.isEmpty, "\(run.errors)")
            let found = try run.lines.map { try Self.payload(of: $0) ?? "" }
            #expect(found.count == payloads.count)
            for (payload, beginning) in zip(found, payloads) { #expect(payload.hasPrefix(beginning)) }
        }
    }

    @Test(
        "reports wrong arguments and files",
        arguments: [
            (["none.sqlite", "--activity", "x", "--", "SELECT 1"], 66, "cannot open none.sqlite: no such file"),
            (["tmp", "--activity", "x", "--", "SELECT 1"], 66, "cannot open tmp: it is a folder"),
            (["text.txt", "--activity", "x", "--", "SELECT * FROM t"], 65, "file is not a database"),
            (["text.txt", "--activity", "x", "--script", "none.sql"], 66, "cannot read none.sql: no such file"),
            (["text.txt", "--activity", "x"], 64, "no statements given"),
            (["text.txt", "--", "SELECT 1"], 64, "--activity"),
            (["text.txt", "--activity", "x", "--script", "a", "--", "b"], 64, "--script cannot be combined"),
            (["text.txt", "--activity", "x", "--metadata", "_id=1", "--", "b"], 64, "metadata '_id'"),
            (["text.txt", "--activity", "x", "--metadata", "a", "--", "b"], 64, "use name=value"),
            (
                ["text.txt", "--activity", "x", "--metadata", "a=1", "--metadata", "a=2", "--", "b"], 64,
                "--metadata has 'a' twice"
            ),
        ] as [([String], Int32, String)]
    )
    func errors(_ arguments: [String], _ status: Int32, _ message: String) async throws {
        try await Workplace.use { workplace in
            try workplace.write(String(repeating: "no database ", count: 100), to: "text.txt")
            let run = try await workplace.run(["audit"] + arguments)
            #expect(run.status == status)
            #expect(run.errors.contains(message), "\(run.errors)")
            #expect(run.output == "")
        }
    }

    @Test("stores the events of a scope, which the queue commands show, and flush delivers exactly once")
    func delivery() async throws {
        try await Workplace.use { workplace in
            try await Self.prepare(workplace)
            let store = ["--storage", "s", "--app-id", "shop"]
            let run = try await workplace.run(
                ["audit", "shop.sqlite", "--activity", "edit", "--metadata", "username=carl"] + store
                    + ["--", "UPDATE person SET active = 1; SELECT name FROM person WHERE id = 2"]
            )
            #expect(run.status == 0 && run.errors == "")
            #expect(run.lines.count == 2 && run.lines.allSatisfy { $0.count == 24 })

            let exported = try await workplace.run(["queue", "export", "--form", "audit"] + store)
            #expect(try exported.lines.map { try Self.event($0)["_id"]?.string } == run.lines.map(String.init))
            let list = try await workplace.run(["queue", "ls", "--form", "audit", "--format", "ndjson"] + store)
            #expect(try list.lines.map { try Self.event($0)["event_type"]?.string } == ["read", "write"])
            let stats = try Self.event(try await workplace.run(["queue", "stats"] + store).output)
            #expect(stats["pending"]?.integer == 0 && stats["other_queues"]?["audit"]?.integer == 1)
            let own = try Self.event(try await workplace.run(["queue", "stats", "--form", "audit"] + store).output)
            #expect(own["pending"]?.integer == 1 && own["adds_up"]?.boolean == true)
            #expect(try await workplace.run(["queue", "verify"] + store).status == 0)
            let doctor = try await workplace.run(["doctor", "--format", "human"] + store)
            #expect(doctor.output.contains("1 pending event in the queue audit"))

            try await Collector.use { collector in
                for _ in 0..<2 {
                    let flush = try await workplace.run(["flush", "--endpoint", collector.endpoint] + store)
                    #expect(flush.status == 0, "\(flush.errors)")
                }
                let page = try await collector.captured(CapturedFilter(form: .audit))
                let ids = try page.events.map { try Self.event($0.event.json)["_id"]?.string }
                #expect(ids == run.lines.map(String.init))
                #expect(page.events.allSatisfy { $0.partition == "audit-1" && $0.event.status == .good })
                #expect(try await collector.auditSummary().counts.duplicates == 0)
                let tail = try await workplace.run("tail", collector.baseURL, "--form", "audit", "--format", "logfmt")
                #expect(tail.output.contains("attributes.username=carl attributes.person=1"), "\(tail.output)")
                let asserted = try await workplace.run(
                    "assert",
                    collector.baseURL,
                    "--form",
                    "audit",
                    "--event",
                    "write:1",
                    "--where",
                    #"activity == "edit""#,
                    "--event",
                    "read:1",
                    "--no-errors",
                    "--no-duplicates"
                )
                #expect(asserted.status == 0, "\(asserted.errors)")
            }
        }
    }

    @Test("keeps the events of a scope while the server fails, and delivers them afterwards")
    func refusal() async throws {
        try await Workplace.use { workplace in
            try await Self.prepare(workplace)
            let store = ["--storage", "s"]
            let audit =
                ["audit", "shop.sqlite", "--activity", "edit"] + store + ["--", "DELETE FROM person WHERE id = 1"]
            #expect(try await workplace.run(audit).status == 0)
            try await Collector.use { collector in
                let flush = ["flush", "--endpoint", collector.endpoint] + store
                collector.inject([CollectorFault(.status(503))])
                let failed = try await workplace.run(flush)
                #expect(failed.status == 75)
                collector.inject([])
                let sent = try await workplace.run(flush)
                #expect(sent.status == 0)
                let summary = try await collector.auditSummary()
                #expect(summary.counts.events == 1)
            }
            let purged = try await workplace.run(["queue", "purge", "--yes", "--form", "audit"] + store)
            #expect(purged.status == 0)
            let stats = try await workplace.run(["queue", "stats", "--format", "human"] + store)
            #expect(stats.output.contains("0 pending events in the queue audit; see --form audit"), "\(stats.output)")
            let list = try await workplace.run(["queue", "ls", "--form", "audit"] + store)
            let note = "no pending audit events in s/clickstream_cli\n"
            #expect(list == Finished(status: 0, output: "[]\n", errors: note))
            #expect(try await workplace.run(["queue", "import", "--form", "audit", "x"] + store).status == 64)
        }
    }
}
#endif
