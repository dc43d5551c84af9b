#if Audit
import Foundation
import GRDB

/// Database that plays the accesses of a script.
struct ScriptDatabase {
    /// Result of one statement, to be the same with and without an observer.
    struct Outcome: Equatable {
        var error: ResultCode?
        var rows: [[DatabaseValue]] = []
        var lastInsertedRowID: Int64
        var changesCount: Int
        var isInTransaction: Bool
    }

    let writer: any DatabaseWriter
    let schema: RandomSchema

    init(path: String, script: RandomScript, _ configure: (inout GRDB.Configuration) throws -> Void) throws {
        var configuration = GRDB.Configuration()
        configuration.maximumReaderCount = 2
        configuration.prepareDatabase { db in try db.execute(sql: "PRAGMA synchronous = OFF") }
        try configure(&configuration)
        schema = script.schema
        writer =
            script.isPool
            ? try DatabasePool(path: path, configuration: configuration)
            : try DatabaseQueue(path: path, configuration: configuration)
    }

    func create() throws {
        try writer.writeWithoutTransaction { db in
            for statement in schema.statements {
                try db.execute(sql: statement)
            }
            // Statements that are prepared before a scope begins, and run in it.
            for table in schema.tables { _ = try db.cachedStatement(sql: "DELETE FROM \(table.sql)") }
        }
    }

    func write(
        _ statements: [RandomStatement],
        read: (RandomQuery, [Row]) -> Void = { _, _ in }
    ) throws -> [Outcome] {
        try writer.writeWithoutTransaction { db in
            let outcomes = statements.map { Self.play($0, db, read) }
            if db.isInsideTransaction { try db.rollback() }
            return outcomes
        }
    }

    func read(_ statements: [RandomStatement], read: (RandomQuery, [Row]) -> Void = { _, _ in }) throws -> [Outcome] {
        try writer.read { db in statements.map { Self.play($0, db, read) } }
    }

    func snapshot() throws -> Snapshot {
        try writer.read { db in try Snapshot(db, schema) }
    }

    private static func play(
        _ statement: RandomStatement,
        _ db: Database,
        _ read: (RandomQuery, [Row]) -> Void
    ) -> Outcome {
        var error: ResultCode?
        var rows: [Row] = []
        do {
            switch statement.kind {
            case .change:
                if statement.isCached {
                    try db.cachedStatement(sql: statement.sql).execute()
                } else {
                    try db.execute(sql: statement.sql)
                }
            case .query(let query):
                let prepared =
                    try statement.isCached
                    ? db.cachedStatement(sql: statement.sql) : db.makeStatement(sql: statement.sql)
                let cursor = try Row.fetchCursor(prepared)
                while query.limit.map({ rows.count < $0 }) ?? true, let row = try cursor.next() {
                    rows.append(row.copy())
                }
                read(query, rows)
            }
        } catch let failure as DatabaseError {
            error = failure.extendedResultCode
        } catch {
            return Outcome(error: .SQLITE_INTERNAL, lastInsertedRowID: 0, changesCount: 0, isInTransaction: false)
        }
        return Outcome(
            error: error,
            rows: rows.map { Array($0.databaseValues) },
            lastInsertedRowID: db.lastInsertedRowID,
            changesCount: db.changesCount,
            isInTransaction: db.isInsideTransaction
        )
    }
}
#endif
