import ClickstreamCore
import ClickstreamJudges

extension Envelope {
    /// Request of a line that ``CollectedRequest/storedRow`` wrote, or the sink of a published server. Fields that the line lacks
    /// are read from the query.
    /// - Parameter now: the time of reception of a request that has none.
    init(row: LineObject, now: Timestamp) throws(ImportError) {
        func text(_ name: String) throws(ImportError) -> String? {
            if let value = row[name], value.count > ImportedLine.longestText {
                throw ImportError(.textTooLong, offset: value.lowerBound, detail: name)
            }
            return row.columnText(name)
        }
        /// A field, or a parameter of the query if the line lacks the field.
        func text(_ name: String, or parameter: String?) throws(ImportError) -> String? {
            if row.has(name) { return try text(name) }
            return parameter
        }
        let id = try text("rid") ?? ""
        if row.isTrue("data_cut") {
            throw ImportError(.cutBody, offset: row["data"]?.lowerBound, detail: id.isEmpty ? nil : id)
        }
        let givenPath = try text("path")
        let uri = try text("uri") ?? givenPath ?? "/"
        let target = RequestTarget(uri)
        let path = givenPath ?? target.path
        // Its name in older rows of the published server.
        let method = try text("method", or: text("m"))
        let data = row.text("data") ?? ""
        self.init(
            id: id,
            receivedAt: Self.receivedAt(row) ?? now,
            method: method ?? "POST",
            uri: uri,
            path: path,
            appID: try text("appId", or: target["appId"]),
            platform: try text("platform", or: target["platform"]),
            compression: try text("compression", or: target["compression"]),
            fakeIP: try text("fakeIp", or: target["fakeIp"]),
            bundleSequenceID: target["event_bundle_sequence_id"].flatMap { Int64($0) },
            uploadTimestamp: try text("client_timestamp", or: target["upload_timestamp"]),
            hashCode: target["hashCode"],
            userAgent: try text("ua"),
            ip: try text("ip"),
            body: Array(data.utf8),
            isContentEncoded: false,
            form: CapturedFormat.captured(at: path),
            partition: target["partition"].map { AuditContent.cut($0) }
        )
    }

    /// Time of reception, by the most precise of the fields that have it.
    private static func receivedAt(_ row: LineObject) -> Timestamp? {
        if let milliseconds = row.integer("received_at") { return Timestamp(milliseconds: milliseconds) }
        if let time = row.text("timestamp").flatMap({ Timestamp(query: $0) }) { return time }
        let milliseconds = row.integer("server_ingest_time") ?? row.integer("ingest_time")
        return milliseconds.map { Timestamp(milliseconds: $0) } ?? row.text("date").flatMap { Timestamp(query: $0) }
    }

    /// True for an id as the collector and the published server make it: 32 lower-case hexadecimal digits.
    var hasRequestID: Bool {
        id.utf8.count == 32
            && id.utf8.allSatisfy { $0.isDigit || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0) }
    }
}
