import ClickstreamCore
import ClickstreamJudges

/// JSON-RPC 2.0: messages of a client, and the lines of a server.
enum JSONRPC {
    /// Identifier of a request, or token of its progress: a string or an integer, as JSON in its original spelling.
    struct ID: Sendable, Hashable {
        let json: [UInt8]

        /// - Returns: `nil` for any other value, such as null or 1.5.
        init?(_ value: JSONValue) {
            switch value.kind {
            case .string(let text):
                var json: [UInt8] = []
                json.append(json: text)
                self.json = json
            case .number(let number) where !number.text.contains(where: { ".eE".contains($0) }):
                json = Array(number.text.utf8)
            default:
                return nil
            }
        }
    }

    /// Message of a client.
    enum Message: Sendable, Hashable {
        case request(ID, method: String, parameters: JSONValue)
        case notification(method: String, parameters: JSONValue)
        /// Response to a request of the server, which sends none.
        case response
    }

    /// Error response.
    struct Fault: Error, Sendable, Hashable {
        /// Code of JSON-RPC 2.0.
        enum Code: Int, Sendable {
            case parseError = -32_700
            case invalidRequest = -32_600
            case methodNotFound = -32_601
            case invalidParameters = -32_602
        }

        var code: Code
        var message: String
        /// `nil` if the request has no valid one.
        var id: ID?

        init(_ code: Code, _ message: String, id: ID? = nil) {
            self.code = code
            self.message = message
            self.id = id
        }

        /// The response as a line.
        var line: [UInt8] {
            JSONRPC.line { response in
                if let id { response.member("id", json: id.json) } else { response.null("id") }
                response.object("error") { error in
                    error.member("code", code.rawValue)
                    error.member("message", message)
                }
            }
        }
    }

    /// Reads one message. A batch is invalid, as from the revision 2025-06-18 of the Model Context Protocol on.
    /// - Parameter line: a line without its line feed.
    static func message(_ line: [UInt8]) throws(Fault) -> Message {
        let parsed: (value: JSONValue, omitted: Int)
        do throws(JSONError) {
            parsed = try JSONReader.parse(line[...], within: .conditions)
        } catch {
            throw Fault(.parseError, "the line is not JSON: \(error); send one message of JSON-RPC on each line")
        }
        let message = parsed.value
        guard message.members != nil else {
            let reason =
                message.array == nil
                ? "a message is an object, not \(message.kindDescription)" : "batches are not supported"
            throw Fault(.invalidRequest, "\(reason); send each message on a line of its own")
        }
        let id = message["id"].flatMap { ID($0) }
        if parsed.omitted > 0 {
            throw Fault(.invalidRequest, "the message has too many values; send a smaller one", id: id)
        }
        if message["id"] != nil, id == nil {
            throw Fault(.invalidRequest, "the id must be a string or an integer")
        }
        guard message["jsonrpc"]?.string == "2.0" else {
            throw Fault(.invalidRequest, "jsonrpc must be \"2.0\"", id: id)
        }
        guard let method = message["method"] else {
            if message["result"] != nil || message["error"] != nil { return .response }
            throw Fault(.invalidRequest, "the message has no method", id: id)
        }
        guard let method = method.string else {
            throw Fault(.invalidRequest, "the method must be a string, not \(method.kindDescription)", id: id)
        }
        let parameters = message["params"] ?? JSONValue(.object([]))
        guard let id else { return .notification(method: method, parameters: parameters) }
        guard parameters.members != nil else {
            throw Fault(.invalidParameters, "params must be an object, not \(parameters.kindDescription)", id: id)
        }
        return .request(id, method: method, parameters: parameters)
    }

    /// Response with a result.
    /// - Parameter result: JSON without line feeds.
    static func response(_ id: ID, _ result: [UInt8]) -> [UInt8] {
        line { response in
            response.member("id", json: id.json)
            response.member("result", json: result)
        }
    }

    /// Notification of the server.
    static func notification(_ method: String, _ parameters: (inout ObjectWriter) -> Void) -> [UInt8] {
        line { notification in
            notification.member("method", method)
            notification.object("params", parameters)
        }
    }

    private static func line(_ members: (inout ObjectWriter) -> Void) -> [UInt8] {
        var writer = ObjectWriter()
        writer.object { message in
            message.member("jsonrpc", "2.0")
            members(&message)
        }
        return writer.bytes
    }
}
