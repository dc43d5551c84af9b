/// Table of codes and limits: executed by the validator, printed by the documentation and the command line.
///
/// The only definition of the limits of the wire format. Source: the manual's "Event and Attribute Limitation"; see
/// ``ErrorCode`` for the additional codes. Every row is tested at its limit and one past it.
///
/// A row with one of the existing checks needs no other code: the checks are compiled from the rows by subject and check.
package enum Rules: Sendable {
    /// Limits of the length of an event's name. Constants, because the check of every event reads them: reading them
    /// through `CompiledRules` would cost a third of that check.
    static let longestEventName = 50
    static let usualEventName = 25

    /// All rows, ordered by code.
    package static let all: [Rule] = [
        // MARK: Events

        Rule(
            code: .eventNameInvalid,
            subject: .event,
            check: .nameValidity,
            limit: nil,
            suggestion: nil,
            unit: nil,
            effect: .discardEvent,
            record: .errorEvent,
            title: "Event name invalid",
            meaning: """
                An event name consists of the letters A-Z and a-z, digits and underscores, and does not start with \
                a digit. A leading underscore is reserved: unknown reserved names are accepted with a warning.
                """,
            example: #"recordEvent("2nd purchase")"#,
            fix: #"Rename the event, for example "second_purchase"; put what varies into an attribute."#
        ),

        Rule(
            code: .eventNameTooLong,
            subject: .event,
            check: .nameLength,
            limit: longestEventName,
            suggestion: usualEventName,
            unit: .characters,
            effect: .discardEvent,
            record: .errorEvent,
            title: "Length of event name",
            meaning: "The event name is too long. Characters are Unicode scalars, whatever their width.",
            example: #"recordEvent("the_customer_pressed_the_big_green_button_below_the_fold")"#,
            fix: "Shorten the name; put the details into attributes."
        ),

        // MARK: Event attributes and global attributes

        Rule(
            code: .attributeNameTooLong,
            subject: .attribute,
            check: .nameLength,
            limit: 50,
            suggestion: 25,
            unit: .characters,
            effect: .discardAttribute,
            record: .errorAttributes,
            title: "Length of event attribute name",
            meaning: """
                The name of an event attribute is too long. A global attribute is not set, and the mistake is \
                recorded in a _clickstream_error event.
                """,
            example: #"["the_category_under_which_the_shop_shows_this_product": "shoes"]"#,
            fix: "Shorten the name."
        ),

        Rule(
            code: .attributeNameInvalid,
            subject: .attribute,
            check: .nameValidity,
            limit: nil,
            suggestion: nil,
            unit: nil,
            effect: .discardAttribute,
            record: .errorAttributes,
            title: "Attribute name invalid",
            meaning: """
                The name of an event attribute consists of the letters A-Z and a-z, digits and underscores, and \
                does not start with a digit. A reserved name that the server reads as an integer, such as \
                _session_number, accepts nothing else. A global attribute is not set, and the mistake is recorded \
                in a _clickstream_error event.
                """,
            example: #"["unit-price": 12.5]"#,
            fix: #"Rename the attribute, for example "unit_price"."#
        ),

        Rule(
            code: .attributeValueTooLong,
            subject: .attribute,
            check: .valueLength,
            limit: 1_024,
            suggestion: 100,
            unit: .characters,
            effect: .discardAttribute,
            record: .errorAttributes,
            title: "Length of event attribute value",
            meaning: """
                The string in an event attribute is too long. A global attribute is not set, and the mistake is \
                recorded in a _clickstream_error event.
                """,
            example: #"["description": <a string of 1025 characters>]"#,
            fix: "Send an id or a summary, or cut the text before it is recorded."
        ),

        Rule(
            code: .attributesTooMany,
            subject: .attribute,
            check: .count,
            limit: 500,
            suggestion: 50,
            unit: .attributes,
            effect: .discardAttribute,
            record: .errorAttributes,
            title: "Event attributes per event",
            meaning: """
                The event has too many attributes. What the SDK puts there counts and always fits; then come the \
                event's own in written order, then the global attributes. The rest is discarded.
                """,
            example: "recordEvent with 501 attributes",
            fix: "Record fewer attributes, or several events; describe products as items."
        ),

        Rule(
            code: .attributeValueNotFinite,
            subject: .attribute,
            check: .finite,
            limit: nil,
            suggestion: nil,
            unit: nil,
            effect: .discardAttribute,
            record: .errorAttributes,
            title: "Event attribute value is infinite",
            meaning: """
                A number that is infinite or not a number cannot be sent as JSON. A global attribute is not set, \
                and the mistake is recorded in a _clickstream_error event.
                """,
            example: #"["ratio": 1.0 / 0.0]"#,
            fix: "Check the calculation, above all divisions by zero; leave the attribute out when there is no value."
        ),

        Rule(
            code: .attributeValueNested,
            subject: .attribute,
            check: .scalar,
            limit: nil,
            suggestion: nil,
            unit: nil,
            effect: .discardAttribute,
            record: .errorAttributes,
            title: "Event attribute value is nested",
            meaning: """
                An attribute, or a property of a typed event, has a value of several parts: a list, a dictionary or \
                an object. Attributes have one value. A list of flat objects is allowed in the property "items" of a \
                typed event. A global attribute is not set, and the mistake is recorded in a _clickstream_error event.
                """,
            example: #"["sizes": [41, 42]]"#,
            fix: "Use one attribute for each part, or encode the value as one string."
        ),

        // MARK: User attributes and the user id

        Rule(
            code: .userAttributesTooMany,
            subject: .userAttribute,
            check: .count,
            limit: 100,
            suggestion: 25,
            unit: .attributes,
            effect: .discardAttribute,
            record: .errorEvent,
            title: "User attribute number",
            meaning: """
                The user has too many attributes. A new value for a known name never counts as new, and the user \
                id and the time of the first touch are not counted.
                """,
            example: "addUserAttributes with a 101st name",
            fix: "Keep what describes the user; put what happens into events."
        ),

        Rule(
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
        ),

        Rule(
            code: .userAttributeNameInvalid,
            subject: .userAttribute,
            check: .nameValidity,
            limit: nil,
            suggestion: nil,
            unit: nil,
            effect: .discardAttribute,
            record: .errorEvent,
            title: "User attribute name invalid",
            meaning: """
                The name of a user attribute consists of the letters A-Z and a-z, digits and underscores, and does \
                not start with a digit. An empty user id has this code too: the login is not made. So has a \
                _user_age that is not an integer, for which the server would drop every event of the user.
                """,
            example: #"["e-mail": "a@example.com"]"#,
            fix: #"Rename the attribute, for example "email". To log out, set the user id to nil."#
        ),

        Rule(
            code: .userAttributeValueTooLong,
            subject: .userAttribute,
            check: .valueLength,
            limit: 256,
            suggestion: 50,
            unit: .characters,
            effect: .discardAttribute,
            record: .errorEvent,
            title: "Length of user attribute value",
            meaning: """
                The string in a user attribute, or a user id, is too long. With such a user id the login is not \
                made.
                """,
            example: #"["biography": <a string of 257 characters>]"#,
            fix: "Shorten the string, or keep it on your own server and send an id."
        ),

        Rule(
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
        ),

        Rule(
            code: .userAttributeValueNested,
            subject: .userAttribute,
            check: .scalar,
            limit: nil,
            suggestion: nil,
            unit: nil,
            effect: .discardAttribute,
            record: .errorEvent,
            title: "User attribute value is nested",
            meaning:
                "A user attribute has a value of several parts: a list or a dictionary. Attributes have one value.",
            example: #"["newsletters": ["sports", "culture"]]"#,
            fix: "Use one attribute for each part, or encode the value as one string."
        ),

        // MARK: Items

        Rule(
            code: .itemsTooMany,
            subject: .item,
            check: .count,
            limit: 100,
            suggestion: 50,
            unit: .items,
            effect: .discardItem,
            record: .errorAttributes,
            title: "Item number in one event",
            meaning: """
                The event has too many items; those past the limit are discarded. An item that is discarded for \
                another reason does not count.
                """,
            example: #"recordEvent("view_list", [:], <101 items>)"#,
            fix: "Record what the user saw, or several events."
        ),

        Rule(
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
        ),

        Rule(
            code: .itemAttributesTooMany,
            subject: .item,
            check: .count,
            limit: 10,
            suggestion: 10,
            unit: .customAttributes,
            effect: .discardItem,
            record: .errorAttributes,
            title: "Custom item attribute number in one item",
            meaning: """
                The item has too many attributes beside the preset ones (id, name, brand, currency, price, \
                quantity, creative_name, creative_slot, location_id, category, category2 to category5); it is \
                discarded.
                """,
            example: "an item with an id and 11 attributes of its own",
            fix: "Use the preset attributes where they fit, and leave out what the id already implies."
        ),

        Rule(
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
        ),

        Rule(
            code: .itemAttributeNameInvalid,
            subject: .item,
            check: .nameValidity,
            limit: nil,
            suggestion: nil,
            unit: nil,
            effect: .discardItem,
            record: .errorAttributes,
            title: "Item attribute name invalid",
            meaning: """
                The name of an item's attribute consists of letters A-Z and a-z, digits and underscores, and does \
                not start with a digit; the whole item is discarded.
                """,
            example: #"["id": "123", "book publisher": "Nature"]"#,
            fix: #"Rename the attribute, for example "book_publisher"."#
        ),

        Rule(
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
        ),

        Rule(
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
        ),

        Rule(
            code: .itemValueNested,
            subject: .item,
            check: .scalar,
            limit: nil,
            suggestion: nil,
            unit: nil,
            effect: .discardItem,
            record: .errorAttributes,
            title: "Item attribute value is nested",
            meaning: """
                An attribute of an item has a value of several parts, or an item of a typed event is not an object; \
                the whole item is discarded.
                """,
            example: #"items: [["id": "123", "sizes": [41, 42]]]"#,
            fix: "Use one attribute for each part, or encode the value as one string."
        ),

        // MARK: Screens

        Rule(
            code: .screenViewWithoutName,
            subject: .screen,
            check: .screenName,
            limit: nil,
            suggestion: nil,
            unit: nil,
            effect: .discardEvent,
            record: .errorEvent,
            title: "Screen view without a name",
            meaning: """
                A screen view that is recorded by hand needs _screen_name, a non-empty string that is not too long \
                for an attribute. The screen view is discarded; session and engagement continue.
                """,
            example: #"recordEvent("_screen_view", [:])"#,
            fix: "Give the screen's name in _screen_name (ClickstreamAnalytics.Attr.SCREEN_NAME)."
        ),
    ]

    /// Returns the row of `code`, or `nil` for an unknown code.
    package static subscript(code: ErrorCode) -> Rule? {
        all.first { $0.code == code }
    }
}

extension Rules {
    /// The maximum length of a `device_id` and a `unique_id` in bytes: the server cuts longer ones.
    package static let longestID = 255
}
