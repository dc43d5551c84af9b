import ClickstreamCollector
import ClickstreamCore
import Foundation
import Testing

@testable import clickstream_cli

@Suite("Tools of the Model Context Protocol")
struct MCPToolTests {
    private static let now = Timestamp(milliseconds: 1_800_000_000_000)

    private static func tool(_ name: String) throws -> MCPTool {
        try #require(MCPTools.all.first { $0.name == name })
    }

    /// The descriptions of all tools as a client receives them.
    private static func listed() throws -> [JSONValue] {
        var session = MCPSession(tools: MCPTools.all)
        _ = session.receive(Array(MCPSessionTests.hello.utf8))
        let actions = session.receive(Array(#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#.utf8))
        guard case .send(let line)? = actions.first else { return [] }
        return try JSONReader.parse(line)["result"]?["tools"]?.array ?? []
    }

    @Test("are listed with schemas and as read-only")
    func list() throws {
        let tools = try Self.listed()
        let names = [
            "summary", "find_events", "get_event", "get_session", "count", "funnel", "check_plan", "explain_code",
            "wait_for_event",
        ]
        #expect(tools.compactMap { $0["name"]?.string } == names)
        for tool in tools {
            #expect(tool["annotations"]?["readOnlyHint"]?.boolean == true)
            #expect(tool["annotations"]?["openWorldHint"]?.boolean == false)
            #expect(tool["description"]?.string?.hasSuffix(".") == true)
            let schema = try #require(tool["inputSchema"])
            #expect(schema["type"]?.string == "object")
            #expect(schema["additionalProperties"]?.boolean == false)
            let properties = try #require(schema["properties"]?.members)
            for property in properties {
                #expect(property.value["type"]?.string != nil, "\(property.name)")
                #expect(property.value["description"]?.string?.isEmpty == false, "\(property.name)")
            }
            let required = (schema["required"]?.array ?? []).compactMap(\.string)
            #expect(Set(required).isSubset(of: properties.map(\.name)))
        }
    }

    @Test("have the filters of the query API", arguments: ["find_events", "count", "funnel", "wait_for_event"])
    func filters(name: String) throws {
        let names = try Self.tool(name).parameters.filter(\.isFilter).map(\.name)
        #expect(names == EventFilter.parameters.map(\.name))
    }

    @Test("are documented with their parameters")
    func documentation() throws {
        let docs = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../Docs/commands.md")
        let page = try String(contentsOf: docs, encoding: .utf8)
        for tool in MCPTools.all { #expect(page.contains(tool.markdown + "\n"), "\(tool.markdown)") }
    }

    // MARK: - Arguments

    private static let valid: [(tool: String, arguments: String, query: String)] = [
        ("summary", "{}", ""), ("find_events", "{}", "limit=20&event_bytes=2048"),
        (
            "find_events", #"{"name":"a b","status":"bad","limit":3.0,"cursor":"17","app":null,"user":""}"#,
            "name=a%20b&status=bad&limit=3&cursor=17&event_bytes=2048"
        ),
        (
            "find_events", #"{"since":"10m","until":"1800000000001","cursor":5}"#,
            "since=1799999400000&until=1800000000001&limit=20&cursor=5&event_bytes=2048"
        ),
        (
            "find_events", #"{"since":"2027-01-15","limit":1,"event_bytes":64}"#,
            "since=1799971200000&limit=1&event_bytes=64"
        ),
        ("get_event", #"{"seq":7}"#, "event_bytes=32768"),
        ("get_session", #"{"id":"s","app_id":"shop","cursor":"2"}"#, "app_id=shop"),
        (
            "funnel", #"{"steps":["a","b:x == 1"],"per":"session"}"#,
            "step=a&step=b%3Ax%20%3D%3D%201&per=session&limit=20"
        ),
        ("wait_for_event", #"{"name":"a","timeout_seconds":5}"#, "name=a&event_bytes=16384"),
    ]

    @Test("send valid arguments to the query API", arguments: valid)
    func arguments(tool: String, arguments: String, query: String) throws {
        let value = try JSONReader.parse(Array(arguments.utf8))
        let valid = try MCPArguments(value, for: Self.tool(tool).parameters, now: Self.now)
        #expect(EventQuery.query(valid.query) == query)
    }

    private static let invalid: [(tool: String, arguments: String, message: String)] = [
        ("summary", #"{"a":1}"#, "unknown argument 'a'; the tool has none"),
        ("find_events", #"{"nmae":"a"}"#, "unknown argument 'nmae'; did you mean 'name'?"),
        ("find_events", #"{"limit":0}"#, "limit must be an integer from 1 to 500, not '0'"),
        ("find_events", #"{"limit":"3"}"#, "limit must be an integer from 1 to 500, not '\"3\"'"),
        ("find_events", #"{"limit":2.5}"#, "limit must be an integer from 1 to 500, not '2.5'"),
        ("find_events", #"{"limit":1e400}"#, "limit must be an integer from 1 to 500, not '1e400'"),
        ("find_events", #"{"name":["a"]}"#, "name must be a string, not an array"),
        ("find_events", #"{"status":"ugly"}"#, "status must be one of good, bad, not '\"ugly\"'"),
        ("find_events", #"{"cursor":"-1"}"#, "cursor must be the next of an earlier result, not '\"-1\"'"),
        (
            "find_events", #"{"since":"yesterday"}"#,
            "since must be a date such as 2026-11-21T08:00:00Z, milliseconds since 1970 as a string, or an age such as 10m, "
                + "not '\"yesterday\"'"
        ),
        ("get_event", "{}", "seq is missing; pass an integer from 1"),
        ("get_session", #"{"id":""}"#, "id is missing; pass a string"),
        ("funnel", #"{"steps":[]}"#, "steps must be an array of 1 to 20 strings that are not empty, not an array"),
        ("funnel", #"{"steps":["a",1]}"#, "steps must be an array of 1 to 20 strings that are not empty, not an array"),
        ("wait_for_event", #"{"timeout_seconds":301}"#, "timeout_seconds must be an integer from 1 to 300, not '301'"),
    ]

    @Test("refuse other arguments with the remedy", arguments: invalid)
    func refusal(tool: String, arguments: String, message: String) throws {
        let value = try JSONReader.parse(Array(arguments.utf8))
        let parameters = try Self.tool(tool).parameters
        #expect(throws: MCPFailure(.arguments, message)) {
            try MCPArguments(value, for: parameters, now: Self.now)
        }
    }

    // MARK: - Calls

    /// Calls a tool on bodies by their targets.
    private static func call(
        _ name: String,
        _ arguments: String,
        maxBytes: Int = MCPContext.defaultBytes,
        _ bodies: [String: String]
    ) async throws -> String {
        let tool = try tool(name)
        let value = try JSONReader.parse(Array(arguments.utf8))
        let context = MCPContext(maxBytes: maxBytes) { path, parameters, _ in
            let target = path + (parameters.isEmpty ? "" : "?" + EventQuery.query(parameters))
            guard let body = bodies[target] else { throw CommandFailure(.inputMissing, "no \(target)") }
            return Array(body.utf8)
        }
        let result = try await tool.call(MCPArguments(value, for: tool.parameters, now: now), context)
        return String(decoding: result, as: UTF8.self)
    }

    private static let calls: [(tool: String, arguments: String, target: String, body: String, result: String)] = [
        ("summary", "{}", "/api/summary", #"{ "events": 1 }"#, #"{"events":1}"#),
        (
            "find_events", #"{"limit":2}"#, "/api/events?limit=2&event_bytes=2048",
            #"{"events":[{"seq":1},{"seq":2}],"next":"2"}"#, #"{"events":[{"seq":1},{"seq":2}],"next":"2"}"#
        ),
        ("get_event", #"{"seq":7}"#, "/api/events/7?event_bytes=32768", #"{"seq":7}"#, #"{"seq":7}"#),
        (
            "get_session", #"{"id":"a/b","cursor":"1"}"#, "/api/sessions/a%2Fb",
            #"{"id":"a/b","timeline":[{"seq":1},{"seq":2}]}"#, #"{"id":"a/b","timeline":[{"seq":2}],"next":null}"#
        ),
        ("count", #"{"by":"app"}"#, "/api/report/count?by=app&limit=20", #"{"values":[]}"#, #"{"values":[]}"#),
        ("funnel", #"{"steps":["a"]}"#, "/api/report/funnel?step=a&limit=20", #"{"steps":[]}"#, #"{"steps":[]}"#),
        (
            "check_plan", "{}", "/api/plan", #"{"plan":{},"events":[{"name":"a"}]}"#,
            #"{"plan":{},"events":[{"name":"a"}],"next":null}"#
        ),
        ("check_plan", #"{"event":3}"#, "/api/plan/events/3", #"{"seq":3}"#, #"{"seq":3}"#),
    ]

    @Test("return the object of the query API", arguments: calls)
    func result(tool: String, arguments: String, target: String, body: String, result: String) async throws {
        let returned = try await Self.call(tool, arguments, [target: body])
        #expect(returned == result)
    }

    @Test("explain every code without a collector, and suggest the nearest one for another")
    func explanation() async throws {
        for code in ExplainCommand.codes {
            let result = try await Self.call("explain_code", #"{"code":"\#(code)"}"#, [:])
            let value = try JSONReader.parse(Array(result.utf8))
            #expect(value["code"]?.string == code)
            #expect(value["explanation"]?.string?.hasPrefix("\(code)  ") == true)
        }
        let failure = MCPFailure(.arguments, ExplainCommand.unknown("2030").message)
        for tool in ["explain_code", "find_events"] {
            await #expect(throws: failure) { try await Self.call(tool, #"{"code":"2030"}"#, [:]) }
        }
    }

    @Test("report a collector without a plan")
    func withoutPlan() async throws {
        await #expect(throws: MCPFailure(.notFound, "no tracking plan; start the collector with --plan FILE")) {
            try await Self.call("check_plan", "{}", ["/api/plan": #"{"plan":null}"#])
        }
    }
}
