import Foundation
import TestSupport

/// Random script: a schema, its first rows, and database accesses with scopes that begin and end between them.
struct RandomScript {
    enum Ending {
        case commit
        case cancel
        case release
    }

    enum Step {
        case begin(scope: Int)
        case end(scope: Int, Ending)
        /// An access to the writer. A transaction that is open at its end is rolled back.
        case write([RandomStatement])
        /// An access to a reader of a pool, or of the queue.
        case read([RandomStatement])
        /// A change of the schema, or VACUUM: outside scopes only.
        case maintenance(String)
    }

    let seed: UInt64
    var schema: RandomSchema
    /// True for a pool, false for a queue.
    let isPool: Bool
    /// True for the pre-update hook, false for triggers.
    let usesHook: Bool
    var steps: [Step] = []
    private(set) var scopeCount = 0

    /// - Parameter usesHook: the mechanism, nil for a random one.
    init(seed: UInt64, usesHook: Bool? = nil) {
        self.seed = seed
        var random = SplitMix(seed: seed)
        let schema = RandomSchema(&random)
        isPool = random.chance(0.4)
        let isHook = random.chance(0.6)
        self.usesHook = usesHook ?? isHook
        self.schema = schema
        if !self.usesHook {
            self.schema.avoidUncheckedKeys()
            self.schema.avoidFailuresInActions()
            self.schema.avoidOrders()
        }
        var source = StatementSource(schema: schema, random: random)
        let first = (0..<12).map { _ in source.change() }
        steps.append(.write(first))
        var active: [Int] = []
        for _ in 0..<Int.random(in: 6...24, using: &source.random) {
            switch Int.random(in: 0..<10, using: &source.random) {
            case 0, 1:
                guard active.count < 3 else { continue }
                active.append(scopeCount)
                steps.append(.begin(scope: scopeCount))
                scopeCount += 1
            case 2:
                guard let scope = active.randomElement(using: &source.random) else { continue }
                active.removeAll { $0 == scope }
                let ending = Int.random(in: 0..<10, using: &source.random)
                steps.append(.end(scope: scope, ending == 0 ? .cancel : ending == 1 ? .release : .commit))
            case 3, 4: steps.append(.read(source.reads()))
            case 5 where active.isEmpty: steps.append(.maintenance("VACUUM"))
            default: steps.append(.write(source.access()))
            }
        }
        steps += active.map { .end(scope: $0, .commit) }
        avoidUndefinedResults()
    }

    /// Changes statements whose results depend on more than their text. See the limits in Docs/audit.md; `TriggerTests` shows
    /// those of triggers.
    ///
    /// A statement is compiled for the deferral of foreign keys at that moment: one from the cache may be compiled for
    /// another, and a scope makes SQLite compile statements again.
    private mutating func avoidUndefinedResults() {
        let statements = steps.flatMap { step -> [RandomStatement] in
            if case .write(let statements) = step { statements } else { [] }
        }
        let defers = statements.contains { $0.sql.contains("defer_foreign_keys") }
        for stepIndex in steps.indices {
            guard case .write(var statements) = steps[stepIndex] else { continue }
            for index in statements.indices {
                if defers { statements[index].isCached = false }
                if !usesHook { statements[index].sql = inDefinedOrder(statements[index].sql) }
            }
            steps[stepIndex] = .write(statements)
        }
    }

    /// The statement, changed so that triggers cannot change the order of its rows.
    ///
    /// With triggers, an UPDATE may visit its rows by another index, which decides on the rows that OR IGNORE and REPLACE
    /// change, and on the number of changes with OR FAIL. NOT INDEXED is the order of the table; a table without rowid
    /// ignores it. A query that fills a table is read to its end before the first row is written, if the table has
    /// triggers; otherwise actions of foreign keys can delete rows that REPLACE has yet to read.
    private func inDefinedOrder(_ sql: String) -> String {
        if sql.hasPrefix("INSERT"), sql.contains(" SELECT ") {
            return sql.replacing("INSERT OR REPLACE ", with: "INSERT OR IGNORE ")
                .replacing("INSERT INTO ", with: "INSERT OR ABORT INTO ")
        }
        guard sql.hasPrefix("UPDATE"), let table = schema.tables.first(where: { sql.contains(" \($0.sql) SET ") })
        else {
            return sql
        }
        let sql = sql.replacing("UPDATE OR FAIL", with: "UPDATE OR ABORT")
        guard !table.hasRowID else {
            return sql.replacing(" \(table.sql) SET ", with: " \(table.sql) NOT INDEXED SET ")
        }
        return sql.replacing(" OR IGNORE ", with: " OR ABORT ").replacing(" OR REPLACE ", with: " OR ABORT ")
    }
}

extension StatementSource {
    /// Statements of one access to the writer, in and outside transactions.
    fileprivate mutating func access() -> [RandomStatement] {
        var statements: [RandomStatement] = []
        let count = Int.random(in: 1...6, using: &random)
        var savepoints = 0
        var isOpen = random.chance(0.5)
        if isOpen {
            let beginnings = ["BEGIN", "BEGIN IMMEDIATE", "SAVEPOINT s0"]
            statements.append(RandomStatement(sql: pick(beginnings)))
            if random.chance(0.15) { statements.append(RandomStatement(sql: "PRAGMA defer_foreign_keys = ON")) }
        }
        for _ in 0..<count {
            switch Int.random(in: 0..<12, using: &random) {
            case 0:
                savepoints += 1
                statements.append(RandomStatement(sql: "SAVEPOINT s\(savepoints)"))
            case 1 where savepoints > 0:
                let name = Int.random(in: 1...savepoints, using: &random)
                statements.append(RandomStatement(sql: "ROLLBACK TO s\(name)"))
            case 2 where savepoints > 0:
                let name = Int.random(in: 1...savepoints, using: &random)
                statements.append(RandomStatement(sql: "RELEASE s\(name)"))
                savepoints = name - 1
            case 3, 4: statements.append(query())
            default: statements.append(change())
            }
        }
        if isOpen || savepoints > 0 {
            isOpen = false
            statements.append(RandomStatement(sql: random.chance(0.75) ? "COMMIT" : "ROLLBACK"))
        }
        return statements
    }

    fileprivate mutating func reads() -> [RandomStatement] {
        (0..<Int.random(in: 1...3, using: &random)).map { _ in query() }
    }
}
