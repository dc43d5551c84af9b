#if Collector
import ClickstreamCore
import GRDB

extension CountQuery {
    /// Counts the events of a store.
    /// - Throws: ``ValueTable/Full``; ``StoreDamage``; errors of GRDB.
    func report(on store: Store) async throws -> CountReport {
        try await store.readInTurn { try report(in: $0) }
    }

    private func report(in database: Database) throws -> CountReport {
        var columns = [EventScan.user, field.sql]
        var values = FieldValues(field, database, column: 2)
        var texts = TextScan(database, columnsFrom: columns.count + 1, TextProbe(path: field.path))
        if field.isInText { columns += TextScan.columns }
        var count = EventCount()
        let events = try EventScan(filter, columns: columns, in: database)
        if let events, field.isInText {
            try texts.scan(
                events,
                of: { row in ReportRow(owner: try row.text(1, "events.user"), readsText: true) },
                { rows in
                    try rows.visit { row, _, value in
                        count.add(value: try values.number(ofExact: value), user: row.owner)
                    }
                }
            )
        } else {
            try events?.scan { row in
                count.add(value: try values.number(row), user: try row.text(1, "events.user"))
            }
        }
        return try CountReport(count, limit: limit) { try values.value($0) }
    }
}
#endif
