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
        compareValues(old, new, "\(path).enum")
        comparePatterns(old.pattern, new.pattern, "\(path).pattern")
        compareLimits(old.minimum, new.minimum, "\(path).minimum") { $0.isLess(than: $1) }
        compareLimits(old.maximum, new.maximum, "\(path).maximum") { $1.isLess(than: $0) }
        compareLimits(old.length, new.length, "\(path).maxLength") { $1.isLess(than: $0) }
        compareTexts(old.summary, new.summary, path)
    }

    private mutating func compareValues(_ old: PlannedAttribute, _ new: PlannedAttribute, _ path: String) {
        switch (old.values, new.values) {
        case (nil, nil): break
        case (nil, .some): add(true, path, "values limited")
        case (.some, nil): add(false, path, "values no longer limited")
        case (let before?, let after?):
            let (known, kept) = (EnumValues(before), EnumValues(after))
            for value in after where !known.contains(value) { add(false, path, "value \(value) added") }
            for value in before where !kept.contains(value) { add(true, path, "value \(value) removed") }
        }
    }

    private mutating func comparePatterns(_ old: PlanPattern?, _ new: PlanPattern?, _ path: String) {
        switch (old, new) {
        case (nil, nil): break
        case (nil, let pattern?): add(true, path, "pattern \(pattern.text) added")
        case (let pattern?, nil): add(false, path, "pattern \(pattern.text) removed")
        case (let before?, let after?):
            if before != after { add(true, path, "\(before.text) became \(after.text)") }
        }
    }

    private mutating func compareLimits(
        _ old: JSONNumber?,
        _ new: JSONNumber?,
        _ path: String,
        isStricter: (_ old: JSONNumber, _ new: JSONNumber) -> Bool
    ) {
        switch (old, new) {
        case (nil, nil): break
        case (nil, let limit?): add(true, path, "limit \(limit.text) added")
        case (let limit?, nil): add(false, path, "limit \(limit.text) removed")
        case (let before?, let after?):
            guard isStricter(before, after) || isStricter(after, before) else { return }
            add(isStricter(before, after), path, "\(before.text) became \(after.text)")
        }
    }

    private mutating func compareTexts(_ old: String?, _ new: String?, _ path: String) {
        if old != new { add(false, "\(path).description", "description changed") }
    }
}

extension PlannedAttribute {
    fileprivate var length: JSONNumber? { maxLength.map { JSONNumber(integer: Int64($0)) } }
}
