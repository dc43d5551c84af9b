#if Collector
import ClickstreamCore

/// Pattern for origins of web pages: an origin, an origin whose host begins with `*.`, or `*` for every origin.
///
/// `*.` matches one or more labels: `https://*.shop.example` matches `https://a.b.shop.example`, not
/// `https://shop.example`.
package struct OriginPattern: Sendable, Hashable {
    private enum Form: Sendable, Hashable {
        case any
        case origin(Origin)
        case subdomains(of: Origin)
    }

    private let form: Form

    /// - Throws: ``CollectorError/invalidConfiguration(_:)`` with valid patterns if the text is none, such as a regular
    ///   expression of an earlier version.
    package init(_ text: String) throws(CollectorError) {
        guard let form = text == "*" ? .any : Self.form(of: text) else {
            throw .invalidConfiguration(Self.refusal(of: text))
        }
        self.form = form
    }

    /// - Parameter origin: `nil` for an `Origin` that is not `scheme://host[:port]`, such as `null`.
    func matches(_ origin: Origin?) -> Bool {
        switch form {
        case .any: return true
        case .origin(let own): return origin == own
        case .subdomains(let parent):
            guard let origin, origin.scheme == parent.scheme, origin.port == parent.port else { return false }
            return origin.host.hasSuffix("." + parent.host)
        }
    }

    private static func form(of text: String) -> Form? {
        if let origin = Origin(text) { return .origin(origin) }
        let parent = Origin(text.replacing("://*.", with: "://", maxReplacements: 1))
        return parent.flatMap { $0.host.hasPrefix("[") ? nil : .subdomains(of: $0) }
    }

    // MARK: - Refused patterns

    private static func refusal(of text: String) -> String {
        if text.isEmpty { return "--cors-origin is empty; leave it out to allow no page of another origin" }
        let reason =
            if text.utf8.contains(where: { $0 >= 0x80 }) {
                "is not ASCII, as the origins that browsers send (xn--…)"
            } else if text.contains(where: { #"^$\()[]|+?{}"#.contains($0) }) || text.contains(".*") {
                "is a regular expression, which is no longer accepted"
            } else {
                "is not an origin"
            }
        let example = suggestion(for: text) ?? "https://shop.example, https://*.shop.example for its subdomains"
        return
            "--cors-origin '\(Characters.escaped(text))' \(reason); use scheme://host[:port], once for each origin, such "
            + "as \(example), or '*' for every origin"
    }

    /// Probable pattern for an expression without alternatives, the address of a page, or a host alone; `nil` for others.
    private static func suggestion(for text: String) -> String? {
        var literal = text.filter { !"^$".contains($0) }
        // Only of punctuation: `\d` and other classes are no literals.
        for (expression, replacement) in [(".*", "*"), (".+", "*"), (#"\."#, "."), (#"\/"#, "/"), (#"\-"#, "-")] {
            literal.replace(expression, with: replacement)
        }
        if !literal.contains("://") { literal = "https://" + literal }
        let parts = literal.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        let origin = parts.prefix(3).joined(separator: "/")
        return form(of: origin) == nil ? nil : origin
    }
}
#endif
