#if Tools
import ClickstreamCore
import NIOCore
import NIOHTTP1
import NIOPosix

/// One request to a collector on its own connection, with a streamed response.
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

    /// Header of a response.
    struct Head: Sendable {
        var status: Int
        var headers: HTTPHeaders
    }

    private static let connectSeconds: Int64 = 10

    /// Sends a GET request, and passes the response to `take` piece by piece.
    /// - Parameters:
    ///   - announcing: starts a POST with a body of this many bytes instead, and never sends it, to test whether the body
    ///     would be accepted. A status of 100 is a response then.
    ///   - silence: maximum seconds between two pieces.
    ///   - take: receives the header with each piece; once with an empty piece for a response without body. `false` ends it.
    /// - Throws: ``Failure``; `CancellationError`; whatever `take` throws.
    static func send(
        _ target: String,
        headers: [(String, String)] = [],
        announcing: Int? = nil,
        of address: CollectorAddress,
        silence: Int64 = 60,
        take: (Head, ByteBuffer) async throws -> Bool
    ) async throws {
        let channel = try await connect(to: address, silence: silence)
        var fields = HTTPHeaders([("host", address.authority), ("user-agent", "clickstream-cli/\(SDK.version)")])
        fields.add(contentsOf: headers)
        fields.add(name: "connection", value: "close")
        if let announcing {
            fields.add(contentsOf: [("content-length", "\(announcing)"), ("expect", "100-continue")])
        }
        let request = HTTPRequestHead(
            version: .http1_1,
            method: announcing == nil ? .GET : .POST,
            uri: target,
            headers: fields
        )
        do {
            try await channel.executeThenClose { inbound, outbound in
                // Written at once: the server may respond to the head alone and close the connection before the end is
                // written.
                try await outbound.write(
                    contentsOf: announcing == nil ? [.head(request), .end(nil)] : [.head(request)]
                )
                var head: Head?
                for try await part in inbound {
                    switch part {
                    case .head(let received) where (100..<200).contains(received.status.code) && announcing == nil:
                        continue
                    case .head(let received):
                        let known = Head(status: Int(received.status.code), headers: received.headers)
                        head = known
                        guard announcing != nil else { continue }
                        do { _ = try await take(known, ByteBuffer()) } catch { throw Taking(error: error) }
                        return
                    case .body(let bytes):
                        guard let head else { throw Failure.cut("malformed response: a body without a header") }
                        do { if try await !take(head, bytes) { return } } catch { throw Taking(error: error) }
                    case .end:
                        guard let head else { throw Failure.cut("malformed response: no header") }
                        do { _ = try await take(head, ByteBuffer()) } catch { throw Taking(error: error) }
                        return
                    }
                }
                try Task.checkCancellation()
                throw Failure.cut("connection closed")
            }
        } catch let error as Taking {
            throw error.error
        } catch let error as Failure {
            throw error
        } catch {
            try Task.checkCancellation()
            throw Failure.cut(reason(of: error))
        }
    }

    /// Error thrown by `take`, unrelated to the connection.
    private struct Taking: Error {
        var error: any Error
    }

    private typealias AsyncChannel = NIOAsyncChannel<HTTPClientResponsePart, HTTPClientRequestPart>

    private static func connect(to address: CollectorAddress, silence: Int64) async throws -> AsyncChannel {
        do {
            return try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .connectTimeout(.seconds(connectSeconds))
                .connect(host: address.host, port: address.port) { channel in
                    channel.eventLoop.makeCompletedFuture {
                        let pipeline = channel.pipeline.syncOperations
                        try pipeline.addHandler(IdleStateHandler(readTimeout: .seconds(silence)))
                        try pipeline.addHandler(SilenceHandler(seconds: silence))
                        try pipeline.addHTTPClientHandlers()
                        return try AsyncChannel(wrappingChannelSynchronously: channel)
                    }
                }
        } catch {
            try Task.checkCancellation()
            throw Failure.unreachable(reason(of: error))
        }
    }

    private static func reason(of error: any Error) -> String {
        switch error {
        case let error as Silence:
            return "no data received for \(error.seconds) s"
        case let error as IOError:
            return String(cString: strerror(error.errnoCode))
        case let error as NIOConnectionError:
            if error.dnsAError != nil, error.connectionErrors.isEmpty { return "no such host: \(error.host)" }
            return error.connectionErrors.first.map { reason(of: $0.error) } ?? "no connection"
        case is HTTPParserError:
            return "the response is not HTTP, or incomplete"
        case ChannelError.connectTimeout:
            return "no connection within \(connectSeconds) s"
        case is ChannelError:
            return "connection closed"
        default:
            return "\(error)"
        }
    }

    /// Read timeout: the peer may have disappeared without closing the connection.
    private struct Silence: Error {
        var seconds: Int64
    }

    private final class SilenceHandler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let seconds: Int64

        init(seconds: Int64) {
            self.seconds = seconds
        }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            guard event is IdleStateHandler.IdleStateEvent else {
                return context.fireUserInboundEventTriggered(event)
            }
            context.fireErrorCaught(Silence(seconds: seconds))
            context.close(promise: nil)
        }
    }
}
#endif
