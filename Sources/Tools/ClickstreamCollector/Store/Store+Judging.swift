#if Collector
import ClickstreamCore
import ClickstreamJudges
import ClickstreamPlan
import GRDB

extension Store {
    /// Judges all events again if the store was judged by another plan, or by none: a store has the verdicts of one plan.
    /// - Throws: `CancellationError` if the opening is cancelled.
    static func judge(_ queue: DatabaseQueue, by decoder: UploadDecoder, _ opening: StoreOpening) throws {
        let plans = decoder.planDigests
        if try queue.read({ try planDigests(in: $0) }) == plans { return }
        try queue.write { database in
            try opening.begin(StorePreparation.judging, in: database)
            try database.execute(sql: "CREATE TABLE IF NOT EXISTS \(StoreLayout.plan); DELETE FROM tracking_plan")
            for plan in plans { try database.execute(sql: "INSERT INTO tracking_plan VALUES (?)", arguments: [plan]) }
            try judgeEvents(of: database, by: decoder, opening)
            try database.execute(sql: verdictTotals)
        }
    }

    /// Digest in a store with events that were judged by different plans. No plan has it.
    private static let severalPlans = ""

    /// Notes that the store has events judged by different plans if another process opened it with another plan than this
    /// one's. The next opening judges all of them again.
    static func compare(_ plans: [String], with database: Database) throws {
        let stored = try planDigests(in: database)
        if stored == plans || stored.contains(severalPlans) { return }
        try database.execute(sql: "INSERT INTO tracking_plan VALUES (?)", arguments: [severalPlans])
    }

    /// Digest of the plan by which the events were judged; empty for none. The table may be created by another process.
    private static func planDigests(in database: Database) throws -> [String] {
        let table = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'tracking_plan'"
        guard try Int.fetchOne(database.cachedStatement(sql: table)) != nil else { return [] }
        return try String.fetchAll(database.cachedStatement(sql: "SELECT digest FROM tracking_plan LIMIT 2"))
    }

    /// Decodes each request again, and replaces status and findings of its events.
    private static func judgeEvents(
        of database: Database,
        by decoder: UploadDecoder,
        _ opening: StoreOpening
    ) throws {
        let events = try RowWriter(database, "UPDATE events SET is_bad = ?, unlisted = ? WHERE seq = ?")
        let removal = try RowWriter(database, "DELETE FROM findings WHERE event = ?")
        var findings = try FindingWriter(database)
        try decoder.decodeStored(in: database, opening) { request, content in
            // Only a changed body has another number of events: reading it reports the damage.
            guard let content else { return }
            for (index, event) in content.events.enumerated() {
                let sequence = request - Int64(content.events.count - index)
                events.bind(event.isBad, at: 1)
                events.bind(Int64(event.unlisted), at: 2)
                events.bind(sequence, at: 3)
                // A duplicate has no row.
                guard try events.run() else { continue }
                removal.bind(sequence, at: 1)
                try removal.run()
                try findings.insert(event.findings, of: sequence)
            }
        }
    }

    private static let firstEvent = RequestRange.firstEvent(of: "requests")

    /// Derives from the events what requests, terms and totals contain of their verdicts.
    private static let verdictTotals = """
        \(StoreLayout.verdictTerms)
        UPDATE state SET bad_events = bad_events - (SELECT COALESCE(SUM(requests.bad_events), 0) FROM requests);
        UPDATE requests SET
            bad_events = (SELECT COUNT(*) FROM events
                WHERE events.seq BETWEEN \(firstEvent) AND requests.seq - 1 AND events.is_bad),
            unlisted = (SELECT COALESCE(SUM(events.unlisted), 0) FROM events
                WHERE events.seq BETWEEN \(firstEvent) AND requests.seq - 1)
            WHERE requests.events > 0;
        UPDATE state SET bad_events = bad_events + (SELECT COALESCE(SUM(requests.bad_events), 0) FROM requests);
        """
}

extension UploadDecoder {
    /// SHA-256 of the plan, in hexadecimal digits; empty without a plan.
    var planDigests: [String] {
        (plan?.plan).map { [SHA256.hexadecimal(SHA256.digest(of: Array($0.yaml().utf8)))] } ?? []
    }
}
#endif
