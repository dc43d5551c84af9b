#if Collector
import HTTPTypes

/// Cross-origin resource sharing: the allowed origins, and the headers of the published server for them.
struct CrossOrigin: Sendable {
    private let patterns: [OriginPattern]

    /// Maximum bytes of an origin: a scheme, a host name of 253 bytes and a port. Longer ones do not match.
    private static let maxBytes = 512

    /// - Throws: ``CollectorError/invalidConfiguration(_:)`` if a text is not an ``OriginPattern``.
    init(_ origins: Set<String>) throws(CollectorError) {
        patterns = try origins.sorted().map { (text) throws(CollectorError) in try OriginPattern(text) }
    }

    /// CORS headers for a matching origin, otherwise `nil`. Takes time linear in the length of the origin.
    func headers(for origin: String?) -> HTTPFields? {
        guard let text = origin, text.utf8.count <= Self.maxBytes else { return nil }
        let origin = Origin(text)
        guard patterns.contains(where: { $0.matches(origin) }) else { return nil }
        return [
            .accessControlAllowOrigin: text,
            .accessControlAllowCredentials: "true",
            .accessControlAllowMethods: "GET, POST, OPTIONS",
            .accessControlAllowHeaders: "DNT,X-CustomHeader,Keep-Alive,User-Agent,X-Requested-With,If-Modified-Since,"
                + "Cache-Control,Content-Type",
            .vary: "Origin",
        ]
    }
}
#endif
