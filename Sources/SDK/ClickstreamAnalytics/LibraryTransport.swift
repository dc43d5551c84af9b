#if Library
public import ClickstreamCore

/// HTTP transport of the shared library and the static command line: plain `http` without a proxy by sockets, `https` and proxies by libcurl, which is
/// loaded with the first such request.
///
/// Unlike `URLSessionTransport`, it does not use URL loading, which would make the library several times larger.
public final class LibraryTransport: Transport {
    private let proxies: ProxySettings
    private let curl = Locked<CurlTransport?>(nil)

    package init(proxies: ProxySettings) {
        self.proxies = proxies
    }

    /// Creates a transport without open connections. Reads the proxies of the environment now, and not later.
    public convenience init() {
        self.init(proxies: ProxySettings())
    }

    /// Returns a transport for a server in this process, which ignores any proxy in the environment.
    package static func withoutProxy() -> LibraryTransport {
        LibraryTransport(proxies: ProxySettings(environment: [:]))
    }

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

/// The transport under its name in other builds.
public typealias URLSessionTransport = LibraryTransport
#endif
