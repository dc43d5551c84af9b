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
        guard !isInternal, !recordings.isEmpty, let schema = trackedSchema(database, table), let anchor else { return }
        func old(_ column: Int) -> OpaquePointer? { clickstream_preupdate_old(anchor, Int32(column)) }
        if operation != SQLITE_INSERT, let key = key(of: schema, oldNumber, value: old) {
            if case .key(let columns) = schema.identity, schema.isReadByStatement,
                columns.contains(where: { old($0).map(KeyEncoder.isRounded) ?? false })
            {
                touchRounded(schema, key)
            } else {
                touch(schema, key, exists: true, value: old)
            }
        }
        guard operation != SQLITE_DELETE else { return }
        func new(_ column: Int) -> OpaquePointer? { clickstream_preupdate_new(anchor, Int32(column)) }
        guard operation == SQLITE_INSERT || schema.newKeyIndices.isEmpty else {
            // One of them is the key. The row of the other one, if it exists, is no change at the end of the transaction.
            for indices in schema.newKeyIndices {
                if let key = key(indices, value: new) { touchByStatement(schema, key) }
            }
            return
        }
        if let key = key(of: schema, newNumber, value: new) { touch(schema, key, exists: false, value: new) }
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
    func touch(_ schema: TableSchema, _ key: RowKey, exists: Bool, value: (Int) -> OpaquePointer?) {
        if exists, schema.isReadByStatement, tracking == .hook { return touchByStatement(schema, key) }
        let custom = exists && schema.representation != nil ? representation(of: schema, value: value) : nil
        touch(schema, key, exists: exists, custom: custom) { bytes in
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
    ) {
        hasOpenRows = true
        for recording in recordings {
            recording.change { logs in
                logs.writes.touch(
                    schema,
                    key,
                    in: path(of: schema.database),
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
    func touchByStatement(_ schema: TableSchema, _ key: RowKey) {
        internally {
            guard let row = OwnStatement(pointer, schema.rowQuery) else { return }
            bind(key, to: row.pointer)
            guard row.step(), hasKey(key, schema, row.pointer) else {
                return touch(schema, key, exists: false, custom: nil) { _ in }
            }
            let statement = row.pointer
            let custom = representation(of: schema) { sqlite3_column_value(statement, Int32($0)) }
            touch(schema, key, exists: true, custom: custom) { Self.encode(statement, schema, to: &$0) }
        }
    }

    /// Records the first touch of each row that the hook may have meant: it has converted an integer of the key to a floating
    /// point number. A row that does not change is no change at the end of the transaction.
    private func touchRounded(_ schema: TableSchema, _ key: RowKey) {
        internally {
            guard let rows = OwnStatement(pointer, schema.roundedRowQuery) else { return }
            bind(key, to: rows.pointer)
            while rows.step() {
                let statement = rows.pointer
                func value(_ column: Int) -> OpaquePointer? { sqlite3_column_value(statement, Int32(column)) }
                guard let key = self.key(of: schema, 0, value: value) else { continue }
                let custom = representation(of: schema, value: value)
                touch(schema, key, exists: true, custom: custom) { Self.encode(statement, schema, to: &$0) }
            }
        }
    }

    // MARK: Transactions

    /// The open transaction has ended.
    func transactionEnds(isCommitted: Bool) {
        let changedDatabases = changesSchema ? Set(databases.map(path)) : []
        for recording in recordings where hasOpenRows || changesSchema {
            guard isCommitted else {
                recording.change { $0.writes.rollback(by: id, budget: &$0.budget) }
                continue
            }
            // All rows are read again: their table may be dropped, renamed or changed.
            if changesSchema { recording.change { $0.writes.reopen(changedDatabases, by: id) } }
            commit(to: recording)
        }
        hasOpenRows = false
        if !isCommitted, changesSchema { dropCaches() }
        changesSchema = false
        if !isCommitted, triggers.isInstalled { triggers.mustInstall = true }
    }

    /// Reads the rows that the transaction touched, in their committed state.
    private func commit(to recording: ScopeRecording) {
        var open: [(place: WriteLog.Place, key: RowKey, schema: TableSchema)] = []
        recording.change { open = $0.writes.openRows(of: id) }
        var bytes: [UInt8] = []
        var states: [(place: WriteLog.Place, state: WriteLog.State)] = []
        states.reserveCapacity(open.count)
        untraced {
            var start = open.startIndex
            // Rows of one table are read by one statement, in the order of the touches.
            while start < open.endIndex {
                let table = open[start].place.table
                let end = open[start...].firstIndex { $0.place.table != table } ?? open.endIndex
                read(open[start..<end], into: &states, &bytes)
                start = end
            }
        }
        recording.change { $0.writes.commit(states, bytes, by: id, budget: &$0.budget) }
    }

    private func read(
        _ rows: ArraySlice<(place: WriteLog.Place, key: RowKey, schema: TableSchema)>,
        into states: inout [(place: WriteLog.Place, state: WriteLog.State)],
        _ bytes: inout [UInt8]
    ) {
        guard let first = rows.first else { return }
        // The table may have been changed by the transaction.
        let schema = currentSchema(of: first.schema)
        // Cached by GRDB, which finalizes it before the connection is closed. Without the table all rows are deleted.
        let cached = schema.flatMap { schema in try? database?.cachedStatement(sql: schema.rowQuery) }
        for row in rows {
            var state = WriteLog.State(bytes: nil, custom: nil, schema: schema ?? first.schema)
            if let schema, let statement = cached?.sqliteStatement {
                bind(row.key, to: statement)
                if sqlite3_step(statement) == SQLITE_ROW, hasKey(row.key, schema, statement) {
                    let start = bytes.count
                    Self.encode(statement, schema, to: &bytes)
                    state.bytes = start..<bytes.count
                    let custom = representation(of: schema) { sqlite3_column_value(statement, Int32($0)) }
                    if let custom {
                        bytes += custom
                        state.custom = bytes.count - custom.count..<bytes.count
                    }
                }
                sqlite3_reset(statement)
            }
            states.append((row.place, state))
        }
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
