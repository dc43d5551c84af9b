#if Collector
import ClickstreamCore
import Foundation
import GRDB
import Testing

@testable import ClickstreamCollector

@Suite("Page of a session with its timeline")
struct TimelinePageTests {
    /// Calls `body` with a store of a session of 3 000 events, and its page.
    private func withPage(_ body: (Store, TimelinePage) async throws -> Void) async throws {
        let events = (0..<3_000).map { event("\($0)", at: Int64(-$0 % 7), session: "s") }
        try await withStore { store in
            try await store.append([UploadDecoder().decode(.post(Array("[\(events.joined(separator: ","))]".utf8)))])
            try await body(store, TimelinePage(try #require(try await store.session("s", app: nil))))
        }
    }

    @Test("is read in parts, in the order of time, and is that of the whole timeline")
    func parts() async throws {
        try await withPage { store, page in
            var page = page
            var (json, parts) = (page.head, 0)
            var isRead = false
            while !isRead {
                var segments = Segments()
                isRead = try await !page.read(into: &segments, store)
                while let part = try await segments.next(from: store) { json += part }
                parts += 1
            }
            json += page.tail
            let whole = try #require(try await store.timeline("s", app: nil))
            #expect(parts > 2)
            #expect(whole.entries.map(\.timestamp.milliseconds) == whole.entries.map(\.timestamp.milliseconds).sorted())
            let object = try #require(try JSONSerialization.jsonObject(with: Data(json)) as? [String: Any])
            let timeline = try #require(object["timeline"] as? [[String: Any]])
            #expect(timeline.map { $0["event_id"] as? String } == whole.entries.map(\.eventID))
            #expect(timeline.map { $0["offset_ms"] as? Int } == whole.entries.map { Int($0.offset) })
            #expect(object["events"] as? Int == 3_000)
            #expect(object["unique_ids"] as? [String] == ["unique-1"])
        }
    }

    @Test("has the number and the id of each event as it was sent; half a surrogate pair is U+FFFD")
    func identifiers() async throws {
        let ids: [(json: String, text: String)] = [
            (#"a\u0000"#, "a\0"), (#"a\\u0000"#, #"a\u0000"#), (#"a\\\u0000b"#, "a\\\0b"), (#"a\\b"#, #"a\b"#),
            (#"a\ud800"#, "a\u{FFFD}"), (#"a\\ud800"#, #"a\ud800"#),
            (#"\u202egnp.exe\u0000\u0007"#, "\u{202E}gnp.exe\0\u{7}"),
        ]
        try await withCollector { collector in
            _ = try await collector.post("[\(ids.map { event($0.json, session: "s") }.joined(separator: ","))]")
            let timeline = try await collector.get("/api/sessions/s").object()["timeline"] as? [[String: Any]] ?? []
            #expect(timeline.map { $0["event_id"] as? String } == ids.map(\.text))
            #expect(timeline.map { $0["seq"] as? Int } == Array(1...ids.count))
        }
    }

    @Test("ends with an error if its events are removed meanwhile")
    func removed() async throws {
        try await withPage { store, page in
            var page = page
            var segments = Segments()
            #expect(try await page.read(into: &segments, store))
            try await store.reset()
            await #expect(throws: StoredSession.Changed.self) { try await page.read(into: &segments, store) }
        }
    }

    @Test("reports a damaged event, in the first part and after it", arguments: [7, 1])
    func damaged(_ event: Int) async throws {
        try await withPage { store, page in
            try await store.write { database in
                try database.execute(sql: "UPDATE events SET is_bad = 7 WHERE seq = ?", arguments: [event])
            }
            let list = ListPage(page, store)
            await #expect(throws: StoreDamage(column: "events.is_bad", found: "7")) {
                let reply = try await list.reply()
                while try await reply.rest?() != nil {}
            }
        }
    }
}
#endif
