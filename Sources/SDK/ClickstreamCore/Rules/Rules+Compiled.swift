/// The table, compiled for each kind of input. Every check of the library, the collector and the tools executes these.
extension Rules {
    package static let eventNames = CompiledRules(.event, noun: "event", known: EventName.reserved)

    package static let attributes = CompiledRules(
        .attribute,
        noun: "event attribute",
        known: AttributeName.reserved,
        wholeNumbers: wholeNumbers
    )

    /// The rows of event attributes, with a different noun in the messages.
    static let globalAttributes = CompiledRules(
        .attribute,
        noun: "global attribute",
        known: AttributeName.reserved,
        wholeNumbers: wholeNumbers
    )

    package static let userAttributes = CompiledRules(
        .userAttribute,
        noun: "user attribute",
        known: AttributeName.reserved,
        wholeNumbers: [AttributeName.userAge: .strict],
        hasUserID: true
    )

    /// The rows of items and their attributes; the number of attributes excludes preset ones.
    package static let items = CompiledRules(.item, noun: "item attribute")

    static let screens = CompiledRules(.screen, noun: "screen attribute")

    private static let wholeNumbers: [String: CompiledRules.WholeNumber] = [
        AttributeName.sessionNumber: .lenient, AttributeName.sessionDuration: .lenient,
        AttributeName.sessionStart: .lenient, AttributeName.previousTimestamp: .lenient,
        AttributeName.engagementTime: .lenient,
    ]
}
