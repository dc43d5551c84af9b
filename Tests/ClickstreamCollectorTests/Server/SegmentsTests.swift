#if Collector
import ClickstreamCore
import ClickstreamJudges
import Foundation
import Testing

@testable import ClickstreamCollector

@Suite("Events of a batch with a long header")
struct SegmentsTests {
    private static let text = String(repeating: "u", count: 12_000)

    /// Calls `body` with a store of 100 events of such a batch.
    private func withBatch(_ body: (Store) async throws -> Void) async throws {
        let text = "{\"long\":\"\(Self.text)\",\n" + batch((0..<100).map { swipe($0) }).dropFirst()
        try await withStore { store in
            try await store.append([UploadDecoder().decode(.post(Array(text.utf8), .batched))])
            try await body(store)
        }
    }

    @Test("are one piece of a stream, and are sent in parts, each event with the header", arguments: [false, true])
    func stream(isOnOneLine: Bool) async throws {
        try await withBatch { store in
            let feed = try await store.feed(after: 0, EventFilter(), form: .batched, maxBytes: 131_072)
            #expect(feed.entries.count == 100)
            var segments = Segments(isOnOneLine: isOnOneLine)
            for case .captured(let event) in feed.entries {
                segments.append(event)
                segments.append("\u{1E}".utf8)
            }
            var (bytes, parts): ([UInt8], Int) = ([], 0)
            while let part = try await segments.next(from: store) {
                bytes += part
                parts += 1
            }
            #expect(segments.isEmpty)
            #expect(bytes.count > 1_200_000 && parts <= bytes.count / 131_072 + 2)
            #expect(bytes.contains(0x0A) == !isOnOneLine)
            let headers = try bytes.split(separator: 0x1E).map { record in
                let event = try JSONSerialization.jsonObject(with: Data(record)) as? [String: Any]
                return (event?["header"] as? [String: Any])?["long"] as? String
            }
            #expect(headers == Array(repeating: Self.text, count: 100))
        }
    }

    @Test("fill a page of a list by the headers that it repeats", arguments: [1, 30_000, 1_000_000])
    func page(_ bytes: Int) async throws {
        try await withBatch { store in
            let first = try await store.captured(CapturedFilter(), limit: 1, bytes: 1, EventTexts()).events.first
            let each = try #require(first).bytes + (first?.captured?.header?.json.count ?? 0)
            let last = (bytes + each - 1) / each
            var list = CapturedList(CapturedFilter(limit: 1_000), cutAt: nil, pageBytes: bytes)
            var segments = Segments()
            while try await list.read(into: &segments, store) {}
            #expect(String(decoding: list.tail, as: UTF8.self) == "],\"next\":\"\(last)\"}")
        }
    }
}
#endif
