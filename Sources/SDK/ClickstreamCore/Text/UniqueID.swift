/// 128-bit identifier with the text of an upper-case UUID, like those of the published SDK.
public struct UniqueID: Sendable, Hashable {
    /// The first eight bytes, most significant first.
    @usableFromInline
    package let high: UInt64
    /// The last eight bytes, most significant first.
    @usableFromInline
    package let low: UInt64

    /// Creates an identifier from its two halves, unchanged.
    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Creates an identifier from random bits, with version 4 and the RFC 9562 variant set.
    package init(randomBitsHigh high: UInt64, low: UInt64) {
        self.high = (high & 0xFFFF_FFFF_FFFF_0FFF) | 0x0000_0000_0000_4000
        self.low = (low & 0x3FFF_FFFF_FFFF_FFFF) | 0x8000_0000_0000_0000
    }

    /// Calls `body` with the 36 ASCII bytes of the UUID's text, without an allocation.
    @inlinable
    package func withASCII<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        withUnsafeTemporaryAllocation(byteCount: Self.textLength, alignment: 1) { text in
            if let start = text.baseAddress { write(to: start) }
            return body(UnsafeRawBufferPointer(text))
        }
    }

    /// The length of the text in ASCII bytes.
    @usableFromInline
    package static var textLength: Int { 36 }

    /// Writes the UUID's text to memory with space for ``textLength`` bytes.
    @inlinable
    package func write(to text: UnsafeMutableRawPointer) {
        let middle = Hexadecimal.upperCase(UInt32(truncatingIfNeeded: high))
        let last = Hexadecimal.upperCase(UInt32(truncatingIfNeeded: low >> 32))
        let hyphen = UInt8(ascii: "-")
        text.storeBytes(of: Hexadecimal.upperCase(UInt32(truncatingIfNeeded: high >> 32)), as: UInt64.self)
        // Eight digits with a hyphen before each four: the first four are shifted by one byte, the last four by two.
        text.storeBytes(of: hyphen, toByteOffset: 8, as: UInt8.self)
        text.storeBytes(of: middle, toByteOffset: 10, as: UInt64.self)
        text.storeBytes(of: UInt32(truncatingIfNeeded: middle), toByteOffset: 9, as: UInt32.self)
        text.storeBytes(of: hyphen, toByteOffset: 13, as: UInt8.self)
        text.storeBytes(of: hyphen, toByteOffset: 18, as: UInt8.self)
        text.storeBytes(of: last, toByteOffset: 20, as: UInt64.self)
        text.storeBytes(of: UInt32(truncatingIfNeeded: last), toByteOffset: 19, as: UInt32.self)
        text.storeBytes(of: hyphen, toByteOffset: 23, as: UInt8.self)
        text.storeBytes(of: Hexadecimal.upperCase(UInt32(truncatingIfNeeded: low)), toByteOffset: 28, as: UInt64.self)
    }
}

extension UniqueID: CustomStringConvertible {
    /// The UUID's text: 36 characters, upper-case.
    public var description: String {
        withASCII { String(decoding: $0, as: UTF8.self) }
    }
}
