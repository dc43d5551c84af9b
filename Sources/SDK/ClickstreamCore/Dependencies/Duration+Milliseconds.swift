extension Duration {
    /// The duration in milliseconds, rounded towards zero; beyond the range of `Int64`, its nearest limit.
    package var wholeMilliseconds: Int64 {
        // `components` traps for the longest durations, whose seconds exceed `Int64`.
        if self >= .milliseconds(Int64.max) { return .max }
        if self <= .milliseconds(Int64.min) { return .min }
        let (seconds, attoseconds) = components
        return seconds * 1_000 + attoseconds / 1_000_000_000_000_000
    }
}
