#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A server at whose address no attempt to connect ends: its queue of connections is full, and packets are dropped.
final class DeadServer: Sendable {
    let port: UInt16
    private let descriptors: [Int32]

    init() {
        let (listener, port) = LoopbackSocket.listening(backlog: 0)
        var descriptors = [listener]
        var isFull = false
        while !isFull {
            let filler = LoopbackSocket.connecting(to: port)
            descriptors.append(filler)
            var probe = pollfd(fd: filler, events: Int16(POLLOUT), revents: 0)
            isFull = poll(&probe, 1, 100) == 0
        }
        self.port = port
        self.descriptors = descriptors
    }

    var authority: String { "127.0.0.1:\(port)" }

    /// Closes all sockets; called once.
    func stop() {
        for descriptor in descriptors { close(descriptor) }
    }
}
