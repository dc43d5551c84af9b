#if Audit
import GRDB

/// All rows of a database at one moment, read by a connection without an observer.
struct Snapshot: Equatable {
    struct StoredRow: Equatable {
        var rowID: DatabaseValue?
        var values: [String: DatabaseValue]
    }

    var tables: [[StoredRow]]

    init(_ db: Database, _ schema: RandomSchema) throws {
        tables = try schema.tables.map { table in
            let rows = try Row.fetchAll(
                db,
                sql: "SELECT *\(table.hasRowID ? ", rowid AS \"the rowid\"" : "") FROM \(table.sql)"
            )
            return rows.map { row in
                var values: [String: DatabaseValue] = [:]
                for column in table.columns { values[column.name] = row[column.name] }
                return StoredRow(rowID: table.hasRowID ? row["the rowid"] : nil, values: values)
            }
        }
    }

    /// The changes from this snapshot to another one, as the data of a write event; nil without a change.
    func changes(to later: Snapshot, _ schema: RandomSchema) -> RecordedChanges? {
        var changes = RecordedChanges()
        for (number, table) in schema.tables.enumerated() {
            changes.add(table, old: tables[number], new: later.tables[number])
        }
        return changes.tables.isEmpty ? nil : changes
    }
}

/// Content of a write event, without the order of rows.
struct RecordedChanges: Equatable {
    struct Modification: Hashable {
        var old: RecordedValue
        var new: RecordedValue
    }

    struct Table: Equatable {
        var insertions: [RecordedValue: Int] = [:]
        var modifications: [Modification: Int] = [:]
        var deletions: [RecordedValue: Int] = [:]

        var isEmpty: Bool { insertions.isEmpty && modifications.isEmpty && deletions.isEmpty }
    }

    var tables: [String: Table] = [:]

    init() {}

    /// The changes that a write event's data contains; nil if it has another form.
    init?(event data: RecordedValue) {
        guard case .object(let names) = data else { return nil }
        for (name, value) in names {
            guard case .object(let lists) = value, !lists.isEmpty else { return nil }
            var table = Table()
            for (kind, list) in lists {
                guard case .array(let rows) = list, !rows.isEmpty else { return nil }
                for row in rows {
                    guard case .object(let members) = row else { return nil }
                    switch kind {
                    case "insertions": table.insertions[row, default: 0] += 1
                    case "deletions": table.deletions[row, default: 0] += 1
                    case "modifications":
                        guard members.count == 2, let old = members["oldValue"], let new = members["newValue"] else {
                            return nil
                        }
                        table.modifications[Modification(old: old, new: new), default: 0] += 1
                    default: return nil
                    }
                }
            }
            tables[name] = table
        }
    }

    fileprivate mutating func add(_ table: RandomTable, old: [Snapshot.StoredRow], new: [Snapshot.StoredRow]) {
        var changes = Table()
        let pairs = Self.pairs(table, old: old, new: new)
        for (old, new) in pairs {
            switch (old, new) {
            case (let old?, nil): changes.deletions[.object(table.recorded(old.values)), default: 0] += 1
            case (nil, let new?): changes.insertions[.object(table.recorded(new.values)), default: 0] += 1
            case (let old?, let new?):
                let before = table.recorded(old.values)
                let after = table.recorded(new.values).filter { before[$0.key] != $0.value }
                if !after.isEmpty {
                    changes.modifications[Modification(old: .object(before), new: .object(after)), default: 0] += 1
                }
            case (nil, nil): break
            }
        }
        if !changes.isEmpty { tables[table.name] = changes }
    }

    /// Rows that are the same row before and after: by primary key, the others by rowid.
    private static func pairs(
        _ table: RandomTable,
        old: [Snapshot.StoredRow],
        new: [Snapshot.StoredRow]
    ) -> [(Snapshot.StoredRow?, Snapshot.StoredRow?)] {
        var pairs: [(Snapshot.StoredRow?, Snapshot.StoredRow?)] = []
        var remaining = new
        var unpaired: [Snapshot.StoredRow] = []
        for row in old {
            if let key = key(row, table), let index = remaining.firstIndex(where: { self.key($0, table) == key }) {
                pairs.append((row, remaining.remove(at: index)))
            } else {
                unpaired.append(row)
            }
        }
        for row in unpaired {
            let index = row.rowID.flatMap { id in remaining.firstIndex { $0.rowID == id } }
            pairs.append((row, index.map { remaining.remove(at: $0) }))
        }
        return pairs + remaining.map { (nil, $0) }
    }

    /// The primary key; nil if the table has none or a part of it is NULL.
    private static func key(_ row: Snapshot.StoredRow, _ table: RandomTable) -> [DatabaseValue]? {
        let values = table.keyColumns.compactMap { row.values[$0] }
        return values.isEmpty || values.contains(.null) ? nil : values
    }
}

extension RandomTable {
    /// The members of a row in an event.
    func recorded(_ values: [String: DatabaseValue]) -> [String: RecordedValue] {
        var members: [String: RecordedValue] = [:]
        for column in columns {
            guard let value = values[column.name] else { continue }
            members[column.name] = RecordedValue(value, type: column.type)
        }
        return members
    }
}
#endif
