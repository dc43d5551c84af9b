package import ClickstreamCore

/// Inference of a first plan from events.
///
/// Memory depends on the number of different names, not on the number of events.
package struct PlanInference: Sendable {
    /// Number of events with an attribute from which constraints on its values are inferred.
    static let leastEvents = 32
    /// Maximum number of different strings of an inferred enum.
    static let maxStrings = 8
    /// Minimum number of names of events that share an inferred global attribute.
    static let leastNames = 2
    /// Reserved attributes with a small vocabulary, which the app sets. Others contain identifiers, times and texts of the SDK.
    static let reservedNames: Set<ExactText> = Set(
        [
            AttributeName.trafficSource, AttributeName.trafficMedium, AttributeName.trafficClickIDPlatform,
            AttributeName.appInstallChannel, AttributeName.currency, AttributeName.userLifetimeCurrency,
        ].map { ExactText($0) }
    )

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
                addDistinct(text)
            case .number(let number):
                if number.integer != nil { integers += 1 } else { numbers += 1 }
                if number.double < 0 { hasNegative = true }
            case .boolean: booleans += 1
            case .null, .array, .object: others += 1
            }
        }

        private mutating func addDistinct(_ text: String) {
            guard distinct.count <= PlanInference.maxStrings else { return }
            if !distinct.contains(where: { Characters.areSame($0, text) }) { distinct.append(text) }
        }

        /// Adds the values of other events.
        mutating func merge(_ other: Values) {
            count += other.count
            events += other.events
            strings += other.strings
            integers += other.integers
            numbers += other.numbers
            booleans += other.booleans
            others += other.others
            hasNegative = hasNegative || other.hasNegative
            for text in other.distinct { addDistinct(text) }
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
        private(set) var names: [ExactText] = []
        private(set) var values: [ExactText: Values] = [:]

        mutating func add(_ members: [JSONMember], ofEvent event: Int, value: (JSONValue) -> JSONValue?) {
            count += 1
            var seen: Set<ExactText> = []
            var added: Set<ExactText> = []
            for member in members.reversed() {
                let name = ExactText(member.name)
                guard !Characters.areReserved(member.name) || PlanInference.reservedNames.contains(name) else {
                    continue
                }
                guard seen.insert(name).inserted, let value = value(member.value) else { continue }
                if values[name] == nil { added.insert(name) }
                values[name, default: Values()].add(value, ofEvent: event)
            }
            for member in members {
                if let name = added.remove(ExactText(member.name)) { names.append(name) }
            }
        }

        /// The type of an attribute that each object has; `nil` if there is none.
        func commonType(of name: ExactText) -> PlannedAttribute.ValueType? {
            guard let values = values[name], values.count == count else { return nil }
            return values.type
        }

        /// - Parameter globals: names of attributes that are planned elsewhere.
        func fields(
            _ owner: PlanOwner,
            infersRequired: Bool,
            except globals: Set<ExactText> = [],
            notes: inout [String]
        ) -> PlannedFields {
            var fields = PlannedFields([], allowsOthers: owner == .user)
            for name in names where !globals.contains(name) {
                guard let values = values[name] else { continue }
                let isReserved = Characters.areReserved(name.text)
                guard let type = values.type else {
                    // Reserved attributes are allowed anyway.
                    if isReserved { continue }
                    notes.append(
                        "\(Characters.reported(name.text)) is not planned: it has values of several types (\(values.kinds))"
                    )
                    fields.allowsOthers = true
                    continue
                }
                let isRequired = infersRequired && values.count == count
                let attribute = PlanInference.attribute(name.text, type, values, isRequired: isRequired)
                if isReserved {
                    if PlanInference.isInformative(attribute), owner.accepts(attribute) {
                        fields.attributes.append(attribute)
                    }
                    continue
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

    /// An attribute with the constraints that its values meet. A reserved one is optional: it depends on how the user came.
    private static func attribute(
        _ name: String,
        _ type: PlannedAttribute.ValueType,
        _ values: Values,
        isRequired: Bool
    ) -> PlannedAttribute {
        var attribute = PlannedAttribute(name, type, isRequired: isRequired && !Characters.areReserved(name))
        guard values.events >= leastEvents else { return attribute }
        if type == .string, values.distinct.count <= maxStrings {
            attribute.rules[EnumRule.self] = EnumRule(values.distinct.sorted().map { .text($0) })
        }
        if type == .integer || type == .number, !values.hasNegative {
            attribute.rules[MinimumRule.self] = MinimumRule(JSONNumber(integer: 0))
        }
        return attribute
    }

    /// False for a reserved attribute without listed values, whose name the SDK defines anyway.
    private static func isInformative(_ attribute: PlannedAttribute) -> Bool {
        !Characters.areReserved(attribute.name) || attribute.rules[EnumRule.self] != nil
    }

    private struct Event: Sendable {
        var attributes = Fields()
        var items = Fields()
        /// Times by the clocks of the devices, from the first to the last; `nil` if no event has one.
        var times: ClosedRange<Timestamp>?

        mutating func add(_ time: Timestamp) {
            times = times.map { min($0.lowerBound, time)...max($0.upperBound, time) } ?? time...time
        }

        /// `12 events, first 2026-11-28T10:00:00.000Z, last 2026-11-28T11:30:00.000Z`
        var occurrences: String {
            let count = "\(attributes.count) event\(attributes.count == 1 ? "" : "s")"
            return times.map { "\(count), first \($0.lowerBound), last \($0.upperBound)" } ?? count
        }
    }

    private var names: [String] = []
    /// Names of events that the SDK accepts are ASCII.
    private var events: [String: Event] = [:]
    /// Number of events that were added.
    private var added = 0
    private var user = Fields()
    /// Attributes of events of the SDK, in which global attributes are judged too.
    private var sdk = Fields()
    /// Number of events without a name, or with one that the SDK rejects.
    package private(set) var skipped = 0

    package init() {}

    /// Adds an event in wire form or short form. Events of the SDK contribute only to global attributes and those of the user.
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
        let attributes = event[FieldName.attributes]?.members ?? []
        guard !Characters.areReserved(name) else {
            sdk.add(attributes, ofEvent: added, value: value)
            return
        }
        if events[name] == nil { names.append(name) }
        events[name, default: Event()].attributes.add(attributes, ofEvent: added, value: value)
        for item in event[FieldName.items]?.array ?? [] {
            events[name, default: Event()].items.add(item.members ?? [], ofEvent: added, value: value)
        }
        if let time = PlanJudge.time(of: event) { events[name, default: Event()].add(time) }
    }

    /// Number of events of each planned name with the times of the first and the last one, as text.
    package var occurrences: [String: String] { events.mapValues(\.occurrences) }

    /// Attributes that each event of the app has with one type, whatever its name.
    private var globals: PlannedFields {
        let own = names.compactMap { events[$0]?.attributes }
        var fields = PlannedFields()
        guard own.count >= Self.leastNames, own.reduce(0, { $0 + $1.count }) >= Self.leastEvents, let first = own.first
        else { return fields }
        for name in first.names {
            guard let type = first.commonType(of: name), own.allSatisfy({ $0.commonType(of: name) == type }) else {
                continue
            }
            var values = Values()
            for event in own + [sdk] {
                if let others = event.values[name] { values.merge(others) }
            }
            guard values.type == type else { continue }
            let attribute = Self.attribute(name.text, type, values, isRequired: true)
            if Self.isInformative(attribute), PlanOwner.globals.accepts(attribute) {
                fields.attributes.append(attribute)
            }
        }
        return fields
    }

    /// The plan, with notes on parts that could not be inferred: by the name of an event, or `user`.
    package func plan() -> (plan: TrackingPlan, notes: [String: [String]]) {
        var plan = TrackingPlan(globals: globals)
        let shared = Set(plan.globals.attributes.map { ExactText($0.name) })
        var notes: [String: [String]] = [:]
        for name in names {
            guard let event = events[name] else { continue }
            var planned = PlannedEvent(name)
            planned.fields = event.attributes.fields(
                .event,
                infersRequired: true,
                except: shared,
                notes: &notes[name, default: []]
            )
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
