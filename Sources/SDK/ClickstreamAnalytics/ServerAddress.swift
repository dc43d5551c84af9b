#if os(Linux)
import FoundationEssentials

/// Components of a request's URL.
package struct ServerAddress: Sendable, Equatable {
    /// `http` or `https`.
    package var scheme: String
    /// The host name or address, an IPv6 address without its brackets.
    package var host: String
    package var port: Int
    /// The value of the header `host`.
    package var authority: String
    /// Path and query, percent-encoded as given.
    package var target: String

    /// - Returns: `nil` for a URL that is not the address of an HTTP server: another scheme, no host, a port out of
    ///   range, or user information.
    package init?(_ url: String) {
        guard
            let parts = URLComponents(string: url), let scheme = parts.scheme?.lowercased(),
            let ordinaryPort = ["http": 80, "https": 443][scheme], parts.user == nil, parts.password == nil,
            let host = parts.encodedHost, !host.isEmpty
        else { return nil }
        port = parts.port ?? ordinaryPort
        guard (1...65_535).contains(port) else { return nil }
        self.scheme = scheme
        self.host = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
        authority = port == ordinaryPort ? host : "\(host):\(port)"
        let path = parts.percentEncodedPath
        target = (path.hasPrefix("/") ? path : "/" + path) + (parts.percentEncodedQuery.map { "?" + $0 } ?? "")
    }

    package var url: String { "\(scheme)://\(authority)\(target)" }
}
#endif
