#if Collector
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Origin of a web page: scheme, host and port, in lower case and without the default port of the scheme.
struct Origin: Sendable, Hashable {
    let scheme: String
    /// Host name or address; an IPv6 address is in brackets, in its canonical form.
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
        let name = String(authority[..<(end ?? authority.endIndex)])
        guard Self.isScheme(scheme), let host = Self.address(name) ?? (Self.isName(name) ? name : nil) else {
            return nil
        }
        self.host = host
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

    /// The canonical form of an IPv6 address in brackets; `nil` for other texts.
    private static func address(_ text: String) -> String? {
        let digits = text.dropFirst().dropLast()
        var address = in6_addr()
        guard text.hasPrefix("["), text.hasSuffix("]"), digits.allSatisfy({ $0.isHexDigit || ":.".contains($0) }),
            inet_pton(AF_INET6, String(digits), &address) == 1
        else { return nil }
        var canonical = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard inet_ntop(AF_INET6, &address, &canonical, socklen_t(canonical.count)) != nil else { return nil }
        return "[" + String(decoding: canonical.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self) + "]"
    }

    private static func isName(_ text: String) -> Bool {
        text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { label in
            !label.isEmpty && label.allSatisfy { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" }
        }
    }
}
#endif
