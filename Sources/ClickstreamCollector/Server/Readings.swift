#if Tools
import ClickstreamCore
import ClickstreamTools
import Foundation
import HTTPTypes
import HummingbirdCore

/// The endpoints under `/api/`: what is stored and what is to go wrong, as JSON. Each reading sees all that was answered before it was asked.
struct Readings: Sendable {
    let store: Store
    let faults: FaultInjector
    let arrivals: Arrivals

    /// What is wrong with a question, to be told to who asked.
    struct Mistake: Error {
        var status: HTTPResponse.Status
        var text: String

        var reply: Reply { .error(status, text) }
    }

    func answer(_ request: Request, _ name: String, _ target: RequestTarget, body: [UInt8]) async -> Reply {
        do {
            let path = name.split(separator: "/", omittingEmptySubsequences: false)
            if path == ["faults"] { return try inject(request, body: body) }
            return try await reply(request, path, target)
        } catch let mistake as Mistake {
            return mistake.reply
        } catch {
            return .error(.internalServerError, "\(CollectorError.unreadable(reason: Store.reason(of: error)))")
        }
    }

    private func reply(_ request: Request, _ path: [Substring], _ target: RequestTarget) async throws -> Reply {
        switch (path.first, path.count) {
        case ("summary", 1):
            _ = try query(request, target, [])
            return try await .json(.ok, store.summary())
        case ("events", 1):
            return try await events(query(request, target, Query.eventNames))
        case ("requests", 1):
            let query = try query(request, target, Query.pageNames)
            let page = try await store.requests(after: query.cursor(), limit: query.limit())
            return try .json(.ok, Page(name: "requests", rows: page.requests, next: page.next))
        case ("requests", 2):
            _ = try query(request, target, [])
            guard let found = try await store.request(RequestTarget.decoded(path[1]).lowercased()) else {
                throw Mistake(status: .notFound, text: "No request has this id: ids are what X-Request-ID answered.")
            }
            return try .json(.ok, found)
        case ("sessions", 1):
            let query = try query(request, target, Query.pageNames)
            let page = try await store.sessions(after: query.cursor(), limit: query.limit())
            return try .json(.ok, Page(name: "sessions", rows: page.sessions, next: page.next))
        case ("sessions", 2):
            let query = try query(request, target, ["app_id"])
            guard let found = try await store.session(RequestTarget.decoded(path[1]), app: query["app_id"]) else {
                throw Mistake(status: .notFound, text: "No event of this session has come: /api/sessions lists them.")
            }
            return try .json(.ok, found)
        case ("openapi.json", 1):
            _ = try query(request, target, [])
            return .json(.ok, [UInt8](OpenAPI.description.utf8))
        case ("reset", 1):
            try refuseStrangers(request)
            try await store.reset()
            arrivals.tell()
            return try await .json(.ok, store.summary())
        default:
            throw Mistake(
                status: .notFound,
                text: "Nothing is here. There are /api/summary, /api/events, /api/requests, /api/requests/{id}, "
                    + "/api/sessions, /api/sessions/{id}, /api/stream, /api/faults, "
                    + "/api/reset and /api/openapi.json."
            )
        }
    }

    private func query(
        _ request: Request,
        _ target: RequestTarget,
        _ names: [String]
    ) throws(Mistake) -> Query {
        guard request.method == .get || request.method == .head else {
            throw Mistake(status: .methodNotAllowed, text: "\(target.path) is read with GET.")
        }
        return try Query(target.query.parameters, names: names)
    }

    /// A page of another origin can make a browser post here, but must not empty the store.
    private func refuseStrangers(_ request: Request) throws {
        guard request.method == .post else {
            throw Mistake(
                status: .methodNotAllowed,
                text: "\(RequestTarget(request.uri.string).path) is asked for with POST."
            )
        }
        if let refusal = Strangers.refusal(of: request) { throw Mistake(status: .forbidden, text: refusal) }
    }

    /// `/metrics`: counters since the start, and what the store and the process hold now.
    func tell(_ metrics: Metrics, to request: Request) async -> Reply {
        guard request.method == .get || request.method == .head else {
            return .error(.methodNotAllowed, "/metrics is read with GET.")
        }
        await metrics.kafka?.look(into: store)
        // The counters are worth telling even when the store cannot be read.
        let holdings = (try? await store.holdings()) ?? StoreHoldings(bytes: store.bytes)
        var reply = Reply.text(.ok, metrics.text(holdings))
        reply.headers[.contentType] = "text/plain; version=0.0.4; charset=utf-8"
        reply.headers[.cacheControl] = "no-store"
        return reply
    }

    // MARK: - The stream

    /// What a reader of `/api/stream` asks for. The header, which a browser sends when it comes back, goes before the
    /// query, which it repeats from the first time.
    func streamQuestion(_ request: Request, _ target: RequestTarget) -> Result<EventStream.Question, Mistake> {
        Result { () throws(Mistake) in
            let query = try query(request, target, Query.streamNames)
            let text = request.headers[.lastEventID].flatMap { $0.isEmpty ? nil : $0 } ?? query["last_event_id"]
            return EventStream.Question(filter: try query.eventFilter(), cursor: try query.streamCursor(text))
        }
    }

    // MARK: - Faults

    /// Tells the faults; with POST, the ones given take the place of those before. An empty list ends them all.
    private func inject(_ request: Request, body: [UInt8]) throws -> Reply {
        if request.method != .get, request.method != .head {
            try refuseStrangers(request)
            do {
                try faults.replace(by: CollectorFault.read(body))
            } catch let mistake as FaultMistake {
                throw Mistake(status: .badRequest, text: mistake.text)
            }
        }
        var bytes = Array("{\"faults\":[".utf8)
        for (index, active) in faults.active.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            active.write(into: &bytes)
        }
        bytes.append(contentsOf: "]}".utf8)
        return .json(.ok, bytes)
    }

    // MARK: - Events

    private func events(_ query: Query) async throws -> Reply {
        let page = try await store.events(query.eventFilter())
        var body = Array("{\"events\":[".utf8)
        body.reserveCapacity(page.events.reduce(64) { $0 + $1.json.utf8.count + 160 })
        for (index, event) in page.events.enumerated() {
            if index > 0 { body.append(UInt8(ascii: ",")) }
            event.write(into: &body)
        }
        body.append(contentsOf: "],\"next\":".utf8)
        if let next = page.next {
            JSONWriter.append(String(next), to: &body)
        } else {
            JSONWriter.appendNull(to: &body)
        }
        body.append(UInt8(ascii: "}"))
        return .json(.ok, body)
    }

    /// Rows under their own name, and where to go on.
    private struct Page<Row: Encodable>: Encodable {
        var name: String
        var rows: [Row]
        var next: Int64?

        private struct Key: CodingKey {
            var stringValue: String
            var intValue: Int? { nil }

            init(_ name: String) { stringValue = name }
            init?(stringValue: String) { self.init(stringValue) }
            init?(intValue: Int) { nil }
        }

        func encode(to encoder: any Encoder) throws {
            var page = encoder.container(keyedBy: Key.self)
            try page.encode(rows, forKey: Key(name))
            try page.encode(next.map(String.init), forKey: Key("next"))
        }
    }

    // MARK: - Queries

    /// The parameters of a question. An empty one counts as not given; an unknown one is a mistake, not ignored.
    private struct Query {
        static let pageNames = ["limit", "cursor"]
        private static let filterNames = ["name", "session", "user", "status", "code", "since"]
        static let eventNames = filterNames + pageNames
        static let streamNames = filterNames + ["last_event_id"]

        private var values: [String: String] = [:]

        init(_ parameters: [ReceivedUpload.Query.Parameter], names: [String]) throws(Mistake) {
            for parameter in parameters {
                guard names.contains(parameter.name) else {
                    throw Mistake(
                        status: .badRequest,
                        text: "There is no parameter \(parameter.name) here. "
                            + (names.isEmpty ? "None is taken." : "There are \(names.joined(separator: ", ")).")
                    )
                }
                if !parameter.value.isEmpty, values[parameter.name] == nil {
                    values[parameter.name] = parameter.value
                }
            }
        }

        subscript(name: String) -> String? { values[name] }

        func limit() throws(Mistake) -> Int {
            guard let text = values["limit"] else { return 100 }
            guard let limit = Int(text), limit >= EventFilter.limits.lowerBound else {
                throw expected("limit", "a whole number from 1 on", not: text)
            }
            // Who asks for more gets as much as there is at a time, and where to go on.
            return min(limit, EventFilter.limits.upperBound)
        }

        func cursor() throws(Mistake) -> Int64? {
            guard let text = values["cursor"] else { return nil }
            guard let cursor = Int64(text), cursor >= 0 else {
                throw expected("cursor", "what an earlier reply gave as next", not: text)
            }
            return cursor
        }

        func streamCursor(_ text: String?) throws(Mistake) -> Int64? {
            guard let text else { return nil }
            guard let cursor = Int64(text), cursor >= 0 else {
                throw expected("Last-Event-ID", "an id of this stream", not: text)
            }
            return cursor
        }

        func eventFilter() throws(Mistake) -> EventFilter {
            var filter = try EventFilter(
                name: values["name"],
                session: values["session"],
                user: values["user"],
                code: values["code"],
                limit: limit(),
                cursor: cursor()
            )
            if let text = values["status"] {
                guard let status = CollectedStatus(rawValue: text) else {
                    throw expected("status", "good or bad", not: text)
                }
                filter.status = status
            }
            if let text = values["since"] {
                guard let since = Timestamp(query: text) else {
                    throw expected(
                        "since",
                        "milliseconds since 1970 or an ISO 8601 date such as 2023-09-05T13:19:26Z",
                        not: text
                    )
                }
                filter.since = since
            }
            return filter
        }

        private func expected(_ name: String, _ what: String, not text: String) -> Mistake {
            Mistake(status: .badRequest, text: "\(name) must be \(what), not \(text.prefix(50)).")
        }
    }
}

extension CollectedEvent {
    /// Appends the event as the reading endpoints give it: its own text untouched, the findings beside it.
    func write(into bytes: inout [UInt8]) {
        bytes.append(contentsOf: "{\"event\":".utf8)
        bytes.append(contentsOf: json.utf8)
        bytes.append(contentsOf: ",\"status\":\"\(status.rawValue)\",\"violations\":[".utf8)
        for (index, violation) in violations.enumerated() {
            bytes.append(contentsOf: index > 0 ? ",{\"code\":".utf8 : "{\"code\":".utf8)
            if let number = Int64(violation.code) {
                JSONWriter.append(number, to: &bytes)
            } else {
                JSONWriter.append(violation.code, to: &bytes)
            }
            let texts = [
                ("severity", violation.severity.rawValue), ("subject", violation.subject), ("name", violation.name),
                ("message", violation.message),
            ]
            for (name, text) in texts {
                bytes.append(contentsOf: ",\"\(name)\":".utf8)
                JSONWriter.append(text, to: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
        }
        bytes.append(contentsOf: "],\"request_id\":".utf8)
        JSONWriter.append(requestID, to: &bytes)
        bytes.append(contentsOf: ",\"received_at\":\(receivedAt.milliseconds)}".utf8)
    }
}
#endif
