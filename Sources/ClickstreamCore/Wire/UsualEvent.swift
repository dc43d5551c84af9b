/// What the caller says in an event, as JSON that is made before the client's lock is taken: so that threads wait for one
/// another only for what is common to them.
///
/// Made only where the rules have nothing to say, not even a suggestion, which is nearly always; everything else goes the
/// way of ``Validator`` and ``EventWriter``, which gives the same bytes. The memory is lent: it ends with the call.
package struct UsualEvent {
    /// What a text takes that is neither its own bytes nor its value: `,"":`.
    private static let frame = 4
    /// Beside texts: the longest of numbers and truth values, with some to spare.
    private static let longestNumber = 32
    /// Memory on the stack that Swift gives without asking the system.
    private static let capacity = 1_024

    /// The event's name, without quotation marks.
    let name: UnsafeRawBufferPointer
    /// `,"name":value` for each attribute.
    let attributes: UnsafeRawBufferPointer

    /// What came of making one.
    enum Attempt {
        case made(UsualEvent)
        /// The memory is too small for it.
        case tooLong
        /// There may be something to say of it.
        case unusual
    }

    /// Calls `body` with what came of making it in a little memory on the stack.
    @inline(__always)
    static func attempt<Result>(
        _ name: String,
        _ attributes: Attributes,
        _ body: (Attempt) -> Result
    ) -> Result {
        // Few attributes are shorter than this: most lists that are too long are not even begun.
        guard attributes.count * 24 <= capacity else { return body(.tooLong) }
        return withUnsafeTemporaryAllocation(byteCount: capacity, alignment: 8) { memory in
            body(make(name, attributes, in: memory))
        }
    }

    /// Makes it in this memory, which has room for a name and more.
    @inline(never)
    static func make(_ name: String, _ attributes: Attributes, in memory: UnsafeMutableRawBufferPointer) -> Attempt {
        guard let start = memory.baseAddress, name.utf8.count <= usualName else { return .unusual }
        var sink = MemorySink(at: start)
        guard append(name, to: &sink) else { return .unusual }
        let middle = sink.end
        let rules = Rules.attributes
        let limit = start + (memory.count - frame - longestNumber)
        let (longestName, longestValue) = (rules.usualName, rules.usualValue)
        let isUsual = attributes.elements.withUnsafeBufferPointer { elements -> Bool? in
            // Looked at where they stand: taking one out copies it.
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
            UsualEvent(
                name: UnsafeRawBufferPointer(start: start, count: middle - start),
                attributes: UnsafeRawBufferPointer(start: middle, count: sink.end - middle)
            )
        )
    }

    /// The longest name of an event of which there is nothing to say.
    private static let usualName = min(
        Rules.eventNameTooLong.suggestion ?? .max,
        Rules.eventNameTooLong.limit ?? .max
    )

    /// - Parameter limit: where a name and a value may begin whose bytes end the memory but for a frame and a number.
    /// - Returns: whether it is usual; `nil` where there is no room to see.
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

    /// Appends a name that keeps the rules and has no reserved prefix.
    @inline(__always)
    private static func append(_ name: String, to sink: inout MemorySink) -> Bool {
        let isName = name.utf8.withContiguousStorageIfAvailable { bytes in
            guard let first = bytes.first, first != UInt8(ascii: "_"), Characters.isLetter(first) else { return false }
            return sink.append(UnsafeRawBufferPointer(bytes), while: Characters.areNameBytes)
        }
        return isName == true
    }
}
