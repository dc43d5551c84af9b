#if Collector
import ClickstreamCore
import Foundation
import GRDB
import Testing

@testable import ClickstreamCollector

/// Counts, not times: how often a body is inflated, and how many statements a page of sessions takes.
@Suite("Cached texts of bodies")
struct BodyTextsTests {
    /// Stores one body, compressed as SDKs do it.
    private func append(_ events: [String], to store: Store, number: Int = 0) async throws {
        let body = Base64.encode(Gzip.deflate(Array("[\(events.joined(separator: ","))]".utf8)))
        let id = String(repeating: "0", count: 24) + String(10_000_000 + number)
        try await store.append([UploadDecoder().decode(.post(body, id: id))])
    }

    private func ids(_ events: [CollectedEvent]) throws -> [String] {
        try events.map { event in
            let object = try JSONSerialization.jsonObject(with: Data(event.json.utf8)) as? [String: Any]
            return object?["event_id"] as? String ?? "?"
        }
    }

    @Test(
        "are inflated once for all pages of a body, in any order of access",
        arguments: [
            EventFilter(limit: 7), EventFilter(session: "s1", limit: 7), EventFilter(status: .good, limit: 7),
            EventFilter(name: "button_click", limit: 100), EventFilter(since: Timestamp(milliseconds: 0), limit: 1),
        ]
    )
    func pages(_ filter: EventFilter) async throws {
        try await withStore { store in
            for body in 0..<3 {
                try await append((0..<200).map { event("\(body)-\($0)", session: "s1") }, to: store, number: body)
            }
            var filter = filter
            var seen: [String] = []
            repeat {
                let page = try await store.events(filter)
                seen += try ids(page.events)
                filter.cursor = page.next
            } while filter.cursor != nil
            #expect(seen == (0..<3).flatMap { body in (0..<200).map { "\(body)-\($0)" } })
            #expect(store.texts.inflations == 3)
            #expect(store.texts.bytes == 0)
        }
    }

    @Test("are inflated once for all pages of a body that is read from its end")
    func newest() async throws {
        try await withStore { store in
            for body in 0..<3 {
                try await append((0..<200).map { event("\(body)-\($0)") }, to: store, number: body)
            }
            var cursor: Int64?
            var seen: [String] = []
            repeat {
                let page = try await store.newest(EventFilter(cursor: cursor), limit: 7, bytes: .max, EventTexts())
                seen += try ids(page.events.map { CollectedEvent($0.0) })
                cursor = page.isWhole ? nil : page.events.last?.0.sequence
            } while cursor != nil
            let all = (0..<3).flatMap { body in (0..<200).map { "\(body)-\($0)" } }
            #expect(seen == all.reversed())
            #expect(store.texts.inflations == 3)
            #expect(store.texts.bytes == 0)
        }
    }

    @Test("are inflated once for a stream that reads them in pieces, and once for two of them")
    func stream() async throws {
        try await withStore { store in
            for body in 0..<3 {
                try await append((0..<200).map { event("\(body)-\($0)") }, to: store, number: body)
            }
            var cursors: [Int64] = [0, 0]
            var seen: [[String]] = [[], []]
            var requests = [0, 0]
            var pieces = 0
            while cursors.contains(where: { $0 < 603 }) {
                for reader in cursors.indices {
                    let feed = try await store.feed(after: cursors[reader], EventFilter(), maxBytes: 4_096)
                    cursors[reader] = feed.cursor
                    pieces += 1
                    for entry in feed.entries {
                        switch entry {
                        case .event(let event): seen[reader] += try ids([CollectedEvent(event)])
                        case .captured: Issue.record("no captured event was stored")
                        case .request: requests[reader] += 1
                        case .reset: Issue.record("nothing was removed")
                        }
                    }
                }
            }
            let all = (0..<3).flatMap { body in (0..<200).map { "\(body)-\($0)" } }
            #expect(seen == [all, all])
            #expect(requests == [3, 3])
            #expect(pieces > 60)
            // The one that is ahead leaves a body while the other still reads in it: once more then, not once a piece.
            #expect(store.texts.inflations <= 6)
        }
    }

    @Test("respect their memory limit, and keep the one in use whatever its size")
    func capacity() async throws {
        try await withStore { store in
            for body in 0..<5 {
                try await append((0..<20).map { event("\(body)-\($0)") }, to: store, number: body)
            }
            let texts = BodyTexts(maxBytes: 10_000)
            try await store.read { database in
                // Each page ends within a body, and the next one is never read.
                for body in 0..<5 {
                    let filter = EventFilter(cursor: Int64(body * 21))
                    _ = try Store.events(filter, limit: 1, bytes: .max, texts, in: database)
                    #expect(texts.bytes > 0 && texts.bytes <= 10_000)
                }
            }
            let few = BodyTexts(maxBytes: 1)
            try await store.read { database in
                for cursor: Int64 in 0..<20 {
                    let filter = EventFilter(cursor: cursor)
                    _ = try Store.events(filter, limit: 1, bytes: .max, few, in: database)
                }
            }
            #expect(few.inflations == 1)
            _ = try await store.events(EventFilter(limit: 1))
            #expect(store.texts.bytes > 0)
            try await store.reset()
            #expect(store.texts.bytes == 0)
        }
    }

    @Test("of many sessions in one body are read once for a page of sessions")
    func sessions() async throws {
        try await withStore { store in
            for body in 0..<2 {
                let events = (0..<100).flatMap { session in
                    [
                        event("\(body)-\(session)", session: "s\(session)"),
                        event("\(body)+\(session)", session: "s\(session)"),
                    ]
                }
                try await append(events, to: store, number: body)
            }
            let (page, statements) = try await store.read { database in
                var statements: [String] = []
                database.trace { event in statements.append("\(event)") }
                defer { database.trace(options: []) }
                let page = try Store.sessions(after: 0, limit: 80, in: database)
                return (page, statements)
            }
            #expect(page.sessions.map(\.id) == (0..<80).map { "s\($0)" })
            #expect(page.sessions.map(\.events) == Array(repeating: 4, count: 80))
            #expect(statements.count { $0.contains("FROM sessions g") } == 1)
            let rest = try await store.sessions(after: page.next, limit: 80)
            #expect(rest.sessions.map(\.id) == (80..<100).map { "s\($0)" })
            #expect(rest.next == nil)
        }
    }

    @Test("are read with their findings, or without them for a comparison with a plan", arguments: [true, false])
    func findings(withFindings: Bool) async throws {
        try await withStore { store in
            try await append([event("1", attributes: #""1-":1"#)], to: store)
            let feed = try await store.feed(after: 0, EventFilter(), maxBytes: .max, withFindings: withFindings)
            let events = feed.entries.compactMap { entry -> StoredEvent? in
                if case .event(let event) = entry { event } else { nil }
            }
            #expect(events.map(\.status) == [.bad])
            #expect(events.map(\.violations.isEmpty) == [!withFindings])
        }
    }

    @Test("cut long texts, and take ids with one beginning as one")
    func longTexts() async throws {
        let long = String(repeating: "x", count: 2_000)
        let cut = String(repeating: "x", count: EventExcerpt.textBytes) + "…"
        let whole = String(repeating: "y", count: EventExcerpt.textBytes)
        let screen = #""_screen_name":"\#(long)","_screen_unique_id":"\#(long)""#
        try await withStore { store in
            try await append(
                [
                    event(long, name: "_screen_view", at: -3, session: "s", uniqueID: whole, attributes: screen),
                    event("2", name: long, at: -2, session: "s", uniqueID: long, userID: long),
                    event("3", at: -1, session: "s", userID: long + "z"),
                ],
                to: store
            )
            let timeline = try #require(try await store.timeline("s", app: nil))
            #expect(timeline.entries.map(\.eventID) == [cut, "2", "3"])
            #expect(timeline.entries.map(\.name) == ["_screen_view", cut, "button_click"])
            #expect(timeline.entries.map(\.screen) == [cut, nil, nil])
            #expect(timeline.session.screens.map(\.name) == [cut])
            #expect(timeline.session.screens.map(\.uniqueID) == [cut])
            #expect(timeline.session.userIDs == [cut])
            #expect(timeline.session.uniqueIDs == [whole, cut, "unique-1"])
            #expect(try await store.sessions(after: nil, limit: 10).sessions == [timeline.session])
        }
    }

    @Test("distinguish sessions with similar ids, and treat a missing app id like an empty one")
    func likeness() async throws {
        try await withStore { store in
            try await append(
                [
                    event("A", session: "caf\u{e9}"), event("B", session: "cafe\u{301}"), event("C", session: "x"),
                    event("D", app: "", session: "x"),
                    event("E", session: "x").replacing(#""app_id":"shop","#, with: ""),
                ],
                to: store
            )
            let sessions = try await store.sessions(after: nil, limit: 10).sessions
            #expect(
                sessions.map { Array($0.id.utf8) } == ["caf\u{e9}", "cafe\u{301}", "x", "x"].map { Array($0.utf8) }
            )
            #expect(sessions.map(\.events) == [1, 1, 1, 2])
            #expect(sessions.map(\.appID) == ["shop", "shop", "shop", nil])
        }
    }
}
#endif
