/// Fast-path event: name and attributes encoded before the client's lock is acquired, so that threads contend only for
/// the shared part.
///
/// Created only for events without any violation or warning, the usual case; all others are encoded by ``Validator``
/// and ``EventWriter`` with the same result. Its memory is valid only during the call.
package struct FastPathEvent {
    /// The number of bytes of a text attribute besides its name and value: `,"":`.
    private static let frame = 4
    /// The maximum length of a number or a Boolean, with some margin.
    private static let longestNumber = 32
    /// The scratch buffer's size, which Swift allocates on the stack without a system call.
    @inlinable static var capacity: Int { 1_024 }

    /// The event's name, without quotation marks.
    let name: UnsafeRawBufferPointer
    /// `,"name":value` for each attribute.
    let attributes: UnsafeRawBufferPointer

    /// Result of encoding.
    package enum Attempt {
        case made(FastPathEvent)
        /// The buffer is too small.
        case tooLong
        /// The event may have a violation or a warning.
        case unusual
    }

    /// Encodes the event in a scratch buffer on the stack and calls `body` with the result.
    @inlinable
    @inline(__always)
    package static func attempt<Result>(
        _ name: String,
        _ attributes: Attributes,
        _ body: (Attempt) -> Result
    ) -> Result {
        // An attribute is rarely shorter than this: most lists that are too long are rejected without encoding.
        guard attributes.elements.count * 24 <= capacity else { return body(.tooLong) }
        return withUnsafeTemporaryAllocation(byteCount: capacity, alignment: 8) { memory in
            body(make(name, attributes, in: memory))
        }
    }

    /// Encodes the event in this buffer, which has space for at least a name.
    @inline(never)
    package static func make(
        _ name: String,
        _ attributes: Attributes,
        in memory: UnsafeMutableRawBufferPointer
    ) -> Attempt {
        guard let start = memory.baseAddress, name.utf8.count <= usualName else { return .unusual }
        var sink = MemorySink(at: start)
        guard append(name, to: &sink) else { return .unusual }
        let middle = sink.end
        let rules = Rules.attributes
        let limit = start + (memory.count - frame - longestNumber)
        let (longestName, longestValue) = (rules.usualName, rules.usualValue)
        let isUsual = attributes.elements.withUnsafeBufferPointer { elements -> Bool? in
            // Accessed in place: extracting an element would copy it.
            guard var element = elements.baseAddress else { return true }
            for _ in 0..<elements.count {
                let isUsual = append(element, longestName, longestValue, below: limit, to: &sink)
                guard isUsual == true else { return isUsual }
                element += 1
            }
            return true
        }
        guard let isUsual else { return .tooLong }
        guard isUsual else { return .unusual }
        return .made(
            FastPathEvent(
                name: UnsafeRawBufferPointer(start: start, count: middle - start),
                attributes: UnsafeRawBufferPointer(start: middle, count: sink.end - middle)
            )
        )
    }

    /// The maximum length of an event name that causes no warning.
    private static let usualName = Rules.usualEventName

    /// - Parameter limit: the last position from which a name or a value, a frame and a number fit.
    /// - Returns: false if the attribute needs the full check; `nil` if the buffer is too small.
    @inline(__always)
    private static func append(
        _ element: UnsafePointer<Attributes.Element>,
        _ longestName: Int,
        _ longestValue: Int,
        below limit: UnsafeMutableRawPointer,
        to sink: inout MemorySink
    ) -> Bool? {
        let nameLength = element.pointee.name.utf8.count
        guard nameLength <= longestName else { return false }
        guard sink.end + nameLength <= limit else { return nil }
        sink.append(UInt8(ascii: ","))
        sink.append(UInt8(ascii: "\""))
        guard append(element.pointee.name, to: &sink) else { return false }
        sink.append(UInt8(ascii: "\""))
        sink.append(UInt8(ascii: ":"))
        switch element.pointee.value {
        case .string(let text):
            let length = text.utf8.count
            guard length <= longestValue else { return false }
            guard sink.end + length <= limit else { return nil }
            sink.append(UInt8(ascii: "\""))
            let isPlain = text.utf8.withContiguousStorageIfAvailable {
                sink.append(UnsafeRawBufferPointer($0)) { !JSONText.needsEscape(in: $0) }
            }
            guard isPlain == true else { return false }
            sink.append(UInt8(ascii: "\""))
        case .integer(let integer):
            JSONWriter.append(integer, to: &sink)
        case .double(let double):
            guard double.isFinite else { return false }
            JSONWriter.append(double, to: &sink)
        case .boolean(let truth):
            JSONWriter.append(truth, to: &sink)
        case .decimal(let number):
            guard number.isFinite else { return false }
            guard sink.end + number.text.utf8.count <= limit else { return nil }
            JSONWriter.append(plain: number.text, to: &sink)
        }
        return true
    }

    /// Appends a valid name without the reserved prefix; returns false for any other.
    @inline(__always)
    private static func append(_ name: String, to sink: inout MemorySink) -> Bool {
        let isName = name.utf8.withContiguousStorageIfAvailable { bytes in
            guard let first = bytes.first, first != UInt8(ascii: "_"), Characters.isLetter(first) else { return false }
            return sink.append(UnsafeRawBufferPointer(bytes), while: Characters.areNameBytes)
        }
        return isName == true
    }
}
