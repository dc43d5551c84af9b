#if Collector
import ClickstreamCore
import Foundation
import TestSupport

@testable import ClickstreamCollector

/// Random events, and what reports say about them, computed from their JSON in the plainest way.
struct ReportFixture {
    /// JSON texts of values, and the one spelling of each in a report.
    private static let values = [
        ("1", "1"), ("1.0", "1"), ("10e-1", "1"), ("\"1\"", "\"1\""), ("true", "true"), ("null", "null"),
        ("99.90", "99.9"), ("1e400", "1e+400"), ("\"é\"", "\"é\""), ("{\"b\":1.0,\"a\":[]}", "{\"a\":[],\"b\":1}"),
    ]

    /// Event of a request, with the time of its arrival.
    struct Event {
        var json: JSONValue
        var receivedAt: Int64

        func text(_ path: String...) -> String? {
            json[path: path]?.string
        }

        var user: String? { text("user", "_user_id", "value") ?? text("unique_id") }
        var time: Int64 { json["timestamp"]?.integer ?? receivedAt }

        /// JSON text of the value of a field; `null` for none.
        func value(of field: String, isBad: Bool) -> String {
            func json(_ text: String?) -> String { text.map { JSONValue(.string($0)).description } ?? "null" }
            return switch field {
            case "name", "event_type", "event_name": json(text("event_type"))
            case "app", "app_id": json(text("app_id"))
            case "device", "device_id": json(text("device_id"))
            case "platform": json(text("platform"))
            case "version", "app_version": json(text("app_version"))
            case "screen": json(text("attributes", "_screen_name"))
            case "session", "attributes._session_id": json(text("attributes", "_session_id"))
            case "user": json(user)
            case "unique_id": json(text("unique_id"))
            case "status": json(isBad ? "bad" : "good")
            case "os_version": json(text("os_version"))
            case "attributes.v": Self.spelling(of: self.json[path: ["attributes", "v"]])
            case "user.plan": Self.spelling(of: self.json[path: ["user", "plan", "value"]])
            default: preconditionFailure("no field \(field)")
            }
        }

        private static func spelling(of value: JSONValue?) -> String {
            guard let text = value?.description else { return "null" }
            return ReportFixture.values.first { $0.0 == text }?.1 ?? "unknown \(text)"
        }
    }

    static let fields = [
        "name", "app", "device", "platform", "version", "screen", "session", "user", "status", "os_version",
        "attributes.v", "user.plan", "event_type", "event_name", "app_id", "device_id", "app_version", "unique_id",
        "attributes._session_id",
    ]

    /// Bodies with the times of their arrival.
    private(set) var requests: [(body: String, receivedAt: Int64)] = []
    /// Events in the order of arrival, without duplicates.
    private(set) var events: [Event] = []

    init(_ random: inout SplitMix) throws {
        var seen: Set<String> = []
        var texts: [String] = []
        for request in 0..<Int.random(in: 1...5, using: &random) {
            let receivedAt = FixedTime.start + Int64(request) * 7
            var body: [String] = []
            for _ in 0..<Int.random(in: 1...7, using: &random) {
                let isSentAgain = !texts.isEmpty && Int.random(in: 0..<6, using: &random) == 0
                let text =
                    isSentAgain
                    ? texts.randomElement(using: &random) ?? "" : Self.event("E\(texts.count)", &random)
                texts.append(text)
                body.append(text)
                let json = try JSONReader.parse(Array(text.utf8))
                // An event is the same if its id and its time are; without a time it is another one.
                let key = json["timestamp"].map { "\(json["event_id"]?.description ?? "") \($0)" }
                if let key, !seen.insert(key).inserted { continue }
                events.append(Event(json: json, receivedAt: receivedAt))
            }
            requests.append(("[\(body.joined(separator: ","))]", receivedAt))
        }
    }

    private static func event(_ id: String, _ random: inout SplitMix) -> String {
        func maybe(_ name: String, _ values: [String]) -> String? {
            guard let value = values.randomElement(using: &random), Int.random(in: 0..<5, using: &random) > 0 else {
                return nil
            }
            return "\"\(name)\":\(value)"
        }
        func object(_ members: [String?]) -> String { "{\(members.compactMap(\.self).joined(separator: ","))}" }
        let texts = values.map(\.0)
        let attributes = object([
            maybe("_session_id", ["\"s1\"", "\"s2\""]), maybe("_screen_name", ["\"Home\"", "\"Cart\""]),
            maybe("v", texts),
        ])
        let user = object([
            maybe("_user_id", [#"{"value":"carl"}"#, #"{"value":"u1"}"#]),
            maybe("plan", texts.map { "{\"value\":\($0)}" }),
        ])
        let time = FixedTime.start + Int64.random(in: -20..<20, using: &random)
        return object([
            "\"event_id\":\"\(id)\"", maybe("event_type", ["\"a\"", "\"b\"", "\"c\""]),
            maybe("app_id", ["\"shop\"", "\"blog\""]), maybe("timestamp", ["\(time)"]),
            maybe("unique_id", ["\"u1\"", "\"u2\""]), maybe("device_id", ["\"d1\"", "\"d2\""]),
            maybe("platform", ["\"iOS\"", "\"Android\""]), maybe("app_version", ["\"1.0\"", "\"1\""]),
            maybe("os_version", ["\"17\"", "\"18\""]), "\"attributes\":\(attributes)", "\"user\":\(user)",
        ])
    }

    /// Stores the requests, and returns for each event whether it is bad.
    func append(to store: Store) async throws -> [Bool] {
        for request in requests {
            let envelope = Envelope.post(
                Array(request.body.utf8),
                at: Timestamp(milliseconds: request.receivedAt)
            )
            try await store.append([UploadDecoder().decode(envelope)])
        }
        return try await store.events(EventFilter(limit: 10_000)).events.map { $0.status == .bad }
    }
}

/// The plainest funnel: tries all chains of events.
struct PlainFunnel {
    /// Step with a name, and the value of `attributes.v` that it must have, or must not have.
    struct Step {
        var text: String
        var name: String
        var value: String?
        var isEquality = true

        func matches(_ event: ReportFixture.Event) -> Bool {
            guard event.text("event_type") == name else { return false }
            guard let value else { return true }
            return (event.value(of: "attributes.v", isBad: false) == value) == isEquality
        }
    }

    static let allSteps = [
        Step(text: "a", name: "a"), Step(text: "b", name: "b"), Step(text: "c", name: "c"), Step(text: "x", name: "x"),
        Step(text: "a:attributes.v == 1", name: "a", value: "1"),
        Step(text: "b:attributes.v != \"1\"", name: "b", value: "\"1\"", isEquality: false),
    ]

    var steps: [Step]
    var window: Int64?

    /// Events of the chain that reaches farthest, then starts earliest, with the earliest event for each step.
    func chain(_ events: [ReportFixture.Event]) -> [ReportFixture.Event] {
        // The sort of the standard library is stable; arrival decides between equal times.
        let ordered = events.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
            .map(\.element)
        var best: [Int] = []
        func extend(_ chain: [Int]) {
            if chain.count > best.count || chain.count == best.count && chain.lexicographicallyPrecedes(best) {
                best = chain
            }
            guard chain.count < steps.count else { return }
            for next in ordered.indices where next > chain.last ?? -1 && steps[chain.count].matches(ordered[next]) {
                let start = ordered[chain.first ?? next].time
                if let window, ordered[next].time - start > window { continue }
                extend(chain + [next])
            }
        }
        extend([])
        return best.map { ordered[$0] }
    }

    /// Steps of a report on the chains of some owners.
    func summary(_ chains: [[ReportFixture.Event]]) -> [FunnelChains.Step] {
        steps.indices.map { step in
            let reaching = chains.filter { $0.count > step }
            let delays = step == 0 ? [] : reaching.map { $0[step].time - $0[step - 1].time }
            return FunnelChains.Step(
                users: reaching.count,
                median: Self.rank(50, of: delays),
                p90: Self.rank(90, of: delays)
            )
        }
    }

    /// The least value that is not less than a percentage of the values.
    private static func rank(_ percentage: Int, of values: [Int64]) -> Int64? {
        values.sorted().first { value in
            values.filter { $0 <= value }.count * 100 >= percentage * values.count
        }
    }
}
#endif
