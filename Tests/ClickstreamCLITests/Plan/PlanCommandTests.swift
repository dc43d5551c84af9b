import ClickstreamCore
import ClickstreamPlan
import Testing

@testable import clickstream_cli

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

@Suite("plan, and validate --plan")
struct PlanCommandTests {
    private static let plan = """
        clickstream-plan: 1
        events:
          add_to_cart:
            attributes: { price: { type: number, required: true, minimum: 0 } }
            additional: false
        """

    @Test("check prints a summary, or every mistake with its position")
    func check() async throws {
        try await Workplace.use { workplace in
            _ = try workplace.write(Self.plan, to: "plan.yaml")
            let good = try await workplace.run("plan", "check", "plan.yaml")
            let summary =
                #"{"events":1,"attributes":1,"user_attributes":0,"global_attributes":0,"unplanned":"warn"}"# + "\n"
            #expect(good == Finished(status: 0, output: summary, errors: ""))
            let bad = try await workplace.run(
                "plan",
                "check",
                "-",
                input: Self.plan.replacing("number", with: "nubmer").replacing("add_to_", with: "add to ")
            )
            #expect(
                bad
                    == Finished(
                        status: 65,
                        output: "",
                        errors: """
                            standard input:3:3: error: invalid event name "add to cart": use letters, digits and '_', not starting \
                            with a digit (code 1001)
                            standard input:4:34: error: unknown type 'nubmer' of the attribute 'price'; did you mean 'number'?

                            """
                    )
            )
            #expect(try await workplace.run("plan", "check", "missing.yaml").status == 66)
        }
    }

    @Test("check warns of names that differ in Swift")
    func names() async throws {
        try await Workplace.use { workplace in
            _ = try workplace.write(Self.plan.replacing("add_to_cart", with: "error"), to: "plan.yaml")
            let run = try await workplace.run("plan", "check", "plan.yaml")
            #expect(run.status == 0)
            let warning =
                "warning: plan.yaml: events.error: named 'ErrorEvent' in Swift, where 'Error' has another meaning\n"
            #expect(run.errors == warning)
            #expect(try await workplace.run("plan", "check", "plan.yaml", "--quiet").errors.isEmpty)
        }
    }

    @Test("diff exits with 1 after a breaking change")
    func diff() async throws {
        try await Workplace.use { workplace in
            _ = try workplace.write(Self.plan, to: "old.yaml")
            _ = try workplace.write(Self.plan.replacing("minimum: 0", with: "minimum: -1"), to: "new.yaml")
            let wider = try await workplace.run("plan", "diff", "old.yaml", "new.yaml")
            #expect(
                wider.output
                    == #"[{"breaking":false,"path":"events.add_to_cart.attributes.price.minimum","message":"0 became -1"}]"#
                    + "\n"
            )
            #expect(wider.status == 0)
            let narrower = try await workplace.run("plan", "diff", "new.yaml", "old.yaml", "--format", "human")
            #expect(
                narrower.lines == [
                    "breaking    events.add_to_cart.attributes.price.minimum: -1 became 0", "1 change, 1 breaking",
                ]
            )
            #expect(narrower.status == 1)
        }
    }

    @Test("infer prints a plan without findings on the same events")
    func infer() async throws {
        try await Workplace.use { workplace in
            let generated = try await workplace.run("generate", "--dry-run", "--rate", "max", "--events", "500")
            _ = try workplace.write(generated.output, to: "events.ndjson")
            let plan = try await workplace.run("plan", "infer", "events.ndjson")
            #expect(plan.status == 0)
            let comment = try #require(plan.lines.first { $0.hasPrefix("  # ") })
            #expect(comment.contains(" events, first 20") && comment.contains("Z, last 20"), "\(comment)")
            _ = try workplace.write(plan.output, to: "plan.yaml")
            let judged = try await workplace.run("validate", "events.ndjson", "--plan", "plan.yaml")
            #expect(judged == Finished(status: 0, output: "[]\n", errors: ""))
            let schema = try await workplace.run("plan", "json-schema", "plan.yaml")
            #expect(try JSONReader.parse(Array(schema.output.utf8))["$defs"]?["purchase"] != nil)
            let document = try await workplace.run("plan", "markdown", "plan.yaml")
            #expect(document.lines.contains("## purchase"))
        }
    }

    @Test("validate prints findings of the plan after those of the rules")
    func validate() async throws {
        try await Workplace.use { workplace in
            _ = try workplace.write(Self.plan, to: "plan.yaml")
            let events = """
                {"name":"add_to_cart","attributes":{"price":"1","a b":1}}
                {"name":"add_to_crat"}
                """
            let run = try await workplace.run("validate", "-", "--plan", "plan.yaml", input: events)
            #expect(run.status == 1)
            let found = try JSONReader.parse(Array(run.output.utf8)).array ?? []
            let codes = found.map {
                "\($0["line"]?.integer ?? 0) \($0["code"]?.string ?? $0["code"]?.number?.text ?? "") \($0["subject"]?.string ?? "")"
            }
            #expect(
                codes == [
                    "1 2002 attribute", "1 plan_type attribute", "1 plan_unplanned_attribute attribute",
                    "2 plan_unplanned_event event",
                ]
            )
            #expect(found.map { $0["severity"]?.string } == [nil, nil, nil, "warning"])
            #expect(found.allSatisfy { $0["name"]?.string?.isEmpty == false })
        }
    }

    @Test("validate refuses a plan with captured events, and one with mistakes")
    func refused() async throws {
        try await Workplace.use { workplace in
            _ = try workplace.write("clickstream-plan: 3\nevents: {}", to: "plan.yaml")
            #expect(
                try await workplace.run("validate", "-", "--plan", "plan.yaml", "--form", "pulse", input: "").status
                    == 64
            )
            let run = try await workplace.run("validate", "-", "--plan", "plan.yaml", input: "{}")
            #expect(run.status == 65)
            #expect(run.errors == "plan.yaml:1:19: error: unknown format version 3; this program reads version 1\n")
        }
    }

    @Test(
        "ends with the signal's status while it reads standard input",
        arguments: [
            ["check"], ["diff", "plan.yaml"], ["json-schema"], ["markdown"], ["swift"], ["infer"],
            ["coverage", "plan.yaml"],
        ]
    )
    func signal(command: [String]) async throws {
        try await Workplace.use { workplace in
            _ = try workplace.write(Self.plan, to: "plan.yaml")
            let run = try workplace.start(["plan"] + command + ["-"], input: .pipe)
            // Before that it would simply die.
            #expect(try await run.wait { run.listensToSignals })
            run.send(SIGINT)
            #expect(try await run.finish() == Finished(status: 130, output: "", errors: ""))
        }
    }

    @Test("explain describes each code", arguments: PlanCode.allCases)
    func explained(code: PlanCode) {
        #expect(PlanCode.explain(code.rawValue)?.hasPrefix("\(code.rawValue)  ") == true)
        #expect(ExplainCommand.codes.contains(code.rawValue))
        #expect(ReplayReport.meaning(of: code.rawValue) == code.title)
    }
}
