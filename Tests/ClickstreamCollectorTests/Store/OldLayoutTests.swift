#if Collector
import ClickstreamCore
import Foundation
import GRDB
import Testing

@testable import ClickstreamCollector

/// Stores of the layouts 3 to 6, whose events contained their texts.
@Suite("Migrated stores", .timeLimit(.minutes(10)))
struct OldLayoutTests {
    private static let targets = [
        "/api/summary", "/api/events?limit=1000", "/api/events?status=bad", "/api/events?code=2001",
        "/api/events?name=_screen_view", "/api/events?session=s2", "/api/events?user=carol", "/api/requests",
        "/api/sessions", "/api/sessions/s1", "/api/sessions/s2", "/micro/all", "/micro/bad",
    ]
    private static let captured = ["/api/captured", "/api/captured/summary", "/api/captured/requests"]
    private static let audit = ["/api/audit", "/api/audit/summary", "/api/audit?table=product&key=7"]

    /// Fields that former layouts did not have.
    private static let filters = [
        EventFilter(app: "shop"), EventFilter(device: "d"), EventFilter(platform: "Linux"), EventFilter(version: "1.2"),
        EventFilter(screen: "Home"),
    ]

    /// Fills a store that does not begin with the first number, with every kind of row.
    private static func fill(_ collector: Collector) async throws {
        try await collector.reset()
        let home = event(
            "C",
            name: "_screen_view",
            session: "s2",
            userID: "carol",
            attributes: #""_screen_name":"Home""#
        )
        let device = #"{"device_id":"d","platform":"Linux","app_version":"1.2","#
        let bodies = [
            "[\(event("A", session: "s1")),\(event("B", name: "", session: "s2"))]",
            "[\(event("A", session: "s1")),\(device)\(home.dropFirst()),{},7]",
            "nonsense",
            "[\(event("A", session: "s1"))]",
        ]
        for body in bodies { _ = try await collector.post(body) }
        _ = try await collector.post("[\(click(1)),\(click(1))]", "/pulse")
        _ = try await collector.post("[\(auditEvent(1, "write", data: insertion(7)))]", "/audit")
    }

    private static func replies(_ targets: [String], _ collector: Collector) async throws -> [String] {
        var replies: [String] = []
        for target in targets {
            let reply = try await collector.get(target).text
            replies.append("\(target): \(reply)")
        }
        for filter in filters {
            let events = try await collector.events(filter).events.map(\.sequence)
            #expect(!events.isEmpty)
            replies.append("\(filter): \(events)")
        }
        return replies
    }

    @Test("give the replies that they gave, and recognize duplicates", arguments: 3...6)
    func replies(version: Int) async throws {
        try await withFolder { folder in
            let configuration = CollectorConfiguration(storePath: folder + "/store.sqlite")
            let targets = Self.targets + (version > 4 ? Self.captured : []) + (version > 5 ? Self.audit : [])
            let before = try await withCollector(configuration) { collector in
                try await Self.fill(collector)
                return try await Self.replies(targets, collector)
            }
            try withDatabase(at: folder + "/store.sqlite") { try OldStore.downgrade($0, to: version) }
            // The second time without a migration.
            for _ in 0..<2 {
                try await withCollector(configuration) { collector in
                    let after = try await Self.replies(targets, collector)
                    #expect(after == before)
                }
            }
            try await withCollector(configuration) { collector in
                let summary = try await collector.summary()
                _ = try await collector.post("[\(event("A", session: "s1")),\(event("D"))]")
                let after = try await collector.summary()
                #expect(after.events == summary.events + 1 && after.duplicates == summary.duplicates + 1)
            }
        }
    }

    @Test("have the rows, terms and texts that they would have been written with", arguments: 4...6)
    func rows(version: Int) async throws {
        try await withFolder { folder in
            let path = folder + "/store.sqlite"
            try await withCollector(CollectorConfiguration(storePath: path)) { try await Self.fill($0) }
            let before = try withDatabase(at: path, Self.allRows)
            try withDatabase(at: path) { try OldStore.downgrade($0, to: version) }
            try Store(path: path).close()
            #expect(try withDatabase(at: path, Self.allRows) == before)
        }
    }

    /// All rows about events, with texts in place of their ids.
    private static func allRows(_ database: Database) throws -> [[DatabaseValue]] {
        func text(_ id: String) -> String { "(SELECT value FROM texts WHERE id = \(id))" }
        return try [
            """
            SELECT seq, identity, start, length, is_bad, reports_error, timestamp, \(text("name")), \(text("app")),
                \(text("device")), \(text("platform")), \(text("version")), \(text("screen")), \(text("unique_id")),
                \(text("user")), \(text("session")), session_number, session_start, engagement, event_id, screen_unique_id,
                unlisted FROM events ORDER BY seq
            """,
            "SELECT kind, value, request FROM terms JOIN texts ON id = text ORDER BY kind, value, request",
            "SELECT kind, value FROM texts ORDER BY kind, value",
            "SELECT \(text("session")), \(text("app")), first, events FROM sessions ORDER BY first",
            "SELECT \(text("users.id")), events FROM users ORDER BY 1",
            "SELECT * FROM findings ORDER BY event, position",
            "SELECT * FROM requests ORDER BY seq",
            "SELECT * FROM state",
        ].flatMap { sql in try Row.fetchAll(database, sql: sql).map { Array($0.databaseValues) } }
    }

    @Test("keep the verdicts that they have, also of former rules")
    func verdicts() async throws {
        try await withFolder { folder in
            let path = folder + "/store.sqlite"
            try await OldStore.make(at: path, version: 6)
            try withDatabase(at: path) { database in
                try database.execute(
                    sql: """
                        UPDATE events SET is_bad = 1, unlisted = 5 WHERE seq = 2;
                        INSERT INTO findings VALUES (2, 0, 'former', 'error', 'event', 'x', 'No rule has this code.');
                        UPDATE requests SET bad_events = 1, unlisted = 5 WHERE seq = 3;
                        UPDATE state SET bad_events = 1;
                        """
                )
            }
            let store = try Store(path: path)
            for filter in [EventFilter(code: "former"), EventFilter(status: .bad)] {
                let events = try await store.events(filter).events
                #expect(events.map(\.sequence) == [2])
                #expect(events.first?.violations.map(\.code) == ["former"] && events.first?.unlistedViolations == 5)
            }
            #expect(try await store.summary().badEvents == 1)
            try store.close()
        }
    }

    @Test("keep the damage of a body that was changed or removed, and accept one beyond the present limit")
    func bodies() async throws {
        try await withFolder { folder in
            for change in ["UPDATE bodies SET data = CAST('[7]' AS BLOB)", "DELETE FROM bodies"] {
                let path = "\(folder)/\(change.count).sqlite"
                try await OldStore.make(at: path, version: 6)
                try withDatabase(at: path) { try $0.execute(sql: change + " WHERE request = 3") }
                let store = try Store(path: path, decoder: UploadDecoder(inflationLimit: 10))
                #expect(try await store.summary().events == 2)
                #expect(try await store.read { try Int64.fetchAll($0, sql: "SELECT seq FROM events") } == [1, 2])
                await #expect(throws: StoreDamage.self) { try await store.events(EventFilter()) }
                let copy = try await store.append([UploadDecoder().decode(.post(Array("[\(event("A"))]".utf8)))])
                #expect(copy.duplicates == 1)
                try store.close()
            }
            let path = folder + "/limit.sqlite"
            let whole = try Store(path: path)
            let body = Base64.encode(Gzip.deflate(Array("[\(event("A")),\(event("B"))]".utf8)))
            try await whole.append([UploadDecoder().decode(.post(body))])
            try whole.close()
            try withDatabase(at: path) { try OldStore.downgrade($0, to: 6) }
            let store = try Store(path: path, decoder: UploadDecoder(inflationLimit: 10))
            #expect(try await store.events(EventFilter(app: "shop")).events.map(\.sequence) == [1, 2])
            try store.close()
        }
    }

    @Test("with a number of events that includes those of another request keep all events, and the damage")
    func overlap() async throws {
        try await withFolder { folder in
            let path = folder + "/store.sqlite"
            try await OldStore.make(at: path, version: 6)
            try withDatabase(at: path) { try $0.execute(sql: "UPDATE requests SET events = 4 WHERE seq = 5") }
            let store = try Store(path: path)
            #expect(try await store.read { try Int64.fetchAll($0, sql: "SELECT seq FROM events") } == [1, 2])
            #expect(try await store.events(EventFilter(name: "button_click")).events.map(\.sequence) == [1, 2])
            await #expect(throws: StoreDamage.self) { try await store.events(EventFilter()) }
            try store.close()
        }
    }

    @Test("with values of other types keep all events", arguments: ["timestamp = 'x'", "event_id = x'00'"])
    func types(change: String) async throws {
        try await withFolder { folder in
            let path = folder + "/store.sqlite"
            try await OldStore.make(at: path, version: 3)
            try withDatabase(at: path) { try $0.execute(sql: "UPDATE events SET \(change) WHERE seq = 2") }
            let store = try Store(path: path)
            #expect(try await store.events(EventFilter()).events.map(\.sequence) == [1, 2])
            try store.close()
        }
    }

    @Test("whose bodies were changed keep the texts of their events in sessions, timelines and lists")
    func textsOfDamagedBodies() async throws {
        let targets = ["/api/summary", "/api/requests", "/api/sessions", "/api/sessions/s1", "/api/sessions/s2"]
        func read(_ collector: Collector) async throws -> [String] {
            var replies: [String] = []
            for target in targets { replies.append(try await collector.get(target).text) }
            return replies
        }
        try await withFolder { folder in
            let path = folder + "/store.sqlite"
            let configuration = CollectorConfiguration(storePath: path)
            let before = try await withCollector(configuration) { collector in
                try await Self.fill(collector)
                return try await read(collector)
            }
            try withDatabase(at: path) { database in
                try OldStore.downgrade(database, to: 6)
                try database.execute(sql: "UPDATE bodies SET data = CAST('[7]' AS BLOB)")
            }
            try await withCollector(configuration) { collector in
                let after = try await read(collector)
                #expect(after == before)
                for filter in [EventFilter(user: "carol"), EventFilter(app: "shop"), EventFilter(screen: "Home")] {
                    // An event is found, and its body is damaged.
                    await #expect(throws: CollectorError.self) { try await collector.events(filter) }
                }
                let screens = try await collector.get("/api/report/count?by=screen")
                #expect(screens.text.contains("Home"))
            }
        }
    }

    @Test(
        "with a value that no collector writes are refused, and stay as they are",
        arguments: [
            (
                """
                UPDATE requests SET seq = \(Int64.min) WHERE seq = 3;
                UPDATE bodies SET request = \(Int64.min) WHERE request = 3;
                """,
                StoreDamage(column: "requests.seq", found: "\(Int64.min)")
            ),
            (
                "UPDATE requests SET events = 4294967296 WHERE seq = 3",
                StoreDamage(column: "requests.events", found: "4294967296")
            ),
            ("UPDATE requests SET events = -1 WHERE seq = 3", StoreDamage(column: "requests.events", found: "-1")),
            (
                "UPDATE requests SET events = 'x' WHERE seq = 3; DELETE FROM bodies WHERE request = 3;",
                StoreDamage(column: "requests.events", found: "a text of 1 bytes")
            ),
            (
                "UPDATE requests SET received_at = 'x' WHERE seq = 3",
                StoreDamage(column: "requests.received_at", found: "a text of 1 bytes")
            ),
            (
                "UPDATE requests SET is_encoded = 2 WHERE seq = 3",
                StoreDamage(column: "requests.is_encoded", found: "2")
            ),
            ("UPDATE bodies SET data = 7 WHERE request = 3", StoreDamage(column: "bodies.data", found: "7")),
            ("UPDATE state SET archived = -1", StoreDamage(column: "state.archived", found: "-1")),
        ]
    )
    func refused(change: String, damage: StoreDamage) async throws {
        try await withFolder { folder in
            let path = folder + "/store.sqlite"
            try await OldStore.make(at: path, version: 6)
            try withDatabase(at: path) { try $0.execute(sql: "PRAGMA foreign_keys = OFF; \(change)") }
            let before = try storedRows(at: path)
            #expect(throws: CollectorError.storeDamaged(path: path, reason: "\(damage)")) { try Store(path: path) }
            #expect(try storedRows(at: path) == before)
        }
    }

    // MARK: - Two collectors

    @Test("are migrated by one of several collectors that open them at the same time")
    func concurrentOpening() async throws {
        try await withFolder(inMemory: true) { folder in
            let path = folder + "/store.sqlite"
            try await OldStore.make(at: path, version: 6)
            try await withThrowingTaskGroup(of: Store.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        try await Store.open(
                            path: path,
                            decoder: UploadDecoder(),
                            archive: nil,
                            pageBytes: Limits().pageBytes,
                            limit: nil
                        )
                    }
                }
                // Closed at the end: the last connection removes the log.
                var stores: [Store] = []
                for try await store in group { stores.append(store) }
                for store in stores {
                    #expect(try await store.events(EventFilter()).events.map(\.sequence) == [1, 2])
                }
                for store in stores { try store.close() }
            }
        }
    }

    @Test(
        "and new ones stay as they are if another collector has created or migrated them since they were read",
        arguments: [nil, 3, 6] as [Int?]
    )
    func secondUpdate(version: Int?) async throws {
        try await withFolder { folder in
            let path = folder + "/store.sqlite"
            if let version { try await OldStore.make(at: path, version: version) }
            func update() throws -> Int? {
                var configuration = GRDB.Configuration()
                configuration.foreignKeysEnabled = false
                let queue = try DatabaseQueue(path: path, configuration: configuration)
                let former = try queue.write { try Store.update($0, path, UploadDecoder(), StoreOpening()) }
                try queue.close()
                return former
            }
            #expect(try update() == version)
            let before = try storedRows(at: path)
            #expect(try update() == nil)
            #expect(try storedRows(at: path) == before)
        }
    }
}
#endif
