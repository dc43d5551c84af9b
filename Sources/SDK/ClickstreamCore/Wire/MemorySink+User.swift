/// Field `user` of an event whose user is given with the event, such as the user of a server's visitor.
extension MemorySink {
    /// The maximum number of bytes of a user attribute's punctuation and number, besides its name and text.
    private static let attributeFrame = 96

    /// Returns the maximum number of bytes of user attributes in ``append(userID:attributes:at:)``.
    package static func maxLength(ofUserAttributes attributes: Attributes) -> Int {
        let elements = attributes.elements.span
        var length = 0
        for index in elements.indices {
            length += attributeFrame + JSONText.maxLength(of: elements[index].name)
            switch elements[index].value {
            case .string(let text): length += JSONText.maxLength(of: text)
            case .decimal(let number): length += number.text.utf8.count
            case .integer, .double, .boolean: break
            }
        }
        return length
    }

    /// Appends `,"user":{…}` without a first touch; nothing if there is neither a user id nor an attribute.
    /// - Parameters:
    ///   - attributes: attributes without violations. Those that the library sets are left out.
    ///   - time: the time at which the values were set.
    package mutating func append(userID: String?, attributes: Attributes, at time: Timestamp) {
        guard userID != nil || !attributes.isEmpty else { return }
        append(raw: FieldName.Encoded.user)
        append(UInt8(ascii: "{"))
        var isFirst = true
        if let userID { append(user: .string(userID), AttributeName.userID, at: time, isFirst: &isFirst) }
        let elements = attributes.elements.span
        for index in elements.indices where !Validator.isUncountedUserAttribute(elements[index].name) {
            append(user: elements[index].value, elements[index].name, at: time, isFirst: &isFirst)
        }
        append(UInt8(ascii: "}"))
    }

    private mutating func append(user value: AttributeValue, _ name: String, at time: Timestamp, isFirst: inout Bool) {
        JSONWriter.append(name: name, isFirst: isFirst, to: &self)
        isFirst = false
        append(raw: "{\"value\":")
        JSONWriter.append(value, to: &self)
        append(raw: ",\"set_timestamp\":")
        JSONWriter.append(time.milliseconds, to: &self)
        append(UInt8(ascii: "}"))
    }
}
