/// Row of the rules table: the check, its limit, and the effect of a violation.
public struct Rule: Sendable, Hashable {
    /// Kind of check; each is implemented once in the validator.
    public enum Check: String, Sendable, Hashable, CaseIterable {
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
        /// There is an id in a form that the server reads.
        case requiredID = "required_id"
        /// There is a screen name in a form that the server reads.
        case screenName = "screen_name"
    }

    /// Unit of a limit.
    public enum Unit: String, Sendable, Hashable {
        /// Unicode scalars: a double-width character counts like a single-width one.
        case characters
        case attributes
        /// Attributes of an item that are not preset.
        case customAttributes = "custom attributes"
        case items
    }

    /// Effect of a violation.
    public enum Effect: String, Sendable, Hashable {
        /// The event is replaced by a `_clickstream_error` event.
        case discardEvent = "discard_event"
        /// The attribute is removed from the event or the user.
        case discardAttribute = "discard_attribute"
        /// The whole item is removed; other items stay.
        case discardItem = "discard_item"
    }

    /// Place where the violation is reported to the server.
    public enum Record: String, Sendable, Hashable {
        /// In `_error_code` and `_error_message` of the event itself.
        case errorAttributes = "_error_code"
        /// In a `_clickstream_error` event with those two attributes.
        case errorEvent = "_clickstream_error"
    }

    /// The code of the rule, unique in the table.
    public let code: ErrorCode
    /// The kind of thing that the rule applies to.
    public let subject: Violation.Subject
    /// The kind of check.
    public let check: Check
    /// The hard limit: the maximum accepted number. `nil` if nothing is counted.
    public let limit: Int?
    /// The suggested limit: exceeding it causes only a warning.
    public let suggestion: Int?
    /// The unit of the limits; `nil` if nothing is counted.
    public let unit: Unit?
    /// The effect of a violation.
    public let effect: Effect
    /// The place where a violation is reported to the server.
    public let record: Record
    /// A short title, as in the manual's table of limits.
    public let title: String
    /// The explanation, in complete sentences.
    public let meaning: String
    /// An example of a violation.
    public let example: String
    /// The remedy.
    public let fix: String
}

extension Rule: CustomStringConvertible {
    /// The code and the title, such as `1002: Length of event name`.
    public var description: String { "\(code): \(title)" }
}

/// Table of codes and limits: executed by the validator, printed by the documentation and the command line.
///
/// The only definition of the limits of the wire format. Source: the manual's "Event and Attribute Limitation"; 3005,
/// 4006, 4007 and 5001 are additional. Every row is tested at its limit and one past it.
public enum Rules: Sendable {
    /// All rows, ordered by code.
    public static let all: [Rule] = [
        eventNameInvalid, eventNameTooLong,
        attributeNameTooLong, attributeNameInvalid, attributeValueTooLong, attributesTooMany, attributeValueNotFinite,
        userAttributesTooMany, userAttributeNameTooLong, userAttributeNameInvalid, userAttributeValueTooLong,
        userAttributeValueNotFinite,
        itemsTooMany, itemValueTooLong, itemAttributesTooMany, itemAttributeNameTooLong, itemAttributeNameInvalid,
        itemWithoutID, itemValueNotFinite,
        screenViewWithoutName,
    ]

    /// Returns the row of `code`, or `nil` for an unknown code.
    public static subscript(code: ErrorCode) -> Rule? {
        all.first { $0.code == code }
    }

    // MARK: - Events

    static let eventNameInvalid = Rule(
        code: .eventNameInvalid,
        subject: .event,
        check: .nameValidity,
        limit: nil,
        suggestion: nil,
        unit: nil,
        effect: .discardEvent,
        record: .errorEvent,
        title: "Event name invalid",
        meaning: "An event name consists of the letters A-Z and a-z, digits and underscores, and does not start with a "
            + "digit. A leading underscore is reserved: unknown reserved names are accepted with a warning.",
        example: #"recordEvent("2nd purchase")"#,
        fix: #"Rename the event, for example "second_purchase"; put what varies into an attribute."#
    )

    static let eventNameTooLong = Rule(
        code: .eventNameTooLong,
        subject: .event,
        check: .nameLength,
        limit: 50,
        suggestion: 25,
        unit: .characters,
        effect: .discardEvent,
        record: .errorEvent,
        title: "Length of event name",
        meaning: "The event name is too long. Characters are Unicode scalars, whatever their width.",
        example: #"recordEvent("the_customer_pressed_the_big_green_button_below_the_fold")"#,
        fix: "Shorten the name; put the details into attributes."
    )

    // MARK: - Event attributes and global attributes

    static let attributeNameTooLong = Rule(
        code: .attributeNameTooLong,
        subject: .attribute,
        check: .nameLength,
        limit: 50,
        suggestion: 25,
        unit: .characters,
        effect: .discardAttribute,
        record: .errorAttributes,
        title: "Length of event attribute name",
        meaning: "The name of an event attribute is too long. A global attribute is not set, and the mistake is "
            + "recorded in a _clickstream_error event.",
        example: #"["the_category_under_which_the_shop_shows_this_product": "shoes"]"#,
        fix: "Shorten the name."
    )

    static let attributeNameInvalid = Rule(
        code: .attributeNameInvalid,
        subject: .attribute,
        check: .nameValidity,
        limit: nil,
        suggestion: nil,
        unit: nil,
        effect: .discardAttribute,
        record: .errorAttributes,
        title: "Attribute name invalid",
        meaning: "The name of an event attribute consists of the letters A-Z and a-z, digits and underscores, and does "
            + "not start with a digit. A reserved name that the server reads as an integer, such as "
            + "_session_number, accepts nothing else. A global attribute is not set, and the mistake is recorded in a "
            + "_clickstream_error event.",
        example: #"["unit-price": 12.5]"#,
        fix: #"Rename the attribute, for example "unit_price"."#
    )

    static let attributeValueTooLong = Rule(
        code: .attributeValueTooLong,
        subject: .attribute,
        check: .valueLength,
        limit: 1_024,
        suggestion: 100,
        unit: .characters,
        effect: .discardAttribute,
        record: .errorAttributes,
        title: "Length of event attribute value",
        meaning: "The string in an event attribute is too long. A global attribute is not set, and the mistake is "
            + "recorded in a _clickstream_error event.",
        example: #"["description": <a string of 1025 characters>]"#,
        fix: "Send an id or a summary, or cut the text before it is recorded."
    )

    static let attributesTooMany = Rule(
        code: .attributesTooMany,
        subject: .attribute,
        check: .count,
        limit: 500,
        suggestion: 50,
        unit: .attributes,
        effect: .discardAttribute,
        record: .errorAttributes,
        title: "Event attributes per event",
        meaning: "The event has too many attributes. What the SDK puts there counts and always fits; then come the "
            + "event's own in written order, then the global attributes. The rest is discarded.",
        example: "recordEvent with 501 attributes",
        fix: "Record fewer attributes, or several events; describe products as items."
    )

    static let attributeValueNotFinite = Rule(
        code: .attributeValueNotFinite,
        subject: .attribute,
        check: .finite,
        limit: nil,
        suggestion: nil,
        unit: nil,
        effect: .discardAttribute,
        record: .errorAttributes,
        title: "Event attribute value is infinite",
        meaning: "A number that is infinite or not a number cannot be sent as JSON. A global attribute is not set, and "
            + "the mistake is recorded in a _clickstream_error event.",
        example: #"["ratio": 1.0 / 0.0]"#,
        fix: "Check the calculation, above all divisions by zero; leave the attribute out when there is no value."
    )

    // MARK: - User attributes and the user id

    static let userAttributesTooMany = Rule(
        code: .userAttributesTooMany,
        subject: .userAttribute,
        check: .count,
        limit: 100,
        suggestion: 25,
        unit: .attributes,
        effect: .discardAttribute,
        record: .errorEvent,
        title: "User attribute number",
        meaning: "The user has too many attributes. A new value for a known name never counts as new, and the user id "
            + "and the time of the first touch are not counted.",
        example: "addUserAttributes with a 101st name",
        fix: "Keep what describes the user; put what happens into events."
    )

    static let userAttributeNameTooLong = Rule(
        code: .userAttributeNameTooLong,
        subject: .userAttribute,
        check: .nameLength,
        limit: 50,
        suggestion: 25,
        unit: .characters,
        effect: .discardAttribute,
        record: .errorEvent,
        title: "Length of user attribute name",
        meaning: "The name of a user attribute is too long.",
        example: #"["the_newsletter_which_the_user_reads_on_sunday_mornings": "sports"]"#,
        fix: "Shorten the name."
    )

    static let userAttributeNameInvalid = Rule(
        code: .userAttributeNameInvalid,
        subject: .userAttribute,
        check: .nameValidity,
        limit: nil,
        suggestion: nil,
        unit: nil,
        effect: .discardAttribute,
        record: .errorEvent,
        title: "User attribute name invalid",
        meaning: "The name of a user attribute consists of the letters A-Z and a-z, digits and underscores, and does "
            + "not start with a digit. An empty user id has this code too: the login is not made. So has a _user_age "
            + "that is not an integer, for which the server would drop every event of the user.",
        example: #"["e-mail": "a@example.com"]"#,
        fix: #"Rename the attribute, for example "email". To log out, set the user id to nil."#
    )

    static let userAttributeValueTooLong = Rule(
        code: .userAttributeValueTooLong,
        subject: .userAttribute,
        check: .valueLength,
        limit: 256,
        suggestion: 50,
        unit: .characters,
        effect: .discardAttribute,
        record: .errorEvent,
        title: "Length of user attribute value",
        meaning: "The string in a user attribute, or a user id, is too long. With such a user id the login is "
            + "not made.",
        example: #"["biography": <a string of 257 characters>]"#,
        fix: "Shorten the string, or keep it on your own server and send an id."
    )

    static let userAttributeValueNotFinite = Rule(
        code: .userAttributeValueNotFinite,
        subject: .userAttribute,
        check: .finite,
        limit: nil,
        suggestion: nil,
        unit: nil,
        effect: .discardAttribute,
        record: .errorEvent,
        title: "User attribute value is infinite",
        meaning: "A number that is infinite or not a number cannot be sent as JSON.",
        example: #"["average_order": 0.0 / 0.0]"#,
        fix: "Check the calculation, above all divisions by zero; leave the attribute out when there is no value."
    )

    // MARK: - Items

    package static let itemsTooMany = Rule(
        code: .itemsTooMany,
        subject: .item,
        check: .count,
        limit: 100,
        suggestion: 50,
        unit: .items,
        effect: .discardItem,
        record: .errorAttributes,
        title: "Item number in one event",
        meaning: "The event has too many items; those past the limit are discarded. An item that is discarded for "
            + "another reason does not count.",
        example: #"recordEvent("view_list", [:], <101 items>)"#,
        fix: "Record what the user saw, or several events."
    )

    static let itemValueTooLong = Rule(
        code: .itemValueTooLong,
        subject: .item,
        check: .valueLength,
        limit: 256,
        suggestion: 100,
        unit: .characters,
        effect: .discardItem,
        record: .errorAttributes,
        title: "Length of item attribute value",
        meaning: "The string in an item's attribute is too long; the whole item is discarded.",
        example: #"["id": "123", "description": <a string of 257 characters>]"#,
        fix: "Shorten the string, or leave it out: the id identifies the item."
    )

    static let itemAttributesTooMany = Rule(
        code: .itemAttributesTooMany,
        subject: .item,
        check: .count,
        limit: 10,
        suggestion: 10,
        unit: .customAttributes,
        effect: .discardItem,
        record: .errorAttributes,
        title: "Custom item attribute number in one item",
        meaning: "The item has too many attributes beside the preset ones (id, name, brand, currency, price, quantity, "
            + "creative_name, creative_slot, location_id, category, category2 to category5); it is discarded.",
        example: "an item with an id and 11 attributes of its own",
        fix: "Use the preset attributes where they fit, and leave out what the id already implies."
    )

    static let itemAttributeNameTooLong = Rule(
        code: .itemAttributeNameTooLong,
        subject: .item,
        check: .nameLength,
        limit: 50,
        suggestion: 25,
        unit: .characters,
        effect: .discardItem,
        record: .errorAttributes,
        title: "Length of item attribute name",
        meaning: "The name of an item's attribute is too long; the whole item is discarded.",
        example: #"["id": "123", "the_name_of_the_publisher_of_the_book_in_this_item_": "Nature"]"#,
        fix: "Shorten the name."
    )

    static let itemAttributeNameInvalid = Rule(
        code: .itemAttributeNameInvalid,
        subject: .item,
        check: .nameValidity,
        limit: nil,
        suggestion: nil,
        unit: nil,
        effect: .discardItem,
        record: .errorAttributes,
        title: "Item attribute name invalid",
        meaning: "The name of an item's attribute consists of letters A-Z and a-z, digits and underscores, and does "
            + "not start with a digit; the whole item is discarded.",
        example: #"["id": "123", "book publisher": "Nature"]"#,
        fix: #"Rename the attribute, for example "book_publisher"."#
    )

    static let itemWithoutID = Rule(
        code: .itemWithoutID,
        subject: .item,
        check: .requiredID,
        limit: nil,
        suggestion: nil,
        unit: nil,
        effect: .discardItem,
        record: .errorAttributes,
        title: "Item without id",
        meaning: "Every item needs an id, a non-empty string or a number: the server skips items without one.",
        example: #"["name": "Nature", "price": 99.9]"#,
        fix: #"Set "id" (ClickstreamAnalytics.Item.ITEM_ID)."#
    )

    static let itemValueNotFinite = Rule(
        code: .itemValueNotFinite,
        subject: .item,
        check: .finite,
        limit: nil,
        suggestion: nil,
        unit: nil,
        effect: .discardItem,
        record: .errorAttributes,
        title: "Item attribute value is infinite",
        meaning: "A number that is infinite or not a number cannot be sent as JSON; the whole item is discarded.",
        example: #"["id": "123", "price": 1.0 / 0.0]"#,
        fix: "Check the calculation; leave the attribute out when there is no value."
    )

    // MARK: - Screens

    static let screenViewWithoutName = Rule(
        code: .screenViewWithoutName,
        subject: .screen,
        check: .screenName,
        limit: nil,
        suggestion: nil,
        unit: nil,
        effect: .discardEvent,
        record: .errorEvent,
        title: "Screen view without a name",
        meaning: "A screen view that is recorded by hand needs _screen_name, a non-empty string that is not too "
            + "long for an attribute. The screen view is discarded; session and engagement continue.",
        example: #"recordEvent("_screen_view", [:])"#,
        fix: "Give the screen's name in _screen_name (ClickstreamAnalytics.Attr.SCREEN_NAME)."
    )

    // MARK: - Groups of rows

    package static let attributes = AttributeRules(
        noun: "event attribute",
        nameLength: attributeNameTooLong,
        nameValidity: attributeNameInvalid,
        valueLength: attributeValueTooLong,
        finite: attributeValueNotFinite,
        count: attributesTooMany,
        known: AttributeName.reserved,
        wholeNumbers: wholeNumbers
    )

    private static let wholeNumbers: [String: AttributeRules.WholeNumber] = [
        AttributeName.sessionNumber: .lenient, AttributeName.sessionDuration: .lenient,
        AttributeName.sessionStart: .lenient, AttributeName.previousTimestamp: .lenient,
        AttributeName.engagementTime: .lenient,
    ]

    /// The rows of event attributes, with a different noun in the messages.
    static let globalAttributes = AttributeRules(
        noun: "global attribute",
        nameLength: attributeNameTooLong,
        nameValidity: attributeNameInvalid,
        valueLength: attributeValueTooLong,
        finite: attributeValueNotFinite,
        count: attributesTooMany,
        known: AttributeName.reserved,
        wholeNumbers: wholeNumbers
    )

    package static let userAttributes = AttributeRules(
        noun: "user attribute",
        nameLength: userAttributeNameTooLong,
        nameValidity: userAttributeNameInvalid,
        valueLength: userAttributeValueTooLong,
        finite: userAttributeValueNotFinite,
        count: userAttributesTooMany,
        known: AttributeName.reserved,
        wholeNumbers: [AttributeName.userAge: .strict],
        hasUserID: true
    )

    /// The rows of item attributes; the count covers attributes that are not preset.
    static let itemAttributes = AttributeRules(
        noun: "item attribute",
        nameLength: itemAttributeNameTooLong,
        nameValidity: itemAttributeNameInvalid,
        valueLength: itemValueTooLong,
        finite: itemValueNotFinite,
        count: itemAttributesTooMany,
        known: []
    )

    // MARK: - Limits of the library's own output

    /// The maximum number of characters of a name in a message.
    package static let longestReportedName = 50

    /// The maximum number of characters of an error message.
    package static let longestMessage = 256

    /// The maximum number of violations of one event or call that are reported individually; the rest are reported as a
    /// count.
    package static let mostFindings = 100

    /// The maximum number of UTF-8 bytes of `_exception_stack`, the only text exempt from the limit of attribute
    /// values: the size of the server's column.
    package static let longestExceptionStack = 65_535
}

/// Rows for one kind of attribute, with their limits as integers, so that the check of an attribute reads nothing else.
///
/// A class, because copying a value with so many strings would cost more than the check.
package final class AttributeRules: Sendable {
    /// The noun used in messages.
    let noun: String
    let nameLength: Rule
    let nameValidity: Rule
    let valueLength: Rule
    let finite: Rule
    package let count: Rule
    /// The reserved names that are allowed without a warning.
    package let known: Set<String>
    /// The reserved names whose values the server reads as integers.
    package let wholeNumbers: [String: WholeNumber]
    /// The length in bytes of the shortest of these names: shorter names need no lookup.
    let shortestWholeNumber: Int
    /// True if the user id is one of these attributes.
    let hasUserID: Bool

    /// Form in which the server reads an integer.
    package enum WholeNumber: Sendable {
        /// 64 bits; a text of digits is accepted too.
        case lenient
        /// 32 bits, and a JSON number.
        case strict

        func accepts(_ value: AttributeValue) -> Bool {
            switch (self, value) {
            case (.lenient, .integer): true
            case (.lenient, .string(let text)): Int64(text) != nil
            case (.strict, .integer(let number)): Int32(exactly: number) != nil
            default: false
            }
        }
    }

    package let longestName: Int
    package let longestValue: Int
    package let most: Int
    /// The suggested limits, below which an attribute causes no warning.
    let usualName: Int
    let usualValue: Int
    let usualCount: Int

    init(
        noun: String,
        nameLength: Rule,
        nameValidity: Rule,
        valueLength: Rule,
        finite: Rule,
        count: Rule,
        known: Set<String>,
        wholeNumbers: [String: WholeNumber] = [:],
        hasUserID: Bool = false
    ) {
        self.noun = noun
        self.nameLength = nameLength
        self.nameValidity = nameValidity
        self.valueLength = valueLength
        self.finite = finite
        self.count = count
        self.known = known
        self.wholeNumbers = wholeNumbers
        shortestWholeNumber = wholeNumbers.keys.lazy.map(\.utf8.count).min() ?? .max
        self.hasUserID = hasUserID
        longestName = nameLength.limit ?? .max
        longestValue = valueLength.limit ?? .max
        most = count.limit ?? .max
        usualName = min(nameLength.suggestion ?? .max, longestName)
        usualValue = min(valueLength.suggestion ?? .max, longestValue)
        usualCount = min(count.suggestion ?? .max, most)
    }
}
