import TestSupport

/// Statement of a random script.
struct RandomStatement {
    enum Kind {
        case change
        case query(RandomQuery)
    }

    var sql: String
    var kind: Kind = .change
    /// True for a statement that is taken from the cache of its connection.
    var isCached = false
}

/// Source of random statements over a schema.
struct StatementSource {
    var schema: RandomSchema
    var random: SplitMix

    mutating func pick<T>(_ values: [T]) -> T { values.randomElement(using: &random)! }

    mutating func literal(_ column: RandomColumn) -> String {
        if random.chance(column.isNotNull ? 0.02 : 0.15) { return "NULL" }
        return pick(column.type.literals)
    }

    mutating func condition(_ table: RandomTable, prefix: String = "") -> String {
        let column = pick(table.columns)
        switch Int.random(in: 0..<8, using: &random) {
        case 0: return "1"
        case 1: return "\(prefix)\(column.sql) IS NULL"
        case 2: return "\(prefix)\(column.sql) IS NOT NULL"
        case 3: return "\(prefix)\(column.sql) > \(literal(column))"
        case 4:
            let other = pick(schema.tables)
            // SQLite 3.40 reads the index of a table without rowid that it changes: the statement never ends. Rows of a
            // query that names their table twice are recorded by column if their key is not returned.
            if other.name == table.name { return "1" }
            return "\(prefix)\(column.sql) IN (SELECT \(pick(other.columns).sql) FROM \(other.sql))"
        default: return "\(prefix)\(column.sql) = \(literal(column))"
        }
    }

    private mutating func conflict() -> String {
        random.chance(0.5) ? "" : pick([" OR REPLACE", " OR IGNORE", " OR FAIL", " OR ABORT", " OR ROLLBACK"])
    }

    /// Statement that writes, or fails.
    mutating func change() -> RandomStatement {
        var statement = RandomStatement(sql: changeText())
        statement.isCached = random.chance(0.3)
        return statement
    }

    private mutating func changeText() -> String {
        let table = pick(schema.tables)
        let writable = schema.views.filter(\.isWritable)
        switch Int.random(in: 0..<24, using: &random) {
        case 0...7: return insert(table)
        case 8: return insert(table, verb: "REPLACE")
        case 9: return "INSERT INTO \(table.sql) DEFAULT VALUES"
        case 10: return insertFromSelect(table)
        case 11: return upsert(table)
        case 12...16: return update(table)
        case 17: return updateOfKey(table)
        case 18, 19: return "DELETE FROM \(table.sql) WHERE \(condition(table))"
        case 20: return "DELETE FROM \(table.sql)"
        case 21: return updateFrom(table)
        default:
            guard let view = writable.randomElement(using: &random) else { return update(table) }
            return viewChange(view)
        }
    }

    private mutating func insert(_ table: RandomTable, verb: String? = nil) -> String {
        var columns = table.settable.filter { _ in random.chance(0.85) }
        if columns.isEmpty { columns = [pick(table.settable)] }
        let count = random.chance(0.25) ? Int.random(in: 2...4, using: &random) : 1
        var rows: [String] = []
        for _ in 0..<count {
            rows.append("(" + columns.map { literal($0) }.joined(separator: ", ") + ")")
        }
        let list = columns.map(\.sql).joined(separator: ", ")
        return "\(verb ?? "INSERT\(conflict())") INTO \(table.sql)(\(list)) VALUES \(rows.joined(separator: ", "))"
    }

    private mutating func insertFromSelect(_ table: RandomTable) -> String {
        let other = pick(schema.tables)
        let columns = table.settable
        let list = columns.map(\.sql).joined(separator: ", ")
        let values = columns.map { column -> String in
            let same = other.columns.filter { $0.type == column.type }
            guard let found = same.randomElement(using: &random), random.chance(0.7) else { return literal(column) }
            return found.sql
        }
        return "INSERT\(conflict()) INTO \(table.sql)(\(list)) SELECT \(values.joined(separator: ", "))"
            + " FROM \(other.sql) WHERE \(condition(other)) LIMIT 5"
    }

    private mutating func upsert(_ table: RandomTable) -> String {
        guard !table.keyColumns.isEmpty else { return insert(table) }
        let column = pick(table.settable)
        let key = table.keyColumns.map(quoted).joined(separator: ", ")
        let action =
            random.chance(0.2)
            ? "NOTHING" : "UPDATE SET \(column.sql) = \(pick(["excluded.\(column.sql)", literal(column)]))"
        let columns = table.settable
        let list = columns.map(\.sql).joined(separator: ", ")
        let values = columns.map { literal($0) }.joined(separator: ", ")
        return "INSERT INTO \(table.sql)(\(list)) VALUES (\(values)) ON CONFLICT(\(key)) DO \(action)"
    }

    private mutating func update(_ table: RandomTable) -> String {
        var columns = table.settable.filter { !table.keyColumns.contains($0.name) && random.chance(0.5) }
        if columns.isEmpty { columns = [pick(table.settable)] }
        let assignments = columns.map { column -> String in
            let value = column.type == .integer && random.chance(0.2) ? "\(column.sql) + 1" : literal(column)
            return "\(column.sql) = \(value)"
        }
        let end = random.chance(0.1) ? "" : " WHERE \(condition(table))"
        return "UPDATE\(conflict()) \(table.sql) SET \(assignments.joined(separator: ", "))\(end)"
    }

    private mutating func updateOfKey(_ table: RandomTable) -> String {
        guard let name = table.keyColumns.randomElement(using: &random), let column = table.column(name) else {
            return table.hasRowID && table.column("rowid") == nil
                ? "UPDATE\(conflict()) \(table.sql) SET rowid = rowid + \(pick(["0", "1", "2"])) WHERE \(condition(table))"
                : update(table)
        }
        return "UPDATE\(conflict()) \(table.sql) SET \(column.sql) = \(literal(column)) WHERE \(condition(table))"
    }

    private mutating func updateFrom(_ table: RandomTable) -> String {
        let other = pick(schema.tables)
        let column = pick(table.settable)
        let values = other.columns.filter { $0.type == column.type }
        guard let value = values.randomElement(using: &random) else { return update(table) }
        // Of several rows SQLite takes any, and not the same one if the table has triggers.
        let source = "(SELECT \(value.sql) FROM \(other.sql) ORDER BY 1 LIMIT 1)"
        return "UPDATE OR IGNORE \(table.sql) SET \(column.sql) = o.\(value.sql) FROM \(source) AS o"
            + " WHERE \(condition(table, prefix: table.sql + "."))"
    }

    private mutating func viewChange(_ view: RandomView) -> String {
        let table = schema.tables[view.table]
        let columns = view.columns.compactMap { table.column($0) }
        let column = pick(columns)
        switch Int.random(in: 0..<3, using: &random) {
        case 0:
            let list = columns.map(\.sql).joined(separator: ", ")
            let values = columns.map { literal($0) }.joined(separator: ", ")
            return "INSERT INTO \(view.sql)(\(list)) VALUES (\(values))"
        case 1:
            return "UPDATE \(view.sql) SET \(column.sql) = \(literal(column)) WHERE \(pick(columns).sql) IS NOT NULL"
        default: return "DELETE FROM \(view.sql) WHERE \(column.sql) = \(literal(column))"
        }
    }
}
