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
        withUnsafeTemporaryAllocation(byteCount: 36, alignment: 1) { buffer in
            var position = 0
            for index in 0..<32 {
                if index == 8 || index == 12 || index == 16 || index == 20 {
                    buffer[position] = UInt8(ascii: "-")
                    position += 1
                }
                let word = index < 16 ? high : low
                let nibble = UInt8(truncatingIfNeeded: word >> (60 - UInt64(index & 15) * 4)) & 15
                buffer[position] = nibble < 10 ? 48 + nibble : 55 + nibble
                position += 1
            }
            return body(UnsafeRawBufferPointer(buffer))
        }
    }
}

extension UniqueID: CustomStringConvertible {
    /// The UUID's text: 36 characters, upper-case.
    public var description: String {
        withASCII { String(decoding: $0, as: UTF8.self) }
    }
}
