#if Collector
import ClickstreamCore
import ClickstreamJudges
import Foundation
import HTTPTypes
import HummingbirdCore

/// API under `/micro/`: stored events in the format of Snowplow Micro, for its test helpers.
///
/// Micro's `rawEvent` contains the request and the main fields of the event under the short names of Snowplow's
/// trackers; its `event` is the event as sent.
struct MicroAPI: Sendable {
    let store: Store
    let arrivals: ArrivalNotifier
    let origins: RequestOriginGuard

    /// Maximum number of elements in a reply, the newest first.
    private static let maxCount = EventFilter.limits.upperBound

    /// Filters of a POST. Micro's `contexts`, `vendor` and `version` refer to schemas: a filter by them matches
    /// nothing.
    struct Filter: Sendable {
        var name: String?
        var fitsNothing = false
        var limit = MicroAPI.maxCount
    }

    func answer(_ request: Request, _ name: String, body: [UInt8]) async -> Reply {
        let methods: [HTTPRequest.Method] = name == "reset" ? [.get, .post] : [.get, .head, .post]
        guard methods.contains(request.method) else {
            return .notAllowed(methods, "/micro/\(name) requires GET or POST")
        }
        do {
            switch name {
            case "all":
                return try await all()
            case "reset":
                if let refusal = origins.refusal(of: request) { return .error(.forbidden, refusal) }
                try await store.reset()
                arrivals.notify()
                return try await all()
            case "good", "bad", "events":
                guard let filter = Self.filter(request.method == .post ? body : []) else {
                    return .error(
                        .badRequest,
                        #"A filter must be an object such as {"event_type": "add_to_cart", "limit": 10}."#
                    )
                }
                let list = MicroList(
                    kind: name == "good" ? .good : name == "bad" ? .bad : .events,
                    filter: filter,
                    budget: PageBudget(elements: filter.limit, bytes: store.pageBytes)
                )
                return try await ListPage(list, store).reply()
            default:
                return .error(
                    .notFound,
                    "Path for micro has to be one of: /all /good /bad /events /reset"
                )
            }
        } catch {
            return .error(.internalServerError, "\(store.failure(of: error))")
        }
    }

    private static func filter(_ body: [UInt8]) -> Filter? {
        var filter = Filter()
        if body.allSatisfy({ $0 <= 0x20 }) { return filter }
        // The reply shows the expected form; the reason of the parse error adds nothing.
        guard let value = try? JSONReader.parse(body), let members = value.members else { return nil }
        for member in members where !member.value.isNull {
            switch member.name {
            case "event_type":
                guard let name = member.value.string else { return nil }
                filter.name = name
            case "limit":
                // 10.0 is an integer, too.
                guard let limit = member.value.double, limit >= 0, limit == limit.rounded() else { return nil }
                filter.limit = limit < Double(maxCount) ? Int(limit) : maxCount
            case "schema", "contexts", "vendor", "version":
                filter.fitsNothing = true
            default:
                return nil
            }
        }
        if filter.limit == 0 { filter.fitsNothing = true }
        return filter
    }

    // MARK: - Replies

    private func all() async throws -> Reply {
        let summary = try await store.summary()
        let bad = summary.badEvents + summary.badRequests
        var writer = ObjectWriter()
        writer.object { body in
            body.member("total", summary.goodEvents + bad)
            body.member("good", summary.goodEvents)
            body.member("bad", bad)
        }
        return .json(.ok, writer.bytes)
    }
}

/// `/micro/good`, `/micro/bad` and `/micro/events`: the newest first.
private struct MicroList: ListSource {
    enum Kind {
        case good, bad, events
    }

    let kind: Kind
    let filter: MicroAPI.Filter
    var budget: PageBudget
    /// Bad requests come before bad events.
    private var hasRequests = true
    private var before: Int64?
    private let encoder = Reply.encoder()

    /// Maximum bytes of an unreadable body in a reply.
    private static let bodyBytes = 1_048_576

    init(kind: Kind, filter: MicroAPI.Filter, budget: PageBudget) {
        self.kind = kind
        self.filter = filter
        self.budget = budget
        hasRequests = kind == .bad && filter.name == nil
    }

    var head: [UInt8] { [UInt8(ascii: "[")] }
    var tail: [UInt8] { [UInt8(ascii: "]")] }

    mutating func read(into segments: inout Segments, _ store: Store) async throws -> Bool {
        if filter.fitsNothing { return false }
        let isWhole = try await hasRequests ? readRequests(into: &segments, store) : readEvents(into: &segments, store)
        if budget.isFull { return false }
        guard isWhole else { return true }
        if !hasRequests { return false }
        (hasRequests, before) = (false, nil)
        return true
    }

    private mutating func readRequests(into segments: inout Segments, _ store: Store) async throws -> Bool {
        let page = try await store.newestRequests(
            .bad,
            before: before ?? .max,
            limit: min(budget.elements, Feed.maxCount),
            bytes: budget.part
        )
        for var request in page.requests {
            let errors = "\(request.reason ?? ""): \(request.detail ?? "")"
            if let data = request.data, data.utf8.count > Self.bodyBytes {
                request.data = String(decoding: Array(data.utf8.prefix(Self.bodyBytes)), as: UTF8.self)
            }
            budget.add(request.data?.utf8.count ?? 0, to: &segments)
            var object = ObjectWriter()
            object.beginObject()
            object.member("collectorPayload", json: try encoded(Payload(request)))
            object.null("rawEvent")
            object.array("errors", of: [errors]) { $0.element($1) }
            object.member("unlistedViolations", 0)
            object.endObject()
            segments.append(object.bytes)
        }
        before = page.requests.last?.sequence
        return page.isWhole
    }

    private mutating func readEvents(into segments: inout Segments, _ store: Store) async throws -> Bool {
        let status: CollectedStatus? =
            switch kind {
            case .good: .good
            case .bad: .bad
            case .events: nil
            }
        let page = try await store.newest(
            EventFilter(name: filter.name, status: status, cursor: before),
            limit: min(budget.elements, Feed.maxCount),
            bytes: budget.part,
            EventTexts(apart: EventList.apartBytes)
        )
        // Successive events are mostly of one request.
        var payload: (id: String, json: [UInt8])?
        for (event, request) in page.events {
            budget.add(event.heldBytes, to: &segments)
            switch kind {
            case .good:
                let value = event.value
                let name = value.flatMap { $0["event_type"] ?? $0["event_name"] }?.string
                var object = ObjectWriter()
                object.beginObject()
                object.member("rawEvent", json: try encoded(RawEvent(value, request)))
                object.member("eventType", orNull: name)
                object.null("schema")
                object.beginArray("contexts")
                object.endArray()
                object.begin("event")
                segments.append(object.bytes)
                segments.append(textOf: event)
                segments.append("}".utf8)
            case .bad:
                let errors = event.violations.filter { $0.severity == .error }.map { "\($0.code): \($0.message)" }
                let known =
                    if let payload, payload.id == request.id { payload.json } else { try encoded(Payload(request)) }
                payload = (request.id, known)
                var object = ObjectWriter()
                object.beginObject()
                object.member("collectorPayload", json: known)
                object.member("rawEvent", json: try encoded(RawEvent(event.value, request)))
                object.array("errors", of: errors) { $0.element($1) }
                object.member("unlistedViolations", event.unlisted)
                object.endObject()
                segments.append(object.bytes)
            case .events:
                segments.append(textOf: event)
            }
        }
        before = page.events.last?.0.sequence
        return page.isWhole
    }

    private func encoded(_ value: some Encodable) throws -> [UInt8] { Array(try encoder.encode(value)) }
}

extension StoredEvent {
    /// Maximum depth and size of the JSON value built for a reply: the fields and the user. A whole event of short
    /// values would take 28 times the memory of its text.
    private static let bounds = JSONReader.Bounds(objectDepth: 3, arrayDepth: 0, container: 4_096, values: 8_192)

    /// Fields of the event as JSON; for a long event, the first ones.
    fileprivate var value: JSONValue? {
        let text: [UInt8] =
            switch text {
            case .whole(let text), .excerpt(let text), .apart(_, excerpt: let text): text
            }
        // Cannot fail for a stored event.
        return try? text.withUnsafeBytes { try JSONReader.parse($0, within: Self.bounds) }.value
    }
}

// MARK: - Formats

private struct API: Encodable {
    var vendor = "clickstream"
    var version: String

    init(_ request: CollectedRequest) {
        version = String(request.path.drop { $0 == "/" })
    }
}

private struct Source: Encodable {
    var name = "clickstream-collector"
    var encoding = "UTF-8"
    var hostname: String?
}

private struct Context: Encodable {
    var timestamp: String
    var ipAddress: String?
    var useragent: String?
    var refererUri: String?
    var headers: [String] = []
    var userId: String

    init(_ request: CollectedRequest) {
        timestamp = request.receivedAt.description
        ipAddress = request.ip
        useragent = request.userAgent
        userId = request.id
    }
}

private struct RawEvent: Encodable {
    var api: API
    var parameters: [String: String]
    var contentType = "application/json"
    var source = Source()
    var context: Context

    /// - Parameter event: the fields of the event.
    init(_ event: JSONValue?, _ request: CollectedRequest) {
        api = API(request)
        context = Context(request)
        parameters = [:]
        let names = [
            "e": "event_type", "eid": "event_id", "aid": "app_id", "dtm": "timestamp", "duid": "unique_id",
            "p": "platform",
        ]
        guard let value = event else { return }
        for (short, name) in names {
            parameters[short] = value[name].flatMap { $0.string ?? $0.number?.text }
        }
        parameters["uid"] = value["user"]?["_user_id"]?["value"]?.string
    }
}

private struct Payload: Encodable {
    struct Parameter: Encodable {
        var name: String
        var value: String
    }

    var api: API
    var querystring: [Parameter]
    var contentType = "application/json"
    var body: String?
    var source = Source()
    var context: Context

    init(_ request: CollectedRequest) {
        api = API(request)
        querystring = RequestTarget(request.uri).query.parameters.map { Parameter(name: $0.name, value: $0.value) }
        body = request.data
        context = Context(request)
    }
}
#endif
