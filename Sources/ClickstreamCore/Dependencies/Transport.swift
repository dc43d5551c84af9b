/// The door to the network: sends one request and gives what came back.
///
/// The real side is `URLSessionTransport` in `ClickstreamAnalytics`, the simulated one `ScriptedServer` in
/// `ClickstreamSimulation`. Both pass one contract suite. Callable from any thread.
public protocol Transport: Sendable {
    /// Sends `request` and waits for the whole reply.
    ///
    /// Never follows a redirect, never retries, keeps no cookies. Reads at most ``UploadResponse/bodyLimit`` bytes of
    /// the reply's body. Ends early when the calling task is cancelled.
    /// - Throws: ``TransportError`` when no complete reply came.
    func send(_ request: UploadRequest) async throws(TransportError) -> UploadResponse
}

/// What a server answered.
public struct UploadResponse: Sendable, Hashable {
    /// The most bytes of a reply's body that are kept: 64 KiB.
    public static let bodyLimit = 65_536

    /// The HTTP status code.
    public var status: Int
    /// The value of `Retry-After`, as sent.
    public var retryAfter: String?
    /// The value of `Location`, as sent: where a redirect that is not followed would have led.
    public var location: String?
    /// The value of `Date`, as sent: what time the server has. Read for those who ask (``UploadRequest/Method/get``) alone.
    package var date: String?
    /// The body's beginning, up to ``bodyLimit``.
    public var body: [UInt8]

    public init(status: Int, retryAfter: String? = nil, location: String? = nil, body: [UInt8] = []) {
        self.status = status
        self.retryAfter = retryAfter
        self.location = location
        self.body = body
    }
}

/// Why no complete reply came. Whether the server took the request is then unknown, except for ``refused(_:)``.
public enum TransportError: Error, Sendable, Hashable {
    /// No connection: nobody listens there, or the name or route does not exist. Nothing was sent.
    case refused(String)
    /// No connection, or no complete reply, within the time allowed.
    case timedOut
    /// The connection ended before the reply was complete.
    case cut(String)
    /// The calling task was cancelled.
    case cancelled
}
