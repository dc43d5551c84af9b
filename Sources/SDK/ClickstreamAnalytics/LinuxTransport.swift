#if os(Linux)
public import ClickstreamCore

/// HTTP transport of Linux: plain `http` without a proxy by sockets, `https` and proxies by libcurl, which is loaded with
/// the first such request.
///
/// Foundation's URL loading is not used: it traps on replies that end within their head, and would make a program several
/// times larger. Keeps no state between requests except connections: no cookies, no cache, no credentials. Redirects are
/// returned like any other reply. Thread-safe.
public final class LinuxTransport: ClickstreamClient.Transport {
    private let proxies: ProxySettings
    private let curl = Locked<CurlTransport?>(nil)

    package init(proxies: ProxySettings) {
        self.proxies = proxies
    }

    /// Creates a transport without open connections. Reads the proxies of the environment now, and not later.
    public convenience init() {
        self.init(proxies: ProxySettings())
    }

    /// Sends a request, and returns the server's reply.
    public func send(_ request: UploadRequest) async throws(TransportError) -> UploadResponse {
        if proxies.http.isEmpty, let address = ServerAddress(request.url), address.scheme == "http" {
            return try await SocketTransport().send(request, to: address)
        }
        let loaded = curl.withLock { curl in
            curl = curl ?? CurlTransport(proxies: proxies)
            return curl
        }
        guard let loaded else {
            throw .refused("https and proxies need libcurl: install the package that contains libcurl.so.4")
        }
        return try await loaded.send(request)
    }
}

/// The platform's transport, under its name on Apple platforms.
public typealias URLSessionTransport = LinuxTransport
#endif
