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
    private let most: Int
    private var place: Int
    private var result: [UInt8] = []
    /// Closing brackets of the open containers, the innermost last.
    private var open: [UInt8] = []

    /// - Parameter text: one well-formed JSON value.
    static func make(of text: ArraySlice<UInt8>, most: Int) -> [UInt8] {
        var excerpt = EventExcerpt(text, most)
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

    private init(_ text: ArraySlice<UInt8>, _ most: Int) {
        self.text = text
        self.most = most
        place = text.startIndex
    }

    private mutating func copy() {
        while place < text.endIndex {
            let byte = text[place]
            switch byte {
            case 0x20, 0x09, 0x0A, 0x0D:
                place += 1
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                result.append(byte)
                open.append(byte == UInt8(ascii: "{") ? UInt8(ascii: "}") : UInt8(ascii: "]"))
                place += 1
                if result.count >= most { return close() }
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                result.append(byte)
                _ = open.popLast()
                place += 1
            case UInt8(ascii: ","):
                if result.count >= most { return close() }
                result.append(byte)
                place += 1
            case UInt8(ascii: ":"):
                result.append(byte)
                place += 1
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
        let end = text[place...].firstIndex { [0x20, 0x09, 0x0A, 0x0D, 0x2C, 0x3A, 0x5D, 0x7D].contains($0) }
        let scalar = text[place..<(end ?? text.endIndex)]
        if scalar.count > Self.stringBytes {
            result.append(contentsOf: "null".utf8)
        } else {
            result.append(contentsOf: scalar)
        }
        place = scalar.endIndex
    }

    /// Copies a string. A long one is cut after a whole character and ends in an ellipsis.
    private mutating func copyString() {
        let start = place
        place += 1
        /// End of the part to keep if the string is too long.
        var cut = place
        while place < text.endIndex, text[place] != UInt8(ascii: "\"") {
            if place - start < Self.stringBytes {
                if !isWithinPair { cut = place }
                place += length(at: place)
            } else {
                // Only the end of the string is searched: a character of several bytes contains no ASCII.
                place += text[place] == UInt8(ascii: "\\") ? 2 : 1
            }
        }
        place = min(place + 1, text.endIndex)
        if place - start <= Self.stringBytes {
            result.append(contentsOf: text[start..<place])
        } else {
            result.append(contentsOf: text[start..<cut])
            result.append(contentsOf: "…\"".utf8)
        }
    }

    /// Bytes of the character or escape at a position in a string.
    private func length(at place: Int) -> Int {
        switch text[place] {
        case UInt8(ascii: "\\"): place + 1 < text.endIndex && text[place + 1] == UInt8(ascii: "u") ? 6 : 2
        case 0xF0...: 4
        case 0xE0...: 3
        case 0xC0...: 2
        default: 1
        }
    }

    /// True if the escape at this position is the second half of a surrogate pair.
    private var isWithinPair: Bool {
        guard place + 3 < text.endIndex, text[place] == UInt8(ascii: "\\"), text[place + 1] == UInt8(ascii: "u"),
            text[place + 2] | 0x20 == UInt8(ascii: "d")
        else { return false }
        return text[place + 3] | 0x20 >= UInt8(ascii: "c")
    }
}
