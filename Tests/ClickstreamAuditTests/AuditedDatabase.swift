#if Audit
@testable import ClickstreamAudit
import ClickstreamCore
import ClickstreamSimulation
import Foundation
import GRDB

/// Database in memory with observed scopes, whose events are collected.
struct AuditedDatabase {
    let store = MemoryAuditStore()
    let reports = Reports()
    let events: Audit.Events
    let queue: DatabaseQueue

    /// Errors and warnings that were reported.
    final class Reports: Sendable {
        private let list = Locked<[AuditError]>([])
        var errors: [AuditError] { list.withLock { $0 } }
        func add(_ error: AuditError) { list.withLock { $0.append(error) } }
    }

    init(
        _ schema: String = "",
        tracking: ChangeTracking = .automatic,
        _ change: (inout EventConfiguration) -> Void = { _ in }
    ) throws {
        var configuration = EventConfiguration(errorHandler: { [reports] in reports.add($0) })
        change(&configuration)
        events = Audit.Events(
            configuration,
            store: store,
            time: VirtualTime(start: Timestamp(milliseconds: 1_700_000_000_000)),
            ids: SeededIDs(seed: 1),
            tracking: tracking
        )
        var settings = GRDB.Configuration()
        events.observe(&settings)
        queue = try DatabaseQueue(configuration: settings)
        if !schema.isEmpty { try execute(schema) }
    }

    /// Runs `body` with a pool in a folder of its own.
    func withPool(_ body: (DatabasePool) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "audit-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }  // a leftover in the temporary folder is harmless
        var settings = GRDB.Configuration()
        events.observe(&settings)
        let pool = try DatabasePool(path: folder.appending(path: "db").path, configuration: settings)
        try body(pool)
        try pool.close()
    }

    func execute(_ sql: String) throws {
        try queue.writeWithoutTransaction { try $0.execute(sql: sql) }
    }

    /// Runs `body` in a scope.
    /// - Returns: the payloads of the scope's events.
    func scope(_ body: (DatabaseQueue) throws -> Void) throws -> [String] {
        _ = store.takeEvents()
        let scope = events.beginScope(activity: "test")
        try body(queue)
        scope.commit()
        return payloads
    }

    /// The payloads of the stored events.
    var payloads: [String] { store.payloads }

    func payloads(of sql: String) throws -> [String] {
        try scope { queue in
            try queue.writeWithoutTransaction { database in
                let statements = try database.allStatements(sql: sql)
                while let statement = try statements.next() {
                    do {
                        if statement.columnCount > 0 {
                            _ = try Row.fetchAll(statement)
                        } else {
                            try statement.execute()
                        }
                    } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
                        continue
                    }
                }
            }
        }
    }
}

extension MemoryAuditStore {
    /// The payloads of the stored events.
    var payloads: [String] {
        events.map { event in
            let value = try? JSONReader.parse(event.json)  // reported as a payload that no test expects
            return value?["data"]?.string ?? event.text
        }
    }
}
#endif
