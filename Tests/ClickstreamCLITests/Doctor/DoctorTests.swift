#if Collector
import ClickstreamCollector
import ClickstreamCore
import FormatFixtures
import Foundation
import Testing

@testable import clickstream_cli

@Suite("doctor")
struct DoctorTests {
    /// Findings of an area, by level.
    private func found(_ run: Finished, _ area: String) throws -> [(level: String, what: String)] {
        let findings = try JSONReader.parse(Array(run.output.utf8)).array ?? []
        return findings.filter { $0["area"]?.string == area }.map {
            ($0["level"]?.string ?? "", $0["what"]?.string ?? "")
        }
    }

    /// Runs `doctor` for an app whose store is `s`.
    private func doctor(
        _ workplace: Workplace,
        appID: String = "shop",
        _ endpoint: String,
        environment: [String: String] = [:]
    ) async throws -> Finished {
        try await workplace.run(
            ["doctor", "--app-id", appID, "--storage", "s", "--endpoint", endpoint],
            environment: environment
        )
    }

    private func problems(_ run: Finished) throws -> [String] {
        try found(run, "endpoint").filter { $0.level == "problem" }.map(\.what)
    }

    @Test("uses the environment's proxy like an app")
    func proxy() async throws {
        try await Workplace.use { workplace in
            try await Collector.use(CollectorConfiguration(appIDs: ["shop"])) { collector in
                let proxy = ["http_proxy": "http://127.0.0.1:1"]
                let run = try await doctor(workplace, collector.endpoint, environment: proxy)
                #expect(run.status == 1)
                let problems = try problems(run)
                #expect(problems.count == 1)
                #expect(problems.first?.hasPrefix("127.0.0.1:\(collector.port) does not respond") == true)
            }
        }
    }

    @Test("reports no problem with a collector under a name that its query API refuses")
    func foreignHost() async throws {
        try await Workplace.use { workplace in
            try await Collector.use(CollectorConfiguration(appIDs: ["shop"])) { collector in
                let run = try await doctor(workplace, "http://127.1:\(collector.port)/collect")
                let findings = try found(run, "endpoint")
                #expect(findings.map(\.level) == ["ok", "ok"], "\(run.output)")
                #expect(findings.last?.what == "/collect accepts events of shop")
            }
        }
    }

    @Test("reports no problem in a correct setup, and sends no event")
    func healthy() async throws {
        try await Workplace.use { workplace in
            try await Collector.use(CollectorConfiguration(appIDs: ["shop"], authCookie: "secret-cookie")) {
                collector in
                let recorded = try await workplace.run("record", "tap", "--app-id", "shop", "--storage", "s")
                #expect(recorded.status == 0, "\(recorded.errors)")
                for format in ["json", "human"] {
                    let run = try await workplace.run(
                        [
                            "doctor", "--app-id", "shop", "--storage", "s", "--endpoint", collector.endpoint,
                            "--format", format,
                        ],
                        environment: ["CLICKSTREAM_AUTH_COOKIE": "secret-cookie"]
                    )
                    #expect(run.status == 0, "\(run.output) \(run.errors)")
                    #expect(!run.output.contains("secret-cookie"))
                    #expect(!run.output.contains("problem "))
                    if format == "human" { continue }
                    #expect(try found(run, "store").map(\.what) == ["1 pending event in 1 run folder, no damage"])
                    #expect(try found(run, "locks").map(\.what) == ["no process uses the store"])
                    #expect(try found(run, "clock").map(\.what) == ["the clock agrees with the server's"])
                    #expect(try found(run, "endpoint").last?.what == "/collect accepts events of shop with this cookie")
                    let keys = try found(run, "configuration").map(\.what)
                    #expect(keys.contains("appId is shop, from the command line"))
                    #expect(keys.contains("authCookie is set, from CLICKSTREAM_AUTH_COOKIE"))
                }
                #expect(try await collector.summary() == CollectorSummary())
            }
        }
    }

    @Test(
        "reports why a server rejects events",
        arguments: [
            ("shop", "wrong", "/collect", "requires authentication (401)"),
            ("other", "right", "/collect", "rejects the path /collect or the app id other (403)"),
            ("shop", "right", "/elsewhere", "rejects the path /elsewhere or the app id shop (403)"),
            ("shop", "right", "/", "rejects the path / or the app id shop (403)"),
            ("shop", "right", "", "rejects the path / or the app id shop (403)"),
            ("shop", "right", "/ping", "rejects the path /ping or the app id shop (403)"),
            ("shop", "right", "/api/events", "rejects the path /api/events or the app id shop (403)"),
        ]
    )
    func refused(appID: String, cookie: String, path: String, what: String) async throws {
        try await Workplace.use { workplace in
            try await Collector.use(CollectorConfiguration(appIDs: ["shop"], authCookie: "right")) { collector in
                let environment = ["CLICKSTREAM_AUTH_COOKIE": cookie]
                let run = try await doctor(
                    workplace,
                    appID: appID,
                    collector.baseURL + path,
                    environment: environment
                )
                #expect(run.status == 1)
                #expect(try problems(run) == ["127.0.0.1:\(collector.port) \(what)"])
                #expect(try await collector.summary() == CollectorSummary())
            }
        }
    }

    private static let page = "Content-Type: Text/HTML; charset=utf-8\r\nContent-Length: 5\r\n\r\nlogin"
    private static let json = "Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"
    private static let empty = "Content-Length: 0\r\n\r\n"

    @Test(
        "reports a web page in place of the server's response",
        arguments: [
            ("200 OK\r\n\(page)", "200 OK\r\n\(page)", "HOST responds to /ping with a web page (200, text/html)"),
            (
                "204 No Content\r\nCONTENT-TYPE:text/html\r\n\r\n", "413 x\r\n\(empty)",
                "HOST responds to /ping with a web page (204, text/html)"
            ),
            (
                "200 OK\r\nContent-Type: text/plain\r\n\(page)", "413 x\r\n\(empty)",
                "HOST responds to /ping with a web page (200, text/html)"
            ),
            ("200 OK\r\n\(json)", "200 OK\r\n\(page)", "/collect responds with a web page (200, text/html)"),
            // The error page of a proxy has the same meaning as the status alone.
            ("200 OK\r\n\(json)", "413 x\r\n\(page)", nil), ("200 OK\r\n\(empty)", "413 x\r\n\(empty)", nil),
            ("200 OK\r\nContent-Type: text/plain\r\n\(empty)", "200 OK\r\n\(json)", nil),
        ] as [(String, String, String?)]
    )
    func webPage(ping: String, collect: String, problem: String?) async throws {
        let server = FixedServer { $0.hasPrefix("/ping?") ? ping : collect }
        defer { server.stop() }
        try await Workplace.use { workplace in
            let run = try await doctor(workplace, "http://\(server.authority)/collect")
            #expect(run.status == (problem == nil ? 0 : 1), "\(run.output)")
            #expect(try problems(run) == [problem?.replacing("HOST", with: server.authority)].compactMap { $0 })
        }
    }

    @Test("reports the web page of a proxy")
    func webPageOfProxy() async throws {
        let server = FixedServer { _ in "200 OK\r\n\(Self.page)" }
        defer { server.stop() }
        try await Workplace.use { workplace in
            let proxy = ["http_proxy": "http://\(server.authority)", "no_proxy": ""]
            let run = try await doctor(workplace, "http://events.invalid/collect", environment: proxy)
            #expect(run.status == 1)
            #expect(try problems(run) == ["events.invalid responds to /ping with a web page (200, text/html)"])
        }
    }

    @Test("reports a server that does not respond")
    func nobody() async throws {
        try await Workplace.use { workplace in
            let run = try await doctor(workplace, appID: "a", "http://127.0.0.1:1/x")
            #expect(run.status == 1)
            #expect(try found(run, "endpoint").map(\.what) == ["127.0.0.1:1 does not respond: Connection refused"])
        }
    }

    @Test("reports the source of each key, and errors in the file")
    func configuration() async throws {
        try await Workplace.use { workplace in
            try workplace.write(
                """
                {"analytics":{"plugins":{"awsClickstreamPlugin ":{"appId":"filed","endpoint":"http://127.0.0.1:1/c",\
                "sessionTimeoutDuration":5000}}}}
                """,
                to: "amplifyconfiguration.json"
            )
            let run = try await workplace.run(
                ["doctor", "--storage", "s"],
                environment: ["CLICKSTREAM_APP_ID": "from-environment"]
            )
            let keys = try found(run, "configuration").map(\.what)
            #expect(keys.contains("appId is from-environment, from CLICKSTREAM_APP_ID"))
            #expect(keys.contains { $0.hasPrefix("sessionTimeoutDuration is 5000 ms, from ") && $0.hasSuffix(".json") })
            #expect(keys.contains("storageDirectory is s, from the command line"))

            try workplace.write("{\"analytics\":", to: "broken.json")
            let broken = try await workplace.run("doctor", "--config", "broken.json")
            #expect(broken.status == 78)
            #expect(try found(broken, "configuration").map(\.level) == ["problem"])
            let missing = try await workplace.run("doctor", "--config", "none.json")
            #expect(missing.status == 78)
            let folder = try await workplace.run("doctor", "--config", "tmp")
            #expect(folder.status == 78)
            let refusals = try found(folder, "configuration").map(\.what)
            #expect(refusals == ["cannot read tmp: it is a folder; name the file in it"])
            let address = try await workplace.run(
                ["doctor", "--app-id", "a", "--storage", "s"],
                environment: ["CLICKSTREAM_ENDPOINT": "http://h/col lect"]
            )
            #expect(address.status == 78)
            let problems = try found(address, "configuration").filter { $0.level == "problem" }.map(\.what)
            #expect(problems.map { $0.hasPrefix("CLICKSTREAM_ENDPOINT 'http://h/col lect': ") } == [true])
        }
    }

    @Test(
        "reports settings with which an app records nothing",
        arguments: [
            ("CLICKSTREAM_MAX_STORE_BYTES", "1", "maxStoreBytes is 1, less than 65536"),
            ("CLICKSTREAM_MAX_STORE_BYTES", "65536", nil),
            ("CLICKSTREAM_CONFIGURATION_FILE", "nosuch", "nosuch: no such file; "),
            ("CLICKSTREAM_CONFIGURATION_FILE", "tmp", "cannot read tmp: it is a folder; name the file in it"),
            ("CLICKSTREAM_AUTO_EVENTS", "taps", "environment: CLICKSTREAM_AUTO_EVENTS must be a list of "),
            ("CLICKSTREAM_AUTO_EVENTS", "scroll, touch", nil),
        ] + FormatFixture.all.map(\.commandLine.invalidVariable) as [(String, String, String?)]
    )
    func unusable(variable: String, value: String, problem: String?) async throws {
        try await Workplace.use { workplace in
            let run = try await workplace.run(
                ["doctor", "--app-id", "a", "--storage", "s"],
                environment: [variable: value]
            )
            #expect(run.status == (problem == nil ? 0 : 78), "\(run.output)")
            let problems = try found(run, "configuration").filter { $0.level == "problem" }.map(\.what)
            #expect(problems.count == (problem == nil ? 0 : 1))
            #expect(problems.allSatisfy { $0.hasPrefix(problem ?? "?") })
        }
    }

    @Test("reports the settings of capture")
    func capture() async throws {
        try await Workplace.use { workplace in
            try workplace.write(
                """
                {"analytics":{"plugins":{"awsClickstreamPlugin":{"appId":"a"},"clickstreamCapture":{
                "autoEvents":["scroll"],
                "autoEvents":["touch"],
                "pulze":{"endpoint":"http://127.0.0.1:1/p"},
                "pulse":{"authCookie":"secret-cookie","authCookie":"secret-cookie"},
                "optOut":[]
                }}}}
                """,
                to: "amplifyconfiguration.json"
            )
            let pulse = "http://127.0.0.1:1/pulse"
            let environment = ["CLICKSTREAM_PULSE_ENDPOINT": pulse, "CLICKSTREAM_PULSE_AUTH_COKIE": "b"]
            let run = try await workplace.run(["doctor", "--storage", "s"], environment: environment)
            #expect(run.status == 0, "\(run.output)")
            #expect(!run.output.contains("secret-cookie"))
            let findings = try found(run, "configuration")
            let warnings = findings.filter { $0.level == "warning" }.map(\.what)
            let expected = [
                ".json:3:1: 'autoEvents' is set twice; the last value counts",
                ".json:4:1: ignoring unknown key 'pulze' of capture; did you mean 'pulse'?",
                ".json:5:39: 'pulse.authCookie' is set twice; the last value counts",
                "ignoring unknown variable CLICKSTREAM_PULSE_AUTH_COKIE; did you mean CLICKSTREAM_PULSE_AUTH_COOKIE?",
            ]
            #expect(warnings.count == expected.count, "\(warnings)")
            #expect(zip(warnings, expected).allSatisfy { $0.hasSuffix($1) }, "\(warnings)")
            let settings = findings.filter { $0.level == "ok" }.map(\.what)
            #expect(settings.contains("pulse.endpoint is \(pulse), from CLICKSTREAM_PULSE_ENDPOINT"))
            for start in ["autoEvents is touch, from ", "optOut is empty, from ", "pulse.authCookie is set, from "] {
                #expect(settings.contains { $0.hasPrefix(start) && $0.hasSuffix(".json") }, "\(settings)")
            }
        }
    }

    @Test("reports a state of a later version")
    func laterState() async throws {
        try await Workplace.use { workplace in
            #expect(try await workplace.run("record", "tap", "--app-id", "a", "--storage", "s").status == 0)
            let state = try #require(workplace.contents(of: "s").first { $0.hasSuffix("/state") })
            try workplace.write("clickstream-state 3 d2e61696\n{}", to: "s/\(state)")
            let run = try await workplace.run("doctor", "--app-id", "a", "--storage", "s")
            #expect(run.status == 1)
            let problems = try found(run, "store").filter { $0.level == "problem" }.map(\.what)
            #expect(problems.count == 1)
            #expect(problems.allSatisfy { $0.contains("its format version 3 is newer than this library") })
        }
    }

    @Test("reports a path that is not a folder, and a damaged store")
    func storage() async throws {
        try await Workplace.use { workplace in
            try workplace.write("", to: "file")
            let file = try await workplace.run("doctor", "--app-id", "a", "--storage", "file")
            #expect(file.status == 1)
            #expect(try found(file, "storage").contains { $0.level == "problem" && $0.what == "file is not a folder" })

            for name in ["one", "two"] {
                #expect(try await workplace.run("record", name, "--app-id", "a", "--storage", "s").status == 0)
            }
            let segment = try #require(workplace.contents(of: "s").first { $0.hasSuffix(".events") })
            let text = try workplace.text(of: "s/\(segment)")
            try workplace.write(text.replacingOccurrences(of: "\"one\"", with: "\"0ne\""), to: "s/\(segment)")
            let damaged = try await workplace.run("doctor", "--app-id", "a", "--storage", "s")
            #expect(damaged.status == 1)
            #expect(try found(damaged, "store").map(\.level) == ["problem"])
            #expect(damaged.output.contains("clickstream-cli queue repair --app-id a"))
        }
    }

    @Test("reports pending events of a clock that was not set")
    func unsetClock() async throws {
        try await Workplace.use { workplace in
            let times: [Int64] = [10_000, 946_684_799_999, 946_684_800_000, 1_704_067_200_000]
            let lines = times.enumerated().map { number, time in
                let id = "00000000-0000-4000-8000-00000000000\(number)"
                return #"{"event_type":"tap","event_id":"\#(id)","timestamp":\#(time),"app_id":"a"}"# + "\n"
            }
            let imported = try await workplace.run(
                ["queue", "import", "-", "--storage", "s", "--app-id", "a"],
                input: lines.joined()
            )
            #expect(imported.status == 0, "\(imported.errors)")
            let run = try await workplace.run("doctor", "--app-id", "a", "--storage", "s")
            let warnings = try found(run, "store").filter { $0.level == "warning" }.map(\.what)
            #expect(warnings == ["2 pending events of before 2000"])
        }
    }

    @Test("names the process that uses the store")
    func locks() async throws {
        try await Workplace.use { workplace in
            let app = try LivingApp(in: workplace)
            app.record("tap")
            let run = try await workplace.run("doctor", "--app-id", "clickstream_cli", "--storage", "s")
            #expect(run.status == 0, "\(run.output)")
            let locks = try found(run, "locks").map(\.what)
            #expect(
                locks.contains {
                    $0.hasPrefix("the lock of run 1 is held by process \(ProcessInfo.processInfo.processIdentifier) (")
                },
                "\(locks)"
            )
            app.end()
        }
    }
}
#endif
