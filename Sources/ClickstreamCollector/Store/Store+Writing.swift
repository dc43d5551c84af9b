#if Tools
import ClickstreamCore
import Foundation
import GRDB

extension Store {
    /// Takes all of `uploads` in one transaction, or none. Returns when they would survive the death of the process.
    @discardableResult
    func append(_ uploads: [Upload]) async throws -> StoredCounts {
        try await write { database in
            var sequence = try Self.reserve(uploads.reduce(0) { $0 + $1.content.events.count + 1 }, in: database)
            var counts = StoredCounts()
            for upload in uploads { counts = try counts + Self.append(upload, at: &sequence, to: database) }
            return counts
        }
    }

    /// Removes everything. Numbers that were given before are not given again.
    func reset() async throws {
        try await write { database in
            for table in ["findings", "events", "bodies", "requests"] {
                try database.execute(sql: "DELETE FROM \(table)")
            }
            try database.execute(sql: "UPDATE sequence SET last = last + 1, last_reset = last + 1")
        }
    }

    /// Takes so many numbers of the order for good.
    /// - Returns: the first of them.
    static func reserve(_ count: Int, in database: Database) throws -> Int64 {
        try database.run("UPDATE sequence SET last = last + ?", [count])
        let last = try Int64.fetchOne(database.cachedStatement(sql: "SELECT last FROM sequence")) ?? 0
        return last - Int64(count) + 1
    }

    private static let insertRequest = """
        INSERT INTO requests (seq, rid, received_at, method, uri, path, app_id, platform, compression, fake_ip,
            bundle_sequence_id, upload_timestamp, hash_code, hash_ok, user_agent, ip, encoded_bytes, raw_bytes, reason,
            detail, events, bad_events, duplicates)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0)
        """

    private static let insertEvent = """
        INSERT OR IGNORE INTO events (seq, request, position, received_at, is_bad, event_id, timestamp, app_id, event_type,
            session_id, session_number, session_start, unique_id, user_id, screen_name, screen_unique_id, engagement,
            reports_error, json)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """

    private static let insertFinding = """
        INSERT INTO findings (event, position, code, severity, subject, name, message) VALUES (?, ?, ?, ?, ?, ?, ?)
        """

    /// - Parameter sequence: the number of the first event; afterwards, that after the request's own.
    @discardableResult
    static func append(
        _ upload: Upload,
        at sequence: inout Int64,
        to database: Database
    ) throws -> StoredCounts {
        let envelope = upload.envelope
        let content = upload.content
        let receivedAt = envelope.receivedAt.milliseconds
        let first = sequence
        let request = first + Int64(content.events.count)
        sequence = request + 1
        try database.run(
            insertRequest,
            [
                request, envelope.id, receivedAt, envelope.method, envelope.uri, envelope.path, envelope.appID,
                envelope.platform, envelope.compression, envelope.fakeIP, envelope.bundleSequenceID,
                envelope.uploadTimestamp, envelope.hashCode, content.hashMatches, envelope.userAgent, envelope.ip,
                envelope.body.count, content.rawBytes, content.flaw?.reason.rawValue, content.flaw?.detail,
                content.events.count, content.events.count { !$0.isGood },
            ]
        )
        try database.run("INSERT INTO bodies (request, data) VALUES (?, ?)", [request, Data(envelope.body)])

        var counts = StoredCounts()
        if content.flaw == nil { counts.goodRequests = 1 } else { counts.badRequests = 1 }
        for (position, event) in content.events.enumerated() {
            try database.run(
                insertEvent,
                [
                    first + Int64(position), request, position, receivedAt, !event.isGood, event.id, event.timestamp,
                    event.appID, event.name,
                    event.sessionID, event.sessionNumber, event.sessionStart, event.uniqueID, event.userID,
                    event.screenName, event.screenUniqueID, event.engagement, event.reportsError, event.json,
                ]
            )
            if database.changesCount == 0 {
                counts.duplicates += 1
                continue
            }
            if event.isGood { counts.goodEvents += 1 } else { counts.badEvents += 1 }
            for (place, finding) in event.findings.enumerated() {
                try database.run(
                    insertFinding,
                    [
                        first + Int64(position), place, finding.code, finding.severity.rawValue,
                        finding.subject.rawValue,
                        finding.name, finding.message,
                    ]
                )
            }
        }
        if counts.duplicates > 0 {
            try database.run("UPDATE requests SET duplicates = ? WHERE seq = ?", [counts.duplicates, request])
        }
        return counts
    }
}

extension Database {
    /// Runs a statement that is prepared once and kept.
    func run(_ sql: String, _ arguments: StatementArguments) throws {
        let statement = try cachedStatement(sql: sql)
        statement.setUncheckedArguments(arguments)
        try statement.execute()
    }
}
#endif
