import ArgumentParser
import ClickstreamCore
import ClickstreamJudges
import ClickstreamPlan
import Testing

@testable import clickstream_cli

@Suite("Expectations of a plan")
struct PlanExpectationTests {
    private static let plan = TrackingPlan(
        events: [PlannedEvent("buy", fields: PlannedFields([PlannedAttribute("price", .number, isRequired: true)]))]
    )

    private static let events = [
        #"{"event_type":"buy","attributes":{"price":1}}"#, #"{"event_type":"buy","attributes":{}}"#,
        #"{"event_type":"buy","attributes":{"price":"1"}}"#, #"{"event_type":"buy"}"#, #"{"event_type":"sell"}"#,
    ]

    private static func value(_ json: String) throws -> JSONValue { try JSONReader.parse(Array(json.utf8)) }

    private static func coverage(_ events: [String]) throws -> PlanCoverage {
        var coverage = PlanCoverage(plan)
        for event in events {
            coverage.add(
                try value(event),
                at: PlanCoverage.Sighting(sequence: 1, receivedAt: Timestamp(milliseconds: 1))
            )
        }
        return coverage
    }

    @Test("have the same findings from a comparison as from single events")
    func comparison() throws {
        var single = Expectations([])
        single.plan = PlanJudge(Self.plan)
        for event in Self.events {
            single.take(ReceivedEvent(JSONValue(.object([JSONMember("event", try Self.value(event))]))))
        }
        var compared = Expectations([])
        compared.take(try Self.coverage(Self.events))
        #expect(compared.expectsPlan && single.expectsPlan)
        #expect(compared.eventsAgainstPlan == 3)
        #expect(compared.eventsAgainstPlan == single.eventsAgainstPlan)
        #expect(compared.planFindings == single.planFindings)
        #expect(compared.verdict == .broken)
        let lines = ExpectationReport(expectations: compared, waited: 0).human(in: Style(isColoured: false))
        #expect(lines.first == "FAILED  plan: 3 events not as planned")
    }

    @Test("compare as much of an event as the collector does")
    func bounds() throws {
        let many = (0..<5_000).map { "\"a\($0)\":1" }.joined(separator: ",")
        let event = #"{"event_type":"buy","attributes":{\#(many),"price":1}}"#
        var expectations = Expectations([])
        expectations.plan = PlanJudge(Self.plan)
        expectations.take(try ReceivedEvent(text: Array(#"{"event":\#(event)}"#.utf8)[...]))
        let judged = try JSONReader.parse(Array(event.utf8)[...], within: .event).value
        #expect(expectations.planFindings(areErrors: true).map { $0.entry.code } == [.missingAttribute])
        #expect(PlanJudge(Self.plan).verdict(on: judged).findings.map(\.code) == [.missingAttribute])
    }

    @Test("list an error after any number of different warnings")
    func warningsFirst() throws {
        var expectations = Expectations([])
        expectations.plan = PlanJudge(Self.plan)
        for event in (0..<300).map({ #"{"event_type":"sell\#($0)"}"# }) + [Self.events[1]] {
            expectations.take(ReceivedEvent(JSONValue(.object([JSONMember("event", try Self.value(event))]))))
        }
        #expect(expectations.eventsAgainstPlan == 1)
        #expect(expectations.planFindings(areErrors: true).map { $0.entry.code } == [.missingAttribute])
        #expect(expectations.planFindings(areErrors: false).count == 200)
        let report = ExpectationReport(expectations: expectations, waited: 0).machineReport
        #expect(report.findings.map(\.code) == ["plan_missing_attribute"])
    }

    @Test("count warnings as errors if they are strict", arguments: [false, true])
    func strict(isStrict: Bool) throws {
        let unplanned = Self.events[4]
        var single = Expectations([], isStrict: isStrict)
        single.plan = PlanJudge(Self.plan)
        single.reset()
        single.take(ReceivedEvent(JSONValue(.object([JSONMember("event", try Self.value(unplanned))]))))
        var compared = Expectations([], isStrict: isStrict)
        compared.take(try Self.coverage([unplanned]))
        for expectations in [single, compared] {
            #expect(expectations.verdict == (isStrict ? .broken : .holds))
            #expect(expectations.planFindings(areErrors: isStrict).map { $0.entry.code } == [.unplannedEvent])
        }
    }

    @Test("hold without a finding that is an error, and without an event")
    func holds() throws {
        for events in [[], [Self.events[0]], [Self.events[4]]] {
            var expectations = Expectations([])
            expectations.take(try Self.coverage(events))
            #expect(expectations.verdict == .holds)
            #expect(!expectations.isEmpty)
        }
    }

    @Test(
        "have a status of their own if a part was not checked, unless they are broken already",
        arguments: [
            ([], true, .done), ([], false, .unfinished), ([0], true, .done), ([0], false, .unfinished),
            ([1], true, .findings), ([1], false, .findings),
        ] as [([Int], Bool, clickstream_cli.ExitStatus)]
    )
    func status(_ events: [Int], _ isComplete: Bool, _ status: clickstream_cli.ExitStatus) throws {
        var expectations = Expectations([])
        expectations.take(try Self.coverage(events.map { Self.events[$0] }))
        let report = ExpectationReport(expectations: expectations, waited: 0, isComplete: isComplete)
        #expect(report.status == status)
        #expect(report.holds == (status == .done))
    }

    @Test("have a status of their own if an event is missing of those that were checked")
    func missing() throws {
        let expectations = Expectations(try ExpectationOptions.parse(["--event", "buy"]).expectations())
        #expect(ExpectationReport(expectations: expectations, waited: 0).status == .findings)
        #expect(ExpectationReport(expectations: expectations, waited: 0, isComplete: false).status == .unfinished)
    }
}
