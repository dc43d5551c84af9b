#if os(Linux)
import ClickstreamCore
import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Sends requests over plain HTTP/1.1 by the system's sockets, without URL loading.
///
/// On Linux, because Foundation traps there on replies that end within their head, and costs ten times as much. Each
/// request has a connection and a thread of its own, so nothing is ever sent twice. Only for `http`: TLS is URL
/// loading's.
struct SocketTransport: Transport {
    /// Where a request goes, taken out of its URL.
    struct Address: Sendable, Equatable {
        /// A name or a number, without the brackets of IPv6.
        var host: String
        var port: Int
        /// What the header `host` says.
        var authority: String
        /// Path and query, percent-encoded as given.
        var target: String
    }

    func send(_ request: UploadRequest) async throws(TransportError) -> UploadResponse {
        guard let address = Address(request.url) else {
            throw .refused("not the address of a plain HTTP server: \(request.url)")
        }
        return try await send(request, to: address)
    }

    func send(_ request: UploadRequest, to address: Address) async throws(TransportError) -> UploadResponse {
        if Task.isCancelled { throw .cancelled }
        let call = SocketCall(request, address)
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { call.start($0) }
        } onCancel: {
            call.end(.failure(.cancelled))
        }
        return try result.get()
    }
}

extension SocketTransport.Address {
    /// - Returns: `nil` for what is not a plain `http` address: another scheme, no host, a port out of range, a name or
    ///   password in it.
    init?(_ url: String) {
        guard
            let parts = URLComponents(string: url), parts.scheme?.lowercased() == "http", parts.user == nil,
            parts.password == nil, let host = parts.encodedHost, !host.isEmpty
        else { return nil }
        port = parts.port ?? 80
        guard (1...65_535).contains(port) else { return nil }
        self.host = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
        authority = port == 80 ? host : "\(host):\(port)"
        let path = parts.percentEncodedPath
        target = (path.hasPrefix("/") ? path : "/" + path) + (parts.percentEncodedQuery.map { "?" + $0 } ?? "")
    }
}

/// One request on its own connection and thread.
private final class SocketCall: Sendable {
    typealias Continuation = CheckedContinuation<Result<UploadResponse, TransportError>, Never>

    private struct State {
        var continuation: Continuation?
        var result: Result<UploadResponse, TransportError>?
        /// The connection, while its thread has it open.
        var socket: Int32?
        var timer: (any ScheduledWork)?
    }

    private let request: UploadRequest
    private let address: SocketTransport.Address
    private let state = Locked(State())

    init(_ request: UploadRequest, _ address: SocketTransport.Address) {
        self.request = request
        self.address = address
    }

    func start(_ continuation: Continuation) {
        // A timer rather than a time-out of the calls: finding a name's address knows none.
        let timer = SystemTime().after(milliseconds: request.connectTimeout) { self.end(.failure(.timedOut)) }
        let early: Result<UploadResponse, TransportError>? = state.withLock { state in
            if let result = state.result { return result }
            state.continuation = continuation
            state.timer = timer
            return nil
        }
        if let early {
            timer.cancel()
            return continuation.resume(returning: early)
        }
        Thread.detachNewThread { self.run() }
    }

    /// Ends the call, once: the first result is the one that counts. Wakes the thread, which then closes the connection.
    func end(_ result: Result<UploadResponse, TransportError>) {
        let (continuation, timer): (Continuation?, (any ScheduledWork)?) = state.withLock { state in
            guard state.result == nil else { return (nil, nil) }
            state.result = result
            // Under the lock: the thread forgets the number there before it closes it.
            if let socket = state.socket { shutdown(socket, Int32(SHUT_RDWR)) }
            defer { (state.continuation, state.timer) = (nil, nil) }
            return (state.continuation, state.timer)
        }
        timer?.cancel()
        continuation?.resume(returning: result)
    }

    private var hasEnded: Bool {
        state.withLock { $0.result != nil }
    }

    // MARK: - On the thread

    private func run() {
        switch connection() {
        case .failure(let error):
            end(.failure(error))
        case .success(let socket):
            end(exchange(on: socket))
            release(socket)
        }
    }

    /// Finds the host's addresses and connects to the first that answers.
    private func connection() -> Result<Int32, TransportError> {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(address.host, String(address.port), &hints, &list)
        guard code == 0, let list else {
            return .failure(.refused("\(address.host): \(String(cString: gai_strerror(code)))"))
        }
        defer { freeaddrinfo(list) }
        var reason: Int32 = ECONNREFUSED
        for info in sequence(first: list, next: { $0.pointee.ai_next }) {
            if hasEnded { return .failure(.timedOut) }
            let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
            let connection = socket(info.pointee.ai_family, kind, 0)
            guard connection >= 0 else {
                reason = errno
                continue
            }
            guard hold(connection) else {
                close(connection)
                return .failure(.timedOut)
            }
            if connect(connection, info.pointee.ai_addr, info.pointee.ai_addrlen) == 0 { return .success(connection) }
            if errno == EINPROGRESS {
                wait(for: POLLOUT, on: connection, until: deadline(request.connectTimeout))
                var failure: Int32 = 0
                var length = socklen_t(MemoryLayout<Int32>.size)
                getsockopt(connection, SOL_SOCKET, SO_ERROR, &failure, &length)
                if failure == 0, isConnected(connection) { return .success(connection) }
                reason = failure == 0 ? ETIMEDOUT : failure
            } else {
                reason = errno
            }
            release(connection)
        }
        if reason == ETIMEDOUT { return .failure(.timedOut) }
        return .failure(.refused("\(address.authority): \(String(cString: strerror(reason)))"))
    }

    private func isConnected(_ socket: Int32) -> Bool {
        var peer = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &peer) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(socket, $0, &length) == 0 }
        }
    }

    /// Sends the request and reads the reply, both at once: a server may answer before it has read everything.
    private func exchange(on socket: Int32) -> Result<UploadResponse, TransportError> {
        state.withLock { $0.timer.take() }?.cancel()
        let end = deadline(request.requestTimeout)
        let output = requestBytes()
        var sent = 0
        var reply = HTTPReply()
        var input = [UInt8](repeating: 0, count: 16_384)
        while true {
            let events = wait(
                for: sent < output.count ? POLLIN | POLLOUT : POLLIN,
                on: socket,
                until: min(end, deadline(request.idleTimeout))
            )
            if hasEnded { return .failure(.cancelled) }
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
                    // The server takes no more; a reply that it sent before that can still be read.
                    sent = output.count
                }
            }
        }
    }

    private func requestBytes() -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(request.body.count + 1_024)
        func line(_ text: String) {
            // A control character could end the line and smuggle in another.
            bytes += text.utf8.lazy.map { $0 < 32 || $0 == 127 ? 32 : $0 }
            bytes += [13, 10]
        }
        line("POST \(address.target) HTTP/1.1")
        line("host: \(address.authority)")
        for header in request.headers { line("\(header.name): \(header.value)") }
        line("content-length: \(request.body.count)")
        line("connection: close")
        bytes += [13, 10]
        bytes += request.body
        return bytes
    }

    // MARK: - Sockets

    /// Makes the connection known to ``end(_:)``; `false` when the call has ended.
    private func hold(_ socket: Int32) -> Bool {
        state.withLock { state in
            guard state.result == nil else { return false }
            state.socket = socket
            return true
        }
    }

    private func release(_ socket: Int32) {
        state.withLock { $0.socket = nil }
        close(socket)
    }

    /// Waits until one of `events`, or the connection's end, is there.
    /// - Returns: what is there; 0 when the time is up.
    @discardableResult
    private func wait(for events: Int32, on socket: Int32, until end: ContinuousClock.Instant) -> Int32 {
        while true {
            let rest = ContinuousClock.now.duration(to: end)
            guard rest > .zero else { return 0 }
            let (seconds, attoseconds) = rest.components
            let milliseconds = min(seconds, 86_400) * 1_000 + attoseconds / 1_000_000_000_000_000 + 1
            var entry = pollfd(fd: socket, events: Int16(truncatingIfNeeded: events), revents: 0)
            if poll(&entry, 1, Int32(milliseconds)) > 0 { return Int32(entry.revents) }
        }
    }

    private func deadline(_ milliseconds: Int64) -> ContinuousClock.Instant {
        .now.advanced(by: .milliseconds(min(max(0, milliseconds), 50 * 366 * 86_400_000)))
    }
}
#endif
