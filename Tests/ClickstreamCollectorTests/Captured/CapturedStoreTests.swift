#if Collector
import ClickstreamCore
import ClickstreamJudges
import ClickstreamSimulation
import Foundation
import GRDB
import Testing

@testable import ClickstreamCollector

@Suite("Stored captured events", .timeLimit(.minutes(10)))
struct CapturedStoreTests {
    @Test("are sent by the stream in one order with the other events, and resumed by its ids")
    func stream() async throws {
        try await withCollector { collector in
            _ = try await collector.post("[\(event("A"))]")
            _ = try await collector.post("[\(click(1)),\(click(2))]", "/pulse")
            _ = try await collector.post(batch([swipe(1)]), CapturedFormat.batched.path)
            _ = try await collector.post("[\(event("B"))]")
            let all = ["1 event", "2 request", "3 captured", "4 captured", "6 captured", "8 event", "9 request"]
            for (query, wanted) in [
                ("", all), ("&form=pulse", ["3 captured", "4 captured"]),
                ("&form=\(CapturedFormat.batched)", ["6 captured"]),
                ("&form=clickstream", all.filter { !$0.hasSuffix("captured") }),
                ("&name=click", ["3 captured", "4 captured"]), ("&status=good", all), ("&status=bad", []),
                ("&session=x", []),
            ] {
                for cursor in 0...9 {
                    let rest = wanted.filter { Int($0.prefix(1)) ?? 0 > cursor }
                    let reader = try await StreamReader(collector.port, "?last_event_id=\(cursor)" + query)
                    let frames = try await reader.next(1 + rest.count).dropFirst()
                    #expect(frames.map { "\($0.id ?? "") \($0.event ?? "")" } == rest, "\(query)")
                    reader.close()
                }
            }
            let reader = try await StreamReader(collector.port, "?last_event_id=2")
            let frames = try await reader.next(4).dropFirst()
            let rows = try await collector.get("/api/captured").object()["events"] as? NSArray
            #expect(try frames.map { try $0.object() } as NSArray == rows)
            reader.close()
        }
    }

    @Test("are added to a store of layout 4, which keeps its events")
    func layout4() async throws {
        try await withFolder { folder in
            let path = folder + "/store.sqlite"
            let configuration = CollectorConfiguration(storePath: path)
            try await withCollector(configuration) { _ = try await $0.post("[\(event("A"))]") }
            try withDatabase(at: path) { try OldStore.downgrade($0, to: 4) }
            try await withCollector(configuration) { collector in
                #expect(try await collector.events().events.map(\.json) == [event("A")])
                _ = try await collector.post("[\(click(1))]", "/pulse")
                #expect(try await collector.captured().events.map(\.event.json) == [click(1)])
                #expect(try await collector.summary().events == 1)
            }
        }
    }

    @Test("are evicted with the oldest requests, and their counts with them")
    func eviction() async throws {
        let time = virtualTime()
        try await withStore { store in
            func append(_ text: String, _ form: CapturedFormat?, after milliseconds: Int64) async throws {
                await time.advance(milliseconds: milliseconds)
                try await store.append([Self.upload(text, form, at: time.now().wall)])
            }
            try await append("[\(click(1)),\(click(1)),\(click(2, at: 1 << 40))]", .pulse, after: 0)
            try await append("[\(event("A"))]", nil, after: 1_000)
            try await append(batch([swipe(1)]), .batched, after: 1_000)
            try await append("[\(click(3))]", .pulse, after: 1_000)
            let retention = Retention(bytes: nil, age: 1_500)
            try await store.evict(retention, now: time.now().wall)
            #expect(
                try await store.capturedSummary()
                    == [
                        .pulse: CapturedCounts(requests: 1, events: 1),
                        .batched: CapturedCounts(requests: 1, events: 1), .audit: CapturedCounts(),
                    ]
            )
            #expect(try await store.summary().events == 0)
            #expect(try await store.captured(CapturedFilter()).events.map(\.event.json) == [swipe(1), click(3)])
            #expect(try await store.holdings().evicted == StoreHoldings.Evicted(requests: 2, events: 3))
            // An evicted event is not a duplicate of itself.
            try await append("[\(click(1))]", .pulse, after: 0)
            #expect(try await store.capturedSummary()[.pulse] == CapturedCounts(requests: 2, events: 2))
        }
    }

    @Test("are evicted while requests after them wait for the archive, and are not archived")
    func archive() async throws {
        try await withFolder { folder in
            let configuration = CollectorConfiguration(archive: folder + "/archive", maxAge: .seconds(3_600))
            let time = virtualTime()
            try await withCollector(configuration, time: time) { collector in
                _ = try await collector.post("[\(click(1))]", "/pulse")
                _ = try await collector.post("[\(event("A"))]")
                _ = try await collector.post(batch([swipe(1)]), CapturedFormat.batched.path)
                await time.advance(milliseconds: 7_200_000)
                _ = try await collector.post("[\(click(2))]", "/pulse")
                _ = try await collector.post("[\(event("B"))]")
                for await _ in collector.changes() {
                    if try await collector.summary().requests == 1 { break }
                }
                #expect(try await collector.captured().events.map(\.event.json) == [click(2)])
            }
            let files = FileManager.default.enumerator(atPath: folder + "/archive")?.compactMap { $0 as? String } ?? []
            var lines = 0
            for file in files where file.hasSuffix(".log.gz") {
                let data = try Data(contentsOf: URL(filePath: "\(folder)/archive/\(file)"))
                lines += try Gzip.inflate([UInt8](data), limit: 1 << 20).count { $0 == UInt8(ascii: "\n") }
            }
            #expect(lines == 2)
        }
    }

    @Test("are counted together with events of the same id and time in other forms, but not as duplicates of them")
    func identity() async throws {
        try await withStore { store in
            let id = capturedID(1)
            let other = swipe(1).replacing(#""t":\#(FixedTime.start - 1_000)"#, with: #""t":\#(FixedTime.start)"#)
            let texts: [(String, CapturedFormat?)] = [
                ("[\(click(1))]", .pulse), (batch([swipe(1)]), .batched), ("[\(event(id))]", nil),
                (batch([other, swipe(1)]), .batched), ("[\(click(1))]", .pulse),
            ]
            let uploads = texts.map { Self.upload($0, $1, at: Timestamp(milliseconds: FixedTime.start)) }
            let counts = try await store.append(uploads)
            #expect((counts.goodEvents, counts.duplicates) == (1, 0))
            #expect(counts.captured[.pulse] == CapturedCounts(requests: 2, events: 1, duplicates: 1))
            #expect(counts.captured[.batched] == CapturedCounts(requests: 2, events: 2, duplicates: 1))
            #expect(try await store.capturedSummary().filter { $0.value != CapturedCounts() } == counts.captured)
        }
    }

    @Test("are no duplicates if their ids differ in NUL or half a surrogate pair", arguments: CapturedFormat.captured)
    func unrepresentable(form: CapturedFormat) async throws {
        try await withStore { store in
            let ids = [#"a\u0000"#, #"a\ud800"#, #"a\ud801"#, "a\u{FFFD}", #"a\uD800"#]
            let events = ids.map { #"{"\#(form.id)":"\#($0)","\#(form.time.name)":1}"# }
            let counts = try await store.append([
                Self.upload(form.text(events), form, at: Timestamp(milliseconds: FixedTime.start))
            ])
            // The last is the second in another spelling.
            #expect(counts.captured[form]?.events == 4 && counts.captured[form]?.duplicates == 1)
        }
    }

    @Test("are counted by a store that is older than their format", arguments: CapturedFormat.captured)
    func newFormat(form: CapturedFormat) async throws {
        try await withFolder { folder in
            let path = folder + "/store.sqlite"
            let configuration = CollectorConfiguration(storePath: path)
            try await withCollector(configuration) { _ = try await $0.post("[\(event("A"))]") }
            try await DatabaseQueue(path: path).write { database in
                try database.execute(sql: "DELETE FROM captured_totals WHERE form = ?", arguments: [form.rawValue])
            }
            try await withCollector(configuration) { collector in
                #expect(try await collector.capturedSummary()[form] == CapturedCounts())
                for number in 1...2 { _ = try await collector.post(form.text([form.sample(number)]), form.path) }
                let counts = try await collector.capturedSummary()[form]
                #expect(counts == CapturedCounts(requests: 2, events: 2))
            }
        }
    }

    private static func upload(_ text: String, _ form: CapturedFormat?, at time: Timestamp) -> Upload {
        UploadDecoder().decode(.post(Array(text.utf8), form, at: time))
    }
}
#endif
