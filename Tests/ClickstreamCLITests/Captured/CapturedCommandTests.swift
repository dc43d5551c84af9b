#if Collector
import ClickstreamCollector
import ClickstreamCore
import ClickstreamJudges
import FormatFixtures
import Foundation
import Testing

/// The commands that read captured events, run as processes against a collector in this one.
@Suite("Captured events on the command line")
struct CapturedCommandTests {
    private static let batched = FormatFixture.batched

    /// A format whose bodies are arrays of events.
    private static let listed = FormatFixture.pulse

    private var time: Int64 { SystemTime().now().wall.milliseconds - 1_000 }

    private func click(_ number: Int) -> String { Self.listed.event(number, at: time) }

    /// A batch with events of the numbers.
    private func batch(_ numbers: Int...) -> String {
        Self.batched.body(numbers.map { Self.batched.event($0, at: time) })
    }

    private func post(_ text: String, _ path: String, to collector: Collector) async throws {
        #expect(try await WireEvents.post(text, to: collector.baseURL + path) == 200)
    }

    /// Stores an event of each format, and a bad one.
    private func fill(_ collector: Collector) async throws {
        try await WireEvents.send([WireEvents.event("purchase", id: "1")], to: collector.endpoint)
        try await post("[\(click(1)),\(Self.listed.flawedEvent(2, at: time))]", "/pulse", to: collector)
        try await post(batch(1), Self.batched.format.path, to: collector)
    }

    @Test("tail shows events of all formats, or of one, in the order of arrival")
    func tail() async throws {
        try await Workplace.use { workplace in
            try await Collector.use { collector in
                try await fill(collector)
                func tail(_ arguments: String...) async throws -> Finished {
                    try await workplace.run(["tail", collector.baseURL, "--format", "logfmt"] + arguments)
                }
                func names(_ run: Finished) -> [String] {
                    run.lines.map { line in
                        let pairs = line.split(separator: " ").filter { $0.hasPrefix("form=") || $0.hasPrefix("name=") }
                        return pairs.map { $0.split(separator: "=").last ?? "" }.joined(separator: " ")
                    }
                }
                let batched = "\(Self.batched) \(Self.batched.sample.name)"
                let all = ["purchase", "pulse click", "pulse click", batched]
                #expect(names(try await tail()) == all)
                #expect(names(try await tail("-n", "2")) == all.suffix(2))
                #expect(names(try await tail("--form", "clickstream")) == ["purchase"])
                #expect(names(try await tail("--form", "pulse", "-n", "1")) == ["pulse click"])
                #expect(names(try await tail("--form", Self.batched.name)) == [batched])
                #expect(names(try await tail("--status", "bad")) == ["pulse click"])
                #expect(names(try await tail("--name", Self.batched.sample.name)) == [batched])
                #expect(names(try await tail("--session", "s-1")) == ["purchase"])
                let refused = try await tail("--form", "pulse", "--user", "u-1")
                #expect(refused.status == 64 && refused.errors.contains("only clickstream events"))

                let human = try await workplace.run("tail", collector.baseURL, "--format", "human")
                for part in FormatFixture.all.flatMap(\.sample.line) + ["pulse_unknown_value  Unknown value"] {
                    #expect(human.output.contains(part), "\(human.output)")
                }
                let json = try await workplace.run("tail", collector.baseURL, "--format", "json", "-n", "1")
                let element = try JSONReader.parse(Array(json.output.utf8))
                let header = try JSONReader.parse(Array(try #require(Self.batched.sample.header).utf8))
                #expect(element["form"]?.string == Self.batched.name && element["header"] == header)
            }
        }
    }

    @Test("tail continues with new captured events")
    func follow() async throws {
        try await Workplace.use { workplace in
            try await Collector.use { collector in
                try await fill(collector)
                let tail = try workplace.start(["tail", collector.baseURL, "--follow", "--format", "json"])
                #expect(try await tail.wait { tail.outputSoFar.split(separator: "\n").count == 4 })
                try await post("[\(click(3))]", "/pulse", to: collector)
                try await WireEvents.send([WireEvents.event("tap", id: "2")], to: collector.endpoint)
                #expect(try await tail.wait { tail.outputSoFar.split(separator: "\n").count >= 6 })
                tail.send(SIGTERM)
                let lines = try await tail.finish().output.split(separator: "\n")
                let sequences = try lines.map { try JSONReader.parse(Array($0.utf8))["seq"]?.integer ?? 0 }
                #expect(sequences == [1, 3, 4, 6, 8, 10])
            }
        }
    }

    private static let assertions: [([String], Int32)] = {
        let rows: [([String], Int32)] = [
            (["--form", "pulse", "--event", "click:2"], 0), (["--form", "pulse", "--event", "click:1"], 1),
            (["--form", "pulse", "--event", batched.sample.name], 1), (["--event", "click:0"], 0),
            (["--event", "purchase", "--form", batched.name, "--event", "\(batched.sample.name):1"], 0),
            (["--form", "pulse", "--event", "click", "--form", "clickstream", "--event", "purchase"], 0),
            (["--no-errors"], 1), (["--no-duplicates"], 0), (["--form", "pulse"], 64),
            (["--form", "plus", "--event", "click"], 64), (["--form", "pulse", "--event", "click", "--user", "u"], 64),
        ]
        let conditions: [([String], Int32)] = FormatFixture.all.map { fixture in
            let event = "\(fixture.sample.name):1"
            return (["--form", fixture.name, "--event", event, "--where", fixture.sample.condition], 0)
        }
        return rows + conditions
    }()

    @Test(
        "assert counts the events of a format after --form",
        arguments: assertions
    )
    func asserts(_ arguments: [String], _ status: Int32) async throws {
        try await Workplace.use { workplace in
            try await Collector.use { collector in
                try await fill(collector)
                let run = try await workplace.run(["assert", collector.baseURL] + arguments)
                #expect(run.status == status, "\(run.output) \(run.errors)")
            }
        }
    }

    @Test("assert waits for captured events, and finds duplicates and unreadable requests")
    func waits() async throws {
        try await Workplace.use { workplace in
            try await Collector.use { collector in
                let arguments = [
                    "assert", collector.baseURL, "--form", "pulse", "--event", "click:2", "--within", "60s",
                ]
                let waiting = try workplace.start(arguments)
                try await post("[\(click(1))]", "/pulse", to: collector)
                try await post("[\(click(2))]", "/pulse", to: collector)
                #expect(try await waiting.finish().status == 0)
                try await post(
                    "[\(click(2).replacing(/"timestamp":\d+/, with: "\"timestamp\":1522159618000"))]",
                    "/pulse",
                    to: collector
                )
                #expect(try await workplace.run("assert", collector.baseURL, "--no-errors").status == 0)
                try await post("nonsense", Self.batched.format.path, to: collector)
                #expect(try await workplace.run("assert", collector.baseURL, "--no-errors").status == 1)
                let same = click(7)
                try await post("[\(same),\(same)]", "/pulse", to: collector)
                #expect(try await workplace.run("assert", collector.baseURL, "--no-duplicates").status == 1)
                let since = ["assert", collector.baseURL, "--no-duplicates", "--since", "1h"]
                #expect(try await workplace.run(since).status == 1)
            }
        }
    }

    @Test("validate checks captured events and request bodies, line by line")
    func validate() async throws {
        try await Workplace.use { workplace in
            let bad = Self.listed.flawedEvent(2, at: time)
            try workplace.write(
                [click(1), bad, "[\(click(1)),\(bad)]", "{"].joined(separator: "\n"),
                to: "pulse.ndjson"
            )
            let pulse = try await workplace.run("validate", "pulse.ndjson", "--form", "pulse", "--format", "ndjson")
            let findings = try pulse.lines.map { try JSONReader.parse(Array($0.utf8)) }
            #expect(pulse.status == 1)
            #expect(findings.map { $0["line"]?.integer } == [2, 3, 4])
            #expect(findings.map { $0["code"]?.string }.prefix(2) == ["pulse_unknown_value", "pulse_unknown_value"])
            #expect(findings.map { $0["name"]?.string }.prefix(2) == ["data.element.type", "[1].data.element.type"])

        }
    }

    @Test(
        "generate prints captured events of the real encoders, the same for the same seed",
        arguments: FormatFixture.all
    )
    func generateDryRun(_ fixture: FormatFixture) async throws {
        try await Workplace.use { workplace in
            let form = fixture.name
            let arguments = ["generate", "--dry-run", "--events", "600", "--users", "3", "--form", form]
            let run = try await workplace.run(arguments)
            #expect(run.status == 0, "\(run.errors)")
            #expect(try await workplace.run(arguments) == run)
            try workplace.write(run.output, to: "events.ndjson")
            let validation = try await workplace.run("validate", "events.ndjson", "--form", form, "--format", "ndjson")
            #expect(validation.status == 0, "\(validation.output.prefix(2_000))")
            for part in fixture.commandLine.generated { #expect(run.output.contains(part), "\(part)") }
        }
    }

    @Test("generate delivers captured events of all formats, and all of them are good")
    func generate() async throws {
        try await Workplace.use { workplace in
            let run = try await workplace.run(
                ["generate", "--events", "400", "--rate", "max", "--users", "2"]
                    + FormatFixture.all.flatMap { ["--form", $0.name] }
                    + ["--duplicate", "0.2", "--format", "ndjson"]
            )
            #expect(run.status == 0, "\(run.errors)")
            let report = try JSONReader.parse(Array((run.lines.last ?? "").utf8))
            for fixture in FormatFixture.all {
                let count = try #require(report["captured"]?[fixture.name]?.integer)
                let stored = try #require(report["captured_stored"]?[fixture.name])
                #expect(count > 20)
                #expect(stored["events"]?.integer == count && stored["good_events"]?.integer == count)
            }
            #expect(report["events"]?.integer == 400 && report["undelivered"]?.integer == 0)
            #expect(report["stored"]?["events"]?.integer == 400)
        }
    }

    @Test("collect keeps every answered captured event when it is killed", arguments: FormatFixture.all)
    func kill(_ fixture: FormatFixture) async throws {
        try await Workplace.use { workplace in
            let arguments = ["collect", "--port", "0", "--store", "store.sqlite", "--format", "ndjson"]
            let running = try workplace.start(arguments)
            #expect(try await running.wait { running.outputSoFar.contains("\n") })
            let announcement = try JSONReader.parse(Array(running.outputSoFar.prefix { $0 != "\n" }.utf8))
            let base = try #require(announcement["url"]?.string)
            var answered = 0
            for number in 0..<40 {
                let text = fixture.body([fixture.event(number, at: time)])
                if try await WireEvents.post(text, to: base + fixture.format.path) == 200 { answered += 1 }
            }
            running.send(SIGKILL)
            _ = try await running.finish()
            #expect(answered == 40)
            let again = try await workplace.run(arguments + ["--once", "40"])
            #expect(again.status == 0, "\(again.errors)")
            let summary = try JSONReader.parse(Array((again.lines.last ?? "").utf8))
            #expect(summary["captured"]?[fixture.name]?["good_events"]?.integer == 40)
        }
    }

    @Test("collect counts captured events, and checks them at the end")
    func collect() async throws {
        try await Workplace.use { workplace in
            let script = """
                curl -sf -d '[\(click(1)),\(click(2))]' "${CLICKSTREAM_ENDPOINT%/collect}/pulse"
                curl -sf -d '\(batch(1, 2))' "${CLICKSTREAM_ENDPOINT%/collect}\(Self.batched.format.path)"
                """
            try workplace.write(script, to: "send.bash")
            for (arguments, status, bad) in [
                (["--form", "pulse", "--event", "click:2", "--no-errors"], 0, 0),
                (["--batch-size", "1", "--no-errors"], 1, 1),
            ] as [([String], Int32, Int)] {
                let run = try await workplace.run(
                    ["collect", "--port", "0", "--format", "ndjson"] + arguments + ["--", "bash", "send.bash"]
                )
                #expect(run.status == status, "\(run.errors)")
                let summary = try JSONReader.parse(Array((run.lines.last ?? "").utf8))
                #expect(summary["captured"]?["pulse"]?["good_events"]?.integer == 2)
                #expect(summary["captured"]?[Self.batched.name]?["bad_events"]?.integer == Int64(bad))
                #expect(summary["events"]?.integer == 0)
            }
        }
    }
}
#endif
