/// Text with something of everything: ASCII, controls, what must be escaped, one to four bytes a scalar.
func randomText(_ random: inout SeededGenerator) -> String {
    let ranges: [ClosedRange<UInt32>] = [
        0x20...0x7E, 0x20...0x7E, 0...0x1F, 0x22...0x22, 0x5C...0x5C, 0x80...0x7FF, 0xE000...0xFFFF, 0x10000...0x10FFFF,
    ]
    var text = ""
    for _ in 0..<Int.random(in: 0...24, using: &random) {
        let range = ranges[Int.random(in: 0..<ranges.count, using: &random)]
        if let scalar = Unicode.Scalar(UInt32.random(in: range, using: &random)) { text.unicodeScalars.append(scalar) }
    }
    return text
}

/// Numbers that look random and are the same for the same seed (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = (seed &+ 1) &* 0xD6E8_FEB8_6659_FD93
        state ^= state >> 32
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
