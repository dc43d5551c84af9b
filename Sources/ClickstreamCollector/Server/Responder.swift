#if Tools
import ClickstreamCore
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

/// Answers the requests of all connections: reads each body first, so that even who is refused sees the answer.
struct Responder: Sendable {
    let ingestion: Ingestion
    let readings: Readings
    let micro: MicroReadings
    let stream: EventStream
    let metrics: Metrics
    let faults: FaultInjector
    let admission: Admission
    let deadlines = Deadlines()
    let time: any TimeSource
    let limits: Limits

    /// Why a connection is closed though nothing went wrong with it: the client sends more than anybody reads.
    private struct Unheard: Error {}

    func respond(to request: Request, writer: consuming ResponseWriter, channel: any Channel) async throws {
        let route = Route(request, ingestion: ingestion)
        let declared = request.headers[.contentLength].flatMap { Int($0) }
        let limit = route.bodyLimit
        if route.isStream, route.refusal == nil {
            switch readings.streamQuestion(request, route.target) {
            case .success(let question):
                metrics.count(response: 200)
                return try await stream.serve(question, request, writer, on: channel)
            case .failure(let mistake):
                let reply = mistake.reply
                return try await writer.write(
                    response: head(reply, to: request),
                    body: reply.responseBody(to: request.method)
                )
            }
        }
        let asksFirst = request.headers[.expect]?.lowercased() == "100-continue"
        if asksFirst, let reply = route.refusal ?? route.tooLong(declared) {
            try await writer.write(
                response: head(reply, to: request, closes: true),
                body: reply.responseBody(to: request.method)
            )
            return try await linger(IncomingBody(request.body, declared: declared), on: channel)
        }
        if asksFirst { try await writer.writeInformationalHead(HTTPResponse(status: .continue)) }

        var body = IncomingBody(request.body, declared: declared)
        defer { body.forget(admission) }
        let isStruck = route.isIngestion && route.refusal == nil && !ingestion.isPreflight(request)
        let stroke = isStruck ? faults.draw() : FaultInjector.Stroke()
        if stroke.latency > 0 { try await time.sleep(milliseconds: stroke.latency) }
        switch stroke.effect {
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
        } else if body.isCrowdedOut {
            reply = .crowdedOut
        } else {
            let peer = channel.remoteAddress?.ipAddress
            switch stroke.effect {
            case .status(let status, let retryAfter) where !(200...299).contains(status):
                reply = .failure(status, retryAfter: retryAfter, location: request.uri.string)
            case .resetAfter:
                return try await reset(channel)
            case .storedTwice:
                _ = await answer(route, request, body: body.bytes, peer: peer)
                reply = await answer(route, request, body: body.bytes, peer: peer)
            default:
                let answer = await answer(route, request, body: body.bytes, peer: peer)
                reply = answer.status == .ok ? try await spoiled(answer, by: stroke.effect, on: channel) : answer
            }
        }
        try await writer.write(
            response: head(reply, to: request, closes: !body.hasEnded),
            body: reply.responseBody(to: request.method)
        )
        if !body.hasEnded { try await linger(body, on: channel) }
    }

    /// What becomes of the answer to a request that was stored.
    /// - Throws: when the answer is not to be sent as it is; the connection ends with that.
    private func spoiled(
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
            throw Unheard()
        case .slowReply:
            let end = stream.arrivals.onEnd { channel.close(promise: nil) }
            defer { stream.arrivals.forget(end) }
            try await channel.writeUnframed("HTTP/1.1 200 OK\r\nX-Slow: ")
            // The client's patience is tested, not ours: who is still there after a body's time is let go.
            for _ in 0..<(limits.bodySeconds * 1_000 / Self.slowStep) {
                try await time.sleep(milliseconds: Self.slowStep)
                try await channel.writeUnframed("o")
            }
            throw Unheard()
        case .noReply:
            // Who is kept waiting on purpose does not keep the collector from stopping.
            let end = stream.arrivals.onEnd { channel.close(promise: nil) }
            defer { stream.arrivals.forget(end) }
            let deadline = deadlines.begin(seconds: limits.bodySeconds) { channel.close(promise: nil) }
            defer { deadlines.forget(deadline) }
            try await channel.closeFuture.get()
            throw Unheard()
        default:
            return reply
        }
    }

    /// Milliseconds between two bytes of a slow answer.
    private static let slowStep: Int64 = 250

    /// Ends the connection with a reset, so that the client's system reports one.
    private func reset(_ channel: any Channel) async throws {
        if let socket = channel as? any SocketOptionProvider {
            // Without it the connection is closed in order instead: the request has failed all the same.
            try? await socket.setSoLinger(.init(l_onoff: 1, l_linger: 0)).get()
        }
        try await channel.close().get()
        throw Unheard()
    }

    private func answer(_ route: Route, _ request: Request, body: [UInt8], peer: String?) async -> Reply {
        switch route.place {
        case .ingestion:
            await ingestion.take(request, target: route.target, body: body, peer: peer)
        case .reading(let name):
            await readings.answer(request, name, route.target, body: body)
        case .page:
            Inspector.reply(to: request.method, ingestion.configuration)
        case .micro(let name):
            await micro.answer(request, name, body: body)
        case .metrics:
            await readings.tell(metrics, to: request)
        case .ping:
            ping()
        case .health:
            .json(.ok, Array(#"{"ok":true}"#.utf8))
        case .nowhere:
            .refused
        }
    }

    /// The time in seconds with three decimals, as the published server tells it.
    private func ping() -> Reply {
        let now = time.now().wall.milliseconds
        let fraction = String(now % 1_000 + 1_000).dropFirst()
        return .json(.ok, Array("{\"timestamp\":\(now / 1_000).\(fraction)}".utf8))
    }

    private func head(_ reply: Reply, to request: Request, closes: Bool = false) -> HTTPResponse {
        metrics.count(response: reply.status.code)
        return reply.head(at: time.now().wall, closes: closes || request.headers[.connection] == "close")
    }

    /// Ends a connection whose client still sends: it hears our end first, and has a moment to read the answer, which
    /// a connection closed at once would take away from it.
    private func linger(_ body: IncomingBody, on channel: any Channel) async throws {
        // Fails only when the connection has ended meanwhile.
        try? await channel.close(mode: .output).get()
        let deadline = deadlines.begin(seconds: limits.lingerSeconds) { channel.close(promise: nil) }
        defer { deadlines.forget(deadline) }
        var body = body
        try await body.drain()
        throw Unheard()
    }
}

/// Where a request leads, decided from its head alone.
private struct Route {
    enum Place {
        case ingestion
        /// The part of the path after `/api/`.
        case reading(String)
        /// The inspector.
        case page
        /// The part of the path after `/micro/`.
        case micro(String)
        case metrics
        case ping
        case health
        case nowhere
    }

    var place: Place
    var target: RequestTarget
    /// The answer that is certain before the body is read.
    var refusal: Reply?
    /// Bytes of the body that are kept.
    var bodyLimit = 0

    var isIngestion: Bool {
        if case .ingestion = place { true } else { false }
    }

    /// What is said to a body that is longer than what is taken here.
    ///
    /// Only where events are taken is it their number that is wrong: 413 lets who sends divide them. Anywhere else the path is.
    var tooLong: Reply {
        isIngestion ? .text(.contentTooLarge, "Request Entity Too Large") : .refused
    }

    /// The same for a body that is announced, if it is too long.
    func tooLong(_ declared: Int?) -> Reply? {
        declared.map { $0 > bodyLimit } == true ? tooLong : nil
    }

    var isStream: Bool {
        if case .reading("stream") = place { true } else { false }
    }

    init(_ request: Request, ingestion: Ingestion) {
        target = RequestTarget(request.uri.string)
        switch target.path {
        case ingestion.configuration.path:
            place = .ingestion
            refusal = ingestion.refusal(of: request, target)
            bodyLimit = ingestion.configuration.bodyLimit
        case "/":
            place = .page
        case "/ping":
            place = .ping
        case "/health":
            place = .health
        case let path where path.hasPrefix("/api/"):
            place = .reading(String(path.dropFirst(5)))
            bodyLimit = 65_536
        case let path where path.hasPrefix("/micro/"):
            place = .micro(String(path.dropFirst(7)))
            bodyLimit = 65_536
        case "/metrics":
            place = .metrics
        default:
            place = .nowhere
            refusal = .refused
        }
        // What is sent here may come under any name; what is read or changed may not, since a name that a page's own
        // server gives out can be made to lead here.
        if !isIngestion, ingestion.configuration.isLoopback, !Strangers.isLoopback(request.head.authority) {
            refusal = .error(
                .forbidden,
                "This collector is for its own machine: ask it as localhost or 127.0.0.1, or start it with --host."
            )
        }
    }
}

extension Channel {
    /// Writes bytes as they stand, past everything that would make HTTP of them.
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
    /// A failure that was asked for.
    fileprivate static func failure(_ status: Int, retryAfter: String?, location: String) -> Reply {
        let status = HTTPResponse.Status(code: status)
        var reply = Reply.text(status, status.reasonPhrase)
        if let retryAfter { reply.headers[.retryAfter] = retryAfter }
        if (300...399).contains(status.code) { reply.headers[.location] = location }
        return reply
    }

    /// What the published load balancer says of a path or an app id that it does not know.
    static let refused = Reply.text(.forbidden, "DefaultAction: Invalid request")
}
#endif
