import ClickstreamCore

/// Text of an identifier by which duplicates are recognized.
///
/// SQLite ends a text at NUL, and no text contains half of a surrogate pair: parsers replace both by U+FFFD, so that
/// identifiers that differ in them would be equal. Here they remain escapes, such as `\u0000` and `\ud800`.
enum EventIdentifier {
    private static let quotationMark = UInt8(ascii: "\"")
    private static let backslash = UInt8(ascii: "\\")
    private static let bounds = JSONReader.Bounds(objectDepth: 1, arrayDepth: 1, container: 1, values: 1)

    /// - Parameters:
    ///   - text: the identifier as a parser returned it.
    ///   - bytes: JSON text that contains the identifier.
    ///   - range: range of `bytes` that begins with the string of the identifier.
    static func exact(_ text: String, in bytes: [UInt8], _ range: Range<Int>) -> String {
        guard text.unicodeScalars.contains(where: { $0 == "\u{FFFD}" || $0 == "\0" }) else { return text }
        return bytes.withUnsafeBytes { decoded(UnsafeRawBufferPointer(rebasing: $0[range])) } ?? text
    }

    /// The content of a string, with a second backslash before the escapes that remain.
    private static func decoded(_ json: UnsafeRawBufferPointer) -> String? {
        guard json.first == quotationMark else { return nil }
        var literal = [quotationMark]
        var position = 1
        while position < json.count, json[position] != quotationMark {
            guard json[position] == backslash else {
                literal.append(json[position])
                position += 1
                continue
            }
            var length = 2
            if let unit = unit(in: json, at: position) {
                length = 6
                if unit & 0xFC00 == 0xD800, let next = self.unit(in: json, at: position + 6), next & 0xFC00 == 0xDC00 {
                    length = 12
                } else if unit == 0 || unit & 0xF800 == 0xD800 {
                    literal += Array("\\\\u\(String(zeroPadded: unit, width: 4, radix: 16))".utf8)
                    position += length
                    continue
                }
            }
            guard position + length <= json.count else { return nil }
            literal.append(contentsOf: json[position..<position + length])
            position += length
        }
        literal.append(quotationMark)
        // Cannot fail for the string of a parsed event.
        return try? literal.withUnsafeBytes { try JSONReader.parse($0, within: bounds) }.value.string
    }

    /// Code unit of an escape `\uXXXX`; `nil` for anything else.
    private static func unit(in json: UnsafeRawBufferPointer, at position: Int) -> UInt16? {
        guard position + 6 <= json.count, json[position] == backslash, json[position + 1] == UInt8(ascii: "u") else {
            return nil
        }
        var unit: UInt16 = 0
        for byte in json[position + 2..<position + 6] {
            guard let digit = byte.hexadecimalValue else { return nil }
            unit = unit << 4 | UInt16(digit)
        }
        return unit
    }
}
