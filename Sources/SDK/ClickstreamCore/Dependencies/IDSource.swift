/// Randomness dependency: the source of every identifier and every random delay.
///
/// Production uses the system's cryptographic generator; the simulation derives every id from a seed, so that a script
/// with the same seed produces the same bytes each time. Thread-safe.
package protocol IDSource: Sendable {
    /// Returns a new identifier: 128 bits, a random (version 4) UUID.
    func next() -> UniqueID

    /// Returns 64 random bits, for example for jitter.
    func random() -> UInt64
}
