/// One request to the ingestion server: where to, what it says about itself, and the body.
///
/// Source: the published SDK's requests, with the endpoint's own query kept and a User-Agent of our own.
public struct UploadRequest: Sendable, Hashable {
    /// What is asked for.
    package enum Method: String, Sendable, Hashable {
        /// That the body is taken: every delivery.
        case post = "POST"
        /// An answer alone; the body stays here. No delivery, only what asks how a server is.
        case get = "GET"
    }

    package var method = Method.post
    /// The complete URL with its query.
    public var url: String
    /// Names in lower case, in the order to be sent; `content-length` and `host` are the transport's.
    public var headers: [Header]
    public var body: [UInt8]
    /// Milliseconds.
    public var connectTimeout: Int64
    /// Milliseconds, from the first byte sent to the last byte received.
    public var requestTimeout: Int64
    /// The longest time in which nothing is sent or received once the connection stands, in milliseconds.
    public var idleTimeout: Int64 = 10_000

    /// One header line.
    public struct Header: Sendable, Hashable {
        public var name: String
        public var value: String

        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    public init(
        url: String,
        headers: [Header],
        body: [UInt8],
        connectTimeout: Int64 = 15_000,
        requestTimeout: Int64 = 15_000
    ) {
        self.url = url
        self.headers = headers
        self.body = body
        self.connectTimeout = connectTimeout
        self.requestTimeout = requestTimeout
    }
}
