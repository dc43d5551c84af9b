import ClickstreamCore
import Testing

@testable import clickstream_cli

@Suite("Server-sent events")
struct ServerSentEventsTests {
    private typealias Frame = ServerSentEvents.Frame

    private static let table: [(stream: String, frames: [ServerSentEvents.Frame])] = [
        ("data: a\n\n", [Frame(event: "message", data: "a", id: nil)]),
        ("data:a\ndata: b\ndata:  c\n\n", [Frame(event: "message", data: "a\nb\n c", id: nil)]),
        ("id: 7\nevent: event\ndata: {}\n\n", [Frame(event: "event", data: "{}", id: "7")]),
        (
            "id: 7\ndata: a\n\nevent: x\ndata: b\n\n",
            [Frame(event: "message", data: "a", id: "7"), Frame(event: "x", data: "b", id: "7")]
        ),
        // Comments, unknown fields and a field without a colon.
        (": hello\nretry: 5\nstrange: 1\ndata\n\n:\n\n", [Frame(event: "message", data: "", id: nil)]),
        // A frame without data is none, but its id counts for the next.
        ("id: 9\nevent: x\n\ndata: a\n\n", [Frame(event: "message", data: "a", id: "9")]),
        // All three ends of lines, and a byte order mark.
        (
            "\u{FEFF}data: a\r\n\r\ndata: b\r\rdata: c\n\n",
            ["a", "b", "c"].map { Frame(event: "message", data: $0, id: nil) }
        ),
        // An id with NUL is none, an empty one takes the former back.
        ("id: 3\ndata: a\n\nid: x\0y\ndata: b\n\n", ["a", "b"].map { Frame(event: "message", data: $0, id: "3") }),
        (
            "id: 3\ndata: a\n\nid\ndata: b\n\n",
            [Frame(event: "message", data: "a", id: "3"), Frame(event: "message", data: "b", id: nil)]
        ),
        // An incomplete frame is not reported.
        ("data: a\n", []), ("data: a", []), ("\n\n\n", []),
        ("data: gr\u{FC}\u{DF}e \u{1F600}\n\n", [Frame(event: "message", data: "gr\u{FC}\u{DF}e \u{1F600}", id: nil)]),
    ]

    @Test("parses the standard's format, in one piece and byte by byte", arguments: table)
    func frames(stream: String, frames: [ServerSentEvents.Frame]) throws {
        var whole = ServerSentEvents()
        #expect(try whole.receive(stream.utf8) == frames)
        var bytewise = ServerSentEvents()
        var found: [ServerSentEvents.Frame] = []
        for byte in stream.utf8 { found += try bytewise.receive([byte]) }
        #expect(found == frames)
    }

    @Test("parses equally for any partition of the bytes")
    func pieces() throws {
        let stream = Array(Self.table.map { $0.stream.hasPrefix("\u{FEFF}") ? "" : $0.stream + "\n\n" }.joined().utf8)
        var whole = ServerSentEvents()
        let expected = try whole.receive(stream)
        var random = SystemRandomNumberGenerator()
        for _ in 0..<200 {
            var parser = ServerSentEvents()
            var found: [ServerSentEvents.Frame] = []
            var rest = stream[...]
            while !rest.isEmpty {
                let piece = rest.prefix(Int.random(in: 1...12, using: &random))
                found += try parser.receive(piece)
                rest = rest.dropFirst(piece.count)
            }
            #expect(found == expected)
        }
    }

    @Test("keeps the last id for a reconnect, and the server's retry interval")
    func resuming() throws {
        var events = ServerSentEvents(lastID: "40")
        #expect(events.lastID == "40")
        _ = try events.receive("retry: 1000\n\nid: 41\ndata: a\n\nid: 42\n\nid: 43\ndata: b\nretry: soon\n".utf8)
        // 43's frame has not ended.
        #expect((events.lastID, events.retry) == ("42", 1_000))
    }

    @Test("limits an endless event")
    func limit() {
        var events = ServerSentEvents()
        let piece = [UInt8](repeating: UInt8(ascii: "x"), count: ServerSentEvents.frameLimit / 4 + 1)
        #expect(throws: ServerSentEvents.TooLong.self) {
            for _ in 0..<4 { _ = try events.receive(piece) }
        }
    }
}
