#if Audit
import ClickstreamCore
import Foundation
import GRDB
import GRDBSQLite

/// Rows that statements return.
extension ObservedConnection {
    // MARK: Statements

    /// A statement returns a row. Its plan is built with the first row, when the statement has locked what it reads.
    func rowReturned(_ statement: OpaquePointer?) {
        guard !handle.isInternal, let statement else { return }
        if let plan = plans.current(statement) { return record(statement, plan) }
        guard !Self.readsSchema(statement) else { return }
        do throws(StatementError) {
            try checkSchemas()
            var plan = plans.running(statement)
            if plan == nil { plan = try self.plan(for: statement) }
            guard let plan else { return }
            plans.begin(statement, plan)
            record(statement, plan)
        } catch {
            fail(error)
        }
    }

    private func plan(for statement: OpaquePointer) throws(StatementError) -> StatementPlan {
        guard let text = sqlite3_sql(statement) else { return StatementPlan(sql: "", resultCount: 0) }
        let sql = String(cString: text)
        if let plan = plans[sql] {
            if plan.resultCount == sqlite3_column_count(statement) { return plan }
            // Another connection has changed the schema.
            dropCaches()
        }
        let plan = try handle.internally { () throws(StatementError) in
            try PlanBuilder(database: handle.owner, schemas: schemas).plan(for: statement, sql: sql)
        }
        plans.add(plan, for: sql)
        return plan
    }

    /// True for SQLite's own query of a schema, which is traced without its beginning, while other statements are prepared.
    private static func readsSchema(_ statement: OpaquePointer) -> Bool {
        guard let text = sqlite3_sql(statement) else { return true }
        return strncmp(text, "SELECT*FROM\"", 12) == 0 && strstr(text, ".sqlite_") != nil
    }

    // MARK: Rows

    /// Records the current row of a statement in all active scopes.
    func record(_ statement: OpaquePointer, _ plan: StatementPlan) {
        do throws(StatementError) {
            for part in plan.parts { try record(statement, part) }
        } catch {
            fail(error)
        }
        guard !plan.regions.isEmpty else { return }
        for recording in recordings { recording.change { $0.reads.add(regionsOf: plan) } }
    }

    private func record(_ statement: OpaquePointer, _ part: StatementPlan.Part) throws(StatementError) {
        guard let key = key(of: part, in: statement) else { return }
        if part.isAmbiguous, try !isOneRow(part, key, statement) { return recordColumns(of: part, statement) }
        let custom = part.isRepresented ? representation(of: part, statement) : nil
        for recording in recordings {
            recording.change { logs in
                logs.reads.add(part.shape, key, custom: custom, budget: &logs.budget) { bytes in
                    Self.encode(part, statement, to: &bytes)
                }
            }
        }
    }

    @inline(__always)
    private static func encode(_ part: StatementPlan.Part, _ statement: OpaquePointer, to bytes: inout [UInt8]) {
        let (results, kinds) = (part.results, part.kinds)
        for index in results.indices {
            if let value = sqlite3_column_value(statement, results[index]) {
                ValueEncoder.append(value, kinds[index], to: &bytes)
            }
            bytes.append(RowArena.end)
        }
    }

    /// Returns the identity of the row; `nil` if there is none: an outer join without a match.
    @inline(__always)
    private func key(of part: StatementPlan.Part, in statement: OpaquePointer) -> ReadLog.Key? {
        switch part.key {
        case .number(let result):
            guard sqlite3_column_type(statement, result) == SQLITE_INTEGER else { return nil }
            return .number(sqlite3_column_int64(statement, result))
        case .columns(let results):
            var bytes: [UInt8] = []
            for result in results {
                guard let value = sqlite3_column_value(statement, result), KeyEncoder.append(value, to: &bytes) else {
                    return content(of: part, in: statement)
                }
            }
            return .bytes(bytes)
        case .content:
            return content(of: part, in: statement)
        }
    }

    private func content(of part: StatementPlan.Part, in statement: OpaquePointer) -> ReadLog.Key? {
        guard part.isOptional else { return .content }
        return part.read.contains { sqlite3_column_type(statement, $0) != SQLITE_NULL } ? .content : nil
    }

    // MARK: Ambiguous columns

    /// Returns true if the values of a part are those of the row with the key.
    private func isOneRow(
        _ part: StatementPlan.Part,
        _ key: ReadLog.Key,
        _ statement: OpaquePointer
    ) throws(StatementError) -> Bool {
        let schema = part.shape.schema
        let condition: String
        switch (key, schema.identity) {
        case (.number, .rowid(let name, _)): condition = "\(name) = ?1"
        case (.bytes, _):
            condition = schema.primaryKey.enumerated().map { "\(schema.columns[$1].name.sqlQuoted) IS ?\($0 + 1)" }
                .joined(separator: " AND ")
        default: return false
        }
        let columns = part.shape.columns.map { schema.columns[$0].name.sqlQuoted }.joined(separator: ", ")
        return try handle.internally { () throws(StatementError) -> Bool in
            let row = try OwnStatement(handle.pointer, "SELECT \(columns) FROM \(schema.source) WHERE \(condition)")
            switch key {
            case .number(let number): sqlite3_bind_int64(row.pointer, 1, number)
            case .bytes(let bytes): KeyEncoder.bind(bytes, to: row.pointer)
            case .content: return false
            }
            guard try row.step() else { return false }
            var expected: [UInt8] = []
            var found: [UInt8] = []
            Self.encode(part, statement, to: &expected)
            for (index, kind) in part.kinds.enumerated() {
                if let value = sqlite3_column_value(row.pointer, Int32(index)) {
                    ValueEncoder.append(value, kind, to: &found)
                }
                found.append(RowArena.end)
            }
            return found == expected
        }
    }

    /// Records each column on its own: they may belong to different rows of the table.
    private func recordColumns(of part: StatementPlan.Part, _ statement: OpaquePointer) {
        for (index, shape) in part.columns.enumerated() {
            let result = part.results[index]
            if part.isOptional, sqlite3_column_type(statement, result) == SQLITE_NULL { continue }
            var key = ReadLog.Key.content
            if case .rowid(_, let column?) = shape.schema.identity, shape.columns == [column] {
                key = .number(sqlite3_column_int64(statement, result))
            }
            for recording in recordings {
                recording.change { logs in
                    logs.reads.add(shape, key, budget: &logs.budget) { bytes in
                        if let value = sqlite3_column_value(statement, result) {
                            ValueEncoder.append(value, part.kinds[index], to: &bytes)
                        }
                        bytes.append(RowArena.end)
                    }
                }
            }
        }
    }

    // MARK: Custom representations

    private func representation(of part: StatementPlan.Part, _ statement: OpaquePointer) -> [UInt8]? {
        representation(of: part.shape.schema) { sqlite3_column_value(statement, part.read[$0]) }
    }

    /// Returns the custom representation of a row; `nil` if its table has none, or if it is not JSON: then the row is recorded
    /// by its key alone.
    /// - Parameter value: returns the value of a column.
    func representation(of schema: TableSchema, value: (Int) -> OpaquePointer?) -> [UInt8]? {
        guard let type = schema.representation else { return nil }
        let values = schema.columns.indices.map { index in
            (schema.columns[index].name, value(index).map(DatabaseValue.init(copying:)) ?? .null)
        }
        let row = Row(Dictionary(values, uniquingKeysWith: { first, _ in first }))
        // A row that the app cannot decode has no representation either.
        let text = handle.internally { (try? type.init(row: row))?.customEventRepresentation() }
        guard let text, let json = try? JSONReader.parse(Array(text.utf8)) else {
            events.report(.invalidRepresentation(table: schema.name))
            return nil
        }
        var bytes: [UInt8] = []
        json.write(into: &bytes)
        return bytes
    }
}

extension DatabaseValue {
    /// Copies a value of SQLite.
    fileprivate init(copying value: OpaquePointer) {
        switch sqlite3_value_type(value) {
        case SQLITE_INTEGER: self = sqlite3_value_int64(value).databaseValue
        case SQLITE_FLOAT: self = sqlite3_value_double(value).databaseValue
        case SQLITE_TEXT: self = String(decoding: ValueEncoder.text(of: value), as: UTF8.self).databaseValue
        case SQLITE_BLOB:
            let bytes = UnsafeRawBufferPointer(
                start: sqlite3_value_blob(value),
                count: Int(sqlite3_value_bytes(value))
            )
            self = Data(bytes).databaseValue
        default: self = .null
        }
    }
}
#endif
