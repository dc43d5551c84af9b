#if Collector
import ClickstreamCollector
import ClickstreamCore
import ClickstreamJudges
import FormatFixtures
import Foundation
import Testing

@Suite("replay --form")
struct CaptureFormTests {
    static let script = """
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

    private static func members(_ lines: [Substring], _ key: String) throws -> [String?] {
        try lines.map { line in
            let value = try JSONReader.parse(Array(line.utf8))[key]
            return value?.string ?? value?.integer.map { "\($0)" }
        }
    }

    /// Names of the events of the script in each format, in the member with the name.
    private static let visits =
        [
            (
                "clickstream", "event_type",
                [
                    "_first_open", "_app_start", "_session_start", "_screen_load", "_screen_view", "_gesture", "_click",
                    "_user_engagement", "_app_end",
                ]
            )
        ] + FormatFixture.all.map { ($0.name, $0.nameMember, $0.script.visit) }

    @Test("prints each event in that format, also without its configuration", arguments: visits)
    func form(form: String, key: String, expected: [String]) async throws {
        try await Workplace.use { workplace in
            let path = try workplace.write(Self.script, to: "a.yaml")
            let run = try await workplace.run("replay", path, "--dry-run", "--form", form)
            #expect(run.status == 0)
            #expect(run.errors == "")
            #expect(try Self.members(run.lines, key) == expected)
            let again = try await workplace.run("replay", path, "--dry-run", "--form", form)
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
                try Self.members(run.lines.filter { $0.contains("click\"") }, "event_id").last
            }
            #expect(clicks[0] == clicks[1])
        }
    }

    @Test(
        "prints the screens of a script without a user interface in the formats that have them",
        arguments: FormatFixture.all
    )
    func plain(_ fixture: FormatFixture) async throws {
        try await Workplace.use { workplace in
            let path = try workplace.write(Scripts.shop, to: "shop.yaml")
            let run = try await workplace.run("replay", path, "--dry-run", "--form", fixture.name)
            #expect(run.status == 0)
            #expect(try Self.members(run.lines, fixture.nameMember) == fixture.script.screens)
        }
    }

    @Test(
        "--batches prints the delivered bodies: all events, each once",
        arguments: CapturedFormat.recorded
    )
    func batches(form: CapturedFormat) async throws {
        try await Workplace.use { workplace in
            let path = try workplace.write(Self.script, to: "a.yaml")
            let events = try await workplace.run("replay", path, "--dry-run", "--form", form.rawValue)
            let bodies = try await workplace.run("replay", path, "--dry-run", "--form", form.rawValue, "--batches")
            #expect(bodies.status == 0)
            #expect(bodies.errors == "")
            let lists = try bodies.lines.map { line in
                guard let batch = form.batch else { return line.dropFirst().dropLast() }
                let start = try #require(line.range(of: "\"\(batch.events)\":[")).upperBound
                return line[start...].dropLast(2)
            }
            #expect(lists.joined(separator: ",") == events.lines.joined(separator: ","))
            let prefix = FormatFixture.all.first { $0.format == form }?.script.body ?? "["
            #expect(bodies.lines.allSatisfy { $0.hasPrefix(prefix) })
            let again = try await workplace.run("replay", path, "--dry-run", "--form", form.rawValue, "--batches")
            #expect(again.output == bodies.output)
            #expect(workplace.contents(of: "tmp") == [])
        }
    }

    @Test("sends configured formats to the collector in the process, which the report counts")
    func collector() async throws {
        try await Workplace.use { workplace in
            let formats = FormatFixture.all.map { "\($0.name): \($0.script.settings), " }
            let config = formats.joined() + "autoEvents:"
            let path = try workplace.write(Self.script.replacing("autoEvents:", with: config), to: "a.yaml")
            let run = try await workplace.run("replay", path, "--format", "json")
            #expect(run.status == 0, "\(run.errors)")
            let captured = try JSONReader.parse(Array(run.output.utf8))["captured"]
            for fixture in FormatFixture.all {
                let counts = ["recorded", "events", "good_events", "bad_events", "bad_requests", "duplicates"]
                    .map { captured?[fixture.name]?[$0]?.integer }
                let count = Int64(fixture.script.visit.count)
                #expect(counts == [count, count, count, 0, 0, 0], "\(fixture)")
            }
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
            // The other formats have no endpoint.
            let others = CapturedFormat.ofCapture.filter { $0 != .pulse }
            let config =
                "pulse: { endpoint: \"\(collector.baseURL)/pulse\" }, "
                + others.map { "\($0): {}, " }.joined() + "autoEvents:"
            let path = try workplace.write(Self.script.replacing("autoEvents:", with: config), to: "a.yaml")
            let run = try await workplace.run("replay", path, "--endpoint", collector.endpoint, "--format", "json")
            let counts = try await collector.capturedSummary()
            let summary = try await collector.summary()
            await collector.stop()
            #expect(run.status == 0, "\(run.errors)")
            #expect(counts[.pulse]?.events == 3)
            for other in others { #expect(counts[other]?.requests ?? 0 == 0) }
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
