extension JSONReader {
    mutating func string() throws(JSONError) -> String {
        let (content, hasEscapes) = try scanString()
        let text = UnsafeRawBufferPointer(rebasing: bytes[content])
        let string =
            hasEscapes
            ? String(unsafeUninitializedCapacity: text.count) { JSONReader.unescape(text, into: $0) }
            : String(decoding: text, as: UTF8.self)
        return bounds == .none ? string : JSONText.withoutLongMarks(string)
    }

    /// Scans a string, validating escapes and UTF-8. Returns the range between its quotation marks.
    mutating func scanString() throws(JSONError) -> (content: Range<Int>, hasEscapes: Bool) {
        let quotationMark = position
        var hasEscapes = false
        position += 1
        while true {
            position += JSONText.plainPrefix(of: bytes, from: position)
            guard position < bytes.count else {
                throw failure(.endOfText, "the string that begins at byte \(quotationMark) does not end", at: position)
            }
            switch bytes[position] {
            case UInt8(ascii: "\""):
                position += 1
                return (quotationMark + 1..<position - 1, hasEscapes)
            case UInt8(ascii: "\\"):
                hasEscapes = true
                try scanEscape()
            case 0x80...:
                guard let length = JSONText.scalarLength(in: bytes, at: position) else {
                    throw failure(.invalidUTF8, "the string is not well-formed UTF-8", at: position)
                }
                position += length
            default:
                throw failure(
                    .syntax,
                    "\(JSONText.name(of: bytes[position])) must be escaped in a string",
                    at: position
                )
            }
        }
    }

    private mutating func scanEscape() throws(JSONError) {
        let start = position
        position += 1
        switch current {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            position += 1
        case UInt8(ascii: "u"):
            position += 1
            let unit = try scanHexadecimal()
            guard loneSurrogates == .refused, unit & 0xF800 == 0xD800 else { return }
            guard unit & 0xFC00 == 0xD800, position + 6 <= bytes.count, bytes[position] == UInt8(ascii: "\\"),
                bytes[position + 1] == UInt8(ascii: "u")
            else { throw failure(.loneSurrogate, "an escape is half of a surrogate pair", at: start) }
            position += 2
            guard try scanHexadecimal() & 0xFC00 == 0xDC00 else {
                throw failure(.loneSurrogate, "an escape is half of a surrogate pair", at: start)
            }
        default:
            throw unexpected("an escape: one of \"\\/bfnrtu")
        }
    }

    private mutating func scanHexadecimal() throws(JSONError) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let digit = current.hexadecimalValue else { throw unexpected("a hexadecimal digit") }
            unit = unit << 4 | UInt16(digit)
            position += 1
        }
        return unit
    }

    /// Writes the content of a string with its escapes decoded, which never makes it longer. The escapes have been
    /// validated.
    static func unescape(_ text: UnsafeRawBufferPointer, into target: UnsafeMutableBufferPointer<UInt8>) -> Int {
        var read = 0
        var written = 0
        func unit(at index: Int) -> UInt32 {
            text[index..<index + 4].reduce(0) { $0 << 4 | UInt32($1.hexadecimalValue ?? 0) }
        }
        while read < text.count {
            guard text[read] == UInt8(ascii: "\\") else {
                target[written] = text[read]
                read += 1
                written += 1
                continue
            }
            guard text[read + 1] == UInt8(ascii: "u") else {
                target[written] = JSONText.unescaped(text[read + 1])
                read += 2
                written += 1
                continue
            }
            var scalar = unit(at: read + 2)
            read += 6
            if scalar & 0xFC00 == 0xD800, read + 6 <= text.count, text[read] == UInt8(ascii: "\\"),
                text[read + 1] == UInt8(ascii: "u"), unit(at: read + 2) & 0xFC00 == 0xDC00
            {
                scalar = 0x10000 + (scalar & 0x3FF) << 10 + unit(at: read + 2) & 0x3FF
                read += 6
            }
            for byte in UTF8.encode(Unicode.Scalar(scalar) ?? "\u{FFFD}") ?? UTF8.encodedReplacementCharacter {
                target[written] = byte
                written += 1
            }
        }
        return written
    }
}
