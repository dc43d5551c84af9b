#if Audit
import ClickstreamCore

/// Encoder of the net changes of a scope, by table: insertions, modifications and deletions.
struct WriteChanges {
    /// Old and new row; one of them is `nil` for an insertion or a deletion.
    private struct Change {
        var old: WriteLog.State?
        var new: WriteLog.State?
    }

    /// The lists of a table, as JSON without brackets.
    private struct Lists {
        var insertions: [UInt8] = []
        var modifications: [UInt8] = []
        var deletions: [UInt8] = []

        var isEmpty: Bool { insertions.isEmpty && modifications.isEmpty && deletions.isEmpty }
    }

    private let arena: RowArena
    private var tables: [(name: String, order: Int, lists: Lists)] = []
    /// True if rows of the table are recorded by their key, unless they have a custom representation.
    private var hidesColumns = false

    /// - Parameter isIncluded: false for a database file whose tables are left out.
    init(_ log: WriteLog, files isIncluded: (String) -> Bool = { _ in true }) {
        arena = log.arena
        for table in log.tables where isIncluded(table.id.database) {
            let rows = table.rows.filter { !$0.isVoid && $0.new != nil }
            guard let first = rows.first else { continue }
            // Also after the table got a name that no record type has.
            hidesColumns = rows.contains { row in
                [row.old.schema, row.new?.schema].contains { $0?.representation != nil }
            }
            let known = tables.firstIndex { Characters.areSame($0.name, table.schema.name) }
            // The same table of several databases has one entry.
            var lists = known.map { tables[$0].lists } ?? Lists()
            append(rows, to: &lists)
            guard !lists.isEmpty else { continue }
            if let known {
                tables[known].lists = lists
                tables[known].order = min(tables[known].order, first.order)
            } else {
                tables.append((table.schema.name, first.order, lists))
            }
        }
        tables.sort { $0.order < $1.order }
    }

    var isEmpty: Bool { tables.isEmpty }

    func json() -> [UInt8] {
        var json: [UInt8] = [UInt8(ascii: "{")]
        json.reserveCapacity(arena.bytes.count * 2)
        for (position, table) in tables.enumerated() {
            if position > 0 { json.append(UInt8(ascii: ",")) }
            json.append(json: table.name)
            json.append(raw: ":{")
            var isFirst = true
            func append(_ name: StaticString, _ list: [UInt8]) {
                guard !list.isEmpty else { return }
                if !isFirst { json.append(UInt8(ascii: ",")) }
                isFirst = false
                json.append(raw: name)
                json += list
                json.append(UInt8(ascii: "]"))
            }
            append("\"insertions\":[", table.lists.insertions)
            append("\"modifications\":[", table.lists.modifications)
            append("\"deletions\":[", table.lists.deletions)
            json.append(UInt8(ascii: "}"))
        }
        json.append(UInt8(ascii: "}"))
        return json
    }

    // MARK: Pairs

    /// Appends the changes of the rows of a table. A row whose primary key is unchanged is the same row, even with another
    /// number.
    private func append(_ rows: [WriteLog.Row], to lists: inout Lists) {
        let moved = rows.indices.filter { !keepsKey(rows[$0]) }
        var newRows = Dictionary(uniqueKeysWithValues: moved.map { ($0, rows[$0].new) })
        var pairs: [Int: Change] = [:]
        if moved.contains(where: { rows[$0].old.bytes != nil }), moved.contains(where: { rows[$0].new?.bytes != nil }) {
            let keys = moved.compactMap { index in rows[index].new.flatMap(key).map { ($0, index) } }
            let byKey = Dictionary(keys, uniquingKeysWith: { _, last in last })
            for index in moved {
                guard let key = key(of: rows[index].old), let other = byKey[key], let new = newRows[other] else {
                    continue
                }
                pairs[index] = Change(old: rows[index].old, new: new)
                newRows[other] = .some(nil)
            }
        }
        for (index, row) in rows.enumerated() {
            guard let new = newRows[index] else {
                append(Change(old: row.old, new: row.new), to: &lists)
                continue
            }
            if let pair = pairs[index] {
                append(pair, to: &lists)
                append(Change(old: nil, new: new), to: &lists)
            } else {
                append(Change(old: row.old, new: new), to: &lists)
            }
        }
    }

    /// True if a row has the same primary key before and after, or a table no primary key but the row's number.
    private func keepsKey(_ row: WriteLog.Row) -> Bool {
        guard !row.old.schema.primaryKey.isEmpty else { return true }
        guard let new = row.new, let before = row.old.bytes, let after = new.bytes, row.old.schema === new.schema else {
            return row.old.bytes == nil && row.new?.bytes == nil
        }
        return arena.areEqual(before, after) || key(of: row.old) == key(of: new)
    }

    /// Returns the primary key of a row as JSON; `nil` if it has none, or a part that is null or excluded.
    private func key(of state: WriteLog.State) -> [UInt8]? {
        guard let bytes = state.bytes, !state.schema.primaryKey.isEmpty else { return nil }
        let values = arena.values(of: bytes)
        var key: [UInt8] = []
        for column in state.schema.primaryKey {
            let value = arena.bytes[values[column]]
            guard !value.isEmpty, !value.elementsEqual("null".utf8) else { return nil }
            key += value
            key.append(RowArena.end)
        }
        return key
    }

    // MARK: Rows

    private func append(_ change: Change, to lists: inout Lists) {
        let old = change.old?.bytes == nil ? nil : change.old
        let new = change.new?.bytes == nil ? nil : change.new
        switch (old, new) {
        case (nil, nil): break
        case (nil, let new?): Self.separate(&lists.insertions) { append(new, to: &$0) }
        case (let old?, nil): Self.separate(&lists.deletions) { append(old, to: &$0) }
        case (let old?, let new?): appendModification(from: old, to: new, &lists.modifications)
        }
    }

    private static func separate(_ list: inout [UInt8], _ append: (inout [UInt8]) -> Void) {
        if !list.isEmpty { list.append(UInt8(ascii: ",")) }
        append(&list)
    }

    /// Appends a modification, unless no column has changed.
    private func appendModification(from old: WriteLog.State, to new: WriteLog.State, _ list: inout [UInt8]) {
        guard let before = old.bytes, let after = new.bytes else { return }
        let isSameSchema = old.schema === new.schema
        if isSameSchema, arena.areEqual(before, after) { return }
        let start = list.count
        if start > 0 { list.append(UInt8(ascii: ",")) }
        list.append(raw: #"{"oldValue":"#)
        append(old, to: &list)
        list.append(raw: #","newValue":"#)
        let values = list.count
        let hasChange =
            isSameSchema
            ? appendChanged(old.schema, before, after, to: &list) : appendChanged(from: old, to: new, &list)
        guard hasChange else { return list.removeLast(list.count - start) }
        if hidesColumns {
            list.removeLast(list.count - values)
            append(new, to: &list)
        }
        list.append(UInt8(ascii: "}"))
    }

    /// Appends the columns whose value differs.
    /// - Returns: false if there are none.
    private func appendChanged(
        _ schema: TableSchema,
        _ before: Range<Int>,
        _ after: Range<Int>,
        to list: inout [UInt8]
    ) -> Bool {
        var isFirst = true
        var old = before.lowerBound
        var new = after.lowerBound
        list.append(UInt8(ascii: "{"))
        arena.bytes.withUnsafeBufferPointer { bytes in
            for name in schema.names {
                let oldEnd = RowArena.endOfValue(bytes, from: old)
                let newEnd = RowArena.endOfValue(bytes, from: new)
                if newEnd > new, !RowArena.areEqual(bytes, old..<oldEnd, new..<newEnd) {
                    if !isFirst { list.append(UInt8(ascii: ",")) }
                    isFirst = false
                    list += name
                    list += UnsafeBufferPointer(rebasing: bytes[new..<newEnd])
                }
                old = oldEnd + 1
                new = newEnd + 1
            }
        }
        list.append(UInt8(ascii: "}"))
        return !isFirst
    }

    /// Appends the columns whose value differs between two schemas.
    /// - Returns: false if no column differs that the old row has: one that was added is no change of its own.
    private func appendChanged(from old: WriteLog.State, to new: WriteLog.State, _ list: inout [UInt8]) -> Bool {
        func members(_ state: WriteLog.State) -> [(TableSchema.Column, ArraySlice<UInt8>)] {
            guard let bytes = state.bytes else { return [] }
            return zip(state.schema.columns, arena.values(of: bytes)).map { ($0, arena.bytes[$1]) }
        }
        let before = Dictionary(members(old).map { (ExactText($0.name), $1) }, uniquingKeysWith: { first, _ in first })
        let changed = members(new).filter { column, value in !value.isEmpty && before[ExactText(column.name)] != value }
        list.append(object: changed)
        return changed.contains { before[ExactText($0.0.name)] != nil }
    }

    /// Appends the object of a row. Without its custom representation, the row is recorded by its key alone.
    private func append(_ state: WriteLog.State, to json: inout [UInt8]) {
        guard let bytes = state.bytes else { return }
        if let custom = state.custom {
            json += arena.bytes[custom]
        } else if hidesColumns {
            let values = arena.values(of: bytes)
            json.append(object: state.schema.keyColumns.map { (state.schema.columns[$0], arena.bytes[values[$0]]) })
        } else {
            arena.append(bytes, of: state.schema.names, to: &json)
        }
    }
}
#endif
