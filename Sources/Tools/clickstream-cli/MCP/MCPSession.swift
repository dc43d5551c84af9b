import ClickstreamCore

/// State of one connection of the Model Context Protocol: initialization, and the calls of tools that have no response yet.
struct MCPSession: Sendable {
    /// Supported revisions of the protocol, the newest first. The messages that the server uses are the same in all of them.
    static let revisions = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]
    /// Maximum length of a line of a client in bytes: 1 MiB.
    static let longestLine = 1_048_576
    /// Maximum number of calls without a response.
    static let maxCalls = 32

    /// Call of a tool.
    struct Call: Sendable {
        /// Number of the call in this session. The client may use the id of a cancelled request again.
        let number: Int
        let tool: MCPTool
        /// An object.
        let arguments: JSONValue
    }

    /// Effect of a message.
    enum Action: Sendable {
        /// A line to send.
        case send([UInt8])
        /// A call to start, whose result is passed to ``end(_:_:)``.
        case start(Call)
        /// The number of a running call to cancel, which gets no response.
        case cancel(Int)
    }

    private struct Running: Sendable {
        var id: JSONRPC.ID
        /// Token of the client for notifications of progress.
        var progressToken: JSONRPC.ID?
        /// True if the call ends at the end of the input.
        var isWait: Bool
    }

    private let tools: [MCPTool]
    private var isInitialized = false
    private var lastNumber = 0
    /// Calls without a response, by number.
    private var running: [Int: Running] = [:]

    init(tools: [MCPTool]) {
        self.tools = tools
    }

    // MARK: - Messages

    /// - Parameter line: a line without its line feed; `nil` for one that was longer than ``longestLine``, and skipped.
    mutating func receive(_ line: [UInt8]?) -> [Action] {
        do throws(JSONRPC.Fault) {
            guard let line else {
                throw JSONRPC.Fault(
                    .invalidRequest,
                    "the line is longer than \(Self.longestLine) bytes; it was skipped"
                )
            }
            switch try JSONRPC.message(line) {
            case .request(let id, let method, let parameters): return [try reply(id, method, parameters)]
            case .notification("notifications/cancelled", let parameters): return cancel(parameters)
            case .notification, .response: return []
            }
        } catch {
            return [.send(error.line)]
        }
    }

    private mutating func reply(
        _ id: JSONRPC.ID,
        _ method: String,
        _ parameters: JSONValue
    ) throws(JSONRPC.Fault) -> Action {
        switch method {
        case "initialize": return .send(JSONRPC.response(id, try initialize(id, parameters)))
        case "ping": return .send(JSONRPC.response(id, Array("{}".utf8)))
        case "tools/list", "tools/call": break
        default:
            throw JSONRPC.Fault(.methodNotFound, "unknown method '\(method.prefix(100))'", id: id)
        }
        guard isInitialized else {
            throw JSONRPC.Fault(.invalidRequest, "the session is not initialized; send initialize first", id: id)
        }
        return method == "tools/call"
            ? .start(try call(id, parameters)) : .send(JSONRPC.response(id, try list(id, parameters)))
    }

    private mutating func initialize(_ id: JSONRPC.ID, _ parameters: JSONValue) throws(JSONRPC.Fault) -> [UInt8] {
        guard !isInitialized else {
            throw JSONRPC.Fault(.invalidRequest, "the session is initialized already", id: id)
        }
        guard let requested = parameters["protocolVersion"]?.string else {
            throw JSONRPC.Fault(.invalidParameters, "initialize needs protocolVersion, a string", id: id)
        }
        isInitialized = true
        var writer = ObjectWriter()
        writer.object { result in
            result.object("capabilities") { $0.object("tools") { _ in } }
            result.member("instructions", MCPTools.instructions)
            result.member("protocolVersion", Self.revisions.first { $0 == requested } ?? Self.revisions.first)
            result.object("serverInfo") { server in
                server.member("name", "clickstream-cli")
                server.member("title", "Clickstream collector")
                server.member("version", SDK.version)
            }
        }
        return writer.bytes
    }

    private func list(_ id: JSONRPC.ID, _ parameters: JSONValue) throws(JSONRPC.Fault) -> [UInt8] {
        if let cursor = parameters["cursor"], !cursor.isNull {
            throw JSONRPC.Fault(.invalidParameters, "unknown cursor; the list of tools has one page", id: id)
        }
        var writer = ObjectWriter(capacity: 16_384)
        writer.object { result in
            result.array("tools", of: tools) { list, tool in tool.append(to: &list) }
        }
        return writer.bytes
    }

    // MARK: - Calls

    private mutating func call(_ id: JSONRPC.ID, _ parameters: JSONValue) throws(JSONRPC.Fault) -> Call {
        guard let name = parameters["name"]?.string else {
            throw JSONRPC.Fault(.invalidParameters, "tools/call needs name, a string", id: id)
        }
        guard let tool = tools.first(where: { $0.name == name }) else {
            let names = tools.map(\.name)
            let advice = Suggestion.question(about: name, among: names) ?? "tools: \(names.joined(separator: ", "))"
            throw JSONRPC.Fault(.invalidParameters, "unknown tool '\(name.prefix(100))'; \(advice)", id: id)
        }
        let arguments = parameters["arguments"].flatMap { $0.isNull ? nil : $0 } ?? JSONValue(.object([]))
        guard arguments.members != nil else {
            let kind = arguments.kindDescription
            throw JSONRPC.Fault(.invalidParameters, "arguments must be an object, not \(kind)", id: id)
        }
        if number(of: id) != nil {
            throw JSONRPC.Fault(.invalidRequest, "a request with this id has no response yet; use another id", id: id)
        }
        guard running.count < Self.maxCalls else {
            let reason = "\(Self.maxCalls) calls have no response yet; wait for one, or cancel it"
            throw JSONRPC.Fault(.invalidRequest, reason, id: id)
        }
        lastNumber += 1
        let token = parameters["_meta"]?["progressToken"].flatMap { JSONRPC.ID($0) }
        running[lastNumber] = Running(id: id, progressToken: token, isWait: tool.isWait)
        return Call(number: lastNumber, tool: tool, arguments: arguments)
    }

    private mutating func cancel(_ parameters: JSONValue) -> [Action] {
        guard let id = parameters["requestId"].flatMap({ JSONRPC.ID($0) }), let number = number(of: id) else {
            return []
        }
        running[number] = nil
        return [.cancel(number)]
    }

    /// Number of the call with an id that has no response yet.
    private func number(of id: JSONRPC.ID) -> Int? { running.first { $0.value.id == id }?.key }

    /// Takes the result of a call.
    /// - Parameter result: the result of `tools/call` as JSON; `nil` for a call that was cancelled.
    /// - Returns: the response; `nil` for a cancelled call.
    mutating func end(_ number: Int, _ result: [UInt8]?) -> [UInt8]? {
        guard let call = running.removeValue(forKey: number) else { return nil }
        return result.map { JSONRPC.response(call.id, $0) }
    }

    /// Cancels the calls that wait for events, of which no client receives the result.
    mutating func endInput() -> [Action] {
        let waits = running.filter(\.value.isWait).keys.sorted()
        for number in waits { running[number] = nil }
        return waits.map { .cancel($0) }
    }

    /// Notification of the progress of a call; `nil` if the call has ended, or its client has requested none.
    func progress(_ progress: MCPProgress, of number: Int) -> [UInt8]? {
        guard let token = running[number]?.progressToken else { return nil }
        return JSONRPC.notification("notifications/progress") { parameters in
            parameters.member("message", progress.message)
            parameters.member("progress", progress.seconds)
            parameters.member("progressToken", json: token.json)
            parameters.member("total", progress.total)
        }
    }
}

/// Progress of a call in seconds.
struct MCPProgress: Sendable, Hashable {
    var seconds: Double
    /// Maximum number of seconds.
    var total: Double
    /// Text of the program, never of an event.
    var message: String
}
