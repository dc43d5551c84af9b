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
    let readings: QueryAPI
    let micro: MicroAPI
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
        let asksFirst = request.headers[.expect]?.lowercased() == "100-continue"
        // No body follows CONNECT: the parser leaves whatever stands behind its head.
        if asksFirst || request.method == .connect, let reply = route.refusal ?? route.tooLong(declared) {
            try await write(reply, to: request, writer, on: channel, closes: true)
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
        } else if route.isStream {
            switch await streamStart(request, route) {
            case .success(let (question, cursor)):
                metrics.count(response: 200)
                return try await stream.serve(question, from: cursor, request, writer, on: channel)
            case .failure(let mistake):
                reply = mistake.reply
            }
        } else if route.isIngestion {
            guard let answer = try await ingest(route, request, body.bytes, stroke, channel) else {
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

    /// The answer to a request for events, with what goes wrong on purpose.
    /// - Returns: `nil` for a connection that is to be reset.
    /// - Throws: when the answer is not to be sent as it is; the connection ends with that.
    private func ingest(
        _ route: Route,
        _ request: Request,
        _ body: [UInt8],
        _ stroke: FaultInjector.Stroke,
        _ channel: any Channel
    ) async throws -> Reply? {
        let peer = channel.remoteAddress?.ipAddress
        func take() async -> Reply { await ingestion.take(request, target: route.target, body: body, peer: peer) }
        switch stroke.effect {
        case .status(let status, let retryAfter) where !(200...299).contains(status):
            return .failure(status, retryAfter: retryAfter, location: request.uri.string)
        case .resetAfter:
            return nil
        case .storedTwice:
            _ = await take()
            return await take()
        default:
            let answer = await take()
            return answer.status == .ok ? try await spoiled(answer, by: stroke.effect, on: channel) : answer
        }
    }

    /// Where a reader of the stream begins.
    private func streamStart(
        _ request: Request,
        _ route: Route
    ) async -> Result<(EventStream.Question, Int64), QueryAPI.Mistake> {
        switch readings.streamQuestion(request, route.target) {
        case .failure(let mistake):
            return .failure(mistake)
        case .success(let question):
            do {
                return .success((question, try await stream.start(question)))
            } catch {
                return .failure(
                    .init(status: .internalServerError, text: "\(stream.store.failure(of: error))")
                )
            }
        }
    }

    // MARK: - Writing

    /// Bytes that the connection is given at a time.
    private static let pieceBytes = 65_536

    /// Writes an answer, piece by piece as the connection takes it. A client that takes nothing for as long as a silent
    /// connection is kept loses it.
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
        // Others wait for the turn of an answer that is held.
        let patience = reply.onEnd == nil ? limits.idleSeconds : min(limits.heldSeconds, limits.idleSeconds)
        while true {
            var place = 0
            while place < bytes.count {
                let end = min(place + Self.pieceBytes, bytes.count)
                let deadline = deadlines.begin(seconds: patience) { channel.close(promise: nil) }
                defer { deadlines.forget(deadline) }
                try await body.write(ByteBuffer(bytes: bytes[place..<end]))
                place = end
            }
            guard let rest = reply.rest, let next = try await presence.bounding(rest) else { break }
            bytes = next
        }
        try await body.finish(nil)
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

    private func answer(_ route: Route, _ request: Request, body: [UInt8]) async -> Reply {
        switch route.place {
        case .reading(let name):
            await readings.answer(request, name, route.target, body: body)
        case .page:
            Inspector.reply(to: request.method, ingestion.configuration)
        case .micro(let name):
            await micro.answer(request, name, body: body)
        case .metrics:
            await readings.tell(metrics, to: request)
        case .ping:
            ping(request)
        case .health:
            .json(.ok, Array(#"{"ok":true}"#.utf8))
        case .ingestion, .nowhere:
            .refused
        }
    }

    /// The time in seconds with three decimals, with the headers of the published server.
    private func ping(_ request: Request) -> Reply {
        let allowance = ingestion.crossOrigin?.headers(for: request.headers[.origin]) ?? [:]
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
            refusal = ingestion.refusal(ofApp: target)
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
        if request.method == .connect {
            refusal = .error(.badRequest, "CONNECT is not taken: this is no proxy.")
            return
        }
        // What is sent here may come under any name; what is read or changed may not, since a name that a page's own
        // server gives out can be made to lead here.
        if !isIngestion, !ingestion.hosts.allow(request.head.authority) {
            refusal = .error(
                .forbidden,
                "This host name is not allowed: use localhost or an IP address, "
                    + "or allow the name with --allow-host."
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
