/// Length and name checks on text as the rules define them: Unicode scalars for lengths, ASCII bytes for names.
///
/// Nothing here allocates, except ``reported(_:longest:)``. A length check scans the text only if its byte count does not
/// decide: at most N bytes is at most N scalars, more than 4 N bytes is more than N scalars.
package enum Characters: Sendable {
    /// The maximum number of UTF-8 bytes of one scalar.
    private static let widestScalar = 4

    /// Returns true if `text` has more than `limit` Unicode scalars.
    @inline(__always)
    package static func areMore(in text: String, than limit: Int) -> Bool {
        let bytes = text.utf8.count
        return bytes > limit && (bytes / widestScalar > limit || count(text) > limit)
    }

    /// Returns the number of Unicode scalars. O(n) in the length of the text.
    package static func count(_ text: String) -> Int {
        // Every byte that is not a continuation byte starts a scalar; several times as fast as the view of scalars.
        let starts = text.utf8.withContiguousStorageIfAvailable { bytes in
            var starts = 0
            for byte in bytes where byte & 0b1100_0000 != 0b1000_0000 { starts += 1 }
            return starts
        }
        return starts ?? text.unicodeScalars.count
    }

    /// Returns true if two texts have the same scalars, as the server compares them: `==` treats "\u{E9}" and
    /// "e\u{301}" as equal.
    ///
    /// Compares bytes, in O(n): `==` normalizes both texts, in time quadratic in the length of a run of combining marks.
    package static func areSame(_ one: String, _ other: String) -> Bool {
        let isSame = other.utf8.withContiguousStorageIfAvailable { areSame(one, $0) }
        return isSame ?? one.utf8.elementsEqual(other.utf8)
    }

    /// Returns true if the UTF-8 of a text is `bytes`.
    package static func areSame(_ text: String, _ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard text.utf8.count == bytes.count else { return false }
        let isSame = text.utf8.withContiguousStorageIfAvailable { text in
            // Without an early end, so that the loop takes several bytes at a time.
            var difference: UInt8 = 0
            for index in text.indices { difference |= text[index] ^ bytes[index] }
            return difference == 0
        }
        return isSame ?? text.utf8.elementsEqual(bytes)
    }

    /// Returns true if both texts are absent, or both are present and have the same scalars.
    package static func areSame(_ one: String?, _ other: String?) -> Bool {
        guard let one, let other else { return one == nil && other == nil }
        return areSame(one, other)
    }

    /// Returns true if `text` is a valid name: ASCII letters, digits and underscores, not empty, no leading digit.
    @inline(__always)
    package static func areName(_ text: String) -> Bool {
        text.utf8.withContiguousStorageIfAvailable { areName($0) }
            ?? Array(text.utf8).withUnsafeBufferPointer { areName($0) }
    }

    /// Returns true if `text` is a valid name without the reserved prefix.
    @inline(__always)
    package static func areOwnName(_ text: String) -> Bool {
        text.utf8.withContiguousStorageIfAvailable { $0.first != UInt8(ascii: "_") && areName($0) }
            ?? (!areReserved(text) && areName(text))
    }

    /// Returns true if the bytes are a valid name.
    package static func areName(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.withMemoryRebound(to: UInt8.self) { areName($0) }
    }

    @inline(__always)
    private static func areName(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let first = bytes.first, isLetter(first) else { return false }
        let raw = UnsafeRawBufferPointer(bytes)
        let wordSize = MemoryLayout<UInt64>.size
        guard raw.count >= wordSize else { return areNameBytes(shortWord(raw)) }
        // Eight bytes at a time; the last word may overlap the one before.
        let last = raw.count &- wordSize
        var offset = 0
        while offset < last {
            guard areNameBytes(raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self)) else { return false }
            offset &+= wordSize
        }
        return areNameBytes(raw.loadUnaligned(fromByteOffset: last, as: UInt64.self))
    }

    /// Returns a word that contains the one to seven bytes of a short name, some of them repeated.
    @inline(__always)
    static func shortWord(_ raw: UnsafeRawBufferPointer) -> UInt64 {
        if raw.count >= 4 {
            let first = UInt64(raw.loadUnaligned(fromByteOffset: 0, as: UInt32.self))
            return first << 32 | UInt64(raw.loadUnaligned(fromByteOffset: raw.count &- 4, as: UInt32.self))
        }
        let each: UInt64 = 0x0101_0101_0101_0101
        // In one to three bytes, the first, the middle and the last byte cover all of them.
        let others = UInt64(raw[raw.count >> 1]) << 8 | UInt64(raw[raw.count &- 1])
        return (UInt64(raw[0]) &* each) << 16 | others
    }

    /// Returns true if each of the eight bytes is an ASCII letter, a digit or the underscore.
    ///
    /// Adding 0x80 - n to a byte below 0x80 sets its top bit exactly if the byte is at least n, and never carries.
    @inline(__always)
    static func areNameBytes(_ word: UInt64) -> Bool {
        let each: UInt64 = 0x0101_0101_0101_0101
        let top = each * 0x80
        if word & top != 0 { return false }
        let lower = word | each * 0x20
        let letters =
            (lower &+ each * UInt64(0x80 - UInt8(ascii: "a"))) & ~(lower &+ each * UInt64(0x7F - UInt8(ascii: "z")))
        let digits =
            (word &+ each * UInt64(0x80 - UInt8(ascii: "0"))) & ~(word &+ each * UInt64(0x7F - UInt8(ascii: "9")))
        let underscores = ~((word ^ each * UInt64(UInt8(ascii: "_"))) &+ each * 0x7F)
        return (letters | digits | underscores) & top == top
    }

    /// Returns true for an ASCII letter or the underscore.
    @inline(__always)
    static func isLetter(_ byte: UInt8) -> Bool {
        (byte | 0x20) &- UInt8(ascii: "a") < 26 || byte == UInt8(ascii: "_")
    }

    /// Returns true if `text` starts with the reserved prefix.
    @inline(__always)
    package static func areReserved(_ text: String) -> Bool {
        text.utf8.withContiguousStorageIfAvailable { $0.first == UInt8(ascii: "_") }
            ?? (text.utf8.first == UInt8(ascii: "_"))
    }
}
