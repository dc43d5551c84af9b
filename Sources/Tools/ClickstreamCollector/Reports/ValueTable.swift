import ClickstreamCore

/// Distinct values, numbered from 1 in the order of their first occurrence. The number of null is 0.
///
/// Equality is that of ``JSONValue/writeExact(into:)``. Memory is bounded.
struct ValueTable: Sendable {
    /// Error for values that take more memory than the limit.
    struct Full: Error, Sendable, Hashable {
        var maxBytes: Int
    }

    /// Maximum bytes of all texts with their entries, about.
    static let maxBytes = 134_217_728
    /// Bytes of an entry without its text: its key and its slots.
    private static let entryBytes = 40

    private let maxBytes: Int
    /// JSON texts of the values.
    private var bytes: [UInt8] = []
    private var texts = DistinctTexts<TextRange>()

    init(maxBytes: Int = ValueTable.maxBytes) {
        self.maxBytes = maxBytes
    }

    /// Returns the number of a value, which is added if it is new.
    /// - Parameter text: what ``JSONValue/writeExact(into:)`` writes; empty for null.
    mutating func number(ofExact text: ArraySlice<UInt8>) throws(Full) -> UInt32 {
        if text.isEmpty { return 0 }
        let start = bytes.count
        bytes.append(contentsOf: text)
        if text.count > maxBytes { throw Full(maxBytes: maxBytes) }
        let range = TextRange(start..<bytes.count)
        let known = texts.keys.count
        let index = Int(bytes.withUnsafeBytes { texts.index(of: range, in: $0) })
        if index < known {
            bytes.removeLast(bytes.count - start)
        } else if bytes.count + texts.keys.count * Self.entryBytes > maxBytes {
            throw Full(maxBytes: maxBytes)
        }
        return UInt32(index) + 1
    }

    /// Returns the value with a number; a long one is cut as in an excerpt of an event. The beginning of a long number is a text.
    subscript(number: UInt32) -> JSONValue {
        if number == 0 { return JSONValue(.null) }
        let text = bytes[texts.keys[Int(number) - 1].range]
        let isLong = text.count > EventExcerpt.stringBytes
        // In an excerpt it would be null, as for events without a value.
        if isLong, let first = text.first, first == UInt8(ascii: "-") || first.isDigit {
            return JSONValue(.string(EventExcerpt.beginning(of: text)))
        }
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
