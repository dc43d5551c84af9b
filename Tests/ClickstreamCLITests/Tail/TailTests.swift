#if Collector
import ClickstreamCollector
import ClickstreamCore
import Foundation
import Testing

/// The command `tail`, run as a process against a collector in this one.
@Suite("tail")
struct TailTests {
    /// The names of the events that were printed as JSON lines.
    private func names(_ output: String) throws -> [String] {
        // The last line may not be whole yet.
        let lines = output.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        return try lines.map { line in
            let element = try JSONReader.parse(Array(line.utf8))
            return try #require(element["event"]?["event_type"]?.string)
        }
    }

    private func send(_ names: [String], to collector: Collector) async throws {
        let events = names.map { WireEvents.event($0, id: $0) }
        #expect(try await WireEvents.send(events, to: collector.endpoint) == 200)
    }

    @Test("prints the last ten matching events, or the requested number, and ends")
    func stored() async throws {
        try await Workplace.use { workplace in
            try await Collector.use { collector in
                let all = (1...1_200).map { "e\($0)" }
                for start in stride(from: 0, to: 1_200, by: 300) {
                    try await send(Array(all[start..<(start + 300)]), to: collector)
                }
                let last = try await workplace.run("tail", collector.baseURL)
                #expect(last.status == 0, "\(last.errors)")
                #expect(try names(last.output) == all.suffix(10))
                let every = try await workplace.run("tail", collector.baseURL, "--limit", "\(Int.max)")
                #expect(try names(every.output) == all, "\(every.errors)")
                let few = try await workplace.run("tail", collector.endpoint, "--limit", "3", "--session", "s-1")
                #expect(try names(few.output) == all.suffix(3))
                let one = try await workplace.run(
                    ["tail", "--name", "e17", "--user", "u-1", "--status", "good", "--since", "1h"],
                    environment: ["CLICKSTREAM_COLLECTOR": collector.baseURL]
                )
                #expect(try names(one.output) == ["e17"])
                let filters = ["--app-id", "shop", "--device", "d", "--platform", "Linux", "--until", "2099-01-01"]
                let app = try await workplace.run(["tail", collector.baseURL, "-n", "1"] + filters)
                #expect(try names(app.output) == ["e1200"], "\(app.errors)")
                let none = try await workplace.run("tail", collector.baseURL, "--since", "2099-01-01", "-n", "0")
                #expect(none == Finished(status: 0, output: "", errors: ""))
            }
        }
    }

    @Test(
        "explains that no stored event matches",
        arguments: [
            (["--session", "nosuch"], "no event matches --session nosuch; URL has 2 events, of the sessions s-1"),
            (["--since", "2099-01-01"], "no event matches --since 2099-01-01T00:00:00.000Z; URL has 2 events"),
            (["--code", "2003", "--name", "x"], "no event matches --name x --code 2003; URL has 2 events"),
            (["--code", "plan_range"], "no event matches --code plan_range; URL has 2 events"),
            (["--app-id", "news"], "no event matches --app-id news; URL has 2 events"),
            (["--device", "e"], "no event matches --device e; URL has 2 events"),
            (["--platform", "iOS"], "no event matches --platform iOS; URL has 2 events"),
            (["--app-version", "2"], "no event matches --app-version 2; URL has 2 events"),
            (["--screen", "Home"], "no event matches --screen Home; URL has 2 events"),
            (["--until", "2000-01-01"], "no event matches --until 2000-01-01T00:00:00.000Z; URL has 2 events"),
            (["--form", "pulse"], "no pulse events received by URL; check that the app sends to it, and flushes"),
        ]
    )
    func noMatch(arguments: [String], message: String) async throws {
        try await Workplace.use { workplace in
            try await Collector.use { collector in
                try await send(["a", "b"], to: collector)
                let run = try await workplace.run(["tail", collector.baseURL] + arguments)
                let errors = message.replacing("URL", with: "the collector at \(collector.baseURL)") + "\n"
                #expect(run == Finished(status: 0, output: "", errors: errors))
            }
        }
    }

    @Test(
        "continues with new events, and stops with the signal's status",
        arguments: [(SIGINT, 130), (SIGTERM, 143)] as [(Int32, Int32)]
    )
    func follow(signal: Int32, status: Int32) async throws {
        try await Workplace.use { workplace in
            try await Collector.use { collector in
                try await send(["a", "b", "c"], to: collector)
                let tail = try workplace.start(["tail", collector.baseURL, "--follow", "-n", "2"])
                #expect(try await tail.wait { tail.outputSoFar.split(separator: "\n").count == 2 })
                try await send(["d"], to: collector)
                try await send(["e", "f"], to: collector)
                #expect(try await tail.wait { tail.outputSoFar.split(separator: "\n").count >= 5 })
                tail.send(signal)
                let ended = try await tail.finish()
                #expect(ended.status == status)
                #expect(try names(ended.output) == ["b", "c", "d", "e", "f"])
                #expect(ended.errors == "")
            }
        }
    }

    @Test("follows matching events only")
    func filtered() async throws {
        try await Workplace.use { workplace in
            try await Collector.use { collector in
                try await send(["a", "b"], to: collector)
                let tail = try workplace.start(["tail", collector.baseURL, "--follow", "--name", "b"])
                #expect(try await tail.wait { tail.outputSoFar.contains("\n") })
                try await WireEvents.send(
                    [WireEvents.event("a", id: "2"), WireEvents.event("b", id: "3"), WireEvents.event("c", id: "4")],
                    to: collector.endpoint
                )
                #expect(try await tail.wait { tail.outputSoFar.split(separator: "\n").count == 2 })
                tail.send(SIGTERM)
                #expect(try names(try await tail.finish().output) == ["b", "b"])
            }
        }
    }

    @Test("loses and repeats nothing when the collector is restarted")
    func restart() async throws {
        try await Workplace.use { workplace in
            let collector = try await CollectorProcess(workplace)
            try await WireEvents.send(["a", "b"].map { WireEvents.event($0, id: $0) }, to: collector.endpoint)
            let tail = try workplace.start(["tail", collector.endpoint, "--follow", "-n", "100"])
            #expect(try await tail.wait { tail.outputSoFar.split(separator: "\n").count == 2 })
            for round in 1...3 {
                try await collector.kill()
                try await collector.restart()
                let names = ["c\(round)", "d\(round)"]
                try await WireEvents.send(names.map { WireEvents.event($0, id: $0) }, to: collector.endpoint)
                #expect(try await tail.wait { tail.outputSoFar.split(separator: "\n").count == 2 + 2 * round })
            }
            tail.send(SIGTERM)
            let ended = try await tail.finish()
            #expect(ended.status == 143)
            #expect(try names(ended.output) == ["a", "b", "c1", "d1", "c2", "d2", "c3", "d3"])
            #expect(ended.errors.contains("warning: lost the collector at"))
            #expect(ended.errors.contains("reconnected to the collector"))
            try await collector.kill()
        }
    }

    @Test("reports that the collector was emptied, and continues")
    func reset() async throws {
        try await Workplace.use { workplace in
            try await Collector.use { collector in
                try await send(["a"], to: collector)
                let tail = try workplace.start(["tail", collector.baseURL, "-f"])
                #expect(try await tail.wait { tail.outputSoFar.contains("\n") })
                try await collector.reset()
                try await send(["a"], to: collector)
                #expect(try await tail.wait { tail.outputSoFar.split(separator: "\n").count == 2 })
                tail.send(SIGTERM)
                let ended = try await tail.finish()
                #expect(try names(ended.output) == ["a", "a"])
                #expect(ended.errors == "the collector was reset or replaced\n")
            }
        }
    }

    @Test("ends silently, as with SIGPIPE, if its output is closed")
    func brokenPipe() async throws {
        try await Workplace.use { workplace in
            try await Collector.use { collector in
                try await send((1...50).map { "e\($0)" }, to: collector)
                let shell = Process()
                shell.executableURL = URL(filePath: "/bin/sh")
                shell.arguments = [
                    "-c",
                    "('\(Workplace.executable.path)' tail '\(collector.baseURL)' -f -n 50 2> errors; echo $? > status) "
                        + "| head -n 1 > first",
                ]
                shell.currentDirectoryURL = workplace.folder
                let ended = AsyncStream<Void>.makeStream()
                shell.terminationHandler = { _ in ended.continuation.finish() }
                try shell.run()
                for await _ in ended.stream {}
                #expect(try names(workplace.text(of: "first")) == ["e1"])
                #expect(try workplace.text(of: "errors") == "")
                // 128 and the number of SIGPIPE, as of any program whose reader has left.
                #expect(try workplace.text(of: "status") == "141\n")
            }
        }
    }

    @Test("reports an address without a collector, and the remedy")
    func nobody() async throws {
        try await Workplace.use { workplace in
            for arguments in [["tail", "http://127.0.0.1:1"], ["tail", "http://127.0.0.1:1", "--follow"]] {
                let run = try await workplace.run(arguments)
                #expect(run.status == 69)
                #expect(
                    run.errors
                        == "error: no collector responds at http://127.0.0.1:1: Connection refused; start one with "
                        + "'clickstream-cli collect', or pass another URL or set CLICKSTREAM_COLLECTOR\n"
                )
            }
            let wrong = try await workplace.run(["tail"], environment: ["CLICKSTREAM_COLLECTOR": "nonsense"])
            #expect(wrong.status == 78)
            #expect(wrong.errors.contains("cannot use CLICKSTREAM_COLLECTOR=nonsense"))
        }
    }

    @Test(
        "names the refused host name and its option, at once",
        arguments: [
            ["tail"], ["tail", "--follow"], ["assert", "--no-errors"], ["assert", "--event", "tap", "--within", "1h"],
        ]
    )
    func foreignHost(_ command: [String]) async throws {
        try await Workplace.use { workplace in
            try await Collector.use { collector in
                // The C library's short form of 127.0.0.1: another name of this machine.
                let url = "http://127.1:\(collector.port)"
                let run = try await workplace.run([command[0], url] + command.dropFirst())
                #expect(run.status == 78)
                #expect(
                    run.errors
                        == "error: the collector at \(url) rejected the host name: this collector does not answer under "
                        + "the host name '127.1': use localhost, or start the collector with --allow-host 127.1 or "
                        + "CLICKSTREAM_ALLOW_HOST=127.1\n"
                )
            }
        }
    }

    @Test("reports that a collector uses plain HTTP if https is requested", arguments: ["tail", "assert"])
    func encrypted(_ command: String) async throws {
        let url = "https://collect.example.com:9090"
        let said = "a collector serves plain HTTP, not https"
        try await Workplace.use { workplace in
            let expected = command == "assert" ? ["--no-errors"] : []
            let argument = try await workplace.run([command, url] + expected)
            #expect(argument.status == 64)
            #expect(argument.errors.lowercased().contains(said.lowercased()))
            let variable = try await workplace.run([command] + expected, environment: ["CLICKSTREAM_COLLECTOR": url])
            #expect(variable.status == 78)
            #expect(variable.errors.contains("cannot use CLICKSTREAM_COLLECTOR=\(url): \(said)"))
        }
    }

    @Test(
        "rejects invalid usage",
        arguments: [
            ["ftp://x"], ["--limit", "-1"], ["--status", "ugly"], ["--since", "yesterday"], ["--format", "xml"],
            ["--until", "tomorrow"], ["--app", "shop"], ["--device", ""],
        ]
    )
    func usage(arguments: [String]) async throws {
        try await Workplace.use { workplace in
            let run = try await workplace.run(["tail"] + arguments)
            #expect((run.status, run.output) == (64, ""))
        }
    }
}
#endif
