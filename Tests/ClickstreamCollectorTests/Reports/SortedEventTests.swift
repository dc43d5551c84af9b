#if Collector
import ClickstreamCore
import Foundation
import GRDB
import TestSupport
import Testing

@testable import ClickstreamCollector

@Suite("Sorted events", .timeLimit(.minutes(10)))
struct SortedEventTests {
    private static let orders = EventOrder.Field.allCases.flatMap { field in
        EventOrder.Direction.allCases.map { EventOrder(field: field, direction: $0) }
    }

    // MARK: - Agreement with a sort of all events

    /// Sequence number of an event with its value, compared in the plainest way.
    private struct Sorted {
        var sequence: Int64
        var number: Int64 = 0
        var text: String?

        func precedes(_ other: Sorted) -> Bool {
            if number != other.number { return number < other.number }
            let (bytes, others) = (text.map { Array($0.utf8) }, other.text.map { Array($0.utf8) })
            if bytes == others { return sequence < other.sequence }
            guard let one = bytes, let two = others else { return text != nil }
            return one.lexicographicallyPrecedes(two)
        }
    }

    private static func sorted(_ events: [Sorted], _ order: EventOrder) -> [Int64] {
        let ascending = events.sorted { $0.precedes($1) }.map(\.sequence)
        return order.isDescending ? ascending.reversed() : ascending
    }

    private static func page(
        _ filter: EventFilter,
        _ order: EventOrder,
        after position: EventOrder.Position?,
        limit: Int,
        of store: Store
    ) async throws -> SortedEvents.Page {
        try await store.readInTurn { database in
            try SortedEvents(filter: filter, order: order).page(after: position, limit: limit, in: database)
        }
    }

    /// Sequence numbers of all pages, whose cursors are passed as texts.
    private static func pages(
        _ filter: EventFilter,
        _ order: EventOrder,
        of store: Store,
        _ random: inout SplitMix
    ) async throws -> [Int64] {
        var sequences: [Int64] = []
        var position: EventOrder.Position?
        repeat {
            let limit = Int.random(in: 1...6, using: &random)
            let page = try await page(filter, order, after: position, limit: limit, of: store)
            sequences += page.sequences
            position = try page.end.map { try #require(order.position(cursor: order.cursor(after: $0))) }
        } while position != nil
        return sequences
    }

    @Test("are in pages of any size what a sort of all events is", arguments: TestLength.seeds(200, full: 2_000))
    func random(seed: Int) async throws {
        var random = SplitMix(seed: UInt64(seed))
        let fixture = try ReportFixture(&random)
        let (filter, holds) = ReportTests.filter(&random)
        try await withStore { store in
            var random = SplitMix(seed: UInt64(seed))
            let isBad = try await fixture.append(to: store)
            let stored = try await store.events(EventFilter(limit: 10_000)).events.map(\.sequence)
            #expect(stored.count == fixture.events.count)
            for order in Self.orders {
                var events: [Sorted] = []
                for (index, event) in fixture.events.enumerated() where holds(event) {
                    var sorted = Sorted(sequence: stored[index])
                    switch order.field {
                    case .received: break
                    case .time: sorted.number = event.time
                    case .column(let column):
                        let json = event.value(of: column.rawValue, isBad: isBad[index])
                        sorted.text = try JSONReader.parse(Array(json.utf8)).string
                    }
                    events.append(sorted)
                }
                let found = try await Self.pages(filter, order, of: store, &random)
                #expect(found == Self.sorted(events, order), "\(order)")
            }
        }
    }

    @Test("are in the order of the code points of their texts, of long ones by the first 256 characters")
    func texts() async throws {
        let long = String(repeating: "\u{1F600}", count: 256)
        let names = [
            "b", "\(long)2", "\u{1F600}", "B", "caf\u{e9}", "\u{ff5e}", "\(long)1", "a", "cafe\u{301}", "ab", "a b",
        ]
        let expected = [
            "B", "a", "a b", "ab", "b", "cafe\u{301}", "caf\u{e9}", "\u{ff5e}", "\u{1F600}", "\(long)2", "\(long)1",
        ]
        try await withStore { store in
            let body = names.enumerated().map { event("\($0)", name: $1) }.joined(separator: ",")
            try await store.append([UploadDecoder().decode(.post(Array("[\(body)]".utf8)))])
            for direction in EventOrder.Direction.allCases {
                let order = EventOrder(field: .column(.name), direction: direction)
                var random = SplitMix(seed: 1)
                let found = try await Self.pages(EventFilter(), order, of: store, &random).map { names[Int($0) - 1] }
                let wanted = order.isDescending ? expected.reversed() : expected
                #expect(found.map { Array($0.utf8) } == wanted.map { Array($0.utf8) })
            }
        }
    }

    // MARK: - Changes between pages

    private static func append(_ numbers: Range<Int>, at time: Int64, to store: Store) async throws {
        let body = numbers.map { event("\($0)", name: "n\($0 % 7)", session: "s\($0 * 17 % 100)") }
        let envelope = Envelope.post(
            Array("[\(body.joined(separator: ","))]".utf8),
            at: Timestamp(milliseconds: FixedTime.start + time)
        )
        try await store.append([UploadDecoder().decode(envelope)])
    }

    @Test("have each event that stays once, while others arrive and are evicted with their texts", arguments: orders)
    func changes(order: EventOrder) async throws {
        try await withStore { store in
            for step in 0..<4 { try await Self.append(step * 10..<step * 10 + 10, at: Int64(step) * 1_000, to: store) }
            let before = try await Self.page(EventFilter(), order, after: nil, limit: 100, of: store).sequences
            var found: [Int64] = []
            var position: EventOrder.Position?
            var step: Int64 = 4
            repeat {
                let page = try await Self.page(EventFilter(), order, after: position, limit: 3, of: store)
                found += page.sequences
                position = page.end
                if step < 8 {
                    try await Self.append(Int(step) * 10..<Int(step) * 10 + 10, at: step * 1_000, to: store)
                    // Keeps the requests of the steps from 2 on.
                    try await store.evict(
                        Retention(age: (step - 2) * 1_000 + 500),
                        now: Timestamp(milliseconds: FixedTime.start + step * 1_000)
                    )
                    step += 1
                }
            } while position != nil
            let kept = Set(try await store.events(EventFilter(limit: 1_000)).events.map(\.sequence))
            let stayed = before.filter { kept.contains($0) }
            #expect(stayed.count == 20)
            #expect(found.filter { stayed.contains($0) } == stayed)
            #expect(Set(found).count == found.count)
        }
    }

    @Test("leave out the events that are removed before they are read")
    func removed() async throws {
        try await withStore { store in
            try await Self.append(0..<5, at: 0, to: store)
            try await Self.append(5..<10, at: 1_000, to: store)
            let events = SortedEvents(filter: EventFilter(), order: EventOrder(field: .column(.session)))
            let page = try await store.readInTurn { try events.page(after: nil, limit: 100, in: $0) }
            try await store.evict(Retention(age: 500), now: Timestamp(milliseconds: FixedTime.start + 1_000))
            let part = try await store.readInTurn { database in
                try events.part(of: page.sequences[...], bytes: .max, form: EventTexts(), store.texts, in: database)
            }
            #expect(part.count == 10)
            #expect(part.events.map(\.sequence) == page.sequences.filter { $0 > 6 })
            #expect(part.end?.sequence == part.events.last?.sequence)
        }
    }

    // MARK: - Replies

    private static let sent = [
        event("1", name: "b", at: -9_000, uniqueID: "v2"), event("2", name: "a", at: -9_500, userID: "carl"),
        event("3", name: "b", at: -9_200, session: nil),
        event("4", name: "\u{e9}", at: -9_100, attributes: #""a b":1"#),
    ]

    @Test(
        "are returned by the query API",
        arguments: [
            ("sort=", "1234"), ("order=asc", "1234"), ("order=desc", "4321"), ("sort=received&order=desc", "4321"),
            ("sort=name", "2134"), ("sort=name&order=desc", "4312"), ("sort=time", "2341"),
            ("sort=time&order=desc&name=b", "13"), ("sort=session", "1243"), ("sort=session&order=desc", "3421"),
            ("sort=user", "2341"), ("sort=unique_id&order=desc", "1432"), ("sort=status", "4123"),
            ("sort=status&order=desc", "3214"), ("sort=app&order=", "1234"), ("sort=device", "1234"),
            ("sort=name&name=none", ""), ("order=desc&name=none", ""),
        ] as [(String, String)]
    )
    func replies(query: String, ids: String) async throws {
        try await withCollector { collector in
            _ = try await collector.post("[\(Self.sent[..<2].joined(separator: ","))]")
            _ = try await collector.post("[\(Self.sent[2...].joined(separator: ","))]")
            for limit in [1, 3, 100] {
                let found = try await Self.ids(of: "\(query)&limit=\(limit)", from: collector)
                #expect(found == ids, "\(limit)")
            }
        }
    }

    /// Ids of the events of all pages.
    private static func ids(of query: String, from collector: Collector) async throws -> String {
        var ids = ""
        var cursor = ""
        repeat {
            let response = try await collector.get("/api/events?\(query)&cursor=\(cursor)")
            #expect(response.status == 200, "\(response.text)")
            let page = try response.object()
            for element in try #require(page["events"] as? [[String: Any]]) {
                let event = try #require(element["event"] as? [String: Any])
                ids += try #require(event["event_id"] as? String)
            }
            cursor = page["next"] as? String ?? ""
        } while !cursor.isEmpty
        return ids
    }

    @Test("are divided into parts, and into pages by their bytes", arguments: [10_000, 64 * 1_048_576])
    func parts(pageBytes: Int) async throws {
        var limits = Limits()
        limits.pageBytes = pageBytes
        // The events of one body are far from each other, and one text stays in the store while the others are read.
        let texts = (0..<700).map { number in
            let note = String(repeating: "x", count: number == 350 ? 2 * EventList.apartBytes : 500)
            return event(
                "\(number),",
                name: "n\(number % 3)",
                at: -10_000 - Int64(number),
                attributes: #""note":"\#(note)""#
            )
        }
        let expected = texts.indices.sorted { ($0 % 3, $0) < ($1 % 3, $1) }.map { "\($0)," }.joined()
        try await withCollector(limits: limits) { collector in
            for start in stride(from: 0, to: texts.count, by: 70) {
                _ = try await collector.post("[\(texts[start..<start + 70].joined(separator: ","))]")
            }
            let byName = try await Self.ids(of: "sort=name&limit=10000", from: collector)
            #expect(byName == expected)
            let newest = try await Self.ids(of: "sort=time&order=desc&limit=10000", from: collector)
            #expect(newest == texts.indices.map { "\($0)," }.joined())
        }
    }

    @Test(
        "refuse what is no order or no cursor of theirs",
        arguments: [
            (
                "sort=x",
                "sort must be one of received, time, name, app, device, platform, version, screen, session, user, "
            ),
            ("order=up", "order must be asc or desc, not 'up'"), ("cursor=name.asc.1.-", "cursor must be the next of"),
            (
                "sort=name&cursor=1",
                "the next of an earlier response with sort=name and order=asc, or absent for the first"
            ),
            ("sort=name&cursor=name.desc.1.-", "not 'name.desc.1.-'"), ("sort=name&cursor=name.asc.1.ff", "order=asc"),
            ("sort=name&cursor=name.asc.1.6", "order=asc"), ("sort=name&cursor=name.asc.0.61", "order=asc"),
            ("sort=name&order=desc&cursor=name.asc.1.61", "sort=name and order=desc"),
            ("sort=app&cursor=name.asc.1.61", "sort=app"), ("sort=time&cursor=time.asc.1.-", "sort=time"),
            ("sort=time&limit=0", "limit must be"),
        ] as [(String, String)]
    )
    func refusals(query: String, reason: String) async throws {
        try await withCollector { collector in
            let response = try await collector.get("/api/events?\(query)")
            #expect(response.status == 400)
            #expect(try #require(response.object()["error"] as? String).contains(reason), "\(response.text)")
        }
    }

    @Test("count as reports, and lists in the order of arrival do not")
    func limit() async throws {
        var limits = Limits()
        limits.reports = 0
        try await withCollector(limits: limits) { collector in
            for (query, status) in [("sort=", 200), ("order=desc", 200), ("sort=received", 200), ("sort=time", 503)] {
                let response = try await collector.get("/api/events?\(query)")
                #expect(response.status == status, "\(query)")
                #expect(response.headers["retry-after"] == (status == 503 ? "1" : nil))
            }
        }
    }

    @Test("report a text that the store lacks")
    func damage() async throws {
        try await withStore { store in
            try await Self.append(0..<3, at: 0, to: store)
            try await store.write { try $0.execute(sql: "UPDATE events SET session = 4000000 WHERE seq = 2") }
            let order = EventOrder(field: .column(.session))
            await #expect(throws: StoreDamage(column: "texts.id", found: "no row 4000000")) {
                try await Self.page(EventFilter(), order, after: nil, limit: 10, of: store)
            }
        }
    }

    @Test("have cursors that only their order reads", arguments: orders)
    func cursors(order: EventOrder) {
        let values: [EventOrder.Value?] =
            switch order.field {
            case .received, .time: [.number(-5), .number(.max)]
            case .column: [nil, .text("caf\u{e9} \u{1F600}."), .text("")]
            }
        for value in values {
            let position = EventOrder.Position(sequence: 47, value: value)
            let cursor = order.cursor(after: position)
            for other in Self.orders {
                #expect(other.position(cursor: cursor) == (other == order ? position : nil), "\(cursor)")
            }
            #expect(order.position(cursor: "\(cursor)x") == nil)
        }
    }
}
#endif
