extension User {
    /// Appends the wire's `user` object.
    /// - Parameter attributes: whether the attributes stand there, or the first touch and the user id alone.
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

    /// The two entries that are the library's own: an attribute of the same name gives way, also when nobody is logged in,
    /// so that a logout is one.
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
