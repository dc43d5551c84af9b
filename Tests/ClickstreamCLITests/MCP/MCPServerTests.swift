import ClickstreamCore
import ClickstreamSimulation
import Testing

@testable import clickstream_cli

@Suite("Server of the Model Context Protocol")
struct MCPServerTests {
    /// A server with its lines.
    private struct Connection {
        let server: MCPServer
        private var lines: AsyncStream<[UInt8]>.Iterator

        init(_ tools: [MCPTool], time: any TimeSource = SystemDependencies.time) {
            let (lines, continuation) = AsyncStream<[UInt8]>.makeStream()
            let context = MCPContext(time: time) { _, _, _ in throw CommandFailure(.serverUnavailable, "no collector") }
            server = MCPServer(tools: tools, context: context) { continuation.yield($0) }
            self.lines = lines.makeAsyncIterator()
            server.receive(Array(MCPSessionTests.hello.utf8))
        }

        func send(_ id: Int, _ name: String, _ more: String = "") {
            let parameters = #"{"name":"\#(name)","arguments":{}\#(more)}"#
            server.receive(Array(#"{"jsonrpc":"2.0","id":\#(id),"method":"tools/call","params":\#(parameters)}"#.utf8))
        }

        func cancel(_ id: Int) {
            let parameters = #"{"requestId":\#(id)}"#
            server.receive(Array(#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":\#(parameters)}"#.utf8))
        }

        mutating func next() async throws -> JSONValue {
            let line = await lines.next()
            return try JSONReader.parse(try #require(line))
        }
    }

    private static func tool(
        _ name: String,
        isWait: Bool = false,
        _ call: @escaping @Sendable (MCPContext) async throws -> [UInt8]
    ) -> MCPTool {
        MCPTool(name: name, title: name, summary: name, parameters: [], outputs: [], isWait: isWait) { _, context in
            try await call(context)
        }
    }

    /// Tool that ends with an element of a stream.
    private static func held(_ gates: AsyncStream<Void>, isWait: Bool = false) -> MCPTool {
        tool("held", isWait: isWait) { _ in
            for await _ in gates { return Array(#"{"held":true}"#.utf8) }
            throw CancellationError()
        }
    }

    private static let quick = tool("quick") { _ in Array(#"{"quick":true}"#.utf8) }

    @Test("runs calls concurrently")
    func concurrent() async throws {
        let (gates, gate) = AsyncStream<Void>.makeStream()
        var connection = Connection([Self.held(gates), Self.quick])
        #expect(try await connection.next()["id"]?.integer == 0)
        connection.send(1, "held")
        connection.send(2, "quick")
        let second = try await connection.next()
        #expect(second["id"]?.integer == 2)
        #expect(second["result"]?["structuredContent"]?["quick"]?.boolean == true)
        gate.yield()
        let first = try await connection.next()
        #expect(first["id"]?.integer == 1)
        #expect(first["result"]?["structuredContent"]?["held"]?.boolean == true)
        await connection.server.endInput()
    }

    @Test("cancels a call, whose response never comes")
    func cancellation() async throws {
        let (gates, _) = AsyncStream<Void>.makeStream()
        var connection = Connection([Self.held(gates), Self.quick])
        _ = try await connection.next()
        connection.send(1, "held")
        connection.cancel(1)
        connection.send(1, "quick")
        let response = try await connection.next()
        #expect(response["result"]?["structuredContent"]?["quick"]?.boolean == true)
        // Without the cancellation, the call would never end.
        await connection.server.endInput()
    }

    @Test("at the end of the input cancels waits, and answers other calls")
    func endOfInput() async throws {
        let (gates, _) = AsyncStream<Void>.makeStream()
        var connection = Connection([Self.held(gates, isWait: true), Self.quick])
        _ = try await connection.next()
        connection.send(1, "held")
        connection.send(2, "quick")
        await connection.server.endInput()
        #expect(try await connection.next()["id"]?.integer == 2)
    }

    @Test("returns failures of a tool as results")
    func failures() async throws {
        let missing = Self.tool("missing") { try await $0.read("/api/summary", []) }
        var connection = Connection([missing])
        _ = try await connection.next()
        connection.send(1, "missing")
        let result = try #require(try await connection.next()["result"])
        #expect(result["isError"]?.boolean == true)
        #expect(result["structuredContent"] == nil)
        #expect(
            result["content"]?.array?.first?["text"]?.string == #"{"code":"unavailable","error":"no collector"}"#
        )
    }

    @Test("sends the progress of a call before its response")
    func progress() async throws {
        let reporting = Self.tool("reporting") { context in
            context.report(MCPProgress(seconds: 1, total: 2, message: "m"))
            return Array("{}".utf8)
        }
        var connection = Connection([reporting])
        _ = try await connection.next()
        connection.send(1, "reporting", #","_meta":{"progressToken":7}"#)
        let progress = try await connection.next()
        #expect(progress["method"]?.string == "notifications/progress")
        #expect(progress["params"]?["progressToken"]?.integer == 7)
        #expect(try await connection.next()["id"]?.integer == 1)
    }
}
