#if Collector
import ClickstreamCore
import ClickstreamJudges
import HTTPTypes
import HummingbirdCore
import NIOCore
import NIOHTTP1

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Routing and replies for all connections. The body is read before the reply, so that a rejected client receives it.
struct Responder: Sendable {
    let ingestion: Ingestion
    let queries: QueryAPI
    let micro: MicroAPI
    let stream: EventStream
    let metrics: Metrics
    let faults: FaultInjector
    let admission: Admission
    let deadlines: Deadlines
    let time: any TimeSource
    let limits: Limits

    /// Thrown to close a connection whose request is not read to its end or gets no regular reply.
    private struct ConnectionClosed: Error {}

    func respond(to request: Request, writer: consuming ResponseWriter, channel: any Channel) async throws {
        let route = Route(request, ingestion: ingestion)
        // The parser accepts lengths beyond those of `Int`.
        let declared = request.headers[.contentLength].map { Int($0) ?? .max }
        let limit = route.bodyLimit
        let expectsContinue = request.headers[.expect]?.lowercased() == "100-continue"
        // CONNECT has no body: the parser ignores everything after its head.
        if expectsContinue || request.method == .connect, let reply = route.refusal ?? route.tooLong(declared) {
            try await write(reply, to: request, writer, on: channel, closes: true)
            return try await linger(IncomingBody(request.body, declared: declared), on: channel)
        }
        if expectsContinue { try await writer.writeInformationalHead(HTTPResponse(status: .continue)) }

        var body = IncomingBody(request.body, declared: declared)
        defer { body.forget(admission) }
        let isFaultTarget = route.isIngestion && route.refusal == nil && !ingestion.isPreflight(request)
        let fault = isFaultTarget ? faults.draw() : FaultInjector.Injection()
        if fault.latency > 0 { try await time.sleep(milliseconds: fault.latency) }
        switch fault.effect {
        case .resetBefore:
            return try await reset(channel)
        case .resetDuring:
            try await body.readOnce()
            return try await reset(channel)
        default:
            break
        }
        if declared != 0 {
            let deadline = deadlines.begin(seconds: limits.bodySeconds) { channel.close(promise: nil) }
            defer { deadlines.forget(deadline) }
            try await body.read(keeping: limit, reading: limits.refusedBodyBytes, admission)
        }

        let reply: Reply
        if let refusal = route.refusal {
            reply = refusal
        } else if body.isTooLong {
            reply = route.tooLong
        } else if body.isOverBudget {
            reply = .overloaded
        } else if route.isStream {
            switch await streamStart(request, route) {
            case .success(let (parameters, start)):
                return try await stream.serve(parameters, from: start, request, writer, on: channel)
            case .failure(let error):
                reply = error.reply
            }
        } else if route.isIngestion {
            guard let answer = try await ingest(route, request, body.bytes, fault, channel) else {
                return try await reset(channel)
            }
            reply = answer
        } else {
            let bytes = body.bytes
            reply = try await channel.presence().bounding { await answer(route, request, body: bytes) }
        }
        try await write(reply, to: request, writer, on: channel, closes: !body.hasEnded)
        if !body.hasEnded { try await linger(body, on: channel) }
    }

    /// Reply to a request with events, with injected faults.
    /// - Returns: `nil` if the connection has to be reset.
    /// - Throws: an error that closes the connection if the reply must not be sent.
    private func ingest(
        _ route: Route,
        _ request: Request,
        _ body: [UInt8],
        _ fault: FaultInjector.Injection,
        _ channel: any Channel
    ) async throws -> Reply? {
        let peer = channel.remoteAddress?.ipAddress
        func take() async -> Reply { await ingestion.take(request, target: route.target, body: body, peer: peer) }
        switch fault.effect {
        case .status(let status, let retryAfter) where !(200...299).contains(status):
            return .failure(status, retryAfter: retryAfter, location: request.uri.string)
        case .resetAfter:
            return nil
        case .storedTwice:
            _ = await take()
            return await take()
        default:
            let answer = await take()
            return answer.status == .ok ? try await modified(answer, by: fault.effect, on: channel) : answer
        }
    }

    /// Parameters and beginning of a reader of the stream.
    private func streamStart(
        _ request: Request,
        _ route: Route
    ) async -> Result<(EventStream.Parameters, EventStream.Start), QueryAPI.RequestError> {
        switch queries.streamParameters(request, route.target) {
        case .failure(let error):
            return .failure(error)
        case .success(let parameters):
            do {
                return .success((parameters, try await stream.start(parameters)))
            } catch {
                return .failure(
                    .init(status: .internalServerError, text: "\(stream.store.failure(of: error))")
                )
            }
        }
    }

    // MARK: - Writing

    /// Bytes of one write.
    private static let pieceBytes = 65_536

    /// Writes a reply in pieces, each after the connection has accepted the previous one. A client that reads nothing
    /// within the idle timeout is disconnected.
    private func write(
        _ reply: Reply,
        to request: Request,
        _ writer: consuming ResponseWriter,
        on channel: any Channel,
        closes: Bool
    ) async throws {
        defer { reply.onEnd?() }
        let head = head(reply, to: request, closes: closes)
        if request.method == .head || (reply.rest == nil && reply.body.count <= Self.pieceBytes) {
            return try await writer.write(response: head, body: reply.responseBody(to: request.method))
        }
        var body = try await writer.writeHead(head)
        var bytes = reply.body
        let presence = try await channel.presence()
        // The number of replies held in memory is limited, and others wait.
        let timeout = reply.onEnd == nil ? limits.idleSeconds : min(limits.heldSeconds, limits.idleSeconds)
        while true {
            var offset = 0
            while offset < bytes.count {
                let end = min(offset + Self.pieceBytes, bytes.count)
                let deadline = deadlines.begin(seconds: timeout) { channel.close(promise: nil) }
                defer { deadlines.forget(deadline) }
                try await body.write(ByteBuffer(bytes: bytes[offset..<end]))
                offset = end
            }
            guard let rest = reply.rest, let next = try await presence.bounding(rest) else { break }
            bytes = next
        }
        try await body.finish(nil)
    }

    /// Applies a fault to the reply to a stored request.
    /// - Throws: an error that closes the connection if the reply must not be sent.
    private func modified(
        _ reply: Reply,
        by effect: CollectorFault.Effect?,
        on channel: any Channel
    ) async throws -> Reply {
        switch effect {
        case .status(let status, let retryAfter):
            var changed = reply
            changed.status = HTTPResponse.Status(code: status)
            if let retryAfter { changed.headers[.retryAfter] = retryAfter }
            return changed
        case .truncatedReply:
            try await channel.writeUnframed("HTTP/1.1 200 OK\r\nContent-Type: text/pl")
            throw ConnectionClosed()
        case .slowReply:
            let end = stream.arrivals.onEnd { channel.close(promise: nil) }
            defer { stream.arrivals.forget(end) }
            try await channel.writeUnframed("HTTP/1.1 200 OK\r\nX-Slow: ")
            let writing = Task { [time, limits] in
                // Tests the client's timeout; ends after the time limit of a body.
                for _ in 0..<(limits.bodySeconds * 1_000 / Self.slowStep) {
                    try await time.sleep(milliseconds: Self.slowStep)
                    try await channel.writeUnframed("o")
                }
            }
            channel.closeFuture.whenComplete { _ in writing.cancel() }
            try await withTaskCancellationHandler {
                try await writing.value
            } onCancel: {
                writing.cancel()
            }
            throw ConnectionClosed()
        case .noReply:
            // Clients without a reply do not delay the shutdown.
            let end = stream.arrivals.onEnd { channel.close(promise: nil) }
            defer { stream.arrivals.forget(end) }
            let timer = time.after(milliseconds: limits.bodySeconds * 1_000) { channel.close(promise: nil) }
            defer { timer.cancel() }
            try await channel.closeFuture.get()
            throw ConnectionClosed()
        default:
            return reply
        }
    }

    /// Milliseconds between two bytes of a slow reply.
    private static let slowStep: Int64 = 250

    /// Closes the connection with a TCP reset.
    private func reset(_ channel: any Channel) async throws {
        if let socket = channel as? any SocketOptionProvider {
            // If it fails, the connection is closed normally, which fails the request, too.
            try? await socket.setSoLinger(.init(l_onoff: 1, l_linger: 0)).get()
        }
        try await channel.close().get()
        throw ConnectionClosed()
    }

    private func answer(_ route: Route, _ request: Request, body: [UInt8]) async -> Reply {
        switch route.destination {
        case .query(let name):
            await queries.answer(request, name, route.target, body: body)
        case .page:
            Inspector.reply(to: request.method, ingestion.configuration)
        case .module(let path):
            Inspector.module(path, to: request.method)
        case .micro(let name):
            await micro.answer(request, name, body: body)
        case .metrics:
            await queries.metrics(metrics, for: request)
        case .ping:
            ping(request)
        case .health:
            .json(.ok, Array(#"{"ok":true}"#.utf8))
        case .ingestion, .unknown:
            .refused
        }
    }

    /// Reply to `/ping`: the time in seconds with three decimals, with the headers of the published server.
    private func ping(_ request: Request) -> Reply {
        let allowance = ingestion.crossOrigin.headers(for: request.headers[.origin]) ?? [:]
        if ingestion.isPreflight(request) { return Reply(.noContent, headers: allowance) }
        let now = time.now().wall.milliseconds
        let fraction = String(zeroPadded: now % 1_000, width: 3)
        let body: [UInt8] = Array("{\"timestamp\":\(now / 1_000).\(fraction)}".utf8)
        var reply = Reply.json(.ok, body)
        reply.headers.append(contentsOf: allowance)
        reply.headers[.requestID] = ingestion.ids.next().hexadecimal
        return reply
    }

    private func head(_ reply: Reply, to request: Request, closes: Bool = false) -> HTTPResponse {
        reply.head(at: time.now().wall, closes: closes || request.headers[.connection] == "close")
    }

    /// Lingering close of a connection whose client still sends: closes the output first and drops input for a moment,
    /// as closing at once could discard the reply before the client reads it.
    private func linger(_ body: IncomingBody, on channel: any Channel) async throws {
        // Fails only if the connection is closed already.
        try? await channel.close(mode: .output).get()
        let deadline = deadlines.begin(seconds: limits.lingerSeconds) { channel.close(promise: nil) }
        defer { deadlines.forget(deadline) }
        var body = body
        try await body.drain()
        throw ConnectionClosed()
    }
}

/// Route of a request, decided by its head.
private struct Route {
    enum Destination {
        case ingestion
        /// The part of the path after `/api/`.
        case query(String)
        /// The inspector.
        case page
        /// A module of the inspector, by its path without the first slash.
        case module(String)
        /// The part of the path after `/micro/`.
        case micro(String)
        case metrics
        case ping
        case health
        case unknown
    }

    var destination: Destination
    var target: RequestTarget
    /// Rejection decided before the body is read; `nil` for none.
    var refusal: Reply?
    /// Maximum bytes of the body.
    var bodyLimit = 0

    var isIngestion: Bool {
        if case .ingestion = destination { true } else { false }
    }

    /// True for a path that is answered under any host name: it reveals nothing that is stored, and load balancers and
    /// containers check the health of a server under a name of their own.
    private var isPublic: Bool {
        switch destination {
        case .ingestion, .ping, .health: true
        case .query, .page, .module, .micro, .metrics, .unknown: false
        }
    }

    /// True for a path that reads or changes data. The page itself may be opened by a link of another site.
    private var isQuery: Bool {
        switch destination {
        case .query, .micro, .metrics: true
        case .ingestion, .page, .module, .ping, .health, .unknown: false
        }
    }

    /// Rejection of a body that is too long: 413 for events, so that the client divides them, and 403 elsewhere.
    var tooLong: Reply {
        isIngestion ? .text(.contentTooLarge, "Request Entity Too Large") : .refused
    }

    /// Rejection by `Content-Length`, if it is too long.
    func tooLong(_ declared: Int?) -> Reply? {
        declared.map { $0 > bodyLimit } == true ? tooLong : nil
    }

    var isStream: Bool {
        if case .query("stream") = destination { true } else { false }
    }

    init(_ request: Request, ingestion: Ingestion) {
        target = RequestTarget(request.uri.string)
        switch target.path {
        case let path where path == ingestion.configuration.path || CapturedFormat.captured(at: path) != nil:
            destination = .ingestion
            refusal = ingestion.refusal(of: request, target)
            bodyLimit = ingestion.configuration.bodyLimit
        case "/":
            destination = .page
        case let path where path.hasPrefix("/inspector/"):
            destination = .module(String(path.dropFirst()))
        case "/ping":
            destination = .ping
            refusal = ingestion.refusal(ofApp: target)
        case "/health":
            destination = .health
        case let path where path.hasPrefix("/api/"):
            destination = .query(String(path.dropFirst(5)))
            bodyLimit = 65_536
        case let path where path.hasPrefix("/micro/"):
            destination = .micro(String(path.dropFirst(7)))
            bodyLimit = 65_536
        case "/metrics":
            destination = .metrics
        default:
            destination = .unknown
            refusal = .refused
        }
        if request.method == .connect {
            refusal = .error(.badRequest, "CONNECT is not supported: this is not a proxy.")
            return
        }
        // Events are accepted under any host name. Queries and changes are not: see `AllowedHosts`.
        if !isPublic, let foreign = ingestion.hosts.refusal(of: request.head.authority) { refusal = foreign }
        if isQuery, refusal == nil, RequestOriginGuard.isCrossSite(request) {
            refusal = .error(.forbidden, "Queries from a page of another site are not allowed.")
        }
    }
}

extension Channel {
    /// Writes bytes without HTTP framing.
    fileprivate func writeUnframed(_ text: String) async throws {
        try await eventLoop.flatSubmit {
            do {
                let encoder = try self.pipeline.syncOperations.context(handlerType: HTTPResponseEncoder.self)
                let written = self.eventLoop.makePromise(of: Void.self)
                encoder.writeAndFlush(NIOAny(ByteBuffer(string: text)), promise: written)
                return written.futureResult
            } catch {
                return self.eventLoop.makeFailedFuture(error)
            }
        }.get()
    }
}

extension Reply {
    /// Reply of an injected fault.
    fileprivate static func failure(_ status: Int, retryAfter: String?, location: String) -> Reply {
        let status = HTTPResponse.Status(code: status)
        var reply = Reply.text(status, status.reasonPhrase)
        if let retryAfter { reply.headers[.retryAfter] = retryAfter }
        if (300...399).contains(status.code) { reply.headers[.location] = location }
        return reply
    }

    /// Reply of the published load balancer to an unknown path or app id.
    static let refused = Reply.text(.forbidden, "DefaultAction: Invalid request")
}
#endif
