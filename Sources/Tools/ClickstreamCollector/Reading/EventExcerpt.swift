/// Shortened JSON text of a large value: long strings are cut, members beyond the limit are omitted.
///
/// The result is well-formed JSON of about the requested number of bytes. Takes time linear in the result, not in the
/// value.
struct EventExcerpt {
    /// Maximum bytes of a string, including the quotation marks.
    static let stringBytes = 1_024
    /// Maximum bytes of a text without quotation marks.
    static let textBytes = stringBytes - 2

    private let text: ArraySlice<UInt8>
    private let maxBytes: Int
    private var position: Int
    private var result: [UInt8] = []
    /// Closing brackets of the open containers, the innermost last.
    private var open: [UInt8] = []

    /// - Parameter text: one well-formed JSON value.
    static func make(of text: ArraySlice<UInt8>, maxBytes: Int) -> [UInt8] {
        var excerpt = EventExcerpt(text, maxBytes)
        excerpt.copy()
        return excerpt.result
    }

    /// Beginning of a plain text of more than ``textBytes``, cut after a whole character, with an ellipsis: the same as in an
    /// excerpt of JSON without escapes.
    static func beginning(of utf8: some RandomAccessCollection<UInt8>) -> String {
        var end = utf8.index(utf8.startIndex, offsetBy: textBytes)
        while end > utf8.startIndex, utf8[end] & 0xC0 == 0x80 { end = utf8.index(before: end) }
        return String(decoding: utf8[..<end], as: UTF8.self) + "…"
    }

    private init(_ text: ArraySlice<UInt8>, _ maxBytes: Int) {
        self.text = text
        self.maxBytes = maxBytes
        position = text.startIndex
    }

    private mutating func copy() {
        while position < text.endIndex {
            let byte = text[position]
            switch byte {
            case 0x20, 0x09, 0x0A, 0x0D:
                position += 1
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                result.append(byte)
                open.append(byte == UInt8(ascii: "{") ? UInt8(ascii: "}") : UInt8(ascii: "]"))
                position += 1
                if result.count >= maxBytes { return close() }
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                result.append(byte)
                _ = open.popLast()
                position += 1
            case UInt8(ascii: ","):
                if result.count >= maxBytes { return close() }
                result.append(byte)
                position += 1
            case UInt8(ascii: ":"):
                result.append(byte)
                position += 1
            case UInt8(ascii: "\""):
                copyString()
            default:
                copyScalar()
            }
        }
        close()
    }

    private mutating func close() {
        result.append(contentsOf: open.reversed())
        open = []
    }

    /// Copies a number or a literal. A number that is too long becomes `null`, as a part of it would be another number.
    private mutating func copyScalar() {
        let end = text[position...].firstIndex { [0x20, 0x09, 0x0A, 0x0D, 0x2C, 0x3A, 0x5D, 0x7D].contains($0) }
        let scalar = text[position..<(end ?? text.endIndex)]
        if scalar.count > Self.stringBytes {
            result.append(contentsOf: "null".utf8)
        } else {
            result.append(contentsOf: scalar)
        }
        position = scalar.endIndex
    }

    /// Copies a string. A long one is cut after a whole character and ends in an ellipsis.
    private mutating func copyString() {
        let start = position
        position += 1
        /// End of the part to keep if the string is too long.
        var cut = position
        while position < text.endIndex, text[position] != UInt8(ascii: "\"") {
            if position - start < Self.stringBytes {
                if !isWithinPair { cut = position }
                position += length(at: position)
            } else {
                // Only the end of the string is searched: a character of several bytes contains no ASCII.
                position += text[position] == UInt8(ascii: "\\") ? 2 : 1
            }
        }
        position = min(position + 1, text.endIndex)
        if position - start <= Self.stringBytes {
            result.append(contentsOf: text[start..<position])
        } else {
            result.append(contentsOf: text[start..<cut])
            result.append(contentsOf: "…\"".utf8)
        }
    }

    /// Bytes of the character or escape at a position in a string.
    private func length(at position: Int) -> Int {
        switch text[position] {
        case UInt8(ascii: "\\"): position + 1 < text.endIndex && text[position + 1] == UInt8(ascii: "u") ? 6 : 2
        case 0xF0...: 4
        case 0xE0...: 3
        case 0xC0...: 2
        default: 1
        }
    }

    /// True if the escape at this position is the second half of a surrogate pair.
    private var isWithinPair: Bool {
        guard position + 3 < text.endIndex, text[position] == UInt8(ascii: "\\"),
            text[position + 1] == UInt8(ascii: "u"),
            text[position + 2] | 0x20 == UInt8(ascii: "d")
        else { return false }
        return text[position + 3] | 0x20 >= UInt8(ascii: "c")
    }
}
