import ClickstreamCollector
import ClickstreamCore
import Foundation
import Testing

@testable import clickstream_cli

/// The command `mcp` as a process.
@Suite("mcp")
struct MCPCommandTests {
    private static let initialized = #"{"jsonrpc":"2.0","method":"notifications/initialized"}"#

    private static func call(_ id: Int, _ tool: String, _ arguments: String = "{}") -> String {
        let parameters = #"{"name":"\#(tool)","arguments":\#(arguments)}"#
        return #"{"jsonrpc":"2.0","id":\#(id),"method":"tools/call","params":\#(parameters)}"#
    }

    /// Runs the command on lines, and returns its responses by their ids as JSON.
    private static func responses(
        _ options: [String],
        _ lines: [String],
        in workplace: Workplace
    ) async throws -> [String: JSONValue] {
        let input = ([MCPSessionTests.hello, initialized] + lines).joined(separator: "\n")
        let run = try await workplace.run(["mcp"] + options, input: input)
        #expect((run.status, run.errors) == (0, ""))
        #expect(run.output.hasSuffix("\n"))
        var responses: [String: JSONValue] = [:]
        for line in run.lines {
            let response = try JSONReader.parse(Array(line.utf8))
            #expect(response["jsonrpc"]?.string == "2.0")
            responses[response["id"]?.description ?? ""] = response
        }
        #expect(responses.count == run.lines.count)
        return responses
    }

    @Test("answers until the end of the input, without a collector")
    func withoutCollector() async throws {
        try await Workplace.use { workplace in
            let long = #"{"jsonrpc":"2.0","id":1,"method":"\#(String(repeating: "x", count: 1_100_000))"}"#
            let lines = [
                long, Self.call(2, "explain_code", #"{"code":"2003"}"#), "", Self.call(3, "summary"),
                Self.call(4, "find_events", #"{"limit":0}"#),
            ]
            let responses = try await Self.responses(["--url", "http://127.0.0.1:9"], lines, in: workplace)
            #expect(Set(responses.keys) == ["0", "null", "2", "3", "4"])
            #expect(responses["null"]?["error"]?["code"]?.integer == -32_600)
            #expect(responses["2"]?["result"]?["structuredContent"]?["code"]?.string == "2003")
            for (id, code) in [("3", "unavailable"), ("4", "arguments")] {
                let result = try #require(responses[id]?["result"])
                #expect(result["isError"]?.boolean == true)
                let text = try #require(result["content"]?.array?.first?["text"]?.string)
                #expect(try JSONReader.parse(Array(text.utf8))["code"]?.string == code)
            }
        }
    }

    @Test("ends at the end of the input although a call waits for an event")
    func endOfInput() async throws {
        let server = FixedServer { _ in
            let body = #"{"last_seq":1}"#
            return "200 OK\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
        }
        defer { server.stop() }
        try await Workplace.use { workplace in
            let wait = Self.call(1, "wait_for_event", #"{"timeout_seconds":300}"#)
            let responses = try await Self.responses(["--url", "http://\(server.authority)"], [wait], in: workplace)
            #expect(Set(responses.keys) == ["0"])
        }
    }

    @Test("ends by a signal while it waits for input", arguments: [(SIGTERM, Int32(143)), (SIGINT, Int32(130))])
    func signal(number: Int32, status: Int32) async throws {
        try await Workplace.use { workplace in
            let running = try workplace.start(["mcp"], input: .pipe)
            try running.write(MCPSessionTests.hello + "\n")
            #expect(try await running.wait { running.outputSoFar.contains("serverInfo") })
            running.send(number)
            let run = try await running.finish()
            #expect((run.status, run.errors) == (status, ""))
        }
    }

    @Test(
        "refuses wrong options",
        arguments: [
            (
                ["--url", "http://127.0.0.1:1", "--store", "a"],
                "--url and --store cannot be combined; leave out one of them"
            ),
            (["--plan", "a.yaml"], "--plan needs --store; start the collector itself with --plan FILE"),
            (["--max-result-bytes", "1KiB"], "--max-result-bytes must be from 4KiB to 16MiB, not 1024 bytes"),
        ]
    )
    func options(arguments: [String], message: String) async throws {
        try await Workplace.use { workplace in
            let run = try await workplace.run(["mcp"] + arguments)
            #expect(run.status == 64)
            #expect(run.errors.hasPrefix("error: \(message)\n"), "\(run.errors)")
        }
    }

    #if Collector
    private static let questions = [
        call(1, "summary"), call(2, "find_events", #"{"name":"buy","limit":1}"#), call(3, "get_event", #"{"seq":1}"#),
        call(4, "get_session", #"{"id":"s-1"}"#), call(5, "count", #"{"by":"attributes.value"}"#),
        call(6, "funnel", #"{"steps":["view","buy:attributes.value == 2"]}"#),
    ]

    @Test("gives the same results from a running collector and from its store")
    func results() async throws {
        try await Workplace.use { workplace in
            let path = workplace.path("store.sqlite")
            try await Collector.use(CollectorConfiguration(storePath: path)) { collector in
                let events = [
                    WireEvents.event("view", id: "1"), WireEvents.event("buy", id: "2", attributes: "\"value\": 1"),
                    WireEvents.event("buy", id: "3", attributes: "\"value\": 2, \"text\": \"\\ud800\\n\""),
                ]
                let status = try await WireEvents.send(events, to: collector.endpoint)
                #expect(status == 200)
                let questions = Self.questions + [Self.call(8, "get_event", #"{"seq":99}"#)]
                let served = try await Self.responses(["--url", collector.baseURL], questions, in: workplace)
                let read = try await Self.responses(["--store", path], questions, in: workplace)
                let results = try (1...6).map { id in
                    let content = try #require(served["\(id)"]?["result"]?["structuredContent"], "\(served)")
                    #expect(read["\(id)"]?["result"]?["structuredContent"] == content)
                    return content
                }
                #expect(results[0]["events"]?.integer == 3)
                #expect(results[1]["events"]?.array?.count == 1)
                #expect(results[1]["next"]?.string != nil)
                #expect(results[2]["event"]?["event_id"]?.string == "1")
                #expect(results[3]["timeline"]?.array?.count == 3)
                #expect(results[4]["values"]?.array?.count == 3)
                #expect(results[5]["steps"]?.array?.compactMap { $0["users"]?.integer } == [1, 1])
                for responses in [served, read] { #expect(responses["8"]?["result"]?["isError"]?.boolean == true) }
            }
        }
    }

    /// Sends events to a collector with this store, which ends then.
    private static func fill(_ path: String, _ events: [String]) async throws {
        try await Collector.use(CollectorConfiguration(storePath: path)) { collector in
            let status = try await WireEvents.send(events, to: collector.endpoint)
            #expect(status == 200)
        }
    }

    @Test("reads the store that takes the place of a removed one")
    func replacement() async throws {
        try await Workplace.use { workplace in
            let path = workplace.path("store.sqlite")
            try await Self.fill(path, [WireEvents.event("view", id: "1")])
            let running = try workplace.start(["mcp", "--store", path], input: .pipe)
            try running.write(MCPSessionTests.hello + "\n" + Self.call(1, "summary") + "\n")
            #expect(try await running.wait { running.outputSoFar.contains(#""id":1,"#) })
            for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) }
            try running.write(Self.call(2, "summary") + "\n")
            #expect(try await running.wait { running.outputSoFar.contains(#""id":2,"#) })
            try await Self.fill(path, [WireEvents.event("view", id: "2"), WireEvents.event("buy", id: "3")])
            try running.write(Self.call(3, "summary") + "\n")
            try running.endInput()
            let run = try await running.finish()
            #expect((run.status, run.errors) == (0, ""))
            let results = try run.lines.dropFirst().map { try JSONReader.parse(Array($0.utf8))["result"] }
            #expect(results.map { $0?["structuredContent"]?["events"]?.integer } == [1, nil, 2])
            #expect(results[1]?["content"]?.array?.first?["text"]?.string?.contains("not_found") == true)
        }
    }
    #endif
}
