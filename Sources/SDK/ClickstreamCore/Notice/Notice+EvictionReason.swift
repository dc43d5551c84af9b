extension Notice {
    /// Reason for which events were removed unsent. Raw values are stable.
    ///
    /// Further cases may be added: a `switch` outside this package needs `@unknown default`.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum EvictionReason: String, Sendable, Hashable, CaseIterable {
        /// The stored events exceeded ``ClickstreamClient/Configuration/maxStoreBytes``; the oldest were removed.
        case bytes
        /// The stored events exceeded ``ClickstreamClient/Configuration/maxStoreEvents``; the oldest were removed.
        case count
        /// The events were older than ``ClickstreamClient/Configuration/maxEventAge``.
        case age
        /// Consent was denied or withdrawn.
        case consent
        /// A person or the operator requested the removal: `eraseAll()`, or `clickstream-cli queue purge`.
        case purge
    }
}

extension Notice.EvictionReason: CustomStringConvertible {
    /// A few words for a person, which may change.
    public var description: String {
        switch self {
        case .bytes, .count, .age: "cap on \(rawValue)"
        // A client removes events on request of the person only, whose consent ends with the erasure.
        case .consent, .purge: "no consent"
        }
    }
}
