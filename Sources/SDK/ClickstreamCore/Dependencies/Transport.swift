extension ClickstreamClient {
    /// Network dependency: sends one request and returns the reply.
    ///
    /// Production uses `URLSessionTransport` of `ClickstreamAnalytics`, on Linux `LinuxTransport`; tests use `ScriptedServer` of
    /// `ClickstreamSimulation`. Both pass one contract suite. Thread-safe.
    public protocol Transport: Sendable {
        /// Sends `request` and returns the complete reply.
        ///
        /// Never follows a redirect, never retries, keeps no cookies. Reads at most ``UploadResponse/bodyLimit`` bytes of
        /// the reply's body. Passes on the headers that ``UploadResponse`` has: without its content type, the page of a captive
        /// portal would count as a delivery. Ends early if the calling task is cancelled.
        /// - Throws: ``TransportError`` if no complete reply was received.
        func send(_ request: UploadRequest) async throws(TransportError) -> UploadResponse
    }
}

/// Reply of a server.
public struct UploadResponse: Sendable, Hashable {
    /// The maximum number of bytes kept of a reply's body: 64 KiB.
    public static let bodyLimit = 65_536

    /// The HTTP status code.
    public var status: Int
    /// The value of `Retry-After`, as sent.
    public var retryAfter: String?
    /// The value of `Location`, as sent: the target of a redirect, which is not followed.
    public var location: String?
    /// The value of `Content-Type`, as sent; several, separated by commas. A 2xx with `text/html` is not from a server that
    /// receives events.
    public var contentType: String?
    /// The value of `Date`, as sent: the server's time. Set only for requests with ``UploadRequest/Method/get``.
    package var date: String?
    /// The first bytes of the body, up to ``bodyLimit``.
    public var body: [UInt8]

    /// Creates a reply; the caller limits `body` to ``bodyLimit`` bytes.
    public init(
        status: Int,
        retryAfter: String? = nil,
        location: String? = nil,
        contentType: String? = nil,
        body: [UInt8] = []
    ) {
        self.status = status
        self.retryAfter = retryAfter
        self.location = location
        self.contentType = contentType
        self.body = body
    }
}

extension UploadResponse {
    /// True for 2xx, except a web page: the server has the request.
    package var isSuccess: Bool { (200..<300).contains(status) && !isWebPage }

    /// True for 2xx with the media type `text/html` among its content types, in any case and with any parameters: the page of
    /// a captive portal or a proxy in place of the server's reply.
    package var isWebPage: Bool {
        guard (200..<300).contains(status), let contentType else { return false }
        return contentType.lowercased().split(separator: ",").contains { type in
            type.split { $0 == ";" || $0.isWhitespace }.first == "text/html"
        }
    }

    /// Takes over a header of the reply's head, in the order of their arrival.
    /// - Parameter name: in lower case.
    package mutating func take(_ value: String, ofHeader name: String) {
        switch name {
        case "retry-after": retryAfter = value
        case "location": location = value
        case "content-type": contentType = contentType.map { "\($0), \(value)" } ?? value
        default: break
        }
    }
}

/// Reason why no complete reply was received. The server may still have processed the request, except for
/// ``refused(_:)``.
///
/// Further cases may be added: a `switch` outside this package needs `@unknown default`.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum TransportError: Error, Sendable, Hashable {
    /// No connection: no server listens there or answers within the timeout, or the name or route does not exist.
    /// Nothing was sent.
    case refused(String)
    /// No complete reply within the timeout, on an established connection.
    case timedOut
    /// The connection was closed before the reply was complete.
    case cut(String)
    /// The calling task was cancelled.
    case cancelled
}

extension TransportError {
    /// Returns the error after a connect timeout.
    package static func unreached(_ server: String, within milliseconds: Int64) -> TransportError {
        .refused("\(server) was not reached within \(milliseconds) ms")
    }
}
