import ClickstreamCore
import ClickstreamJudges

/// Events of consecutive lines that become one request.
struct ImportGroup: Sendable {
    /// Maximum number of events, and of bytes of their JSON text. An event alone may be longer.
    static let maxEvents = 500
    static let maxBytes = 1_048_576

    /// Properties that the events of a request share.
    struct Key: Sendable, Hashable {
        var form: CapturedFormat
        /// Time of reception; `nil` for that of the import.
        var receivedAt: Timestamp?
        /// Id of the request that the event arrived in; `nil` if that is not recorded.
        var requestID: String?
        /// Partition of audit events.
        var partition: String?
        /// JSON text of the header of a batch.
        var header: [UInt8]?
    }

    let key: Key
    private let receivedAt: Timestamp
    private let maxCount: Int
    /// App id and platform of the first event.
    private let appID: String?
    private let platform: String?
    private var count = 0
    private var events: [UInt8] = []

    /// Group without events.
    /// - Parameters:
    ///   - line: the line with the first event.
    ///   - now: the time of reception if the event has none.
    ///   - batchSize: the maximum number of events of a batch whose original number is not recorded.
    init(_ event: ImportedEvent, of line: [UInt8], now: Timestamp, batchSize: Int) {
        key = event.key
        receivedAt = key.receivedAt ?? now
        maxCount = key.form.batch != nil && key.requestID == nil ? min(batchSize, Self.maxEvents) : Self.maxEvents
        let object = event.members(in: line)
        appID = object?.columnText(FieldName.appID)
        platform = object?.columnText(FieldName.platform)
    }

    /// True if the request has room for an event of a number of bytes.
    func takes(_ key: Key, bytes: Int) -> Bool {
        key == self.key && count < maxCount && (count == 0 || events.count + bytes < Self.maxBytes)
    }

    mutating func append(_ event: ArraySlice<UInt8>) {
        if count > 0 { events.append(UInt8(ascii: ",")) }
        events += event
        count += 1
    }

    /// The request of the events.
    /// - Parameter path: the collector's path for the clickstream format.
    func envelope(id: String, path: String) -> Envelope {
        let captured = key.form.captured
        let path = captured?.path ?? path
        let parameters = [
            ("platform", platform), ("appId", appID), ("partition", captured == nil ? nil : key.partition),
        ]
        let query = parameters.compactMap { name, value in
            value.map { "\(name)=\(UploadRequest.percentEncoded($0))" }
        }
        return Envelope(
            id: id,
            receivedAt: receivedAt,
            method: "POST",
            uri: query.isEmpty ? path : "\(path)?\(query.joined(separator: "&"))",
            path: path,
            appID: appID,
            platform: platform,
            body: body,
            isContentEncoded: false,
            form: captured,
            partition: key.partition
        )
    }

    /// Events in the shape of the format.
    private var body: [UInt8] {
        let list = [UInt8(ascii: "[")] + events + [UInt8(ascii: "]")]
        guard let batch = key.form.batch, var body = key.header, body.popLast() != nil else { return list }
        while let last = body.last, last <= 0x20 { body.removeLast() }
        if body.count > 1 { body.append(UInt8(ascii: ",")) }
        return body + Array("\"\(batch.events)\":".utf8) + list + [UInt8(ascii: "}")]
    }
}
