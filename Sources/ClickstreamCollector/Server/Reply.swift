#if Tools
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

/// One answer: whole, or with a rest that is made while it is written.
struct Reply: Sendable {
    /// Bytes up to which a list is answered whole.
    static let wholeBytes = 262_144

    var status: HTTPResponse.Status
    var headers: HTTPFields
    var body: [UInt8]
    /// What follows ``body``. An answer with a rest comes in chunks, without a `Content-Length`.
    var rest: Parts?
    /// Called once, when the answer was written or its client is gone.
    var onEnd: (@Sendable () -> Void)?

    init(_ status: HTTPResponse.Status, headers: HTTPFields = [:], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// Plain text, as the published servers answer.
    static func text(_ status: HTTPResponse.Status, _ text: String) -> Reply {
        Reply(status, headers: [.contentType: "text/plain"], body: Array(text.utf8))
    }

    /// A JSON text of ours, never to be kept or taken for anything else by a browser.
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

    /// The encoder of all answers.
    static func encoder() -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }

    /// The end of a page: the end of its list, and the cursor of the next page.
    static func pageEnd(_ next: Int64?) -> [UInt8] {
        Array((next.map { "],\"next\":\"\($0)\"}" } ?? "],\"next\":null}").utf8)
    }

    /// A request by a method that is not taken here; the others stand in `Allow`.
    static func notAllowed(_ allowed: [HTTPRequest.Method], _ text: String) -> Reply {
        var reply = error(.methodNotAllowed, text)
        reply.headers[.allow] = allowed.map(\.rawValue).joined(separator: ", ")
        return reply
    }

    /// A JSON object whose `error` says what was expected.
    static func error(_ status: HTTPResponse.Status, _ text: String) -> Reply {
        var body = Array("{\"error\":".utf8)
        JSONWriter.append(text, to: &body)
        body.append(UInt8(ascii: "}"))
        return .json(status, body)
    }

    /// The head to be sent at a time, for a request by a method.
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
