import ClickstreamCore
import ClickstreamJudges
import ClickstreamPlan
import Testing

@testable import clickstream_cli

@Suite("Expected share of a plan's events")
struct CoverageExpectationTests {
    private static let plan = TrackingPlan(
        events: [
            PlannedEvent("login"),
            PlannedEvent("buy", fields: PlannedFields([PlannedAttribute("price", .number, isRequired: true)])),
            PlannedEvent("view"),
        ]
    )

    private static func value(_ json: String) throws -> JSONValue { try JSONReader.parse(Array(json.utf8)) }

    private static func expected(_ share: String) throws -> Expectations {
        var expectations = Expectations([])
        let option = try #require(ShareOption(argument: share))
        expectations.coverage = CoverageExpectation(option, of: plan)
        return expectations
    }

    /// The expectations after single events, as `assert` reads them.
    private static func single(_ share: String, _ names: [String]) throws -> Expectations {
        var expectations = try expected(share)
        expectations.plan = PlanJudge(plan)
        for name in names {
            let event = try value(#"{"event_type":"\#(name)","attributes":{"price":1}}"#)
            expectations.take(ReceivedEvent(JSONValue(.object([JSONMember("event", event)]))))
        }
        return expectations
    }

    /// The expectations after a comparison, as `collect` makes it.
    private static func compared(
        _ share: String,
        _ names: [String],
        isComplete: Bool = true
    ) throws -> Expectations {
        var expectations = try expected(share)
        var coverage = PlanCoverage(plan)
        for name in names {
            let event = try value(#"{"event_type":"\#(name)","attributes":{"price":1}}"#)
            coverage.add(event, at: PlanCoverage.Sighting(sequence: 1, receivedAt: nil))
        }
        expectations.take(coverage, isComplete: isComplete)
        return expectations
    }

    @Test(
        "holds from the required share on, for single events and for a comparison",
        arguments: [
            ("0", [], .holds), ("0.5", [], .missing), ("66%", ["buy", "buy", "other"], .missing),
            ("66%", ["buy", "view"], .holds), ("100%", ["buy", "view"], .missing),
            ("1", ["buy", "view", "login"], .holds),
        ] as [(String, [String], Expectations.Verdict)]
    )
    func verdicts(share: String, names: [String], verdict: Expectations.Verdict) throws {
        for expectations in [try Self.single(share, names), try Self.compared(share, names)] {
            #expect(expectations.verdict == verdict)
            #expect(expectations.wantsSomething == (share != "0"))
        }
    }

    @Test("counts an event with a finding as seen")
    func findings() throws {
        var expectations = try Self.expected("0.3")
        expectations.plan = PlanJudge(Self.plan)
        let event = try Self.value(#"{"event_type":"buy"}"#)
        expectations.take(ReceivedEvent(JSONValue(.object([JSONMember("event", event)]))))
        #expect(expectations.isCovered)
        #expect(expectations.breaksPlan)
    }

    @Test("begins anew after a reset")
    func reset() throws {
        var expectations = try Self.single("100%", ["buy", "view", "login"])
        #expect(expectations.isCovered)
        expectations.reset()
        #expect(expectations.verdict == .missing)
        #expect(expectations.coverage?.neverSeen == ["login", "buy", "view"])
    }

    @Test("is reported with the names that were never seen")
    func report() throws {
        let report = ExpectationReport(expectations: try Self.compared("90%", ["buy"]), waited: 0)
        #expect(report.status == .findings)
        #expect(report.failure == "1 of 2 expectations failed")
        #expect(
            report.human(in: Style(isColoured: false)) == [
                "ok      plan: 0 events not as planned",
                "FAILED  plan coverage: 1 of 3 planned events seen (33.3 %), expected at least 90%",
                "          never seen: login, view",
            ]
        )
        let json = try Self.value(report.json)["plan"]?["coverage"]
        #expect(json?["ok"]?.boolean == false)
        #expect(json?["required"]?.double == 0.9)
        #expect(json?["never_seen"]?.array?.compactMap(\.string) == ["login", "view"])
        #expect(report.machineReport.findings.map(\.code) == ["plan_coverage"])
    }

    @Test(
        "has a status of its own if the rest may contain the missing events",
        arguments: [
            ("30%", true, .done, true), ("30%", false, .unfinished, true), ("90%", true, .findings, false),
            ("90%", false, .unfinished, false),
        ] as [(String, Bool, clickstream_cli.ExitStatus, Bool)]
    )
    func incomplete(share: String, isComplete: Bool, status: clickstream_cli.ExitStatus, holds: Bool) throws {
        let expectations = try Self.compared(share, ["buy"], isComplete: isComplete)
        let report = ExpectationReport(expectations: expectations, waited: 0, isComplete: isComplete)
        #expect(report.status == status)
        #expect(expectations.isCovered == holds)
        let isUndecided = !holds && !isComplete
        #expect(expectations.coverage?.isUndecided == isUndecided)
        let lines = report.human(in: Style(isColoured: false))
        let line = "FAILED  plan coverage: not computed before the end of the stop, expected at least 90%"
        #expect(lines.contains(line) == isUndecided)
        // Other events were not checked, but those of the plan all were.
        let other = ExpectationReport(
            expectations: try Self.compared(share, ["buy"]),
            waited: 0,
            isComplete: false
        )
        #expect(other.status == (holds ? .unfinished : .findings))
    }

    @Test("is refused without a plan")
    func usage() async throws {
        try await Workplace.use { workplace in
            for command in [["assert"], ["collect", "--port", "0"]] where command[0] == "assert" || Self.hasCollector {
                let run = try await workplace.run(command + ["--event", "a", "--require-coverage", "0.9"])
                let message =
                    "error: --require-coverage needs --plan FILE: it is a share of the events of the plan"
                #expect(run.errors.split(separator: "\n").first == message[...])
                #expect(run.status == 64)
            }
        }
    }

    private static var hasCollector: Bool { EmbeddedCollector.isAvailable }

    #if Collector
    @Test("makes collect exit with 1, with the names in the message and in the summary")
    func collect() async throws {
        try await Workplace.use { workplace in
            let plan = try workplace.write(PlanCoverageCommandTests.plan, to: "plan.yaml")
            let arguments = ["collect", "--port", "0", "--plan", plan, "--require-coverage"]
            let failed = try await workplace.run(arguments + ["50%", "--", "true"])
            #expect(failed.status == 1)
            #expect(
                failed.errors.contains(
                    """
                    FAILED  plan coverage: 0 of 3 planned events seen (0 %), expected at least 50%
                              never seen: login, buy, view

                    """
                ),
                "\(failed.errors)"
            )
            let summary = try Self.value(String(failed.lines.last ?? ""))["plan_coverage"]
            #expect(summary?["ok"]?.boolean == false)
            #expect(summary?["never_seen"]?.array?.compactMap(\.string) == ["login", "buy", "view"])
            let held = try await workplace.run(arguments + ["0", "--", "true"])
            #expect(held.status == 0)
        }
    }
    #endif
}
