#if Library
public import ClickstreamCore
import FoundationEssentials

/// HTTP transport of the shared library and the static command line: plain `http` without a proxy by sockets, `https` and proxies by libcurl, which is
/// loaded with the first such request.
///
/// Unlike `URLSessionTransport`, it does not use URL loading, which would make the library several times larger.
public final class LibraryTransport: Transport {
    private let isProxied: Bool
    private let curl = Locked<CurlTransport?>(nil)

    private init(isProxied: Bool) {
        self.isProxied = isProxied
    }

    /// Creates a transport without open connections.
    public convenience init() {
        self.init(isProxied: Self.namesProxy(ProcessInfo.processInfo.environment))
    }

    /// Returns a transport for a server in this process, which ignores any proxy in the environment.
    package static func withoutProxy() -> LibraryTransport { LibraryTransport(isProxied: false) }

    /// Returns true if an environment defines a proxy for plain `http`.
    package static func namesProxy(_ environment: [String: String]) -> Bool {
        ["http_proxy", "all_proxy", "ALL_PROXY"].contains { environment[$0]?.isEmpty == false }
    }

    public func send(_ request: UploadRequest) async throws(TransportError) -> UploadResponse {
        if !isProxied, let address = ServerAddress(request.url), address.scheme == "http" {
            return try await SocketTransport().send(request, to: address)
        }
        let loaded = curl.withLock { curl in
            curl = curl ?? CurlTransport()
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
