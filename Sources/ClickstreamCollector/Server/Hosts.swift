#if Tools
import ClickstreamCore
import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Names under which pages and readings are answered: the guard against DNS rebinding.
///
/// A web page can make the name of its own server lead to this address, and would then be of the same origin. An address
/// in `Host` cannot be made to lead anywhere else, so a collector that listens beyond loopback answers to all of them.
struct Hosts: Sendable, Hashable {
    private let names: Set<String>
    private let allowsAddresses: Bool

    init(_ configuration: CollectorConfiguration) {
        var names = configuration.allowedHosts
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

    /// Programs of old that name none are answered.
    func allow(_ authority: String?) -> Bool {
        guard let authority, !authority.isEmpty else { return true }
        let name = Self.normalized(Self.name(of: authority))
        if names.contains(name) || name.hasSuffix(".localhost") { return true }
        if let address = Self.ipv4(name) { return allowsAddresses || address.first == 127 }
        guard authority.hasPrefix("["), Self.isIPv6(name) else { return false }
        return allowsAddresses || name == "::1"
    }

    /// The name or address without the port; of an IPv6 address without the brackets.
    private static func name(of authority: String) -> Substring {
        authority.hasPrefix("[") ? authority.dropFirst().prefix { $0 != "]" } : authority.prefix { $0 != ":" }
    }

    /// In lower case, without the dot that ends a full name.
    private static func normalized(_ name: Substring) -> String {
        let lowered = name.lowercased()
        return lowered.hasSuffix(".") ? String(lowered.dropLast()) : lowered
    }

    /// A name can begin like an address: all of it has to be one.
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
