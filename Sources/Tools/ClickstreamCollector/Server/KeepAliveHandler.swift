#if Collector
import NIOCore
import NIOHTTP1

/// Handling of the HTTP version: keep-alive, the `Host` header, expectations, and the framing of replies. Counts all replies,
/// also those to requests that the parser rejects.
///
/// The next handlers have no access to the version. They close a connection only for `Connection: close`, in lower
/// case, which this handler sets for HTTP/1.0 and for other spellings.
final class KeepAliveHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// True for HTTP/1.0, whose clients cannot read a body in chunks.
    private var isOld = false
    /// True once a request was rejected here. Later requests are ignored.
    private var isRefused = false

    private let metrics: Metrics

    private init(_ metrics: Metrics) {
        self.metrics = metrics
    }

    /// Adds the handler behind the decoder, where the head of a request still has its version.
    static func add(to pipeline: ChannelPipeline.SynchronousOperations, _ metrics: Metrics) throws {
        let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
        try pipeline.addHandler(KeepAliveHandler(metrics), position: .after(decoder))
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if isRefused { return }
        guard case .head(var head) = unwrapInboundIn(data) else { return context.fireChannelRead(data) }
        // RFC 9112, 3.2: no Host, or several, is a 400, which is the reply to parser errors.
        let isModern = head.version.major == 1 && head.version.minor >= 1
        if isModern, head.headers["host"].count != 1 {
            isRefused = true
            return context.fireErrorCaught(HTTPParserError.invalidHeaderToken)
        }
        isOld = !isModern
        guard isOld || !head.isKeepAlive else { return context.fireChannelRead(data) }
        // RFC 9110, 10.1.1: an expectation in an HTTP/1.0 request is ignored.
        if isOld { head.headers.remove(name: "expect") }
        head.headers.replaceOrAdd(name: "connection", value: "close")
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .head(var head) = unwrapOutboundIn(data) else { return context.write(data, promise: promise) }
        // A 100 precedes the reply.
        if head.status.code >= 200 { metrics.count(response: Int(head.status.code)) }
        guard isOld, !head.headers.contains(name: "content-length") else {
            return context.write(data, promise: promise)
        }
        // HTTP/1.0 has no chunks: the body ends with the connection.
        head.version = .http1_0
        head.headers.replaceOrAdd(name: "connection", value: "close")
        context.write(wrapOutboundOut(.head(head)), promise: promise)
    }
}
#endif
