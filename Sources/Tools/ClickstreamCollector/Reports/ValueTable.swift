import ClickstreamCore

/// Distinct values, numbered from 1 in the order of their first occurrence. The number of null is 0.
///
/// Equality is that of ``JSONValue/writeExact(into:)``. Memory is bounded.
struct ValueTable: Sendable {
    /// Error for values that take more memory than the limit.
    struct Full: Error, Sendable, Hashable {
        var maxBytes: Int
    }

    /// Maximum bytes of all texts, about.
    static let maxBytes = 134_217_728

    private let maxBytes: Int
    /// JSON texts of the values.
    private var bytes: [UInt8] = []
    private var texts = DistinctTexts<TextRange>()

    init(maxBytes: Int = ValueTable.maxBytes) {
        self.maxBytes = maxBytes
    }

    /// Returns the number of a value, which is added if it is new.
    mutating func number(of value: JSONValue) throws(Full) -> UInt32 {
        if value.isNull { return 0 }
        let start = bytes.count
        value.writeExact(into: &bytes)
        let text = TextRange(start..<bytes.count)
        let known = texts.keys.count
        let index = Int(bytes.withUnsafeBytes { texts.index(of: text, in: $0) })
        if index < known {
            bytes.removeLast(bytes.count - start)
        } else if bytes.count > maxBytes {
            throw Full(maxBytes: maxBytes)
        }
        return UInt32(index) + 1
    }

    /// Returns the value with a number; a long one is cut as in an excerpt of an event.
    subscript(number: UInt32) -> JSONValue {
        if number == 0 { return JSONValue(.null) }
        let text = bytes[texts.keys[Int(number) - 1].range]
        let isLong = text.count > EventExcerpt.stringBytes
        do {
            return try JSONReader.parse(
                isLong ? EventExcerpt.make(of: text, maxBytes: EventExcerpt.stringBytes) : Array(text),
                maxDepth: JSONReader.deepestNesting
            )
        } catch {
            preconditionFailure("Invalid state: a value of the table is not JSON: \(error)")
        }
    }
}
