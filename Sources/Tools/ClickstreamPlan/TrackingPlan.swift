import ClickstreamCore

/// Tracking plan: the events of an app with their attributes, read from one file.
///
/// A plan is checked offline, against recorded or received events. It never changes what the SDK records or sends.
/// `Docs/plan.md` describes the format.
public struct TrackingPlan: Sendable, Hashable {
    /// The format version that this code reads.
    package static let version = 1

    /// Treatment of events that the plan does not list.
    package enum Unplanned: String, Sendable, Hashable, CaseIterable {
        case allow
        case warn
        case error
    }

    /// Planned events in written order; names are unique.
    package var events: [PlannedEvent]
    /// Attributes of the user.
    package var user: PlannedFields
    /// Global attributes, allowed in every event.
    package var globals: PlannedFields
    package var unplanned: Unplanned

    package init(
        events: [PlannedEvent] = [],
        user: PlannedFields = PlannedFields(),
        globals: PlannedFields = PlannedFields(),
        unplanned: Unplanned = .warn
    ) {
        self.events = events
        self.user = user
        self.globals = globals
        self.unplanned = unplanned
    }

    /// The attributes of an event with the global attributes that it does not define itself.
    package func fields(of event: PlannedEvent) -> [PlannedAttribute] {
        let own = Set(event.fields.attributes.map(\.name))
        return event.fields.attributes + globals.attributes.filter { !own.contains($0.name) }
    }
}

/// One event of a plan.
package struct PlannedEvent: Sendable, Hashable {
    package var name: String
    package var summary: String?
    package var fields: PlannedFields
    /// Attributes of the event's items; `nil` if the plan does not describe items.
    package var items: PlannedFields?

    package init(
        _ name: String,
        summary: String? = nil,
        fields: PlannedFields = PlannedFields(),
        items: PlannedFields? = nil
    ) {
        self.name = name
        self.summary = summary
        self.fields = fields
        self.items = items
    }
}

/// Attributes of an event, an item or the user.
package struct PlannedFields: Sendable, Hashable {
    /// Attributes in written order; names are unique.
    package var attributes: [PlannedAttribute]
    /// True if attributes that are not listed are allowed.
    package var allowsOthers: Bool

    package init(_ attributes: [PlannedAttribute] = [], allowsOthers: Bool = true) {
        self.attributes = attributes
        self.allowsOthers = allowsOthers
    }

    package subscript(name: String) -> PlannedAttribute? {
        attributes.first { Characters.areSame($0.name, name) }
    }
}

/// One attribute of a plan.
package struct PlannedAttribute: Sendable, Hashable {
    /// Type of a value. An integer satisfies `number`; a number without fraction satisfies `integer`.
    package enum ValueType: String, Sendable, Hashable, CaseIterable {
        case string
        case integer
        case number
        case boolean

        /// The type with its article, for messages.
        package var phrase: String { self == .integer ? "an integer" : "a \(rawValue)" }
    }

    package var name: String
    package var type: ValueType
    package var isRequired: Bool
    /// Rules on the values besides the type.
    var rules: PlanRules
    package var summary: String?

    init(
        _ name: String,
        _ type: ValueType,
        isRequired: Bool = false,
        rules: [any PlanRule],
        summary: String? = nil
    ) {
        self.name = name
        self.type = type
        self.isRequired = isRequired
        self.rules = PlanRules(rules)
        self.summary = summary
    }

    package init(_ name: String, _ type: ValueType, isRequired: Bool = false, summary: String? = nil) {
        self.init(name, type, isRequired: isRequired, rules: [], summary: summary)
    }

    /// The type with all rules, for messages and documents: `a number, at least 0`.
    package var constraints: String { ([type.phrase] + rules.phrases).joined(separator: ", ") }
}

extension JSONNumber {
    /// Comparison by value: exact for two integers, as doubles otherwise.
    func isLess(than other: JSONNumber) -> Bool {
        if let integer, let otherInteger = other.integer { return integer < otherInteger }
        return double < other.double
    }

    /// True if the number has no fraction, however it is written (`1`, `1.0`, `1e3`), as in JSON Schema.
    var isWhole: Bool {
        if integer != nil { return true }
        if text.utf8.allSatisfy({ $0 != UInt8(ascii: ".") && $0 | 0x20 != UInt8(ascii: "e") }) { return true }
        return double.isFinite && double.rounded(.towardZero) == double
    }
}
