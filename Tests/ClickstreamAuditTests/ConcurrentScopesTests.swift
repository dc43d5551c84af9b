#if Audit
import ClickstreamAudit
import ClickstreamCore
import Foundation
import GRDB
import Testing

@Suite("Scopes of several threads")
struct ConcurrentScopesTests {
    @Test("record each row once, and at least what their own thread wrote and read", arguments: [true, false])
    func threads(usesHook: Bool) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("scopes-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }  // leftover files have no effect
        let store = MemoryAuditStore()
        let events = Audit.Events(
            EventConfiguration(),
            store: store,
            time: SystemTime(),
            ids: SystemIDs(),
            tracking: usesHook ? .hook : .triggers
        )
        var configuration = GRDB.Configuration()
        events.observe(&configuration)
        let pool = try DatabasePool(path: folder.appendingPathComponent("a.sqlite").path, configuration: configuration)
        try await pool.write { db in try db.execute(sql: "CREATE TABLE note(id INTEGER PRIMARY KEY, worker INTEGER)") }
        let all = events.beginScope(activity: "all")
        let (workers, rows) = (4, 25)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<workers {
                group.addTask {
                    let scope = events.beginScope(activity: "\(worker)")
                    for _ in 0..<rows {
                        try await pool.write { db in
                            try db.execute(sql: "INSERT INTO note(worker) VALUES (?)", arguments: [worker])
                        }
                        _ = try await pool.read { db in
                            try Row.fetchAll(db, sql: "SELECT * FROM note WHERE worker = ?", arguments: [worker]).count
                        }
                    }
                    try await scope.commit()
                }
            }
            try await group.waitForAll()
        }
        try await all.commit()
        let documents = store.events.compactMap { RecordedValue(json: $0.text) }
        #expect(documents.count == 2 * (workers + 1))
        for case .object(let event) in documents {
            guard case .text(let json)? = event["data"], case .object(let data)? = RecordedValue(json: json) else {
                Issue.record("\(event)")
                continue
            }
            let isAll = event["activity"] == .text("all")
            var list = data["value"]
            if case .object(let changes)? = data["note"] { list = changes["insertions"] }
            guard case .array(let found)? = list else {
                Issue.record("\(event)")
                continue
            }
            #expect(Set(found).count == found.count)
            if isAll {
                #expect(found.count == workers * rows)
            } else {
                let own = found.filter { row in
                    if case .object(let members) = row {
                        members["worker"].map { "\($0)" } == "\(activity(event))"
                    } else {
                        false
                    }
                }
                #expect(own.count == rows)
            }
        }
    }

    private func activity(_ event: [String: RecordedValue]) -> String {
        if case .text(let name)? = event["activity"] { name } else { "" }
    }
}
#endif
