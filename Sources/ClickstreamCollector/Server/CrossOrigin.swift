#if Tools
import HTTPTypes

/// Which pages of other origins may post: the published server's regular expression, and what it answers them.
struct CrossOrigin: Sendable {
    private let pattern: String

    /// - Throws: ``CollectorError/invalidConfiguration(_:)`` when it is no regular expression.
    init(_ pattern: String) throws(CollectorError) {
        do {
            _ = try Regex(pattern)
        } catch {
            throw .invalidConfiguration("The CORS origin \(pattern) is no regular expression: \(error).")
        }
        self.pattern = pattern
    }

    /// The headers for an origin that fits, `nil` for another.
    ///
    /// Compiles the expression again: a `Regex` cannot be shared.
    func headers(for origin: String?) -> HTTPFields? {
        // The pattern was compiled once before: this does not fail.
        guard let origin, let expression = try? Regex(pattern).ignoresCase(),
            origin.firstMatch(of: expression) != nil
        else { return nil }
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
