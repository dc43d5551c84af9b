#if Audit
import ClickstreamAudit
import ClickstreamCore
import ClickstreamSimulation
import Foundation
import GRDB
import Testing

// Code of Docs/audit.md, of ClickstreamAudit.docc and of the module's doc comments; see DocumentationTests.

@Suite("Code of the documentation of audit scopes")
struct AuditSnippets {
    struct Person: Codable, FetchableRecord, PersistableRecord {
        var id: Int64
        var name: String
        var employeeId: Int
    }

    let recorder = ClickstreamTestRecorder()

    /// The events that are stored, oldest first.
    private var stored: [JSONValue] {
        recorder.notices.flatMap { notice -> [JSONValue] in
            guard case .captured(.audit, let line) = notice else { return [] }
            // A line without an array of events is found missing.
            return (try? JSONReader.parse(Array("[".utf8) + line + Array("]".utf8)))?.array ?? []
        }
    }

    private func payloads() -> [String?] { stored.map { $0["data"]?.string } }

    private func withFolder(_ body: (String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "audit-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }  // a leftover in the temporary folder is harmless
        let path = folder.appending(path: "db").path
        try DatabaseQueue(path: path).write { database in
            try database.execute(sql: "CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT, employeeId INTEGER)")
            try database.execute(sql: "INSERT INTO person VALUES (1, 'Anthony', 2)")
        }
        try body(path)
    }

    /// Runs `body` with events and an observed database.
    private func withEvents(_ body: (Audit.Events, DatabaseQueue) throws -> Void) throws {
        try withFolder { path in
            let client = try recorder.launch()
            // manual
            let events = try Audit.Events(EventConfiguration(), in: client)
            var configuration = GRDB.Configuration()
            events.observe(&configuration)
            let database = try DatabaseQueue(path: path, configuration: configuration)
            // end
            try body(events, database)
        }
    }

    private static let read = #"{"type":"person","value":[{"id":1,"name":"Anthony","employeeId":2}]}"#

    @Test("default configuration, and a scope")
    func invoke() throws {
        try withEvents { events, database in
            // manual
            let scope = events.beginScope(activity: "read object")
            let person = try database.read { try Person.fetchOne($0, key: 1) }
            scope.commit()
            // end
            #expect(person?.name == "Anthony")
            #expect(payloads() == [Self.read])
        }
    }

    @Test("the comment of Events opens a pool")
    func comment() throws {
        try withFolder { path in
            let client = try recorder.launch()
            // snippet
            let events = try Audit.Events(EventConfiguration(metadata: ["username": "carl"]), in: client)
            var configuration = GRDB.Configuration()
            events.observe(&configuration)
            let database = try DatabasePool(path: path, configuration: configuration)

            let scope = events.beginScope(activity: "read object")
            let person = try database.read { try Person.fetchOne($0, key: 1) }
            scope.commit()
            // end
            #expect(person?.id == 1)
            #expect(stored.first?["username"]?.string == "carl")
        }
    }

    @Test("the landing page records a change")
    func landingPage() async throws {
        let client = try recorder.launch()
        let path = ":memory:"
        // snippet
        let events = try Audit.Events(EventConfiguration(partitionPrefix: "shop-audit"), in: client)
        var configuration = GRDB.Configuration()
        events.observe(&configuration)
        let database = try DatabaseQueue(path: path, configuration: configuration)

        let scope = events.beginScope(activity: "create table")
        try await database.write { try $0.execute(sql: "CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT)") }
        try await database.write { try $0.execute(sql: "INSERT INTO person VALUES (1, 'Tony')") }
        try await scope.commit()
        // end
        #expect(payloads() == [#"{"person":{"insertions":[{"id":1,"name":"Tony"}]}}"#])
    }

    @Test("configuration with parameters")
    func parameters() async throws {
        let client = try recorder.launch()
        // manual
        let events = try Audit.Events(
            EventConfiguration(
                metadata: ["username": "carl"],
                partitionPrefix: "shop-audit",
                endpoint: "https://audit.example.com/audit",
                logger: { text in print("audit: \(text)") },
                errorHandler: { error in print("audit failed: \(error)") }
            ),
            in: client
        )
        // end
        try await events.recordEvent(activity: "a", eventType: "b")
        _ = await client.flush()
        #expect(
            recorder.server.requests.contains { $0.url == "https://audit.example.com/audit?partition=shop-audit-1" }
        )
    }

    @Test("metadata")
    func metadata() throws {
        try withEvents { events, _ in
            // manual
            events.updateMetadata(["username": "dora", "role": "admin"])
            // end
            events.recordEvent(activity: "a", eventType: "b")
            #expect(stored.first?["role"]?.string == "admin")
        }
    }

    @Test("read and write events")
    func readAndWrite() throws {
        try withEvents { events, database in
            // manual
            let readScope = events.beginScope(activity: "read object")
            var person = try database.read { try Person.fetchOne($0, key: 1) }
            readScope.commit()

            let writeScope = events.beginScope(activity: "mutate object")
            _ = try database.write { try person?.updateChanges($0) { $0.name = "Tony" } }
            writeScope.commit()
            // end
            #expect(
                payloads() == [
                    Self.read,
                    #"{"person":{"modifications":[{"oldValue":{"id":1,"name":"Anthony","employeeId":2},"#
                        + #""newValue":{"name":"Tony"}}]}}"#,
                ]
            )
        }
    }

    @Test("cancelled scope")
    func cancel() throws {
        try withEvents { events, database in
            // manual
            let scope = events.beginScope(activity: "mutate object")
            try database.write { try $0.execute(sql: "UPDATE person SET employeeId = 3") }
            scope.cancel()
            // end
            #expect(payloads() == [])
        }
    }

    @Test("check of a scope")
    func check() throws {
        try withEvents { events, _ in
            // manual
            let scope = events.beginScope(activity: "read object")
            if scope.isActive { scope.commit() }
            // end
            #expect(!scope.isActive)
        }
    }

    @Test("completion")
    func completion() throws {
        try withEvents { events, database in
            // manual
            let scope = events.beginScope(activity: "read object")
            _ = try database.read { try Person.fetchAll($0) }
            scope.commit { error in
                if let error { print("not stored: \(error)") }
            }
            // end
            #expect(payloads() == [Self.read])
        }
    }

    @Test("custom event")
    func custom() throws {
        try withEvents { events, _ in
            // manual
            events.recordEvent(activity: "user registration", eventType: "pressed submit", data: #"{"form":2}"#) {
                error in
                if let error { print("not stored: \(error)") }
            }
            // end
            #expect(stored.first?["event"]?.string == "pressed submit")
            #expect(payloads() == [#"{"form":2}"#])
        }
    }

    @Test("custom representation")
    func representation() throws {
        let client = try recorder.launch()
        // manual
        struct Account: Codable, FetchableRecord, PersistableRecord, CustomEventRepresentable {
            var id: Int64
            var holder: String
            var secret: String

            func customEventRepresentation() -> String {
                #"{"account": \#(id), "holder": "\#(holder)"}"#
            }
        }

        let events = try Audit.Events(EventConfiguration(representations: [Account.self]), in: client)
        // end
        var configuration = GRDB.Configuration()
        events.observe(&configuration)
        let database = try DatabaseQueue(configuration: configuration)
        try database.write { connection in
            try connection.execute(sql: "CREATE TABLE account (id INTEGER PRIMARY KEY, holder TEXT, secret TEXT)")
        }
        let scope = events.beginScope(activity: "open account")
        try database.write { try Account(id: 7, holder: "Ann", secret: "s").insert($0) }
        scope.commit()
        #expect(payloads() == [#"{"account":{"insertions":[{"account":7,"holder":"Ann"}]}}"#])
    }

    @Test("outbox")
    func outbox() throws {
        try withFolder { path in
            let client = try recorder.launch()
            // manual
            var configuration = EventConfiguration()
            configuration.usesOutbox = true
            let events = try Audit.Events(configuration, in: client)
            // end
            var settings = GRDB.Configuration()
            events.observe(&settings)
            let database = try DatabaseQueue(path: path, configuration: settings)
            #expect(try database.read { try $0.tableExists("clickstream_audit_outbox") })
        }
    }

    @Test("the blocks of Docs/audit.md are equal to their copies here")
    func manual() throws {
        func code(_ text: String) -> [String] {
            text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
        }
        func blocks(_ text: String, from start: String, to end: String) -> [[String]] {
            text.components(separatedBy: start).dropFirst().compactMap {
                $0.components(separatedBy: end).first.map(code)
            }
        }
        let file = URL(fileURLWithPath: #filePath)
        let manual = file.deletingLastPathComponent().appending(path: "../../Docs/audit.md").standardizedFileURL
        let documented = blocks(try String(contentsOf: manual, encoding: .utf8), from: "```swift\n", to: "```")
        let copies = blocks(try String(contentsOf: file, encoding: .utf8), from: "// manual\n", to: "// end\n")
        #expect(documented.count == 11)
        for block in documented { #expect(copies.contains(block), "no copy of \(block)") }
    }
}
#endif
