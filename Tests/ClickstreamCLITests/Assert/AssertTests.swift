#if Collector
import ClickstreamAnalytics
import ClickstreamCollector
import ClickstreamCore
import Foundation
import Testing

/// The command `assert`, run as a process against a collector in this one.
@Suite("assert")
struct AssertTests {
    private func purchase(_ id: String, _ value: String = "99.9", user: String = "u-1") -> String {
        WireEvents.event("purchase", id: id, user: user, attributes: "\"value\": \(value)")
    }

    @Test("checks once, and reports with its status if all expectations hold")
    func once() async throws {
        try await Workplace.use { workplace in
            try await Collector.use { collector in
                let events = [
                    purchase("1"), purchase("2"), purchase("3", "5", user: "u-2"), WireEvents.event("tap", id: "4"),
                ]
                try await WireEvents.send(events, to: collector.endpoint)
                let table: [([String], Int32)] = [
                    (["--event", "purchase"], 0), (["--event", "purchase", "--count", "3"], 0),
                    (["--event", "purchase:2"], 1), (["--event", "purchase:2+", "--event", "tap:1"], 0),
                    (["--event", "purchase:2", "--where", "attributes.value == 99.9", "--event", "tap"], 0),
                    (["--event", "purchase", "--where", "attributes.value == 7"], 1),
                    (["--event", "purchase:1", "--user", "u-2"], 0), (["--event", "tap", "--user", "u-2"], 1),
                    (["--event", "tap", "--session", "s-1"], 0), (["--event", "tap", "--session", "s-2"], 1),
                    (["--event", "tap", "--since", "1h"], 0), (["--event", "tap", "--since", "2099-01-01"], 1),
                    (["--event", "tap", "--app-id", "shop", "--device", "d", "--platform", "Linux"], 0),
                    (["--event", "tap", "--app-id", "news"], 1), (["--event", "tap", "--screen", "Home"], 1),
                    (["--event", "tap", "--app-version", "1"], 1), (["--event", "tap", "--until", "1h"], 1),
                    (["--event", "tap", "--until", "2099-01-01", "--status", "good"], 0),
                    (["--event", "tap", "--code", "2003"], 1), (["--event", "tap:0", "--name", "purchase"], 0),
                    (["--no-duplicates", "--no-errors", "--until", "1h"], 0),
                    (["--no-errors", "--no-duplicates"], 0), (["--event", "login:0"], 0),
                    (["--event", "tap", "--at-most", "0"], 1),
                ]
                for (arguments, status) in table {
                    let run = try await workplace.run(["assert", collector.baseURL, "--format", "human"] + arguments)
                    #expect(run.status == status, "\(arguments) \(run.output) \(run.errors)")
                }
                let other = ["assert", collector.baseURL, "--event", "tap", "--session", "nosuch"]
                let nosuch = try await workplace.run(other)
                let reason =
                    "no event matches --session nosuch; the collector at \(collector.baseURL) has 4 clickstream events, of the "
                    + "sessions s-1"
                #expect(nosuch.errors.contains(reason), "\(nosuch.errors)")
                // Waiting can help with a missing event alone.
                let helpful = [("login", true), ("purchase:4", true), ("tap:0", false), ("purchase:2", false)]
                for (expected, helps) in helpful {
                    let run = try await workplace.run("assert", collector.baseURL, "--event", expected)
                    #expect(run.errors.contains("--within") == helps, "\(expected): \(run.errors)")
                }
                let condition = ["--event", "purchase", "--where", "attributes.value == 99.90"]
                let text = try await workplace.run(["assert", collector.baseURL] + condition)
                #expect(text.status == 1)
                #expect(
                    text.errors.hasPrefix(
                        "warning: compared as text: attributes.value == 99.90; for a number write attributes.value == 99.9\n"
                    ),
                    "\(text.errors)"
                )
                let json = try await workplace.run("assert", collector.baseURL, "--event", "purchse")
                #expect(json.status == 1)
                #expect(json.output.contains("\"similar\":\"purchase\""))
                #expect(json.errors.contains("did you mean 'purchase' (3 received)?"))
            }
        }
    }

    @Test(
        "reads only the events that the expectations can match",
        arguments: [
            (["--event", "buy", "--event", "buy:0..5", "--event", "x:0"], true, ["events?name=buy", "events?name=x"]),
            (["--event", "buy", "--where", "attributes.value == 1"], true, ["events?name=buy"]),
            (["--form", "pulse", "--event", "click:0"], true, ["captured?name=click&form=pulse"]),
            (
                ["--event", "tap:0", "--no-errors"], true,
                ["events?name=tap", "events?status=bad", "captured?status=bad", "audit?status=bad"]
            ),
            (["--no-duplicates"], true, []),
            // A report of what was not received has the names of all events.
            (["--event", "never"], true, ["events?name=never", "events"]),
            // The collector does not select by these, or is of an earlier version.
            (["--no-errors", "--strict"], true, ["events", "captured", "audit"]),
            (["--event", "cafe\u{301}:0"], true, ["events"]),
            (["--event", "tap:0", "--session", "s-1"], true, ["events?session=s-1"]),
            (
                [
                    "--event", "tap:0", "--until", "1970-01-02", "--code", "plan_range", "--status", "bad", "--screen",
                    "Home",
                    "--app-version", "1.0", "--platform", "iOS", "--device", "d", "--app-id", "shop", "--user", "u",
                    "--session", "s", "--name", "tap", "--since", "5",
                ],
                true,
                [
                    "events?name=tap&session=s&user=u&app=shop&device=d&platform=iOS&version=1.0&screen=Home&status=bad"
                        + "&code=plan_range&since=5&until=86400000"
                ]
            ),
            (["--no-errors", "--app-id", "shop"], true, ["events?app=shop"]),
            (
                ["--no-errors", "--name", "tap", "--until", "7"], true,
                ["events?name=tap&until=7", "captured?name=tap&until=7", "audit?name=tap&until=7"]
            ),
            (["--event", "tap:0"], false, ["events"]),
        ] as [([String], Bool, [String])]
    )
    func selection(arguments: [String], hasPosition: Bool, lists: [String]) async throws {
        let targets = Locked<[String]>([])
        let server = FixedServer { target in
            targets.withLock { $0.append(target) }
            let page = #"{"events":[{"seq":1,"request_id":"r","event":{"event_type":"buy","attributes":{"value":1}}}],"#
            let body: String =
                switch target {
                case "/api/summary": #"{"events":1200,"bad_events":1"# + (hasPosition ? #","last_seq":7}"# : "}")
                case "/api/captured/summary", "/api/audit/summary": "{}"
                // The rest of the list is after the position.
                case let list where list.hasPrefix("/api/events?name=buy"): page + #""next":"500"}"#
                case "/api/events?limit=500": page + #""next":null}"#
                default: #"{"events":[],"next":null}"#
                }
            return "200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
        }
        defer { server.stop() }
        let ended = try await Workplace.use { try await $0.run(["assert", "http://\(server.authority)"] + arguments) }
        let read = targets.withLock { $0 }.filter { $0.contains("limit=") }
        let expected = lists.map { "/api/\($0)\($0.contains("?") ? "&" : "?")limit=500" }
        #expect(read == expected, "\(ended.output) \(ended.errors)")
        let isCounted = !["--session", "--app-id", "--until", "--strict"].contains { arguments.contains($0) }
        if hasPosition, lists != ["events"], isCounted {
            #expect(ended.output.contains("\"events\":1200"), "\(ended.output)")
        }
    }

    @Test("reports of selected events what it reports of all")
    func sameReport() async throws {
        try await Workplace.use { workplace in
            try await Collector.use { collector in
                var events = (1...40).map { purchase("p\($0)", "\($0)") }
                events += (1...5).map { WireEvents.event("1st", id: "b\($0)") }
                events += [WireEvents.event("tap", id: "t"), events[0], WireEvents.event("\u{212A}", id: "k")]
                let twoNames = WireEvents.event("tap", id: "n").dropLast() + #", "event_name": "click"}"#
                let boolean = WireEvents.event("tap", id: "z").replacing(#""tap""#, with: "true")
                events += [String(twoNames), boolean]
                try await WireEvents.send(events, to: collector.endpoint)
                try await WireEvents.send(["{"], to: collector.endpoint)
                let table: [[String]] = [
                    ["--event", "purchase:40", "--event", "tap:2", "--no-errors"],
                    ["--event", "1st:5", "--no-errors"],
                    ["--event", "purchase:2", "--where", "attributes.value == 7", "--no-duplicates"],
                    ["--event", "purchse", "--event", "tap:0"], ["--form", "pulse", "--event", "purchase"],
                    ["--event", "never:0", "--no-errors", "--strict"],
                    ["--event", "click:1", "--event", "tap:1", "--event", "K:0", "--event", "true:0"],
                ]
                for arguments in table {
                    let selected = try await workplace.run(["assert", collector.baseURL] + arguments)
                    let everything = ["assert", collector.baseURL, "--since", "2000-01-01"]
                    let all = try await workplace.run(everything + arguments)
                    let reports = [selected, all].map { $0.output.replacing(/"waited_ms":\d+,/, with: "") }
                    #expect(reports[0] == reports[1], "\(arguments)")
                    #expect(selected.errors == all.errors, "\(arguments)")
                    #expect(selected.status == all.status, "\(arguments)")
                }
            }
        }
    }

    @Test("finds errors, unreadable requests and duplicates")
    func findings() async throws {
        try await Workplace.use { workplace in
            try await Collector.use { collector in
                func status(_ flag: String) async throws -> Int32 {
                    try await workplace.run("assert", collector.baseURL, flag).status
                }
                try await WireEvents.send([purchase("1"), purchase("2")], to: collector.endpoint)
                #expect(try await [status("--no-errors"), status("--no-duplicates")] == [0, 0])
                try await WireEvents.send([WireEvents.event("1st", id: "3")], to: collector.endpoint)
                #expect(try await [status("--no-errors"), status("--no-duplicates")] == [1, 0])
                let errors = try await workplace.run("assert", collector.baseURL, "--no-errors").errors
                #expect(!errors.contains("--within"), "\(errors)")
                try await collector.reset()
                let twice = purchase("1")
                try await WireEvents.send([twice, twice], to: collector.endpoint)
                #expect(try await [status("--no-errors"), status("--no-duplicates")] == [0, 1])
                try await collector.reset()
                try await WireEvents.send(["{"], to: collector.endpoint)
                #expect(try await [status("--no-errors"), status("--no-duplicates")] == [1, 0])
                let since = try await workplace.run("assert", collector.baseURL, "--no-errors", "--since", "1h")
                let later = try await workplace.run("assert", collector.baseURL, "--no-errors", "--since", "2099-01-01")
                let until = try await workplace.run("assert", collector.baseURL, "--no-errors", "--until", "2099-01-01")
                let before = try await workplace.run("assert", collector.baseURL, "--no-errors", "--until", "1h")
                #expect([since.status, later.status, until.status, before.status] == [1, 0, 1, 0])
            }
        }
    }

    @Test("waits for events, and ends as soon as they have arrived")
    func waits() async throws {
        try await Workplace.use { workplace in
            try await Collector.use { collector in
                try await WireEvents.send([purchase("1")], to: collector.endpoint)
                let waiting = try workplace.start([
                    "assert", collector.baseURL, "--event", "purchase:3", "--event", "tap", "--no-errors", "--within",
                    "60s",
                ])
                // Some of it before it looks, some while it waits: either way it must come to the same.
                for id in 2...3 { try await WireEvents.send([purchase("\(id)")], to: collector.endpoint) }
                try await WireEvents.send([WireEvents.event("tap", id: "4")], to: collector.endpoint)
                let ended = try await waiting.finish()
                #expect(ended.status == 0, "\(ended.output) \(ended.errors)")
                #expect(ended.output.contains("\"ok\":true"))
            }
        }
    }

    @Test("fails at once for too many events, and after the timeout for missing ones")
    func fails() async throws {
        try await Workplace.use { workplace in
            try await Collector.use { collector in
                let tooMany = try workplace.start([
                    "assert", collector.baseURL, "--event", "purchase:1", "--event", "never", "--within", "1h",
                ])
                for id in 1...2 { try await WireEvents.send([purchase("\(id)")], to: collector.endpoint) }
                #expect(try await tooMany.finish().status == 1)
                let missing = try await workplace.run(
                    "assert",
                    collector.baseURL,
                    "--event",
                    "never",
                    "--within",
                    "300ms"
                )
                #expect(missing.status == 1)
                #expect(missing.errors.contains("FAILED  never: expected at least 1, received 0"))
                let bad = try workplace.start(["assert", collector.baseURL, "--no-errors", "--within", "1h"])
                try await WireEvents.send([WireEvents.event("1st", id: "9")], to: collector.endpoint)
                #expect(try await bad.finish().status == 1)
            }
        }
    }

    @Test(
        "treats a request with all its events as one unit, in any order of notification",
        arguments: [
            (["--event", "tap:1"], Array(repeating: "tap", count: 100)),
            (["--event", "tap:1", "--event", "err:0"], ["tap", "err"]),
            (["--event", "tap", "--at-least", "1", "--at-most", "1"], ["tap", "other", "tap"]),
            (["--event", "tap:1", "--no-errors"], ["tap", "1st"]),
            (["--event", "tap:1", "--no-duplicates"], ["tap", "="]),
        ] as [([String], [String])]
    )
    func wholeRequests(arguments: [String], names: [String]) async throws {
        try await Workplace.use { workplace in
            try await Collector.use { collector in
                let waiting = try workplace.start(["assert", collector.baseURL, "--within", "60s"] + arguments)
                try await Self.waitForStream(of: collector, after: arguments.count { $0 == "--event" })
                var events: [String] = []
                for (number, name) in names.enumerated() {
                    events.append(name == "=" ? events[number - 1] : WireEvents.event(name, id: "\(number)"))
                }
                try await WireEvents.send(events, to: collector.endpoint)
                let ended = try await waiting.finish()
                #expect(ended.status == 1, "\(ended.output) \(ended.errors)")
            }
        }
    }

    /// Waits until a client that has read a collector's events reads its stream.
    /// - Parameter names: number of names that the client expects.
    private static func waitForStream(of collector: Collector, after names: Int = 1) async throws {
        var metrics = UploadRequest(url: "\(collector.baseURL)/metrics", headers: [], body: [])
        metrics.method = .get
        for question in 0... {
            let text = String(decoding: try await SocketTransport().send(metrics).body, as: UTF8.self)
            let answers = text.split(separator: "\n").first { $0.contains("responses_total{code=\"200\"}") }
            // The summary, the events of each name and the stream, beside what was asked here before.
            let count = answers?.split(separator: " ").last.flatMap { Int($0) } ?? 0
            if count >= question + names + 2 { return }
        }
    }

    @Test("at the timeout reports the collector's current content, or that it has stopped")
    func endOfTime() async throws {
        try await Workplace.use { workplace in
            let waiting = try await Collector.use { collector in
                let waiting = try workplace.start([
                    "assert", collector.baseURL, "--event", "tap:0", "--within", "3s",
                ])
                try await Self.waitForStream(of: collector)
                return waiting
            }
            let ended = try await waiting.finish()
            #expect(ended.status == 69, "\(ended.output) \(ended.errors)")
            #expect(ended.errors.contains("no collector responds"))
        }
    }

    @Test("continues counting after the collector was emptied")
    func emptiedBefore() async throws {
        try await Workplace.use { workplace in
            try await Collector.use { collector in
                try await WireEvents.send([purchase("1")], to: collector.endpoint)
                try await collector.reset()
                try await WireEvents.send([purchase("2")], to: collector.endpoint)
                let waiting = try workplace.start([
                    "assert", collector.baseURL, "--event", "purchase:2+", "--within", "20s",
                ])
                let start = SystemTime().now().steady
                try await Self.waitForStream(of: collector)
                try await WireEvents.send([purchase("3")], to: collector.endpoint)
                #expect(try await waiting.finish().status == 0)
                // Not only at the end of the time.
                #expect(SystemTime().now().steady - start < 19_000)
            }
        }
    }

    @Test("waits for the whole time if no event is expected")
    func quiet() async throws {
        try await Workplace.use { workplace in
            try await Collector.use { collector in
                let start = SystemTime().now().steady
                let run = try await workplace.run("assert", collector.baseURL, "--event", "tap:0", "--within", "400ms")
                #expect(run.status == 0)
                #expect(SystemTime().now().steady - start >= 400)
            }
        }
    }

    @Test("waits for a collector that is starting, with a limit")
    func starting() async throws {
        try await Workplace.use { workplace in
            let none = try await workplace.run("assert", "http://127.0.0.1:1", "--event", "tap", "--within", "500ms")
            #expect(none.status == 69)
            #expect(none.errors.contains("no collector responds at http://127.0.0.1:1"))
            let port = try await Collector.use { $0.port }
            let waiting = try workplace.start([
                "assert", "http://127.0.0.1:\(port)", "--event", "tap", "--within", "60s",
            ])
            try await Collector.use(CollectorConfiguration(port: port)) { collector in
                try await WireEvents.send([WireEvents.event("tap", id: "1")], to: collector.endpoint)
                #expect(try await waiting.finish().status == 0)
            }
        }
    }

    @Test("ends with the signal's status")
    func signal() async throws {
        try await Workplace.use { workplace in
            try await Collector.use { collector in
                let waiting = try workplace.start(["assert", collector.baseURL, "--event", "never", "--within", "1h"])
                // Before that it would simply die.
                #expect(try await waiting.wait { waiting.listensToSignals })
                waiting.send(SIGTERM)
                #expect(try await waiting.finish().status == 143)
            }
        }
    }

    @Test(
        "rejects invalid usage",
        arguments: [
            [], ["--count", "1"], ["--event", "a", "--within", "soon"], ["--event", "a", "--where", "x = 1"],
            ["--no-duplicates", "--user", "carl"], ["--event", "a:5..2"], ["nonsense", "--no-errors"],
        ]
    )
    func usage(arguments: [String]) async throws {
        try await Workplace.use { workplace in
            let run = try await workplace.run(["assert"] + arguments)
            #expect(run.status == 64, "\(run.errors)")
            #expect(run.output == "")
        }
    }
}
#endif
