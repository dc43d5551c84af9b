extension Screen {
    /// Attributes of a screen view that ``ScreenMachine`` decides; a caller's values for them are removed.
    private static let decidedNames = [
        AttributeName.entrances, AttributeName.previousScreenName, AttributeName.previousScreenID,
        AttributeName.previousScreenUniqueID, AttributeName.previousTimestamp, AttributeName.engagementTime,
    ]

    /// The same screen without ids that no attribute can hold.
    package var withUsableIDs: Screen {
        Screen(
            name: name,
            id: Self.idText(id.map { .string($0) }),
            uniqueID: Self.idText(.string(uniqueID))
        )
    }

    /// Removes the screen of a recorded screen view from the caller's attributes.
    ///
    /// An id that breaks a rule stays in the attributes, so that it is discarded and reported like any other attribute.
    /// - Parameter name: the value of `_screen_name`, already checked.
    package static func remove(named name: String, from attributes: inout Attributes) -> Screen {
        let screen = Screen(
            name: name,
            id: idText(attributes[AttributeName.screenID]),
            uniqueID: idText(attributes[AttributeName.screenUniqueID])
        )
        attributes.remove(AttributeName.screenName)
        for name in [AttributeName.screenID, AttributeName.screenUniqueID] {
            guard let value = attributes[name], Validator.violation(name, value, Rules.attributes) == nil else {
                continue
            }
            attributes.remove(name)
        }
        for name in decidedNames { attributes.remove(name) }
        return screen
    }

    /// Text of an id that a caller passes: an integer is converted, an unusable value is `nil`.
    private static func idText(_ value: AttributeValue?) -> String? {
        switch value {
        case .integer(let number): String(number)
        case .string(let text) where Validator.checkScreenName(value) == nil: text
        default: nil
        }
    }
}
