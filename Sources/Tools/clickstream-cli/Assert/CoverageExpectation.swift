import ClickstreamCore
import ClickstreamPlan

/// Expected share of the events of a plan: each counts as seen after one event of its name, with findings or without.
struct CoverageExpectation: Sendable, Hashable {
    let required: ShareOption
    /// Names of the planned events in the order of the plan.
    private let planned: [ExactText]
    private let names: Set<ExactText>
    private var seen: Set<ExactText> = []
    /// False if some events were not compared before the end of a stop.
    private var isComplete = true

    /// Maximum number of names in JSON.
    private static let maxNames = 100

    init(_ required: ShareOption, of plan: TrackingPlan) {
        self.required = required
        planned = plan.events.map { ExactText($0.name) }
        names = Set(planned)
    }

    /// Adds an event by its name.
    mutating func take(_ name: String?) {
        guard let name = name.map({ ExactText($0) }), names.contains(name) else { return }
        seen.insert(name)
    }

    /// Adds the comparison of all events.
    /// - Parameters:
    ///   - coverage: `nil` if nothing was compared.
    ///   - isComplete: false if some events were not compared.
    mutating func take(_ coverage: PlanCoverage?, isComplete: Bool) {
        if let coverage { seen.formUnion(planned.filter { coverage.events[$0] != nil }) }
        if !isComplete { self.isComplete = false }
    }

    /// Discards the events received so far.
    mutating func reset() {
        seen = []
        isComplete = true
    }

    var share: PlanCoverage.Share { PlanCoverage.Share(planned: planned.count, seen: seen.count) }

    /// True if an event has to be received.
    var wantsSomething: Bool { !planned.isEmpty && required.share > 0 }

    /// Further events change nothing of it.
    var holds: Bool { share.value >= required.share }

    /// True if the events that were not compared may contain the missing ones.
    var isUndecided: Bool { !holds && !isComplete }

    /// Names of the planned events that were not seen.
    var neverSeen: [String] { planned.filter { !seen.contains($0) }.map(\.text) }

    /// `plan coverage: 17 of 20 planned events seen (85 %), expected at least 90%`
    var text: String {
        isUndecided
            ? "plan coverage: not computed before the end of the stop, expected at least \(required.text)"
            : "plan coverage: \(share.text), expected at least \(required.text)"
    }

    /// The first names in ``neverSeen``, as in JSON.
    private var listedNames: [String] { Array(neverSeen.prefix(Self.maxNames)) }

    /// Members of a report in JSON, the same as ``encode(to:)`` encodes.
    var members: [JSONMember] {
        let outcome: [JSONMember] = [
            .boolean("ok", holds), .boolean("computed", !isUndecided),
            JSONMember("required", .number(JSONNumber(double: required.share))),
        ]
        return outcome + share.members + [JSONMember.list("never_seen", texts: listedNames)]
    }
}

extension CoverageExpectation: Encodable {
    private enum CodingKeys: String, CodingKey {
        case ok, computed, required, planned, seen, share
        case neverSeen = "never_seen"
    }

    func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(holds, forKey: .ok)
        try values.encode(!isUndecided, forKey: .computed)
        try values.encode(required.share, forKey: .required)
        try values.encode(share.planned, forKey: .planned)
        try values.encode(share.seen, forKey: .seen)
        try values.encode(share.value, forKey: .share)
        try values.encode(listedNames, forKey: .neverSeen)
    }
}
