/// Properties of bytes in JSON strings, shared by reader and writer.
package enum JSONText: Sendable {
    /// Returns the number of bytes from `start` that are ASCII and need no escape: no quotation mark, backslash or
    /// control.
    ///
    /// Processes eight bytes at a time: each mask has the high bit of a byte set where that byte is special. The lowest
    /// set bit is exact; a borrow may set others above it, which does not matter.
    @inlinable
    @inline(__always)
    package static func plainPrefix(of bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        var position = start
        while position &+ 8 <= bytes.count {
            let special = specials(in: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self))
            if special != 0 { return position &- start &+ special.trailingZeroBitCount >> 3 }
            position &+= 8
        }
        // The remaining bytes, usually all plain, in one step: overlapping the previous word, or with some bytes
        // repeated.
        let rest = bytes.count &- position
        if rest > 0, position > start {
            let special = specials(in: bytes.loadUnaligned(fromByteOffset: bytes.count &- 8, as: UInt64.self))
            return special == 0
                ? bytes.count &- start : bytes.count &- 8 &- start &+ special.trailingZeroBitCount >> 3
        }
        if rest >= 4 {
            let first = UInt64(bytes.loadUnaligned(fromByteOffset: position, as: UInt32.self))
            let last = UInt64(bytes.loadUnaligned(fromByteOffset: bytes.count &- 4, as: UInt32.self))
            if specials(in: first | last &<< 32) == 0 { return rest }
        }
        while position < bytes.count, isPlain(bytes[position]) { position &+= 1 }
        return position &- start
    }

    /// Returns the maximum number of bytes of a text without its quotation marks: an escaped byte has at most six.
    @inlinable
    @inline(__always)
    package static func maxLength(of text: String) -> Int {
        let isPlain = text.utf8.withContiguousStorageIfAvailable { bytes in
            plainPrefix(of: UnsafeRawBufferPointer(bytes), from: 0) == bytes.count
        }
        return isPlain == true ? text.utf8.count : 6 * text.utf8.count
    }

    /// Returns a mask with the top bit of each special byte set; bits above the first special byte may be set in error.
    @inlinable
    @inline(__always)
    static func specials(in bytes: UInt64) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let word = UInt64(littleEndian: bytes)
        return (marks(in: word) | ((word &- ones &* 0x20) & ~word) | word) & (ones &* 0x80)
    }

    /// Returns a mask with the top bit of each quotation mark and backslash set; bits above the first may be set in error.
    @inlinable
    @inline(__always)
    static func marks(in word: UInt64) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let quotationMark = word ^ (ones &* 0x22)
        let backslash = word ^ (ones &* 0x5C)
        return ((quotationMark &- ones) & ~quotationMark | (backslash &- ones) & ~backslash) & (ones &* 0x80)
    }

    /// Returns the number of bytes from `start` before a quotation mark or a backslash, or to the end.
    @inline(__always)
    static func prefixWithoutMarks(of bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        var position = start
        while position &+ 8 <= bytes.count {
            let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self))
            let found = marks(in: word)
            if found != 0 { return position &- start &+ found.trailingZeroBitCount >> 3 }
            position &+= 8
        }
        while position < bytes.count, bytes[position] != UInt8(ascii: "\""), bytes[position] != UInt8(ascii: "\\") {
            position &+= 1
        }
        return position &- start
    }

    /// Returns true if any of eight bytes must be escaped in a string: a quotation mark, a backslash or a control.
    @inline(__always)
    static func needsEscape(in word: UInt64) -> Bool {
        let ones: UInt64 = 0x0101_0101_0101_0101
        return (marks(in: word) | ((word &- ones &* 0x20) & ~word)) & (ones &* 0x80) != 0
    }

    @inlinable
    @inline(__always)
    package static func isPlain(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte < 0x80 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }

    /// Returns the length of the well-formed scalar at `index` (table 3-7 of the Unicode standard), or `nil`.
    static func scalarLength(in bytes: UnsafeRawBufferPointer, at index: Int) -> Int? {
        let length: Int
        let second: ClosedRange<UInt8>
        switch bytes[index] {
        case 0x00...0x7F: return 1
        case 0xC2...0xDF: (length, second) = (2, 0x80...0xBF)
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: (length, second) = (3, 0x80...0xBF)
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF1...0xF3: (length, second) = (4, 0x80...0xBF)
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        default: return nil
        }
        guard index + length <= bytes.count, second.contains(bytes[index + 1]) else { return nil }
        for offset in 2..<max(2, length) where bytes[index + offset] & 0xC0 != 0x80 { return nil }
        return length
    }

    /// Maximum bytes of a text that ``withoutLongMarks(_:)`` never cuts.
    package static let maxUncutBytes = 60

    /// Returns the text with the combining marks past thirty in a row replaced by as many question marks as they have
    /// bytes.
    ///
    /// Comparing and hashing strings sorts each such run, in time quadratic in its length. Thirty is the longest run of
    /// Unicode's stream-safe text format.
    static func withoutLongMarks(_ text: String) -> String {
        guard text.utf8.count > maxUncutBytes, !text.utf8.allSatisfy({ $0 < 0x80 }) else { return text }
        var row = 0
        var isLong = false
        for scalar in text.unicodeScalars {
            row = scalar.properties.canonicalCombiningClass == .notReordered ? 0 : row + 1
            if row > 30 {
                isLong = true
                break
            }
        }
        if !isLong { return text }
        row = 0
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            row = scalar.properties.canonicalCombiningClass == .notReordered ? 0 : row + 1
            if row > 30 {
                for _ in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter { bytes.append(UInt8(ascii: "?")) }
            } else {
                bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns the byte that a one-letter escape represents.
    static func unescaped(_ letter: UInt8) -> UInt8 {
        switch letter {
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "f"): 0x0C
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "t"): 0x09
        default: letter
        }
    }

    /// Returns a byte as shown in a message.
    static func name(of byte: UInt8) -> String {
        switch byte {
        case 0x21..<0x7F: "'\(Unicode.Scalar(byte))'"
        case 0x20: "a space"
        case 0x0A: "a line feed"
        case 0x0D: "a carriage return"
        case 0x09: "a tab"
        default: "the byte 0x\(String(zeroPadded: byte, width: 2, radix: 16, uppercase: true))"
        }
    }
}
