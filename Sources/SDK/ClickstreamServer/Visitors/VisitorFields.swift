import ClickstreamCore

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
        let capacity = capacity(for: visitor, userAttributes: includesAttributes)
        return withUnsafeTemporaryAllocation(byteCount: capacity, alignment: 8) { memory in
            // Not empty: `capacity` is greater than 0.
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

    /// Encodes the attributes of a session, `,"name":value` for each, and calls `body` with the result; without a session it is
    /// empty.
    @inline(__always)
    static func withAttributes(
        of session: Visitor.Session?,
        at time: Timestamp,
        _ body: (UnsafeRawBufferPointer) -> Void
    ) {
        guard let session else { return body(UnsafeRawBufferPointer(start: nil, count: 0)) }
        let capacity = sessionCapacity + 6 * session.id.utf8.count
        withUnsafeTemporaryAllocation(byteCount: capacity, alignment: 8) { memory in
            // Not empty: `capacity` is greater than 0.
            guard let start = memory.baseAddress else { preconditionFailure("Invalid state: no memory") }
            var sink = MemorySink(at: start)
            write(session, at: time, to: &sink)
            body(UnsafeRawBufferPointer(start: start, count: sink.end - start))
        }
    }

    // MARK: Size

    /// The maximum number of bytes of names, numbers and punctuation, without those of the user's attributes.
    private static let frame = 512
    /// The maximum number of bytes of the attributes of a session, without its id.
    private static let sessionCapacity = 192

    private static func capacity(for visitor: borrowing Visitor, userAttributes includesAttributes: Bool) -> Int {
        var capacity = frame + 2 * self.capacity(for: visitor.deviceID)
        capacity +=
            self.capacity(for: visitor.userID) + self.capacity(for: visitor.session?.id)
            + self.capacity(for: visitor.screen?.name)
        capacity += self.capacity(for: visitor.screen?.id) + self.capacity(for: visitor.screen?.uniqueID)
        capacity += self.capacity(for: visitor.locale) + self.capacity(for: visitor.platform)
        capacity += self.capacity(for: visitor.userAgent) + self.capacity(for: visitor.ip)
        if includesAttributes { capacity += MemorySink.maxLength(ofUserAttributes: visitor.userAttributes) }
        return capacity
    }

    @inline(__always)
    private static func capacity(for text: String?) -> Int {
        guard let text else { return 0 }
        return JSONText.maxLength(of: text)
    }

    // MARK: Encoding

    private static func write(
        _ visitor: borrowing Visitor,
        at time: Timestamp,
        userAttributes includesAttributes: Bool,
        to sink: inout MemorySink
    ) {
        write(Encoded.deviceID, visitor.deviceID, to: &sink)
        write(Encoded.locale, visitor.locale, to: &sink)
        write(Encoded.platform, visitor.platform, to: &sink)
        write(Encoded.uniqueID, visitor.deviceID, to: &sink)
        if includesAttributes {
            sink.append(userID: visitor.userID, attributes: visitor.userAttributes, at: time)
        } else if let userID = visitor.userID {
            sink.append(userID: userID, attributes: Attributes(), at: time)
        }
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
            count += VisitorWriter.sessionAttributeCount
        }
        count += write(Encoded.screenName, visitor.screen?.name, to: &sink)
        count += write(Encoded.screenID, visitor.screen?.id, to: &sink)
        count += write(Encoded.screenUniqueID, visitor.screen?.uniqueID, to: &sink)
        count += write(Encoded.userAgent, visitor.userAgent, to: &sink)
        count += write(Encoded.ip, visitor.ip, to: &sink)
        return count
    }

    private static func write(_ session: Visitor.Session, at time: Timestamp, to sink: inout MemorySink) {
        sink.append(raw: Encoded.sessionID)
        sink.append(json: session.id)
        sink.append(raw: Encoded.sessionStart)
        sink.append(json: session.start.milliseconds)
        sink.append(raw: Encoded.sessionNumber)
        sink.append(json: Int64(session.number))
        sink.append(raw: Encoded.sessionDuration)
        sink.append(json: session.duration(at: time))
    }

    /// - Returns: 1, or 0 for `nil`.
    @inline(__always)
    @discardableResult
    private static func write(_ name: StaticString, _ text: String?, to sink: inout MemorySink) -> Int {
        guard let text else { return 0 }
        sink.append(raw: name)
        sink.append(json: text)
        return 1
    }

    /// Names with the punctuation around them: an event costs no search for characters to escape in them.
    private enum Encoded {
        static var deviceID: StaticString { ",\"device_id\":" }
        static var locale: StaticString { ",\"locale\":" }
        static var platform: StaticString { ",\"platform\":" }
        static var uniqueID: StaticString { ",\"unique_id\":" }
        static var sessionID: StaticString { ",\"_session_id\":" }
        static var sessionStart: StaticString { ",\"_session_start_timestamp\":" }
        static var sessionNumber: StaticString { ",\"_session_number\":" }
        static var sessionDuration: StaticString { ",\"_session_duration\":" }
        static var screenName: StaticString { ",\"_screen_name\":" }
        static var screenID: StaticString { ",\"_screen_id\":" }
        static var screenUniqueID: StaticString { ",\"_screen_unique_id\":" }
        static var userAgent: StaticString { ",\"_user_agent\":" }
        static var ip: StaticString { ",\"_ip\":" }
    }
}

extension Visitor.Session {
    /// Returns the milliseconds since the start; never negative.
    func duration(at time: Timestamp) -> Int64 {
        max(0, time - start)
    }
}
