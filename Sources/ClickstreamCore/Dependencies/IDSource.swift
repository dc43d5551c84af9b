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
