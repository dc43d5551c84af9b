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

/// Result of an upload whose transaction is committed.
enum UploadResult: Sendable, Hashable {
    case stored(RequestTally)
    /// The upload was imported, and a request with its id was stored before.
    case present
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
    private let identity: EventIdentity
    private var events: EventWriter

    /// - Parameter count: number of sequence numbers for the uploads: one for each event and each request.
    /// - Throws: ``StoreDamage`` for a last number that no collector writes; errors of GRDB.
    init(_ database: Database, count: Int) throws {
        self.database = database
        identity = try EventIdentity(database)
        // Checked, as another program may have changed it since the store was opened.
        let last = try Store.lastSequence(in: database).last
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
        events = try EventWriter(database, identity)
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
        if upload.isImported, try isStored(upload.envelope.id) { return counts.results.append(.present) }
        if let form = upload.envelope.form { return try append(upload, form) }
        let request = sequence + Int64(content.events.count)
        sequence = request + 1
        let tally = try events.append(content, request: request)
        Self.bind(upload, request, tally, to: requests)
        try requests.run()
        bodies.bind(request, at: 1)
        try upload.envelope.body.withUnsafeBytes {
            bodies.bind(blob: $0, at: 2)
            try bodies.run()
        }

        if content.flaw == nil { counts.goodRequests += 1 } else { counts.badRequests += 1 }
        counts.goodEvents += tally.events - tally.badEvents - tally.duplicates
        counts.badEvents += tally.badEvents
        counts.duplicates += tally.duplicates
        counts.results.append(.stored(tally))
    }

    /// True if a request of any format has an id.
    private func isStored(_ id: String) throws -> Bool {
        let query = try RowWriter(
            database,
            """
            SELECT EXISTS (SELECT 1 FROM requests WHERE rid = ?1) OR EXISTS (SELECT 1 FROM captured_requests WHERE rid = ?1)
            """
        )
        query.bind(id, at: 1)
        return try query.isTrue()
    }

    private mutating func append(_ upload: Upload, _ form: CapturedFormat) throws {
        let request = sequence + Int64(upload.content.eventCount)
        sequence = request + 1
        var writer = try captured ?? CapturedWriter(database, identity)
        let tally = try writer.append(upload, form, request: request)
        counts.captured = writer.counts
        counts.results.append(.stored(tally))
        captured = writer
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
}
#endif
