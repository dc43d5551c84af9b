#if Collector
import ClickstreamCore
import GRDB
import Testing

@testable import ClickstreamCollector

/// Reports on stores that another program changed.
@Suite("Reports on damaged stores", .timeLimit(.minutes(10)))
struct DamagedReportTests {
    /// Number of the counted events, or of the users of the first step.
    /// - Parameter query: field of a count, or `funnel`.
    private static func number(_ query: String, in store: Store) async throws -> Int {
        if query != "funnel" {
            return try await CountQuery(EventFilter(), by: query, limit: nil).report(on: store).events
        }
        let steps = ["view", "buy:attributes.v == 1"]
        let funnel = try FunnelQuery(EventFilter(), steps: steps, within: 5, by: "attributes.v", per: nil, limit: nil)
        return try await funnel.report(on: store).steps[0].users
    }

    private static func outcome(_ query: String, in store: Store) async throws -> Outcome {
        do {
            return .value(try await number(query, in: store))
        } catch let damage as StoreDamage {
            return .damage(damage.column)
        }
    }

    private static func fill(_ store: Store) async throws {
        for number in 0..<2 {
            let events = ["view", "buy"].enumerated().map { index, name in
                event("\(number)-\(name)", name: name, attributes: "\"v\":\(index)")
            }
            let body = Array("[\(events.joined(separator: ","))]".utf8)
            try await store.append([UploadDecoder().decode(.post(body))])
        }
    }

    private static let extremes = """
        UPDATE events SET timestamp = CASE seq % 2 WHEN 0 THEN 9223372036854775807 ELSE -9223372036854775807 - 1 END
        """

    @Test(
        "return their numbers, or name the damaged column",
        arguments: [
            ("name", "UPDATE events SET start = 4611686018427387904", .value(4)),
            ("attributes.v", "UPDATE events SET start = 4611686018427387904", .damage("events.start")),
            ("attributes.v", "UPDATE events SET start = -1", .damage("events.start")),
            ("attributes.v", "UPDATE events SET start = 2147483647, length = 2147483647", .damage("events.start")),
            ("attributes.v", "UPDATE events SET length = 9223372036854775807", .damage("events.length")),
            ("attributes.v", "UPDATE events SET length = 'x'", .damage("events.length")),
            ("attributes.v", "UPDATE events SET length = length - 1", .damage("events.start")),
            ("attributes.v", "DELETE FROM bodies", .damage("bodies.request")),
            ("attributes.v", "UPDATE bodies SET data = 'x'", .damage("bodies.data")),
            ("attributes.v", "UPDATE bodies SET data = x'00'", .damage("events.start")),
            ("attributes.v", "UPDATE requests SET is_encoded = 7", .damage("requests.is_encoded")),
            ("status", "UPDATE events SET is_bad = -9223372036854775808", .damage("events.is_bad")),
            ("name", "UPDATE events SET name = 4294967296", .damage("events")),
            ("name", "UPDATE events SET name = 4294967295", .damage("texts.id")),
            ("app", "UPDATE events SET app = 0", .damage("events")),
            ("app", "UPDATE texts SET value = x'ff' WHERE kind = 6", .damage("texts.value")),
            ("name", "UPDATE events SET user = 9223372036854775807", .damage("events.user")),
            ("name", "UPDATE events SET user = 1e300", .damage("events.user")),
            ("name", "UPDATE requests SET events = 9223372036854775807", .damage("requests.events")),
            ("name", "UPDATE requests SET events = 2147483648", .damage("requests.events")),
            ("name", "UPDATE requests SET events = -9223372036854775807 - 1", .damage("requests.events")),
            ("name", "UPDATE requests SET events = 'x'", .damage("requests.events")),
            ("attributes.v", "UPDATE requests SET events = 3 WHERE seq = 6", .damage("requests.events")),
            ("funnel", "UPDATE requests SET events = 5 WHERE seq = 6", .damage("requests.events")),
            ("funnel", "UPDATE requests SET events = 1.5 WHERE seq = 6", .damage("requests.events")),
            ("funnel", "UPDATE events SET timestamp = 'x'", .damage("events.timestamp")),
            (
                "funnel", "UPDATE events SET timestamp = NULL; UPDATE requests SET received_at = 1.5",
                .damage("events.timestamp")
            ),
            ("funnel", extremes, .value(1)), ("funnel", "UPDATE events SET timestamp = 9223372036854775807", .value(1)),
            ("funnel", "UPDATE events SET unique_id = 4294967296", .damage("events.session")),
            ("funnel", "UPDATE events SET name = 4294967296", .value(0)),
            ("funnel", "UPDATE texts SET id = id + 4294967296", .damage("texts.id")),
        ] as [(String, String, Outcome)]
    )
    func changes(query: String, change: String, outcome: Outcome) async throws {
        try await withStore { store in
            try await Self.fill(store)
            try await store.write { try $0.execute(sql: change) }
            let found = try await Self.outcome(query, in: store)
            #expect(found == outcome)
        }
    }

    /// Queries that read the events of the second request, or of the request itself.
    private static let lists: [(name: String, query: @Sendable (Store) async throws -> Void)] = [
        ("events", { _ = try await $0.events(EventFilter()) }),
        ("events by name", { _ = try await $0.events(EventFilter(name: "buy")) }),
        ("events by time", { _ = try await $0.events(EventFilter(since: Timestamp(milliseconds: 1))) }),
        ("newest", { _ = try await $0.newest(EventFilter(), limit: 1, bytes: 1_000, EventTexts()) }),
        (
            "sorted",
            {
                let events = SortedEvents(filter: EventFilter(), order: EventOrder(field: .time))
                _ = try await $0.read { try events.page(after: nil, limit: 10, in: $0) }
            }
        ),
        ("sessions", { _ = try await $0.sessions(after: nil, limit: 10) }),
        ("requests", { _ = try await $0.requests(after: nil, limit: 10) }),
        ("stream", { _ = try await $0.feed(after: 3, EventFilter(), maxBytes: 100_000) }),
        ("count", { _ = try await Self.number("name", in: $0) }),
        ("funnel", { _ = try await Self.number("funnel", in: $0) }),
    ]

    @Test(
        "are never read with a number of events that is none, or includes events of another request",
        arguments: ["-1", "'x'", "x'00'", "2147483648", "2147483647", "6", "3"]
    )
    func ranges(value: String) async throws {
        try await withStore { store in
            try await Self.fill(store)
            for list in Self.lists { try await list.query(store) }
            try await store.write { try $0.execute(sql: "UPDATE requests SET events = \(value) WHERE seq = 6") }
            for list in Self.lists {
                var column: String?
                do { try await list.query(store) } catch let damage as StoreDamage { column = damage.column }
                #expect(column == "requests.events", "\(list.name)")
            }
        }
    }

    enum Outcome: Sendable, Hashable {
        case value(Int)
        /// Column of the damage.
        case damage(String)
    }

    @Test(
        "with an invalid last number are not written to",
        arguments: ["1 << 61", "-1", "'x'", "x'00'"]
    )
    func lastNumber(value: String) async throws {
        try await withStore { store in
            try await Self.fill(store)
            try await store.write { try $0.execute(sql: "UPDATE state SET last = \(value)") }
            let upload = UploadDecoder().decode(.post(Array("[\(event("A"))]".utf8)))
            var column: String?
            do { try await store.append([upload]) } catch let damage as StoreDamage { column = damage.column }
            #expect(column == "state.last")
        }
    }
}
#endif
