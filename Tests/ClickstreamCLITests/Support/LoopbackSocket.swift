#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// TCP socket on the loopback address.
enum LoopbackSocket {
    /// Opens a socket that listens on a free port of the loopback address.
    static func listening(backlog: Int32 = 8) -> (descriptor: Int32, port: UInt16) {
        let descriptor = stream()
        var address = loopback(port: 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                precondition(bind(descriptor, pointer, length) == 0 && listen(descriptor, backlog) == 0)
                getsockname(descriptor, pointer, &length)
            }
        }
        return (descriptor, UInt16(bigEndian: address.sin_port))
    }

    /// Opens a non-blocking socket, and starts to connect it to a port of the loopback address.
    static func connecting(to port: UInt16) -> Int32 {
        let descriptor = stream()
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        var address = loopback(port: port)
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                // The attempt is pending afterwards, which the system reports as an error.
                _ = connect(descriptor, pointer, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        return descriptor
    }

    private static func stream() -> Int32 {
        #if canImport(Glibc)
        let type = Int32(SOCK_STREAM.rawValue)
        #else
        let type = SOCK_STREAM
        #endif
        return socket(AF_INET, type, 0)
    }

    private static func loopback(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }
}
