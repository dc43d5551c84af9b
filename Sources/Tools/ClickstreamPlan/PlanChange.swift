import ClickstreamCore

/// Difference between two tracking plans.
///
/// A change is breaking if an event that conforms to the old plan can have findings under the new one, or if the plan
/// no longer describes what it did: apps in the field continue to send the old events, and queries read them.
package struct PlanChange: Sendable, Hashable {
    package var isBreaking: Bool
    /// Place in the plan, such as `events.add_to_cart.attributes.price.type`.
    package var path: String
    /// The change in words: `number became integer`.
    package var message: String

    /// All changes, in the order of the new plan; removed parts come after the parts that remain.
    package static func changes(from old: TrackingPlan, to new: TrackingPlan) -> [PlanChange] {
        var changes = Changes()
        changes.compareEvents(old, new)
        changes.compare(old.user, new.user, "user")
        changes.compare(old.globals, new.globals, "globals")
        if old.unplanned != new.unplanned {
            let order = TrackingPlan.Unplanned.allCases
            let isStricter = (order.firstIndex(of: old.unplanned) ?? 0) < (order.firstIndex(of: new.unplanned) ?? 0)
            changes.add(isStricter, "unplanned", "\(old.unplanned.rawValue) became \(new.unplanned.rawValue)")
        }
        return changes.all
    }
}

private struct Changes {
    var all: [PlanChange] = []

    mutating func add(_ isBreaking: Bool, _ path: String, _ message: String) {
        all.append(PlanChange(isBreaking: isBreaking, path: path, message: message))
    }

    mutating func compareEvents(_ oldPlan: TrackingPlan, _ newPlan: TrackingPlan) {
        let (old, new) = (oldPlan.events, newPlan.events)
        let before = Dictionary(old.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        for event in new {
            let path = "events.\(event.name)"
            guard let earlier = before[event.name] else {
                add(false, path, "event added")
                continue
            }
            compareTexts(earlier.summary, event.summary, path)
            compare(earlier.fields, event.fields, path, globals: oldPlan.globals)
            switch (earlier.items, event.items) {
            case (let one?, let other?): compare(one, other, "\(path).items")
            case (nil, let items?):
                let isStrict = !items.allowsOthers || items.attributes.contains(where: \.isRequired)
                add(isStrict, "\(path).items", "items added\(isStrict ? " with requirements" : "")")
            case (.some, nil): add(true, "\(path).items", "items removed")
            case (nil, nil): break
            }
        }
        let names = Set(new.map(\.name))
        for event in old where !names.contains(event.name) { add(true, "events.\(event.name)", "event removed") }
    }

    /// - Parameter globals: the global attributes of the old plan, which an added attribute of the same name replaces.
    mutating func compare(
        _ old: PlannedFields,
        _ new: PlannedFields,
        _ path: String,
        globals: PlannedFields = PlannedFields()
    ) {
        let before = Dictionary(old.attributes.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        for attribute in new.attributes {
            let path = "\(path).attributes.\(attribute.name)"
            if let earlier = before[attribute.name] ?? globals[attribute.name] {
                compare(earlier, attribute, path)
            } else {
                let noun = attribute.isRequired ? "required attribute added" : "optional attribute added"
                add(attribute.isRequired, path, noun)
            }
        }
        let names = Set(new.attributes.map(\.name))
        for attribute in old.attributes where !names.contains(attribute.name) {
            add(true, "\(path).attributes.\(attribute.name)", "attribute removed")
        }
        if old.allowsOthers != new.allowsOthers {
            let message = "attributes that are not listed became " + (new.allowsOthers ? "allowed" : "findings")
            add(old.allowsOthers, "\(path).additional", message)
        }
    }

    private mutating func compare(_ old: PlannedAttribute, _ new: PlannedAttribute, _ path: String) {
        if old.type != new.type {
            // Every integer is a number.
            let isWider = old.type == .integer && new.type == .number
            add(!isWider, "\(path).type", "\(old.type.rawValue) became \(new.type.rawValue)")
        }
        if old.isRequired != new.isRequired {
            let message = new.isRequired ? "optional became required" : "required became optional"
            add(new.isRequired, "\(path).required", message)
        }
        for rule in PlanRules.types { compare(rule, old.rules, new.rules, path) }
        compareTexts(old.summary, new.summary, path)
    }

    private mutating func compare<Rule: PlanRule>(_ rule: Rule.Type, _ old: PlanRules, _ new: PlanRules, _ path: String)
    {
        for change in Rule.changes(from: old[rule], to: new[rule]) {
            add(change.isBreaking, "\(path).\(Rule.key)", change.message)
        }
    }

    private mutating func compareTexts(_ old: String?, _ new: String?, _ path: String) {
        if old != new { add(false, "\(path).description", "description changed") }
    }
}
