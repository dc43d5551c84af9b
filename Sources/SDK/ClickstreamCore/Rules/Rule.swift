/// Row of the rules table: the check, its limit, and the effect of a violation.
package struct Rule: Sendable, Hashable {
    /// Kind of check; each is implemented once in the validator.
    package enum Check: String, Sendable, Hashable, CaseIterable {
        /// The name consists of ASCII letters, digits and underscores, is not empty and has no leading digit.
        case nameValidity = "name_validity"
        /// The name has at most ``Rule/limit`` characters.
        case nameLength = "name_length"
        /// A text value has at most ``Rule/limit`` characters.
        case valueLength = "value_length"
        /// There are at most ``Rule/limit`` elements.
        case count
        /// A number is neither infinite nor not-a-number.
        case finite
        /// A value has one part: it is neither a list nor a dictionary nor an object.
        case scalar
        /// There is an id in a form that the server reads.
        case requiredID = "required_id"
        /// There is a screen name in a form that the server reads.
        case screenName = "screen_name"
    }

    /// Unit of a limit.
    package enum Unit: String, Sendable, Hashable {
        /// Unicode scalars: a double-width character counts like a single-width one.
        case characters
        /// Attributes of an event or a user.
        case attributes
        /// Attributes of an item that are not preset.
        case customAttributes = "custom attributes"
        /// Items of an event.
        case items
    }

    /// Effect of a violation.
    package enum Effect: String, Sendable, Hashable {
        /// The event is replaced by a `_clickstream_error` event.
        case discardEvent = "discard_event"
        /// The attribute is removed from the event or the user.
        case discardAttribute = "discard_attribute"
        /// The whole item is removed; other items stay.
        case discardItem = "discard_item"
    }

    /// Place where the violation is reported to the server.
    package enum Record: String, Sendable, Hashable {
        /// In `_error_code` and `_error_message` of the event itself.
        case errorAttributes = "_error_code"
        /// In a `_clickstream_error` event with those two attributes.
        case errorEvent = "_clickstream_error"
    }

    /// The code of the rule, unique in the table.
    package let code: ErrorCode
    /// The kind of thing that the rule applies to.
    package let subject: Violation.Subject
    /// The kind of check.
    package let check: Check
    /// The hard limit: the maximum accepted number. `nil` if nothing is counted.
    package let limit: Int?
    /// The suggested limit: exceeding it causes only a warning.
    package let suggestion: Int?
    /// The unit of the limits; `nil` if nothing is counted.
    package let unit: Unit?
    /// The effect of a violation.
    package let effect: Effect
    /// The place where a violation is reported to the server.
    package let record: Record
    /// A short title, as in the manual's table of limits.
    package let title: String
    /// The explanation, in complete sentences.
    package let meaning: String
    /// An example of a violation.
    package let example: String
    /// The remedy.
    package let fix: String
}

extension Rule: CustomStringConvertible {
    /// The code and the title, such as `1002: Length of event name`.
    package var description: String { "\(code): \(title)" }
}
