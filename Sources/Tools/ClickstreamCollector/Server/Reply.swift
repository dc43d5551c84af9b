#if Collector
import ClickstreamCore
import Foundation
import HTTPTypes
import HummingbirdCore
import NIOCore

extension HTTPField.Name {
    static let requestID = HTTPField.Name("X-Request-ID")!
    static let forwardedFor = HTTPField.Name("X-Forwarded-For")!
    static let lastEventID = HTTPField.Name("Last-Event-ID")!
    static let accelBuffering = HTTPField.Name("X-Accel-Buffering")!
    static let secFetchSite = HTTPField.Name("Sec-Fetch-Site")!
    static let contentTypeOptions = HTTPField.Name("X-Content-Type-Options")!
}

/// Reply to a request: complete, or with a rest generated while it is written.
struct Reply: Sendable {
    /// Bytes up to which any number of replies about sessions may be held.
    static let wholeBytes = 262_144
    /// Bytes of one part of a divided reply, about.
    static let partBytes = 131_072

    var status: HTTPResponse.Status
    var headers: HTTPFields
    var body: [UInt8]
    /// Parts after ``body``. A reply with a rest is sent in chunks, without a `Content-Length`.
    var rest: Parts?
    /// Called once, when the reply is written or the client has disconnected.
    var onEnd: (@Sendable () -> Void)?

    init(_ status: HTTPResponse.Status, headers: HTTPFields = [:], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// Plain text, as in replies of the published servers.
    static func text(_ status: HTTPResponse.Status, _ text: String) -> Reply {
        Reply(status, headers: [.contentType: "text/plain"], body: Array(text.utf8))
    }

    /// JSON reply that a browser neither caches nor interprets as another type.
    static func json(_ status: HTTPResponse.Status = .ok, _ body: [UInt8]) -> Reply {
        Reply(
            status,
            headers: [
                .contentType: "application/json", .cacheControl: "no-store", .contentTypeOptions: "nosniff",
            ],
            body: body
        )
    }

    static func json(_ status: HTTPResponse.Status = .ok, _ value: some Encodable) throws -> Reply {
        try .json(status, [UInt8](encoder().encode(value)))
    }

    /// Encoder of all replies.
    static func encoder() -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }

    /// End of a page: the end of its list, and the cursor of the next page, which needs no escapes in JSON.
    static func pageEnd(_ next: (some LosslessStringConvertible)?) -> [UInt8] {
        Array((next.map { "],\"next\":\"\($0)\"}" } ?? "],\"next\":null}").utf8)
    }

    /// Reply to an unsupported method, with the supported ones in `Allow`.
    static func notAllowed(_ allowed: [HTTPRequest.Method], _ text: String) -> Reply {
        var reply = error(.methodNotAllowed, text)
        reply.headers[.allow] = allowed.map(\.rawValue).joined(separator: ", ")
        return reply
    }

    /// JSON object with an `error` that describes the expected input, and the `code` of a refusal that programs handle.
    static func error(_ status: HTTPResponse.Status, _ text: String, code: RefusalCode? = nil) -> Reply {
        var writer = ObjectWriter()
        writer.object { body in
            body.member("code", code?.rawValue)
            body.member("error", text)
        }
        return .json(status, writer.bytes)
    }

    /// Head of the reply, with the date and the connection header.
    func head(at time: Timestamp, closes: Bool) -> HTTPResponse {
        var headers = headers
        if status != .noContent, rest == nil { headers[.contentLength] = String(body.count) }
        headers[.date] = time.httpDate
        if closes { headers[.connection] = "close" }
        return HTTPResponse(status: status, headerFields: headers)
    }

    func responseBody(to method: HTTPRequest.Method) -> ResponseBody {
        body.isEmpty || method == .head ? ResponseBody() : ResponseBody(byteBuffer: ByteBuffer(bytes: body))
    }
}
#endif
