#if Collector
/// Origin of a web page: scheme, host and port, in lower case and without the default port of the scheme.
struct Origin: Sendable, Hashable {
    let scheme: String
    /// Host name or address; an IPv6 address is in brackets.
    let host: String
    /// `nil` for the default port of the scheme.
    let port: Int?

    /// - Returns: `nil` if the text is not `scheme://host` or `scheme://host:port` in ASCII.
    init?(_ text: String) {
        guard text.utf8.allSatisfy({ $0 < 0x80 }), let separator = text.firstRange(of: "://") else { return nil }
        let authority = text[separator.upperBound...].lowercased()
        let end =
            authority.hasPrefix("[")
            ? authority.firstIndex(of: "]").map { authority.index(after: $0) }
            : authority.firstIndex(of: ":")
        scheme = text[..<separator.lowerBound].lowercased()
        host = String(authority[..<(end ?? authority.endIndex)])
        guard Self.isScheme(scheme), Self.isAddress(host) || Self.isName(host) else { return nil }
        guard let end, end < authority.endIndex else {
            port = nil
            return
        }
        let digits = authority[end...].dropFirst()
        guard authority[end] == ":", digits.allSatisfy(\.isNumber), let number = Int(digits),
            (1...65_535).contains(number)
        else { return nil }
        port = number == Self.defaultPorts[scheme] ? nil : number
    }

    private static let defaultPorts = ["http": 80, "https": 443]

    private static func isScheme(_ text: String) -> Bool {
        text.first?.isLetter == true && text.allSatisfy { $0.isLetter || $0.isNumber || "+-.".contains($0) }
    }

    private static func isAddress(_ text: String) -> Bool {
        text.hasPrefix("[") && text.hasSuffix("]") && text.contains(":")
            && text.dropFirst().dropLast().allSatisfy { $0.isHexDigit || $0 == ":" }
    }

    private static func isName(_ text: String) -> Bool {
        text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { label in
            !label.isEmpty && label.allSatisfy { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" }
        }
    }
}
#endif
