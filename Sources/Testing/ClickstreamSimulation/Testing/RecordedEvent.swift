public import ClickstreamCore

/// Event as recorded, or as received by a server, decoded from its JSON.
///
/// `event["value"]` is an attribute; two values are equal only if their types are too: `1` is not `1.0`.
public struct RecordedEvent: Sendable, Hashable {
    /// The `event_type` on the wire.
    public let name: String
    /// The `event_id` on the wire.
    public let id: String
    /// The `timestamp` on the wire.
    public let timestamp: Timestamp
    /// The attributes in written order, including the library's own, such as `_session_id`.
    public let attributes: Attributes
    /// The items in written order.
    public let items: [Attributes]
    /// The user attributes, without the times at which they were set.
    public let user: Attributes
    /// The event's JSON, as in the request's array.
    public let json: String
    /// The violations of the call that recorded it; empty for an event read from a request.
    public let violations: [Violation]

    /// Decodes one line; returns `nil` if it is not a JSON object with a name and a time.
    package init?(json line: [UInt8], violations: [Violation] = []) {
        // A line that is not JSON is not an event; the caller handles `nil`.
        guard let value = try? JSONReader.parse(line), let name = value[FieldName.eventType]?.string,
            let milliseconds = value[FieldName.timestamp]?.integer
        else { return nil }
        self.name = name
        id = value[FieldName.eventID]?.string ?? ""
        timestamp = Timestamp(milliseconds: milliseconds)
        attributes = Self.attributes(value[FieldName.attributes])
        items = (value[FieldName.items]?.array ?? []).map { Self.attributes($0) }
        user = Attributes(
            (value[FieldName.user]?.members ?? []).compactMap { member in
                member.value["value"].flatMap { AttributeValue(json: $0) }.map { (member.name, $0) }
            }
        )
        json = String(decoding: line, as: UTF8.self)
        self.violations = violations
    }

    private static func attributes(_ value: JSONValue?) -> Attributes {
        Attributes(
            (value?.members ?? []).compactMap { member in
                AttributeValue(json: member.value).map { (member.name, $0) }
            }
        )
    }

    /// The attribute of that name, or `nil`. O(n) in the number of attributes.
    public subscript(name: String) -> AttributeValue? { attributes[name] }

    /// The error code in the event, if it has one.
    public var error: ErrorCode? {
        guard case .integer(let code) = self[AttributeName.errorCode] else { return nil }
        return ErrorCode(rawValue: Int(code))
    }

    /// The session number, from 1.
    public var sessionNumber: Int? {
        guard case .integer(let number) = self[AttributeName.sessionNumber] else { return nil }
        return Int(number)
    }

    /// True if the library records events of this name automatically: `_first_open`, `_session_start`, ...
    package var isAutomatic: Bool { EventName.reserved.contains(name) }
}

extension RecordedEvent: CustomStringConvertible {
    /// The name and the attributes that are not in every event: `add_to_cart [value: 99.9]`.
    public var description: String {
        let common = [
            AttributeName.sessionID, AttributeName.sessionStart, AttributeName.sessionDuration,
            AttributeName.sessionNumber,
        ]
        let own = attributes.filter { !common.contains($0.name) }.map { "\($0.name): \($0.value.inWords)" }
        let items = items.map { item in
            "[" + item.map { "\($0.name): \($0.value.inWords)" }.joined(separator: ", ") + "]"
        }
        return name + (own.isEmpty ? "" : " [\(own.joined(separator: ", "))]")
            + (items.isEmpty ? "" : " items: \(items.joined(separator: ", "))")
    }
}

extension AttributeValue {
    /// The value in Swift notation, cut to a maximum length.
    fileprivate var inWords: String {
        switch self {
        case .string(let text): text.count > 80 ? "\"\(text.prefix(80))...\"" : "\"\(text)\""
        case .integer(let number): "\(number)"
        case .double(let number): "\(number)"
        case .boolean(let truth): "\(truth)"
        case .decimal(let number): number.text
        }
    }
}

extension AttributeValue? {
    /// Compares with a variable: `event["value"] == price`.
    @_disfavoredOverload
    public static func == (value: AttributeValue?, other: some AttributeValueConvertible) -> Bool {
        value == .some(other.attributeValue)
    }

    /// Compares with a variable: `event["value"] != price`.
    @_disfavoredOverload
    public static func != (value: AttributeValue?, other: some AttributeValueConvertible) -> Bool {
        !(value == other)
    }
}
