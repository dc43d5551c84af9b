#if Audit
import CClickstreamSQLite
import ClickstreamCore
import GRDB
import GRDBSQLite

/// Builder of the plan of a statement, from the origins of its result columns.
struct PlanBuilder {
    let database: Database
    let schemas: ConnectionSchemas

    /// Result columns of one row, while the columns are assigned.
    private struct Draft {
        let schema: TableSchema
        var results: [Int: Int32] = [:]
        /// The result column with the number of a row, if that is no column of the table.
        var number: Int32?
    }

    func plan(for statement: OpaquePointer, sql: String) throws(StatementError) -> StatementPlan {
        let count = sqlite3_column_count(statement)
        guard sqlite3_stmt_isexplain(statement) == 0 else { return StatementPlan(sql: sql, resultCount: count) }
        let words = StatementWords(sql, views: try schemas.views())
        var drafts: [Draft] = []
        var hasExpressions = words.isCompound
        let sources = words.isCompound ? [] : (0..<count).map { Self.source(of: $0, in: statement) }
        // Before any column is assigned: all columns of a row belong to one version of its table.
        for case let source? in sources { try forgetOutdatedSchema(of: source) }
        for (result, source) in zip(0..<count, sources) {
            switch try origin(of: source) {
            case .expression: hasExpressions = true
            case .ignored: break
            case .column(let schema, let column): Self.assign(result, schema, column, to: &drafts)
            }
        }
        let parts = drafts.map { part($0, isOptional: drafts.count > 1, words) }
        var regions: [ReadLog.Region] = []
        if hasExpressions { regions = try self.regions(of: sql) }
        return StatementPlan(sql: sql, resultCount: count, parts: parts, regions: regions)
    }

    // MARK: Columns

    private enum Origin {
        case expression
        /// A column of SQLite's own tables, of a shadow table, or of a temporary one.
        case ignored
        /// The index of the column; `nil` for the row's number.
        case column(TableSchema, Int?)
    }

    /// The column that a result comes from, as SQLite names it.
    private struct Source {
        let database: String
        let table: String
        let column: String

        var isRecorded: Bool { database != "temp" && !table.hasPrefix("sqlite_") }
        /// True for the name of a row's number, unless the table has such a column.
        var isNumber: Bool { column.caseInsensitivelyEquals("rowid") }
    }

    /// - Returns: `nil` for an expression.
    private static func source(of result: Int32, in statement: OpaquePointer) -> Source? {
        guard let database = clickstream_column_database(statement, result),
            let table = clickstream_column_table(statement, result),
            let column = clickstream_column_origin(statement, result)
        else { return nil }
        return Source(
            database: String(cString: database),
            table: String(cString: table),
            column: String(cString: column)
        )
    }

    private func origin(of source: Source?) throws(StatementError) -> Origin {
        guard let source else { return .expression }
        guard source.isRecorded, let schema = try schemas.schema(of: source.table, in: source.database),
            !schema.isShadow
        else { return .ignored }
        if let index = schema.index(of: source.column) { return .column(schema, index) }
        return source.isNumber ? .column(schema, nil) : .ignored
    }

    /// Removes a table from the cache that lacks a result column, or is missing: another connection has changed it.
    private func forgetOutdatedSchema(of source: Source) throws(StatementError) {
        guard source.isRecorded else { return }
        let schema = try schemas.schema(of: source.table, in: source.database)
        guard schema?.index(of: source.column) == nil, schema == nil || !source.isNumber else { return }
        schemas.forgetSchema(of: source.table, in: source.database)
    }

    /// Assigns a column to the row of its table that has no such column yet; otherwise to a further row.
    private static func assign(_ result: Int32, _ schema: TableSchema, _ column: Int?, to drafts: inout [Draft]) {
        var index = drafts.lastIndex { $0.schema === schema }
        if let known = index {
            let isTaken = column.map { drafts[known].results[$0] != nil } ?? (drafts[known].number != nil)
            if isTaken { index = nil }
        }
        let position = index ?? drafts.count
        if index == nil { drafts.append(Draft(schema: schema)) }
        if let column { drafts[position].results[column] = result } else { drafts[position].number = result }
    }

    private func part(_ draft: Draft, isOptional: Bool, _ words: StatementWords) -> StatementPlan.Part {
        let schema = draft.schema
        let columns = draft.results.keys.sorted()
        // All columns of a table in a row come from `*`, and thus from one row.
        let first = draft.results[0] ?? 0
        let isWhole =
            words.hasStar && columns.count == schema.columns.count
            && columns.allSatisfy { draft.results[$0] == first + Int32($0) }
        let recorded = schema.representation == nil ? columns : columns.filter { schema.keyColumns.contains($0) }
        let isAmbiguous =
            !isWhole && recorded.count + (draft.number == nil ? 0 : 1) > 1 && words.isRepeated(schema.table)
        return StatementPlan.Part(
            shape: ReadLog.Shape(schema, columns: recorded),
            results: recorded.compactMap { draft.results[$0] },
            read: columns.compactMap { draft.results[$0] },
            kinds: recorded.map { schema.columns[$0].kind },
            key: key(of: draft),
            isOptional: isOptional,
            isAmbiguous: isAmbiguous,
            columns: isAmbiguous ? recorded.map { ReadLog.Shape(schema, columns: [$0]) } : [],
            isRepresented: schema.representation != nil && columns.count == schema.columns.count
        )
    }

    private func key(of draft: Draft) -> StatementPlan.Part.Key {
        if case .rowid(_, let column?) = draft.schema.identity, let result = draft.results[column] {
            return .number(result)
        }
        let results = draft.schema.primaryKey.compactMap { draft.results[$0] }
        if !results.isEmpty, results.count == draft.schema.primaryKey.count { return .columns(results) }
        return draft.number.map { .number($0) } ?? .content
    }

    // MARK: Regions

    /// Returns the tables and columns that a statement reads, by GRDB's region of it.
    private func regions(of sql: String) throws(StatementError) -> [ReadLog.Region] {
        // A statement that GRDB does not compile has no region.
        guard let statement = try? database.makeStatement(sql: sql) else { return [] }
        let region = statement.databaseRegion
        var found: [ReadLog.Region] = []
        var names: Set<ExactText> = []
        for (name, table) in try schemas.tables() where names.insert(.sqlName(table)).inserted {
            guard region.isModified(byEventsOfKind: .delete(tableName: table)),
                let schema = try schemas.schema(of: table, in: name), !schema.isShadow
            else { continue }
            let columns = schema.columns.map(\.name)
            let read = columns.filter { column in
                region.isModified(byEventsOfKind: .update(tableName: table, columnNames: [column]))
            }
            found.append(ReadLog.Region(name: schema.name, columns: columns, read: Set(read)))
        }
        return found
    }
}
#endif
