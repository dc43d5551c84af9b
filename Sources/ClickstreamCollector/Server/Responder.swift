#if Tools
import ClickstreamCore
import HTTPTypes
import HummingbirdCore
import NIOCore

/// Answers the requests of all connections: reads each body first, so that even who is refused sees the answer.
struct Responder: Sendable {
    let ingestion: Ingestion
    let readings: Readings
    let time: any TimeSource
    let limits: Limits

    /// Why a connection is closed though nothing went wrong with it: the client sends more than anybody reads.
    private struct Unheard: Error {}

    func respond(to request: Request, writer: consuming ResponseWriter, channel: any Channel) async throws {
        let route = Route(request, ingestion: ingestion)
        let declared = request.headers[.contentLength].flatMap { Int($0) }
        let limit = route.bodyLimit
        let asksFirst = request.headers[.expect]?.lowercased() == "100-continue"
        if asksFirst, let reply = route.refusal ?? Self.tooLong(declared, limit: limit) {
            try await writer.write(response: head(reply, closes: true), body: reply.responseBody(to: request.method))
            return try await linger(IncomingBody(request.body, declared: declared), on: channel)
        }
        if asksFirst { try await writer.writeInformationalHead(HTTPResponse(status: .continue)) }

        var body = IncomingBody(request.body, declared: declared)
        if declared != 0 {
            let deadline = channel.eventLoop.scheduleTask(in: .seconds(limits.bodySeconds)) {
                channel.close(promise: nil)
            }
            defer { deadline.cancel() }
            try await body.read(keeping: limit, reading: limits.refusedBodyBytes)
        }

        let reply: Reply
        if let refusal = route.refusal {
            reply = refusal
        } else if body.isTooLong {
            reply = Self.tooLong
        } else {
            reply = await answer(route, request, body: body.bytes, peer: channel.remoteAddress?.ipAddress)
        }
        try await writer.write(
            response: head(reply, closes: !body.hasEnded),
            body: reply.responseBody(to: request.method)
        )
        if !body.hasEnded { try await linger(body, on: channel) }
    }

    private func answer(_ route: Route, _ request: Request, body: [UInt8], peer: String?) async -> Reply {
        switch route.place {
        case .ingestion:
            await ingestion.take(request, target: route.target, body: body, peer: peer)
        case .reading(let name):
            await readings.answer(request, name, route.target)
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

    private func head(_ reply: Reply, closes: Bool) -> HTTPResponse {
        reply.head(at: time.now().wall, closes: closes)
    }

    private static let tooLong = Reply.text(.contentTooLarge, "Request Entity Too Large")

    private static func tooLong(_ declared: Int?, limit: Int) -> Reply? {
        declared.map { $0 > limit } == true ? tooLong : nil
    }

    /// Ends a connection whose client still sends: it hears our end first, and has a moment to read the answer, which
    /// a connection closed at once would take away from it.
    private func linger(_ body: IncomingBody, on channel: any Channel) async throws {
        // Fails only when the connection has ended meanwhile.
        try? await channel.close(mode: .output).get()
        let deadline = channel.eventLoop.scheduleTask(in: .seconds(limits.lingerSeconds)) {
            channel.close(promise: nil)
        }
        defer { deadline.cancel() }
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

    init(_ request: Request, ingestion: Ingestion) {
        target = RequestTarget(request.uri.string)
        switch target.path {
        case ingestion.configuration.path:
            place = .ingestion
            refusal = ingestion.refusal(of: request, target)
            bodyLimit = ingestion.configuration.bodyLimit
        case "/ping":
            place = .ping
        case "/health":
            place = .health
        case let path where path.hasPrefix("/api/"):
            place = .reading(String(path.dropFirst(5)))
            bodyLimit = 65_536
        default:
            place = .nowhere
            refusal = .refused
        }
    }
}

extension Reply {
    /// What the published load balancer says of a path or an app id that it does not know.
    static let refused = Reply.text(.forbidden, "DefaultAction: Invalid request")
}
#endif
