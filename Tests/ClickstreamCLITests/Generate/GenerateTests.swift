#if Collector
import ClickstreamCollector
import ClickstreamCore
import Foundation
import TestSupport
import Testing

@testable import clickstream_cli

@Suite("generate")
struct GenerateTests {
    private func events(_ run: Finished) throws -> [JSONValue] {
        try run.lines.map { try JSONReader.parse(Array($0.utf8)) }
    }

    private func report(_ run: Finished) throws -> [String: Int64] {
        let value = try JSONReader.parse(Array((run.lines.last ?? "").utf8))
        var numbers: [String: Int64] = [:]
        for member in (value.members ?? [])
            + (value["stored"]?.members ?? []).map({ JSONMember("stored_\($0.name)", $0.value) })
        {
            numbers[member.name] = member.value.integer
        }
        return numbers
    }

    @Test("prints the same users for the same seed, with the requested number of events, and others for another seed")
    func dryRun() async throws {
        try await Workplace.use { workplace in
            func run(_ seed: String) async throws -> Finished {
                try await workplace.run(
                    "generate",
                    "--dry-run",
                    "--events",
                    "400",
                    "--users",
                    "3",
                    "--seed",
                    seed,
                    "--invalid",
                    "0.1"
                )
            }
            let (first, again, other) = try await (run("5"), run("5"), run("6"))
            #expect(first.status == 0, "\(first.errors)")
            #expect(first == again)
            #expect(first.output != other.output)
            let events = try events(first)
            #expect(events.count == 400)
            // Three users at a time, whose events are mixed.
            let users = events.compactMap { $0["device_id"]?.string }
            #expect(Set(users.prefix(60)).count == 3)
            #expect(zip(users, users.dropFirst()).count { $0 != $1 } > 50)
        }
    }

    @Test("records other ids for another app with the same seed", arguments: [[], ["--server"]])
    func apps(options: [String]) async throws {
        try await Workplace.use { workplace in
            var ids: [Set<String?>] = []
            for app in ["shop", "news"] {
                let run = try await workplace.run(
                    ["generate", "--dry-run", "--events", "60", "--seed", "5", "--app-id", app] + options
                )
                ids.append(Set(try events(run).map { $0["event_id"]?.string }))
            }
            #expect(ids[0].count == 60 && ids[0].isDisjoint(with: ids[1]))
        }
    }

    @Test("records exactly the requested number of events, however small", arguments: [1, 2, 10, 40])
    func exactly(users: Int) async throws {
        try await Workplace.use { workplace in
            for events in TestLength.sample(Array(1...24) + [31, 43, 60, 1_003], short: 6) {
                let run = try await workplace.run(
                    ["generate", "--dry-run", "--events", "\(events)", "--users", "\(users)", "--seed", "\(events)"]
                )
                #expect(run.status == 0, "\(run.errors)")
                #expect(run.lines.count == events, "--events \(events) --users \(users)")
            }
        }
    }

    @Test(
        "records exactly the requested number of events in concurrent tasks",
        arguments: TestLength.sample([1, 5, 12, 47, 211] as [Int64], short: 3)
    )
    func exactlyOverHTTP(events: Int64) async throws {
        try await Workplace.use { workplace in
            let run = try await workplace.run(
                ["generate", "--rate", "max", "--events", "\(events)", "--users", "20", "--seed", "9"]
            )
            #expect(run.status == 0, "\(run.errors)")
            let report = try report(run)
            #expect([report["events"], report["delivered"], report["stored_events"]] == [events, events, events])
        }
    }

    @Test("reports why fewer events than requested were recorded")
    func endsByTime() async throws {
        try await Workplace.use { workplace in
            let run = try await workplace.run(
                ["generate", "--dry-run", "--events", "1000", "--rate", "100/s", "--duration", "1s"]
            )
            #expect(run.status == 0)
            #expect(run.lines.count == 100)
            #expect(run.errors.hasPrefix("warning: 100 of 1000 events recorded: --duration ended first"))
        }
    }

    @Test("records visitors of a server, the same for each seed", arguments: [1, 2, 300])
    func server(events count: Int) async throws {
        try await Workplace.use { workplace in
            let command = ["generate", "--server", "--dry-run", "--events", "\(count)", "--users", "7"]
            let (first, again) = try await (workplace.run(command), workplace.run(command))
            #expect(first.status == 0, "\(first.errors)")
            #expect(first == again)
            #expect(first.lines.count == count)
            let judged = try await workplace.run("validate", "-", input: first.output)
            #expect(judged == Finished(status: 0, output: "[]\n", errors: ""))
        }
    }

    @Test("delivers the visitors of a server")
    func serverOverHTTP() async throws {
        try await Workplace.use { workplace in
            let run = try await workplace.run("generate", "--server", "--rate", "max", "--events", "500")
            #expect(run.status == 0, "\(run.errors)")
            let report = try JSONReader.parse(Array(run.output.utf8))
            #expect(report["delivered"]?.integer == 500)
            #expect(report["stored"]?["bad_events"]?.integer == 0)
            #expect(report["stored"]?["duplicates"]?.integer == 0)
        }
    }

    @Test("creates events without violations, unless requested")
    func invalid() async throws {
        try await Workplace.use { workplace in
            let good = try await workplace.run("generate", "--dry-run", "--events", "500", "--seed", "2")
            let judged = try await workplace.run("validate", "-", input: good.output)
            #expect(judged == Finished(status: 0, output: "[]\n", errors: ""))
            let names = Set(try events(good).compactMap { $0.eventName })
            #expect(
                names.isSuperset(of: ["_first_open", "_session_start", "_screen_view", "view_item", "add_to_cart"])
            )
            let bad = try await workplace.run(
                "generate",
                "--dry-run",
                "--events",
                "500",
                "--seed",
                "2",
                "--invalid",
                "1"
            )
            let broken = try events(bad).filter {
                $0.eventName == "_clickstream_error" || $0["attributes"]?["_error_code"] != nil
            }
            #expect(broken.count > 50)
        }
    }

    @Test("sends all events over HTTP, some of them twice, and reports the result")
    func embedded() async throws {
        try await Workplace.use { workplace in
            let run = try await workplace.run(
                "generate",
                "--rate",
                "max",
                "--events",
                "600",
                "--users",
                "4",
                "--invalid",
                "0.2",
                "--duplicate",
                "0.5",
                "--seed",
                "3"
            )
            #expect(run.status == 0, "\(run.errors)")
            let report = try report(run)
            #expect(report["events"] == 600)
            #expect(report["delivered"] == 600)
            #expect(report["stored_events"] == 600)
            #expect(report["stored_bad_events"] == report["invalid"])
            #expect(report["stored_requests"] == report["requests"])
            for name in ["invalid", "repeated_requests", "stored_duplicates", "bytes", "raw_bytes"] {
                #expect(report[name] ?? 0 > 0, "\(name)")
            }
        }
    }

    @Test("respects the rate, and sends to the given server")
    func rate() async throws {
        try await Workplace.use { workplace in
            try await Collector.use { collector in
                let start = SystemTime().now().steady
                let run = try await workplace.run(
                    "generate",
                    "--endpoint",
                    collector.endpoint,
                    "--rate",
                    "100/s",
                    "--events",
                    "50",
                    "--users",
                    "2",
                    "--app-id",
                    "other"
                )
                #expect(run.status == 0, "\(run.errors)")
                // The last of 50 is due after half a second; some are recorded several at once.
                #expect(SystemTime().now().steady - start >= 300)
                #expect(try await collector.summary().events == 50)
                #expect(run.output.contains("\"stored\":null"))
                let page = try await collector.events()
                #expect(page.events.allSatisfy { $0.json.contains("\"app_id\":\"other\"") })
                #expect(page.events.allSatisfy { $0.violations == [] })
            }
        }
    }

    @Test(
        "stops cleanly on a signal, with a report",
        arguments: [(SIGINT, 130), (SIGTERM, 143)] as [(Int32, Int32)]
    )
    func stop(signal: Int32, status: Int32) async throws {
        try await Workplace.use { workplace in
            let running = try workplace.start(["generate", "--duration", "1h", "--rate", "200/s"])
            // A collector that is not started yet leaves nothing to report.
            #expect(try await running.wait { running.listensOnSocket })
            running.send(signal)
            let ended = try await running.finish()
            #expect(ended.status == status)
            #expect(try report(ended)["events"] != nil)
            #expect(workplace.contents(of: "tmp") == [])
        }
    }

    @Test("reports a server that accepts no event")
    func nobody() async throws {
        try await Workplace.use { workplace in
            let run = try await workplace.run(
                "generate",
                "--endpoint",
                "http://127.0.0.1:1/collect",
                "--rate",
                "max",
                "--events",
                "30",
                "--users",
                "1"
            )
            #expect(run.status == 69)
            #expect(run.errors.contains("30 of 30 events not delivered to http://127.0.0.1:1/collect"))
        }
    }

    @Test("reports a web page in place of the server's response")
    func webPage() async throws {
        let server = FixedServer { _ in "200 OK\r\nContent-Type: text/html\r\nContent-Length: 5\r\n\r\nlogin" }
        defer { server.stop() }
        try await Workplace.use { workplace in
            let endpoint = "http://\(server.authority)/collect"
            let run = try await workplace.run(
                ["generate", "--endpoint", endpoint, "--rate", "max", "--events", "30", "--users", "1"]
            )
            #expect(run.status == 69)
            let message = "30 of 30 events not delivered to \(endpoint): the response is a web page (200, text/html)"
            #expect(run.errors.contains(message), "\(run.errors)")
        }
    }

    @Test("shows the rate in its help as it is written")
    func help() async throws {
        try await Workplace.use { workplace in
            let run = try await workplace.run("generate", "--help")
            #expect(run.output.contains("(default: 100/s)"), "\(run.output)")
        }
    }

    @Test(
        "rejects invalid usage",
        arguments: [
            ["--rate", "fast"], ["--rate", "0/s"], ["--rate", "1/y"], ["--events", "0"], ["--users", "0"],
            ["--invalid", "2"],
            ["--duplicate", "-1"], ["--dry-run", "--endpoint", "http://127.0.0.1/"],
            ["--dry-run", "--duplicate", "0.1"],
            ["--dry-run", "--rate", "max"], ["--endpoint", "ftp://x"], ["--duration", "soon"], ["--app-id", ""],
        ]
    )
    func usage(arguments: [String]) async throws {
        try await Workplace.use { workplace in
            let run = try await workplace.run(["generate"] + arguments)
            #expect((run.status, run.output) == (64, ""), "\(run.errors)")
        }
    }
}
#endif
