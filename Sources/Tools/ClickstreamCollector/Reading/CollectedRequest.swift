public import ClickstreamCore
import ClickstreamJudges

/// Stored request: the fields that the published server stores, and the results of decoding.
///
/// Its encoded form has further fields, those of `/api/requests`: sizes, the checksum, the number of the batch.
public struct CollectedRequest: Sendable, Hashable {
    /// Sequence number in the order of arrival, usable as a cursor.
    package var sequence: Int64
    /// 32 hexadecimal digits, as returned in `X-Request-ID`.
    public var id: String
    /// Time at which the collector received the request.
    public var receivedAt: Timestamp
    /// HTTP method.
    package var method: String
    /// The path with its query, as sent.
    package var uri: String
    /// Path without query.
    package var path: String
    /// App id from the query.
    public var appID: String?
    /// Platform from the query.
    package var platform: String?
    /// Compression of the body from the query, such as `gzip`.
    package var compression: String?
    /// Address from the query that replaces ``ip`` in tests.
    package var fakeIP: String?
    /// Time of the client's clock at the upload, as sent.
    package var uploadTimestamp: String?
    /// Value of the header `User-Agent`.
    package var userAgent: String?
    /// Address of the client.
    package var ip: String?
    /// Decoded body as text, with invalid UTF-8 replaced; `nil` in lists.
    public var data: String?

    /// Reason why the body could not be decoded; `nil` if it was.
    public var reason: String?
    /// Description of that reason, with the position.
    public var detail: String?
    /// Number of new events in the body.
    public var events: Int
    /// Number of events in the body that were received before, in any request; not included in ``events``.
    public var duplicates: Int
    /// Number of bad events among ``events``.
    public var badEvents: Int
    /// Number of findings of its events that are not listed, without those of duplicates.
    package var unlistedViolations: Int
    /// Sequence number of the batch, as sent by the client.
    package var bundleSequenceID: Int64?
    /// `unique_id` of the body's first stored event; it changes with the user of a device. `nil` if that event has
    /// none, and for a body without a stored event: an unreadable one, or one with duplicates only.
    package var uniqueID: String?
    /// Eight hexadecimal digits sent by the client.
    package var hashCode: String?
    /// True if ``hashCode`` matches the body; `nil` if it was not sent.
    package var hashMatches: Bool?
    /// Bytes of the body as sent.
    package var encodedBytes: Int
    /// Bytes of the decoded JSON text.
    package var rawBytes: Int

    /// Bad if the body could not be decoded.
    public var status: CollectedStatus { reason == nil ? .good : .bad }

    /// Compression ratio: size of the JSON text divided by that of the body; `nil` for an empty body.
    package var ratio: Double? {
        encodedBytes > 0 ? Double(rawBytes) / Double(encodedBytes) : nil
    }

    /// Milliseconds by which the client's clock is behind the collector's, including the transfer; `nil` if not sent.
    package var clockSkew: Int64? {
        uploadTimestamp.flatMap { Int64($0) }.map { receivedAt.milliseconds.subtractingReportingOverflow($0) }
            .flatMap { $0.overflow ? nil : $0.partialValue }
    }

    /// Probable unit of ``uploadTimestamp`` if it is not milliseconds.
    private var uploadTimestampUnit: TimeUnit? {
        uploadTimestamp.flatMap { Int64($0) }.flatMap(TimeUnit.init(of:))
    }

    /// True if the query has no app id: the published load balancer refuses such a request. Captured requests need none.
    private var isAppIDMissing: Bool {
        (appID ?? "").isEmpty && CapturedFormat.captured(at: path) == nil
    }
}

extension CollectedRequest: Encodable {
    private enum Key: String, CodingKey {
        case date, uri, ua, ip, rid, method, data, appId, platform, compression, fakeIp, path, timestamp
        case clientTimestamp = "client_timestamp"
        case ingestTime = "ingest_time"
        case serverIngestTime = "server_ingest_time"
        case sourceType = "source_type"
        case receivedAt = "received_at"
        case status, reason, detail, events, duplicates, ratio
        case badEvents = "bad_events"
        case unlistedViolations = "unlisted_violations"
        case bundleSequenceID = "event_bundle_sequence_id"
        case uniqueID = "unique_id"
        case hashCode = "hash_code"
        case hashMatches = "hash_matches"
        case encodedBytes = "encoded_bytes"
        case rawBytes = "raw_bytes"
        case clockSkew = "clock_skew_ms"
        case uploadTimestampUnit = "upload_timestamp_unit"
        case isAppIDMissing = "app_id_missing"
    }

    /// Fields of the published server's row with its names, absent ones as `null`, then the collector's own fields.
    public func encode(to encoder: any Encoder) throws {
        try encodeStoredRow(to: encoder)
        var row = encoder.container(keyedBy: Key.self)
        try row.encode(receivedAt.milliseconds, forKey: .receivedAt)
        try row.encode(status, forKey: .status)
        try row.encode(reason, forKey: .reason)
        try row.encode(detail, forKey: .detail)
        try row.encode(events, forKey: .events)
        try row.encode(badEvents, forKey: .badEvents)
        try row.encode(unlistedViolations, forKey: .unlistedViolations)
        try row.encode(duplicates, forKey: .duplicates)
        try row.encode(bundleSequenceID, forKey: .bundleSequenceID)
        try row.encode(uniqueID, forKey: .uniqueID)
        try row.encode(hashCode, forKey: .hashCode)
        try row.encode(hashMatches, forKey: .hashMatches)
        try row.encode(encodedBytes, forKey: .encodedBytes)
        try row.encode(rawBytes, forKey: .rawBytes)
        try row.encode(ratio, forKey: .ratio)
        try row.encode(clockSkew, forKey: .clockSkew)
        try row.encode(uploadTimestampUnit?.rawValue, forKey: .uploadTimestampUnit)
        try row.encode(isAppIDMissing, forKey: .isAppIDMissing)
    }

    /// Fields of the published server's row, also encoded by ``storedRow``.
    private func encodeStoredRow(to encoder: any Encoder) throws {
        let seconds = receivedAt.milliseconds / 1_000
        var row = encoder.container(keyedBy: Key.self)
        let text = receivedAt.description
        try row.encode(text.prefix(19) + "+00:00", forKey: .date)
        try row.encode(uri, forKey: .uri)
        try row.encode(userAgent, forKey: .ua)
        try row.encode(ip, forKey: .ip)
        try row.encode(id, forKey: .rid)
        try row.encode(method, forKey: .method)
        try row.encode(appID, forKey: .appId)
        try row.encode(platform, forKey: .platform)
        try row.encode(compression, forKey: .compression)
        try row.encode(fakeIP, forKey: .fakeIp)
        try row.encode(path, forKey: .path)
        try row.encode(text, forKey: .timestamp)
        try row.encodeIfPresent(uploadTimestamp, forKey: .clientTimestamp)
        try row.encode(seconds * 1_000, forKey: .ingestTime)
        try row.encode(seconds * 1_000, forKey: .serverIngestTime)
        try row.encode("http_server", forKey: .sourceType)
        try row.encodeIfPresent(data, forKey: .data)
    }
}

/// Page of requests in the order of arrival.
public struct RequestPage: Sendable, Hashable {
    /// Requests of the page, in the order of arrival.
    public var requests: [CollectedRequest]
    /// Cursor of the next page; `nil` if there are no further requests yet.
    public var next: Int64?
}
