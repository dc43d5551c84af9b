import ClickstreamCore
import Testing

@testable import clickstream_cli

@Suite("Session of the Model Context Protocol")
struct MCPSessionTests {
    static let hello =
        #"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{}}}"#

    /// A tool without parameters.
    private static func tool(_ name: String, isWait: Bool = false) -> MCPTool {
        MCPTool(name: name, title: name, summary: name, parameters: [], outputs: [], isWait: isWait) { _, _ in
            Array("{}".utf8)
        }
    }

    private static let tools = [tool("read"), tool("wait", isWait: true)]

    /// A session after `initialize`.
    private static func begun() -> MCPSession {
        var session = MCPSession(tools: tools)
        _ = session.receive(Array(hello.utf8))
        return session
    }

    /// The actions for a line in short: a response, the name of a started call with its number, or the number of a cancelled one.
    private static func actions(_ actions: [MCPSession.Action]) -> [String] {
        actions.map { action in
            switch action {
            case .send(let line): String(decoding: line, as: UTF8.self)
            case .start(let call): "start \(call.number) \(call.tool.name) \(call.arguments)"
            case .cancel(let number): "cancel \(number)"
            }
        }
    }

    private static func call(_ id: String, _ name: String = "read", _ more: String = "") -> String {
        #"{"jsonrpc":"2.0","id":\#(id),"method":"tools/call","params":{"name":"\#(name)"\#(more)}}"#
    }

    // MARK: - Initialization

    @Test(
        "answers with the revision of the client, or with the newest one",
        arguments: [
            ("2024-11-05", "2024-11-05"), ("2025-03-26", "2025-03-26"), ("2025-06-18", "2025-06-18"),
            ("2025-11-25", "2025-11-25"), ("2026-07-28", "2025-11-25"), ("", "2025-11-25"),
        ]
    )
    func revision(requested: String, answered: String) throws {
        var session = MCPSession(tools: [])
        let actions = session.receive(Array(Self.hello.replacing("2025-06-18", with: requested).utf8))
        guard case .send(let line)? = actions.first else {
            Issue.record("no response")
            return
        }
        let response = try JSONReader.parse(line)
        let result = try #require(response["result"])
        #expect(response["id"]?.integer == 0)
        #expect(result["protocolVersion"]?.string == answered)
        #expect(result["serverInfo"]?["name"]?.string == "clickstream-cli")
        #expect(result["serverInfo"]?["version"]?.string == SDK.version)
        #expect(result["capabilities"]?["tools"]?.members?.isEmpty == true)
    }

    @Test("answers a ping at any time, and tools only after initialize")
    func order() throws {
        var session = MCPSession(tools: Self.tools)
        let ping = #"{"jsonrpc":"2.0","id":"p","method":"ping"}"#
        let pong = #"{"jsonrpc":"2.0","id":"p","result":{}}"#
        #expect(Self.actions(session.receive(Array(ping.utf8))) == [pong])
        let refused = Self.actions(session.receive(Array(Self.call("1").utf8)))
        #expect(refused.count == 1 && refused[0].contains("-32600") && refused[0].contains("initialize first"))
        _ = session.receive(Array(Self.hello.utf8))
        #expect(Self.actions(session.receive(Array(Self.call("1").utf8))) == ["start 1 read {}"])
        let again = Self.actions(session.receive(Array(Self.hello.utf8)))
        #expect(again.count == 1 && again[0].contains("initialized already"))
    }

    // MARK: - Errors

    private static let invalid: [(line: String, code: Int64, id: String)] = [
        ("x", -32_700, "null"), ("{", -32_700, "null"), (#"{"jsonrpc":"2.0","id":1}x"#, -32_700, "null"),
        ("1", -32_600, "null"), ("null", -32_600, "null"), ("{}", -32_600, "null"), ("[]", -32_600, "null"),
        (#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, -32_600, "null"),
        (#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, -32_600, "1"),
        (#"{"id":"a","method":"ping"}"#, -32_600, #""a""#),
        (#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, -32_600, "null"),
        (#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, -32_600, "null"),
        (#"{"jsonrpc":"2.0","id":1e400,"method":"ping"}"#, -32_600, "null"),
        (#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, -32_600, "null"),
        (#"{"jsonrpc":"2.0","id":1}"#, -32_600, "1"), (#"{"jsonrpc":"2.0","id":1,"method":7}"#, -32_600, "1"),
        (#"{"jsonrpc":"2.0","id":1,"method":"server/discover"}"#, -32_601, "1"),
        (#"{"jsonrpc":"2.0","id":1,"method":"resources/list"}"#, -32_601, "1"),
        (#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":[]}"#, -32_602, "1"),
        (#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"2"}}"#, -32_602, "1"),
        (#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}"#, -32_602, "1"),
        (call("1", "raed"), -32_602, "1"), (call("1", "read", #","arguments":[]"#), -32_602, "1"),
    ]

    @Test("refuses what is no valid request, with the code of JSON-RPC", arguments: invalid)
    func refusal(line: String, code: Int64, id: String) throws {
        var session = Self.begun()
        let actions = session.receive(Array(line.utf8))
        guard actions.count == 1, case .send(let bytes) = actions[0] else {
            Issue.record("\(actions)")
            return
        }
        let response = try JSONReader.parse(bytes)
        #expect(response["error"]?["code"]?.integer == code)
        #expect(response["id"]?.description == id)
        #expect(response["error"]?["message"]?.string?.isEmpty == false)
        #expect(Self.actions(session.receive(Array(Self.call("7").utf8))) == ["start 1 read {}"])
    }

    @Test(
        "never answers a notification or a response",
        arguments: [
            #"{"jsonrpc":"2.0","method":"notifications/initialized"}"#, #"{"jsonrpc":"2.0","method":"x","params":[1]}"#,
            #"{"jsonrpc":"2.0","method":"notifications/cancelled"}"#,
            #"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}"#,
            #"{"jsonrpc":"2.0","id":4,"result":{}}"#, #"{"jsonrpc":"2.0","id":4,"error":{"code":1,"message":"m"}}"#,
        ]
    )
    func silence(line: String) {
        var session = Self.begun()
        #expect(session.receive(Array(line.utf8)).isEmpty)
    }

    @Test("survives hostile lines")
    func hostile() throws {
        let longest = MCPSession.longestLine
        let million = "[" + String(repeating: "1,", count: 500_000) + "1]"
        let deep = #"{"jsonrpc":"2.0","id":1,"method":"ping","params":"# + String(repeating: "[", count: 100_000)
        let many = #"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":\#(million)}}"#
        let invalid = Array(#"{"jsonrpc":"2.0","id":""#.utf8) + [0xFF, 0xC0, 0x80] + Array(#"","method":"ping"}"#.utf8)
        let zeros = [UInt8](repeating: 0, count: 1_000)
        #expect(many.utf8.count < longest)
        let lines: [([UInt8]?, Int64, String)] = [
            (nil, -32_600, "null"), (Array(million.utf8), -32_600, "null"), (Array(deep.utf8), -32_700, "null"),
            (Array(many.utf8), -32_600, "1"), (invalid, -32_700, "null"), (zeros, -32_700, "null"),
        ]
        var session = Self.begun()
        for (line, code, id) in lines {
            let actions = session.receive(line)
            guard actions.count == 1, case .send(let bytes) = actions[0] else {
                Issue.record("\(code)")
                return
            }
            let response = try JSONReader.parse(bytes)
            #expect(response["error"]?["code"]?.integer == code)
            #expect(response["id"]?.description == id)
            #expect(bytes.count < 1_000 && !bytes.contains(UInt8(ascii: "\n")))
        }
    }

    @Test(
        "returns an id as it was sent",
        arguments: [
            "-3", "9007199254740993", String(repeating: "9", count: 400), #""""#, #""a\nb""#, "\"gr\u{FC}n\"",
        ]
    )
    func identifiers(id: String) {
        var session = Self.begun()
        let line = #"{"jsonrpc":"2.0","id":\#(id),"method":"ping"}"#
        #expect(Self.actions(session.receive(Array(line.utf8))) == [#"{"jsonrpc":"2.0","id":\#(id),"result":{}}"#])
    }

    // MARK: - Calls

    @Test("responds to calls in the order in which they end")
    func calls() {
        var session = Self.begun()
        #expect(Self.actions(session.receive(Array(Self.call("1", "wait").utf8))) == ["start 1 wait {}"])
        let arguments = #","arguments":{"a":1}"#
        #expect(
            Self.actions(session.receive(Array(Self.call("\"1\"", "read", arguments).utf8))) == [
                #"start 2 read {"a":1}"#
            ]
        )
        let duplicate = Self.actions(session.receive(Array(Self.call("1").utf8)))
        #expect(duplicate.count == 1 && duplicate[0].contains("use another id"))
        let second = session.end(2, Array(#"{"b":2}"#.utf8))
        #expect(second.map { String(decoding: $0, as: UTF8.self) } == #"{"jsonrpc":"2.0","id":"1","result":{"b":2}}"#)
        #expect(session.end(2, Array("{}".utf8)) == nil)
        #expect(session.end(1, Array("{}".utf8)) != nil)
        #expect(Self.actions(session.receive(Array(Self.call("1").utf8))) == ["start 3 read {}"])
    }

    @Test("gives a cancelled call no response, also if its id is used again")
    func cancellation() {
        var session = Self.begun()
        _ = session.receive(Array(Self.call("1", "wait").utf8))
        let cancel = #"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"r"}}"#
        #expect(Self.actions(session.receive(Array(cancel.utf8))) == ["cancel 1"])
        #expect(session.receive(Array(cancel.utf8)).isEmpty)
        #expect(Self.actions(session.receive(Array(Self.call("1").utf8))) == ["start 2 read {}"])
        #expect(session.end(1, Array("{}".utf8)) == nil)
        #expect(session.end(2, Array("{}".utf8)) != nil)
    }

    @Test("limits the calls without a response")
    func limit() {
        var session = Self.begun()
        for number in 1...MCPSession.maxCalls {
            #expect(Self.actions(session.receive(Array(Self.call("\(number)").utf8))) == ["start \(number) read {}"])
        }
        let refused = Self.actions(session.receive(Array(Self.call("100").utf8)))
        #expect(refused.count == 1 && refused[0].contains("wait for one"))
        _ = session.end(1, Array("{}".utf8))
        let next = MCPSession.maxCalls + 1
        #expect(Self.actions(session.receive(Array(Self.call("100").utf8))) == ["start \(next) read {}"])
    }

    @Test("cancels waits at the end of the input, and no other calls")
    func endOfInput() {
        var session = Self.begun()
        for (id, name) in [("1", "wait"), ("2", "read"), ("3", "wait")] {
            _ = session.receive(Array(Self.call(id, name).utf8))
        }
        #expect(Self.actions(session.endInput()) == ["cancel 1", "cancel 3"])
        #expect(session.endInput().isEmpty)
        #expect(session.end(2, Array("{}".utf8)) != nil)
    }

    @Test("reports the progress of a running call whose client has sent a token")
    func progress() {
        var session = Self.begun()
        _ = session.receive(Array(Self.call("1", "wait", #","_meta":{"progressToken":"t"}"#).utf8))
        _ = session.receive(Array(Self.call("2", "wait").utf8))
        let progress = MCPProgress(seconds: 1, total: 30, message: "waiting")
        let line = session.progress(progress, of: 1).map { String(decoding: $0, as: UTF8.self) }
        #expect(
            line == #"{"jsonrpc":"2.0","method":"notifications/progress","params":{"message":"waiting","progress":1.0,"#
                + #""progressToken":"t","total":30.0}}"#
        )
        #expect(session.progress(progress, of: 2) == nil)
        _ = session.end(1, nil)
        #expect(session.progress(progress, of: 1) == nil)
    }
}
