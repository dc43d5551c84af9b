#if Collector
import ClickstreamCore
import TestSupport
import Testing

@testable import ClickstreamCollector

@Suite("Filters of events")
struct EventFilterTests {
    /// Field of an event that a filter compares.
    private struct Field {
        enum Section { case event, attributes, user }

        var name: String
        var section = Section.event
        var usual: String
        var filter: WritableKeyPath<EventFilter, String?>
        /// Another name of the same field.
        var otherName: String?

        /// Members of the field: each kind of value, an absent one, and several of the same name.
        var spellings: [String] {
            let values = [
                #""x""#, #""\u0078""#, "5", #""5""#, "1.10", #""1.1""#, "1e3", "true", "null", "\"\"", "{}", #"["x"]"#,
                #""a\u0000b""#, #""caf\u00e9""#, "\"cafe\u{301}\"",
            ]
            let repeated = [
                [#""x""#, #""y""#], [#""y""#, #""x""#], [#""x""#, "null"], [#""x""#, "\"\""], [#""x""#, "{}"],
                ["true", "5"],
            ]
            var spellings = [""]
            spellings += values.map { member(name, $0) }
            spellings += repeated.map { "\(member(name, $0[0])),\(member(name, $0[1]))" }
            guard let otherName else { return spellings }
            spellings += values.map { member(otherName, $0) }
            spellings += repeated.map { "\(member(name, $0[0])),\(member(otherName, $0[1]))" }
            return spellings
        }

        private func member(_ name: String, _ value: String) -> String { "\"\(name)\":\(value)" }
    }

    private static var fields: [Field] {
        [
            Field(name: "event_type", usual: "buy", filter: \.name, otherName: "event_name"),
            Field(name: "app_id", usual: "shop", filter: \.app),
            Field(name: "unique_id", usual: "u1", filter: \.user, otherName: "user_pseudo_id"),
            Field(name: "device_id", usual: "d1", filter: \.device),
            Field(name: "platform", usual: "iOS", filter: \.platform),
            Field(name: "app_version", usual: "1.0", filter: \.version),
            Field(name: "value", section: .user, usual: "carol", filter: \.user),
            Field(name: "_session_id", section: .attributes, usual: "s1", filter: \.session),
            Field(name: "_screen_name", section: .attributes, usual: "Home", filter: \.screen),
        ]
    }

    /// Values of the filters: those of the events, and others.
    private static var values: [String] {
        [
            "x", "y", "5", "1.10", "1.1", "1e3", "true", "null", "", "{}", "a\u{FFFD}b", "a", "caf\u{E9}",
            "cafe\u{301}",
            "X", "no such",
        ] + fields.map(\.usual)
    }

    /// Times of the two requests, in milliseconds after ``FixedTime/start``.
    private static let times: [Int64] = [0, 10]

    /// Event with the usual members, except those of a field.
    private static func event(_ id: String, _ field: Field? = nil, _ spelling: String = "") -> String {
        func members(_ section: Field.Section) -> String {
            let texts = fields.filter { $0.section == section }.map {
                $0.name == field?.name ? spelling : #""\#($0.name)":"\#($0.usual)""#
            }
            let time = section == .user ? [#""set_timestamp":\#(FixedTime.start - 60_000)"#] : []
            return (texts + time).filter { !$0.isEmpty }.joined(separator: ",")
        }
        return
            #"{"event_id":"\#(id)","timestamp":\#(FixedTime.start - 1_000),\#(members(.event)),"#
            + #""user":{"_user_id":{\#(members(.user))}},"attributes":{\#(members(.attributes))}}"#
    }

    /// Events in which a container is absent, of another type, or repeated, and values that are no events.
    private static let unusual = [
        #"{"user":{"_user_id":{"value":"x"}},"user":null}"#, #"{"user":"x"}"#, #"{"user":{"_user_id":"x"}}"#,
        #"{"user":null,"user":{"_user_id":{"value":"x"},"_user_id":{"value":5}}}"#,
        #"{"attributes":{"_session_id":"x"},"attributes":{"_screen_name":"x"}}"#,
        #"{"attributes":{"_session_id":"x"},"attributes":{"_session_id":null}}"#,
        #"{"attributes":["x"]}"#, "{}", "[]", "1", #""x""#, "null",
    ]

    /// Gives `body` a store with each spelling of each field, received at two times, and its events.
    private func withEvents(_ body: (Store, [FilteredEvent]) async throws -> Void) async throws {
        try await withStore { store in
            for time in Self.times {
                var events = [Self.event("\(time)-usual")]
                for field in Self.fields {
                    for spelling in field.spellings {
                        events.append(Self.event("\(time)-\(events.count)", field, spelling))
                    }
                }
                let text = "[\((events + Self.unusual).joined(separator: ","))]"
                let received = Timestamp(milliseconds: FixedTime.start + time)
                try await store.append([UploadDecoder().decode(.post(Array(text.utf8), at: received))])
            }
            let all = try await store.events(EventFilter(limit: EventFilter.limits.upperBound)).events
            try await body(store, all.map { try FilteredEvent($0) })
        }
    }

    /// Sequence numbers of the matching events, page by page.
    private func found(_ filter: EventFilter, in store: Store) async throws -> [Int64] {
        var filter = filter
        var found: [Int64] = []
        repeat {
            let page = try await store.events(filter)
            found += page.events.map(\.sequence)
            filter.cursor = page.next
        } while filter.cursor != nil
        return found
    }

    @Test("find an event by each of its texts and numbers as it was sent, and by nothing else")
    func fields() async throws {
        try await withEvents { store, events in
            for field in Self.fields {
                for value in Self.values {
                    var filter = EventFilter(limit: 1_000)
                    filter[keyPath: field.filter] = value
                    let expected = events.filter { $0.matches(filter) }.map(\.event.sequence)
                    let found = try await found(filter, in: store)
                    #expect(found == expected, "\(field.name) \(value)")
                    if ["x", "5", "1.10", field.usual].contains(value) {
                        #expect(!found.isEmpty, "\(field.name) \(value)")
                    }
                    if value.isEmpty { #expect(found == [], "\(field.name)") }
                }
            }
        }
    }

    @Test("find an event by status, by codes of the SDK and of the server, and by the time of its arrival")
    func verdicts() async throws {
        try await withEvents { store, events in
            let codes = Set(events.flatMap { $0.event.violations.map(\.code) })
            #expect(codes.isSuperset(of: ["etl_missing_app_id", "1001"]))
            var filters = codes.sorted().map { EventFilter(code: $0) }
            filters += [EventFilter(status: .good), EventFilter(status: .bad), EventFilter(code: "2003")]
            for offset in [-1, 0, 1, 10, 11] as [Int64] {
                let time = Timestamp(milliseconds: FixedTime.start + offset)
                filters += [EventFilter(since: time), EventFilter(until: time), EventFilter(since: time, until: time)]
            }
            for filter in filters {
                let expected = events.filter { $0.matches(filter) }.map(\.event.sequence)
                let found = try await found(filter, in: store)
                #expect(found == expected, "\(filter)")
            }
        }
    }

    @Test("find an event only if it matches all of them")
    func combinations() async throws {
        try await withEvents { store, events in
            let codes = Set(events.flatMap { $0.event.violations.map(\.code) }).sorted()
            var matches = 0
            for seed in TestLength.seeds(150, full: 1_500) {
                var random = SplitMix(seed: UInt64(seed))
                var filter = EventFilter(limit: Int.random(in: 1...100, using: &random))
                func isChosen(_ share: Int) -> Bool { Int.random(in: 0..<share, using: &random) == 0 }
                func time() -> Timestamp {
                    Timestamp(milliseconds: FixedTime.start + Int64.random(in: -1...11, using: &random))
                }
                for field in Self.fields where isChosen(3) {
                    filter[keyPath: field.filter] =
                        isChosen(4) ? Self.values.randomElement(using: &random) : field.usual
                }
                if isChosen(4) { filter.status = isChosen(2) ? .good : .bad }
                if isChosen(8) { filter.code = codes.randomElement(using: &random) }
                if isChosen(4) { filter.since = time() }
                if isChosen(4) { filter.until = time() }
                let expected = events.filter { $0.matches(filter) }.map(\.event.sequence)
                matches += expected.count
                let found = try await found(filter, in: store)
                #expect(found == expected, "seed \(seed): \(filter)")
            }
            #expect(matches > 0)
        }
    }
}
#endif
