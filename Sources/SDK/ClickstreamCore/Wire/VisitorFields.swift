/// Fields of a visitor as JSON, encoded before the lock of a shard is acquired. The memory is valid only during the call.
struct VisitorFields {
    /// `,"device_id":…` to the end of `user`.
    let fields: UnsafeRawBufferPointer
    /// `,"name":value` for each attribute, except those of the session if the visitor has none.
    let attributes: UnsafeRawBufferPointer
    /// The number of attributes.
    let count: Int

    /// Encodes a visitor without violations, and calls `body` with the result.
    ///
    /// Up to 1 KiB is encoded on the stack, more in memory of the call.
    /// - Parameters:
    ///   - time: the time of the event, which is also the time of the user's attributes.
    ///   - includesAttributes: false to leave out the user's attributes.
    @inline(__always)
    static func of<Result>(
        _ visitor: borrowing Visitor,
        at time: Timestamp,
        userAttributes includesAttributes: Bool,
        _ body: (VisitorFields) -> Result
    ) -> Result {
        let room = room(for: visitor, userAttributes: includesAttributes)
        return withUnsafeTemporaryAllocation(byteCount: room, alignment: 8) { memory in
            // Not empty: `room` is greater than 0.
            guard let start = memory.baseAddress else { preconditionFailure("Invalid state: no memory") }
            var sink = MemorySink(at: start)
            write(visitor, at: time, userAttributes: includesAttributes, to: &sink)
            let middle = sink.end
            let count = write(attributesOf: visitor, at: time, to: &sink)
            return body(
                VisitorFields(
                    fields: UnsafeRawBufferPointer(start: start, count: middle - start),
                    attributes: UnsafeRawBufferPointer(start: middle, count: sink.end - middle),
                    count: count
                )
            )
        }
    }

    // MARK: Size

    /// The maximum number of bytes of names, numbers and punctuation, without those of the user's attributes.
    private static let frame = 512
    /// The maximum number of bytes of the name, number or punctuation of a user attribute, besides its name and text.
    private static let attributeFrame = 96

    private static func room(for visitor: borrowing Visitor, userAttributes includesAttributes: Bool) -> Int {
        var room = frame + 2 * self.room(for: visitor.deviceID)
        room +=
            self.room(for: visitor.userID) + self.room(for: visitor.session?.id) + self.room(for: visitor.screen?.name)
        room += self.room(for: visitor.screen?.id) + self.room(for: visitor.screen?.uniqueID)
        room += self.room(for: visitor.locale) + self.room(for: visitor.platform)
        room += self.room(for: visitor.userAgent) + self.room(for: visitor.ip)
        guard includesAttributes, !visitor.userAttributes.isEmpty else { return room }
        let elements = visitor.userAttributes.elements.span
        for place in elements.indices {
            room += attributeFrame + self.room(for: elements[place].name)
            switch elements[place].value {
            case .string(let text): room += self.room(for: text)
            case .decimal(let number): room += number.text.utf8.count
            case .integer, .double, .boolean: break
            }
        }
        return room
    }

    /// The maximum number of bytes of a text without its quotation marks: an escaped byte has at most six.
    @inline(__always)
    private static func room(for text: String?) -> Int {
        guard let text else { return 0 }
        let isPlain = text.utf8.withContiguousStorageIfAvailable { bytes in
            JSONText.plainPrefix(of: UnsafeRawBufferPointer(bytes), from: 0) == bytes.count
        }
        return isPlain == true ? text.utf8.count : 6 * text.utf8.count
    }

    // MARK: Encoding

    private static func write(
        _ visitor: borrowing Visitor,
        at time: Timestamp,
        userAttributes includesAttributes: Bool,
        to sink: inout MemorySink
    ) {
        write(FieldName.deviceID, visitor.deviceID, to: &sink)
        write(FieldName.locale, visitor.locale, to: &sink)
        write(FieldName.platform, visitor.platform, to: &sink)
        write(FieldName.uniqueID, visitor.deviceID, to: &sink)
        let hasAttributes = includesAttributes && !visitor.userAttributes.isEmpty
        guard visitor.userID != nil || hasAttributes else { return }
        JSONWriter.append(raw: FieldName.Encoded.user, to: &sink)
        sink.append(UInt8(ascii: "{"))
        var isFirst = true
        if let userID = visitor.userID {
            write(userValue: .string(userID), AttributeName.userID, at: time, isFirst: &isFirst, to: &sink)
        }
        if hasAttributes {
            let elements = visitor.userAttributes.elements.span
            for place in elements.indices where !Validator.isUncountedUserAttribute(elements[place].name) {
                write(
                    userValue: elements[place].value,
                    elements[place].name,
                    at: time,
                    isFirst: &isFirst,
                    to: &sink
                )
            }
        }
        sink.append(UInt8(ascii: "}"))
    }

    private static func write(
        userValue value: AttributeValue,
        _ name: String,
        at time: Timestamp,
        isFirst: inout Bool,
        to sink: inout MemorySink
    ) {
        JSONWriter.append(name: name, isFirst: isFirst, to: &sink)
        isFirst = false
        JSONWriter.append(raw: "{\"value\":", to: &sink)
        JSONWriter.append(value, to: &sink)
        JSONWriter.append(raw: ",\"set_timestamp\":", to: &sink)
        JSONWriter.append(time.milliseconds, to: &sink)
        sink.append(UInt8(ascii: "}"))
    }

    /// - Returns: the number of attributes.
    private static func write(
        attributesOf visitor: borrowing Visitor,
        at time: Timestamp,
        to sink: inout MemorySink
    ) -> Int {
        var count = 0
        if let session = visitor.session {
            write(session, at: time, to: &sink)
            count += VisitorWriter.sessionNames.count
        }
        count += write(AttributeName.screenName, visitor.screen?.name, to: &sink)
        count += write(AttributeName.screenID, visitor.screen?.id, to: &sink)
        count += write(AttributeName.screenUniqueID, visitor.screen?.uniqueID, to: &sink)
        count += write(AttributeName.userAgent, visitor.userAgent, to: &sink)
        count += write(AttributeName.ip, visitor.ip, to: &sink)
        return count
    }

    /// The maximum number of bytes of the attributes of a session, without its id.
    static let sessionRoom = 192

    /// Appends the attributes of a session, each behind a comma unless it is the first of the event.
    @inline(__always)
    static func write(
        _ session: Visitor.Session,
        at time: Timestamp,
        isFirst: Bool = false,
        to sink: inout MemorySink
    ) {
        JSONWriter.append(name: AttributeName.sessionID, isFirst: isFirst, to: &sink)
        JSONWriter.append(session.id, to: &sink)
        JSONWriter.append(name: AttributeName.sessionStart, to: &sink)
        JSONWriter.append(session.start.milliseconds, to: &sink)
        JSONWriter.append(name: AttributeName.sessionNumber, to: &sink)
        JSONWriter.append(Int64(session.number), to: &sink)
        JSONWriter.append(name: AttributeName.sessionDuration, to: &sink)
        JSONWriter.append(session.duration(at: time), to: &sink)
    }

    /// - Returns: 1, or 0 for `nil`.
    @inline(__always)
    @discardableResult
    private static func write(_ name: String, _ text: String?, to sink: inout MemorySink) -> Int {
        guard let text else { return 0 }
        JSONWriter.append(name: name, to: &sink)
        JSONWriter.append(text, to: &sink)
        return 1
    }
}

extension Visitor.Session {
    /// Returns the milliseconds since the start; never negative.
    func duration(at time: Timestamp) -> Int64 {
        max(0, time - start)
    }
}
