#if Collector
import ClickstreamCore
import ClickstreamPlan
import Foundation
import GRDB
import Synchronization
import Testing

@testable import ClickstreamCollector

/// A query without an end, and an expression over 900 MB.
private let endless = """
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS id, 1 AS events FROM n
    """
private let large = "length(zeroblob(900000000))"

/// Stores whose schema another program has changed, and the protection against what it contains.
@Suite("Schemas of stores", .timeLimit(.minutes(10)))
struct StoreSchemaTests {
    @Test(
        "are refused before their SQL runs, with the name of the foreign object",
        arguments: [
            ("DROP TABLE users; CREATE VIEW users AS \(endless)", "the view 'users'"),
            ("CREATE VIEW stranger AS \(endless)", "the view 'stranger'"),
            ("CREATE TRIGGER stranger BEFORE INSERT ON requests BEGIN SELECT \(large); END", "the trigger 'stranger'"),
            (
                "ALTER TABLE events ADD COLUMN stranger GENERATED ALWAYS AS (\(large)) VIRTUAL",
                "another definition of the table 'events'"
            ),
            ("CREATE INDEX stranger ON requests (rid, \(large))", "the index 'stranger'"),
            (
                "DROP INDEX requests_bad; CREATE INDEX requests_bad ON requests (seq) WHERE \(large) > 0",
                "another definition of the index 'requests_bad'"
            ),
            (
                "DROP TABLE users; CREATE TABLE users (id TEXT PRIMARY KEY, events INTEGER NOT NULL, CHECK (\(large) > 0))",
                "another definition of the table 'users'"
            ),
            ("CREATE TABLE \"a\u{1B}[31m\" (a)", "the table 'a\\u001b[31m'"),
        ]
    )
    func foreign(statements: String, object: String) async throws {
        try await withFolder { folder in
            let path = folder + "/store.sqlite"
            try await Self.make(at: path, statements)
            let before = try Data(contentsOf: URL(fileURLWithPath: path))
            let refusal = CollectorError.storeAltered(path: path, object: object)
            await #expect(throws: refusal) {
                try await Collector.start(CollectorConfiguration(storePath: path))
            }
            #expect(refusal.description.contains(object))
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
        }
    }

    @Test(
        "are accepted with what collectors and SQLite create",
        arguments: [
            "ANALYZE", "VACUUM", "REINDEX",
            "CREATE TABLE IF NOT EXISTS followers (name TEXT PRIMARY KEY, cursor INTEGER NOT NULL) WITHOUT ROWID",
        ]
    )
    func own(statement: String) async throws {
        try await withFolder { folder in
            let path = folder + "/store.sqlite"
            try await Self.make(at: path, statement)
            try await withCollector(CollectorConfiguration(storePath: path)) { collector in
                let stored = try await collector.events().events.map(\.json)
                #expect(stored == [event("A")])
            }
        }
    }

    @Test("of older layouts are accepted, and refused with an object of another program", arguments: 1...6)
    func older(version: Int) async throws {
        try await withFolder { folder in
            let path = folder + "/store.sqlite"
            try await OldStore.make(at: path, version: version)
            let queue = try DatabaseQueue(path: path)
            try await queue.writeWithoutTransaction { try $0.execute(sql: "CREATE VIEW stranger AS SELECT 1") }
            #expect(throws: CollectorError.storeAltered(path: path, object: "the view 'stranger'")) {
                try Store(path: path)
            }
            try await queue.writeWithoutTransaction { try $0.execute(sql: "DROP VIEW stranger") }
            try queue.close()
            // The second time with what the migration has left.
            for _ in 0..<2 { try Store(path: path).close() }
        }
    }

    @Test("cannot be changed through a connection, call no untrusted function, and allocate no more than a row needs")
    func protection() async throws {
        let check = { @Sendable (database: Database) throws in
            #expect(try Int.fetchOne(database, sql: "PRAGMA trusted_schema") == 0)
            let error = #expect(throws: DatabaseError.self) {
                try Int.fetchOne(database, sql: "SELECT length(zeroblob(\(Store.valueBytes + 1)))")
            }
            #expect(error?.resultCode == .SQLITE_TOOBIG)
        }
        try await withStore { store in
            try await store.read(check)
            try await store.writeOutside { database in
                try check(database)
                try database.execute(sql: "PRAGMA writable_schema = ON")
                #expect(throws: DatabaseError.self) {
                    try database.execute(sql: "DELETE FROM sqlite_master WHERE name = 'users'")
                }
            }
        }
    }

    // MARK: - Cancellation

    /// Condition that becomes true after some reads.
    private final class Countdown: Sendable {
        private let left: Atomic<Int>

        init(_ count: Int) {
            left = Atomic(count)
        }

        func isOverAfterRead() -> Bool { left.subtract(1, ordering: .relaxed).newValue < 0 }
    }

    @Test(
        "of an old layout stay as they are if their migration is cancelled",
        arguments: [(2, 0), (2, 1), (2, 2), (6, 0), (6, 1)]
    )
    func cancelledMigration(version: Int, reads: Int) async throws {
        try await withFolder { folder in
            let path = folder + "/store.sqlite"
            try await OldStore.make(at: path, version: version)
            let countdown = Countdown(reads)
            #expect(throws: CollectorError.stopped) {
                try Store(path: path, opening: StoreOpening { countdown.isOverAfterRead() })
            }
            #expect(try Self.version(of: path) == version)
            let store = try Store(path: path)
            #expect(try await store.summary().requests == 3)
            try store.close()
        }
    }

    @Test("of an old layout, or judged by another plan, report the work before their opening", arguments: [2, 6])
    func preparations(version: Int) async throws {
        try await withFolder { folder in
            let path = folder + "/store.sqlite"
            try await OldStore.make(at: path, version: version)
            let reported = Locked<[StorePreparation]>([])
            func open(_ plan: TrackingPlan?) throws {
                let opening = StoreOpening(report: { preparation in reported.withLock { $0.append(preparation) } })
                let decoder = UploadDecoder(plan: plan.map { PlanJudge($0) })
                try Store(path: path, decoder: decoder, opening: opening).close()
            }
            try open(nil)
            #expect(reported.withLock { $0 } == [.migration(requests: 3)])
            try open(TrackingPlan())
            try open(TrackingPlan())
            #expect(reported.withLock { $0 } == [.migration(requests: 3), .judging(requests: 3)])
        }
    }

    @Test("of an old layout are opened if only the release of free pages after their migration is cancelled")
    func cancelledRelease() async throws {
        try await withFolder(inMemory: true) { folder in
            let path = folder + "/store.sqlite"
            try await OldStore.make(at: path, version: 6)
            // Their release takes more instructions than there are between two reads of the condition.
            try withDatabase(at: path) {
                try $0.execute(sql: "UPDATE events SET screen_name = printf('%.*c', 4000000, 'x')")
            }
            for reads in 0..<1_000 {
                let countdown = Countdown(reads)
                let store: Store
                do {
                    store = try Store(path: path, opening: StoreOpening { countdown.isOverAfterRead() })
                } catch CollectorError.stopped {
                    try #require(try Self.version(of: path) == 6)
                    continue
                }
                // The release was cancelled.
                let free = try await store.read { try Int.fetchOne($0, sql: "PRAGMA freelist_count") ?? 0 }
                #expect(free > 1_000)
                #expect(try await store.events(EventFilter()).events.map(\.sequence) == [1, 2])
                try store.close()
                #expect(try Self.version(of: path) == StoreLayout.version)
                return
            }
            Issue.record("no migration was completed")
        }
    }

    @Test("of an old layout stay as they are if the start of the collector is cancelled")
    func cancelledStart() async throws {
        try await withFolder { folder in
            let path = folder + "/store.sqlite"
            try await OldStore.make(at: path, version: 1)
            let start = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await Collector.start(CollectorConfiguration(storePath: path))
            }
            await #expect(throws: CollectorError.stopped) { try await start.value }
            #expect(try Self.version(of: path) == 1)
        }
    }

    @Test("end each statement of a connection after the cancellation")
    func interruption() throws {
        var configuration = GRDB.Configuration()
        let opening = StoreOpening { true }
        configuration.prepareDatabase { opening.watch($0) }
        let queue = try DatabaseQueue(configuration: configuration)
        let error = #expect(throws: DatabaseError.self) {
            try queue.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM (\(endless))") }
        }
        #expect(error?.resultCode == .SQLITE_INTERRUPT)
        try queue.close()
    }

    // MARK: - Fixtures

    /// A store with one event, after some statements of another program.
    private static func make(at path: String, _ statements: String) async throws {
        try await withCollector(CollectorConfiguration(storePath: path)) { collector in
            _ = try await collector.post("[\(event("A"))]")
        }
        try withDatabase(at: path) { try $0.execute(sql: statements) }
    }

    private static func version(of path: String) throws -> Int? {
        try withDatabase(at: path) { try Int.fetchOne($0, sql: "PRAGMA user_version") }
    }
}
#endif
