#if Tools
import NIOCore
import NIOHTTP1

/// What depends on the version of HTTP: whether a connection persists, the `Host` of a request, the frame of an answer.
///
/// The handlers behind this one see no version. To them `Connection: close` is the one sign that a connection ends: a
/// client of HTTP/1.0 waits for the end, and others may write the word as they like.
final class KeepAliveHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// True for a client that cannot read a body in chunks.
    private var isOld = false
    /// True once a request was refused here: nothing after it is read.
    private var isRefused = false

    /// Adds it where a request's head still has its version.
    static func add(to pipeline: ChannelPipeline.SynchronousOperations) throws {
        let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
        try pipeline.addHandler(KeepAliveHandler(), position: .after(decoder))
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if isRefused { return }
        guard case .head(var head) = unwrapInboundIn(data) else { return context.fireChannelRead(data) }
        // RFC 9112, 3.2: none, or several, is a 400. The server answers parser errors so.
        let isModern = head.version.major == 1 && head.version.minor >= 1
        if isModern, head.headers["host"].count != 1 {
            isRefused = true
            return context.fireErrorCaught(HTTPParserError.invalidHeaderToken)
        }
        isOld = !isModern
        guard isOld || !head.isKeepAlive else { return context.fireChannelRead(data) }
        head.headers.replaceOrAdd(name: "connection", value: "close")
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard isOld, case .head(var head) = unwrapOutboundIn(data), !head.headers.contains(name: "content-length")
        else {
            return context.write(data, promise: promise)
        }
        // An answer of this version is not put into chunks: it ends with the connection.
        head.version = .http1_0
        head.headers.replaceOrAdd(name: "connection", value: "close")
        context.write(wrapOutboundOut(.head(head)), promise: promise)
    }
}
#endif
