#if os(Linux)
package import ClickstreamCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Plain HTTP/1.1 transport based on sockets.
///
/// Each request has a connection and a thread of its own, so no request is ever sent twice. Attempts to connect
/// to the addresses of a server overlap (``HappyEyeballs``). Only for `http` without a proxy; other requests use
/// `CurlTransport`.
package struct SocketTransport: Transport {
    /// Resolves the host of a server to at least one address. Blocks.
    package typealias Resolver = @Sendable (ServerAddress) throws(TransportError) -> [SocketAddress]

    private let resolve: Resolver

    package init(resolve: @escaping Resolver = SocketAddress.resolve) {
        self.resolve = resolve
    }

    package func send(_ request: UploadRequest) async throws(TransportError) -> UploadResponse {
        guard let address = ServerAddress(request.url), address.scheme == "http" else {
            throw .refused("not the address of a plain HTTP server: \(request.url)")
        }
        return try await send(request, to: address)
    }

    func send(_ request: UploadRequest, to address: ServerAddress) async throws(TransportError) -> UploadResponse {
        try await BlockingCall<UploadResponse>.run(to: address.authority, connectTimeout: request.connectTimeout) {
            [resolve] call in
            SocketExchange(request: request, address: address, call: call).run(resolve)
        }
    }
}

/// Request on its own connection and thread.
private struct SocketExchange {
    let request: UploadRequest
    let address: ServerAddress
    let call: BlockingCall<UploadResponse>

    func run(_ resolve: SocketTransport.Resolver) {
        do throws(TransportError) {
            let socket = try call.connection(to: address, timeout: request.connectTimeout, resolve)
            call.end(exchange(on: socket))
            release(socket)
        } catch {
            call.end(.failure(error))
        }
    }

    /// Sends the request and reads the reply concurrently: a server may reply before it has read the whole request.
    private func exchange(on socket: Int32) -> Result<UploadResponse, TransportError> {
        let end = ContinuousClock.Instant.after(milliseconds: request.requestTimeout)
        let output = requestBytes()
        var sent = 0
        var reply = HTTPReply()
        var input = [UInt8](repeating: 0, count: 16_384)
        while true {
            let events = wait(
                for: sent < output.count ? POLLIN | POLLOUT : POLLIN,
                on: socket,
                until: min(end, .after(milliseconds: request.idleTimeout))
            )
            if call.hasEnded { return .failure(.cancelled) }
            guard events != 0 else { return .failure(.timedOut) }
            if events & ~POLLOUT != 0 {
                let count = recv(socket, &input, input.count, 0)
                if count > 0 {
                    switch reply.receive(input[..<count]) {
                    case .incomplete: break
                    case .complete(let response): return .success(response)
                    case .malformed(let reason): return .failure(.cut(reason))
                    }
                } else if count == 0 {
                    return reply.close().map { .success($0) } ?? .failure(.cut("the server closed the connection"))
                } else if errno != EAGAIN, errno != EINTR {
                    return .failure(.cut(String(cString: strerror(errno))))
                }
            }
            if events & POLLOUT != 0, sent < output.count {
                let count = output.withUnsafeBytes { bytes in
                    send(socket, bytes.baseAddress.map { $0 + sent }, bytes.count - sent, Int32(MSG_NOSIGNAL))
                }
                if count > 0 {
                    sent += count
                } else if errno != EAGAIN, errno != EINTR {
                    // The server accepts no more data; a reply sent before that may still be readable.
                    sent = output.count
                }
            }
        }
    }

    private func requestBytes() -> [UInt8] {
        var fields = request.headers.map { (name: $0.name, value: $0.value) }
        let isPost = request.method == .post
        if isPost { fields.append(("content-length", "\(request.body.count)")) }
        let head = HTTPRequestHead.bytes(request.method.rawValue, address.target, of: address.authority, fields)
        return isPost ? head + request.body : head
    }

    // MARK: - Sockets

    private func release(_ socket: Int32) {
        call.release()
        close(socket)
    }

    /// Blocks until one of `events` occurs or the connection ends.
    /// - Returns: the events; 0 on timeout.
    private func wait(for events: Int32, on socket: Int32, until end: ContinuousClock.Instant) -> Int32 {
        while true {
            let rest = end.millisecondsLeft
            guard rest > 0 else { return 0 }
            var entry = pollfd(fd: socket, events: Int16(truncatingIfNeeded: events), revents: 0)
            if poll(&entry, 1, rest) > 0 { return Int32(entry.revents) }
        }
    }
}
#endif
