#if Tools
import ClickstreamCore
import Foundation
import GRDB

extension Store {
    /// Takes all of `uploads` in one transaction, or none. Returns when they would survive the death of the process.
    func append(_ uploads: [Upload]) async throws {
        try await write { database in
            for upload in uploads { try Self.append(upload, to: database) }
        }
    }

    /// Removes everything. Numbers that were given before are not given again.
    func reset() async throws {
        try await write { database in
            for table in ["findings", "events", "bodies", "requests"] {
                try database.execute(sql: "DELETE FROM \(table)")
            }
        }
    }

    private static let insertRequest = """
        INSERT INTO requests (rid, received_at, method, uri, path, app_id, platform, compression, fake_ip,
            bundle_sequence_id, upload_timestamp, hash_code, hash_ok, user_agent, ip, encoded_bytes, raw_bytes, reason,
            detail, events, bad_events, duplicates)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0)
        """

    private static let insertEvent = """
        INSERT OR IGNORE INTO events (request, position, received_at, is_bad, event_id, timestamp, app_id, event_type,
            session_id, session_number, session_start, unique_id, user_id, screen_name, screen_unique_id, engagement,
            reports_error, json)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """

    private static let insertFinding = """
        INSERT INTO findings (event, position, code, severity, subject, name, message) VALUES (?, ?, ?, ?, ?, ?, ?)
        """

    private static func append(_ upload: Upload, to database: Database) throws {
        let envelope = upload.envelope
        let content = upload.content
        let receivedAt = envelope.receivedAt.milliseconds
        try database.run(
            insertRequest,
            [
                envelope.id, receivedAt, envelope.method, envelope.uri, envelope.path, envelope.appID,
                envelope.platform, envelope.compression, envelope.fakeIP, envelope.bundleSequenceID,
                envelope.uploadTimestamp, envelope.hashCode, content.hashMatches, envelope.userAgent, envelope.ip,
                envelope.body.count, content.rawBytes, content.flaw?.reason.rawValue, content.flaw?.detail,
                content.events.count, content.events.count { !$0.isGood },
            ]
        )
        let request = database.lastInsertedRowID
        try database.run("INSERT INTO bodies (request, data) VALUES (?, ?)", [request, Data(envelope.body)])

        var duplicates = 0
        for (position, event) in content.events.enumerated() {
            try database.run(
                insertEvent,
                [
                    request, position, receivedAt, !event.isGood, event.id, event.timestamp, event.appID, event.name,
                    event.sessionID, event.sessionNumber, event.sessionStart, event.uniqueID, event.userID,
                    event.screenName, event.screenUniqueID, event.engagement, event.reportsError, event.json,
                ]
            )
            if database.changesCount == 0 {
                duplicates += 1
                continue
            }
            let sequence = database.lastInsertedRowID
            for (place, finding) in event.findings.enumerated() {
                try database.run(
                    insertFinding,
                    [
                        sequence, place, finding.code, finding.severity.rawValue, finding.subject.rawValue,
                        finding.name, finding.message,
                    ]
                )
            }
        }
        if duplicates > 0 {
            try database.run("UPDATE requests SET duplicates = ? WHERE seq = ?", [duplicates, request])
        }
    }
}

extension Database {
    /// Runs a statement that is prepared once and kept.
    fileprivate func run(_ sql: String, _ arguments: StatementArguments) throws {
        let statement = try cachedStatement(sql: sql)
        statement.setUncheckedArguments(arguments)
        try statement.execute()
    }
}
#endif
