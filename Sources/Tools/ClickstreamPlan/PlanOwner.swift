import ClickstreamCore

/// Owner of planned attributes; selects the SDK's rules for their names and values.
enum PlanOwner: Sendable {
    case event
    /// A screen view, whose name has a rule of its own.
    case screen
    case globals
    case item
    case user

    private var rules: CompiledRules {
        switch self {
        case .event, .screen, .globals: Rules.attributes
        case .item: Rules.items
        case .user: Rules.userAttributes
        }
    }

    /// Maximum number of attributes that the SDK accepts besides its own.
    var maxCount: Int {
        switch self {
        case .event, .screen, .globals: rules.maxCount - EventWriter.Presets.least.count
        case .item, .user: rules.maxCount
        }
    }

    /// True if an attribute counts toward ``maxCount``.
    func counts(_ name: String) -> Bool {
        switch self {
        case .item: !ItemName.preset.contains(name)
        case .user: !Validator.isUncountedUserAttribute(name)
        case .event, .screen, .globals: !EventWriter.Presets.least.contains(name)
        }
    }

    /// Maximum number of characters of a value; `nil` without a limit that the plan can check.
    func longestValue(of name: String) -> Int? {
        let isLong = name == AttributeName.exceptionStack || name == AttributeName.exceptionBreadcrumbs
        return isLong ? nil : rules.longestValue
    }

    /// True for a name that is reserved, but that neither the SDK nor the server reads.
    func isUnknownReserved(_ name: String) -> Bool {
        Characters.areReserved(name) && (self == .item || !AttributeName.reserved.contains(name))
    }

    /// The violation that the SDK reports for an attribute with this value, or `nil`.
    func violation(_ name: String, _ value: AttributeValue) -> Violation? {
        var found: [Violation] = []
        switch self {
        case .event, .screen, .globals:
            if self == .screen, name == AttributeName.screenName { return Validator.checkScreenName(value) }
            let presets = EventWriter.Presets.least
            _ = Validator.checkAttributes(
                own: [name: value],
                globals: [:],
                presetCount: presets.count,
                isPreset: { presets.contains($0) },
                into: &found
            )
        case .item:
            let item: Attributes = name == ItemName.id ? [name: value] : [ItemName.id: "1", name: value]
            _ = Validator.checkItems([item], reportsSuggestions: false, into: &found)
        case .user:
            if name == AttributeName.userID, case .string(let id) = value { return Validator.checkUserID(id) }
            _ = Validator.checkUserAttributes(
                [name: value],
                existingNames: [],
                reportsSuggestions: false,
                into: &found
            )
        }
        return found.firstError
    }
}
