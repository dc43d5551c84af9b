#if os(Linux)
package import ClickstreamCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// One request and its reply on a connected socket, without TLS. Blocks; a copy continues the same exchange.
///
/// Sends and receives concurrently: a server may reply before it has read the whole request.
package struct SocketExchange: Sendable {
    /// Bytes of one read: less than ``UploadResponse/bodyLimit``, so that an ``HTTPReply`` keeps all of them.
    private static let readSize = 49_152

    private let socket: ConnectedSocket
    private let output: [UInt8]
    private var sent = 0
    /// The reply as far as it was received.
    package var reply: HTTPReply
    /// The reply once it is complete.
    package private(set) var response: UploadResponse?

    /// - Parameter socket: a socket that does not block, which is closed with the last copy.
    package init(on socket: Int32, sending request: [UInt8], reply: HTTPReply = HTTPReply()) {
        self.socket = ConnectedSocket(socket)
        output = request
        self.reply = reply
    }

    /// Waits until the server accepts or sends bytes, and transfers them.
    /// - Throws: ``TransportError/timedOut`` after `end`; ``TransportError/cut(_:)``.
    package mutating func advance(until end: ContinuousClock.Instant) throws(TransportError) {
        let events = socket.wait(for: sent < output.count ? POLLIN | POLLOUT : POLLIN, until: end)
        guard events != 0 else { throw .timedOut }
        if events & ~POLLOUT != 0 { try receive() }
        if response == nil, events & POLLOUT != 0, sent < output.count { transmit() }
    }

    /// Ends the waiting of another thread, and the connection. Thread-safe.
    package func interrupt() {
        shutdown(socket.descriptor, Int32(SHUT_RDWR))
    }

    private mutating func receive() throws(TransportError) {
        var error: Int32 = 0
        var isClosed = false
        let input = [UInt8](unsafeUninitializedCapacity: Self.readSize) { buffer, filled in
            let count = recv(socket.descriptor, buffer.baseAddress, buffer.count, 0)
            if count < 0 { error = errno }
            isClosed = count == 0
            filled = max(0, count)
        }
        if isClosed {
            response = reply.close()
            guard response != nil else { throw .cut("the server closed the connection") }
            return
        }
        guard error == 0 || error == EAGAIN || error == EINTR else { throw .cut(String(cString: strerror(error))) }
        switch reply.receive(input) {
        case .incomplete: break
        case .complete(let response): self.response = response
        case .malformed(let reason): throw .cut(reason)
        }
    }

    private mutating func transmit() {
        let count = output.withUnsafeBytes { bytes in
            send(socket.descriptor, bytes.baseAddress.map { $0 + sent }, bytes.count - sent, Int32(MSG_NOSIGNAL))
        }
        if count > 0 {
            sent += count
        } else if errno != EAGAIN, errno != EINTR {
            // The server accepts no more data; a reply sent before that may still be readable.
            sent = output.count
        }
    }
}

/// Connected stream socket. Closed with its last reference, so that no thread uses a number that another file has by then.
private final class ConnectedSocket: Sendable {
    let descriptor: Int32

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }

    /// Blocks until one of `events` occurs or the connection ends.
    /// - Returns: the events; 0 on timeout.
    func wait(for events: Int32, until end: ContinuousClock.Instant) -> Int32 {
        while true {
            let rest = end.millisecondsLeft
            guard rest > 0 else { return 0 }
            var entry = pollfd(fd: descriptor, events: Int16(truncatingIfNeeded: events), revents: 0)
            if poll(&entry, 1, rest) > 0 { return Int32(entry.revents) }
        }
    }
}
#endif
