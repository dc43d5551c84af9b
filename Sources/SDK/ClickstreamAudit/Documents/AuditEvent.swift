import ClickstreamCore

/// Audit event as it is stored and sent: one JSON object.
package struct AuditEvent: Sendable, Equatable {
    package let json: [UInt8]

    /// The names of an event's own members.
    package static let memberNames: Set<String> = ["_id", "event", "activity", "timestamp", "data", "truncated"]

    /// The JSON as text.
    package var text: String { String(decoding: json, as: UTF8.self) }

    package init(json: [UInt8]) {
        self.json = json
    }

    /// - Parameters:
    ///   - data: the payload's text; `nil` for null.
    ///   - truncated: the number of rows that were left out.
    ///   - metadata: further members, the JSON of each.
    init(
        id: String,
        event: String,
        activity: String,
        time: Timestamp,
        data: [UInt8]?,
        truncated: Int = 0,
        metadata: [UInt8]
    ) {
        var json: [UInt8] = []
        json.reserveCapacity((data?.count ?? 0) * 5 / 4 + metadata.count + activity.utf8.count + event.utf8.count + 160)
        json.append(raw: #"{"_id":"#)
        json.append(json: id)
        json.append(raw: #","event":"#)
        json.append(json: event)
        json.append(raw: #","activity":"#)
        json.append(json: activity)
        json.append(raw: #","timestamp":"#)
        json.append(json: time.description)
        json.append(raw: #","data":"#)
        if let data {
            data.withUnsafeBufferPointer { JSONWriter.append(string: $0, to: &json) }
        } else {
            json.append(raw: "null")
        }
        if truncated > 0 {
            json.append(raw: #","truncated":"#)
            json.append(json: Int64(truncated))
        }
        json += metadata
        json.append(raw: "}")
        self.init(json: json)
    }

    /// Encodes metadata as further members of an object, in the order of their names.
    static func members(_ metadata: [String: String]) -> [UInt8] {
        var json: [UInt8] = []
        for (name, value) in metadata.sorted(by: { $0.key < $1.key }) {
            json.append(raw: ",")
            json.append(json: name)
            json.append(raw: ":")
            json.append(json: value)
        }
        return json
    }
}
