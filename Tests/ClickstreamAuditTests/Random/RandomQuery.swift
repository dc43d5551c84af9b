import TestSupport

/// Column of a result: a column of a row of a table, or an expression.
struct ResultColumn: Hashable {
    /// Number of the table, nil for an expression.
    var table: Int?
    var column = ""
    /// Number of the row within a result row: a join of a table with itself returns several.
    var instance = 0
}

/// Query with the origin of each of its result columns.
struct RandomQuery {
    var columns: [ResultColumn]
    /// Number of rows that are stepped through, nil for all.
    var limit: Int?
    /// Table whose columns are only in an expression of the result, with these columns.
    var unattributed: (table: Int, columns: [String])?
    /// True for a query over several tables: a part of a row with NULL only is the missing side of an outer join.
    var isJoin = false
}

extension StatementSource {
    mutating func query() -> RandomStatement {
        let number = Int.random(in: schema.tables.indices, using: &random)
        let table = schema.tables[number]
        func columns(_ names: [String], of table: Int? = nil, instance: Int = 0) -> [ResultColumn] {
            names.map { ResultColumn(table: table ?? number, column: $0, instance: instance) }
        }
        let all = table.columns.map(\.name)
        var some = all.filter { _ in random.chance(0.5) }
        if some.isEmpty { some = [pick(all)] }
        var sql: String
        var query: RandomQuery
        switch Int.random(in: 0..<12, using: &random) {
        case 0, 1:
            sql = "SELECT * FROM \(table.sql) WHERE \(condition(table))"
            query = RandomQuery(columns: columns(all))
        case 2, 3:
            let keys = table.keyColumns.filter { !some.contains($0) }
            some = random.chance(0.7) ? keys + some : some
            sql = "SELECT \(some.map(quoted).joined(separator: ", ")) FROM \(table.sql) WHERE \(condition(table))"
            query = RandomQuery(columns: columns(some))
        case 4:
            sql =
                "SELECT \(some.map { quoted($0) + " AS \"x\($0.count)\"" }.joined(separator: ", ")) FROM \(table.sql) AS z"
            query = RandomQuery(columns: columns(some))
        case 5, 6: return join(number)
        case 7:
            guard let view = schema.views.randomElement(using: &random) else { return join(number) }
            sql = "SELECT * FROM \(view.sql)"
            query = RandomQuery(columns: columns(view.columns, of: view.table))
        case 8: return expression(number)
        case 9:
            sql = "SELECT * FROM (SELECT \(some.map(quoted).joined(separator: ", ")) FROM \(table.sql) LIMIT 3)"
            query = RandomQuery(columns: columns(some))
        case 10:
            sql = "WITH w AS (SELECT * FROM \(table.sql)) SELECT * FROM w WHERE \(condition(table))"
            query = RandomQuery(columns: columns(all))
        default:
            sql = "SELECT \(pick(["", "DISTINCT "]))* FROM \(table.sql) ORDER BY \(pick(table.columns).sql) DESC"
            query = RandomQuery(columns: columns(all))
        }
        if random.chance(0.2) { query.limit = Int.random(in: 0...2, using: &random) }
        return RandomStatement(sql: sql, kind: .query(query), isCached: random.chance(0.3))
    }

    private mutating func join(_ number: Int) -> RandomStatement {
        let other = Int.random(in: schema.tables.indices, using: &random)
        let (left, right) = (schema.tables[number], schema.tables[other])
        let (a, b) = (pick(left.columns), pick(right.columns))
        let kind = pick(["JOIN", "LEFT JOIN"])
        let columns =
            left.columns.map { ResultColumn(table: number, column: $0.name, instance: 0) }
            + right.columns.map { ResultColumn(table: other, column: $0.name, instance: 1) }
        let sql =
            "SELECT a.*, b.* FROM \(left.sql) AS a \(kind) \(right.sql) AS b ON a.\(a.sql) = b.\(b.sql) LIMIT 6"
        return RandomStatement(sql: sql, kind: .query(RandomQuery(columns: columns, isJoin: true)))
    }

    private mutating func expression(_ number: Int) -> RandomStatement {
        let table = schema.tables[number]
        let column = pick(table.columns)
        let (text, columns) = pick([
            ("count(*)", []), ("max(\(column.sql))", [column.name]), ("\(column.sql) || 'x'", [column.name]),
            ("count(\(column.sql))", [column.name]),
        ])
        return RandomStatement(
            sql: "SELECT \(text) FROM \(table.sql)",
            kind: .query(RandomQuery(columns: [ResultColumn(table: nil)], unattributed: (number, columns)))
        )
    }
}
