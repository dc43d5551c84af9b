/// SipHash-2-4 (Aumasson and Bernstein, 2012): a keyed 64-bit hash of short inputs.
///
/// Without the key, inputs with equal or adjacent hashes cannot be constructed. A value type: absorb words, then
/// finish.
struct SipHash: Sendable {
    private var v0: UInt64
    private var v1: UInt64
    private var v2: UInt64
    private var v3: UInt64
    private var words = 0

    init(key: (UInt64, UInt64)) {
        v0 = key.0 ^ 0x736F_6D65_7073_6575
        v1 = key.1 ^ 0x646F_7261_6E64_6F6D
        v2 = key.0 ^ 0x6C79_6765_6E65_7261
        v3 = key.1 ^ 0x7465_6462_7974_6573
    }

    /// Absorbs eight bytes, the lowest first.
    mutating func absorb(_ word: UInt64) {
        v3 ^= word
        mix()
        mix()
        v0 ^= word
        words += 1
    }

    /// Absorbs the last bytes and returns the hash of everything absorbed.
    mutating func finish(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        let length = words * 8 + bytes.count
        var position = 0
        while position + 8 <= bytes.count {
            absorb(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)))
            position += 8
        }
        var last = UInt64(truncatingIfNeeded: length) << 56
        var shift: UInt64 = 0
        while position < bytes.count {
            last |= UInt64(bytes[position]) << shift
            shift += 8
            position += 1
        }
        absorb(last)
        v2 ^= 0xFF
        for _ in 0..<4 { mix() }
        return v0 ^ v1 ^ v2 ^ v3
    }

    @inline(__always)
    private mutating func mix() {
        func rotated(_ value: UInt64, _ count: UInt64) -> UInt64 { value &<< count | value &>> (64 &- count) }
        v0 &+= v1
        v1 = rotated(v1, 13) ^ v0
        v0 = rotated(v0, 32)
        v2 &+= v3
        v3 = rotated(v3, 16) ^ v2
        v0 &+= v3
        v3 = rotated(v3, 21) ^ v0
        v2 &+= v1
        v1 = rotated(v1, 17) ^ v2
        v2 = rotated(v2, 32)
    }
}
