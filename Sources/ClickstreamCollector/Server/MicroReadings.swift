#if Tools
import ClickstreamCore
import ClickstreamTools
import Foundation
import HTTPTypes
import HummingbirdCore

/// The endpoints under `/micro/`: what is stored, in the shapes of Snowplow Micro, so that its test helpers work.
///
/// What Micro calls a raw event is our envelope with the event's most important fields under the short names of its
/// trackers; its `event` is ours as it was sent.
struct MicroReadings: Sendable {
    let store: Store
    let arrivals: Arrivals

    /// The most elements of an answer; the newest are given.
    private static let most = EventFilter.limits.upperBound

    /// What a POST may choose by. Micro's `contexts`, `vendor` and `version` are about schemas: with them nothing fits.
    private struct Filter {
        var name: String?
        var fitsNothing = false
        var limit = MicroReadings.most
    }

    func answer(_ request: Request, _ name: String, body: [UInt8]) async -> Reply {
        guard [.get, .head, .post].contains(request.method) else {
            return .error(.methodNotAllowed, "/micro/\(name) is asked for with GET or POST.")
        }
        do {
            switch name {
            case "all":
                return try await all()
            case "reset":
                if let refusal = Strangers.refusal(of: request) { return .error(.forbidden, refusal) }
                if request.method == .head {
                    return .error(.methodNotAllowed, "/micro/reset is asked for with GET or POST.")
                }
                try await store.reset()
                arrivals.tell()
                return try await all()
            case "good", "bad", "events":
                guard let filter = Self.filter(request.method == .post ? body : []) else {
                    return .error(
                        .badRequest,
                        #"A filter is an object such as {"event_type": "add_to_cart", "limit": 10}."#
                    )
                }
                return switch name {
                case "good": try await good(filter)
                case "bad": try await bad(filter)
                default: try await events(filter)
                }
            default:
                return .error(
                    .notFound,
                    "Path for micro has to be one of: /all /good /bad /events /reset"
                )
            }
        } catch {
            return .error(.internalServerError, "\(CollectorError.unreadable(reason: Store.reason(of: error)))")
        }
    }

    private static func filter(_ body: [UInt8]) -> Filter? {
        var filter = Filter()
        if body.allSatisfy({ $0 <= 0x20 }) { return filter }
        // What is wrong with it does not matter: the answer shows what is expected.
        guard let value = try? JSONReader.parse(body), let members = value.members else { return nil }
        for member in members where !member.value.isNull {
            switch member.name {
            case "event_type":
                guard let name = member.value.string else { return nil }
                filter.name = name
            case "limit":
                // 10.0 is as whole as 10.
                guard let limit = member.value.double, limit >= 0, limit == limit.rounded() else { return nil }
                filter.limit = limit < Double(most) ? Int(limit) : most
            case "schema", "contexts", "vendor", "version":
                filter.fitsNothing = true
            default:
                return nil
            }
        }
        if filter.limit == 0 { filter.fitsNothing = true }
        return filter
    }

    // MARK: - Answers

    private func all() async throws -> Reply {
        let summary = try await store.summary()
        let bad = summary.badEvents + summary.badRequests
        let body = "{\"total\":\(summary.goodEvents + bad),\"good\":\(summary.goodEvents),\"bad\":\(bad)}"
        return .json(.ok, [UInt8](body.utf8))
    }

    private func good(_ filter: Filter) async throws -> Reply {
        var list = List()
        for (event, request) in try await newest(filter, status: .good) {
            try list.add([
                "rawEvent": .encoded(RawEvent(event, request)), "eventType": .text(Self.name(of: event)),
                "schema": .text(nil), "contexts": .raw("[]"), "event": .raw(event.json),
            ])
        }
        return list.reply
    }

    /// Bad events, and before them the requests that nobody could read.
    private func bad(_ filter: Filter) async throws -> Reply {
        var list = List()
        if filter.name == nil, !filter.fitsNothing {
            for request in try await store.newestRequests(.bad, limit: filter.limit) {
                let errors = "\(request.reason ?? ""): \(request.detail ?? "")"
                try list.add([
                    "collectorPayload": .encoded(Payload(request)), "rawEvent": .text(nil),
                    "errors": .encoded([errors]),
                ])
            }
        }
        var rest = filter
        rest.limit -= list.count
        if rest.limit > 0 {
            for (event, request) in try await newest(rest, status: .bad) {
                let errors = event.violations.filter { $0.severity == .error }.map { "\($0.code): \($0.message)" }
                try list.add([
                    "collectorPayload": .encoded(Payload(request)),
                    "rawEvent": .encoded(RawEvent(event, request)), "errors": .encoded(errors),
                ])
            }
        }
        return list.reply
    }

    private func events(_ filter: Filter) async throws -> Reply {
        var list = List()
        for (event, _) in try await newest(filter, status: nil) { list.add(event.json) }
        return list.reply
    }

    private func newest(
        _ filter: Filter,
        status: CollectedStatus?
    ) async throws -> [(CollectedEvent, CollectedRequest)] {
        if filter.fitsNothing { return [] }
        return try await store.newest(EventFilter(name: filter.name, status: status, limit: filter.limit))
    }

    private static func name(of event: CollectedEvent) -> String? {
        // Whatever is stored as an event is JSON; one without a name has none.
        guard let value = try? JSONReader.parse(Array(event.json.utf8)) else { return nil }
        return (value["event_type"] ?? value["event_name"])?.string
    }

    // MARK: - Shapes

    /// A JSON array that is written as it grows.
    private struct List {
        enum Member {
            case raw(String)
            case text(String?)
            case encoded(any Encodable)
        }

        private var bytes: [UInt8] = [UInt8(ascii: "[")]
        private(set) var count = 0
        private let encoder = JSONEncoder()

        init() {
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        }

        mutating func add(_ json: String) {
            if count > 0 { bytes.append(UInt8(ascii: ",")) }
            count += 1
            bytes.append(contentsOf: json.utf8)
        }

        mutating func add(_ members: KeyValuePairs<String, Member>) throws {
            add("{")
            for (place, member) in members.enumerated() {
                bytes.append(contentsOf: "\(place > 0 ? "," : "")\"\(member.key)\":".utf8)
                switch member.value {
                case .raw(let json): bytes.append(contentsOf: json.utf8)
                case .text(.some(let text)): JSONWriter.append(text, to: &bytes)
                case .text(.none): JSONWriter.appendNull(to: &bytes)
                case .encoded(let value): bytes.append(contentsOf: try encoder.encode(value))
                }
            }
            bytes.append(UInt8(ascii: "}"))
        }

        var reply: Reply { .json(.ok, bytes + [UInt8(ascii: "]")]) }
    }

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

        init(_ event: CollectedEvent, _ request: CollectedRequest) {
            api = API(request)
            context = Context(request)
            parameters = [:]
            let names = [
                "e": "event_type", "eid": "event_id", "aid": "app_id", "dtm": "timestamp", "duid": "unique_id",
                "p": "platform",
            ]
            // As above.
            guard let value = try? JSONReader.parse(Array(event.json.utf8)) else { return }
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
}
#endif
