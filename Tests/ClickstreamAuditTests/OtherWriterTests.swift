#if Audit
@testable import ClickstreamAudit
import ClickstreamCore
import ClickstreamSimulation
import Foundation
import GRDB
import TestSupport
import Testing

/// File with an observed connection, and another one.
private struct SharedFile {
    let store = MemoryAuditStore()
    let reports = AuditedDatabase.Reports()
    let events: Audit.Events
    let observed: DatabaseQueue
    let other: DatabaseQueue

    /// - Parameter journal: `WAL` or `DELETE`.
    init(
        _ folder: String,
        _ tracking: ChangeTracking,
        journal: String,
        _ change: (inout GRDB.Configuration, DatabaseQueue) -> Void = { _, _ in }
    ) throws {
        let path = folder + "/shared.sqlite"
        var plain = GRDB.Configuration()
        plain.allowsUnsafeTransactions = true
        other = try DatabaseQueue(path: path, configuration: plain)
        try other.inDatabase { db in
            _ = try Row.fetchAll(db, sql: "PRAGMA journal_mode = \(journal)")
            try db.execute(
                sql: "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT); INSERT INTO t VALUES (1, 'x'), (2, 'y')"
            )
        }
        events = Audit.Events(
            EventConfiguration(errorHandler: { [reports] in reports.add($0) }),
            store: store,
            time: VirtualTime(start: Timestamp(milliseconds: 1_700_000_000_000)),
            ids: SeededIDs(seed: 1),
            tracking: tracking
        )
        var settings = GRDB.Configuration()
        change(&settings, other)
        events.observe(&settings)
        observed = try DatabaseQueue(path: path, configuration: settings)
    }

    /// The payloads of a scope in which `statements` are executed, each on its own or in one transaction.
    func payloads(of statements: [String], isInTransaction: Bool) throws -> [String] {
        _ = store.takeEvents()
        let scope = events.beginScope(activity: "test")
        if isInTransaction {
            try observed.write { db in
                for sql in statements { try db.execute(sql: sql) }
            }
        } else {
            try observed.writeWithoutTransaction { db in
                for sql in statements { try db.execute(sql: sql) }
            }
        }
        scope.commit()
        return payloads
    }

    var payloads: [String] { store.payloads }
}

/// Observer of the app, which is called before those of the library.
private final class AfterCommit: TransactionObserver {
    private let body: () -> Void

    init(_ body: @escaping () -> Void) {
        self.body = body
    }

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { false }
    func databaseDidChange(with event: DatabaseEvent) {}
    func databaseDidCommit(_ db: Database) { body() }
    func databaseDidRollback(_ db: Database) {}
}

@Suite("Scopes beside another connection")
struct OtherWriterTests {
    private static let mechanisms: [ChangeTracking] = [.hook, .triggers]

    @Test(
        "record their own values of rows that the other one changes right after the commit",
        arguments: mechanisms,
        [("WAL", false), ("WAL", true), ("DELETE", false), ("DELETE", true)]
    )
    func ownValues(tracking: ChangeTracking, form: (journal: String, isInTransaction: Bool)) throws {
        try withFreshFolder { folder in
            let file = try SharedFile(folder, tracking, journal: form.journal)
            let observer = AfterCommit {
                #expect(throws: Never.self) {
                    try file.other.inDatabase { db in
                        try db.execute(sql: "UPDATE t SET a = 'other' WHERE id = 1; DELETE FROM t WHERE id = 2")
                    }
                }
            }
            file.observed.add(transactionObserver: observer, extent: .databaseLifetime)
            let found = try file.payloads(of: ["UPDATE t SET a = 'own'"], isInTransaction: form.isInTransaction)
            #expect(
                found == [
                    #"{"t":{"modifications":[{"oldValue":{"id":1,"a":"x"},"newValue":{"a":"own"}},"#
                        + #"{"oldValue":{"id":2,"a":"y"},"newValue":{"a":"own"}}]}}"#
                ]
            )
            #expect(file.reports.errors == [])
        }
    }

    @Test(
        "leave each row at its position if the other one has changed the schema since the last scope",
        arguments: mechanisms,
        ["WAL", "DELETE"]
    )
    func positions(tracking: ChangeTracking, journal: String) throws {
        try withFreshFolder { folder in
            let file = try SharedFile(folder, tracking, journal: journal)
            let changes = [
                "INSERT INTO t VALUES (9, 'a')", "INSERT OR IGNORE INTO t VALUES (9007199254740993, 'b')",
                "REPLACE INTO t VALUES (5, 'c')", "UPDATE t SET id = 7 WHERE id = 1", "DELETE FROM t WHERE id = 2",
                "INSERT INTO t(id, a) VALUES (3, 'd'), (1, 'e'), (12, 'f')",
            ]
            for (number, change) in changes.enumerated() {
                #expect(try file.payloads(of: [change], isInTransaction: number % 2 == 1).count == 1, "\(change)")
                try file.other.inDatabase { db in
                    #expect(try String.fetchAll(db, sql: "PRAGMA integrity_check") == ["ok"], "\(change)")
                    try db.execute(sql: "CREATE TABLE o\(number) (x)")
                }
            }
            let rows = try file.observed.read { db in
                try Row.fetchAll(db, sql: "SELECT * FROM t").map { "\($0[0] as Int) \($0[1] as String)" }
            }
            #expect(rows == ["1 e", "3 d", "5 c", "7 x", "9 a", "12 f", "9007199254740993 b"])
            #expect(file.reports.errors == [])
        }
    }

    @Test(
        "record rows of a file that the other one locks right after the commit",
        arguments: mechanisms,
        [false, true]
    )
    func lockedFile(tracking: ChangeTracking, isInTransaction: Bool) throws {
        try withFreshFolder { folder in
            let file = try SharedFile(folder, tracking, journal: "DELETE")
            let observer = AfterCommit {
                #expect(throws: Never.self) {
                    try file.other.inDatabase { try $0.execute(sql: "BEGIN EXCLUSIVE") }
                }
            }
            file.observed.add(transactionObserver: observer, extent: .databaseLifetime)
            let statement = "UPDATE t SET a = 'own' WHERE id = 1"
            let found = try file.payloads(of: [statement], isInTransaction: isInTransaction)
            try file.other.inDatabase { try $0.execute(sql: "ROLLBACK") }
            #expect(found == [#"{"t":{"modifications":[{"oldValue":{"id":1,"a":"x"},"newValue":{"a":"own"}}]}}"#])
            #expect(file.reports.errors == [])
        }
    }

    /// First access of a scope.
    enum Access: String, CaseIterable {
        case statement = "UPDATE t SET a = 'own' WHERE id = 1"
        case immediate = "BEGIN IMMEDIATE; UPDATE t SET a = 'own' WHERE id = 1; COMMIT"
        case deferred = "BEGIN; UPDATE t SET a = 'own' WHERE id = 1; COMMIT"
        case returning = "UPDATE t SET a = 'own' WHERE id = 1 RETURNING id"
    }

    /// SQLite does not call the busy handler for the write of a transaction that has read before: a query of the library
    /// within the first statement would make it fail at once.
    @Test("call the busy handler for the first write, as without a scope", arguments: mechanisms, Access.allCases)
    func busyHandler(tracking: ChangeTracking, access: Access) throws {
        for journal in ["WAL", "DELETE"] {
            try withFreshFolder { folder in
                let file = try SharedFile(folder, tracking, journal: journal) { settings, other in
                    settings.busyMode = .callback { attempts in
                        #expect(throws: Never.self) { try other.inDatabase { try $0.execute(sql: "COMMIT") } }
                        return attempts == 0
                    }
                }
                try file.other.inDatabase { db in
                    try db.execute(sql: "BEGIN IMMEDIATE; UPDATE t SET a = 'other' WHERE id = 2")
                }
                let scope = file.events.beginScope(activity: "test")
                try file.observed.writeWithoutTransaction { db in
                    if access == .returning {
                        _ = try Row.fetchAll(db, sql: access.rawValue)
                    } else {
                        try db.execute(sql: access.rawValue)
                    }
                }
                scope.commit()
                let change = #"{"t":{"modifications":[{"oldValue":{"id":1,"a":"x"},"newValue":{"a":"own"}}]}}"#
                #expect(file.payloads.last == change, "\(journal)")
                #expect(file.reports.errors == [], "\(journal)")
            }
        }
    }

    @Test("record what a failed and repeated commit has written", arguments: mechanisms)
    func repeatedCommit(tracking: ChangeTracking) throws {
        try withFreshFolder { folder in
            let file = try SharedFile(folder, tracking, journal: "DELETE") { settings, _ in
                settings.allowsUnsafeTransactions = true
            }
            let scope = file.events.beginScope(activity: "test")
            try file.observed.inDatabase { db in
                try db.execute(sql: "BEGIN; UPDATE t SET a = 'one' WHERE id = 1")
                try file.other.inDatabase { try $0.execute(sql: "BEGIN; SELECT * FROM t") }
                // A reader prevents the commit; the transaction stays open.
                #expect(throws: DatabaseError.self) { try db.execute(sql: "COMMIT") }
                try db.execute(sql: "UPDATE t SET a = 'two' WHERE id = 1")
                try file.other.inDatabase { try $0.execute(sql: "COMMIT") }
                try db.execute(sql: "COMMIT")
            }
            scope.commit()
            let found = file.payloads.last
            #expect(found == #"{"t":{"modifications":[{"oldValue":{"id":1,"a":"x"},"newValue":{"a":"two"}}]}}"#)
        }
    }

    @Test("leave out values that the other one wrote before a change of the schema", arguments: mechanisms)
    func schemaChange(tracking: ChangeTracking) throws {
        try withFreshFolder { folder in
            let file = try SharedFile(folder, tracking, journal: "WAL")
            let scope = file.events.beginScope(activity: "test")
            try file.observed.writeWithoutTransaction { try $0.execute(sql: "UPDATE t SET a = 'own'") }
            try file.other.inDatabase { db in
                try db.execute(sql: "UPDATE t SET a = 'other' WHERE id = 1; DELETE FROM t WHERE id = 2")
            }
            try file.observed.writeWithoutTransaction { try $0.execute(sql: "ALTER TABLE t ADD COLUMN n DEFAULT 5") }
            scope.commit()
            #expect(
                file.payloads == [
                    #"{"t":{"modifications":[{"oldValue":{"id":1,"a":"x"},"newValue":{"a":"own","n":5}},"#
                        + #"{"oldValue":{"id":2,"a":"y"},"newValue":{"a":"own"}}]}}"#
                ]
            )
        }
    }

    @Test("report a change that cannot be recorded to the completion and the handler, and recover")
    func missingTable() throws {
        let database = try AuditedDatabase(
            "ATTACH ':memory:' AS o; CREATE TABLE o.t (id INTEGER PRIMARY KEY, a TEXT); INSERT INTO o.t VALUES (1, 'x')",
            tracking: .hook
        )
        let scope = database.events.beginScope(activity: "test")
        try database.execute(
            "UPDATE o.t SET a = 'y'; DROP TABLE temp.clickstream_audit_transaction; UPDATE o.t SET a = 'z'"
        )
        var failure: AuditError?
        scope.commit { failure = $0 }
        guard let failure, case .incomplete(_, let reason) = failure else {
            Issue.record("\(failure.debugDescription)")
            return
        }
        #expect(reason.contains("clickstream_audit_transaction"))
        #expect(database.reports.errors == [failure])
        #expect(
            database.payloads == [#"{"o.t":{"modifications":[{"oldValue":{"id":1,"a":"x"},"newValue":{"a":"z"}}]}}"#]
        )
        let next = try database.payloads(of: "UPDATE o.t SET a = 'w'")
        #expect(next == [#"{"o.t":{"modifications":[{"oldValue":{"id":1,"a":"z"},"newValue":{"a":"w"}}]}}"#])
        #expect(database.reports.errors == [failure])
    }

    @Test("do not depend on temporary tables, which a pragma drops")
    func temporaryStorage() throws {
        let database = try AuditedDatabase(
            "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT); INSERT INTO t VALUES (1, 'x'); PRAGMA temp_store = 2",
            tracking: .hook
        )
        #expect(
            try database.payloads(of: "UPDATE t SET a = 'y'")
                == [#"{"t":{"modifications":[{"oldValue":{"id":1,"a":"x"},"newValue":{"a":"y"}}]}}"#]
        )
        #expect(database.reports.errors == [])
    }
}
#endif
