#if Tools
#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// TCP socket on the loopback address.
enum LoopbackSocket {
    /// Opens a socket that listens on a free port of the loopback address.
    static func listening() -> (descriptor: Int32, port: UInt16) {
        #if canImport(Glibc)
        let type = Int32(SOCK_STREAM.rawValue)
        #else
        let type = SOCK_STREAM
        #endif
        let descriptor = socket(AF_INET, type, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                precondition(bind(descriptor, pointer, length) == 0 && listen(descriptor, 8) == 0)
                getsockname(descriptor, pointer, &length)
            }
        }
        return (descriptor, UInt16(bigEndian: address.sin_port))
    }
}
#endif
