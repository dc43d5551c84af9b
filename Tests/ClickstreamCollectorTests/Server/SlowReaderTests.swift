#if Collector
import ClickstreamCore
import ClickstreamSimulation
import Foundation
import GRDB
import Testing

@testable import ClickstreamCollector

/// Readers that take nothing, leave, or ask for much.
@Suite("Slow readers")
struct SlowReaderTests {
    private static let endless =
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT COUNT(*) FROM n"

    @Test("end their queries when they disconnect, and delay no short one", .timeLimit(.minutes(10)))
    func leaving() async throws {
        try await withStore { store in
            let presences = (0..<12).map { _ in Presence() }
            let readings = presences.map { presence in
                Task {
                    try await presence.bounding {
                        try await store.readInTurn { try Int.fetchOne($0, sql: Self.endless) }
                    }
                }
            }
            let summary = try await store.summary()
            #expect(summary == CollectorSummary())
            for presence in presences { presence.leave() }
            for reading in readings {
                await #expect(throws: (any Error).self) { try await reading.value }
            }
            let events = try await store.events(EventFilter()).events
            #expect(events == [])
        }
    }

    @Test("delay the collector's shutdown no longer than documented", .timeLimit(.minutes(10)))
    func stop() async throws {
        let time = virtualTime()
        try await withCollector(time: time) { collector in
            _ = try await collector.post("[\(event("A"))]")
            // A body in many parts, on a request whose answer never ends.
            let stream = try RawConnection(port: collector.port)
            stream.send("GET /api/stream HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n".utf8)
            stream.send((String(repeating: "3\r\nabc\r\n", count: 12) + "0\r\n\r\n").utf8)
            #expect(try await stream.next().status == 200)
            // A body that never ends, on each kind of reading.
            var open: [RawConnection] = []
            for target in ["/api/stream", "/api/events", "/metrics", "/", "/micro/good"] {
                let connection = try RawConnection(port: collector.port)
                // Shows that the connection is accepted.
                connection.send(RawConnection.request("GET", "/ping"))
                #expect(try await connection.next().status == 200)
                connection.send(
                    "GET \(target) HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n".utf8
                )
                open.append(connection)
            }
            async let stopped: Void = collector.stop()
            await time.timers(after: 7_000)
            await time.advance(milliseconds: 7_000)
            await stopped
            #expect(!open.isEmpty)
        }
    }

    @Test("lose an answer that is held for them, so that others get theirs", .timeLimit(.minutes(10)))
    func held() async throws {
        var limits = Limits()
        limits.heldSeconds = 1
        try await withCollector(limits: limits) { collector in
            // Too much for the buffers of a connection.
            let id = String(repeating: "i", count: 1_000)
            let events = (0..<8_000).map { event("\(id)\($0)", session: "s") }
            let body = Base64.encode(Gzip.deflate(Array("[\(events.joined(separator: ","))]".utf8)))
            #expect(try await collector.send("POST", "/collect?appId=shop", body: body).status == 200)
            let silent = try (0..<9).map { _ in try RawConnection(port: collector.port) }
            for connection in silent { connection.send("GET /api/sessions/s HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8) }
            let response = try await collector.get("/api/sessions/s")
            #expect(response.status == 200 && response.body.count > 8_000_000)
            #expect(silent.count == 9)
        }
    }

    /// Stores a body with one event of 3 MB between small ones.
    private func fill(_ collector: Collector) async throws {
        let long = (0..<300_000).map { "\"v\($0 % 97)\"" }.joined(separator: ",")
        var events = (0..<1_500).map {
            event("s\($0)", attributes: "\"text\":\"\(String(repeating: "x", count: 300))\"")
        }
        events.insert(event("long", attributes: "\"list\":[\(long)]"), at: 700)
        let body = Base64.encode(Gzip.deflate(Array("[\(events.joined(separator: ",\n"))]".utf8)))
        #expect(try await collector.send("POST", "/collect?appId=shop", body: body).status == 200)
    }

    /// Id of the event at a place of that body.
    private static func id(at index: Int) -> String {
        index == 700 ? "long" : "s\(index < 700 ? index : index - 1)"
    }

    @Test("receive a page of any size in parts of bounded size, without gaps or duplicates")
    func parts() async throws {
        try await withCollector { collector in
            try await fill(collector)
            let whole = try await collector.events(EventFilter(limit: 10_000)).events
            #expect(whole.count == 1_501)
            let response = try await collector.get("/api/events?limit=10000")
            #expect(response.headers["transfer-encoding"] == "chunked")
            #expect(response.headers["content-length"] == nil)
            let texts = try #require(try JSONReader.parse(response.body)["events"]?.array)
            #expect(texts.map { $0["event"]?["event_id"]?.string } == (0..<1_501).map { Self.id(at: $0) })
            #expect(response.body.count > whole.reduce(0) { $0 + $1.json.utf8.count })
            let page = try JSONReader.parse(response.body)
            #expect(page["events"]?.array?.count == 1_501)
            #expect(page["next"]?.isNull == true)

            // Without chunks for a client that cannot read them.
            let old = try RawConnection(port: collector.port)
            old.send("GET /api/events?limit=10000 HTTP/1.0\r\n\r\n".utf8)
            let rest = try await RawConnection.blocking { try old.receiveAll() }
            #expect(rest.count > 0 && Array(rest.suffix(response.body.count)) == response.body)

            for target in ["/micro/good", "/micro/events"] {
                let list = try JSONReader.parse(try await collector.get(target).body)
                #expect(list.array?.count == 1_501)
            }
            let short = try await collector.get("/api/events?limit=3")
            #expect(short.headers["content-length"] == "\(short.body.count)")
        }
    }

    @Test("receive long events cut on request, and whole by their number")
    func cut() async throws {
        try await withCollector { collector in
            try await fill(collector)
            let long = try #require(
                try await collector.events(EventFilter(limit: 10_000)).events.first { $0.json.utf8.count > 100_000 }
            )
            let response = try await collector.get("/api/events?event_bytes=2000&cursor=\(long.sequence - 1)&limit=2")
            #expect(response.body.count < 10_000)
            let elements = try #require(try JSONReader.parse(response.body)["events"]?.array)
            #expect(elements[0]["cut"]?.kind == .boolean(true))
            #expect(elements[0]["event_bytes"]?.integer == Int64(long.json.utf8.count))
            #expect(elements[0]["seq"]?.integer == long.sequence)
            #expect(elements[0]["event"]?["event_id"]?.string == "long")
            #expect(elements[1]["cut"] == nil)

            let single = try await collector.get("/api/events/\(long.sequence)")
            #expect(single.status == 200)
            #expect(single.text.hasPrefix("{\"event\":" + long.json))
            for number in ["0", "-1", "99999", "x", "1501.5"] {
                #expect(try await collector.get("/api/events/\(number)").status == 404)
            }
            let reader = try await StreamReader(collector.port, "?last_event_id=\(long.sequence - 1)&event_bytes=500")
            let frames = try await reader.next(2)
            #expect(try frames[1].object()["cut"] as? Bool == true)
            reader.close()
        }
    }

    @Test("receive a request's body in parts, or its beginning")
    func body() async throws {
        try await withCollector { collector in
            let text = "[\"\(String(repeating: "é\\\"", count: 600_000))\"]"
            let sent = try await collector.send(
                "POST",
                "/collect",
                headers: ["Content-Encoding": "gzip"],
                body: Gzip.deflate(Array(text.utf8))
            )
            let id = try #require(sent.headers["x-request-id"])
            let whole = try JSONReader.parse(try await collector.get("/api/requests/\(id)").body)
            #expect(whole["data"]?.string == text)
            #expect(whole["data_cut"] == nil)
            // Some end within a character, or are longer than a part of the reply.
            for count in [1, 3, 4, 5, 1_000, 131_072, 131_073, 131_075, 400_000, 2_097_152] {
                let target = "/api/requests/\(id)?data_bytes=\(count)"
                let cut = try JSONReader.parse(try await collector.get(target).body)
                #expect(cut["data_cut"]?.kind == .boolean(true))
                #expect(cut["data_bytes"]?.integer == Int64(text.utf8.count))
                let data = try #require(cut["data"]?.string)
                #expect(text.utf8.starts(with: data.utf8) && abs(data.utf8.count - count) <= 3, "\(count)")
            }
        }
    }

    @Test("receive a request's body as it was sent if it cannot be inflated")
    func damagedBody() async throws {
        try await withCollector { collector in
            let damaged = Array(Gzip.deflate(Array("[]".utf8)).dropLast(3))
            let gzip = ["Content-Encoding": "gzip"]
            let sent = try await collector.send("POST", "/collect", headers: gzip, body: damaged)
            let id = try #require(sent.headers["x-request-id"])
            let request = try JSONReader.parse(try await collector.get("/api/requests/\(id)").body)
            #expect(request["reason"]?.string == "gzip")
            #expect(request["data"]?.string == String(decoding: damaged, as: UTF8.self))
            #expect(request["data_cut"] == nil)
        }
    }

    @Test("of a session with many users and screens receive it in linear time", .timeLimit(.minutes(10)))
    func manyUsers() {
        let names = ["_screen_view", "_user_engagement"]
        let events: [SessionEvent] = (0..<100_000).map { (number: Int) -> SessionEvent in
            SessionEvent(
                sequence: Int64(number),
                name: names[number % 2],
                timestamp: Timestamp(milliseconds: Int64(number)),
                uniqueID: "unique-\(number)",
                userID: "user-\(number)",
                screenName: "screen-\(number / 2)",
                engagement: 1,
                reportsError: false
            )
        }
        let session = SessionReplay(events).session(id: "s", appID: nil)
        #expect(session.uniqueIDs.count == 100_000)
        #expect(session.userIDs.count == 100_000)
        #expect(session.screens.count == 50_000)
        #expect(session.screens.allSatisfy { $0.engagement == 1 })
    }
}
#endif
