extension Screen {
    /// Returns the unique id of a screen without one: ten digits derived from the name (FNV-1a).
    package static func derivedUniqueID(of name: String) -> String {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in name.utf8 {
            hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
        }
        return String(1_000_000_000 + hash % 9_000_000_000)
    }
}
