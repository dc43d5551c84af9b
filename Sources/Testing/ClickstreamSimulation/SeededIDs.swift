package import ClickstreamCore
import Synchronization

/// Deterministic identifiers and random numbers: the same seed yields the same sequence.
///
/// Two SplitMix64 sequences: one for identifiers, one for ``random()``, so that a retry that draws jitter, whose number
/// depends on the network, does not change later identifiers. Lock-free and thread-safe; the order between threads is
/// the order of their calls. Not cryptographically secure.
package final class SeededIDs: IDSource {
    private static let step: UInt64 = 0x9E37_79B9_7F4A_7C15

    private let identifiers: Atomic<UInt64>
    private let numbers: Atomic<UInt64>

    /// Creates a source at the start of the sequences of `seed`.
    package init(seed: UInt64) {
        identifiers = Atomic(seed)
        numbers = Atomic(Self.mix(seed ^ 0x6A69_7474_6572_2121))
    }

    /// Returns the seed of a further round with different identifiers. Round 0 uses the seed itself.
    package static func seed(_ seed: UInt64, round: UInt64) -> UInt64 {
        round == 0 ? seed : mix(mix(seed) &+ round)
    }

    /// Returns the seed of an app: two apps with the same seed have different identifiers.
    package static func seed(_ seed: UInt64, appID: String) -> UInt64 {
        mix(mix(seed) ^ Checksum.fnv1a(appID))
    }

    package func next() -> UniqueID {
        // Two draws in one atomic step, so that no other thread can interleave.
        let state = identifiers.wrappingAdd(2 &* Self.step, ordering: .relaxed).oldValue
        return UniqueID(
            randomBitsHigh: Self.mix(state &+ Self.step),
            low: Self.mix(state &+ 2 &* Self.step)
        )
    }

    package func random() -> UInt64 {
        Self.mix(numbers.wrappingAdd(Self.step, ordering: .relaxed).newValue)
    }

    /// The SplitMix64 output function (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014).
    private static func mix(_ state: UInt64) -> UInt64 {
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }
}
