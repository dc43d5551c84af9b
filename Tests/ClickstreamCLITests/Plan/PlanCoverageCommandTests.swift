import ClickstreamCore
import ClickstreamPlan
import Testing

@testable import clickstream_cli

@Suite("plan coverage")
struct PlanCoverageCommandTests {
    static let plan = """
        clickstream-plan: 1
        events:
          login:
          buy:
            attributes: { price: { type: number, required: true } }
          view:
        """

    private static let events = """
        {"event_type":"buy","timestamp":1704067200000,"attributes":{"price":"x"}}
        {"name":"buy","attributes":{"price":1}}
        {"event_type":"sell"}
        """

    @Test("shows the planned events of a file, those that were never seen first, and the unplanned ones last")
    func human() async throws {
        try await Workplace.use { workplace in
            _ = try workplace.write(Self.plan, to: "plan.yaml")
            let run = try await workplace.run(
                ["plan", "coverage", "plan.yaml", "--format", "human"],
                input: Self.events
            )
            #expect((run.status, run.errors) == (0, ""))
            #expect(
                run.lines.map { $0.split(separator: " ").joined(separator: " ") } == [
                    "event events first seen last seen findings", "login 0 never seen", "view 0 never seen",
                    "buy 2 2024-01-01T00:00:00.000Z 1", "sell 1 1 unplanned", "1 of 3 planned events seen (33.3 %)",
                ]
            )
        }
    }

    @Test(
        "exits with 1 if a smaller share than required was seen",
        arguments: [("0.33", 0), ("33%", 0), ("34%", 1), ("1", 1), ("0", 0)] as [(String, Int32)]
    )
    func required(share: String, status: Int32) async throws {
        try await Workplace.use { workplace in
            _ = try workplace.write(Self.plan, to: "plan.yaml")
            _ = try workplace.write(Self.events, to: "events.ndjson")
            let run = try await workplace.run("plan", "coverage", "plan.yaml", "events.ndjson", "--require", share)
            #expect(run.status == status)
            let error =
                "error: 1 of 3 planned events seen (33.3 %), less than --require \(share); never seen: login, view\n"
            #expect(run.errors == (status == 0 ? "" : error))
            let coverage = try JSONReader.parse(Array(run.output.utf8))["coverage"]?["events"]
            #expect(coverage?["seen"]?.integer == 1)
        }
    }

    @Test("reports lines that are not JSON and events without a name with status 65, beside the rest")
    func badLines() async throws {
        try await Workplace.use { workplace in
            _ = try workplace.write(Self.plan, to: "plan.yaml")
            let run = try await workplace.run(
                ["plan", "coverage", "plan.yaml", "-", "--require", "1"],
                input: Self.events + "\n{}\nnope\n"
            )
            #expect(run.status == 65)
            #expect(
                run.errors == """
                    error: standard input:5:1: not JSON: unexpected 'nope'
                    error: 1 line of standard input not used; correct them, or leave them out
                    warning: 1 event not listed: without a name, or with more unplanned names than are listed
                    error: 1 of 3 planned events seen (33.3 %), less than --require 1; never seen: login, view

                    """
            )
            #expect(try JSONReader.parse(Array(run.output.utf8))["summary"]?["events"]?.integer == 4)
            let empty = try await workplace.run(["plan", "coverage", "plan.yaml"], input: "")
            #expect(empty.status == 0)
            #expect(empty.errors == "warning: standard input has no events: the input is empty\n")
        }
    }

    @Test(
        "refuses invalid usage",
        arguments: [
            (
                ["--store", "a.sqlite"],
                "--store needs a plan; name it, as in plan coverage plan.yaml --store events.sqlite"
            ),
            (
                ["p.yaml", "--store", "a.sqlite", "--url", "http://127.0.0.1:1"],
                "--url and --store cannot be combined; leave out one of them"
            ),
            (
                ["p.yaml", "e.ndjson", "--url", "http://127.0.0.1:1"],
                "a file of events cannot be combined with --store or --url; leave out one of them"
            ),
            (["-"], "standard input can be read only once; name - once"),
            (
                ["p.yaml", "--require", "90"],
                "--require needs a share from 0 to 1, or from 0% to 100%, such as 0.9 or 90%"
            ),
        ] as [([String], String)]
    )
    func usage(arguments: [String], message: String) async throws {
        try await Workplace.use { workplace in
            let run = try await workplace.run(["plan", "coverage"] + arguments)
            #expect(run.errors.split(separator: "\n").first == "error: \(message)"[...])
            #expect((run.status, run.output) == (64, ""))
        }
    }

    @Test(
        "reads a share as a fraction or a percentage",
        arguments: [
            ("0.9", 0.9), ("90%", 0.9), (" 85 % ", 0.85), ("0", 0), ("1", 1), ("1.0", 1), ("100%", 1), ("90", nil),
            ("1.1", nil), ("101%", nil), ("0.9%", 9.0 / 1_000), ("56.6%", 283.0 / 500), (".5", 0.5), (".5%", 0.005),
            (".", nil), (".%", nil), ("e%", nil), ("NaN%", nil), ("-0.1", nil), ("nan", nil), ("1e-1", nil), ("", nil),
            ("%", nil),
            ("0.9.1", nil),
        ] as [(String, Double?)]
    )
    func shares(text: String, share: Double?) {
        #expect(ShareOption(argument: text)?.share == share)
    }

    @Test(
        "rounds a share down, so that less than all is never 100 %",
        arguments: [
            (17, 20, "17 of 20 planned events seen (85 %)"),
            (1_999, 2_000, "1999 of 2000 planned events seen (99.9 %)"),
            (3, 3, "3 of 3 planned events seen (100 %)"), (0, 0, "0 of 0 planned events seen (100 %)"),
        ]
    )
    func text(seen: Int, planned: Int, text: String) {
        #expect(PlanCoverage.Share(planned: planned, seen: seen).text == text)
    }

    @Test(
        "reads the share in the reply of a collector, and refuses one that none has",
        arguments: [
            (#"{"planned":3,"seen":1,"never_seen":["a","b"]}"#, PlanCoverage.Share(planned: 3, seen: 1)),
            (#"{"planned":3,"seen":4}"#, nil), (#"{"planned":3,"seen":-1}"#, nil), (#"{"planned":-1,"seen":-1}"#, nil),
            (#"{"planned":9223372036854775807,"seen":9223372036854775807}"#, nil), (#"{"planned":3}"#, nil),
        ] as [(String, PlanCoverage.Share?)]
    )
    func reply(events: String, share: PlanCoverage.Share?) throws {
        let body = Array(#"{"plan":{},"coverage":{"events":\#(events)}}"#.utf8)
        let address = try #require(CollectorAddress("http://127.0.0.1:9090"))
        if let share {
            let report = try CoverageReport(reply: body, from: .collector(address))
            #expect(report.share == share)
            #expect(report.neverSeen == ["a", "b"])
        } else {
            #expect(throws: CommandFailure.self) { try CoverageReport(reply: body, from: .collector(address)) }
        }
    }

    @Test("lists at most ten names that were never seen", arguments: [(0, ""), (1, "never seen: e0")])
    func missing(count: Int, text: String) {
        #expect(PlanCoverage.Share.missing((0..<count).map { "e\($0)" }) == text)
        let many = PlanCoverage.Share.missing((0..<12).map { "e\($0)" })
        #expect(many == "never seen: e0, e1, e2, e3, e4, e5, e6, e7, e8, e9 and 2 others")
    }

    @Test(
        "reports a server without a plan, and one of an earlier version",
        arguments: [
            (#"{"plan":null}"#, 64, "the collector at URL has no plan; start it with --plan FILE, or pass the plan"),
            (
                #"{"plan":{"unplanned":"warn"},"summary":{"events":0},"events":[]}"#, 69,
                "the collector at URL is of an earlier version, without the coverage of its plan; update it, or pass the plan"
            ),
        ] as [(String, Int32, String)]
    )
    func refusals(body: String, status: Int32, message: String) async throws {
        let server = FixedServer { _ in
            "200 OK\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
        }
        defer { server.stop() }
        let url = "http://\(server.authority)"
        let run = try await Workplace.use { try await $0.run("plan", "coverage", "--url", url) }
        let advice = ": 'clickstream-cli plan coverage PLAN --url URL'"
        #expect(
            run
                == Finished(
                    status: status,
                    output: "",
                    errors: "error: \(message.replacing("URL", with: url))\(advice)\n"
                )
        )
    }
}
