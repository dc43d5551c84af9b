import ClickstreamAnalytics
import ClickstreamCore

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

    /// Default limits in milliseconds.
    static let connectTimeout: Int64 = 10_000
    static let silence: Int64 = 60_000

    /// Sends a GET request, and passes the response to `take` piece by piece.
    /// - Parameters:
    ///   - announcing: starts a POST with a body of this many bytes instead, and never sends it, to test whether the body
    ///     would be accepted. A status of 100 is a response then.
    ///   - connectTimeout: maximum milliseconds until a connection, for the name and all addresses of the server together.
    ///   - silence: maximum milliseconds between two pieces.
    ///   - take: receives status and headers with each piece of the body; the last piece is empty. `false` ends it.
    /// - Throws: ``Failure``; `CancellationError`; whatever `take` throws.
    static func send(
        _ target: String,
        headers: [(String, String)] = [],
        announcing: Int? = nil,
        of address: CollectorAddress,
        connectTimeout: Int64 = Self.connectTimeout,
        silence: Int64 = Self.silence,
        resolve: @escaping SocketTransport.Resolver = SocketAddress.resolve,
        take: (UploadResponse, [UInt8]) async throws -> Bool
    ) async throws {
        let request = request(target, headers, announcing: announcing, of: address)
        let reply = HTTPReply(keepsDate: true, endsWithInterim: announcing != nil)
        var exchange = try await connect(to: address, within: connectTimeout, resolve) { socket in
            SocketExchange(on: socket, sending: request, reply: reply)
        }
        while true {
            exchange = try await advanced(exchange, silence: silence)
            let piece = exchange.reply.takeBody()
            guard let head = exchange.reply.head else { continue }
            if !piece.isEmpty || announcing != nil, try await !take(head, piece) { return }
            if exchange.response != nil {
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
        _ resolve: @escaping SocketTransport.Resolver,
        _ begin: @escaping @Sendable (Int32) -> SocketExchange
    ) async throws -> SocketExchange {
        guard let server = ServerAddress("http://\(address.authority)/") else {
            throw Failure.unreachable("'\(Console.escaped(address.authority))' is not the address of a server")
        }
        do throws(TransportError) {
            return try await BlockingCall<SocketExchange>.run(to: address.authority, connectTimeout: timeout) { call in
                do throws(TransportError) {
                    let exchange = begin(try call.connection(to: server, timeout: timeout, resolve))
                    // A call that has ended does not shut down a number that another file may have by then.
                    call.release()
                    call.end(.success(exchange))
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

    /// Waits until the server accepts or sends bytes.
    private static func advanced(_ exchange: SocketExchange, silence: Int64) async throws -> SocketExchange {
        do throws(TransportError) {
            return try await BlockingCall<SocketExchange>.run(timeout: silence, .timedOut) { call in
                guard call.hold({ exchange.interrupt() }) else { return }
                let outcome = Result { () throws(TransportError) in
                    var next = exchange
                    try next.advance(until: .now.advanced(by: .milliseconds(silence)))
                    return next
                }
                // The end of a call interrupts the exchange that it holds.
                call.release()
                call.end(outcome)
            }
        } catch {
            switch error {
            case .timedOut:
                let time = silence % 1_000 == 0 ? "\(silence / 1_000) s" : "\(silence) ms"
                throw Failure.cut("no data received for \(time)")
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
