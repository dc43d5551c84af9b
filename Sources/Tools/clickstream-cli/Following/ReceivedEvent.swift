import ClickstreamCollector
import ClickstreamCore
import ClickstreamJudges

/// One event of a collector: an element of `/api/events`, `/api/captured` or `/api/audit`, with the values that output and conditions
/// need.
struct ReceivedEvent: Sendable, Hashable {
    /// `{ "event", "status", "violations", "unlisted_violations", "request_id", "received_at" }`, and of a captured event
    /// also `form`, `name` and `header`, of an audit event `form`, `name` and `partition`. Each member is built within
    /// `JSONReader.Bounds.conditions`.
    let element: JSONValue

    /// The JSON text that ``element`` was read from; `nil` for an event of the collector in this process.
    private let text: ArraySlice<UInt8>?

    /// Maximum number of members of an element.
    private static let maxMembers = 64

    /// The event itself, as the app sent it.
    var event: JSONValue { element["event"] ?? JSONValue(.null) }

    var form: CapturedFormat { element["form"]?.string.flatMap { CapturedFormat(rawValue: $0) } ?? .clickstream }

    /// The name that the collector stores: of a clickstream event the later one of `event_type` and `event_name` with a text or
    /// a number.
    var name: String? {
        if form != .clickstream { return element["name"]?.plainText }
        let members = (event.members ?? []).filter { $0.name == FieldName.eventType || $0.name == FieldName.eventName }
        return members.compactMap { $0.value.string ?? $0.value.number?.text }.last { !$0.isEmpty }
    }

    /// The identifier of the event.
    var id: String? { event[form.id]?.plainText }

    /// Time of the event by the device's clock, or else the time of reception.
    var time: Timestamp? {
        let time = form.time
        if case .date = time, let date = event[time.name]?.string { return Timestamp(query: date) ?? receivedAt }
        return event[time.name]?.integer.map { Timestamp(milliseconds: $0) } ?? receivedAt
    }

    var receivedAt: Timestamp? { element["received_at"]?.integer.map { Timestamp(milliseconds: $0) } }
    var userID: String? { event[FieldName.user]?["_user_id"]?["value"]?.plainText }
    var uniqueID: String? {
        if let path = form.user { return element[path: path]?.plainText }
        return event[FieldName.uniqueID]?.plainText ?? event[FieldName.userPseudoID]?.plainText
    }

    var session: String? {
        if let member = form.session { return event[member]?.plainText }
        return attributes.last { $0.name == AttributeName.sessionID }?.value.plainText
    }

    /// The event in a few words.
    var phrase: Phrase? { form.phrase(EventMembers(event)) }

    /// Attributes, or the main values of a captured event.
    var attributes: [JSONMember] { form.summary.values(of: event) }
    var isBad: Bool { element["status"]?.string == CollectedStatus.bad.rawValue }

    /// A finding of the collector.
    struct Violation: Sendable, Hashable {
        var code: String
        var isWarning: Bool
        var subject: String
        var name: String
        var message: String
    }

    var violations: [Violation] {
        (element["violations"]?.array ?? []).map { violation in
            Violation(
                code: violation["code"]?.plainText ?? "",
                isWarning: violation["severity"]?.string == "warning",
                subject: violation["subject"]?.string ?? "",
                name: violation["name"]?.string ?? "",
                message: violation["message"]?.string ?? ""
            )
        }
    }

    /// Number of findings that ``violations`` does not contain.
    var unlistedViolations: Int { max(0, element["unlisted_violations"]?.integer.flatMap { Int(exactly: $0) } ?? 0) }

    /// Bytes of the JSON text in memory.
    var textBytes: Int { text?.count ?? 0 }

    init(_ element: JSONValue) {
        self.element = element
        text = nil
    }

    /// Reads an element of a response of the collector. An event of short values would take thirty times its text if it were
    /// built in full.
    init(text: ArraySlice<UInt8>) throws(JSONError) {
        let depth = JSONReader.deepestNesting
        var members: [JSONMember] = []
        for (name, range) in try JSONReader.members(of: text, maxDepth: depth, maxCount: Self.maxMembers) {
            let parsed = try JSONReader.parse(text[range], maxDepth: depth, within: .conditions)
            members.append(JSONMember(name, parsed.value))
        }
        element = JSONValue(.object(members))
        self.text = text
    }

    /// The part of the event that a plan is compared with: smaller than ``event``, and the same as in the collector. Null for
    /// an event that is nested too deeply to be judged.
    var judgedEvent: JSONValue {
        guard let text else { return event }
        do throws(JSONError) {
            let depth = JSONReader.deepestNesting
            let members = try JSONReader.members(of: text, maxDepth: depth, maxCount: Self.maxMembers)
            guard let range = members.last(where: { $0.name == "event" })?.value else { return JSONValue(.null) }
            return try JSONReader.parse(text[range], within: .event).value
        } catch {
            return JSONValue(.null)
        }
    }

    /// The whole element as compact JSON, with its strings and numbers as they were received.
    var json: String {
        guard let text else { return element.description }
        var compact: [UInt8] = []
        compact.reserveCapacity(text.count)
        var isInString = false
        var isEscaped = false
        for byte in text {
            if isInString {
                isInString = isEscaped || byte != UInt8(ascii: "\"")
                isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
            } else if byte > 0x20 {
                isInString = byte == UInt8(ascii: "\"")
            } else {
                continue
            }
            compact.append(byte)
        }
        return String(decoding: compact, as: UTF8.self)
    }

    /// Identifies a stored event, also if the collector was reset or replaced meanwhile.
    struct Key: Sendable, Hashable {
        /// Number of the event in its store.
        var sequence: Int64
        var requestID: String?
    }

    var key: Key { Key(sequence: element["seq"]?.integer ?? 0, requestID: element["request_id"]?.string) }
}

extension JSONValue {
    /// Text of a string, number or Boolean; `nil` for other values.
    var plainText: String? { string ?? number?.text ?? boolean.map { "\($0)" } }
}
