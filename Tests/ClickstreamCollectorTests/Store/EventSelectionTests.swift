#if Collector
import ClickstreamCore
import Foundation
import GRDB
import TestSupport
import Testing

@testable import ClickstreamCollector

@Suite("Selection of events by filters", .timeLimit(.minutes(10)))
struct EventSelectionTests {
    /// Texts of an event by the names of the filters; `unique` is its unique id.
    private typealias Texts = [String: String]

    /// JSON values with the texts that the store has for them; an absent value is empty.
    private static let values: [(json: String, text: String?)] = [
        ("\"x\"", "x"), ("\"y\"", "y"), ("\"X\"", "X"), ("", nil), ("\"\"", nil), ("null", nil), ("12.50", "12.50"),
        ("\"caf\u{e9}\"", "caf\u{e9}"), ("\"cafe\u{301}\"", "cafe\u{301}"), (#""\ud83d\ude00""#, "\u{1F600}"),
        (#""a\u0000b""#, "a\u{FFFD}b"), ("\"\(long)\"", long),
    ]

    /// Longer than any limit of a text.
    private static let long = String(repeating: "l", count: 3_000)

    /// A store with requests of one second each, in which every text occurs in each place, and some events twice.
    private static func fill(_ store: Store) async throws -> [Int64: Texts] {
        var random = SplitMix(seed: 56)
        var stored: [Int64: Texts] = [:]
        var sequence: Int64 = 0
        var ids: Set<Int> = []
        for number in 0..<40 {
            var events: [String] = []
            for _ in 0..<Int.random(in: 1...12, using: &random) {
                var texts: Texts = [:]
                func member(_ name: String, _ field: String) -> String? {
                    let value = values[Int.random(in: 0..<values.count, using: &random)]
                    texts[field] = value.text
                    return value.json.isEmpty ? nil : "\"\(name)\":\(value.json)"
                }
                let fields = [
                    member("event_type", "name"), member("app_id", "app"), member("unique_id", "unique"),
                    member("device_id", "device"), member("platform", "platform"), member("app_version", "version"),
                ]
                let attributes = [member("_session_id", "session"), member("_screen_name", "screen")]
                let user = member("value", "user").map { #""user":{"_user_id":{\#($0)}}"# }
                let id = Int.random(in: 0..<250, using: &random)
                let others = [
                    #""event_id":"\#(id)","timestamp":\#(FixedTime.start)"#, user,
                    "\"attributes\":{\(attributes.compactMap(\.self).joined(separator: ","))}",
                ]
                events.append("{\((fields + others).compactMap(\.self).joined(separator: ","))}")
                sequence += 1
                if ids.insert(id).inserted { stored[sequence] = texts }
            }
            sequence += 1
            let body = Array("[\(events.joined(separator: ","))]".utf8)
            let time = Timestamp(milliseconds: FixedTime.start + Int64(number) * 1_000)
            try await store.append([UploadDecoder().decode(.post(body, at: time))])
        }
        return stored
    }

    private static func with(_ values: [String?], _ change: (inout EventFilter, String?) -> Void) -> [EventFilter] {
        values.map { value in
            var filter = EventFilter(limit: 7)
            change(&filter, value)
            return filter
        }
    }

    /// Each value in each field, then combinations.
    private static func filters(_ codes: [String]) -> [EventFilter] {
        let texts = values.compactMap { $0.text } + ["", "z", "a", "a\0b"]
        let changes: [(inout EventFilter, String?) -> Void] = [
            { $0.name = $1 }, { $0.session = $1 }, { $0.user = $1 }, { $0.app = $1 }, { $0.device = $1 },
            { $0.platform = $1 }, { $0.version = $1 }, { $0.screen = $1 },
        ]
        var filters = [EventFilter(limit: 7)] + changes.flatMap { with(texts, $0) }
        filters += with(codes + ["none"]) { $0.code = $1 }
        var random = SplitMix(seed: 7)
        for _ in 0..<300 {
            var filter = EventFilter(limit: 7)
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let text = texts[Int.random(in: 0..<texts.count, using: &random)]
                changes[Int.random(in: 0..<changes.count, using: &random)](&filter, text)
            }
            switch Int.random(in: 0..<6, using: &random) {
            case 0: filter.status = .good
            case 1: filter.status = .bad
            case 2: filter.code = codes.first
            case 3:
                filter.since = Timestamp(milliseconds: FixedTime.start + Int64.random(in: 0...40_000, using: &random))
            case 4:
                filter.until = Timestamp(milliseconds: FixedTime.start + Int64.random(in: 0...40_000, using: &random))
            default: break
            }
            filters.append(filter)
        }
        return filters
    }

    @Test("select what a loop over all events selects, in pages of both directions")
    func loop() async throws {
        try await withStore { store in
            let texts = try await Self.fill(store)
            let all = try await store.events(EventFilter(limit: 1_000)).events
            #expect(Set(all.map(\.sequence)) == Set(texts.keys))
            let codes = Set(all.flatMap { $0.violations.map(\.code) }).sorted()
            #expect(!codes.isEmpty)
            var found = 0
            for filter in Self.filters(codes) {
                let matching = all.filter { FilteredEvent($0, texts: texts[$0.sequence] ?? [:]).matches(filter) }
                let expected = matching.map(\.sequence)
                found += expected.isEmpty ? 0 : 1
                var page = filter
                var sequences: [Int64] = []
                repeat {
                    let events = try await store.events(page)
                    sequences += events.events.map(\.sequence)
                    page.cursor = events.next
                } while page.cursor != nil
                #expect(sequences == expected, "\(filter)")
                let newest = try await store.newest(filter, limit: 1_000, bytes: .max, EventTexts())
                #expect(newest.events.map { $0.0.sequence } == expected.reversed(), "\(filter)")
            }
            #expect(found > 100)
        }
    }

    @Test("find a text by its kind")
    func kinds() async throws {
        try await withStore { store in
            let event =
                #"{"event_id":"E","timestamp":\#(FixedTime.start),"event_type":"x","app_id":"y","platform":"x"}"#
            try await store.append([UploadDecoder().decode(.post(Array("[\(event)]".utf8)))])
            let found = try await store.read { database in
                try [.name, .app, .platform, .version].map { (kind: StoreLayout.Term) in
                    try textID(kind, "x", in: database) != nil
                }
            }
            #expect(found == [true, false, true, false])
            #expect(try await store.events(EventFilter(app: "x")).events == [])
            #expect(try await store.events(EventFilter(name: "x", app: "y", platform: "x")).events.count == 1)
        }
    }

    @Test("begin with the term in the fewest requests")
    func rarest() async throws {
        try await withStore { store in
            for number in 0..<3 {
                let version = number == 1 ? #""app_version":"2","# : ""
                let body = "[{\(version)\(event("\(number)").dropFirst())]"
                try await store.append([UploadDecoder().decode(.post(Array(body.utf8)))])
            }
            try await store.read { database in
                let name = try #require(try textID(.name, "button_click", in: database))
                let version = try #require(try textID(.version, "2", in: database))
                let filter = EventFilter(name: "button_click", version: "2")
                let selection = try #require(try filter.selection(newestFirst: false, in: database))
                // Range of the events, the first term, the cursor, the other term, and the conditions on the event.
                let expected: StatementArguments = [1, Int64.max, version, 0, name, name, version]
                #expect(selection.arguments == expected)
            }
        }
    }

    /// Filters with each condition, and with all.
    private static let planned = [
        EventFilter(), EventFilter(name: "x"), EventFilter(session: "x"), EventFilter(user: "x"),
        EventFilter(app: "x"), EventFilter(device: "x"), EventFilter(platform: "x"), EventFilter(version: "x"),
        EventFilter(screen: "x"), EventFilter(status: .good), EventFilter(status: .bad), EventFilter(code: "2001"),
        EventFilter(since: Timestamp(milliseconds: 1)), EventFilter(until: Timestamp(milliseconds: .max)),
        EventFilter(name: "x", app: "x", since: Timestamp(milliseconds: 1), cursor: 1),
        EventFilter(
            name: "x",
            session: "x",
            user: "x",
            app: "x",
            device: "x",
            platform: "x",
            version: "x",
            screen: "x",
            status: .bad,
            code: "2001",
            since: Timestamp(milliseconds: 1),
            until: Timestamp(milliseconds: .max),
            cursor: 1
        ),
    ]

    @Test("use no index that SQLite builds for a query")
    func plans() async throws {
        try await withStore { store in
            let sent = #"""
                [{"event_id":"E","timestamp":1,"event_type":"x","app_id":"x","platform":"x","device_id":"x","app_version":"x",
                "unique_id":"x","attributes":{"_session_id":"x","_screen_name":"x","1":1}}]
                """#
            try await store.append([UploadDecoder().decode(.post(Array(sent.utf8)))])
            try await store.write { database in
                try database.execute(sql: "INSERT OR IGNORE INTO texts (kind, value) VALUES (4, '2001')")
            }
            #expect(try await store.read { try Int.fetchOne($0, sql: "PRAGMA automatic_index") } == 0)
            try await store.writeOutside { database in
                #expect(try Int.fetchOne(database, sql: "PRAGMA automatic_index") == 0)
                try database.execute(sql: "PRAGMA automatic_index = ON")
                for filter in Self.planned {
                    for newestFirst in [false, true] {
                        let selection = try #require(try filter.selection(newestFirst: newestFirst, in: database))
                        let plan = try Self.plan(selection.sql, selection.arguments, database)
                        #expect(!plan.contains("AUTOMATIC"), "\(filter)")
                    }
                    let conditions = try #require(try filter.conditions(in: database))
                    let plan = try Self.plan(Self.scan(conditions.sql), conditions.arguments, database)
                    #expect(!plan.contains("AUTOMATIC"), "\(filter)")
                    try Self.expectSortedPlans(filter, database)
                }
                // The same condition without its unary plus.
                let conditions = try #require(try EventFilter(app: "x").conditions(in: database))
                let plain = Self.scan(conditions.sql).replacing("+e.", with: "e.")
                #expect(try Self.plan(plain, conditions.arguments, database).contains("AUTOMATIC"))
            }
        }
    }

    /// Expects that sorted lists find each event, request and text by its primary key.
    private static func expectSortedPlans(_ filter: EventFilter, _ database: Database) throws {
        for field in EventOrder.Field.allCases {
            let isText = field.isText
            let values: [EventOrder.Value?] = isText ? [nil, .text("x")] : [.number(1)]
            let positions = [nil] + values.map { EventOrder.Position(sequence: 1, value: $0) }
            for direction in EventOrder.Direction.allCases {
                let events = SortedEvents(filter: filter, order: EventOrder(field: field, direction: direction))
                for position in positions {
                    let query = try #require(try events.query(after: position, in: database))
                    let plan = try plan(query.sql, query.arguments, database)
                    #expect(!plan.contains("AUTOMATIC"), "\(filter) \(field)")
                    #expect(plan.contains("e USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)"), "\(filter) \(field)")
                    let findsText = plan.contains("x USING INTEGER PRIMARY KEY (rowid=?)")
                    #expect(findsText == (isText && field != .column(.status)), "\(filter) \(field)")
                }
            }
        }
    }

    /// A scan of all events with conditions.
    private static func scan(_ conditions: [String]) -> String {
        """
        SELECT e.seq FROM requests r CROSS JOIN events e ON e.seq BETWEEN r.seq - r.events AND r.seq - 1
        WHERE \((["TRUE"] + conditions).joined(separator: " AND "))
        """
    }

    private static func plan(_ sql: String, _ arguments: StatementArguments, _ database: Database) throws -> String {
        let steps = try Row.fetchAll(database, sql: "EXPLAIN QUERY PLAN " + sql, arguments: arguments)
        return steps.map { $0["detail"] as String }.joined(separator: "\n")
    }
}

extension EventOrder.Field {
    /// True for a column, whose value is a text or absent.
    fileprivate var isText: Bool {
        if case .column = self { true } else { false }
    }
}
#endif
