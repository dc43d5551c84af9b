#if Collector
import ClickstreamCore
import ClickstreamJudges
import GRDB

/// Migration of a store of an older layout, within one transaction.
enum StoreMigration {
    /// Migrates a store to the current layout.
    /// - Parameter decoder: decodes all bodies again.
    /// - Throws: `CancellationError` if the opening is cancelled; ``StoreDamage``; errors of GRDB.
    static func migrate(
        _ database: Database,
        from layout: Int,
        _ decoder: UploadDecoder,
        _ opening: StoreOpening
    ) throws {
        if layout < 3 { return try rebuild(database, decoder, opening) }
        if layout == 3 { try renumber(database) }
        if layout < 5 { try database.execute(sql: StoreLayout.capturedTables) }
        if layout < 6 { try database.execute(sql: StoreLayout.auditTables) }
        try intern(database, decoder, opening)
    }

    /// Migrates a store of the layouts 4 to 6, whose events contained their texts, and no device, platform or version: each
    /// request is decoded again. Sequence numbers, identities, verdicts and totals remain, and the layout of other tables. Events of
    /// a damaged body keep the texts of their columns.
    private static func intern(_ database: Database, _ decoder: UploadDecoder, _ opening: StoreOpening) throws {
        // In the other mode, renaming the table changes the definition of the table of findings, which refers to it.
        try database.execute(
            sql: """
                PRAGMA cache_size = -32768;
                DROP INDEX events_identity;
                DROP TABLE terms;
                DROP TABLE sessions;
                DROP TABLE users;
                PRAGMA legacy_alter_table = ON;
                ALTER TABLE events RENAME TO old_events;
                PRAGMA legacy_alter_table = OFF;
                \(StoreLayout.eventTables)
                """
        )
        var decoder = decoder
        // The verdicts remain, and a body may have been accepted with a higher limit.
        decoder.plan = nil
        decoder.inflationLimit = UploadDecoder.maxInflationLimit
        var events = try EventWriter(database, EventIdentity(database), isMigrating: true)
        let damaged = try OldEventWriter(database)
        try decoder.decodeStored(in: database, opening) { request, content in
            if let content {
                _ = try events.append(content, request: request)
            } else {
                try damaged.append(request: request)
            }
        }
        try database.execute(sql: "DROP TABLE old_events; \(StoreLayout.verdictTerms)")
    }

    /// Migrates a store of the layouts 1 and 2: each request is decoded again from its body, in the order of arrival, with new
    /// sequence numbers.
    private static func rebuild(_ database: Database, _ decoder: UploadDecoder, _ opening: StoreOpening) throws {
        for index in StoreLayout.oldIndexes { try database.execute(sql: "DROP INDEX IF EXISTS \(index)") }
        try database.execute(
            sql: """
                DROP TABLE IF EXISTS sequence;
                DROP TABLE findings;
                DROP TABLE events;
                ALTER TABLE requests RENAME TO old_requests;
                ALTER TABLE bodies RENAME TO old_bodies;
                """
        )
        try database.execute(sql: StoreLayout.tables)
        let rows = try Row.fetchCursor(
            database,
            sql: """
                SELECT r.rid, r.received_at, r.method, r.uri, r.path, r.app_id, r.platform, r.compression, r.fake_ip,
                    r.bundle_sequence_id, r.upload_timestamp, r.hash_code, r.user_agent, r.ip, r.reason, b.data
                FROM old_requests r JOIN old_bodies b ON b.request = r.seq ORDER BY r.seq
                """
        )
        while let row = try rows.next() {
            if opening.isCancelled { throw CancellationError() }
            let upload = decoder.decode(try Envelope(row))
            var writer = try UploadWriter(database, count: upload.content.events.count + 1)
            try writer.append(upload)
            try writer.finish()
        }
        try database.execute(sql: "DROP TABLE old_requests; DROP TABLE old_bodies;")
    }
}

extension Envelope {
    /// Request in the layouts 1 and 2.
    fileprivate init(_ row: Row) throws {
        let body = try row.bytes(15, "bodies.data")
        let reason = try row.optionalText(14, "requests.reason")
        self.init(
            id: try row.text(0, "requests.rid"),
            receivedAt: try row.time(1, "requests.received_at"),
            method: try row.text(2, "requests.method"),
            uri: try row.text(3, "requests.uri"),
            path: try row.text(4, "requests.path"),
            appID: try row.optionalText(5, "requests.app_id"),
            platform: try row.optionalText(6, "requests.platform"),
            compression: try row.optionalText(7, "requests.compression"),
            fakeIP: try row.optionalText(8, "requests.fake_ip"),
            bundleSequenceID: try row.optionalInteger(9, "requests.bundle_sequence_id"),
            uploadTimestamp: try row.optionalText(10, "requests.upload_timestamp"),
            hashCode: try row.optionalText(11, "requests.hash_code"),
            userAgent: try row.optionalText(12, "requests.user_agent"),
            ip: try row.optionalText(13, "requests.ip"),
            body: body,
            // Old layouts did not record the encoding. No other readable body begins like gzip.
            isContentEncoded: body.starts(with: [0x1F, 0x8B]) && reason != ReceivedUpload.Flaw.Reason.base64.rawValue
        )
    }
}
#endif
