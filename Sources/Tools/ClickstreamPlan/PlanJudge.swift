package import ClickstreamCore

/// Checks events against a tracking plan.
///
/// Reads any JSON, in time proportional to the values of an event. An event is checked in wire form, or as
/// `{ "event_type" or "name", "attributes", "items", "user" }`, where `null` counts as absent. An event without a name has
/// no findings. Deterministic, apart from the suggestion in the message on an unknown name, which depends on earlier
/// events: see ``NameSuggestions``.
package struct PlanJudge: Sendable {
    /// Attribute with the checks of its values.
    private struct Attribute: Sendable {
        let name: String
        let type: PlannedAttribute.ValueType
        let isRequired: Bool
        let checks: [PlanCheck]
        /// Part of messages, built once and cut: a plan's values and patterns may be much longer than an event.
        let constraints: String

        init(_ planned: PlannedAttribute) {
            name = planned.name
            type = planned.type
            isRequired = planned.isRequired
            constraints = PlanJudge.cut(planned.constraints)
            checks = planned.rules.checks(constraints: constraints)
        }
    }

    /// Attributes of a part of the plan, by their names.
    private struct AttributeTable: Sendable {
        private(set) var byName: [ExactText: Attribute]
        var required: [Attribute]
        /// The names, for suggestions.
        let words: Suggestion.Words

        init(_ attributes: [PlannedAttribute]) {
            let byName = Dictionary(
                attributes.map { (ExactText($0.name), Attribute($0)) },
                uniquingKeysWith: { first, _ in first }
            )
            self.byName = byName
            required = attributes.filter(\.isRequired).compactMap { byName[ExactText($0.name)] }
            words = Suggestion.Words(attributes.map(\.name).sorted())
        }
    }

    /// Attributes of an event, an item or the user.
    private struct Fields: Sendable {
        let own: AttributeTable
        /// Global attributes, for those that ``own`` does not have; one table for all events.
        let globals: AttributeTable
        let allowsOthers: Bool
        /// Number among all of the judge.
        let number: Int
        /// Number of required attributes, the global ones included.
        let requiredCount: Int

        init(_ fields: PlannedFields, globals: AttributeTable = AttributeTable([]), number: Int) {
            own = AttributeTable(fields.attributes)
            self.globals = globals
            allowsOthers = fields.allowsOthers
            self.number = number
            let overridden = own.byName.keys.count { globals.byName[$0]?.isRequired == true }
            requiredCount = own.required.count + globals.required.count - overridden
        }

        /// The global attributes alone, none of them required.
        init(_ globals: AttributeTable, number: Int) {
            var own = globals
            own.required = []
            self.own = own
            self.globals = AttributeTable([])
            allowsOthers = true
            self.number = number
            requiredCount = 0
        }

        subscript(name: ExactText) -> Attribute? { own.byName[name] ?? globals.byName[name] }

        var isEmpty: Bool { own.byName.isEmpty && globals.byName.isEmpty }

        /// The name that is closest to an unknown one, the first in alphabetical order of equals.
        func nearest(to name: String) -> String? {
            let found = [own.words.nearest(to: name), globals.words.nearest(to: name)].compactMap { $0 }
            return found.min { ($0.distance, ExactText($0.word)) < ($1.distance, ExactText($1.word)) }?.word
        }
    }

    package let plan: TrackingPlan
    private let events: [ExactText: (fields: Fields, items: Fields?)]
    /// Global attributes in events that are not planned, where none is required.
    private let globals: Fields
    private let user: Fields
    private let eventNames: Suggestion.Words
    private let eventSuggestions = NameSuggestions()
    private let attributeSuggestions = NameSuggestions()

    package init(_ plan: TrackingPlan) {
        self.plan = plan
        let globals = AttributeTable(plan.globals.attributes)
        events = Dictionary(
            plan.events.enumerated().map { index, event in
                let fields = Fields(event.fields, globals: globals, number: 2 * index + 2)
                return (ExactText(event.name), (fields, event.items.map { Fields($0, number: 2 * index + 3) }))
            },
            uniquingKeysWith: { first, _ in first }
        )
        self.globals = Fields(globals, number: 0)
        user = Fields(plan.user, number: 1)
        eventNames = Suggestion.Words(plan.events.map(\.name))
    }

    /// Number of states of patterns that may be visited for one event, beside those for its bytes: about 0.2 ms. Strings
    /// after them are findings.
    static let patternSteps = 20_000
    /// Number of states that may be visited for each byte of the names and strings of an event.
    static let patternStepsPerByte = 100

    /// Findings on one event.
    package struct Verdict: Sendable, Hashable {
        /// The first findings, at most `Rules.maxFindings`.
        package internal(set) var findings: [PlanFinding] = []
        /// Number of further findings.
        package internal(set) var unlisted = 0

        /// True if a listed finding is an error.
        package var hasErrors: Bool { findings.contains { $0.severity == .error } }

        fileprivate mutating func add(_ finding: @autoclosure () -> PlanFinding) {
            if findings.count < Rules.maxFindings { findings.append(finding()) } else { unlisted += 1 }
        }
    }

    /// Findings so far, with the steps that are left for the patterns of the event.
    private struct Judgement {
        var verdict = Verdict()
        var patternSteps = PlanJudge.patternSteps

        mutating func add(_ finding: @autoclosure () -> PlanFinding) { verdict.add(finding()) }
    }

    /// The name of an event in wire form or short form. A number or boolean counts as its text, as for the server.
    package static func name(of event: JSONValue) -> String? {
        for key in [FieldName.eventType, FieldName.eventName, "name"] {
            guard let value = event[key], !value.isNull else { continue }
            switch value.kind {
            case .string(let text): return text
            case .number(let number): return number.text
            case .boolean(let truth): return "\(truth)"
            case .null, .array, .object: return nil
            }
        }
        return nil
    }

    /// Time of an event by the clock of its device; `nil` without one, or for one outside of the years 1970 to 9999.
    package static func time(of event: JSONValue) -> Timestamp? {
        guard let milliseconds = event[FieldName.timestamp]?.integer, Timestamp.dates.contains(milliseconds) else {
            return nil
        }
        return Timestamp(milliseconds: milliseconds)
    }

    /// True if an event has no field that only the wire form has.
    static func isInShortForm(_ event: JSONValue) -> Bool {
        !FieldName.wireOnly.contains { event[$0] != nil }
    }

    /// Findings in the order event, attributes, items, user.
    package func verdict(on event: JSONValue) -> Verdict {
        guard let name = Self.name(of: event) else { return Verdict() }
        var judgement = Judgement()
        let skipsNull = Self.isInShortForm(event)
        func value(_ key: String) -> JSONValue? { event[key].flatMap { skipsNull && $0.isNull ? nil : $0 } }

        let planned = events[ExactText(name)]
        if planned == nil, !Characters.areReserved(name) { judgeUnplanned(name, into: &judgement) }
        if planned != nil || !globals.isEmpty {
            let fields = planned?.fields ?? globals
            judge(
                value(FieldName.attributes),
                by: fields,
                Location(.attributes, skipsNull: skipsNull),
                into: &judgement
            )
        }
        if let fields = planned?.items, let items = value(FieldName.items) {
            if items.array == nil {
                judgement.add(
                    Self.finding(.item, .item, "items", "items", "must be a list, not \(items.kindDescription)")
                )
            }
            for (index, item) in (items.array ?? []).enumerated() {
                judge(item, by: fields, Location(.items(index), skipsNull: skipsNull), into: &judgement)
            }
        }
        if !user.isEmpty || !user.allowsOthers {
            let user = value(FieldName.user)
            if user != nil || planned != nil {
                let location = Location(.user(isRequired: planned != nil), skipsNull: skipsNull)
                judge(user, by: self.user, location, into: &judgement)
            }
        }
        return judgement.verdict
    }

    private func judgeUnplanned(_ name: String, into judgement: inout Judgement) {
        guard plan.unplanned != .allow else { return }
        let advice = eventSuggestions.advice(about: name, list: 0) { eventNames.nearest(to: $0)?.word }
        let reported = Characters.reported(name)
        judgement.add(
            PlanFinding(
                code: .unplannedEvent,
                severity: plan.unplanned == .warn ? .warning : .error,
                subject: .event,
                name: reported,
                path: FieldName.eventType,
                message: "event_type: the plan has no event \"\(reported)\"\(advice)"
            )
        )
    }

    private static func finding(
        _ code: PlanCode,
        _ subject: Violation.Subject,
        _ name: String,
        _ path: String,
        _ requirement: String
    ) -> PlanFinding {
        PlanFinding(
            code: code,
            severity: .error,
            subject: subject,
            name: Characters.reported(name),
            path: path,
            message: cut("\(path): \(requirement)")
        )
    }

    /// A text cut to the length of a message, with unprintable characters replaced.
    static func cut(_ text: String) -> String {
        Characters.reported(text, longest: Rules.longestMessage)
    }

    // MARK: - Attributes

    /// Place of attributes in an event, with the codes of its findings.
    private struct Location {
        enum Owner {
            case attributes
            case items(Int)
            case user(isRequired: Bool)
        }

        let owner: Owner
        /// True if `null` counts as absent.
        let skipsNull: Bool

        init(_ owner: Owner, skipsNull: Bool) {
            self.owner = owner
            self.skipsNull = skipsNull
        }

        var text: String {
            switch owner {
            case .attributes: FieldName.attributes
            case .items(let index): "items[\(index)]"
            case .user: FieldName.user
            }
        }

        var subject: Violation.Subject {
            switch owner {
            case .attributes: .attribute
            case .items: .item
            case .user: .userAttribute
            }
        }

        /// The code for a cause: items and users have one code for all.
        func code(_ code: PlanCode) -> PlanCode {
            switch owner {
            case .attributes: code
            case .items: .item
            case .user: .user
            }
        }

        var checksRequired: Bool {
            if case .user(isRequired: false) = owner { false } else { true }
        }

        /// The member with the name that the SDK writes: in short form, items may have names of the published SDK.
        func renamed(_ member: JSONMember) -> JSONMember {
            guard skipsNull, case .items = owner, let name = Self.renamed[ExactText(member.name)] else { return member }
            return JSONMember(name, member.value, nameOffset: member.nameOffset)
        }

        private static let renamed = Dictionary(
            ItemName.renamed.map { (ExactText($0.key), $0.value) },
            uniquingKeysWith: { first, _ in first }
        )

        /// The value of an entry; `nil` if it counts as absent.
        func value(_ entry: JSONValue) -> JSONValue? {
            var value = entry
            if case .user = owner, let inner = entry["value"], !inner.isNull { value = inner }
            return skipsNull && value.isNull ? nil : value
        }

        func finding(_ code: PlanCode, _ name: String, _ requirement: String) -> PlanFinding {
            let reported = Characters.reported(name)
            let path = name.isEmpty ? text : "\(text).\(reported)"
            return PlanJudge.finding(self.code(code), subject, name.isEmpty ? text : name, path, requirement)
        }
    }

    private func judge(_ object: JSONValue?, by fields: Fields, _ location: Location, into judgement: inout Judgement) {
        var members: [JSONMember] = []
        if let object {
            if let found = object.members {
                members = found
            } else {
                judgement.add(location.finding(.type, "", "must be an object, not \(object.kindDescription)"))
                return
            }
        }
        var values: [ExactText: JSONValue] = [:]
        members = members.map { location.renamed($0) }
        for member in members {
            let value = location.value(member.value)
            values[ExactText(member.name)] = value
            let bytes = member.name.utf8.count + (value?.string?.utf8.count ?? 0)
            judgement.patternSteps += Self.patternStepsPerByte * bytes
        }
        if location.checksRequired { judgeMissing(values, by: fields, location, into: &judgement) }
        for member in members {
            // Of a repeated name the last value counts, and it is judged once.
            let name = ExactText(member.name)
            guard let value = values.removeValue(forKey: name) else { continue }
            guard let attribute = fields[name] else {
                guard !fields.allowsOthers, !Characters.areReserved(member.name) else { continue }
                let advice = attributeSuggestions.advice(about: member.name, list: fields.number) {
                    fields.nearest(to: $0)
                }
                judgement.add(location.finding(.unplannedAttribute, member.name, "not in the plan\(advice)"))
                continue
            }
            guard
                let breach = Self.breach(
                    of: attribute.type,
                    attribute.checks,
                    by: value,
                    patternSteps: &judgement.patternSteps
                )
            else { continue }
            judgement.add(location.finding(breach.code, member.name, breach.requirement(of: attribute.type, value)))
        }
    }

    /// Adds a finding for each required attribute without a value, own ones first. Takes time in proportion to the number of
    /// values and of listed findings; the other missing attributes are only counted.
    private func judgeMissing(
        _ values: [ExactText: JSONValue],
        by fields: Fields,
        _ location: Location,
        into judgement: inout Judgement
    ) {
        guard fields.requiredCount > 0 else { return }
        var missing = fields.requiredCount - values.keys.count { fields[$0]?.isRequired == true }
        for (table, others) in [(fields.own, nil), (fields.globals, fields.own)] as [(AttributeTable, AttributeTable?)]
        {
            for attribute in table.required {
                guard missing > 0, judgement.verdict.findings.count < Rules.maxFindings else { break }
                let name = ExactText(attribute.name)
                guard values[name] == nil, others?.byName[name] == nil else { continue }
                let requirement = "required by the plan, missing (\(attribute.constraints))"
                judgement.add(location.finding(.missingAttribute, attribute.name, requirement))
                missing -= 1
            }
        }
        judgement.verdict.unlisted += missing
    }

    /// The type or rule that a value breaks.
    struct Breach {
        /// The check of a rule; `nil` for the type.
        var check: PlanCheck?
        var outcome = PlanCheck.Outcome.broken

        var code: PlanCode { check?.code ?? .type }

        /// Clause on a value in the plan itself.
        var contradiction: String {
            guard outcome != .undecided else { return "takes too long to be compared with 'pattern'" }
            return check?.contradiction ?? "has another type"
        }

        /// Clause with the plan's requirement.
        func requirement(of type: PlannedAttribute.ValueType, _ value: JSONValue) -> String {
            if let check { return check.requirement(value, outcome) }
            let isFraction = type == .integer && value.number != nil
            return "must be \(type.phrase), not \(isFraction ? "a number with a fraction" : value.kindDescription)"
        }
    }

    /// The type or the first rule that a value breaks; `nil` if there is none.
    /// - Parameter patternSteps: the number of states of patterns that may be visited; reduced by those that were.
    static func breach(
        of type: PlannedAttribute.ValueType,
        _ checks: [PlanCheck],
        by value: JSONValue,
        patternSteps: inout Int
    ) -> Breach? {
        switch (type, value.kind) {
        case (.string, .string), (.boolean, .boolean), (.number, .number): break
        case (.integer, .number(let number)) where number.isWhole: break
        default: return Breach()
        }
        for index in checks.indices {
            let outcome = checks[index].outcome(value, &patternSteps)
            if outcome != .met { return Breach(check: checks[index], outcome: outcome) }
        }
        return nil
    }
}
