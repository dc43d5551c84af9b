/// Type of revenue that an app reports. The raw value is the name of the event.
public enum RevenueKind: String, Sendable, Hashable, CaseIterable {
    case purchase = "revenue_purchase"
    case refund = "revenue_refund"
    case subscription = "revenue_subscription"
}
