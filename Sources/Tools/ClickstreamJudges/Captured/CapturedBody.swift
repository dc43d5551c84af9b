package import ClickstreamCore

/// JSON text of a request body with events, and the ranges of the events in it.
package struct CapturedBody: Sendable, Hashable {
    package var bytes: [UInt8]
    /// Range of each event. Each is well-formed JSON, not necessarily an object.
    package var ranges: [Range<Int>]
    /// JSON of a batch without its events; `nil` for other bodies.
    package var header: [UInt8]?

    /// Divides a body, as received, after removal of a `Content-Encoding`.
    package init(_ body: [UInt8], form: CapturedFormat) throws(ReceivedUpload.Flaw) {
        guard let first = body.firstIndex(where: { $0 > 0x20 }), let last = body.lastIndex(where: { $0 > 0x20 }) else {
            throw ReceivedUpload.Flaw(.empty, "the body is empty")
        }
        let text = first..<last + 1
        bytes = body
        switch form.body {
        case .encodedArray:
            let events = try ReceivedUpload.Events(body)
            (bytes, ranges) = (events.bytes, events.ranges)
        case .array:
            ranges = try Self.elements(of: body, in: text)
        case .batch(let batch):
            let payload = try Self.payload(of: body, in: text, named: batch.events)
            ranges = try Self.elements(of: body, in: payload.value)
            guard !ranges.isEmpty else {
                throw ReceivedUpload.Flaw(.noEvents, "the array \"\(batch.events)\" is empty")
            }
            header = Self.header(of: body, in: text, without: payload.member)
        }
    }

    /// True for a value that is a body, not an event.
    package static func isBody(_ value: JSONValue, _ form: CapturedFormat) -> Bool {
        form.batch.map { value[$0.events] != nil } ?? (value.array != nil)
    }

    private static func elements(of body: [UInt8], in text: Range<Int>) throws(ReceivedUpload.Flaw) -> [Range<Int>] {
        do throws(JSONError) {
            return try JSONReader.elements(of: body[text], maxCount: ReceivedUpload.maxElements)
        } catch {
            throw flaw(of: error, body, in: text)
        }
    }

    private static func payload(
        of body: [UInt8],
        in text: Range<Int>,
        named name: String
    ) throws(ReceivedUpload.Flaw) -> JSONReader.MemberRange {
        guard body[text.lowerBound] == UInt8(ascii: "{") else {
            throw flaw(of: JSONError(.notAnArray, offset: 0, reason: ""), body, in: text, isObjectExpected: true)
        }
        let members: [JSONReader.MemberRange]
        do throws(JSONError) {
            members = try body.withUnsafeBufferPointer { (buffer) throws(JSONError) in
                try JSONReader.members(
                    named: name,
                    of: UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: buffer[text])),
                    maxCount: 1
                )
            }
        } catch {
            if error.kind == .countExceeded {
                throw ReceivedUpload.Flaw(.noEvents, "the batch has more than one \"\(name)\"")
            }
            throw ReceivedUpload.Flaw(.json, "the body is not valid JSON: \(error)")
        }
        guard var payload = members.first else {
            throw ReceivedUpload.Flaw(.noEvents, "the batch has no array \"\(name)\"")
        }
        payload.member = payload.member.shifted(by: text.lowerBound)
        payload.value = payload.value.shifted(by: text.lowerBound)
        guard body[payload.value.lowerBound] == UInt8(ascii: "[") else {
            throw ReceivedUpload.Flaw(.noEvents, "\"\(name)\" is not an array")
        }
        return payload
    }

    /// The object without a member, and without the comma that separates it.
    private static func header(of body: [UInt8], in text: Range<Int>, without member: Range<Int>) -> [UInt8] {
        var (start, end) = (member.lowerBound, member.upperBound)
        let before = body[text.lowerBound..<start].lastIndex { $0 > 0x20 } ?? text.lowerBound
        if body[before] == UInt8(ascii: ",") {
            start = before
        } else if let after = body[end..<text.upperBound].firstIndex(where: { $0 > 0x20 }),
            body[after] == UInt8(ascii: ",")
        {
            end = after + 1
        }
        return Array(body[text.lowerBound..<start]) + Array(body[end..<text.upperBound])
    }

    private static func flaw(
        of error: JSONError,
        _ body: [UInt8],
        in text: Range<Int>,
        isObjectExpected: Bool = false
    ) -> ReceivedUpload.Flaw {
        switch error.kind {
        case .countExceeded:
            return ReceivedUpload.Flaw(.tooMany, "the array has \(error.reason)")
        case .notAnArray:
            if let syntax = JSONReader.syntaxError(in: body, text) {
                return ReceivedUpload.Flaw(.json, "the body is not valid JSON: \(syntax)")
            }
            return isObjectExpected
                ? ReceivedUpload.Flaw(.notAnObject, "the body is JSON, but not an object")
                : ReceivedUpload.Flaw(.notAnArray, "the body is JSON, but not an array")
        default:
            return ReceivedUpload.Flaw(.json, "the body is not valid JSON: \(error)")
        }
    }
}
