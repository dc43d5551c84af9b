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
        let matchers = try matchers(in: database)
        let isByUser = owner == .user
        var columns = [
            isByUser ? EventScan.user : "e.session", field?.sql ?? "NULL", "COALESCE(e.timestamp, r.received_at)",
            "e.name", isByUser ? "NULL" : "e.app",
        ]
        var values = FieldValues(field, database, column: 2, textsFrom: columns.count + 1)
        if field?.isInText == true || steps.contains(where: { $0.condition != nil }) { columns += BodyScan.columns }
        var sessions = SessionNumbers()
        var funnel = Funnel(steps: steps.count, window: window)
        let scan = try EventScan(filter, names: matchers.keys.sorted(), columns: columns, in: database)
        try scan?.scan { row in
            var owner = try row.text(1, "events.session")
            if !isByUser { owner = sessions.number(session: owner, app: try row.text(5, "events.app")) }
            guard owner > 0, let matcher = matchers[Int64(try row.text(4, "events.name"))] else { return }
            let matches = try matcher.matches { try values.event(row) }
            guard matches != 0 else { return }
            funnel.add(
                owner: owner,
                time: try row.integer(3, "events.timestamp", in: StoredRange.any),
                matches: matches,
                value: try matches & 1 == 0 ? 0 : values.number(row)
            )
        }
        return try FunnelReport(self, funnel.chains()) { try values.value($0) }
    }

    /// Steps by the number of the text of their name. A step whose name no event has is missing.
    private func matchers(in database: Database) throws -> [Int64: FunnelMatcher] {
        var matchers: [Int64: FunnelMatcher] = [:]
        for (index, step) in steps.enumerated() {
            guard let name = try textID(.name, step.name, in: database) else { continue }
            matchers[name, default: FunnelMatcher()].add(step, at: index)
        }
        return matchers
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
