#if os(Linux)
package import ClickstreamCore

/// Plain HTTP/1.1 transport based on sockets.
///
/// Each request has a connection and a thread of its own, so no request is ever sent twice. Attempts to connect
/// to the addresses of a server overlap (``HappyEyeballs``). Only for `http` without a proxy; other requests use
/// `CurlTransport`.
package struct SocketTransport: ClickstreamClient.Transport {
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
        let bytes = Self.bytes(of: request, to: address)
        let timeout = request.connectTimeout.wholeMilliseconds
        return try await BlockingCall<UploadResponse>.run(
            to: address.authority,
            connectTimeout: timeout
        ) { [resolve] call in
            do throws(TransportError) {
                let socket = try call.connection(to: address, timeout: timeout, resolve)
                let exchange = SocketExchange(on: socket, sending: bytes)
                defer { call.release() }
                guard call.hold({ exchange.interrupt() }) else { return }
                call.end(.success(try Self.response(to: request, exchange)))
            } catch {
                call.end(.failure(error))
            }
        }
    }

    private static func response(
        to request: UploadRequest,
        _ exchange: SocketExchange
    ) throws(TransportError) -> UploadResponse {
        var exchange = exchange
        let end = ContinuousClock.Instant.after(request.requestTimeout)
        while true {
            try exchange.advance(until: min(end, .after(request.idleTimeout)))
            if let response = exchange.response { return response }
        }
    }

    private static func bytes(of request: UploadRequest, to address: ServerAddress) -> [UInt8] {
        var fields = request.headers.map { (name: $0.name, value: $0.value) }
        let isPost = request.method == .post
        if isPost { fields.append(("content-length", "\(request.body.count)")) }
        let head = HTTPRequestHead.bytes(request.method.rawValue, address.target, of: address.authority, fields)
        return isPost ? head + request.body : head
    }
}
#endif
