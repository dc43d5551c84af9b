import ClickstreamCore
import Testing

@testable import ClickstreamPlan

@Suite("Comparison of received events with a plan")
struct PlanCoverageTests {
    private static let plan = TrackingPlan(
        events: [
            PlannedEvent(
                "buy",
                fields: PlannedFields(
                    [
                        PlannedAttribute(
                            "price",
                            .number,
                            isRequired: true,
                            rules: [MinimumRule(JSONNumber(integer: 0))]
                        ),
                        PlannedAttribute("currency", .string),
                    ],
                    allowsOthers: false
                ),
                items: PlannedFields([PlannedAttribute("id", .string, isRequired: true)])
            ),
            PlannedEvent("login"),
        ],
        user: PlannedFields([PlannedAttribute("tier", .string)]),
        globals: PlannedFields([PlannedAttribute("channel", .string)])
    )

    private static func coverage(_ lines: [String], _ plan: TrackingPlan = plan) throws -> PlanCoverage {
        var coverage = PlanCoverage(plan)
        for (index, line) in lines.enumerated() {
            let sighting = PlanCoverage.Sighting(
                sequence: Int64(index + 1),
                receivedAt: Timestamp(milliseconds: Int64(index + 1) * 1_000)
            )
            coverage.add(try JSONReader.parse(Array(line.utf8)), at: sighting)
        }
        return coverage
    }

    @Test(
        "gives each name a state",
        arguments: [
            ("buy", PlanCoverage.State.seen), ("login", .neverSeen), ("buyy", .unplanned), ("_app_start", .sdk),
        ]
    )
    func states(name: String, state: PlanCoverage.State) throws {
        let lines = ["buy", "buyy", "_app_start"].map { #"{"event_type":"\#($0)","attributes":{"price":1}}"# }
        #expect(try Self.coverage(lines).state(of: name) == state)
    }

    @Test("counts events and findings, and keeps the last finding of a kind")
    func findings() throws {
        let coverage = try Self.coverage([
            #"{"event_type":"buy","attributes":{"price":1}}"#, #"{"event_type":"buy","attributes":{"price":-1}}"#,
            #"{"event_type":"buy","attributes":{"price":-2,"colour":"red"}}"#,
            #"{"event_type":"buy","attributes":{"price":1},"items":[{"id":1},{"id":2}]}"#, "{}",
        ])
        let buy = try #require(coverage.events["buy"])
        #expect(buy.events == 4)
        #expect(buy.eventsWithFindings == 3)
        #expect(buy.eventsWithErrors == 3)
        #expect(buy.first == PlanCoverage.Sighting(sequence: 1, receivedAt: Timestamp(milliseconds: 1_000)))
        #expect(buy.last == PlanCoverage.Sighting(sequence: 4, receivedAt: Timestamp(milliseconds: 4_000)))
        #expect(
            buy.findings.map { "\($0.finding.code.rawValue) \($0.finding.path) \($0.events) \($0.last.sequence)" } == [
                "plan_range attributes.price 2 3", "plan_unplanned_attribute attributes.colour 1 3",
                "plan_item items[0].id 1 4",
            ]
        )
        #expect(coverage.total == 5)
        #expect(coverage.totalWithFindings == 3)
        #expect(coverage.totalWithErrors == 3)
        // By default, an unplanned event is a warning.
        let unplanned = try Self.coverage([#"{"event_type":"bye"}"#])
        #expect(unplanned.totalWithFindings == 1)
        #expect(unplanned.totalWithErrors == 0)
        #expect(unplanned.events["bye"]?.eventsWithErrors == 0)
        #expect(coverage.unlistedEvents == 1)
    }

    /// Shares of planned names with the names that were not seen; attributes are those of seen events only.
    struct ShareCase: Sendable, CustomTestStringConvertible {
        var lines: [String]
        var seen: Int
        var never: [String]
        var attributes: PlanCoverage.Share

        var testDescription: String { "\(lines)" }
    }

    @Test(
        "computes the shares of planned events and attributes that were seen, with findings or without",
        arguments: [
            ShareCase(lines: [], seen: 0, never: ["buy", "login"], attributes: .init(planned: 0, seen: 0)),
            ShareCase(
                lines: [#"{"event_type":"byu","attributes":{"price":1}}"#, "{}"],
                seen: 0,
                never: ["buy", "login"],
                attributes: .init(planned: 0, seen: 0)
            ),
            // price, currency, the global channel, and id of the items.
            ShareCase(
                lines: [#"{"event_type":"buy","attributes":{"price":"x","colour":1}}"#, #"{"event_type":"buy"}"#],
                seen: 1,
                never: ["login"],
                attributes: .init(planned: 4, seen: 1)
            ),
            ShareCase(
                lines: [
                    #"{"event_type":"login","attributes":{"channel":"web"}}"#,
                    #"{"event_type":"buy","attributes":{"price":1,"currency":"EUR"},"items":[{"id":1}]}"#,
                ],
                seen: 2,
                never: [],
                attributes: .init(planned: 5, seen: 4)
            ),
        ]
    )
    func shares(_ expected: ShareCase) throws {
        let coverage = try Self.coverage(expected.lines)
        #expect(coverage.eventShare == PlanCoverage.Share(planned: 2, seen: expected.seen))
        #expect(coverage.eventShare.value == Double(expected.seen) / 2)
        #expect(coverage.neverSeen == expected.never)
        #expect(coverage.attributeShare == expected.attributes)
    }

    @Test("misses nothing of a plan without events")
    func nothingPlanned() throws {
        let coverage = try Self.coverage([#"{"event_type":"buy"}"#], TrackingPlan())
        #expect(coverage.eventShare == PlanCoverage.Share(planned: 0, seen: 0))
        #expect(coverage.eventShare.value == 1)
        #expect(coverage.neverSeen == [])
    }

    @Test("has first and last event and the shares in JSON")
    func sightings() throws {
        let json = try Self.coverage(Array(repeating: #"{"event_type":"login"}"#, count: 3)).json
        let events = try #require(json["events"]?.array)
        let names = ["first_seq", "first_received", "last_seq", "last_received"]
        #expect(names.map { events[0][$0]?.isNull } == [true, true, true, true])
        #expect(names.map { events[1][$0]?.integer } == [1, 1_000, 3, 3_000])
        let coverage = try #require(json["coverage"])
        #expect(
            coverage.description
                == #"{"events":{"planned":2,"seen":1,"share":0.5,"never_seen":["buy"]},"#
                + #""attributes":{"planned":1,"seen":0,"share":0.0}}"#
        )
    }

    @Test("does not take a canonically equivalent name for a planned one")
    func equivalentNames() throws {
        var coverage = PlanCoverage(TrackingPlan(events: [PlannedEvent("OK")]))
        let event = #"{"event_type":"O\u212A","attributes":{"K":1,"\u212A":2}}"#
        coverage.add(
            try JSONReader.parse(Array(event.utf8)),
            at: PlanCoverage.Sighting(sequence: 1, receivedAt: Timestamp(milliseconds: 1))
        )
        #expect(coverage.state(of: "OK") == .neverSeen)
        #expect(coverage.state(of: "O\u{212A}") == .unplanned)
        #expect(coverage.events["O\u{212A}"]?.attributes.names.count == 2)
    }

    @Test("describes attributes as they were received")
    func observed() throws {
        let lines = (0..<10).map { index in
            #"{"event_type":"login","attributes":{"n":\#(index).5,"t":"v\#(index)","_x":1,"n":\#(index)}}"#
        }
        let attributes = try #require(try Self.coverage(lines).events["login"]).attributes
        #expect(attributes.names == ["t", "n"])
        #expect(attributes.objects == 10)
        let number = try #require(attributes.values["n"])
        #expect(number.types == ["integer": 10])
        #expect(number.minimum?.text == "0")
        #expect(number.maximum?.text == "9")
        let text = try #require(attributes.values["t"])
        #expect(text.examples == (0..<5).map { "\"v\($0)\"" })
        #expect(text.hasMore)
    }

    @Test("keeps bounded memory for names, attributes and values of any length")
    func limits() throws {
        let digits = String(repeating: "9", count: 5_000)
        let long = String(repeating: "x", count: 100_000)
        var lines = (0..<1_010).map { #"{"event_type":"e\#($0)"}"# }
        lines.append(#"{"event_type":"\#(long)"}"#)
        let attributes = (0..<250).map { #""a\#($0)":1"# }.joined(separator: ",")
        lines.append(#"{"event_type":"buy","attributes":{\#(attributes),"price":\#(digits),"currency":"\#(long)"}}"#)
        let coverage = try Self.coverage(lines)
        #expect(coverage.events.count == PlanCoverage.Limits.names + 1)
        #expect(coverage.unlistedEvents == 11)
        let buy = try #require(coverage.events["buy"])
        #expect(buy.attributes.names.count == PlanCoverage.Limits.attributes + 2)
        #expect(buy.attributes.unlisted == 50)
        #expect(buy.findings.count <= PlanCoverage.Limits.findings)
        #expect(buy.attributes.values["price"]?.examples == [])
        #expect(buy.attributes.values["currency"]?.examples.first?.count == PlanCoverage.Limits.exampleLength + 3)
        #expect(coverage.json.description.utf8.count < 2_000_000)
    }

    @Test("lists planned events in the order of the plan, then unplanned ones, then those of the SDK")
    func order() throws {
        let lines = ["_app_end", "z", "a", "login"].map { #"{"event_type":"\#($0)","user":{"tier":{"value":"gold"}}}"# }
        let json = try Self.coverage(lines).json
        let names = json["events"]?.array?.compactMap { $0["name"]?.string }
        #expect(names == ["buy", "login", "a", "z", "_app_end"])
        let states = json["events"]?.array?.compactMap { $0["state"]?.string }
        #expect(states == ["never_seen", "seen", "unplanned", "unplanned", "sdk"])
        let own = json["events"]?.array?.first?["attributes"]?["listed"]?.array?.compactMap { $0["name"]?.string }
        #expect(own == ["price", "currency", "channel"])
        #expect(json["user"]?["listed"]?.array?.first?["seen"]?["examples"]?.array?.first?.string == "\"gold\"")
        #expect(json["summary"]?["unplanned"]?.integer == 2)
    }

    @Test("gives a finding the requirement of the plan")
    func requirement() throws {
        let event = try JSONReader.parse(Array(#"{"event_type":"buy","attributes":{"price":-1,"channel":3}}"#.utf8))
        let json = PlanCoverage(Self.plan).json(ofFindingsOn: event, sequence: 7)
        #expect(json["seq"]?.integer == 7)
        #expect(json["state"]?.string == "seen")
        let findings = try #require(json["findings"]?.array)
        #expect(findings.compactMap { $0["planned"]?["requirement"]?.string } == ["a number, at least 0", "a string"])
        #expect(findings.compactMap { $0["planned"]?["required"]?.boolean } == [true, false])
    }
}
