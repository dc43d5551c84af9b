#if Audit
import GRDB

/// Rows that statements returned while a scope was active, as the data of its read events.
struct RecordedReads {
    /// Rows of one table in the order of the first read; a row with a known key occurs once.
    private struct Table {
        var rows: [[String: DatabaseValue]] = []
        var indices: [[DatabaseValue]: Int] = [:]
        /// Columns and recorded values of the rows whose key was not returned: each occurs once.
        var unidentified: Set<[String: RecordedValue?]> = []
    }

    private var tables: [Int: Table] = [:]
    private var order: [Int] = []
    /// Tables that were read only in expressions.
    private(set) var unattributed: [Int: Set<String>] = [:]

    mutating func add(_ query: RandomQuery, rows: [Row], _ schema: RandomSchema) {
        if let (table, columns) = query.unattributed, !rows.isEmpty {
            unattributed[table, default: []].formUnion(columns)
        }
        for row in rows {
            var parts: [(table: Int, instance: Int, values: [String: DatabaseValue])] = []
            for (column, value) in zip(query.columns, row.databaseValues) {
                guard let table = column.table else { continue }
                if parts.last?.table != table || parts.last?.instance != column.instance {
                    parts.append((table, column.instance, [:]))
                }
                parts[parts.count - 1].values[column.column] = value
            }
            for part in parts {
                // The missing side of an outer join.
                if query.isJoin, part.values.values.allSatisfy(\.isNull) { continue }
                add(part.values, to: part.table, schema.tables[part.table])
            }
        }
    }

    private mutating func add(_ values: [String: DatabaseValue], to number: Int, _ schema: RandomTable) {
        if tables[number] == nil { order.append(number) }
        var table = tables.removeValue(forKey: number) ?? Table()
        let key = schema.keyColumns.compactMap { values[$0] }
        if !key.isEmpty, key.count == schema.keyColumns.count, !key.contains(.null) {
            if let index = table.indices[key] {
                table.rows[index].merge(values) { first, _ in first }
            } else {
                table.indices[key] = table.rows.count
                table.rows.append(values)
            }
        } else if table.unidentified.insert(schema.described(values)).inserted {
            table.rows.append(values)
        }
        tables[number] = table
    }

    /// The read events of attributed rows: table and rows, in order of the first read.
    func events(_ schema: RandomSchema) -> [(type: String, rows: [RecordedValue])] {
        order.map { number in
            let table = schema.tables[number]
            let rows = (tables[number] ?? Table()).rows.map { values -> RecordedValue in
                var members = table.recorded(values)
                for column in table.columns {
                    guard let target = column.target, let value = values[column.name],
                        let read = tables[target], let index = read.indices[[value]]
                    else { continue }
                    members[column.name] = .object(schema.tables[target].recorded(read.rows[index]))
                }
                return .object(members)
            }
            return (table.name, rows)
        }
    }
}

extension RandomTable {
    /// The columns of a row with their recorded values, nil for excluded ones.
    fileprivate func described(_ values: [String: DatabaseValue]) -> [String: RecordedValue?] {
        let recorded = recorded(values)
        return Dictionary(uniqueKeysWithValues: values.keys.map { ($0, recorded[$0]) })
    }
}
#endif
