#if Collector
import ClickstreamCore
import ClickstreamJudges
import ClickstreamSimulation
import Foundation
import GRDB
import TestSupport
import Testing

@testable import ClickstreamCollector

/// Stores whose values were changed by another hand, at random but the same at each run. SQLite's own check finds nothing
/// in them.
@Suite("Damaged stores")
struct DamagedStoreTests {
    private static let count = TestLength.count(12, full: 40, soak: 1_000)
    private static let migrationCount = TestLength.count(30, full: 200, soak: 3_000)

    private static let values = [
        "NULL", "-1", "0", "7", "9223372036854775807", "-9223372036854775808", "1e300", "''", "'text'", "x''",
        "x'ff00'",
        "zeroblob(1000)", "4611686018427387904", "2147483647", "1.5",
    ]

    private static let targets = [
        "/api/summary", "/api/events?limit=3", "/api/events?status=bad", "/api/events?name=button_click",
        "/api/events?session=s1&since=0", "/api/events/1", "/api/requests?limit=2", "/api/sessions?limit=2",
        "/api/sessions/s1", "/metrics", "/micro/all", "/micro/good", "/micro/bad", "/micro/events",
        "/api/captured/summary", "/api/captured?limit=2",
        "/api/captured?form=\(CapturedFormat.batched)", "/api/captured?name=click&since=0",
        "/api/captured/requests?limit=1",
        "/api/captured/11", "/api/audit/summary", "/api/audit?limit=2", "/api/audit?table=product&key=7",
        "/api/audit?type=product&activity=shop", "/api/audit/requests",
        "/api/report/count?by=name", "/api/report/count?by=attributes.a&user=carol",
        "/api/report/funnel?step=button_click&step=_screen_view&by=app&per=session",
        "/api/report/funnel?step=button_click:attributes.a%20!%3D%201&within=1&by=attributes.a",
    ]

    /// A store with every kind of row.
    private static func make(at path: String) async throws -> String {
        try await withCollector(CollectorConfiguration(storePath: path)) { collector in
            _ = try await collector.post("[\(event("A", session: "s1")),\(event("B", name: "", session: "s2"))]")
            let sent = try await collector.post(
                "[\(event("A", session: "s1")),\(event("C", name: "_screen_view", session: "s1", userID: "carol"))]"
            )
            _ = try await collector.post("nonsense")
            _ = try await collector.post("[\(click(1)),\(click(2, at: 1)),\(click(1))]", "/pulse")
            _ = try await collector.post(batch([swipe(1), swipe(2)]), CapturedFormat.batched.path)
            let audit = [auditEvent(1, "write", data: insertion(7)), auditEvent(2, "x", data: nil, more: #","n":7"#)]
            _ = try await collector.post("[\(audit.joined(separator: ","))]", "/audit?partition=p")
            return sent.headers["x-request-id"] ?? ""
        }
    }

    /// The statements of the tables by their names.
    private static func definitions(at path: String) throws -> [String: String] {
        let rows = try withDatabase(at: path) {
            try Row.fetchAll($0, sql: "SELECT name, sql FROM sqlite_master WHERE type = 'table'")
        }
        return Dictionary(uniqueKeysWithValues: rows.map { ($0[0] as String, $0[1] as String) })
    }

    /// Replaces the statements of tables, for connections that are opened later.
    private static func define(_ definitions: [String: String], at path: String) throws {
        try withDatabase(at: path) { database in
            try database.execute(sql: "PRAGMA writable_schema = ON")
            for (name, statement) in definitions {
                try database.execute(
                    sql: "UPDATE sqlite_master SET sql = ? WHERE type = 'table' AND name = ?",
                    arguments: [statement, name]
                )
            }
            try database.execute(sql: "PRAGMA writable_schema = OFF")
        }
    }

    private static let tables =
        [
            "state", "requests", "bodies", "events", "findings", "texts", "terms", "sessions", "users",
            "captured_totals",
        ] + StoreLayout.capturedRows.map(\.table)

    /// Changes one value of a store's tables at random.
    private static func damage(_ path: String, _ tables: [String], _ random: inout SplitMix) throws -> String {
        var configuration = GRDB.Configuration()
        configuration.foreignKeysEnabled = false
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        defer {
            // What was changed is committed.
            try? queue.close()
        }
        let table = tables[Int(random.next() % UInt64(tables.count))]
        let value = values[Int(random.next() % UInt64(values.count))]
        let number = random.next()
        return try queue.write { database in
            let columns = try database.columns(in: table).map(\.name)
            let column = columns[Int(number % UInt64(columns.count))]
            let rows = number & 1024 == 0 ? "" : " WHERE \(columns[0]) IN (SELECT \(columns[0]) FROM \(table) LIMIT 1)"
            let sql = "UPDATE OR IGNORE \(table) SET \(column) = \(value)\(rows)"
            do {
                try database.execute(sql: sql)
            } catch let error as DatabaseError where [.SQLITE_MISMATCH, .SQLITE_CONSTRAINT].contains(error.resultCode) {
                // SQLite lets nothing but integers into this one.
            }
            return sql
        }
    }

    @Test("are rejected, or every query returns its values or an error, and they stop", .timeLimit(.minutes(10)))
    func fuzz() async throws {
        // A stop takes as long as the disk takes to flush: three times at least, which a busy disk may take half a minute for.
        try await withFolder(inMemory: true) { folder in
            let original = folder + "/original.sqlite"
            let id = try await Self.make(at: original)
            let definitions = try Self.definitions(at: original)
            let unconstrained = definitions.mapValues { $0.replacing(" NOT NULL", with: "") }
            var random = SplitMix(seed: 13)
            for number in 0..<Self.count {
                let path = folder + "/\(number).sqlite"
                try FileManager.default.copyItem(atPath: original, toPath: path)
                // The schema is that of a store again when the collector opens it.
                try Self.define(unconstrained, at: path)
                let change = try Self.damage(path, Self.tables, &random)
                try Self.define(definitions, at: path)
                let configuration = CollectorConfiguration(
                    storePath: path,
                    archive: number % 3 == 0 ? folder + "/archive" : nil,
                    maxStoreBytes: number % 2 == 0 ? 1_048_576 : nil,
                    maxAge: number % 4 == 0 ? .seconds(1) : nil
                )
                let collector: Collector
                do {
                    collector = try await Collector.start(configuration, time: virtualTime())
                } catch CollectorError.storeDamaged {
                    continue
                }
                for target in Self.targets + ["/api/requests/\(id)"] {
                    let response = try await collector.get(target)
                    #expect([200, 404, 500].contains(response.status), "\(change): \(target)")
                    if target != "/metrics" {
                        #expect(throws: Never.self, "\(change): \(target)") { try JSONReader.parse(response.body) }
                    }
                }
                let stream = try await StreamReader(collector.port, "?last_event_id=0")
                if stream.head.status == 200 { _ = try await stream.next(1) }
                stream.close()
                let sent = try await collector.post("[\(event("N\(number)", session: "s1"))]")
                #expect([200, 500].contains(sent.status), "\(change)")
                // Ends without any virtual time.
                await collector.stop()
            }
        }
    }

    @Test("of an old layout are migrated, or refused and left as they are", .timeLimit(.minutes(10)))
    func migration() async throws {
        try await withFolder(inMemory: true) { folder in
            let original = folder + "/original.sqlite"
            _ = try await Self.make(at: original)
            try withDatabase(at: original) { try OldStore.downgrade($0, to: 6) }
            let definitions = try Self.definitions(at: original)
            let unconstrained = definitions.mapValues { $0.replacing(" NOT NULL", with: "") }
            let tables = Self.tables.filter { $0 != "texts" }
            var random = SplitMix(seed: 56)
            for number in 0..<Self.migrationCount {
                let path = folder + "/\(number).sqlite"
                try FileManager.default.copyItem(atPath: original, toPath: path)
                try Self.define(unconstrained, at: path)
                let change = try Self.damage(path, tables, &random)
                try Self.define(definitions, at: path)
                let before = try storedRows(at: path)
                do {
                    let store = try Store(path: path)
                    // Each query returns its values or an error.
                    _ = try? await store.events(EventFilter())
                    _ = try? await store.sessions(after: nil, limit: 10)
                    _ = try? await store.timeline("s1", app: nil)
                    _ = try? await store.requests(after: nil, limit: 10)
                    try store.close()
                    #expect(try storedRows(at: path).first == [StoreLayout.version.databaseValue], "\(change)")
                } catch CollectorError.storeDamaged, CollectorError.storeUnusable {
                    #expect(try storedRows(at: path) == before, "\(change)")
                }
            }
        }
    }

    @Test(
        "are reported for each id without a text, or out of range",
        arguments: [
            ("UPDATE events SET name = 999", StoreDamage(column: "texts.id", found: "no row 999")),
            ("UPDATE events SET screen = 4294967296", StoreDamage(column: "events.screen", found: "4294967296")),
            ("UPDATE events SET user = -1", StoreDamage(column: "events.user", found: "-1")),
            ("UPDATE events SET unique_id = 'x'", StoreDamage(column: "events.unique_id", found: "a text of 1 bytes")),
            ("UPDATE texts SET id = 1 << 40 WHERE kind = 2", StoreDamage(column: "texts.id", found: "1099511627776")),
            ("UPDATE sessions SET app = -7", StoreDamage(column: "sessions.app", found: "-7")),
            (
                "UPDATE texts SET value = x'00' WHERE kind = 1",
                StoreDamage(column: "texts.value", found: "no text for the id 1")
            ),
        ]
    )
    func ids(change: String, damage: StoreDamage) async throws {
        try await withStore { store in
            try await store.append([UploadDecoder().decode(.post(Array("[\(event("A", session: "s"))]".utf8)))])
            #expect(try await store.timeline("s", app: nil)?.entries.count == 1)
            try await store.write { try $0.execute(sql: change) }
            await #expect(throws: damage) { try await store.timeline("s", app: nil) }
        }
    }

    @Test("with a request whose unique id has no text are reported")
    func uniqueID() async throws {
        try await withStore { store in
            try await store.append([UploadDecoder().decode(.post(Array("[\(event("A"))]".utf8)))])
            #expect(try await store.requests(after: nil, limit: 1).requests.first?.uniqueID == "unique-1")
            try await store.write { try $0.execute(sql: "UPDATE events SET unique_id = 999") }
            await #expect(throws: StoreDamage(column: "events.unique_id", found: "999")) {
                try await store.requests(after: nil, limit: 1)
            }
        }
    }

    @Test("are reported with their path and a remedy")
    func message() async throws {
        try await withFolder { folder in
            let path = folder + "/store.sqlite"
            _ = try await Self.make(at: path)
            try await DatabaseQueue(path: path).write {
                try $0.execute(sql: "UPDATE events SET start = 5 WHERE seq = 1")
            }
            try await withCollector(CollectorConfiguration(storePath: path)) { collector in
                let response = try await collector.get("/api/events")
                #expect(response.status == 500)
                let text = try #require(try JSONReader.parse(response.body)["error"]?.string)
                #expect(text.contains("events.start") && text.contains(path) && text.contains("keep a copy"))
                await #expect(throws: CollectorError.self) { try await collector.events() }
            }
            try await DatabaseQueue(path: path).write { try $0.execute(sql: "UPDATE state SET last = 2") }
            await #expect(throws: CollectorError.self) {
                _ = try await Collector.start(CollectorConfiguration(storePath: path))
            }
        }
    }
}
#endif
