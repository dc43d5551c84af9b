import ClickstreamCore

/// Failure of a tool, which is a result for the assistant, not an error of the protocol.
struct MCPFailure: Error, Sendable, Hashable {
    enum Code: String, Sendable {
        /// Wrong arguments.
        case arguments
        /// The collector refuses the query.
        case refused
        case notFound = "not_found"
        /// No collector responds, or it is of an earlier version.
        case unavailable
        case configuration
        /// The result has more bytes than allowed.
        case tooLarge = "too_large"
        case failed
    }

    var code: Code
    var message: String
    /// Cursor after an element that is too large.
    var next: String?

    init(_ code: Code, _ message: String, next: String? = nil) {
        self.code = code
        self.message = message
        self.next = next
    }

    init(_ failure: CommandFailure) {
        let code: Code =
            switch failure.status {
            case .usage: .refused
            case .inputMissing: .notFound
            case .serverUnavailable: .unavailable
            case .configuration: .configuration
            default: .failed
            }
        self.init(code, failure.message)
    }

    /// Failure of a response of the query API that is not as expected.
    static var unexpectedResponse: MCPFailure {
        MCPFailure(
            .unavailable,
            "the response is not that of a collector of this version; check the URL, or update the collector"
        )
    }

    /// The failure as a JSON object.
    var json: [UInt8] {
        var writer = ObjectWriter()
        writer.object { failure in
            failure.member("code", code.rawValue)
            failure.member("error", message)
            failure.member("next", next)
        }
        return writer.bytes
    }
}
