#if Collector
import ClickstreamCore
import Foundation
import HTTPTypes

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Host names allowed for the inspector and the query API: protection against DNS rebinding.
///
/// A web page can make the name of its own server resolve to this address, and would then have the same origin. An IP
/// address in `Host` cannot be redirected, so a collector that listens beyond loopback allows all of them.
struct AllowedHosts: Sendable, Hashable {
    /// Names of `--allow-host`, under which a proxy may serve the page by https.
    private let configured: Set<String>
    private let names: Set<String>
    private let allowsAddresses: Bool

    init(_ configuration: CollectorConfiguration) {
        var names = configuration.allowedHosts
        configured = Set(names.map { Self.normalized($0[...]) })
        names.insert("localhost")
        names.insert(configuration.host)
        if !configuration.isLoopback {
            let own = ProcessInfo.processInfo.hostName
            let short = String(own.prefix { $0 != "." })
            names.formUnion([own, Self.systemName(), short, short + ".local"])
        }
        self.names = Set(names.filter { !$0.isEmpty }.map { Self.normalized($0[...]) })
        allowsAddresses = !configuration.isLoopback
    }

    /// True for an allowed name or address, and for a request without one (HTTP/1.0).
    /// - Parameter authority: the `Host` of a request.
    func allow(_ authority: String?) -> Bool {
        guard let authority, !authority.isEmpty else { return true }
        guard let part = Self.name(of: authority) else { return false }
        let name = Self.normalized(part)
        if names.contains(name) || name.hasSuffix(".localhost") { return true }
        if let address = Self.ipv4(name) { return allowsAddresses || address.first == 127 }
        guard authority.hasPrefix("["), Self.isIPv6(name) else { return false }
        return allowsAddresses || name == "::1"
    }

    /// True for a name of `--allow-host`.
    /// - Parameter authority: the authority of an `Origin`.
    func areConfigured(with authority: String) -> Bool {
        Self.name(of: authority).map { configured.contains(Self.normalized($0)) } ?? false
    }

    /// Reply to a request under another name, with the options that allow it; `nil` if the name is allowed.
    func refusal(of authority: String?) -> Reply? {
        guard !allow(authority) else { return nil }
        let authority = authority ?? ""
        // Text after a port, and an IPv6 address without brackets, make the whole an invalid name.
        let name = String((Self.name(of: authority) ?? authority[...]).prefix(Self.longestName))
        // Addresses of IPv6 are not names.
        let remedy =
            name.contains(":")
            ? "use localhost"
            : "use localhost, or start the collector with --allow-host \(name) or CLICKSTREAM_ALLOW_HOST=\(name)"
        return .error(
            .forbidden,
            "this collector does not answer under the host name '\(name)': \(remedy)",
            code: .hostNotAllowed
        )
    }

    /// Maximum characters of a name in a message: those of a name in DNS.
    private static let longestName = 253

    /// Name or address without the port, and without the brackets of an IPv6 address; `nil` if something else follows it.
    private static func name(of authority: String) -> Substring? {
        var name = authority.prefix { $0 != ":" }
        var rest = authority[name.endIndex...]
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]") else { return nil }
            name = authority[..<end].dropFirst()
            rest = authority[end...].dropFirst()
        }
        let isPort = rest.first == ":" && rest.utf8.dropFirst().allSatisfy { (0x30...0x39).contains($0) }
        return rest.isEmpty || isPort ? name : nil
    }

    /// Lower case, without the final dot of a fully qualified name.
    private static func normalized(_ name: Substring) -> String {
        let lowered = name.lowercased()
        return lowered.hasSuffix(".") ? String(lowered.dropLast()) : lowered
    }

    /// Bytes of an IPv4 address; `nil` for a name, also one that begins like an address.
    private static func ipv4(_ name: String) -> [UInt8]? {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { part in part.utf8.allSatisfy { (0x30...0x39).contains($0) } ? UInt8(part) : nil
        }
        return parts.count == 4 && numbers.count == 4 ? numbers : nil
    }

    private static func isIPv6(_ name: String) -> Bool {
        var address = in6_addr()
        return inet_pton(AF_INET6, String(name.prefix { $0 != "%" }), &address) == 1
    }

    private static func systemName() -> String {
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return "" }
        return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
#endif
