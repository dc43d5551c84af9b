#if Tools
import ClickstreamCollector
import ClickstreamCore

/// One event of a collector: an element of `/api/events`, with the values that output and conditions need.
struct ReceivedEvent: Sendable, Hashable {
    /// `{ "event", "status", "violations", "unlisted_violations", "request_id", "received_at" }`.
    let element: JSONValue

    /// The event itself, as the app sent it.
    var event: JSONValue { element["event"] ?? JSONValue(.null) }

    var name: String? { event[FieldName.eventType]?.plainText ?? event[FieldName.eventName]?.plainText }
    /// Time of the event by the device's clock, or else the time of reception.
    var time: Timestamp? { event[FieldName.timestamp]?.integer.map { Timestamp(milliseconds: $0) } ?? receivedAt }
    var receivedAt: Timestamp? { element["received_at"]?.integer.map { Timestamp(milliseconds: $0) } }
    var userID: String? { event[FieldName.user]?["_user_id"]?["value"]?.plainText }
    var uniqueID: String? { event[FieldName.uniqueID]?.plainText ?? event[FieldName.userPseudoID]?.plainText }
    var session: String? { attributes.last { $0.name == AttributeName.sessionID }?.value.plainText }
    var attributes: [JSONMember] { event[FieldName.attributes]?.members ?? [] }
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

    init(_ element: JSONValue) {
        self.element = element
    }

    /// Converts an event of the collector in this process.
    init(_ event: CollectedEvent) throws(CommandFailure) {
        do {
            element = try JSONReader.parse(event.element, maxDepth: JSONReader.deepestNesting)
        } catch {
            throw CommandFailure(.inputOutput, "cannot read an event that the collector stored: \(error)")
        }
    }
}

extension JSONValue {
    /// Text of a string, number or Boolean; `nil` for other values.
    var plainText: String? { string ?? number?.text ?? boolean.map { "\($0)" } }
}
#endif
