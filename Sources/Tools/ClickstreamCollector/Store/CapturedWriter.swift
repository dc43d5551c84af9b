#if Collector
import ClickstreamCore
import ClickstreamJudges
import GRDB

/// Writes captured requests within the transaction of an ``UploadWriter``.
struct CapturedWriter {
    private(set) var counts: [CapturedFormat: CapturedCounts] = [:]
    private let database: Database
    private let identity: EventIdentity
    private let requests: RowWriter
    private let bodies: RowWriter
    private let events: RowWriter
    private let holders: RowWriter
    private var findings: FindingWriter
    private let audit: RowWriter
    private let auditTables: RowWriter
    private let auditRows: RowWriter

    init(_ database: Database, _ identity: EventIdentity) throws {
        self.database = database
        self.identity = identity
        requests = try RowWriter(
            database,
            """
            INSERT INTO captured_requests (\(UploadWriter.requestColumns), form, header, header_is_cut)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """
        )
        bodies = try RowWriter(database, "INSERT INTO captured_bodies (request, data) VALUES (?, ?)")
        events = try RowWriter(
            database,
            """
            INSERT OR IGNORE INTO captured_events (seq, identity, request, start, length, is_bad, form, name, event_id,
                timestamp, unlisted) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """
        )
        holders = try RowWriter(
            database,
            """
            SELECT timestamp = ?2 AND event_id = ?3 FROM captured_events WHERE identity = ?1 AND form = ?4
            """
        )
        findings = try FindingWriter(database, into: "captured_findings")
        audit = try RowWriter(database, "INSERT INTO audit_events (event, activity, partition) VALUES (?, ?, ?)")
        auditTables = try RowWriter(database, "INSERT INTO audit_tables (event, name) VALUES (?, ?)")
        auditRows = try RowWriter(
            database,
            "INSERT OR IGNORE INTO audit_rows (event, table_name, key) VALUES (?, ?, ?)"
        )
    }

    /// Writes an upload, whose events have the sequence numbers before that of the request.
    mutating func append(_ upload: Upload, _ form: CapturedFormat, request: Int64) throws -> RequestTally {
        let content = upload.content
        let first = request - Int64(content.captured.count)
        var tally = RequestTally(events: content.captured.count)
        for (index, event) in content.captured.enumerated() {
            let isNew = try append(event, form, at: first + Int64(index), of: request)
            if !isNew {
                tally.duplicates += 1
                continue
            }
            if let content = event.audit { try append(content, upload.envelope.partition, of: first + Int64(index)) }
            if event.isBad { tally.badEvents += 1 }
            tally.unlisted += event.unlisted
        }
        UploadWriter.bind(upload, request, tally, to: requests)
        requests.bind(form.rawValue, at: 26)
        requests.bind(content.header?.isCut ?? false, at: 28)
        if let header = content.header {
            try header.json.withUnsafeBytes {
                requests.bind(blob: $0, at: 27)
                try requests.run()
            }
        } else {
            requests.bind(nil as Int64?, at: 27)
            try requests.run()
        }
        bodies.bind(request, at: 1)
        try upload.envelope.body.withUnsafeBytes {
            bodies.bind(blob: $0, at: 2)
            try bodies.run()
        }
        counts[form, default: CapturedCounts()] += CapturedCounts(
            requests: 1,
            badRequests: content.flaw == nil ? 0 : 1,
            events: content.captured.count - tally.duplicates,
            badEvents: tally.badEvents,
            duplicates: tally.duplicates
        )
        return tally
    }

    /// Adds the counts of this transaction to the totals.
    func finish() throws {
        for (form, counts) in counts {
            try CapturedCounts.add(counts, to: form, in: database)
        }
    }

    /// - Returns: false for a duplicate.
    private mutating func append(
        _ event: CapturedFacts,
        _ form: CapturedFormat,
        at sequence: Int64,
        of request: Int64
    ) throws -> Bool {
        events.bind(sequence, at: 1)
        events.bind(request, at: 3)
        events.bind(Int64(event.json.range.lowerBound), at: 4)
        events.bind(Int64(event.json.range.count), at: 5)
        events.bind(event.isBad, at: 6)
        events.bind(form.rawValue, at: 7)
        events.bind(event.name, at: 8)
        events.bind(event.id, at: 9)
        events.bind(event.timestamp, at: 10)
        events.bind(Int64(event.unlisted), at: 11)
        guard try insert(event, form) else { return false }
        try findings.insert(event.findings, of: sequence)
        return true
    }

    private func append(_ content: AuditContent, _ partition: String?, of event: Int64) throws {
        audit.bind(event, at: 1)
        audit.bind(content.activity, at: 2)
        audit.bind(partition, at: 3)
        try audit.run()
        auditTables.bind(event, at: 1)
        for table in content.tables {
            auditTables.bind(table, at: 2)
            try auditTables.run()
        }
        auditRows.bind(event, at: 1)
        for row in content.rows {
            auditRows.bind(row.table, at: 2)
            auditRows.bind(row.key, at: 3)
            try auditRows.run()
        }
    }

    /// Inserts the bound row unless an event of the form with the same id and time exists.
    private func insert(_ event: CapturedFacts, _ form: CapturedFormat) throws -> Bool {
        if let timestamp = event.timestamp, let id = event.id {
            for attempt in 0..<EventIdentity.attempts {
                let number = Array(id.utf8).withUnsafeBytes { identity.number($0, timestamp, attempt: attempt) }
                events.bind(number, at: 2)
                if try events.run() { return true }
                holders.bind(number, at: 1)
                holders.bind(timestamp, at: 2)
                holders.bind(id, at: 3)
                holders.bind(form.rawValue, at: 4)
                if try holders.isTrue() { return false }
            }
        }
        events.bind(nil as Int64?, at: 2)
        return try events.run()
    }
}

extension CapturedCounts {
    /// Adds counts, possibly negative ones, to the totals of a form.
    static func add(_ counts: CapturedCounts, to form: CapturedFormat, in database: Database) throws {
        let statement = try database.cachedStatement(
            sql: """
                INSERT INTO captured_totals (requests, bad_requests, events, bad_events, duplicates, form)
                VALUES (?, ?, ?, ?, ?, ?)
                ON CONFLICT (form) DO UPDATE SET requests = requests + excluded.requests,
                    bad_requests = bad_requests + excluded.bad_requests, events = events + excluded.events,
                    bad_events = bad_events + excluded.bad_events, duplicates = duplicates + excluded.duplicates
                """
        )
        try statement.execute(arguments: [
            counts.requests, counts.badRequests, counts.events, counts.badEvents, counts.duplicates, form.rawValue,
        ])
    }
}
#endif
