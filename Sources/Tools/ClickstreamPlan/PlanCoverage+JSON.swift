package import ClickstreamCore

extension PlanCoverage {
    /// The comparison as the query API returns it: planned events in the order of the plan, then events that are not
    /// planned, then those of the SDK, each by name.
    package var json: JSONValue {
        let others = events.keys.filter { planned[$0] == nil }.sorted().map(\.text)
        let names =
            plan.events.map(\.name) + others.filter { state(of: $0) == .unplanned }
            + others.filter { state(of: $0) == .sdk }
        let states = names.map { state(of: $0) }
        func count(_ state: State) -> Int { states.count { $0 == state } }
        let summary: [JSONMember] =
            [.number("planned", plan.events.count)] + State.allCases.map { .number($0.rawValue, count($0)) } + [
                .number("events", total), .number("events_with_findings", totalWithFindings),
                .number("events_with_errors", totalWithErrors), .number("unlisted_events", unlistedEvents),
            ]
        return JSONValue(
            .object([
                .object("plan", [.text("unplanned", plan.unplanned.rawValue)]),
                .object("summary", summary),
                .object("coverage", coverageMembers),
                .list("events", zip(names, states).map { JSONValue(.object(members(of: $0, $1))) }),
                .object("user", user.members(plan.user)),
            ])
        )
    }

    /// Shares of the planned events and attributes that were seen, with the names of the others.
    package var coverageMembers: [JSONMember] {
        let events = eventShare.members + [JSONMember.list("never_seen", texts: neverSeen)]
        return [.object("events", events), .object("attributes", attributeShare.members)]
    }

    /// Findings of one event, each with the planned attribute that it concerns.
    package func json(ofFindingsOn event: JSONValue, sequence: Int64) -> JSONValue {
        let verdict = judge.verdict(on: event)
        let name = PlanJudge.name(of: event)
        let planned = name.flatMap { plannedEvent($0) }
        return JSONValue(
            .object([
                .number("seq", Int(sequence)),
                .text("name", name),
                .text("state", name.map { planned == nil ? state(of: $0).rawValue : State.seen.rawValue }),
                .list("findings", verdict.findings.map { JSONValue(.object(members(of: $0, in: planned))) }),
                .number("unlisted_findings", verdict.unlisted),
            ])
        )
    }

    private func plannedEvent(_ name: String) -> PlannedEvent? {
        planned[ExactText(name)].map { plan.events[$0.index] }
    }

    private func members(of name: String, _ state: State) -> [JSONMember] {
        let planned = plannedEvent(name)
        let event = events[ExactText(name)] ?? Event()
        var fields = planned?.fields ?? PlannedFields()
        fields.attributes = planned.map { plan.fields(of: $0) } ?? plan.globals.attributes
        let items = planned?.items ?? (event.items.objects > 0 ? PlannedFields() : nil)
        let findings = event.findings.map { counted in
            JSONValue(
                .object(
                    members(of: counted.finding, in: planned) + [.number("events", counted.events)]
                        + Sighting.members("last", counted.last)
                )
            )
        }
        let sightings = Sighting.members("first", event.first) + Sighting.members("last", event.last)
        return [
            .text("name", name), .text("state", state.rawValue), .text("description", planned?.summary),
            .number("events", event.events),
        ] + sightings + [
            .number("events_with_findings", event.eventsWithFindings),
            .number("events_with_errors", event.eventsWithErrors),
            .object("attributes", event.attributes.members(fields)),
            .object("items", items.map { event.items.members($0) }),
            .list("findings", findings), .number("unlisted_findings", event.unlistedFindings),
        ]
    }

    private func members(of finding: PlanFinding, in event: PlannedEvent?) -> [JSONMember] {
        let attribute: PlannedAttribute? =
            switch finding.subject {
            case .attribute: event?.fields[finding.name] ?? plan.globals[finding.name]
            case .item: event?.items?[finding.name]
            case .userAttribute: plan.user[finding.name]
            default: nil
            }
        return [
            .text("code", finding.code.rawValue), .text("severity", finding.severity.rawValue),
            .text("subject", finding.subject.rawValue), .text("name", finding.name), .text("path", finding.path),
            .text("message", finding.message), .object("planned", attribute?.requirementMembers),
        ]
    }
}

extension PlanCoverage.Sighting {
    /// Members of a sighting; null for an event that was not seen.
    /// - Parameter prefix: beginning of their names.
    fileprivate static func members(_ prefix: String, _ sighting: Self?) -> [JSONMember] {
        func member(_ name: String, _ integer: Int64?) -> JSONMember {
            JSONMember("\(prefix)_\(name)", integer.map { .number(JSONNumber(integer: $0)) } ?? .null)
        }
        return [member("seq", sighting?.sequence), member("received", sighting?.receivedAt?.milliseconds)]
    }
}

extension PlanCoverage.Share {
    package var members: [JSONMember] {
        [
            .number("planned", planned), .number("seen", seen),
            JSONMember("share", .number(JSONNumber(double: value))),
        ]
    }
}

extension ObservedFields {
    /// The planned attributes in the order of the plan, then the others in the order of their first occurrence.
    fileprivate func members(_ planned: PlannedFields) -> [JSONMember] {
        let known = Set(planned.attributes.map { ExactText($0.name) })
        let listed =
            planned.attributes.map { ($0.name, Optional($0)) }
            + names.filter { !known.contains(ExactText($0)) }.map { ($0, nil) }
        return [
            .list(
                "listed",
                listed.map { name, attribute in
                    JSONValue(
                        .object([
                            .text("name", name), .object("planned", attribute?.requirementMembers),
                            .object("seen", values[ExactText(name)]?.members),
                        ])
                    )
                }
            ),
            .number("objects", objects), .number("unlisted", unlisted), .boolean("additional", planned.allowsOthers),
        ]
    }
}

extension ObservedValues {
    fileprivate var members: [JSONMember] {
        [
            .number("count", count),
            .object("types", types.sorted { $0.key < $1.key }.map { .number($0.key, $0.value) }),
            .list("examples", texts: examples), .boolean("has_more", hasMore),
            JSONMember("minimum", minimum.map { JSONValue(.number($0)) } ?? JSONValue(.null)),
            JSONMember("maximum", maximum.map { JSONValue(.number($0)) } ?? JSONValue(.null)),
        ]
    }
}

extension PlannedAttribute {
    fileprivate var requirementMembers: [JSONMember] {
        [
            .text("type", type.rawValue), .boolean("required", isRequired), .text("requirement", constraints),
            .text("description", summary),
        ]
    }
}
