#if Collector
import ClickstreamCollector
import ClickstreamCore
import Foundation
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

@Suite("replay and the server")
struct DeliveryTests {
    @Test("keeps events that a server rejects, reports their location, and delivers them later")
    func refused() async throws {
        try await Workplace.use { workplace in
            let script = try workplace.write(Scripts.shop, to: "shop.yaml")
            let collector = try await Collector.start()
            let closed = collector.endpoint
            await collector.stop()

            let refused = try await workplace.run("replay", script, "--endpoint", closed, "--storage", "store")
            #expect(refused.status == 75)
            #expect(refused.output == "")
            #expect(refused.errors.contains("11 of 11 events of \(script) not delivered"), "\(refused.errors)")
            #expect(refused.errors.contains("; kept in store:"), "\(refused.errors)")

            let working = try await Collector.start()
            let next = try workplace.write(Scripts.events(2), to: "next.yaml")
            let delivery = try await workplace.run(
                "replay",
                next,
                "--endpoint",
                working.endpoint,
                "--storage",
                "store",
                "--format",
                "human"
            )
            #expect(delivery.status == 0, "\(delivery.errors)")
            #expect(delivery.output == "3 events recorded, 14 delivered to \(working.endpoint)\n")
            let summary = try await working.summary()
            let names = try await working.events().events.map { $0.eventType }
            await working.stop()
            #expect((summary.events, summary.duplicates) == (14, 0))
            #expect(
                names == [
                    "_first_open", "_app_start", "_session_start", "_screen_view", "_user_engagement", "_screen_view",
                    "add_to_cart", "_profile_set", "_clickstream_error", "_user_engagement", "_app_end", "_app_start",
                    "add_to_cart", "add_to_cart",
                ]
            )
        }
    }

    @Test("keeps its temporary store if a real server rejects the events")
    func temporaryStoreKept() async throws {
        try await Workplace.use { workplace in
            let script = try workplace.write(Scripts.events(3), to: "a.yaml")
            let collector = try await Collector.start()
            let closed = collector.endpoint
            await collector.stop()
            let run = try await workplace.run("replay", script, "--endpoint", closed)
            #expect(run.status == 75)
            let stores = try FileManager.default.contentsOfDirectory(atPath: workplace.temporaryFolder.path)
            #expect(stores.count == 1)
            #expect(run.errors.contains("; kept in \(workplace.temporaryFolder.path)/\(stores.first ?? "?"):"))
            let segments = workplace.contents(of: "tmp").filter { $0.hasSuffix(".events") }
            let records = try segments.map { try workplace.text(of: "tmp/\($0)").split(separator: "\n").count }
            #expect(records == [6])
        }
    }

    @Test(
        "uses no proxy for its own collector, whatever the environment contains",
        arguments: ["replay", "generate", "bench"]
    )
    func proxies(command: String) async throws {
        try await Workplace.use { workplace in
            let script = try workplace.write(Scripts.events(3), to: "a.yaml")
            let arguments = [
                "replay": [script], "generate": ["--rate", "max", "--events", "20"], "bench": ["--events", "20"],
            ]
            let run = try await workplace.run(
                [command, "--format", "json"] + (arguments[command] ?? []),
                environment: ["http_proxy": "http://127.0.0.1:1", "ALL_PROXY": "http://127.0.0.1:1"]
            )
            #expect(run.status == 0, "\(run.errors)")
            #expect(!run.output.contains("\"delivered\":0"))
        }
    }

    @Test("reports events evicted by the store's limit")
    func evicted() async throws {
        try await Workplace.use { workplace in
            let script = try workplace.write(
                "clickstream: 1\nconfig: { maxStoreEvents: 2 }\nsteps: [ launch, { record: a }, { record: b } ]\n",
                to: "a.yaml"
            )
            let run = try await workplace.run("replay", script, "--format", "json")
            #expect(run.status == 0)
            #expect(run.errors == "warning: \(script): removed 3 of 5 events unsent: cap on count\n")
        }
    }

    @Test("reports that it skips the rest if a server accepts nothing")
    func restNotPlayed() async throws {
        try await Workplace.use { workplace in
            let script = try workplace.write(Scripts.events(1), to: "a.yaml")
            let run = try await workplace.run(
                "replay",
                script,
                "--users",
                "3",
                "--endpoint",
                "http://127.0.0.1:1/collect"
            )
            #expect(run.status == 75)
            #expect(run.errors.hasSuffix("2 of 3 runs not played\n"), "\(run.errors)")
        }
    }

    @Test("keeps events that a server permanently rejects, reports them, and fails")
    func setAside() async throws {
        try await Workplace.use { workplace in
            let script = try workplace.write(Scripts.events(3), to: "a.yaml")
            // Halved until one event is refused beside another that is taken.
            let tooLarge = CollectorFault(.status(413), times: 3)
            let collector = try await Collector.start(CollectorConfiguration(faults: [tooLarge]))
            let run = try await workplace.run("replay", script, "--endpoint", collector.endpoint)
            await collector.stop()
            #expect(run.status == 75)
            #expect(
                run.errors.contains("the server rejected 2 of 6 events of \(script) permanently: "),
                "\(run.errors)"
            )
            let dead = workplace.contents(of: "tmp").filter { $0.hasSuffix("/dead") }
            #expect(dead.count == 1)
            // A line that describes the file, and one for each event.
            let lines = try workplace.text(of: "tmp/\(dead.first ?? "")").split(separator: "\n").count
            #expect((2...3).contains(lines))
        }
    }

    @Test("warns if two scripts that are sent have the same seed")
    func sharedSeed() async throws {
        try await Workplace.use { workplace in
            let scripts = try ["a.yaml", "b.yaml"].map { try workplace.write(Scripts.events(1), to: $0) }
            let sent = try await workplace.run(["replay"] + scripts)
            #expect(sent.status == 0)
            #expect(
                sent.errors.hasPrefix("warning: \(scripts[0]) and \(scripts[1]) have the same seed"),
                "\(sent.errors)"
            )
            #expect(try await workplace.run(["replay", "--dry-run"] + scripts).errors == "")
            let other = try workplace.write(Scripts.events(1, appID: "news"), to: "news.yaml")
            let apart = try await workplace.run("replay", scripts[0], other)
            #expect(apart.status == 0 && !apart.errors.contains("the same seed"), "\(apart.errors)")
        }
    }

    @Test("reports the content of its own collector in readable form")
    func human() async throws {
        try await Workplace.use { workplace in
            let script = try workplace.write(Scripts.shop, to: "shop.yaml")
            let run = try await workplace.run("replay", script, "--format", "human")
            #expect(run.status == 0)
            let headings: [Substring] = run.lines.filter { !$0.hasPrefix(" ") }
            #expect(headings == ["Replay", "Sessions", "Events by name", "Errors by code", "Requests"])
            #expect(
                run.output.contains(
                    "11 events recorded, 11 stored by the collector: 10 good, 1 with errors, 0 duplicates"
                )
            )
            #expect(run.output.contains("Product"))
            #expect(run.output.contains("1001"))
            #expect(!run.output.contains("\u{1B}"))
            #expect(workplace.contents(of: "tmp") == [])
        }
    }

    @Test("reports the same numbers as JSON and as lines")
    func machine() async throws {
        try await Workplace.use { workplace in
            let script = try workplace.write(Scripts.shop, to: "shop.yaml")
            let dry = try await workplace.run("replay", script, "--dry-run", "--users", "2")
            let json = try await workplace.run("replay", script, "--users", "2", "--format", "json")
            let lines = try await workplace.run("replay", script, "--users", "2", "--format", "ndjson")
            let report = try JSONReader.parse(Array(json.output.utf8))
            #expect(json.status == 0)
            #expect(report["recorded"]?.integer == Int64(dry.lines.count))
            #expect(report["summary"]?["events"]?.integer == Int64(dry.lines.count))
            #expect(report["summary"]?["duplicates"]?.integer == 0)
            #expect(report["summary"]?["bad_events"]?.integer == 2)
            #expect(report["summary"]?["users"]?.integer == 2)
            #expect(report["errors_by_code"]?["1001"]?.integer == 2)
            #expect(report["sessions"]?.array?.count == 2)
            #expect(lines.status == 0)
            #expect(try lines.lines.map(Self.name) == dry.lines.map(Self.name))
            #expect(workplace.contents(of: "tmp") == [])
        }
    }

    @Test("delivers ten thousand events without a duplicate")
    func many() async throws {
        try await Workplace.use { workplace in
            let events = Scripts.events(10_000, storeBytes: 16_777_216, batchBytes: 8_192)
            let script = try workplace.write(events, to: "a.yaml")
            let run = try await workplace.run("replay", script, "--format", "json")
            #expect(run.status == 0)
            let summary = try JSONReader.parse(Array(run.output.utf8))["summary"]
            #expect(summary?["events"]?.integer == 10_003)
            #expect(summary?["good_events"]?.integer == 10_003)
            #expect(summary?["duplicates"]?.integer == 0)
            #expect(workplace.contents(of: "tmp") == [])
        }
    }

    @Test(
        "sends the events that a script recorded offline, or before disabling",
        arguments: ["network: offline", "disable"]
    )
    func unreachable(step: String) async throws {
        try await Workplace.use { workplace in
            let script = try workplace.write(Scripts.shop + "\n  - \(step)\n  - flush\n", to: "a.yaml")
            let run = try await workplace.run("replay", script, "--format", "json")
            #expect(run.status == 0, "\(run.errors)")
            #expect(try JSONReader.parse(Array(run.output.utf8))["summary"]?["events"]?.integer == 11)
        }
    }

    @Test(
        "stops soon after a signal, with its status, and cleans up",
        arguments: [(SIGTERM, 143), (SIGINT, 130)] as [(Int32, Int32)]
    )
    func signals(number: Int32, status: Int32) async throws {
        try await Workplace.use { workplace in
            let script = try workplace.write(Scripts.slow, to: "slow.yaml")
            let running = try workplace.start(["replay", script, "--speed", "1x"])
            let hasBegun = try await running.wait {
                workplace.contents(of: "tmp").contains { $0.hasSuffix("clickstream-store") }
            }
            #expect(hasBegun)
            let clock = ContinuousClock()
            let asked = clock.now
            running.send(number)
            let stopped = try await running.finish()
            #expect(stopped.status == status)
            #expect(stopped.output == "")
            // The script would wait for an hour.
            #expect(clock.now - asked < .seconds(60))
            #expect(workplace.contents(of: "tmp") == [])
        }
    }

    @Test("waits in real time on request")
    func speed() async throws {
        try await Workplace.use { workplace in
            let script = try workplace.write(Scripts.slow.replacing("1h", with: "30s"), to: "a.yaml")
            let clock = ContinuousClock()
            let start = clock.now
            let run = try await workplace.run("replay", script, "--dry-run", "--speed", "60x")
            #expect(run.status == 0)
            #expect(clock.now - start >= .milliseconds(500))
            #expect(try await run.output == workplace.run("replay", script, "--dry-run").output)
        }
    }

    private static func name(_ line: Substring) throws -> String? {
        try JSONReader.parse(Array(line.utf8))["event_type"]?.string
    }
}

extension CollectedEvent {
    fileprivate var eventType: String? {
        // An event whose JSON cannot be read has no name.
        (try? JSONReader.parse(Array(json.utf8)))?["event_type"]?.string
    }
}
#endif
