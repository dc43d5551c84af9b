#if Collector
import ClickstreamCore
import ClickstreamJudges
import ClickstreamSimulation
import Foundation
import Testing

@testable import ClickstreamCollector

@Suite("Event stream", .timeLimit(.minutes(10)))
struct EventStreamTests {
    /// Short label of a frame.
    private func label(_ frame: StreamFrame) throws -> String {
        switch frame.event {
        case "event": try (frame.object()["event"] as? [String: Any])?["event_id"] as? String ?? "?"
        case "request": try "R\(frame.object()["events"] ?? "?")"
        default: frame.event ?? (frame.retry.map { "retry \($0)" } ?? ":")
        }
    }

    private func labels(_ frames: [StreamFrame]) throws -> [String] {
        try frames.map { try label($0) }
    }

    private func list(_ ids: String) -> String {
        "[\(ids.map { event(String($0)) }.joined(separator: ","))]"
    }

    @Test("sends each new event and then its request, in the form of the query API")
    func live() async throws {
        try await withCollector { collector in
            _ = try await collector.post(list("A"))
            let reader = try await StreamReader(collector.port)
            #expect(reader.head.status == 200)
            #expect(reader.head.headers["content-type"] == "text/event-stream")
            #expect(reader.head.headers["cache-control"] == "no-store")
            #expect(try await reader.next() == StreamFrame(retry: "1000"))

            _ = try await collector.post("[ \(event("B")),\r\n\(event("C", attributes: "\"a b\":1,\n\"x\":2"))]")
            _ = try await collector.post("nonsense")
            let frames = try await reader.next(4)
            #expect(try labels(frames) == ["B", "C", "R2", "R0"])
            #expect(frames.map(\.id) == ["3", "4", "5", "6"])

            let events = try await collector.get("/api/events?cursor=2").object()["events"] as? NSArray
            #expect(try frames.prefix(2).map { try $0.object() } as NSArray == events)
            let requests = try await collector.get("/api/requests?cursor=2").object()["requests"] as? NSArray
            #expect(try frames.suffix(2).map { try $0.object() } as NSArray == requests)
        }
    }

    @Test(
        "resumes after any frame without loss or repetition, by header or by query",
        arguments: [(0, "ABR2CR1"), (1, "BR2CR1"), (2, "R2CR1"), (3, "CR1"), (4, "R1"), (5, "")]
    )
    func resumption(_ cursor: Int, _ expected: String) async throws {
        try await withCollector { collector in
            _ = try await collector.post(list("AB"))
            _ = try await collector.post(list("C"))
            let ways: [(String, [String: String])] = [
                ("", ["Last-Event-ID": "\(cursor)"]), ("?last_event_id=\(cursor)", [:]),
                ("?last_event_id=0", ["Last-Event-ID": "\(cursor)"]),
            ]
            for (query, headers) in ways {
                let reader = try await StreamReader(collector.port, query, headers: headers)
                _ = try await collector.post("")
                var seen: [String] = []
                repeat { seen += try labels(try await reader.next(1)) } while seen.last != "R0"
                let more = seen.dropFirst().filter { $0 != "R0" }.joined()
                #expect(more == expected)
            }
        }
    }

    @Test("resumes after a restart of the collector")
    func restart() async throws {
        try await withFolder { folder in
            let configuration = CollectorConfiguration(storePath: folder + "/store.sqlite")
            let last = try await withCollector(configuration) { collector in
                let reader = try await StreamReader(collector.port)
                _ = try await collector.post(list("AB"))
                return try await reader.next(2).last?.id
            }
            #expect(last == "1")
            try await withCollector(configuration) { collector in
                _ = try await collector.post(list("C"))
                let reader = try await StreamReader(collector.port, "?last_event_id=\(last ?? "")")
                #expect(try labels(try await reader.next(5)) == ["retry 1000", "B", "R2", "C", "R1"])
            }
        }
    }

    @Test("reports a reset, also to a client that reconnects after it, and restarts for an id of another store")
    func reset() async throws {
        try await withCollector { collector in
            let reader = try await StreamReader(collector.port)
            _ = try await collector.post(list("A"))
            #expect(try labels(try await reader.next(3)) == ["retry 1000", "A", "R1"])
            #expect(try await collector.send("POST", "/api/reset").status == 200)
            _ = try await collector.post(list("B"))
            #expect(try labels(try await reader.next(3)) == ["reset", "B", "R1"])
            for id in ["1", "2", "1000"] {
                let late = try await StreamReader(collector.port, "?last_event_id=\(id)")
                let frames = try await late.next(4)
                #expect(try labels(frames) == ["retry 1000", "reset", "B", "R1"])
                #expect(frames.map(\.id) == [nil, "3", "4", "5"])
            }
        }
    }

    @Test(
        "filters like the query of events; requests are sent if they may match",
        arguments: [
            ("name=search", ["B"]), ("user=carol", ["C"]), ("status=bad", ["C", "R0"]), ("code=2002", ["C"]),
            ("session=s2", ["B"]), ("since=1715131615123", ["A", "B", "C", "R3", "R0"]), ("since=1715131615124", []),
            ("app=news", ["B"]), ("screen=Home", ["B"]), ("version=1", []),
            ("until=1715131615124", ["A", "B", "C", "R3", "R0"]), ("until=1715131615123", []),
        ]
    )
    func filters(_ query: String, _ expected: [String]) async throws {
        try await withCollector { collector in
            let events = [
                event("A"),
                event("B", name: "search", app: "news", session: "s2", attributes: #""_screen_name":"Home""#),
                event("C", session: nil, userID: "carol", attributes: #""a b":1"#),
            ]
            let reader = try await StreamReader(collector.port, "?last_event_id=0&" + query)
            _ = try await collector.post("[\(events.joined(separator: ","))]")
            _ = try await collector.post("?")
            #expect(try labels(try await reader.next(expected.count + 1)) == ["retry 1000"] + expected)
            // Nothing else was sent: the next frame is the reset.
            #expect(try await collector.send("POST", "/api/reset").status == 200)
            #expect(try labels(try await reader.next(1)) == ["reset"])
        }
    }

    @Test("begins with events since a given time")
    func since() async throws {
        try await withCollector { collector in
            _ = try await collector.post(list("AB"))
            let reader = try await StreamReader(collector.port, "?since=2024-05-08")
            #expect(try labels(try await reader.next(4)) == ["retry 1000", "A", "B", "R2"])
        }
    }

    @Test(
        "begins with the newest matching events of each list, and reports the last omitted ones",
        arguments: [
            ("0&newest_events=1", #"{"events":2}"#, [3, 4, 5, 7, 8, 9, 11]),
            ("0&newest_events=0", #"{"events":7}"#, [4, 5, 8, 9, 11]),
            ("0&newest_captured=1", #"{"captured":4}"#, [1, 2, 3, 5, 7, 8, 9, 11]),
            (
                "0&newest_audit=1&newest_events=2&newest_captured=0", #"{"audit":9,"captured":5,"events":1}"#,
                [2, 3, 7, 8, 11]
            ),
            ("0&newest_events=3&newest_captured=2&newest_audit=9", nil, [1, 2, 3, 4, 5, 7, 8, 9, 11]),
            ("0&newest_events=1&user=carol", nil, [2]), ("0&app=shop", nil, [1, 2, 7]),
            ("0&newest_captured=1&until=2100-01-01", #"{"captured":4}"#, [1, 2, 3, 5, 7, 8, 9, 11]),
            ("0&newest_events=1&name=search", #"{"events":2}"#, [7]),
            ("0&newest_events=1&form=clickstream", #"{"events":2}"#, [3, 7, 8]),
            ("0&newest_captured=1&form=pulse", #"{"captured":4}"#, [5]),
            ("0&newest_captured=1&form=audit", nil, [9, 11]), ("0&newest_events=1&form=pulse", nil, [4, 5]),
            ("2&newest_events=1", nil, [3, 4, 5, 7, 8, 9, 11]),
            ("1&newest_events=1", #"{"events":2}"#, [3, 4, 5, 7, 8, 9, 11]),
            ("99&newest_events=1&newest_audit=0", #"{"audit":11,"events":2}"#, [0, 3, 4, 5, 7, 8]),
        ] as [(String, String?, [Int])]
    )
    func newest(_ query: String, _ omitted: String?, _ expected: [Int]) async throws {
        try await withCollector { collector in
            let events = [event("A"), event("B", name: "search", userID: "carol"), event("C", name: "search")]
            _ = try await collector.post("[\(events[0]),\(events[1])]")
            _ = try await collector.post("[\(click(1)),\(click(2))]", "/pulse")
            _ = try await collector.post("[\(events[2])]")
            for number in 1...2 { _ = try await collector.post("[\(CapturedFormat.audit.sample(number))]", "/audit") }
            let reader = try await StreamReader(collector.port, "?last_event_id=" + query)
            #expect(try await reader.next() == StreamFrame(retry: "1000"))
            var frames = try await reader.next(expected.count + (omitted == nil ? 0 : 1))
            if let omitted {
                let index = try #require(frames.firstIndex { $0.event != "reset" })
                let frame = frames.remove(at: index)
                #expect(frame == StreamFrame(event: "omitted", data: omitted))
            }
            #expect(frames.compactMap(\.id) == expected.map(String.init))
            // Nothing else was sent: the next frame is the reset.
            #expect(try await collector.send("POST", "/api/reset").status == 200)
            #expect(try labels(try await reader.next(1)) == ["reset"])
        }
    }

    @Test("sends the newest events of a backlog of any size, in order, and then those that arrive")
    func newestOfBacklog() async throws {
        try await withCollector { collector in
            for batch in 0..<4 {
                let numbers = batch * 300..<(batch + 1) * 300
                _ = try await collector.post("[\(numbers.map { event("\($0)") }.joined(separator: ","))]")
                _ = try await collector.post("[\(numbers.map { click($0) }.joined(separator: ","))]", "/pulse")
                let audit = numbers.map { CapturedFormat.audit.sample($0) }
                _ = try await collector.post("[\(audit.joined(separator: ","))]", "/audit")
            }
            let whole = try await StreamReader(collector.port, "?last_event_id=0")
            let all = try await whole.next(3_605).dropFirst()
            let newest = ["event": 301, "captured": 1_000, "audit": 0]
            let query = "?last_event_id=0&newest_events=301&newest_captured=1000&newest_audit=0"
            let reader = try await StreamReader(collector.port, query)
            let frames = try await reader.next(1_305).dropFirst(2)
            for (kind, count) in newest {
                let kept = all.filter { $0.event == kind }.suffix(count)
                #expect(frames.filter { $0.event == kind } == Array(kept), "\(kind)")
            }
            #expect(frames.filter { $0.event == "request" } == Array(all.filter { $0.event == "request" }.suffix(2)))
            _ = try await collector.post("[\(CapturedFormat.audit.sample(5_000))]", "/audit")
            #expect(try labels(try await reader.next(1)) == ["audit"])
        }
    }

    @Test("sends a backlog of any size completely, in order")
    func backlog() async throws {
        try await withCollector { collector in
            let long = String(repeating: "x", count: 900)
            for batch in 0..<4 {
                let events = (0..<300).map { event("E\(batch * 300 + $0)", attributes: #""note":"\#(long)""#) }
                _ = try await collector.post("[\(events.joined(separator: ","))]")
            }
            let reader = try await StreamReader(collector.port, "?last_event_id=0")
            let seen = try labels(try await reader.next(1_205)).dropFirst()
            #expect(seen.filter { $0 != "R300" } == (0..<1_200).map { "E\($0)" })
            #expect(seen.count == 1_204)
        }
    }

    @Test("sends a heartbeat if there are no events")
    func heartbeat() async throws {
        let time = virtualTime()
        try await withCollector(time: time) { collector in
            let reader = try await StreamReader(collector.port)
            #expect(try labels(try await reader.next(1)) == ["retry 1000"])
            for _ in 0..<2 {
                await time.timers(after: 15_000)
                await time.advance(milliseconds: 15_000)
                #expect(try labels(try await reader.next(1)) == [":"])
            }
        }
    }

    @Test("ends gracefully when the collector stops, even with a client that does not read")
    func stop() async throws {
        let time = virtualTime()
        let collector = try await Collector.start(CollectorConfiguration(), time: time)
        let reader = try await StreamReader(collector.port)
        _ = try await reader.next()
        let deaf = try await StreamReader(collector.port, "?last_event_id=0")
        let long = String(repeating: "x", count: 900)
        for batch in 0..<12 {
            let events = (0..<900).map { event("E\(batch * 900 + $0)", attributes: #""note":"\#(long)""#) }
            _ = try await collector.post("[\(events.joined(separator: ","))]")
        }
        let stop = Task { await collector.stop() }
        while try await reader.next() != nil {}
        // One second for each of both streams, beside the timer of the deadlines; requests in progress have ten.
        await time.timers(3, after: 1_000)
        await time.advance(milliseconds: 1_000)
        await stop.value
        deaf.close()
    }

    @Test(
        "reports the expected value",
        arguments: [
            ("?last_event_id=x", 400, "Last-Event-ID must be the id of an event of this stream, not 'x'"),
            (
                "?cursor=1", 400,
                "unknown parameter cursor; use name, session, user, app, device, platform, version, screen, status, "
                    + "code, since, until, form, last_event_id, newest_events, newest_captured, newest_audit, event_bytes"
            ),
            ("?newest_audit=-1", 400, "newest_audit must be an integer from 0, not '-1'"),
            ("?status=ugly", 400, "status must be good or bad, not 'ugly'"),
        ]
    )
    func errors(_ query: String, _ status: Int, _ text: String) async throws {
        try await withCollector { collector in
            let response = try await collector.get("/api/stream" + query)
            #expect(response.status == status)
            #expect(try response.object() as? [String: String] == ["error": text])
            #expect(try await collector.send("POST", "/api/stream").status == 405)
            #expect(try await collector.send("HEAD", "/api/stream").status == 200)
        }
    }
}
#endif
