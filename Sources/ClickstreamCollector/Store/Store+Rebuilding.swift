#if Tools
import ClickstreamCore
import ClickstreamTools
import Foundation
import GRDB

extension Store {
    /// Brings a store of an older layout to this one: every request is read again from its body, in its order.
    static func rebuild(_ database: Database, _ decoder: UploadDecoder) throws {
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
            sql: "SELECT r.*, b.data FROM old_requests r JOIN old_bodies b ON b.request = r.seq ORDER BY r.seq"
        )
        while let row = try rows.next() {
            let upload = decoder.decode(Envelope(row))
            var writer = try UploadWriter(database, count: upload.content.events.count + 1)
            try writer.append(upload)
            try writer.finish()
        }
        try database.execute(sql: "DROP TABLE old_requests; DROP TABLE old_bodies;")
    }
}

extension Envelope {
    /// A request as the layouts 1 and 2 kept it.
    fileprivate init(_ row: Row) {
        let body: Data = row["data"]
        let reason: String? = row["reason"]
        self.init(
            id: row["rid"],
            receivedAt: Timestamp(milliseconds: row["received_at"]),
            method: row["method"],
            uri: row["uri"],
            path: row["path"],
            appID: row["app_id"],
            platform: row["platform"],
            compression: row["compression"],
            fakeIP: row["fake_ip"],
            bundleSequenceID: row["bundle_sequence_id"],
            uploadTimestamp: row["upload_timestamp"],
            hashCode: row["hash_code"],
            userAgent: row["user_agent"],
            ip: row["ip"],
            body: [UInt8](body),
            // It did not say so, but nothing else that could be read begins like gzip.
            isContentEncoded: body.starts(with: [0x1F, 0x8B]) && reason != ReceivedUpload.Flaw.Reason.base64.rawValue
        )
    }
}
#endif
