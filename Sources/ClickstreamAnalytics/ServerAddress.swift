#if os(Linux)
import Foundation

/// Where a request goes, taken out of its URL.
package struct ServerAddress: Sendable, Equatable {
    /// `http` or `https`.
    package var scheme: String
    /// A name or a number, without the brackets of IPv6.
    package var host: String
    package var port: Int
    /// What the header `host` says.
    package var authority: String
    /// Path and query, percent-encoded as given.
    package var target: String

    /// - Returns: `nil` for what is no address of an HTTP server: another scheme, no host, a port out of range, a name or
    ///   password in it.
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
