#if Collector
import HTTPTypes

/// Cross-origin resource sharing: the published server's regular expression, and the headers for matching origins.
struct CrossOrigin: Sendable {
    private let pattern: RegularExpression

    /// Maximum bytes of an origin: a scheme, a host name of 253 bytes and a port. Longer ones do not match.
    private static let mostBytes = 512

    /// - Throws: ``CollectorError/invalidConfiguration(_:)`` if the pattern is not a supported regular expression.
    init(_ pattern: String) throws(CollectorError) {
        do {
            self.pattern = try RegularExpression(pattern, ignoringCase: true)
        } catch {
            throw .invalidConfiguration("--cors-origin '\(pattern)' is not a valid regular expression: \(error)")
        }
    }

    /// CORS headers for a matching origin, otherwise `nil`. Takes time linear in the length of the origin.
    func headers(for origin: String?) -> HTTPFields? {
        guard let origin, origin.utf8.count <= Self.mostBytes, pattern.matches(in: origin) else { return nil }
        return [
            .accessControlAllowOrigin: origin,
            .accessControlAllowCredentials: "true",
            .accessControlAllowMethods: "GET, POST, OPTIONS",
            .accessControlAllowHeaders: "DNT,X-CustomHeader,Keep-Alive,User-Agent,X-Requested-With,If-Modified-Since,"
                + "Cache-Control,Content-Type",
            .vary: "Origin",
        ]
    }
}
#endif
