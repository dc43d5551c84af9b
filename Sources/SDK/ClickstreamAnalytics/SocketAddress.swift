#if os(Linux)
import CClickstreamSystem
package import ClickstreamCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// IP address and port of a stream socket.
package struct SocketAddress: Sendable {
    private var storage = sockaddr_storage()
    private let length: socklen_t
    /// `AF_INET` or `AF_INET6`.
    package let family: Int32

    private init?(_ info: addrinfo) {
        let size = Int(info.ai_addrlen)
        guard let address = info.ai_addr, size <= MemoryLayout<sockaddr_storage>.size else { return nil }
        length = info.ai_addrlen
        family = info.ai_family
        withUnsafeMutableBytes(of: &storage) {
            $0.copyMemory(from: UnsafeRawBufferPointer(start: address, count: size))
        }
    }

    /// Resolves the host of a server. Blocks until the system's own timeouts.
    /// - Returns: at least one address, in the system's order of preference.
    package static func resolve(_ server: ServerAddress) throws(TransportError) -> [SocketAddress] {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        var placeholders = clickstream_occupy_standard_numbers()
        let code = getaddrinfo(server.host, String(server.port), &hints, &list)
        clickstream_free_standard_numbers(&placeholders)
        guard code == 0, let list else {
            throw .refused("\(server.host): \(String(cString: gai_strerror(code)))")
        }
        defer { freeaddrinfo(list) }
        return sequence(first: list, next: { $0.pointee.ai_next }).compactMap { SocketAddress($0.pointee) }
    }

    /// Starts to connect a non-blocking socket.
    /// - Returns: 0 if the socket is connected or the attempt is pending, otherwise the error number.
    func startConnecting(_ socket: Int32) -> Int32 {
        let code = withPointer { connect(socket, $0, length) }
        return code == 0 || errno == EINPROGRESS ? 0 : errno
    }

    private func withPointer<Result>(_ body: (UnsafePointer<sockaddr>) -> Result) -> Result {
        withUnsafePointer(to: storage) { $0.withMemoryRebound(to: sockaddr.self, capacity: 1, body) }
    }
}

extension SocketAddress: CustomStringConvertible {
    /// The IP address without the port.
    package var description: String {
        // An IPv6 address with the name of an interface has at most 62 characters.
        var text = [CChar](repeating: 0, count: 64)
        let code = withPointer {
            getnameinfo($0, length, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
        }
        guard code == 0 else { return "address of family \(family)" }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
#endif
