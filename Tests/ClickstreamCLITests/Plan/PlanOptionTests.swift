#if Collector
import ClickstreamCore
import Foundation
import Testing

@testable import clickstream_cli

@Suite("--plan and --report of other commands")
struct PlanOptionTests {
    private static let plan = """
        clickstream-plan: 1
        events:
          buy: { attributes: { price: { type: number, required: true, minimum: 0 } }, additional: false }
        unplanned: warn
        """

    private static func script(price: String, name: String = "buy") -> String {
        """
        clickstream: 1
        config: { appId: shop }
        steps:
          - launch
          - record: { name: \(name), attributes: { price: \(price) } }
        """
    }

    @Test(
        "replay checks recorded events, and ends with 1 after an error",
        arguments: [
            ("1.5", "buy", ["--strict"], 0, ""),
            (
                "-1", "buy", [], 1,
                "error: buy: attributes.price: must be a number, at least 0 [plan_range]\nplan: 1 error, 0 warnings; each is printed once\n"
            ),
            (
                "1", "byu", [], 0,
                "warning: byu: event_type: the plan has no event \"byu\"; did you mean 'buy'? [plan_unplanned_event]\nplan: 0 errors, 1 warning; each is printed once\n"
            ),
            (
                "1", "byu", ["--strict"], 1,
                "error: byu: event_type: the plan has no event \"byu\"; did you mean 'buy'? [plan_unplanned_event]\nplan: 1 error, 0 warnings; each is printed once\n"
            ),
        ] as [(String, String, [String], Int32, String)]
    )
    func replay(price: String, name: String, options: [String], status: Int32, errors: String) async throws {
        try await Workplace.use { workplace in
            _ = try workplace.write(Self.plan, to: "plan.yaml")
            _ = try workplace.write(Self.script(price: price, name: name), to: "script.yaml")
            let run = try await workplace.run(
                ["replay", "script.yaml", "--dry-run", "--plan", "plan.yaml"] + options
            )
            #expect(run.status == status)
            #expect(run.errors == errors)
            #expect(run.lines.count == 4)
        }
    }

    @Test("replay prints an error after a hundred warnings")
    func replayWarningsFirst() async throws {
        try await Workplace.use { workplace in
            _ = try workplace.write(Self.plan, to: "plan.yaml")
            let records = ((0..<110).map { "unknown_\($0)" } + ["buy"]).map { "  - record: \($0)\n" }.joined()
            _ = try workplace.write("clickstream: 1\nsteps:\n  - launch\n" + records, to: "script.yaml")
            let run = try await workplace.run(["replay", "script.yaml", "--dry-run", "--plan", "plan.yaml"])
            #expect(run.status == 1)
            #expect(run.errors.contains("plan_missing_attribute"))
            #expect(run.errors.hasSuffix("plan: 1 error, 110 warnings; each is printed once\n"))
        }
    }

    @Test("replay counts the plan's findings in the report on its collector")
    func replayReport() async throws {
        try await Workplace.use { workplace in
            _ = try workplace.write(Self.plan, to: "plan.yaml")
            _ = try workplace.write(Self.script(price: "-1"), to: "script.yaml")
            let run = try await workplace.run("replay", "script.yaml", "--plan", "plan.yaml", "--format", "json")
            #expect(run.status == 1)
            let report = try JSONReader.parse(Array(run.output.utf8))
            #expect(report["summary"]?["bad_events"]?.integer == 1)
            #expect(report["errors_by_code"]?["plan_range"] != nil)
        }
    }

    @Test(
        "--strict needs findings that it applies to",
        arguments: [["assert", "--event", "a"], ["collect", "--port", "0"], ["replay", "script.yaml"]]
    )
    func strict(arguments: [String]) async throws {
        try await Workplace.use { workplace in
            let run = try await workplace.run(arguments + ["--strict"])
            #expect(run.status == 64)
            #expect(run.errors.contains("--strict needs "))
        }
    }

    @Test("generate records conforming traffic with every planned event")
    func generate() async throws {
        try await Workplace.use { workplace in
            let plan = """
                clickstream-plan: 1
                events:
                  one: { attributes: { a: { type: string, required: true, pattern: "^x[0-9]{3}$" } }, additional: false }
                  two: { attributes: { n: { type: integer, minimum: -5, maximum: -2, required: true } }, items: { required: [id], attributes: { id: { type: string } }, additional: false } }
                user: { attributes: { tier: { type: string, required: true, enum: [free, paid] } } }
                globals: { attributes: { channel: { type: string, required: true } } }
                unplanned: error
                """
            _ = try workplace.write(plan, to: "plan.yaml")
            let run = try await workplace.run(
                "generate",
                "--dry-run",
                "--rate",
                "max",
                "--events",
                "500",
                "--plan",
                "plan.yaml"
            )
            #expect(run.status == 0)
            #expect(run.lines.count == 500)
            for name in ["one", "two"] { #expect(run.output.contains("\"event_type\":\"\(name)\"")) }
            let judged = try await workplace.run("validate", "-", "--plan", "plan.yaml", input: run.output)
            #expect(judged == Finished(status: 0, output: "[]\n", errors: ""))
        }
    }

    @Test("collect and assert fail after an error by the plan")
    func received() async throws {
        try await Workplace.use { workplace in
            _ = try workplace.write(Self.plan, to: "plan.yaml")
            _ = try workplace.write(Self.script(price: "-1"), to: "bad.yaml")
            _ = try workplace.write(Self.script(price: "1"), to: "good.yaml")
            let collector = try await CollectorProcess(workplace)
            func check(_ script: String, _ options: String...) async throws -> Finished {
                _ = try await workplace.run("replay", script, "--endpoint", collector.endpoint)
                return try await workplace.run(
                    ["assert", "http://127.0.0.1:\(collector.port)", "--plan", "plan.yaml"] + options
                )
            }
            #expect(try await check("good.yaml", "--within", "10s").status == 0)
            let failed = try await check("bad.yaml", "--event", "buy:2", "--format", "json")
            #expect(failed.status == 1)
            let report = try JSONReader.parse(Array(failed.output.utf8))
            #expect(report["plan"]?["ok"]?.boolean == false)
            #expect(report["plan"]?["events"]?.integer == 1)
            #expect(report["plan"]?["found"]?.array?.first?["code"]?.string == "plan_range")
            let annotations = try await workplace.run(
                "assert",
                "http://127.0.0.1:\(collector.port)",
                "--plan",
                "plan.yaml",
                "--report",
                "github"
            )
            #expect(
                annotations.lines == ["::error title=plan_range::buy: attributes.price: must be a number, at least 0"]
            )
            try await collector.kill()
        }
    }

    @Test(
        "collect checks what it received at its end",
        arguments: [
            ("-1", 1, "FAILED  plan: 1 event not as planned"), ("1", 0, "ok      plan: 0 events not as planned"),
        ]
    )
    func collected(price: String, status: Int32, line: String) async throws {
        try await Workplace.use { workplace in
            _ = try workplace.write(Self.plan, to: "plan.yaml")
            _ = try workplace.write(Self.script(price: price), to: "day.yaml")
            let command =
                "'\(Workplace.executable.path)' replay day.yaml --endpoint \"$CLICKSTREAM_ENDPOINT\" > replay.out"
            let run = try await workplace.run(
                ["collect", "--port", "0", "--plan", "plan.yaml", "--", "sh", "-c", command]
            )
            #expect(run.status == status, "\(run.errors)")
            #expect(run.errors.contains(line), "\(run.errors)")
            let finding = "plan_range attributes.price: must be a number, at least 0, in buy"
            #expect(run.errors.contains(finding) == (status == 1), "\(run.errors)")
        }
    }

    private static let events = """
        {"name":"buy","attributes":{"price":1}}
        {"name":"buy","attributes":{"price":"<1>"}}
        {"name":"sell"}
        {"name":
        """

    @Test("validate prints a report for other programs, with the same status", arguments: ["junit", "github", "sarif"])
    func report(format: String) async throws {
        try await Workplace.use { workplace in
            _ = try workplace.write(Self.plan, to: "plan.yaml")
            _ = try workplace.write(Self.events, to: "a,b.ndjson")
            let run = try await workplace.run("validate", "a,b.ndjson", "--plan", "plan.yaml", "--report", format)
            #expect(run.status == 1)
            switch format {
            case "junit":
                #expect(run.output.contains("<testsuites tests=\"4\" failures=\"2\" errors=\"0\">"))
                #expect(run.output.contains("name=\"line 3\">\n      <system-out>warning: event_type: the plan has no"))
                #expect(run.output.contains("<testcase classname=\"a,b.ndjson\" name=\"line 2\">"))
                #expect(
                    run.output.contains(
                        "<failure type=\"plan_type\" message=\"attributes.price: must be a number, not a string\">"
                    )
                )
                #expect(run.output.contains("name=\"1 event without findings\"/>"))
            case "github":
                #expect(run.lines.count == 3)
                #expect(
                    run.lines.first
                        == "::error file=a%2Cb.ndjson,line=2,title=plan_type::attributes.price: must be a number, not a string"
                )
                #expect(run.lines[1].hasPrefix("::warning file=a%2Cb.ndjson,line=3,title=plan_unplanned_event::"))
                #expect(run.lines[2].hasPrefix("::error file=a%2Cb.ndjson,line=4,col=9,title=not_json::"))
            default:
                let log = try JSONReader.parse(Array(run.output.utf8))
                #expect(log["version"]?.string == "2.1.0")
                let results = log["runs"]?.array?.first?["results"]?.array ?? []
                #expect(results.map { $0["ruleId"]?.string } == ["plan_type", "plan_unplanned_event", "not_json"])
                #expect(results.map { $0["level"]?.string } == ["error", "warning", "error"])
                let location = results.last?["locations"]?.array?.first?["physicalLocation"]
                #expect(location?["artifactLocation"]?["uri"]?.string == "a%2Cb.ndjson")
                #expect(location?["region"]?["startLine"]?.integer == 4)
            }
        }
    }

    @Test(
        "validate prints a report of an input that cannot be read, with the same status",
        arguments: ["junit", "github", "sarif"],
        [
            ("wide.ndjson", 65, "cannot read wide.ndjson: the text is UTF-16, not UTF-8; "),
            ("none.ndjson", 66, "cannot read none.ndjson: no such file; "),
        ] as [(name: String, status: Int32, reason: String)]
    )
    func unreadable(format: String, input: (name: String, status: Int32, reason: String)) async throws {
        try await Workplace.use { workplace in
            _ = try workplace.write("\n\0{\0}\0", to: "wide.ndjson")
            let run = try await workplace.run("validate", input.name, "--report", format)
            #expect(run.status == input.status)
            #expect(run.errors.hasPrefix("error: \(input.reason)"))
            switch format {
            case "junit":
                #expect(run.output.contains("<testsuites tests=\"1\" failures=\"1\" errors=\"0\">"))
                #expect(run.output.contains("<failure type=\"unreadable_input\" message=\"\(input.reason)"))
            case "github":
                #expect(run.lines.count == 1)
                #expect(run.output.hasPrefix("::error file=\(input.name),title=unreadable_input::\(input.reason)"))
            default:
                let log = try JSONReader.parse(Array(run.output.utf8))
                let results = log["runs"]?.array?.first?["results"]?.array ?? []
                #expect(results.map { $0["ruleId"]?.string } == ["unreadable_input"])
                #expect(results.first?["message"]?["text"]?.string?.hasPrefix(input.reason) == true)
            }
        }
    }

    @Test("a warning fails a report only with --strict", arguments: ["junit", "github", "sarif"])
    func warning(format: String) async throws {
        try await Workplace.use { workplace in
            _ = try workplace.write(Self.plan, to: "plan.yaml")
            for isStrict in [false, true] {
                let run = try await workplace.run(
                    ["validate", "-", "--plan", "plan.yaml", "--report", format] + (isStrict ? ["--strict"] : []),
                    input: #"{"name":"sell"}"#
                )
                #expect(run.status == (isStrict ? 1 : 0))
                switch format {
                case "junit": #expect(run.output.contains("failures=\"\(isStrict ? 1 : 0)\" errors=\"0\">"))
                case "github": #expect(run.output.hasPrefix(isStrict ? "::error " : "::warning "))
                default:
                    let results = try JSONReader.parse(Array(run.output.utf8))["runs"]?.array?.first?["results"]?.array
                    #expect(results?.map { $0["level"]?.string } == [isStrict ? "error" : "warning"])
                }
            }
        }
    }

    @Test("a report without findings passes")
    func empty() async throws {
        try await Workplace.use { workplace in
            let event = #"{"name":"buy"}"#
            let junit = try await workplace.run("validate", "-", "--report", "junit", input: event)
            #expect(junit.status == 0)
            #expect(junit.output.contains("tests=\"1\" failures=\"0\""))
            #expect(try await workplace.run("validate", "-", "--report", "github", input: event).output == "")
            #expect(
                try await workplace.run("validate", "-", "--report", "sarif", "--format", "json", input: event).status
                    == 64
            )
        }
    }
}
#endif
