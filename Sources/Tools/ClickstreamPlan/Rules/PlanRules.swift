/// Rules of one attribute, at most one of each type.
struct PlanRules: Sendable, Hashable {
    /// All rules in the order of documents. They are read from the last to the first, so that a rule can be compared with
    /// those after it.
    static let types: [any PlanRule.Type] = [
        EnumRule.self, PatternRule.self, MinimumRule.self, MaximumRule.self, MaxLengthRule.self,
    ]

    /// The rules in the order of ``types``.
    private(set) var all: [any PlanRule]

    init(_ rules: [any PlanRule] = []) {
        all = Self.types.compactMap { rule in rules.first { type(of: $0) == rule } }
    }

    subscript<Rule: PlanRule>(type: Rule.Type) -> Rule? {
        get { all.lazy.compactMap { $0 as? Rule }.first }
        set { self = PlanRules(all.filter { !($0 is Rule) } + [newValue].compactMap { $0 }) }
    }

    /// The phrases of the rules, for messages and documents.
    var phrases: [String] { all.compactMap { $0.phrase(among: self) } }

    /// The checks in the order in which a value is judged.
    /// - Parameter constraints: the type with all rules, cut to the length of a message.
    func checks(constraints: String = "") -> [PlanCheck] {
        let late = all.filter { type(of: $0).takesPatternSteps }
        return (all.filter { !type(of: $0).takesPatternSteps } + late).map { $0.check(constraints: constraints) }
    }

    static func == (one: PlanRules, other: PlanRules) -> Bool {
        one.all.map { AnyHashable($0) } == other.all.map { AnyHashable($0) }
    }

    func hash(into hasher: inout Hasher) {
        for rule in all { rule.hash(into: &hasher) }
    }
}
