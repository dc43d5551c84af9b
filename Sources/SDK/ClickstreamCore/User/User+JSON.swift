extension User {
    /// Appends the `user` object of the wire format.
    /// - Parameter attributes: true to include the attributes, false for only the first touch and the user id.
    package func write(attributes includesAttributes: Bool, into buffer: inout [UInt8]) {
        buffer.append(UInt8(ascii: "{"))
        Self.write(AttributeName.userFirstTouch, .integer(firstTouch.milliseconds), set: firstTouch, into: &buffer)
        if let login {
            buffer.append(UInt8(ascii: ","))
            Self.write(AttributeName.userID, .string(login.id), set: login.set, into: &buffer)
        }
        if includesAttributes {
            for attribute in attributes where !Self.isPreset(attribute.name) {
                buffer.append(UInt8(ascii: ","))
                Self.write(attribute.name, attribute.value, set: attribute.set, into: &buffer)
            }
        }
        buffer.append(UInt8(ascii: "}"))
    }

    /// Returns true for the two entries that the library sets: an attribute of the same name is omitted, even without a
    /// login, so that a logout removes the user id.
    private static func isPreset(_ name: String) -> Bool {
        name == AttributeName.userFirstTouch || name == AttributeName.userID
    }

    private static func write(_ name: String, _ value: AttributeValue, set: Timestamp, into buffer: inout [UInt8]) {
        JSONWriter.append(name, to: &buffer)
        JSONWriter.append(raw: ":{\"value\":", to: &buffer)
        JSONWriter.append(value, to: &buffer)
        JSONWriter.append(raw: ",\"set_timestamp\":", to: &buffer)
        JSONWriter.append(set.milliseconds, to: &buffer)
        buffer.append(UInt8(ascii: "}"))
    }
}
