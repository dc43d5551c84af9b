#if Audit
import ClickstreamAudit
import ClickstreamCore
import ClickstreamSimulation
import GRDB
import Testing

// Code of ClickstreamAudit.docc/OnOneScreen.md; see DocumentationTests and OneScreenTests.

@Suite("Everything of ClickstreamAudit on one screen")
struct OneScreenSnippets {
    @Test("records what is read and changed")
    func calls() async throws {
        let recorder = ClickstreamTestRecorder()
        let client = try recorder.launch()
        let path = ":memory:"
        // snippet
        // Representation of rows in events; other rows are objects of their columns.
        struct Account: Codable, FetchableRecord, PersistableRecord, CustomEventRepresentable {
            var id: Int64
            var holder: String

            func customEventRepresentation() -> String { #"{"account": \#(id)}"# }
        }

        // Start: in any client, such as ClickstreamAnalytics.client, and before the database is opened
        var settings = EventConfiguration(
            metadata: ["username": "carl"],
            partitionPrefix: "shop-audit",
            endpoint: "https://audit.example.com/audit",
            representations: [Account.self],
            errorHandler: { (error: AuditError) in print(error) }
        )
        settings.maxScopeEvents = 10_000
        let events: Audit.Events = try Audit.Events(settings, in: client)  // throws AuditError
        var configuration = GRDB.Configuration()
        events.observe(&configuration)
        let database: DatabaseQueue = try DatabaseQueue(path: path, configuration: configuration)
        try await database.write { connection in
            try connection.execute(sql: "CREATE TABLE account (id INTEGER PRIMARY KEY, holder TEXT)")
        }

        // Record: reads and changes between the begin and the commit of a scope
        let scope: Audit.Scope = events.beginScope(activity: "open account")
        try await database.write { try Account(id: 1, holder: "Ann").insert($0) }
        try await scope.commit()  // also commit() and commit { (error: AuditError?) in }

        let search: Audit.Scope = events.beginScope(activity: "search")
        _ = try await database.read { try Account.fetchAll($0) }
        if search.isActive { search.cancel() }  // records nothing
        print(search.activity)

        // Record an event of the app
        try await events.recordEvent(activity: "registration", eventType: "submit", data: #"{"form": 2}"#)
        events.updateMetadata(["username": "dora"])  // of the scopes and events from here on
        // end
        let stored = recorder.notices.count { notice -> Bool in
            if case .captured(.audit, _) = notice { true } else { false }
        }
        #expect(stored == 2)
    }
}
#endif
