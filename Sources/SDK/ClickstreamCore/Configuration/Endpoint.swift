/// Validated URL that events are posted to: `http` or `https`, a host, and a valid request target.
///
/// Validation is strict, because a mistake here is otherwise noticed only by missing events.
package struct Endpoint: Sendable, Equatable {
    package enum Scheme: String, Sendable, Equatable {
        case http
        case https

        var defaultPort: Int {
            switch self {
            case .http: 80
            case .https: 443
            }
        }
    }

    package let scheme: Scheme
    /// A host name or an address; an IPv6 address without its brackets.
    package let host: String
    /// The port in the URL, if any.
    package let explicitPort: Int?
    /// The path, at least `/`.
    package let path: String
    /// The endpoint's own query, without the question mark.
    package let query: String?

    /// The port to connect to.
    package var port: Int { explicitPort ?? scheme.defaultPort }

    /// Host and port as in the URL and the `host` header.
    package var authority: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return explicitPort.map { "\(name):\($0)" } ?? name
    }

    package init(_ text: String) throws(EndpointError) {
        guard !text.isEmpty else { throw .empty }
        try Endpoint.checkCharacters(text)
        guard let separator = text.firstRange(of: "://") else { throw .scheme(nil) }
        let schemeText = text[..<separator.lowerBound].lowercased()
        guard let scheme = Scheme(rawValue: schemeText) else { throw .scheme(schemeText) }
        guard !text.contains("#") else { throw .fragment }

        let rest = text[separator.upperBound...]
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        guard !authority.contains("@") else { throw .userInfo }
        let target = rest[authority.endIndex...]
        let path = target.prefix { $0 != "?" }
        try Endpoint.checkEscapes(target)

        self.scheme = scheme
        (host, explicitPort) = try Endpoint.hostAndPort(of: authority)
        self.path = path.isEmpty ? "/" : String(path)
        query = path.endIndex < target.endIndex ? String(target[path.endIndex...].dropFirst()) : nil
    }

    /// Returns path and query with `parameters` appended to the endpoint's own query, as in a request line.
    package func target(adding parameters: String) -> String {
        guard let query, !query.isEmpty else { return "\(path)?\(parameters)" }
        return "\(path)?\(query)&\(parameters)"
    }

    private static func checkCharacters(_ text: String) throws(EndpointError) {
        for scalar in text.unicodeScalars {
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9": continue
            case _ where "-._~:/?#[]@!$&'()*+,;=%".unicodeScalars.contains(scalar): continue
            default: throw .character(scalar)
            }
        }
    }

    private static func checkEscapes(_ target: Substring) throws(EndpointError) {
        guard !target.contains(where: { $0 == "[" || $0 == "]" }) else { throw .character("[") }
        var rest = target.utf8
        while let sign = rest.firstIndex(of: UInt8(ascii: "%")) {
            let digits = rest[sign...].dropFirst().prefix(2)
            guard digits.count == 2, digits.allSatisfy({ $0.hexadecimalValue != nil }) else { throw .escape }
            rest = rest[digits.endIndex...]
        }
    }

    private static func hostAndPort(of authority: Substring) throws(EndpointError) -> (host: String, port: Int?) {
        let host: Substring
        let afterHost: Substring
        if authority.first == "[" {
            guard let end = authority.firstIndex(of: "]") else { throw .host(String(authority)) }
            host = authority[..<end].dropFirst()
            afterHost = authority[end...].dropFirst()
            let isAddress = host.utf8.allSatisfy {
                $0.hexadecimalValue != nil || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".")
            }
            guard isAddress, host.utf8.count(where: { $0 == UInt8(ascii: ":") }) >= 2 else {
                throw .host(String(authority))
            }
        } else {
            host = authority.prefix { $0 != ":" }
            afterHost = authority[host.endIndex...]
            guard isName(host) else { throw .host(String(host)) }
        }
        guard !afterHost.isEmpty else { return (String(host), nil) }
        let digits = afterHost.dropFirst()
        guard afterHost.first == ":", !digits.isEmpty, digits.utf8.allSatisfy({ $0.isDigit }),
            let port = Int(digits), (1...65_535).contains(port)
        else { throw .port(String(afterHost)) }
        return (String(host), port)
    }

    /// Returns true for a host name or an IPv4 address: labels of letters, digits, `-` and `_`, separated by single
    /// dots.
    private static func isName(_ host: Substring) -> Bool {
        let parts = (host.last == "." ? host.dropLast() : host).split(separator: ".", omittingEmptySubsequences: false)
        return host.utf8.count <= 253
            && parts.allSatisfy { part in
                !part.isEmpty
                    && part.unicodeScalars.allSatisfy {
                        switch $0 {
                        case "a"..."z", "A"..."Z", "0"..."9", "-", "_": true
                        default: false
                        }
                    }
            }
    }
}

extension Endpoint {
    /// The error in a configured text, after its source and the escaped text; `nil` for an endpoint.
    ///
    /// A text that may contain a password is not shown.
    /// - Parameter source: the option, variable or key, such as `CLICKSTREAM_ENDPOINT`; `nil` for a text from code.
    package static func refusal(of text: String, from source: String?) -> String? {
        do {
            _ = try Endpoint(text)
            return nil
        } catch {
            let shown = text.isEmpty || text.contains("@") ? nil : "'\(text)'"
            let subject = [source, shown].compactMap(\.self).joined(separator: " ")
            return Characters.escaped(subject.isEmpty ? "\(error)" : "\(subject): \(error)")
        }
    }
}

extension Endpoint: CustomStringConvertible {
    /// The URL.
    package var description: String {
        "\(scheme.rawValue)://\(authority)\(path)\(query.map { "?\($0)" } ?? "")"
    }
}

/// Error in an endpoint's URL. Never contains a password of the URL.
package enum EndpointError: Error, Sendable, Equatable {
    case empty
    /// The unsupported scheme in lower case, or `nil` if there is none.
    case scheme(String?)
    case host(String)
    case port(String)
    case userInfo
    case fragment
    /// A character that is not allowed in a URL.
    case character(Unicode.Scalar)
    /// A `%` without two hexadecimal digits.
    case escape
}

extension EndpointError: CustomStringConvertible {
    /// The cause and the advice, such as `the endpoint is empty; use a URL such as https://example.com/collect`.
    package var description: String {
        let example = "https://example.com/collect"
        switch self {
        case .empty:
            return "the endpoint is empty; use a URL such as \(example)"
        case .scheme(nil):
            return "the endpoint has no scheme; start it with http:// or https://, as in \(example)"
        case .scheme(let scheme?):
            return "the endpoint's scheme '\(scheme)' is not valid; use http or https, as in \(example)"
        case .host(""):
            return "the endpoint has no host; add one after the scheme, as in \(example)"
        case .host(let host):
            return
                "the endpoint's host '\(host)' is not valid; use a name, an IPv4 address or an IPv6 address in brackets"
        case .port(let port):
            return "the endpoint's port '\(port)' is not valid; use a number from 1 to 65535, or leave it out"
        case .userInfo:
            return "the endpoint contains a user name or password; remove it and use authCookie"
        case .fragment:
            return "the endpoint contains a fragment ('#'), which is never sent; remove it, or write %23"
        case .character(let scalar):
            let code = String(zeroPadded: scalar.value, width: 4, radix: 16, uppercase: true)
            let remedy = scalar.isControl || scalar.isLineBreak ? "remove it" : "percent-encode it"
            return "the endpoint contains the character U+\(code), which is not allowed; \(remedy)"
        case .escape:
            return "the endpoint contains a '%' without two hexadecimal digits; write %25 for a percent sign"
        }
    }
}
