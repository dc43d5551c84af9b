/// Network dependency: sends one request and returns the reply.
///
/// Production uses `URLSessionTransport` of `ClickstreamAnalytics`; tests use `ScriptedServer` of
/// `ClickstreamSimulation`. Both pass one contract suite. Thread-safe.
public protocol Transport: Sendable {
    /// Sends `request` and returns the complete reply.
    ///
    /// Never follows a redirect, never retries, keeps no cookies. Reads at most ``UploadResponse/bodyLimit`` bytes of
    /// the reply's body. Ends early if the calling task is cancelled.
    /// - Throws: ``TransportError`` if no complete reply was received.
    func send(_ request: UploadRequest) async throws(TransportError) -> UploadResponse
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
    /// The value of `Date`, as sent: the server's time. Set only for requests with ``UploadRequest/Method/get``.
    package var date: String?
    /// The first bytes of the body, up to ``bodyLimit``.
    public var body: [UInt8]

    /// Creates a reply; the caller limits `body` to ``bodyLimit`` bytes.
    public init(status: Int, retryAfter: String? = nil, location: String? = nil, body: [UInt8] = []) {
        self.status = status
        self.retryAfter = retryAfter
        self.location = location
        self.body = body
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
    /// The connection failed: no server listens there, or the name or route does not exist. Nothing was sent.
    case refused(String)
    /// No connection, or no complete reply, within the timeout.
    case timedOut
    /// The connection was closed before the reply was complete.
    case cut(String)
    /// The calling task was cancelled.
    case cancelled
}
