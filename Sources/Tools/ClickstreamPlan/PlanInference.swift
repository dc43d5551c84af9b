package import ClickstreamCore

/// Inference of a first plan from events.
///
/// Memory depends on the number of different names, not on the number of events.
package struct PlanInference: Sendable {
    /// Number of events with an attribute from which constraints on its values are inferred.
    static let leastEvents = 32
    /// Maximum number of different strings of an inferred enum.
    static let maxStrings = 8

    /// Values of one attribute.
    private struct Values: Sendable {
        var count = 0
        /// Number of events that have a value.
        var events = 0
        /// Number of the last event that has one.
        private var lastEvent = 0
        var strings = 0
        var integers = 0
        var numbers = 0
        var booleans = 0
        var others = 0
        var hasNegative = false
        /// Different strings in the order of their first occurrence; at most one more than an enum can have.
        var distinct: [String] = []

        mutating func add(_ value: JSONValue, ofEvent event: Int) {
            count += 1
            if event != lastEvent { events += 1 }
            lastEvent = event
            switch value.kind {
            case .string(let text):
                strings += 1
                if distinct.count <= PlanInference.maxStrings,
                    !distinct.contains(where: { Characters.areSame($0, text) })
                {
                    distinct.append(text)
                }
            case .number(let number):
                if number.integer != nil { integers += 1 } else { numbers += 1 }
                if number.double < 0 { hasNegative = true }
            case .boolean: booleans += 1
            case .null, .array, .object: others += 1
            }
        }

        /// The only type that all values have; `nil` if there is none.
        var type: PlannedAttribute.ValueType? {
            switch count {
            case strings: .string
            case booleans: .boolean
            case integers: .integer
            case integers + numbers: .number
            default: nil
            }
        }

        var kinds: String {
            let kinds = [
                ("string", strings), ("number", integers + numbers), ("boolean", booleans), ("other value", others),
            ]
            return kinds.filter { $0.1 > 0 }.map { "\($0.1) × \($0.0)" }.joined(separator: ", ")
        }
    }

    /// Attributes of an event, of items or of the user, in the order of their first occurrence.
    private struct Fields: Sendable {
        /// Number of objects with attributes.
        var count = 0
        private var names: [ExactText] = []
        private var values: [ExactText: Values] = [:]

        mutating func add(_ members: [JSONMember], ofEvent event: Int, value: (JSONValue) -> JSONValue?) {
            count += 1
            var seen: Set<ExactText> = []
            var added: Set<ExactText> = []
            for member in members.reversed() where !Characters.areReserved(member.name) {
                let name = ExactText(member.name)
                guard seen.insert(name).inserted, let value = value(member.value) else { continue }
                if values[name] == nil { added.insert(name) }
                values[name, default: Values()].add(value, ofEvent: event)
            }
            for member in members {
                if let name = added.remove(ExactText(member.name)) { names.append(name) }
            }
        }

        func fields(_ owner: PlanOwner, infersRequired: Bool, notes: inout [String]) -> PlannedFields {
            var fields = PlannedFields([], allowsOthers: owner == .user)
            for name in names {
                guard let values = values[name] else { continue }
                guard let type = values.type else {
                    notes.append(
                        "\(Characters.reported(name.text)) is not planned: it has values of several types (\(values.kinds))"
                    )
                    fields.allowsOthers = true
                    continue
                }
                var attribute = PlannedAttribute(name.text, type, isRequired: infersRequired && values.count == count)
                if values.events >= PlanInference.leastEvents {
                    if type == .string, values.distinct.count <= PlanInference.maxStrings {
                        attribute.rules[EnumRule.self] = EnumRule(values.distinct.sorted().map { .text($0) })
                    }
                    if type == .integer || type == .number, !values.hasNegative {
                        attribute.rules[MinimumRule.self] = MinimumRule(JSONNumber(integer: 0))
                    }
                }
                guard owner.accepts(attribute) else {
                    notes.append("\(Characters.reported(name.text)) is not planned: the SDK rejects its name or values")
                    fields.allowsOthers = true
                    continue
                }
                fields.attributes.append(attribute)
            }
            return fields
        }
    }

    private struct Event: Sendable {
        var attributes = Fields()
        var items = Fields()
    }

    private var names: [String] = []
    /// Names of events that the SDK accepts are ASCII.
    private var events: [String: Event] = [:]
    /// Number of events that were added.
    private var added = 0
    private var user = Fields()
    /// Number of events without a name, or with one that the SDK rejects.
    package private(set) var skipped = 0

    package init() {}

    /// Adds an event in wire form or short form. Events of the SDK contribute only to the attributes of the user.
    package mutating func add(_ event: JSONValue) {
        guard let name = PlanJudge.name(of: event), Validator.isEventName(name) else {
            skipped += 1
            return
        }
        added += 1
        let skipsNull = PlanJudge.isInShortForm(event)
        func value(_ value: JSONValue) -> JSONValue? { skipsNull && value.isNull ? nil : value }
        if let members = event[FieldName.user]?.members {
            user.add(members, ofEvent: added) { entry in
                let inner = entry["value"].flatMap { $0.isNull ? nil : $0 }
                return value(inner ?? entry)
            }
        }
        guard !Characters.areReserved(name) else { return }
        if events[name] == nil { names.append(name) }
        events[name, default: Event()].attributes.add(
            event[FieldName.attributes]?.members ?? [],
            ofEvent: added,
            value: value
        )
        for item in event[FieldName.items]?.array ?? [] {
            events[name, default: Event()].items.add(item.members ?? [], ofEvent: added, value: value)
        }
    }

    /// The plan, with notes on parts that could not be inferred: by the name of an event, or `user`.
    package func plan() -> (plan: TrackingPlan, notes: [String: [String]]) {
        var plan = TrackingPlan()
        var notes: [String: [String]] = [:]
        for name in names {
            guard let event = events[name] else { continue }
            var planned = PlannedEvent(name)
            planned.fields = event.attributes.fields(.event, infersRequired: true, notes: &notes[name, default: []])
            if event.items.count > 0 {
                planned.items = event.items.fields(.item, infersRequired: true, notes: &notes[name, default: []])
            }
            plan.events.append(planned)
        }
        plan.user = user.fields(.user, infersRequired: false, notes: &notes["user", default: []])
        return (plan, notes.filter { !$0.value.isEmpty })
    }
}

extension PlanOwner {
    /// True if the SDK accepts the name and the listed values of an attribute.
    fileprivate func accepts(_ attribute: PlannedAttribute) -> Bool {
        if self == .item, ItemName.renamed[attribute.name] != nil { return false }
        let samples: [AttributeValue] =
            attribute.rules[EnumRule.self]?.values.compactMap { AttributeValue(json: $0) }
            ?? [attribute.type == .boolean ? true : 1]
        return !isUnknownReserved(attribute.name) && samples.allSatisfy { violation(attribute.name, $0) == nil }
    }
}
