extension Duration {
    /// The duration in milliseconds, rounded towards zero.
    package var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflows) = seconds.multipliedReportingOverflow(by: 1_000)
        if overflows { return seconds < 0 ? .min : .max }
        let (sum, overflowsToo) = product.addingReportingOverflow(attoseconds / 1_000_000_000_000_000)
        return overflowsToo ? (seconds < 0 ? .min : .max) : sum
    }
}
