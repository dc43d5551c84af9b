/// Base64 in the standard alphabet, padded, without line breaks (RFC 4648, section 4).
package enum Base64 {
    /// Returns the length of the text for `byteCount` bytes.
    package static func encodedCount(of byteCount: Int) -> Int {
        (byteCount + 2) / 3 * 4
    }

    package static func encode(_ bytes: [UInt8]) -> [UInt8] {
        bytes.withUnsafeBytes { encode($0) }
    }

    /// Encodes bytes as ASCII text. One allocation.
    package static func encode(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        let count = encodedCount(of: bytes.count)
        return [UInt8](unsafeUninitializedCapacity: count) { text, initializedCount in
            pairs.withUnsafeBufferPointer { encode(bytes, into: text, pairs: $0) }
            initializedCount = count
        }
    }

    private static func encode(
        _ bytes: UnsafeRawBufferPointer,
        into text: UnsafeMutableBufferPointer<UInt8>,
        pairs: UnsafeBufferPointer<UInt16>
    ) {
        let target = UnsafeMutableRawBufferPointer(text)
        var read = 0
        var written = 0
        while read &+ 3 <= bytes.count {
            let group = Int(bytes[read]) &<< 16 | Int(bytes[read &+ 1]) &<< 8 | Int(bytes[read &+ 2])
            target.storeBytes(of: pairs[group &>> 12], toByteOffset: written, as: UInt16.self)
            target.storeBytes(of: pairs[group & 0xFFF], toByteOffset: written &+ 2, as: UInt16.self)
            read &+= 3
            written &+= 4
        }
        let left = bytes.count - read
        guard left > 0 else { return }
        let group = Int(bytes[read]) << 16 | (left == 2 ? Int(bytes[read + 1]) << 8 : 0)
        target.storeBytes(of: pairs[group >> 12], toByteOffset: written, as: UInt16.self)
        target.storeBytes(of: pairs[group & 0xFFF], toByteOffset: written + 2, as: UInt16.self)
        text[written + 3] = padding
        if left == 1 { text[written + 2] = padding }
    }

    /// Rule for the padding at the end of a text.
    package enum Padding: Sendable, Equatable {
        case required
        /// Complete or absent, as accepted by `java.util.Base64`.
        case optional
    }

    package static func decode(_ text: [UInt8], padding rule: Padding = .required) -> [UInt8]? {
        text.withUnsafeBytes { decode($0, padding: rule) }
    }

    /// Decodes a text; returns `nil` if it contains a character outside the alphabet or wrong padding.
    ///
    /// The unused bits of the last character are ignored, as by the published server.
    package static func decode(_ text: UnsafeRawBufferPointer, padding rule: Padding = .required) -> [UInt8]? {
        guard let last = text.last else { return [] }
        let paddingCount = last != padding ? 0 : text.count < 2 || text[text.count - 2] != padding ? 1 : 2
        let characterCount = text.count - paddingCount
        let restCount = characterCount % 4
        guard restCount != 1 else { return nil }
        let isPadded = paddingCount == (restCount == 0 ? 0 : 4 - restCount)
        guard isPadded || rule == .optional && paddingCount == 0 else { return nil }
        let count = characterCount / 4 * 3 + max(0, restCount - 1)
        var isValid = true
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { target, initializedCount in
            values.withUnsafeBufferPointer { values in
                let characters = UnsafeRawBufferPointer(rebasing: text[..<characterCount])
                isValid = decode(characters, restCount: restCount, into: target, values: values)
            }
            initializedCount = isValid ? count : 0
        }
        return isValid ? bytes : nil
    }

    /// Decodes characters without padding; the last `restCount` of them, 0, 2 or 3, form an incomplete group.
    private static func decode(
        _ text: UnsafeRawBufferPointer,
        restCount: Int,
        into target: UnsafeMutableBufferPointer<UInt8>,
        values: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        /// Accumulates the high bit, which marks characters outside the alphabet.
        var flaws: UInt8 = 0
        var written = 0
        let wholeEnd = text.count - restCount
        for read in stride(from: 0, to: wholeEnd, by: 4) {
            let first = values[Int(text[read])]
            let second = values[Int(text[read &+ 1])]
            let third = values[Int(text[read &+ 2])]
            let fourth = values[Int(text[read &+ 3])]
            flaws |= first | second | third | fourth
            target[written] = first &<< 2 | second &>> 4
            target[written &+ 1] = second &<< 4 | third &>> 2
            target[written &+ 2] = third &<< 6 | fourth
            written &+= 3
        }
        if restCount > 0 {
            let first = values[Int(text[wholeEnd])]
            let second = values[Int(text[wholeEnd + 1])]
            let third = restCount == 3 ? values[Int(text[wholeEnd + 2])] : 0
            flaws |= first | second | third
            target[written] = first << 2 | second >> 4
            if restCount == 3 { target[written + 1] = second << 4 | third >> 2 }
        }
        return flaws & 0x80 == 0
    }

    private static let padding = UInt8(ascii: "=")
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// The two characters for each 12-bit value, in memory order.
    private static let pairs: [UInt16] = (0..<4_096).map { bits in
        UInt16(littleEndian: UInt16(alphabet[bits >> 6]) | UInt16(alphabet[bits & 0x3F]) << 8)
    }

    /// The 6-bit value of each character; 0x80 for characters outside the alphabet.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 0x80, count: 256)
        for (value, character) in alphabet.enumerated() { values[Int(character)] = UInt8(value) }
        return values
    }()
}
