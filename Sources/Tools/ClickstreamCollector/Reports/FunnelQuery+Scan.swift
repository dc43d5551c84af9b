#if Collector
import ClickstreamCore
import GRDB

extension FunnelQuery {
    /// Finds how many users or sessions of a store reach the steps.
    ///
    /// An event without a time has that of its arrival, as in sessions. Events without a user, or a session, are omitted.
    /// - Throws: ``ValueTable/Full``; ``StoreDamage``; errors of GRDB.
    func report(on store: Store) async throws -> FunnelReport {
        try await store.readInTurn { try report(in: $0) }
    }

    private func report(in database: Database) throws -> FunnelReport {
        let (indexes, matchers) = try matchers(in: database)
        let isByUser = owner == .user
        let isInText = field?.isInText == true
        let readsTexts = isInText || steps.contains { $0.condition != nil }
        var columns = [
            isByUser ? EventScan.user : "e.session", field?.sql ?? "NULL", "COALESCE(e.timestamp, r.received_at)",
            "e.name", isByUser ? "NULL" : "e.app",
        ]
        var values = FieldValues(field, database, column: 2)
        let probe = TextProbe(path: field?.path, matchers: matchers)
        var texts = TextScan(database, columnsFrom: columns.count + 1, probe)
        if readsTexts { columns += TextScan.columns }
        var sessions = SessionNumbers()
        var funnel = Funnel(steps: steps.count, window: window)
        func selected(_ row: RowReader) throws -> ReportRow? {
            var owner = try row.text(1, "events.session")
            if !isByUser { owner = sessions.number(session: owner, app: try row.text(5, "events.app")) }
            guard owner > 0, let index = indexes[Int64(try row.text(4, "events.name"))] else { return nil }
            let mayStart = matchers[index].possible & 1 != 0
            return ReportRow(
                owner: owner,
                time: try row.integer(3, "events.timestamp", in: StoredRange.any),
                value: try mayStart && !isInText ? values.number(row) : 0,
                matcher: index,
                readsText: matchers[index].isConditional || mayStart && isInText
            )
        }
        func add(_ row: ReportRow, matches: UInt32, value: UInt32) {
            guard matches != 0 else { return }
            funnel.add(owner: row.owner, time: row.time, matches: matches, value: value)
        }
        let events = try EventScan(filter, names: indexes.keys.sorted(), columns: columns, in: database)
        if let events, readsTexts {
            try texts.scan(events, of: selected) { rows in
                try rows.visit { row, matches, value in
                    add(row, matches: matches, value: try isInText ? values.number(ofExact: value) : row.value)
                }
            }
        } else {
            try events?.scan { row in
                guard let row = try selected(row), let index = row.matcher else { return }
                add(row, matches: matchers[index].possible, value: row.value)
            }
        }
        return try FunnelReport(self, funnel.chains()) { try values.value($0) }
    }

    /// Matchers of the steps with one name, and their indexes by the number of the text of that name. Steps whose name no event has
    /// are missing.
    private func matchers(in database: Database) throws -> (indexes: [Int64: Int], matchers: [FunnelMatcher]) {
        var indexes: [Int64: Int] = [:]
        var matchers: [FunnelMatcher] = []
        for (step, number) in zip(steps, 0...) {
            guard let name = try textID(.name, step.name, in: database) else { continue }
            let index = indexes[name] ?? matchers.count
            if index == matchers.count {
                indexes[name] = index
                matchers.append(FunnelMatcher())
            }
            matchers[index].add(step, at: number)
        }
        return (indexes, matchers)
    }
}

/// Numbers of sessions from 1, each of which is a text and an app.
private struct SessionNumbers {
    private var numbers: [UInt64: UInt32] = [:]
    private var last: (session: UInt64, number: UInt32) = (0, 0)

    /// - Parameters:
    ///   - session: number of the text; 0 for no session.
    ///   - app: number of the app's text; 0 for none.
    /// - Returns: 0 for no session.
    mutating func number(session: UInt32, app: UInt32) -> UInt32 {
        guard session > 0 else { return 0 }
        let key = UInt64(session) << 32 | UInt64(app)
        if last.session != key {
            let number = numbers[key] ?? UInt32(numbers.count) + 1
            numbers[key] = number
            last = (key, number)
        }
        return last.number
    }
}
#endif
