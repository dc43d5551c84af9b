#if Collector
import ClickstreamCore
import ClickstreamJudges
import Foundation
import HTTPTypes
import HummingbirdCore

/// Query API under `/api/`: stored data and fault injection, as JSON. A query sees each request answered before it.
struct QueryAPI: Sendable {
    let store: Store
    let faults: FaultInjector
    let arrivals: ArrivalNotifier
    let origins: RequestOriginGuard
    /// Comparison with the tracking plan; `nil` without one.
    let plan: PlanMonitor?
    /// Limit for queries that compare events with the plan.
    let planQueries: QueryLimit
    /// Limit for reports and sorted lists.
    let reports: QueryLimit
    /// Limit for reports and sorted lists that are computed, which leaves the store to other long queries.
    let reportTurns = Semaphore(2)
    /// Limit for replies held in memory while they are written.
    private let largeReplies = Semaphore(8)

    init(
        store: Store,
        faults: FaultInjector,
        arrivals: ArrivalNotifier,
        origins: RequestOriginGuard,
        plan: PlanMonitor?,
        planQueries: QueryLimit,
        reports: QueryLimit
    ) {
        self.store = store
        self.faults = faults
        self.arrivals = arrivals
        self.origins = origins
        self.plan = plan
        self.planQueries = planQueries
        self.reports = reports
    }

    /// Error of a query, sent to the client.
    struct RequestError: Error {
        var status: HTTPResponse.Status
        var text: String
        /// Supported methods, for a request with another method.
        var allowed: [HTTPRequest.Method] = []

        var reply: Reply { allowed.isEmpty ? .error(status, text) : .notAllowed(allowed, text) }
    }

    func answer(_ request: Request, _ name: String, _ target: RequestTarget, body: [UInt8]) async -> Reply {
        do {
            return try await reply(request, name, target, body: body)
        } catch {
            return .error(.internalServerError, "\(store.failure(of: error))")
        }
    }

    /// As ``answer(_:_:_:body:)``, but throws the errors of the store: ``StoreDamage``, ``CollectorError``, errors of GRDB.
    func reply(_ request: Request, _ name: String, _ target: RequestTarget, body: [UInt8]) async throws -> Reply {
        do {
            let path = name.split(separator: "/", omittingEmptySubsequences: false)
            if path == ["faults"] { return try inject(request, body: body) }
            return try await reply(request, path, target)
        } catch let error as RequestError {
            return error.reply
        }
    }

    /// Paths after `/api/`.
    static let paths = [
        "summary", "events", "events/{seq}", "requests", "requests/{id}", "sessions", "sessions/{id}", "stream",
        "captured", "captured/summary", "captured/requests", "captured/{seq}", "audit", "audit/summary",
        "audit/requests", "audit/{seq}", "report/count", "report/funnel", "plan", "plan/events/{seq}", "faults",
        "reset", "openapi.json",
    ]

    private func reply(_ request: Request, _ path: [Substring], _ target: RequestTarget) async throws -> Reply {
        switch (path.first, path.count) {
        case ("summary", 1):
            _ = try query(request, target, [])
            return try await .json(.ok, store.positionedSummary())
        case ("events", 1):
            return try await events(query(request, target, Query.eventNames))
        case ("events", 2):
            return try await event(RequestTarget.decoded(path[1]), query(request, target, ["event_bytes"]))
        case ("requests", 1):
            let query = try query(request, target, Query.pageNames)
            let list = try RequestList(after: query.cursor(), limit: query.limit(), pageBytes: store.pageBytes)
            return try await ListPage(list, store).reply()
        case ("requests", 2):
            return try await self.request(
                RequestTarget.decoded(path[1]).lowercased(),
                query(request, target, ["data_bytes"])
            )
        case ("sessions", 1):
            let query = try query(request, target, Query.pageNames)
            return try await large {
                let page = try await store.sessions(after: query.cursor(), limit: query.limit())
                return .json(.ok, page.json)
            }
        case ("sessions", 2):
            let query = try query(request, target, ["app_id"])
            return try await large { try await timeline(RequestTarget.decoded(path[1]), query["app_id"]) }
        case ("captured", _), ("audit", _):
            return try await captured(path, request, target)
        case ("report", _):
            return try await report(path, request, target)
        case ("plan", _):
            return try await plan(path, request, target)
        case ("openapi.json", 1):
            _ = try query(request, target, [])
            return .json(.ok, OpenAPIDescription.served)
        case ("reset", 1):
            try refuseCrossOrigin(request)
            try await store.reset()
            arrivals.notify()
            return try await .json(.ok, store.positionedSummary())
        default:
            throw Self.noSuchPath
        }
    }

    /// Error for a path that is none of ``paths``.
    static var noSuchPath: RequestError {
        let listing = paths.map { "/api/" + $0 }.joined(separator: ", ")
        return RequestError(status: .notFound, text: "no such path; valid paths: \(listing)")
    }

    func query(
        _ request: Request,
        _ target: RequestTarget,
        _ names: [String]
    ) throws(RequestError) -> Query {
        guard request.method == .get || request.method == .head else {
            throw RequestError(
                status: .methodNotAllowed,
                text: "\(target.path) requires GET",
                allowed: [.get, .head]
            )
        }
        return try Query(target.query.parameters, names: names)
    }

    /// Rejects other methods, and requests that pages of other origins make a browser send.
    /// - Parameter others: methods supported in addition to POST.
    private func refuseCrossOrigin(_ request: Request, others: [HTTPRequest.Method] = []) throws {
        guard request.method == .post else {
            throw RequestError(
                status: .methodNotAllowed,
                text: "\(RequestTarget(request.uri.string).path) requires POST",
                allowed: others + [.post]
            )
        }
        if let refusal = origins.refusal(of: request) { throw RequestError(status: .forbidden, text: refusal) }
    }

    /// `/metrics`: counters since the start, and the current state of the store and the process.
    func metrics(_ metrics: Metrics, for request: Request) async -> Reply {
        guard request.method == .get || request.method == .head else {
            return .notAllowed([.get, .head], "/metrics requires GET")
        }
        await metrics.kafka?.update(from: store)
        // The counters are useful even if the store cannot be read.
        let holdings = (try? await store.holdings()) ?? StoreHoldings(bytes: store.bytes)
        var reply = Reply.text(.ok, metrics.text(holdings, archive: store.archive?.status))
        reply.headers[.contentType] = "text/plain; version=0.0.4; charset=utf-8"
        reply.headers[.cacheControl] = "no-store"
        return reply
    }

    // MARK: - Stream

    /// Parameters of `/api/stream`. The header, sent by a browser that reconnects, takes precedence over the query,
    /// which the browser repeats unchanged.
    func streamParameters(_ request: Request, _ target: RequestTarget) -> Result<EventStream.Parameters, RequestError> {
        Result { () throws(RequestError) in
            let query = try query(request, target, Query.streamNames)
            let text = request.headers[.lastEventID].flatMap { $0.isEmpty ? nil : $0 } ?? query["last_event_id"]
            return EventStream.Parameters(
                filter: try query.eventFilter(),
                form: try query.choice("form", among: CapturedFormat.allCases),
                cursor: try query.streamCursor(text),
                newest: try query.newest(),
                maxEventBytes: try query.bytes("event_bytes")
            )
        }
    }

    // MARK: - Faults

    /// Returns the active faults. POST replaces them; an empty list ends them.
    private func inject(_ request: Request, body: [UInt8]) throws -> Reply {
        if request.method != .get, request.method != .head {
            try refuseCrossOrigin(request, others: [.get, .head])
            do {
                try faults.replace(by: CollectorFault.read(body))
            } catch let error as FaultParseError {
                throw RequestError(status: .badRequest, text: error.text)
            }
        }
        var writer = ObjectWriter()
        writer.object { $0.array("faults", of: faults.active) { $1.append(to: &$0) } }
        return .json(.ok, writer.bytes)
    }

    // MARK: - Single rows

    private func event(_ name: String, _ query: Query) async throws -> Reply {
        let form = EventTexts(maxBytes: try query.bytes("event_bytes"), apart: EventList.apartBytes)
        guard let sequence = Int64(name), let event = try await store.event(sequence, form) else {
            throw RequestError(status: .notFound, text: "no event with this number; use a seq of /api/events")
        }
        return try await ListPage(SingleEvent(event: event), store).reply()
    }

    private func timeline(_ id: String, _ app: String?) async throws -> Reply {
        while let found = try await store.session(id, app: app) {
            do {
                return try await ListPage(TimelinePage(found), store).reply()
            } catch is StoredSession.Changed {
                // Removed before the reply begins: the session is read again.
            }
        }
        throw RequestError(status: .notFound, text: "no such session; /api/sessions lists the sessions")
    }

    private func request(_ id: String, _ query: Query) async throws -> Reply {
        let maxBytes = try query.bytes("data_bytes")
        guard let found = try await store.requestWithBody(id) else {
            throw RequestError(status: .notFound, text: "no request with this id; use a value of X-Request-ID")
        }
        let request = SingleRequest(found.request, found.body, total: found.total, limit: maxBytes)
        return try await ListPage(request, store).reply()
    }

    // MARK: - Large replies

    /// Creates a reply of which a part is held in memory while it is written. Limits the number of such replies.
    func large(_ body: () async throws -> Reply) async throws -> Reply {
        try await largeReplies.acquire()
        do {
            var reply = try await body()
            if reply.rest != nil || reply.body.count > Reply.wholeBytes {
                reply.onEnd = { [largeReplies] in largeReplies.release() }
            } else {
                largeReplies.release()
            }
            return reply
        } catch {
            largeReplies.release()
            throw error
        }
    }
}
#endif
