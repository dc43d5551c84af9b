/// CRC-32C (Castagnoli), as iSCSI and ext4 use it: finds every burst of up to 32 wrong bits.
package enum CRC32C {
    /// The checksum of all of `bytes`.
    package static func checksum(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        var remainder = ~UInt32(0)
        for byte in bytes {
            remainder = table[Int(UInt8(truncatingIfNeeded: remainder) ^ byte)] ^ (remainder >> 8)
        }
        return ~remainder
    }

    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 1 ? 0x82F6_3B78 ^ (value >> 1) : value >> 1 }
    }
}
