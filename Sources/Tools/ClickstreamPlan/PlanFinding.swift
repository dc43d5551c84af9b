package import ClickstreamCore

/// Kind of a finding. The codes of rules are in the files of the rules.
package struct PlanCode: Sendable, Hashable, CaseIterable, RawRepresentable {
    /// The code in reports.
    package let rawValue: String
    package let title: String
    package let meaning: String
    package let fix: String

    init(_ rawValue: String, title: String, meaning: String, fix: String) {
        self.rawValue = rawValue
        self.title = title
        self.meaning = meaning
        self.fix = fix
    }

    package init?(rawValue: String) {
        guard let code = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = code
    }

    package static let allCases: [PlanCode] = {
        var codes = [PlanCode.unplannedEvent, .missingAttribute, .unplannedAttribute, .type]
        for rule in PlanRules.types where !codes.contains(rule.code) { codes.append(rule.code) }
        return codes + [.item, .user]
    }()

    /// Advice on a value that breaks its type or a rule.
    static let valueFix = "Correct the recorded value, or the attribute in the plan."

    package static let unplannedEvent = PlanCode(
        "plan_unplanned_event",
        title: "Event not in the plan",
        meaning:
            "The plan does not list the event. A warning with 'unplanned: warn', an error with 'unplanned: error'. Events "
            + "of the SDK, whose names begin with an underscore, are never unplanned.",
        fix: "Correct the event's name, or add the event to the plan."
    )
    package static let missingAttribute = PlanCode(
        "plan_missing_attribute",
        title: "Required attribute missing",
        meaning: "The plan requires the attribute ('required: true'), and the event does not have it.",
        fix: "Record the attribute with the event, or remove 'required' from the plan."
    )
    package static let unplannedAttribute = PlanCode(
        "plan_unplanned_attribute",
        title: "Attribute not in the plan",
        meaning:
            "The plan does not list the attribute, and the event has 'additional: false'. Names that begin with an "
            + "underscore belong to the SDK and are never unplanned.",
        fix: "Correct the attribute's name, or add the attribute to the plan."
    )
    package static let type = PlanCode(
        "plan_type",
        title: "Value of another type than planned",
        meaning: "The value has another type than 'type'. An integer satisfies number.",
        fix: valueFix
    )
    package static let item = PlanCode(
        "plan_item",
        title: "Item not as planned",
        meaning: "An item, or an attribute of an item, breaks the plan; the message has the cause.",
        fix: "Correct the item where it is recorded, or 'items' in the plan."
    )
    package static let user = PlanCode(
        "plan_user",
        title: "User attribute not as planned",
        meaning: "An attribute of the user breaks the plan; the message has the cause.",
        fix: "Correct the user attribute where it is set, or 'user' in the plan."
    )

    /// Explanation of a code for a terminal; `nil` for codes of other tables.
    package static func explain(_ code: String) -> String? {
        guard let code = PlanCode(rawValue: code) else { return nil }
        return """
            \(code.rawValue)  \(code.title)

            \(code.meaning)

            checked by  --plan of validate, assert, collect and replay
            what to do  \(code.fix)

            """
    }
}

/// Deviation of an event from a plan.
package struct PlanFinding: Sendable, Hashable {
    package var code: PlanCode
    /// A warning only for an unplanned event with `unplanned: warn`.
    package var severity: Violation.Severity
    package var subject: Violation.Subject
    /// Name of the event, attribute or item; cut and cleaned like a violation's.
    package var name: String
    /// Place in the event, such as `attributes.price`, `items[0].id` or `user.plan`.
    package var path: String
    /// One sentence that begins with the path and contains the plan's requirement, never the value; cut to `Rules.longestMessage`.
    package var message: String
}
