#if Collector
import ClickstreamCollector
import ClickstreamCore
import ClickstreamJudges
import Foundation
import Testing

@Suite("replay --form")
struct CaptureFormTests {
    private static let script = """
        clickstream: 1
        config: { autoEvents: [ viewController, buttonClick, touch ] }
        app: { package: com.company.shop, title: Shop, version: "1.0" }
        device: { platform: iOS, os_version: "17.4", make: Apple, brand: Apple, model: iPhone, locale: en_US, language: en,
                  country: US, carrier: UNKNOWN, network: WIFI, screen_width: 393, screen_height: 852, device_id: d,
                  advertising_id: "" }
        ui:
          Home:
            views:
              - { class: UIButton, kind: button, name: buy, frame: [0, 0, 100, 40], responds: true }
        steps:
          - launch
          - show: Home
          - touch: [ [50, 20], 80ms, [50, 20] ]
          - click: buy
          - wait: 1s
          - background

        """

    private static func names(_ lines: [Substring], _ key: String) throws -> [String?] {
        try lines.map { line in
            let value = try JSONReader.parse(Array(line.utf8))[key]
            return value?.string ?? value?.integer.map { "\($0)" }
        }
    }

    @Test(
        "prints each event in that format, also without its configuration",
        arguments: [
            (
                ["--form", "clickstream"], "event_type",
                [
                    "_first_open", "_app_start", "_session_start", "_screen_load", "_screen_view", "_gesture", "_click",
                    "_user_engagement", "_app_end",
                ]
            ),
            (["--form", "pulse"], "event_type", ["page_load", "page_view", "click"]),
            (["--form", "contentsquare"], "ea", ["0", "1", "4", "6", "2"]),
        ]
    )
    func form(arguments: [String], key: String, expected: [String]) async throws {
        try await Workplace.use { workplace in
            let path = try workplace.write(Self.script, to: "a.yaml")
            let run = try await workplace.run(["replay", path, "--dry-run"] + arguments)
            #expect(run.status == 0)
            #expect(run.errors == "")
            #expect(try Self.names(run.lines, key) == expected)
            let again = try await workplace.run(["replay", path, "--dry-run"] + arguments)
            #expect(again.output == run.output)
        }
    }

    @Test("prints the same as without it for the clickstream format")
    func clickstream() async throws {
        try await Workplace.use { workplace in
            let path = try workplace.write(Self.script, to: "a.yaml")
            let plain = try await workplace.run("replay", path, "--dry-run")
            let form = try await workplace.run("replay", path, "--dry-run", "--form", "clickstream")
            #expect(plain == form)
            // The same identifiers, whichever format is printed.
            let pulse = try await workplace.run("replay", path, "--dry-run", "--form", "pulse")
            let clicks = try [plain, pulse].map { run in
                try Self.names(run.lines.filter { $0.contains("click\"") }, "event_id").last
            }
            #expect(clicks[0] == clicks[1])
        }
    }

    @Test("prints screens of a script without a user interface in the format contentsquare")
    func plain() async throws {
        try await Workplace.use { workplace in
            let path = try workplace.write(Scripts.shop, to: "shop.yaml")
            let run = try await workplace.run("replay", path, "--dry-run", "--form", "contentsquare")
            #expect(try Self.names(run.lines, "ea") == ["0", "1", "4", "4", "2"])
            let pulse = try await workplace.run("replay", path, "--dry-run", "--form", "pulse")
            #expect(pulse == Finished(status: 0, output: "", errors: pulse.errors))
        }
    }

    @Test(
        "--batches prints the delivered bodies: all events, each once",
        arguments: ["clickstream", "pulse", "contentsquare"]
    )
    func batches(form: String) async throws {
        try await Workplace.use { workplace in
            let path = try workplace.write(Self.script, to: "a.yaml")
            let events = try await workplace.run("replay", path, "--dry-run", "--form", form)
            let bodies = try await workplace.run("replay", path, "--dry-run", "--form", form, "--batches")
            #expect(bodies.status == 0)
            #expect(bodies.errors == "")
            let joined = bodies.lines.map { line in
                let start =
                    form == "contentsquare"
                    ? line.range(of: "\"pl\":[")?.upperBound : line.index(after: line.startIndex)
                return String(line[(start ?? line.startIndex)...].dropLast(form == "contentsquare" ? 2 : 1))
            }
            #expect(joined.joined(separator: ",") == events.lines.joined(separator: ","))
            if form == "contentsquare" {
                #expect(bodies.lines.allSatisfy { $0.hasPrefix("{\"pid\":1,\"uid\":\"") })
                // The script's clock at its end.
                #expect(try Self.names(bodies.lines, "now").last == "1704067201080")
            }
            let again = try await workplace.run("replay", path, "--dry-run", "--form", form, "--batches")
            #expect(again.output == bodies.output)
            #expect(workplace.contents(of: "tmp") == [])
        }
    }

    @Test("have at most the configured number of events in a batch, and one session")
    func batchSize() async throws {
        try await Workplace.use { workplace in
            let text = """
                clickstream: 1
                config: { contentsquare: { projectId: 8, batchSize: 3 } }
                steps:
                  - launch
                  - repeat: { times: 4, steps: [ { screen: A }, { screen: B } ] }
                  - background
                  - wait: 31m
                  - foreground
                  - screen: A
                """
            let path = try workplace.write(text, to: "a.yaml")
            let run = try await workplace.run("replay", path, "--dry-run", "--form", "contentsquare", "--batches")
            #expect(run.status == 0)
            let sessions = try run.lines.map { line in
                try #require(JSONReader.parse(Array(line.utf8))["pl"]?.array).map { $0["sn"]?.integer }
            }
            #expect(sessions.allSatisfy { $0.count <= 3 && Set($0).count == 1 })
            #expect(sessions.flatMap(\.self) == Array(repeating: 1, count: 11) + [2, 2, 2])
        }
    }

    @Test("sends configured formats to the collector in the process, which the report counts")
    func collector() async throws {
        try await Workplace.use { workplace in
            let config = "pulse: {}, contentsquare: { projectId: 8 }, autoEvents:"
            let path = try workplace.write(Self.script.replacing("autoEvents:", with: config), to: "a.yaml")
            let run = try await workplace.run("replay", path, "--format", "json")
            #expect(run.status == 0, "\(run.errors)")
            let captured = try JSONReader.parse(Array(run.output.utf8))["captured"]
            func counts(_ form: String) -> [Int64?] {
                ["recorded", "events", "good_events", "bad_events", "bad_requests", "duplicates"]
                    .map { captured?[form]?[$0]?.integer }
            }
            #expect(counts("pulse") == [3, 3, 3, 0, 0, 0])
            #expect(counts("contentsquare") == [5, 5, 5, 0, 0, 0])
            let human = try await workplace.run("replay", path, "--format", "human")
            #expect(human.output.contains("  3 events in the format pulse, 3 stored: 3 good, 0 with errors\n"))
            let plain = try await workplace.run(
                "replay",
                workplace.write(Self.script, to: "b.yaml"),
                "--format",
                "json"
            )
            #expect(plain.status == 0)
            #expect(!plain.output.contains("\"captured\""))
        }
    }

    @Test("sends configured formats to the endpoints of the script beside --endpoint")
    func endpoints() async throws {
        try await Workplace.use { workplace in
            let collector = try await Collector.start()
            let config = "pulse: { endpoint: \"\(collector.baseURL)/pulse\" }, contentsquare: {}, autoEvents:"
            let path = try workplace.write(Self.script.replacing("autoEvents:", with: config), to: "a.yaml")
            let run = try await workplace.run("replay", path, "--endpoint", collector.endpoint, "--format", "json")
            let counts = try await collector.capturedSummary()
            let summary = try await collector.summary()
            await collector.stop()
            #expect(run.status == 0, "\(run.errors)")
            #expect(counts[.pulse]?.events == 3)
            #expect(counts[.contentsquare]?.requests ?? 0 == 0)
            #expect(summary.events == 9)
            let report = try JSONReader.parse(Array(run.output.utf8))
            #expect(["recorded", "delivered"].map { report[$0]?.integer } == [12, 12])
            #expect(report["captured"]?["pulse"]?.integer == 3)
        }
    }

    @Test("works with --expect")
    func expect() async throws {
        try await Workplace.use { workplace in
            let path = try workplace.write(Self.script, to: "a.yaml")
            let arguments = ["replay", path, "--dry-run", "--form", "pulse", "--expect", "golden.ndjson"]
            #expect(try await workplace.run(arguments + ["--update"]).status == 0)
            #expect(try await workplace.run(arguments).status == 0)
            #expect(try await workplace.run(arguments + ["--seed", "9"]).status == 1)
            #expect(try await workplace.run(arguments + ["--batches"]).status == 1)
        }
    }

    @Test(
        "rejects other uses with status 64",
        arguments: [
            (["--form", "pulse"], "--form pulse needs --dry-run, which prints the events"),
            (["--batches"], "--batches needs --dry-run, which prints the request bodies"),
            (["--form", "pulse", "--endpoint", "http://127.0.0.1/"], "--form pulse needs --dry-run"),
            (["--dry-run", "--form", "pulses"], "--form"),
        ]
    )
    func usage(arguments: [String], message: String) async throws {
        try await Workplace.use { workplace in
            let path = try workplace.write(Self.script, to: "a.yaml")
            let run = try await workplace.run(["replay", path] + arguments)
            #expect(run.status == 64)
            #expect(run.output == "")
            #expect(run.errors.contains(message), "\(run.errors)")
        }
    }
}
#endif
