#if Collector
import ClickstreamCore
import ClickstreamJudges
import Foundation
import GRDB
import Testing

@testable import ClickstreamCollector

@Suite("A stored body", .timeLimit(.minutes(10)))
struct StoredBodyTests {
    /// Encodings of a JSON text, and whether they have a `Content-Encoding`.
    private static let encodings: [(isContentEncoded: Bool, encode: @Sendable ([UInt8]) -> [UInt8])] = [
        (false, { Base64.encode(Gzip.deflate($0)) }), (true, { Gzip.deflate($0) }),
        (true, { Gzip.deflate(Base64.encode(Gzip.deflate($0))) }),
    ]

    @Test("inflates to the size that was stored, and to no more")
    func limit() throws {
        let json = Array("[\(event("A"))]".utf8)
        for encoding in Self.encodings {
            var body = StoredBody(
                bytes: encoding.encode(json),
                isContentEncoded: encoding.isContentEncoded,
                rawBytes: json.count
            )
            #expect(try body.text(form: nil).bytes == json)
            #expect(try body.unparsedText()?.bytes == json)
            body.rawBytes -= 1
            #expect(throws: StoredBody.TooLong.self) { try body.text(form: nil) }
            #expect(throws: StoredBody.TooLong.self) { try body.unparsedText() }
            body.bytes = Array("nonsense".utf8)
            #expect(try body.text(form: nil).bytes == [])
            #expect(try body.unparsedText() == nil)
        }
        let plain = StoredBody(bytes: json, isContentEncoded: false, rawBytes: 0)
        #expect(try plain.text(form: nil).bytes == json)
        #expect(try plain.unparsedText()?.bytes == json)
    }

    @Test("that another program replaced by one that inflates to more is damage", arguments: 0..<3)
    func replaced(index: Int) async throws {
        let encoding = Self.encodings[index]
        try await withStore { store in
            func body(_ events: [String]) -> [UInt8] {
                encoding.encode(Array("[\(events.joined(separator: ","))]".utf8))
            }
            let envelope = Envelope.post(body([event("A")]), isContentEncoded: encoding.isContentEncoded)
            try await store.append([UploadDecoder().decode(envelope)])
            #expect(try await store.events(EventFilter()).events.map(\.json) == [event("A")])
            // The event has the same range in this one.
            let other = Data(body([event("A"), event("B")]))
            try await store.write { try $0.execute(sql: "UPDATE bodies SET data = ?", arguments: [other]) }
            await #expect(throws: StoreDamage.inflation(of: 2)) { try await store.events(EventFilter()) }
            await #expect(throws: StoreDamage.inflation(of: 2)) {
                try await CountQuery(EventFilter(), by: "attributes.v", limit: nil).report(on: store)
            }
        }
    }

    @Test("of captured events is bounded, too")
    func captured() async throws {
        try await withStore { store in
            let events = (1...2).map { auditEvent($0, "write", data: insertion(7)) }
            let envelope = Envelope.post(Gzip.deflate(Array("[\(events[0])]".utf8)), .audit, isContentEncoded: true)
            try await store.append([UploadDecoder().decode(envelope)])
            let filter = CapturedFilter(form: .audit)
            #expect(try await store.captured(filter).events.map(\.event.json) == [events[0]])
            let other = Data(Gzip.deflate(Array("[\(events.joined(separator: ","))]".utf8)))
            try await store.write { try $0.execute(sql: "UPDATE captured_bodies SET data = ?", arguments: [other]) }
            await #expect(throws: StoreDamage.inflation(of: 2)) { try await store.captured(filter) }
        }
    }
}
#endif
