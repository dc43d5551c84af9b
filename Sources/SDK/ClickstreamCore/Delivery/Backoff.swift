/// Pauses after failed deliveries. A pure value: time and random bits come in.
///
/// Exponential with full jitter: after the n-th failure in a row a random time up to `base × 2^(n-1)`, at most `longest`.
/// With the defaults that is up to 1 s, 2 s, 4 s, … 5 min. The pause that a server asks for with `Retry-After` is the minimum.
package struct Backoff: Sendable, Equatable {
    /// Milliseconds.
    package var base: Int64 = 1_000
    /// Milliseconds.
    package var longest: Int64 = 300_000
    /// Failures in a row.
    package private(set) var failures = 0

    package init() {}

    /// A delivery failed. Returns the milliseconds before the next attempt.
    /// - Parameters:
    ///   - atLeast: pause that the server asked for, in milliseconds; at most a day counts.
    ///   - random: 64 random bits.
    package mutating func failed(atLeast: Int64 = 0, random: UInt64) -> Int64 {
        failures += 1
        let ceiling = min(longest, base << Int64(min(failures - 1, 30)))
        let jitter = Int64(random % UInt64(max(1, ceiling)))
        return max(min(atLeast, 86_400_000), jitter)
    }

    /// A delivery succeeded: the next failure counts as the first.
    package mutating func succeeded() {
        failures = 0
    }
}
