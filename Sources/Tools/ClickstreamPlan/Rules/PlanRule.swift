import ClickstreamCore
import ClickstreamDocuments

/// Rule on the values of an attribute besides its type, such as `minimum`.
///
/// A rule is one file of this folder and one row of ``PlanRules/types``. Reader, judge, comparison, sampler and generators
/// apply all rules of that table.
protocol PlanRule: Sendable, Hashable {
    /// Key of the rule in a plan, and keyword in JSON Schema.
    static var key: String { get }
    /// Types of the attributes that the rule applies to.
    static var types: [PlannedAttribute.ValueType] { get }
    /// Code of a finding on a value that breaks the rule.
    static var code: PlanCode { get }
    /// True for a rule that visits states of a pattern. It is checked after the others.
    static var takesPatternSteps: Bool { get }

    /// Reads the rule.
    /// - Parameter attribute: the attribute with the rules that follow this one in ``PlanRules/types``.
    /// - Returns: `nil` if the node is not valid; the mistake is reported.
    static func read(_ node: DocumentNode, of attribute: AttributeNode, _ reader: inout PlanReader) -> Self?

    /// Changes of the rule of an attribute; `nil` is an attribute without the rule.
    static func changes(from old: Self?, to new: Self?) -> [RuleChange]

    /// The value of the keyword in JSON Schema.
    var schema: JSONValue { get }
    /// The value of the key in YAML; by default the one in JSON Schema.
    var yaml: String { get }

    /// The rule in messages and documents, such as `at least 0`; `nil` if the phrase of another rule includes it.
    func phrase(among rules: PlanRules) -> String?

    /// The check of values.
    /// - Parameter constraints: the type with all rules, cut to the length of a message.
    func check(constraints: String) -> PlanCheck

    /// Restricts random values to those that meet the rule.
    func restrict(_ values: inout RandomValues)
}

extension PlanRule {
    static var takesPatternSteps: Bool { false }

    var yaml: String { schema.description }
}

/// Attribute of a plan that is being read.
struct AttributeNode {
    /// The attribute as read so far.
    var planned: PlannedAttribute
    let owner: PlanOwner
    /// Values of the attribute's keys.
    let keys: [String: DocumentNode]
    /// The attribute in messages: `the attribute 'price'`.
    let noun: String
}

/// Change of one rule of an attribute.
struct RuleChange {
    var isBreaking: Bool
    var message: String

    init(_ isBreaking: Bool, _ message: String) {
        self.isBreaking = isBreaking
        self.message = message
    }

    /// Changes of a limit.
    static func ofLimit(
        _ old: JSONNumber?,
        _ new: JSONNumber?,
        isStricter: (_ old: JSONNumber, _ new: JSONNumber) -> Bool
    ) -> [RuleChange] {
        switch (old, new) {
        case (nil, nil): return []
        case (nil, let limit?): return [RuleChange(true, "limit \(limit.text) added")]
        case (let limit?, nil): return [RuleChange(false, "limit \(limit.text) removed")]
        case (let before?, let after?):
            guard isStricter(before, after) || isStricter(after, before) else { return [] }
            return [RuleChange(isStricter(before, after), "\(before.text) became \(after.text)")]
        }
    }
}

/// Check of values by one rule, compiled for a judge.
struct PlanCheck: Sendable {
    enum Outcome: Sendable {
        case met
        case broken
        /// The steps for patterns did not suffice to compare the value.
        case undecided
    }

    /// Code of a finding.
    let code: PlanCode
    /// Clause on a value in the plan itself that breaks the rule.
    let contradiction: String
    /// The outcome for a value of the attribute's type.
    /// - patternSteps: the number of states of patterns that may be visited; reduced by those that were.
    let outcome: @Sendable (_ value: JSONValue, _ patternSteps: inout Int) -> Outcome
    /// Clause after the path of a value that does not meet the rule.
    let requirement: @Sendable (_ value: JSONValue, _ outcome: Outcome) -> String
}

/// Set of values from which a sampler chooses, restricted by the rules of an attribute.
struct RandomValues {
    /// Values to choose from; `nil` for any of the type.
    var listed: [JSONValue]?
    var minimum: Double?
    var maximum: Double?
    var pattern: PlanPattern?
    var maxLength: Int?

    /// The limits of numbers; of the given width where only one is planned, from 0 where none is.
    func range(width: Double) -> ClosedRange<Double> {
        switch (minimum, maximum) {
        case (let minimum?, let maximum?): minimum...max(minimum, maximum)
        case (let minimum?, nil): minimum...minimum + width
        case (nil, let maximum?): maximum - width...maximum
        case (nil, nil): 0...width
        }
    }
}
