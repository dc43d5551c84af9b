#if Tools
import HTTPTypes

/// Cross-origin resource sharing: the published server's regular expression, and what it answers to origins that match.
struct CrossOrigin: Sendable {
    private let pattern: RegularExpression

    /// Bytes of an origin that is compared: a scheme, a host name of 253, a port. A longer one is none.
    private static let mostBytes = 512

    /// - Throws: ``CollectorError/invalidConfiguration(_:)`` when it is no regular expression.
    init(_ pattern: String) throws(CollectorError) {
        do {
            self.pattern = try RegularExpression(pattern, ignoringCase: true)
        } catch {
            throw .invalidConfiguration("--cors-origin '\(pattern)' is not a valid regular expression: \(error)")
        }
    }

    /// The headers for an origin that matches, `nil` for another. Costs time in proportion to the origin.
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
