#if Collector
import ClickstreamCollector
import Glibc

/// The address of this machine for other devices.
enum LocalNetwork {
    /// The endpoint that devices on the same network use.
    /// - Parameter host: the address that the collector listens on.
    /// - Returns: `nil` unless that is the wildcard of all interfaces, or where the machine has no address but loopback.
    static func endpoint(of collector: Collector, host: String) -> String? {
        guard ["0.0.0.0", "::"].contains(host), let address else { return nil }
        let path = collector.endpoint.dropFirst(collector.baseURL.count)
        return "http://\(address):\(collector.port)\(path)"
    }

    /// The first IPv4 address of an interface that is up and not loopback.
    static var address: String? {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else { return nil }
        defer { freeifaddrs(list) }
        for entry in sequence(first: list, next: { $0?.pointee.ifa_next }) {
            guard let interface = entry?.pointee else { break }
            let flags = Int32(bitPattern: interface.ifa_flags)
            guard flags & Int32(IFF_UP) != 0, flags & Int32(IFF_LOOPBACK) == 0,
                let socket = interface.ifa_addr, socket.pointee.sa_family == sa_family_t(AF_INET)
            else { continue }
            var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            let size = socklen_t(MemoryLayout<sockaddr_in>.size)
            guard getnameinfo(socket, size, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0 else { continue }
            return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
        return nil
    }
}
#endif
