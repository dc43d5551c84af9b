/// The door to randomness: where every identifier and every random delay comes from.
///
/// The real side draws from the system's cryptographic generator; the simulated side derives every id from a seed, so
/// that one script with one seed gives the same bytes each time. Callable from any thread.
public protocol IDSource: Sendable {
    /// Gives a new identifier: 128 bits, a random (version 4) UUID.
    func next() -> UniqueID

    /// Gives 64 random bits, for jitter and the like.
    func random() -> UInt64
}

/// A 128-bit identifier, written as an upper-case UUID like those of the published SDK.
public struct UniqueID: Sendable, Hashable {
    /// The first eight bytes, most significant first.
    public let high: UInt64
    /// The last eight bytes, most significant first.
    public let low: UInt64

    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// The same bits with version 4 and the RFC 9562 variant stamped in.
    public init(randomBitsHigh high: UInt64, low: UInt64) {
        self.high = (high & 0xFFFF_FFFF_FFFF_0FFF) | 0x0000_0000_0000_4000
        self.low = (low & 0x3FFF_FFFF_FFFF_FFFF) | 0x8000_0000_0000_0000
    }

    /// The 36 ASCII bytes of the UUID's text, handed to `body` without any allocation.
    @inlinable
    package func withASCII<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        withUnsafeTemporaryAllocation(byteCount: 36, alignment: 1) { text in
            let words = (
                Hexadecimal.upperCase(UInt32(truncatingIfNeeded: high >> 32)),
                Hexadecimal.upperCase(UInt32(truncatingIfNeeded: high)),
                Hexadecimal.upperCase(UInt32(truncatingIfNeeded: low >> 32)),
                Hexadecimal.upperCase(UInt32(truncatingIfNeeded: low))
            )
            text.storeBytes(of: words.0, toByteOffset: 0, as: UInt64.self)
            // Eight digits with a hyphen in front of each four: one moves on by a byte, four of them by two.
            for (place, digits) in [(8, words.1), (18, words.2)] {
                text[place] = UInt8(ascii: "-")
                text.storeBytes(of: digits, toByteOffset: place + 2, as: UInt64.self)
                text.storeBytes(of: UInt32(truncatingIfNeeded: digits), toByteOffset: place + 1, as: UInt32.self)
                text[place + 5] = UInt8(ascii: "-")
            }
            text.storeBytes(of: words.3, toByteOffset: 28, as: UInt64.self)
            return body(UnsafeRawBufferPointer(text))
        }
    }
}

extension UniqueID: CustomStringConvertible {
    /// The UUID's text: 36 characters, upper-case.
    public var description: String {
        withASCII { String(decoding: $0, as: UTF8.self) }
    }
}
