#if Collector
import HTTPTypes
import HummingbirdCore

/// Request origin guard: accepts changes by programs and by the collector's own page, not by pages of other origins, and
/// queries by all but pages of other sites.
///
/// A page can make a browser send any simple request, but not with a false origin.
struct RequestOriginGuard: Sendable {
    let hosts: AllowedHosts

    /// True if a browser sends a request for a page of another site, which cannot read the reply. Pages of the same host
    /// at another port are of the same site.
    static func isCrossSite(_ request: Request) -> Bool {
        request.headers[.secFetchSite] == "cross-site"
    }

    /// Reason to reject a request that changes data; `nil` for none.
    func refusal(of request: Request) -> String? {
        let site = request.headers[.secFetchSite] ?? ""
        guard let origin = request.headers[.origin] else {
            // Requests by links and images have no origin; current browsers send this header.
            return ["same-origin", "none", ""].contains(site) ? nil : Self.foreignOrigin
        }
        let authority = request.head.authority ?? ""
        guard let page = Self.authority(ofSecure: origin) else {
            return origin == "http://\(authority)" ? nil : Self.foreignOrigin
        }
        // The collector has no https of its own: a name of --allow-host is that of a proxy or tunnel with TLS.
        guard hosts.areConfigured(with: page) else {
            return Self.foreignOrigin + " If a proxy serves this page by https, allow its host name with --allow-host."
        }
        // A browser compares the origin with the address that it requests, also if the proxy replaces `Host`.
        let isOwn = site.isEmpty ? page == Self.withoutSecurePort(authority.lowercased()) : site == "same-origin"
        return isOwn ? nil : Self.foreignOrigin
    }

    private static let foreignOrigin = "Changes from a page of another origin are not allowed."

    /// Host and port of an `https` origin, without the default port; `nil` for another scheme.
    private static func authority(ofSecure origin: String) -> String? {
        let scheme = "https://"
        return origin.hasPrefix(scheme) ? withoutSecurePort(origin.dropFirst(scheme.count).lowercased()) : nil
    }

    private static func withoutSecurePort(_ authority: String) -> String {
        authority.hasSuffix(":443") ? String(authority.dropLast(4)) : authority
    }
}
#endif
