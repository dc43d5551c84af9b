/// Limit on the number of events that log messages cause: a bucket of tokens that refills steadily.
///
/// A full bucket admits a burst of one minute's events.
struct LogAllowance: Sendable, Equatable {
    private static let minute: Int64 = 60_000

    /// The number of events in a minute.
    let perMinute: Int64
    /// Tokens multiplied by the milliseconds of a minute, so that no fraction is lost.
    private var tokens: Int64
    private var refilled: Int64?
    /// The number of messages since the last event that were not admitted.
    private var suppressed = 0

    /// - Parameter perMinute: clamped to 0...1 000 000.
    init(perMinute: Int) {
        self.perMinute = Int64(min(max(0, perMinute), 1_000_000))
        tokens = self.perMinute * Self.minute
    }

    /// Takes a token.
    /// - Parameter now: the monotonic clock in milliseconds; a time before the last one refills nothing.
    /// - Returns: the number of messages that were suppressed before; `nil` if this one is suppressed too.
    mutating func take(at now: Int64) -> Int? {
        if let refilled {
            let elapsed = min(max(0, now - refilled), Self.minute)
            tokens = min(perMinute * Self.minute, tokens + elapsed * perMinute)
        }
        refilled = max(refilled ?? now, now)
        guard tokens >= Self.minute else {
            suppressed += 1
            return nil
        }
        tokens -= Self.minute
        defer { suppressed = 0 }
        return suppressed
    }
}
