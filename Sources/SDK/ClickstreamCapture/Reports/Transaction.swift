extension Capture {
    /// Purchase that an app reports.
    public struct Transaction: Sendable, Hashable {
        package let value: Double
        package let currency: Currency
        package let id: String?

        /// Returns `nil` for a value that is not finite: JSON cannot represent it, and the value is mandatory.
        public init?(value: Double, currency: Currency, id: String? = nil) {
            guard value.isFinite else { return nil }
            self.value = value
            self.currency = currency
            self.id = id
        }
    }
}
