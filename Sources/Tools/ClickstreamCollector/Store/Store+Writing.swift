#if Collector
import ClickstreamCore
import ClickstreamJudges
import Foundation
import GRDB

extension Store {
    /// Stores all `uploads` in one transaction, or none. They survive the end of the process when this returns.
    /// - Throws: ``CollectorError/storeGone(path:reason:)`` if another program removed or truncated the store; errors of GRDB.
    @discardableResult
    func append(_ uploads: [Upload]) async throws -> StoredCounts {
        let counts = try await write { [files, plans] database in
            var writer = try UploadWriter(database, count: uploads.reduce(0) { $0 + $1.content.eventCount + 1 })
            for upload in uploads { try writer.append(upload) }
            try writer.finish()
            try Self.compare(plans, with: database)
            try files.check()
            return writer.counts
        }
        try files.checkLog()
        return counts
    }

    /// Removes all requests and events. Sequence numbers are not reused.
    ///
    /// Archives pending requests first: most of them while writers continue, and the rest while writers are blocked.
    func reset() async throws {
        let archive = archive
        if let archive { try await follow(by: archive, now: Timestamp(milliseconds: 0), closes: true) }
        try await writeOutside { [files] database in
            try files.check()
            if let archive { try Self.bring(archive, upTo: database) }
            try database.inTransaction {
                for table in StoreLayout.emptied { try database.execute(sql: "DELETE FROM \(table)") }
                try database.execute(
                    sql: """
                        UPDATE state SET last = last + 1, last_reset = last + 1, requests = 0, bad_requests = 0,
                            events = 0, bad_events = 0, duplicates = 0, evicted_requests = 0, evicted_events = 0,
                            archived = last + 1;
                        UPDATE captured_totals SET requests = 0, bad_requests = 0, events = 0, bad_events = 0, duplicates = 0
                        """
                )
                return .commit
            }
        }
        texts.removeAll()
    }
}

/// Counts of the events of one request.
struct RequestTally: Sendable, Hashable {
    /// All events of the body.
    var events: Int
    var badEvents = 0
    var duplicates = 0
    /// Number of findings not listed.
    var unlisted = 0
}

/// Writes uploads within one transaction.
struct UploadWriter {
    private(set) var counts = StoredCounts()
    /// Writer of captured requests; `nil` before the first one.
    private var captured: CapturedWriter?
    private let database: Database
    /// Sequence number of the next row.
    private var sequence: Int64
    private let requests: RowWriter
    private let bodies: RowWriter
    private let events: RowWriter
    private let holders: RowWriter
    private let identity: EventIdentity
    private var findings: FindingWriter
    private let terms: RowWriter
    private let sessions: RowWriter
    private let users: RowWriter

    /// - Parameter count: number of sequence numbers for the uploads: one for each event and each request.
    init(_ database: Database, count: Int) throws {
        self.database = database
        identity = try EventIdentity(database)
        let last = try Int64.fetchOne(database.cachedStatement(sql: "SELECT last FROM state")) ?? 0
        sequence = last + 1
        try database.execute(sql: "UPDATE state SET last = ?", arguments: [last + Int64(count)])
        requests = try RowWriter(
            database,
            """
            INSERT INTO requests (\(Self.requestColumns))
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """
        )
        bodies = try RowWriter(database, "INSERT INTO bodies (request, data) VALUES (?, ?)")
        events = try RowWriter(
            database,
            """
            INSERT OR IGNORE INTO events (seq, identity, start, length, is_bad, reports_error, timestamp,
                session_number, session_start, engagement, event_id, app_id, event_type, session_id, unique_id, user_id,
                screen_name, screen_unique_id, unlisted)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """
        )
        holders = try RowWriter(database, "SELECT timestamp = ?2 AND event_id = ?3 FROM events WHERE identity = ?1")
        findings = try FindingWriter(database)
        terms = try RowWriter(database, "INSERT OR IGNORE INTO terms (kind, value, request) VALUES (?, ?, ?)")
        sessions = try RowWriter(
            database,
            """
            INSERT INTO sessions (id, app_id, first, events) VALUES (?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET events = events + excluded.events
            """
        )
        users = try RowWriter(
            database,
            "INSERT INTO users (id, events) VALUES (?, ?) ON CONFLICT DO UPDATE SET events = events + excluded.events"
        )
    }

    /// Columns of a request that ``bind(_:_:_:to:)`` fills.
    static let requestColumns = """
        seq, rid, received_at, method, uri, path, app_id, platform, compression, fake_ip, bundle_sequence_id,
        upload_timestamp, hash_code, hash_ok, user_agent, ip, is_encoded, encoded_bytes, raw_bytes, reason, detail,
        events, bad_events, duplicates, unlisted
        """

    /// Adds the counts of this transaction to the totals.
    func finish() throws {
        try captured?.finish()
        let statement = try database.cachedStatement(
            sql: """
                UPDATE state SET requests = requests + ?, bad_requests = bad_requests + ?, events = events + ?,
                    bad_events = bad_events + ?, duplicates = duplicates + ?
                """
        )
        try statement.execute(arguments: [
            counts.goodRequests + counts.badRequests, counts.badRequests, counts.goodEvents + counts.badEvents,
            counts.badEvents, counts.duplicates,
        ])
    }

    mutating func append(_ upload: Upload) throws {
        let content = upload.content
        if let form = upload.envelope.form { return try append(upload, form) }
        let first = sequence
        let request = first + Int64(content.events.count)
        sequence = request + 1

        var tally = Tally(content)
        try content.bytes.withUnsafeBytes { bytes in
            for index in content.events.indices {
                try append(content.events[index], at: first + Int64(index), in: bytes, to: &tally)
            }
            for (index, session) in content.sessions.keys.enumerated() where tally.sessions[index].events > 0 {
                sessions.bind(session.id, in: bytes, at: 1)
                if session.appID.isNone {
                    sessions.bind("", at: 2)
                } else {
                    sessions.bind(session.appID, in: bytes, at: 2)
                }
                sessions.bind(tally.sessions[index].first, at: 3)
                sessions.bind(tally.sessions[index].events, at: 4)
                try sessions.run()
                try appendTerm(.session, session.id, in: bytes, request)
            }
            for (index, user) in content.users.keys.enumerated() where tally.users[index] > 0 {
                users.bind(user, in: bytes, at: 1)
                users.bind(tally.users[index], at: 2)
                try users.run()
                try appendTerm(.user, user, in: bytes, request)
            }
            for name in content.names.keys { try appendTerm(.name, name, in: bytes, request) }
            for user in content.userIDs.keys { try appendTerm(.user, user, in: bytes, request) }
        }
        for code in tally.codes { try appendTerm(.code, code, request) }
        if tally.badEvents > 0 { try appendTerm(.bad, "", request) }
        let total = RequestTally(
            events: content.events.count,
            badEvents: tally.badEvents,
            duplicates: tally.duplicates,
            unlisted: tally.unlisted
        )
        Self.bind(upload, request, total, to: requests)
        try requests.run()
        bodies.bind(request, at: 1)
        try upload.envelope.body.withUnsafeBytes {
            bodies.bind(blob: $0, at: 2)
            try bodies.run()
        }

        if content.flaw == nil { counts.goodRequests += 1 } else { counts.badRequests += 1 }
        counts.goodEvents += tally.goodEvents
        counts.badEvents += tally.badEvents
        counts.duplicates += tally.duplicates
    }

    private mutating func append(_ upload: Upload, _ form: CapturedFormat) throws {
        let request = sequence + Int64(upload.content.eventCount)
        sequence = request + 1
        var writer = try captured ?? CapturedWriter(database, identity)
        try writer.append(upload, form, request: request)
        counts.captured = writer.counts
        captured = writer
    }

    /// Counts of an upload's events.
    private struct Tally {
        var goodEvents = 0
        var badEvents = 0
        var duplicates = 0
        var sessions: [(first: Int64, events: Int64)]
        var users: [Int64]
        /// Number of findings not listed.
        var unlisted = 0
        var codes: Set<String> = []

        init(_ content: UploadContent) {
            sessions = Array(repeating: (0, 0), count: content.sessions.keys.count)
            users = Array(repeating: 0, count: content.users.keys.count)
        }
    }

    /// Binds the columns of ``requestColumns``.
    static func bind(_ upload: Upload, _ request: Int64, _ tally: RequestTally, to requests: RowWriter) {
        let (envelope, content) = (upload.envelope, upload.content)
        requests.bind(request, at: 1)
        requests.bind(envelope.id, at: 2)
        requests.bind(envelope.receivedAt.milliseconds, at: 3)
        let texts = [
            envelope.method, envelope.uri, envelope.path, envelope.appID, envelope.platform, envelope.compression,
            envelope.fakeIP,
        ]
        for (index, text) in texts.enumerated() { requests.bind(text, at: Int32(4 + index)) }
        requests.bind(envelope.bundleSequenceID, at: 11)
        requests.bind(envelope.uploadTimestamp, at: 12)
        requests.bind(envelope.hashCode, at: 13)
        requests.bind(content.hashMatches.map { $0 ? 1 : 0 } as Int64?, at: 14)
        requests.bind(envelope.userAgent, at: 15)
        requests.bind(envelope.ip, at: 16)
        requests.bind(envelope.isContentEncoded, at: 17)
        requests.bind(Int64(envelope.body.count), at: 18)
        requests.bind(Int64(content.rawBytes), at: 19)
        requests.bind(content.flaw?.reason.rawValue, at: 20)
        requests.bind(content.flaw?.detail, at: 21)
        requests.bind(Int64(tally.events), at: 22)
        requests.bind(Int64(tally.badEvents), at: 23)
        requests.bind(Int64(tally.duplicates), at: 24)
        requests.bind(Int64(tally.unlisted), at: 25)
    }

    private mutating func append(
        _ event: EventFacts,
        at sequence: Int64,
        in bytes: UnsafeRawBufferPointer,
        to tally: inout Tally
    ) throws {
        events.bind(sequence, at: 1)
        events.bind(Int64(event.json.range.lowerBound), at: 3)
        events.bind(Int64(event.json.range.count), at: 4)
        events.bind(event.isBad, at: 5)
        events.bind(event.reportsError, at: 6)
        events.bind(event.timestamp, at: 7)
        events.bind(event.sessionNumber, at: 8)
        events.bind(event.sessionStart, at: 9)
        events.bind(event.engagement, at: 10)
        events.bind(event.id, in: bytes, at: 11)
        events.bind(event.appID, in: bytes, at: 12)
        events.bind(event.name, in: bytes, at: 13)
        events.bind(event.sessionID, in: bytes, at: 14)
        events.bind(event.uniqueID, in: bytes, at: 15)
        events.bind(event.userID, in: bytes, at: 16)
        events.bind(event.screenName, in: bytes, at: 17)
        events.bind(event.screenUniqueID, in: bytes, at: 18)
        events.bind(Int64(event.unlisted), at: 19)
        guard try insert(event, in: bytes) else {
            tally.duplicates += 1
            return
        }
        if event.isBad { tally.badEvents += 1 } else { tally.goodEvents += 1 }
        tally.unlisted += event.unlisted
        if event.indexes.session >= 0 {
            let index = Int(event.indexes.session)
            if tally.sessions[index].events == 0 { tally.sessions[index].first = sequence }
            tally.sessions[index].events += 1
        }
        if event.indexes.user >= 0 { tally.users[Int(event.indexes.user)] += 1 }
        for finding in event.findings { tally.codes.insert(finding.code) }
        try findings.insert(event.findings, of: sequence)
    }

    /// Inserts the bound row unless an event with the same id and time exists. Tries at most ``EventIdentity/attempts``
    /// hashes.
    private func insert(_ event: EventFacts, in bytes: UnsafeRawBufferPointer) throws -> Bool {
        if let timestamp = event.timestamp, !event.id.isNone {
            let id = UnsafeRawBufferPointer(rebasing: bytes[event.id.range])
            for attempt in 0..<EventIdentity.attempts {
                let number = identity.number(id, timestamp, attempt: attempt)
                events.bind(number, at: 2)
                if try events.run() { return true }
                holders.bind(number, at: 1)
                holders.bind(timestamp, at: 2)
                holders.bind(event.id, in: bytes, at: 3)
                if try holders.isTrue() { return false }
            }
        }
        events.bind(nil as Int64?, at: 2)
        return try events.run()
    }

    private func appendTerm(
        _ kind: StoreLayout.Term,
        _ value: TextRange,
        in bytes: UnsafeRawBufferPointer,
        _ request: Int64
    ) throws {
        terms.bind(Int64(kind.rawValue), at: 1)
        terms.bind(value, in: bytes, at: 2)
        terms.bind(request, at: 3)
        try terms.run()
    }

    private func appendTerm(_ kind: StoreLayout.Term, _ value: String, _ request: Int64) throws {
        terms.bind(Int64(kind.rawValue), at: 1)
        terms.bind(value, at: 2)
        terms.bind(request, at: 3)
        try terms.run()
    }
}
#endif
