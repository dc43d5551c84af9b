import ClickstreamCore

/// Text of an identifier by which duplicates are recognized.
///
/// SQLite ends a text at NUL, and no text contains half of a surrogate pair: parsers replace both by U+FFFD, so that
/// identifiers that differ in them would be equal. Here they remain escapes, such as `\u0000` and `\ud800`. The backslashes
/// of such a text are doubled, and those of a text that contains the characters of such an escape.
enum EventIdentifier {
    private static let quotationMark = UInt8(ascii: "\"")
    private static let backslash = UInt8(ascii: "\\")
    private static let bounds = JSONReader.Bounds(objectDepth: 1, arrayDepth: 1, container: 1, values: 1)

    /// - Parameters:
    ///   - text: the identifier as a parser returned it.
    ///   - bytes: JSON text that contains the identifier.
    ///   - range: range of `bytes` that begins with the string of the identifier.
    static func exact(_ text: String, in bytes: [UInt8], _ range: Range<Int>) -> String {
        let hasEscapes = hasEscapes(text)
        guard hasEscapes || text.unicodeScalars.contains(where: { $0 == "\u{FFFD}" || $0 == "\0" }) else { return text }
        return bytes.withUnsafeBytes { bytes in
            decoded(UnsafeRawBufferPointer(rebasing: bytes[range]), hasEscapes: hasEscapes)
        } ?? text
    }

    /// The identifier as a parser returned it: the inverse of ``exact(_:in:_:)``.
    static func text(of exact: String) -> String {
        guard hasEscapes(exact) else { return exact }
        var text: [UInt8] = []
        var exact = exact
        exact.withUTF8 { bytes in
            let bytes = UnsafeRawBufferPointer(bytes)
            var position = 0
            while position < bytes.count {
                if let unit = escape(in: bytes, at: position) {
                    text += unit == 0 ? [0] : Array("\u{FFFD}".utf8)
                    position += 6
                } else {
                    text.append(bytes[position])
                    let isDoubled =
                        bytes[position] == backslash && position + 1 < bytes.count && bytes[position + 1] == backslash
                    position += isDoubled ? 2 : 1
                }
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// True if a text contains the characters of an escape that remains.
    private static func hasEscapes(_ text: String) -> Bool {
        guard text.utf8.contains(backslash) else { return false }
        var text = text
        return text.withUTF8 { bytes in
            bytes.indices.contains { escape(in: UnsafeRawBufferPointer(bytes), at: $0) != nil }
        }
    }

    /// The content of a string with the escapes that remain, which have a second backslash until it is parsed; `nil` if it
    /// is that of the parser.
    private static func decoded(_ json: UnsafeRawBufferPointer, hasEscapes: Bool) -> String? {
        guard json.first == quotationMark else { return nil }
        var hasEscapes = hasEscapes
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
                } else if remains(unit) {
                    literal += Array("\\\\u\(String(zeroPadded: unit, width: 4, radix: 16))".utf8)
                    position += length
                    hasEscapes = true
                    continue
                }
            }
            guard position + length <= json.count else { return nil }
            if isBackslash(json, at: position) { literal += [backslash, backslash] }
            literal.append(contentsOf: json[position..<position + length])
            position += length
        }
        literal.append(quotationMark)
        guard hasEscapes else { return nil }
        // Cannot fail for the string of a parsed event.
        return try? literal.withUnsafeBytes { try JSONReader.parse($0, within: bounds) }.value.string
    }

    /// True for NUL and half of a surrogate pair.
    private static func remains(_ unit: UInt16) -> Bool {
        unit == 0 || unit & 0xF800 == 0xD800
    }

    /// Code unit of an escape that remains; `nil` for anything else.
    private static func escape(in text: UnsafeRawBufferPointer, at position: Int) -> UInt16? {
        unit(in: text, at: position).flatMap { remains($0) ? $0 : nil }
    }

    /// True for an escape of a backslash, in either spelling.
    private static func isBackslash(_ json: UnsafeRawBufferPointer, at position: Int) -> Bool {
        json[position + 1] == backslash || unit(in: json, at: position) == UInt16(backslash)
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
