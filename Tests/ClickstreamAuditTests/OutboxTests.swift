#if Audit
@testable import ClickstreamAudit
import ClickstreamCore
import ClickstreamSimulation
import Foundation
import GRDB
import TestSupport
import Testing

/// App whose database has an outbox.
private struct OutboxApp {
    let memory = MemoryAuditStore()
    let reports = AuditedDatabase.Reports()
    let events: Audit.Events
    let queue: DatabaseQueue

    /// - Parameters:
    ///   - seed: the process; each has another one.
    ///   - store: the store; `nil` for the memory.
    init(
        _ path: String,
        seed: UInt64,
        tracking: ChangeTracking = .automatic,
        store: (any AuditStore)? = nil
    ) throws {
        var configuration = EventConfiguration(
            metadata: ["user": "carl"],
            representations: [Secret.self],
            errorHandler: { [reports] in reports.add($0) }
        )
        configuration.usesOutbox = true
        events = Audit.Events(
            configuration,
            store: store ?? memory,
            time: VirtualTime(start: Timestamp(milliseconds: 1_700_000_000_000)),
            ids: SeededIDs(seed: seed),
            tracking: tracking
        )
        var settings = GRDB.Configuration()
        events.observe(&settings)
        queue = try DatabaseQueue(path: path, configuration: settings)
    }

    func execute(_ sql: String) throws {
        try queue.writeWithoutTransaction { try $0.execute(sql: sql) }
    }

    func count(_ table: String) throws -> Int? {
        try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM \(table)") }
    }
}

private struct Secret: CustomEventRepresentable {
    static var databaseTableName: String { "s" }
    let id: Int64

    init(row: Row) {
        id = row["id"]
    }

    func customEventRepresentation() -> String { #"{"secret": \#(id)}"# }
}

/// Store that refuses all events.
private struct RefusingStore: AuditStore {
    let error: AuditError

    func store(_ events: [AuditEvent], at moment: Moment) -> AuditError? { error }
    func warn(_ text: String) {}
}

/// A copy of a database file is what a kill leaves: its process has no file beside it.
@Suite("Outbox in the app's database")
struct OutboxTests {
    private static let schema = """
        CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT);
        INSERT INTO t VALUES (1, 'x'), (2, 'y');
        CREATE TABLE w (k TEXT PRIMARY KEY, n INTEGER, data BLOB);
        INSERT INTO w VALUES ('k', 1, x'00');
        CREATE TABLE v (a TEXT PRIMARY KEY, n REAL) WITHOUT ROWID;
        INSERT INTO v VALUES ('é', 1.5), ('f', NULL);
        CREATE TABLE s (id INTEGER PRIMARY KEY, secret TEXT);
        INSERT INTO s VALUES (1, 'hidden');
        """

    /// Copies files of `app` to those of `killed`.
    private func copyFiles(in folder: String, where isIncluded: (String) -> Bool = { _ in true }) throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) where isIncluded(name) {
            let copy = "killed\(name.dropFirst("app".count))"
            try FileManager.default.copyItem(atPath: "\(folder)/\(name)", toPath: "\(folder)/\(copy)")
        }
    }

    /// Scripts of one scope: each element is executed on its own.
    static let scripts = [
        ["INSERT INTO t VALUES (3, 'z')", "UPDATE t SET a = 'w' WHERE id = 3", "DELETE FROM t WHERE id = 1"],
        ["BEGIN; UPDATE t SET a = 'b'; ROLLBACK", "UPDATE t SET a = 'q\"\\' || char(10) WHERE id = 2"],
        ["UPDATE t SET a = 'b'", "UPDATE t SET a = 'x' WHERE id = 1"],
        ["INSERT INTO t VALUES (3, 'z')", "DELETE FROM t WHERE id = 3"],
        [
            "UPDATE t SET a = 'b' WHERE id = 1", "ALTER TABLE t ADD COLUMN n DEFAULT 5",
            "UPDATE t SET n = 6 WHERE id = 2",
        ],
        ["UPDATE t SET a = 'b' WHERE id = 1", "ALTER TABLE t RENAME TO u", "INSERT INTO u VALUES (3, NULL)"],
        ["REPLACE INTO w(k, n) VALUES ('k', 2), ('l', 3)", "UPDATE v SET n = 2", "DELETE FROM v WHERE a = 'é'"],
        ["BEGIN; DELETE FROM s; SAVEPOINT p; DELETE FROM t; ROLLBACK TO p; INSERT INTO s VALUES (2, 'other'); COMMIT"],
    ]

    @Test(
        "a killed scope has the event that its commit would have stored",
        arguments: [ChangeTracking.hook, .triggers],
        scripts
    )
    func rebuilt(tracking: ChangeTracking, script: [String]) throws {
        try withFreshFolder { folder in
            let app = try OutboxApp(folder + "/app", seed: 1, tracking: tracking)
            try app.execute(Self.schema)
            let scope = app.events.beginScope(activity: "an \"activity\"")
            for sql in script { try app.execute(sql) }
            try copyFiles(in: folder) { $0 == "app" }
            scope.commit()
            let next = try OutboxApp(folder + "/killed", seed: 2, tracking: tracking)
            #expect(next.memory.events == app.memory.events)
            #expect(try next.count(OutboxTable.name) == 0)
            #expect(app.reports.errors == [])
            #expect(next.reports.errors == [])
        }
    }

    /// A scope of which the process died after its end, before or after the end was recorded.
    @Test(
        "an ended scope is sent again only without the file of its process, with the same content",
        arguments: [true, false],
        [true, false]
    )
    func ended(isCommitted: Bool, hasFile: Bool) throws {
        try withFreshFolder { folder in
            let app = try OutboxApp(folder + "/app", seed: 1)
            try app.execute(Self.schema)
            let scope = app.events.beginScope(activity: "ended")
            try app.execute("UPDATE t SET a = 'b'")
            if isCommitted { scope.commit() } else { scope.cancel() }
            #expect(app.memory.events.count == (isCommitted ? 1 : 0))
            try copyFiles(in: folder) { hasFile || $0 == "app" }
            let next = try OutboxApp(folder + "/killed", seed: 2)
            #expect(next.memory.events.count == (hasFile ? 0 : 1))
            if !hasFile, isCommitted { #expect(next.memory.events == app.memory.events) }
            #expect(try next.count(OutboxTable.name) == 0)
            // The files of the two living processes.
            let files = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.contains("-audit-") }
            #expect(files.count == 2)
        }
    }

    @Test("a scope has an event for each database file, and each file the rows of its own")
    func twoFiles() throws {
        try withFreshFolder { folder in
            let app = try OutboxApp(folder + "/app", seed: 1)
            var settings = GRDB.Configuration()
            app.events.observe(&settings)
            let other = try DatabaseQueue(path: folder + "/other", configuration: settings)
            for queue in [app.queue, other] {
                try queue.writeWithoutTransaction { try $0.execute(sql: Self.schema) }
            }
            let scope = app.events.beginScope(activity: "both")
            try app.execute("UPDATE t SET a = 'b'")
            try other.writeWithoutTransaction { try $0.execute(sql: "DELETE FROM t") }
            for name in ["app", "other"] {
                try FileManager.default.copyItem(atPath: "\(folder)/\(name)", toPath: "\(folder)/killed-\(name)")
            }
            scope.commit()
            let first = try OutboxApp(folder + "/killed-app", seed: 2)
            let second = try OutboxApp(folder + "/killed-other", seed: 3)
            #expect(app.memory.events.count == 2)
            #expect(first.memory.events + second.memory.events == app.memory.events)
        }
    }

    @Test("rows of a living process are its own, and are deleted by its next transaction")
    func living() throws {
        try withFreshFolder { folder in
            let app = try OutboxApp(folder + "/app", seed: 1)
            try app.execute(Self.schema)
            let scope = app.events.beginScope(activity: "one")
            try app.execute("UPDATE t SET a = 'b'")
            try app.execute("UPDATE t SET a = 'c'")
            let other = try OutboxApp(folder + "/app", seed: 2)
            #expect(other.memory.events == [])
            scope.commit()
            #expect(try app.count(OutboxTable.name) == 2)
            let next = app.events.beginScope(activity: "two")
            try app.execute("UPDATE t SET a = 'd'")
            next.commit()
            #expect(try app.count(OutboxTable.name) == 1)
            #expect(app.memory.events.count == 2)
            #expect(other.memory.events == [])
        }
    }

    @Test(
        "a scope whose events are not stored keeps its rows, unless recording is switched off",
        arguments: [(AuditError.unavailable, 1), (AuditError.keptInMemory, 1), (AuditError.disabled, 0)]
    )
    func notStored(error: AuditError, count: Int) throws {
        try withFreshFolder { folder in
            let app = try OutboxApp(folder + "/app", seed: 1, store: RefusingStore(error: error))
            try app.execute(Self.schema)
            let scope = app.events.beginScope(activity: "one")
            try app.execute("UPDATE t SET a = 'b'")
            scope.commit { #expect($0 == error) }
            try copyFiles(in: folder)
            let next = try OutboxApp(folder + "/killed", seed: 2)
            #expect(next.memory.events.count == count)
        }
    }

    @Test(
        "a transaction whose changes cannot be written to the outbox is refused; a missing table is created",
        arguments: [
            ("DROP TABLE clickstream_audit_outbox", false),
            ("DROP TABLE clickstream_audit_outbox; CREATE TABLE clickstream_audit_outbox (x)", true),
        ]
    )
    func refusal(sql: String, isRefused: Bool) throws {
        try withFreshFolder { folder in
            let app = try OutboxApp(folder + "/app", seed: 1)
            try app.execute(Self.schema + sql)
            let scope = app.events.beginScope(activity: "one")
            var failure: (any Error)?
            do {
                try app.queue.write { try $0.execute(sql: "DELETE FROM t") }
            } catch {
                failure = error
            }
            #expect((failure is DatabaseError) == isRefused)
            scope.commit()
            #expect(try app.count("t") == (isRefused ? 2 : 0))
            #expect(app.memory.events.isEmpty == isRefused)
            #expect(app.reports.errors.isEmpty != isRefused)
        }
    }

    @Test("rows that cannot be read are kept, and reported")
    func damage() throws {
        try withFreshFolder { folder in
            let app = try OutboxApp(folder + "/app", seed: 1)
            try app.execute(Self.schema)
            let scope = app.events.beginScope(activity: "one")
            try app.execute("UPDATE t SET a = 'b'")
            try copyFiles(in: folder) { $0 == "app" }
            scope.cancel()
            let plain = try DatabaseQueue(path: folder + "/killed")
            try plain.write { try $0.execute(sql: "UPDATE clickstream_audit_outbox SET changes = '{\"version\":2}'") }
            let next = try OutboxApp(folder + "/killed", seed: 2)
            #expect(next.memory.events == [])
            #expect(next.reports.errors.count == 1)
            #expect(try next.count(OutboxTable.name) == 1)
        }
    }
}
#endif
