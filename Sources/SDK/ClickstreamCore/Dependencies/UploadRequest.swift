/// Request to the ingestion server: URL, headers and body.
///
/// Source: the published SDK's requests, with the query of the endpoint kept and a different User-Agent.
public struct UploadRequest: Sendable, Hashable {
    /// HTTP method.
    package enum Method: String, Sendable, Hashable {
        /// Delivers the body; used by every delivery.
        case post = "POST"
        /// Requests only a reply; the body is not sent. Used to check a server, never for deliveries.
        case get = "GET"
    }

    package var method = Method.post
    /// The complete URL with its query.
    public var url: String
    /// The headers, names in lower case, in the order to be sent; the transport adds `content-length` and `host`.
    public var headers: [Header]
    /// The body as sent; may be empty.
    public var body: [UInt8]
    /// The timeout for connecting.
    public var connectTimeout: Duration
    /// The timeout from the first byte sent to the last byte received.
    public var requestTimeout: Duration
    /// The timeout without any byte sent or received on an established connection.
    public var idleTimeout = Duration.seconds(10)

    /// Header line.
    public struct Header: Sendable, Hashable {
        /// The name, in lower case.
        public var name: String
        /// The value; transports replace control characters by spaces.
        public var value: String

        /// Creates a header; `name` in lower case.
        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// Creates a request. ``idleTimeout`` has its default.
    package init(
        url: String,
        headers: [Header],
        body: [UInt8],
        connectTimeout: Duration = .seconds(15),
        requestTimeout: Duration = .seconds(15)
    ) {
        self.url = url
        self.headers = headers
        self.body = body
        self.connectTimeout = connectTimeout
        self.requestTimeout = requestTimeout
    }
}
