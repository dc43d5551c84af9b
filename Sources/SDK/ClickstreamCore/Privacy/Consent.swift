/// Purpose for which a person gives or refuses consent.
///
/// Further cases may be added: a `switch` outside this package needs `@unknown default`.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum ConsentPurpose: String, Sendable, Hashable, CaseIterable {
    // Further cases follow at the end: the bindings number them in this order.

    /// Recording and sending events, in every format.
    case analytics
    /// The identity of the person: user id and user attributes in the events.
    case personalization
}

/// Decision of a person on a purpose.
public enum ConsentDecision: String, Sendable, Hashable, CaseIterable {
    /// The person consents.
    case granted
    /// The person refuses, or has withdrawn the consent.
    case denied
    /// The person has not decided yet; ``ClickstreamClient/Configuration/consent`` defines the behaviour.
    case undecided
}

/// Decisions on all purposes, as stored with the identity.
package struct Consent: Sendable, Equatable {
    private var decisions: [ConsentPurpose: ConsentDecision] = [:]
    /// Number of decisions so far: of two copies, the higher one is current.
    package private(set) var revision = 0
    /// Number of withdrawals and erasures so far: events from before the last one that wait for consent are dropped.
    package private(set) var withdrawals = 0

    package init() {}

    /// True if no decision was ever made.
    package var isUntouched: Bool { revision == 0 }

    package subscript(purpose: ConsentPurpose) -> ConsentDecision { decisions[purpose] ?? .undecided }

    /// Takes a decision on purposes.
    package mutating func decide(_ decision: ConsentDecision, for purposes: [ConsentPurpose]) {
        for purpose in purposes { decisions[purpose] = decision == .undecided ? nil : decision }
        revision += 1
    }

    /// The consent of a new identity: what was granted is undecided, what was denied stays denied.
    package mutating func reset() {
        decisions = decisions.filter { $0.value == .denied }
        revision += 1
    }

    /// Counts a withdrawal or an erasure.
    package mutating func countWithdrawal() {
        withdrawals += 1
    }

    // MARK: Copies

    /// True if another copy lacks a decision, a withdrawal or an erasure.
    package func isLater(than other: Consent) -> Bool {
        revision > other.revision || withdrawals > other.withdrawals
    }

    /// The later decisions of two copies.
    package func merged(with other: Consent) -> Consent {
        var merged = other.revision > revision ? other : self
        merged.withdrawals = max(withdrawals, other.withdrawals)
        return merged
    }

    // MARK: As JSON

    package var json: JSONValue {
        let members = decisions.orderedByText { $0.key.rawValue }.map { purpose, decision in
            JSONMember.text(purpose.rawValue, decision.rawValue)
        }
        let counts = withdrawals > 0 ? [JSONMember.number("withdrawals", withdrawals)] : []
        return JSONValue(.object([.number("revision", revision)] + counts + members))
    }

    /// Decodes the JSON; returns `nil` if it is not valid. Purposes and decisions of later versions count as undecided.
    package init?(_ value: JSONValue) {
        func count(_ name: String) -> Int? {
            value[name]?.integer.flatMap { (0...1 << 53).contains($0) ? Int($0) : nil }
        }
        guard let revision = count("revision") else { return nil }
        self.revision = revision
        // Not in a state that an earlier version of the library has saved.
        withdrawals = count("withdrawals") ?? 0
        for purpose in ConsentPurpose.allCases {
            decisions[purpose] = value[purpose.rawValue]?.string.flatMap(ConsentDecision.init(rawValue:))
        }
    }
}

/// Effect of the decisions on a client: the stored consent under the configured policy.
package struct ConsentGate: Sendable, Equatable {
    /// Treatment of events.
    package enum Treatment: Sendable, Equatable {
        case open
        /// Events wait in memory for the decision.
        case holding
        /// Events are dropped and counted.
        case closed
    }

    private let policy: ClickstreamClient.Configuration.ConsentPolicy
    package private(set) var consent: Consent
    package private(set) var analytics: Treatment
    /// Purposes with consent, or without a decision while none is required; in the order of the cases.
    package private(set) var allowed: [ConsentPurpose]

    package init(_ policy: ClickstreamClient.Configuration.ConsentPolicy, _ consent: Consent) {
        self.policy = policy
        self.consent = consent
        allowed = ConsentPurpose.allCases.filter {
            consent[$0] == .granted || consent[$0] == .undecided && policy == .notRequired
        }
        let isAwaited = consent[.analytics] == .undecided && policy == .hold
        analytics = allowed.contains(.analytics) ? .open : isAwaited ? .holding : .closed
    }

    /// True if a decision can matter: another process may have made one.
    package var isInUse: Bool { policy != .notRequired || !consent.isUntouched }

    /// The gate with other decisions.
    package func with(_ consent: Consent) -> ConsentGate { ConsentGate(policy, consent) }

    /// The gate with other decisions that have no effect yet.
    package func pending(_ consent: Consent) -> ConsentGate {
        var gate = self
        gate.consent = consent
        return gate
    }

    /// True if events recorded under this gate must not leave the device under `next`: a purpose is not allowed any more.
    package func withdraws(to next: ConsentGate) -> Bool {
        analytics != .closed && (next.analytics == .closed || !allowed.allSatisfy { next.allowed.contains($0) })
    }
}
