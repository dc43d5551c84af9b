package import ClickstreamCore

/// Kind of a finding; the raw value is the code in reports.
package enum PlanCode: String, Sendable, Hashable, CaseIterable {
    case unplannedEvent = "plan_unplanned_event"
    case missingAttribute = "plan_missing_attribute"
    case unplannedAttribute = "plan_unplanned_attribute"
    case type = "plan_type"
    case values = "plan_enum"
    case pattern = "plan_pattern"
    case range = "plan_range"
    case length = "plan_length"
    case item = "plan_item"
    case user = "plan_user"

    package var title: String {
        switch self {
        case .unplannedEvent: "Event not in the plan"
        case .missingAttribute: "Required attribute missing"
        case .unplannedAttribute: "Attribute not in the plan"
        case .type: "Value of another type than planned"
        case .values: "Value not among the planned ones"
        case .pattern: "Value does not match the planned pattern"
        case .range: "Number outside the planned range"
        case .length: "String longer than planned"
        case .item: "Item not as planned"
        case .user: "User attribute not as planned"
        }
    }

    package var meaning: String {
        switch self {
        case .unplannedEvent:
            "The plan does not list the event. A warning with 'unplanned: warn', an error with 'unplanned: error'. Events "
                + "of the SDK, whose names begin with an underscore, are never unplanned."
        case .missingAttribute: "The plan requires the attribute ('required: true'), and the event does not have it."
        case .unplannedAttribute:
            "The plan does not list the attribute, and the event has 'additional: false'. Names that begin with an "
                + "underscore belong to the SDK and are never unplanned."
        case .type: "The value has another type than 'type'. An integer satisfies number."
        case .values: "The value is not in 'enum'."
        case .pattern: "No part of the string matches 'pattern'."
        case .range: "The number is below 'minimum' or above 'maximum'."
        case .length: "The string has more Unicode scalars than 'maxLength'."
        case .item: "An item, or an attribute of an item, breaks the plan; the message has the cause."
        case .user: "An attribute of the user breaks the plan; the message has the cause."
        }
    }

    package var fix: String {
        switch self {
        case .unplannedEvent: "Correct the event's name, or add the event to the plan."
        case .missingAttribute: "Record the attribute with the event, or remove 'required' from the plan."
        case .unplannedAttribute: "Correct the attribute's name, or add the attribute to the plan."
        case .type, .values, .pattern, .range, .length: "Correct the recorded value, or the attribute in the plan."
        case .item: "Correct the item where it is recorded, or 'items' in the plan."
        case .user: "Correct the user attribute where it is set, or 'user' in the plan."
        }
    }

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

    /// For a value in the plan itself that contradicts its other constraints.
    var contradiction: String {
        switch self {
        case .pattern: "does not match 'pattern'"
        case .range: "is outside of 'minimum' and 'maximum'"
        case .length: "is longer than 'maxLength'"
        default: "contradicts the other constraints"
        }
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
