#if Collector
import ClickstreamCore
import Foundation
import Testing

@Suite("replay --explain")
struct ExplainTests {
    private static let script = """
        clickstream: 1
        config: { appId: shopping }
        steps:
          - launch
          - foreground
          - wait: 1s
          - background
          - wait: 29m59s999ms
          - foreground
          - background
          - wait: 31m
          - foreground
          - disable
          - background
          - foreground
          - kill
          - clock: -1h
          - launch
        """

    private static let explanations = [
        "event 1: session 1 starts: the first session of this store",
        "event 6: session 1 continues: gap 29m59s999ms < timeout 30m",
        "event 8: session 2 starts: gap 31m \u{2265} timeout 30m",
        "event 10: session 2 continues: recording is off: coming to the foreground decides nothing",
        "event 10: session 2 continues: gap 0ms < timeout 30m: the wall clock was set back 1h meanwhile",
    ]

    @Test("prints reasons on standard error with line numbers, and does not change the lines")
    func dryRun() async throws {
        try await Workplace.use { workplace in
            let script = try workplace.write(Self.script, to: "day.yaml")
            let plain = try await workplace.run("replay", script, "--dry-run")
            let explained = try await workplace.run("replay", script, "--dry-run", "--explain")
            #expect(explained.status == 0)
            #expect(explained.output == plain.output)
            #expect(plain.errors == "")
            let lines: [Substring] = explained.errors.split(separator: "\n")
            let reasons: [String] = lines.map { (line: Substring) -> String in String(line) }
            #expect(reasons == Self.explanations)
            // The numbers are those of the first events that came of each decision.
            let names = try explained.lines.map { try JSONReader.parse(Array($0.utf8))["event_type"]?.string }
            let first: [String?] = [names[0], names[5], names[7], names[9]]
            #expect(first == ["_first_open", "_app_start", "_app_start", "_app_start"])
        }
    }

    @Test("numbers lines consecutively over all scripts and users")
    func several() async throws {
        try await Workplace.use { workplace in
            let script = try workplace.write("clickstream: 1\nsteps: [ launch ]\n", to: "launch.yaml")
            let run = try await workplace.run("replay", script, script, "--dry-run", "--explain", "--users", "2")
            let numbers: [Int] = [1, 4, 7, 10]
            let expected: [String] = numbers.map { (number: Int) -> String in
                "event \(number): session 1 starts: the first session of this store"
            }
            #expect(run.errors.split(separator: "\n").map(String.init) == expected)
        }
    }

    @Test("is a part of the report")
    func report() async throws {
        try await Workplace.use { workplace in
            let script = try workplace.write(Self.script, to: "day.yaml")
            let human = try await workplace.run("replay", script, "--explain", "--format", "human")
            #expect(human.status == 0)
            for line in Self.explanations { #expect(human.lines.contains("  \(line)")) }
            #expect(
                human.lines.contains("      _first_open, _app_start, _session_start, _user_engagement, _app_end")
            )

            let json = try await workplace.run("replay", script, "--explain", "--format", "json")
            let decisions = try JSONReader.parse(Array(json.output.utf8))["decisions"]?.array ?? []
            let reasons: [String] = decisions.map { (decision: JSONValue) -> String in
                let verb: String = decision["is_new"]?.boolean == true ? "starts" : "continues"
                let event: Int64 = decision["event"]?.integer ?? 0
                let number: Int64 = decision["session_number"]?.integer ?? 0
                let reason: String = decision["reason"]?.string ?? ""
                return "event \(event): session \(number) \(verb): \(reason)"
            }
            #expect(reasons == Self.explanations)
            #expect(decisions.map { $0["events"]?.integer } == [5, 2, 2, 0, 1])
        }
    }

    @Test("is required for decisions to be reported")
    func silent() async throws {
        try await Workplace.use { workplace in
            let script = try workplace.write(Self.script, to: "day.yaml")
            let json = try await workplace.run("replay", script, "--format", "json")
            #expect(try JSONReader.parse(Array(json.output.utf8))["decisions"] == nil)
        }
    }
}
#endif
