import ClickstreamAnalytics
import ClickstreamCore
import Glibc

/// One request to a collector on its own connection, with a streamed response. A thread waits for each piece of it.
enum CollectorConnection {
    /// Failure to receive a complete response.
    enum Failure: Error, Sendable, Hashable {
        /// No server responds, with the reason.
        case unreachable(String)
        /// The connection ended or timed out before the response was complete.
        case cut(String)

        var reason: String {
            switch self {
            case .unreachable(let reason), .cut(let reason): reason
            }
        }
    }

    /// Sends a GET request, and passes the response to `take` piece by piece.
    /// - Parameters:
    ///   - announcing: starts a POST with a body of this many bytes instead, and never sends it, to test whether the body
    ///     would be accepted. A status of 100 is a response then.
    ///   - connectTimeout: maximum milliseconds until a connection, for the name and all addresses of the server together.
    ///   - silence: maximum seconds between two pieces.
    ///   - take: receives status and headers with each piece of the body; the last piece is empty. `false` ends it.
    /// - Throws: ``Failure``; `CancellationError`; whatever `take` throws.
    static func send(
        _ target: String,
        headers: [(String, String)] = [],
        announcing: Int? = nil,
        of address: CollectorAddress,
        connectTimeout: Int64 = 10_000,
        silence: Int64 = 60,
        resolve: @escaping SocketTransport.Resolver = SocketAddress.resolve,
        take: (UploadResponse, [UInt8]) async throws -> Bool
    ) async throws {
        let request = request(target, headers, announcing: announcing, of: address)
        let socket = try await connect(to: address, within: connectTimeout, sending: request, resolve)
        var reply = HTTPReply(keepsDate: true, endsWithInterim: announcing != nil)
        while true {
            let bytes = try await receive(from: socket, silence: silence)
            let isComplete: Bool
            if bytes.isEmpty {
                guard reply.close() != nil else { throw Failure.cut("connection closed") }
                isComplete = true
            } else {
                switch reply.receive(bytes) {
                case .incomplete: isComplete = false
                case .complete: isComplete = true
                case .malformed(let reason): throw Failure.cut("malformed response: \(reason)")
                }
            }
            let piece = reply.takeBody()
            guard let head = reply.head else { continue }
            if !piece.isEmpty || announcing != nil, try await !take(head, piece) { return }
            if isComplete {
                _ = try await take(head, [])
                return
            }
        }
    }

    private static func request(
        _ target: String,
        _ headers: [(String, String)],
        announcing: Int?,
        of address: CollectorAddress
    ) -> [UInt8] {
        var fields = [("user-agent", "clickstream-cli/\(SDK.version)")] + headers
        if let announcing { fields += [("content-length", "\(announcing)"), ("expect", "100-continue")] }
        let method = announcing == nil ? "GET" : "POST"
        return HTTPRequestHead.bytes(method, target, of: address.authority, fields.map { (name: $0.0, value: $0.1) })
    }

    // MARK: - Blocking calls

    private static func connect(
        to address: CollectorAddress,
        within timeout: Int64,
        sending request: [UInt8],
        _ resolve: @escaping SocketTransport.Resolver
    ) async throws -> ConnectedSocket {
        guard let server = ServerAddress("http://\(address.authority)/") else {
            throw Failure.unreachable("'\(Console.escaped(address.authority))' is not the address of a server")
        }
        do throws(TransportError) {
            return try await BlockingCall<ConnectedSocket>.run(to: address.authority, connectTimeout: timeout) { call in
                do throws(TransportError) {
                    let socket = ConnectedSocket(try call.connection(to: server, timeout: timeout, resolve))
                    socket.transmit(request)
                    // A call that has ended does not shut down a number that another file may have by then.
                    call.release()
                    call.end(.success(socket))
                } catch {
                    call.end(.failure(error))
                }
            }
        } catch {
            switch error {
            case .refused(let reason): throw Failure.unreachable(without(prefixes(of: address), in: reason))
            case .timedOut: throw Failure.unreachable("no connection within \(timeout) ms")
            case .cut(let reason): throw Failure.cut(reason)
            case .cancelled: throw CancellationError()
            }
        }
    }

    /// Waits for the next bytes; none at the end of the connection.
    private static func receive(from socket: ConnectedSocket, silence: Int64) async throws -> [UInt8] {
        do throws(TransportError) {
            return try await BlockingCall<[UInt8]>.run(timeout: silence * 1_000, .timedOut) { call in
                guard call.hold({ socket.interrupt() }) else { return }
                let outcome = socket.receive()
                call.release()
                call.end(outcome)
            }
        } catch {
            switch error {
            case .timedOut: throw Failure.cut("no data received for \(silence) s")
            case .refused(let reason), .cut(let reason): throw Failure.cut(reason)
            case .cancelled: throw CancellationError()
            }
        }
    }

    /// Beginnings of the transport's reasons that callers' messages contain already.
    private static func prefixes(of address: CollectorAddress) -> [String] {
        ["\(address.authority): ", "\(address.host): "]
    }

    private static func without(_ prefixes: [String], in text: String) -> String {
        prefixes.first { text.hasPrefix($0) }.map { String(text.dropFirst($0.count)) } ?? text
    }
}

/// Connected stream socket. Closed with its last reference, so that no thread reads from a number that another file has by
/// then.
private final class ConnectedSocket: Sendable {
    /// Bytes of one read: less than ``UploadResponse/bodyLimit``, so that an ``HTTPReply`` keeps all of them.
    private static let readSize = 49_152
    /// Longest wait for a send buffer without space, in milliseconds.
    private static let sendTimeout: Int32 = 10_000

    private let descriptor: Int32

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }

    /// Ends the waiting of another thread.
    func interrupt() {
        shutdown(descriptor, Int32(SHUT_RDWR))
    }

    /// Sends the bytes. A server that accepts no more data may have sent its reply before.
    func transmit(_ bytes: [UInt8]) {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { bytes in
                send(descriptor, bytes.baseAddress.map { $0 + sent }, bytes.count - sent, Int32(MSG_NOSIGNAL))
            }
            if count > 0 {
                sent += count
            } else if errno == EAGAIN {
                guard hasEvents(Int16(POLLOUT), within: Self.sendTimeout) else { return }
            } else if errno != EINTR {
                return
            }
        }
    }

    /// Blocks until bytes arrive or the connection ends.
    func receive() -> Result<[UInt8], TransportError> {
        var bytes = [UInt8](repeating: 0, count: Self.readSize)
        while true {
            let count = recv(descriptor, &bytes, bytes.count, 0)
            if count >= 0 { return .success(Array(bytes[..<count])) }
            let error = errno
            guard error == EAGAIN || error == EINTR else { return .failure(.cut(String(cString: strerror(error)))) }
            _ = hasEvents(Int16(POLLIN), within: -1)
        }
    }

    private func hasEvents(_ events: Int16, within milliseconds: Int32) -> Bool {
        var entry = pollfd(fd: descriptor, events: events, revents: 0)
        return poll(&entry, 1, milliseconds) > 0
    }
}
