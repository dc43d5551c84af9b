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
        var values = FieldValues(field, database, column: 2, textsFrom: columns.count + 1)
        if field.isInText { columns += BodyScan.columns }
        var count = EventCount()
        try EventScan(filter, columns: columns, in: database)?.scan { row in
            count.add(value: try values.number(row), user: try row.text(1, "events.user"))
        }
        return try CountReport(count, limit: limit) { try values.value($0) }
    }
}
#endif
