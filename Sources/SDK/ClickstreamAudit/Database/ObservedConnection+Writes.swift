#if Audit
import CClickstreamSQLite
import ClickstreamCore
import GRDB
import GRDBSQLite

/// Rows that statements change.
extension ObservedConnection {
    // MARK: Hook

    /// A row is about to change.
    func rowChanges(
        _ operation: Int32,
        _ database: UnsafePointer<CChar>,
        _ table: UnsafePointer<CChar>,
        _ oldNumber: Int64,
        _ newNumber: Int64
    ) {
        guard !handle.isInternal, !recordings.isEmpty, let anchor = handle.anchor else { return }
        do throws(StatementError) {
            guard let schema = try trackedSchema(database, table) else { return }
            if operation != SQLITE_INSERT { try touchOld(schema, oldNumber, anchor) }
            if operation != SQLITE_DELETE {
                try touchNew(schema, newNumber, anchor, isInserted: operation == SQLITE_INSERT)
            }
        } catch {
            transaction.changeFailed(error)
            fail(error)
        }
    }

    private func trackedSchema(
        _ database: UnsafePointer<CChar>,
        _ table: UnsafePointer<CChar>
    ) throws(StatementError) -> TableSchema? {
        if let last = schemas.lastTracked(database, table) { return last }
        try checkSchemas()
        return try schemas.tracked(database, table)
    }

    private func touchOld(_ schema: TableSchema, _ number: Int64, _ anchor: OpaquePointer) throws(StatementError) {
        func old(_ column: Int) -> OpaquePointer? { clickstream_preupdate_old(anchor, Int32(column)) }
        guard let key = key(of: schema, number, value: old) else { return }
        if case .key(let columns) = schema.identity, schema.isReadByStatement,
            columns.contains(where: { old($0).map(KeyEncoder.isRounded) ?? false })
        {
            try touchRounded(schema, key)
        } else {
            try touch(schema, key, exists: true, value: old)
        }
    }

    private func touchNew(
        _ schema: TableSchema,
        _ number: Int64,
        _ anchor: OpaquePointer,
        isInserted: Bool
    ) throws(StatementError) {
        func new(_ column: Int) -> OpaquePointer? { clickstream_preupdate_new(anchor, Int32(column)) }
        guard isInserted || schema.newKeyIndices.isEmpty else {
            // One of them is the key. The row of the other one, if it exists, is no change at the end of the transaction.
            for indices in schema.newKeyIndices {
                if let key = key(indices, value: new) { try touchByStatement(schema, key) }
            }
            return
        }
        if let key = key(of: schema, number, value: new) { try touch(schema, key, exists: false, value: new) }
    }

    /// Returns the identity of a row.
    func key(of schema: TableSchema, _ number: Int64, value: (Int) -> OpaquePointer?) -> RowKey? {
        switch schema.identity {
        case .rowid: return .number(number)
        case .key(let columns): return key(columns, value: value)
        case .none: return nil
        }
    }

    private func key(_ indices: [Int], value: (Int) -> OpaquePointer?) -> RowKey? {
        var key: [UInt8] = []
        for index in indices {
            guard let value = value(index), KeyEncoder.append(value, to: &key) else { return nil }
        }
        return .bytes(key)
    }

    /// Records the first touch of a row, in all active scopes.
    /// - Parameter value: returns the value of a column before the change.
    func touch(
        _ schema: TableSchema,
        _ key: RowKey,
        exists: Bool,
        value: (Int) -> OpaquePointer?
    ) throws(StatementError) {
        if exists, schema.isReadByStatement, tracking == .hook { return try touchByStatement(schema, key) }
        let custom = exists && schema.representation != nil ? representation(of: schema, value: value) : nil
        try touch(schema, key, exists: exists, custom: custom) { bytes in
            let kinds = schema.kinds
            for index in kinds.indices {
                let kind = kinds[index]
                if kind != .blob, let value = value(index) {
                    // A value that is older than its column has the column's default.
                    if value == self.missingValue, let json = schema.defaults[index] {
                        bytes += json
                    } else {
                        ValueEncoder.append(value, kind, to: &bytes)
                    }
                }
                bytes.append(RowArena.end)
            }
        }
    }

    private func touch(
        _ schema: TableSchema,
        _ key: RowKey,
        exists: Bool,
        custom: [UInt8]?,
        _ encode: (inout [UInt8]) -> Void
    ) throws(StatementError) {
        try transaction.observe()
        for recording in recordings {
            recording.change { logs in
                logs.writes.touch(
                    schema,
                    key,
                    in: schemas.path(of: schema.database),
                    by: id,
                    exists: exists,
                    custom: custom,
                    budget: &logs.budget,
                    encode: encode
                )
            }
        }
    }

    /// Records the first touch of a row, whose state before the change is read by a statement.
    func touchByStatement(_ schema: TableSchema, _ key: RowKey) throws(StatementError) {
        try handle.internally { () throws(StatementError) -> Void in
            let row = try OwnStatement(handle.pointer, schema.rowQuery)
            let statement = row.pointer
            bind(key, to: statement)
            guard try row.step(), hasKey(key, schema, statement) else {
                return try touch(schema, key, exists: false, custom: nil) { _ in }
            }
            let custom = representation(of: schema) { sqlite3_column_value(statement, Int32($0)) }
            try touch(schema, key, exists: true, custom: custom) { Self.encode(statement, schema, to: &$0) }
        }
    }

    /// Records the first touch of each row that the hook may have meant: it has converted an integer of the key to a floating
    /// point number. A row that does not change is no change at the end of the transaction.
    private func touchRounded(_ schema: TableSchema, _ key: RowKey) throws(StatementError) {
        try handle.internally { () throws(StatementError) -> Void in
            let rows = try OwnStatement(handle.pointer, schema.roundedRowQuery)
            let statement = rows.pointer
            bind(key, to: statement)
            while try rows.step() {
                func value(_ column: Int) -> OpaquePointer? { sqlite3_column_value(statement, Int32(column)) }
                guard let key = self.key(of: schema, 0, value: value) else { continue }
                let custom = representation(of: schema, value: value)
                try touch(schema, key, exists: true, custom: custom) { Self.encode(statement, schema, to: &$0) }
            }
        }
    }

    // MARK: Triggers

    /// A trigger calls the function.
    func triggerFires(_ values: UnsafeBufferPointer<OpaquePointer?>) {
        guard !handle.isInternal, !recordings.isEmpty else { return }
        do throws(StatementError) {
            try recordChange(values)
        } catch {
            transaction.changeFailed(error)
            fail(error)
        }
    }

    private func recordChange(_ values: UnsafeBufferPointer<OpaquePointer?>) throws(StatementError) {
        try checkSchemas()
        guard values.count >= 4, let mode = values[0], let database = values[1], let table = values[2],
            let number = values[3],
            let call = ChangeTriggers.Call(rawValue: Int32(truncatingIfNeeded: sqlite3_value_int64(mode))),
            let schema = try schemas.schema(
                of: String(decoding: ValueEncoder.text(of: table), as: UTF8.self),
                in: String(decoding: ValueEncoder.text(of: database), as: UTF8.self)
            )
        else { return }
        // After the call's own arguments: all columns, or those of the key in its order.
        func value(_ column: Int) -> OpaquePointer? {
            var index: Int? = column
            if call != .row {
                guard case .key(let key) = schema.identity else { return nil }
                index = key.firstIndex(of: column)
            }
            return index.flatMap { 4 + $0 < values.count ? values[4 + $0] : nil }
        }
        guard let key = key(of: schema, sqlite3_value_int64(number), value: value) else { return }
        switch call {
        case .row: try touch(schema, key, exists: true, value: value)
        case .wideRow: try touchByStatement(schema, key)
        case .key: try touch(schema, key, exists: false, value: value)
        }
    }

    // MARK: Queries

    /// Reads the state of a row.
    /// - Parameters:
    ///   - statement: the query of one row of the table, which is reset.
    ///   - bytes: receives the values.
    func state(
        of key: RowKey,
        _ schema: TableSchema,
        _ statement: OpaquePointer,
        to bytes: inout [UInt8]
    ) throws(StatementError) -> WriteLog.State {
        var state = WriteLog.State(bytes: nil, custom: nil, schema: schema)
        bind(key, to: statement)
        defer { sqlite3_reset(statement) }
        switch sqlite3_step(statement) {
        case SQLITE_DONE: return state
        case SQLITE_ROW: break
        default: throw StatementError(of: handle.pointer)
        }
        guard hasKey(key, schema, statement) else { return state }
        let start = bytes.count
        Self.encode(statement, schema, to: &bytes)
        state.bytes = start..<bytes.count
        if let custom = representation(of: schema, value: { sqlite3_column_value(statement, Int32($0)) }) {
            bytes += custom
            state.custom = bytes.count - custom.count..<bytes.count
        }
        return state
    }

    /// False if the row was found by a key that is equal to its own, but not the same: a collation without case.
    private func hasKey(_ key: RowKey, _ schema: TableSchema, _ statement: OpaquePointer) -> Bool {
        // A key that is a BLOB is not read, and has no collation.
        guard case .key(let columns) = schema.identity, !columns.contains(where: { schema.kinds[$0] == .blob }) else {
            return true
        }
        return self.key(columns) { sqlite3_column_value(statement, Int32($0)) } == key
    }

    private func bind(_ key: RowKey, to statement: OpaquePointer) {
        switch key {
        case .number(let number): sqlite3_bind_int64(statement, 1, number)
        case .bytes(let bytes): KeyEncoder.bind(bytes, to: statement)
        }
    }

    @inline(__always)
    private static func encode(_ statement: OpaquePointer, _ schema: TableSchema, to bytes: inout [UInt8]) {
        let kinds = schema.kinds
        for index in kinds.indices {
            let kind = kinds[index]
            if kind != .blob, let value = sqlite3_column_value(statement, Int32(index)) {
                ValueEncoder.append(value, kind, to: &bytes)
            }
            bytes.append(RowArena.end)
        }
    }
}
#endif
