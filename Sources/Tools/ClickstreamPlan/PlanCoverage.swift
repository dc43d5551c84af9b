package import ClickstreamCore

/// Comparison of received events with a plan: which planned events were seen, with which attributes, and the findings.
///
/// A value; adding an event costs the plan's checks and one lookup per attribute. Memory depends on the number of
/// different names, up to ``Limits``, not on the number of events.
package struct PlanCoverage: Sendable {
    /// Limits of what is kept. Planned names are always kept; what exceeds a limit is counted.
    package enum Limits {
        /// Names of events that are not planned.
        package static let names = 1_000
        /// Names of attributes that are not planned, for each owner.
        package static let attributes = 200
        /// Different findings of one event.
        package static let findings = 100
        /// Different values of one attribute.
        package static let examples = 5
        /// Characters of a value.
        package static let exampleLength = 60
    }

    /// Position and time of an event in the store, or in another source.
    package struct Sighting: Sendable, Hashable {
        package var sequence: Int64
        /// `nil` if the source does not have it.
        package var receivedAt: Timestamp?

        package init(sequence: Int64, receivedAt: Timestamp?) {
            self.sequence = sequence
            self.receivedAt = receivedAt
        }
    }

    /// Relation of an event name to the plan; the raw value is the name in JSON.
    package enum State: String, Sendable, Hashable, CaseIterable {
        case seen
        case neverSeen = "never_seen"
        case unplanned
        /// Recorded by the SDK, and not in the plan.
        case sdk
    }

    /// Finding with the number of events that have it.
    package struct CountedFinding: Sendable, Hashable {
        /// The finding of the last event.
        package var finding: PlanFinding
        package var events: Int
        package var last: Sighting
    }

    /// Received events of one name.
    package struct Event: Sendable, Hashable {
        package var events = 0
        /// The first event, which the store may have evicted since.
        package var first: Sighting?
        package var last: Sighting?
        /// Events with at least one finding.
        package var eventsWithFindings = 0
        /// Events with at least one finding that is an error.
        package var eventsWithErrors = 0
        package var attributes = ObservedFields()
        package var items = ObservedFields()
        /// Different findings in the order of their first occurrence.
        package var findings: [CountedFinding] = []
        /// Findings beyond ``Limits/findings``, and those that the judge did not list.
        package var unlistedFindings = 0
    }

    package let plan: TrackingPlan
    let judge: PlanJudge
    /// Index of each planned event, with the names of its attributes and of those of its items.
    let planned: [ExactText: (index: Int, attributes: Set<ExactText>, items: Set<ExactText>)]
    private let plannedUser: Set<ExactText>
    private var unplannedNames = 0
    package private(set) var events: [ExactText: Event] = [:]
    /// Attributes of the user, in events of all names.
    package private(set) var user = ObservedFields()
    /// All events, those without a name included.
    package private(set) var total = 0
    package private(set) var totalWithFindings = 0
    /// Events with at least one finding that is an error.
    package private(set) var totalWithErrors = 0
    /// Events without a name, or of a name beyond ``Limits/names``.
    package private(set) var unlistedEvents = 0

    package init(_ plan: TrackingPlan) {
        self.plan = plan
        judge = PlanJudge(plan)
        planned = Dictionary(
            plan.events.enumerated().map { index, event in
                let items = event.items?.attributes ?? []
                return (ExactText(event.name), (index, plan.fields(of: event).names, items.names))
            },
            uniquingKeysWith: { first, _ in first }
        )
        plannedUser = plan.user.attributes.names
    }

    /// Relation of a name to the plan.
    package func state(of text: String) -> State {
        let name = ExactText(text)
        if planned[name] != nil { return events[name] == nil ? .neverSeen : .seen }
        return Characters.areReserved(text) ? .sdk : .unplanned
    }

    /// Adds an event in wire form or short form.
    package mutating func add(_ event: JSONValue, at sighting: Sighting) {
        total += 1
        let verdict = judge.verdict(on: event)
        if !verdict.findings.isEmpty { totalWithFindings += 1 }
        if verdict.hasErrors { totalWithErrors += 1 }
        guard let name = PlanJudge.name(of: event).map({ ExactText($0) }), keeps(name) else {
            unlistedEvents += 1
            return
        }
        let kept = planned[name]
        events[name, default: Event()].add(
            event,
            verdict,
            at: sighting,
            attributes: kept?.attributes ?? [],
            items: kept?.items ?? []
        )
        if let members = event[FieldName.user]?.members {
            let values = members.map { member in
                let inner = member.value["value"].flatMap { $0.isNull ? nil : $0 }
                return JSONMember(member.name, inner ?? member.value)
            }
            user.add(values, keeping: plannedUser)
        }
    }

    /// True if the events of a name are listed. A new name is counted.
    private mutating func keeps(_ name: ExactText) -> Bool {
        if planned[name] != nil || events[name] != nil { return true }
        guard unplannedNames < Limits.names, !Characters.areMore(in: name.text, than: Rules.longestReportedName) else {
            return false
        }
        unplannedNames += 1
        return true
    }
}

extension PlanCoverage.Event {
    fileprivate mutating func add(
        _ event: JSONValue,
        _ verdict: PlanJudge.Verdict,
        at sighting: PlanCoverage.Sighting,
        attributes kept: Set<ExactText>,
        items keptOfItems: Set<ExactText>
    ) {
        events += 1
        if first == nil { first = sighting }
        last = sighting
        attributes.add(event[FieldName.attributes]?.members ?? [], keeping: kept)
        for item in event[FieldName.items]?.array ?? [] { items.add(item.members ?? [], keeping: keptOfItems) }
        guard !verdict.findings.isEmpty else { return }
        eventsWithFindings += 1
        if verdict.hasErrors { eventsWithErrors += 1 }
        unlistedFindings += verdict.unlisted
        var counted: Set<Int> = []
        for finding in verdict.findings {
            // The index of an item is no difference.
            let known = findings.firstIndex {
                let other = $0.finding
                return other.code == finding.code && other.subject == finding.subject
                    && Characters.areSame(other.name, finding.name)
            }
            if let known {
                guard counted.insert(known).inserted else { continue }
                findings[known].finding = finding
                findings[known].events += 1
                findings[known].last = sighting
            } else if findings.count < PlanCoverage.Limits.findings {
                counted.insert(findings.count)
                findings.append(PlanCoverage.CountedFinding(finding: finding, events: 1, last: sighting))
            } else {
                unlistedFindings += 1
            }
        }
    }
}

extension [PlannedAttribute] {
    fileprivate var names: Set<ExactText> { Set(map { ExactText($0.name) }) }
}

/// Observed attributes of an event, of items or of the user.
package struct ObservedFields: Sendable, Hashable {
    /// Objects with attributes.
    package private(set) var objects = 0
    /// Names in the order of their first occurrence.
    package private(set) var names: [String] = []
    package private(set) var values: [ExactText: ObservedValues] = [:]
    /// Occurrences of attributes beyond the limit of names.
    package private(set) var unlisted = 0
    private var unplanned = 0

    /// - Parameter kept: names that the limit does not concern. Other reserved names are not listed.
    mutating func add(_ members: [JSONMember], keeping kept: Set<ExactText>) {
        objects += 1
        var seen: Set<ExactText> = []
        var added: [String] = []
        defer { names += added.reversed() }
        // Of a repeated name the last value counts.
        for member in members.reversed() {
            let name = ExactText(member.name)
            let isPlanned = kept.contains(name)
            guard isPlanned || !Characters.areReserved(member.name), seen.insert(name).inserted else { continue }
            if values[name] == nil {
                if !isPlanned {
                    guard unplanned < PlanCoverage.Limits.attributes,
                        !Characters.areMore(in: member.name, than: Rules.longestReportedName)
                    else {
                        unlisted += 1
                        continue
                    }
                    unplanned += 1
                }
                added.append(member.name)
            }
            values[name, default: ObservedValues()].add(member.value)
        }
    }
}

/// Observed values of one attribute.
package struct ObservedValues: Sendable, Hashable {
    package private(set) var count = 0
    /// Number of values by type: string, integer, number, boolean, null, array, object.
    package private(set) var types: [String: Int] = [:]
    /// Different scalar values as JSON text, the first ones, shortened.
    package private(set) var examples: [String] = []
    /// True if there were further different values.
    package private(set) var hasMore = false
    package private(set) var minimum: JSONNumber?
    package private(set) var maximum: JSONNumber?

    mutating func add(_ value: JSONValue) {
        count += 1
        switch value.kind {
        case .string: types["string", default: 0] += 1
        case .boolean: types["boolean", default: 0] += 1
        case .null: types["null", default: 0] += 1
        case .array: types["array", default: 0] += 1
        case .object: types["object", default: 0] += 1
        case .number(let number):
            types[number.isWhole ? "integer" : "number", default: 0] += 1
            // A number of a hostile length is neither compared nor shown.
            guard number.text.utf8.count <= PlanCoverage.Limits.exampleLength else {
                hasMore = true
                return
            }
            if minimum.map({ number.isLess(than: $0) }) ?? true { minimum = number }
            if maximum.map({ $0.isLess(than: number) }) ?? true { maximum = number }
        }
        guard !value.isNested, !hasMore else { return }
        let text = Self.example(value)
        guard !examples.contains(where: { Characters.areSame($0, text) }) else { return }
        if examples.count < PlanCoverage.Limits.examples { examples.append(text) } else { hasMore = true }
    }

    private static func example(_ value: JSONValue) -> String {
        let maxLength = PlanCoverage.Limits.exampleLength
        guard let text = value.string, Characters.areMore(in: text, than: maxLength) else { return value.description }
        return JSONValue.text(String(text.unicodeScalars.prefix(maxLength)) + "…").description
    }
}
