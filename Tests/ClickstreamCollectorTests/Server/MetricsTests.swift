#if Collector
import ClickstreamCore
import ClickstreamSimulation
import Foundation
import Testing

@testable import ClickstreamCollector

@Suite("Metrics")
struct MetricsTests {
    @Test("count requests, replies and open connections, in the format of Prometheus")
    func counters() async throws {
        try await withCollector { collector in
            let body = "[\(event("A")),\(event("A")),\(event("B", attributes: #""a b":1"#))]"
            _ = try await collector.post(body)
            _ = try await collector.post("nonsense")
            _ = try await collector.get("/nowhere")
            let response = try await collector.get("/metrics")
            #expect(response.status == 200)
            #expect(response.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8")
            let lines = Set(response.text.split(separator: "\n").map(String.init))
            let name = "clickstream_collector"
            for line in [
                #"\#(name)_requests_total{status="good"} 1"#, #"\#(name)_requests_total{status="bad"} 1"#,
                #"\#(name)_events_total{status="good"} 1"#, #"\#(name)_events_total{status="bad"} 1"#,
                "\(name)_duplicates_total 1", "\(name)_received_bytes_total \(body.utf8.count + 8)",
                #"\#(name)_responses_total{code="200"} 2"#, #"\#(name)_responses_total{code="403"} 1"#,
                #"\#(name)_build_info{version="\#(SDK.version)"} 1"#, "# TYPE \(name)_connections gauge",
            ] {
                #expect(lines.contains(line), "\(line)")
            }
            #expect(!lines.contains("\(name)_store_bytes 0"))
            #expect(response.text.hasSuffix("\n"))
        }
    }

    @Test("count each reply once: those of the parser, of HTTP/1.0, after a 100, and of the stream")
    func replies() async throws {
        try await withCollector { collector in
            let requests: [(text: String, statuses: [Int])] = [
                ("BREW / HTTP/1.1\r\nHost: localhost\r\n\r\n", [400]), ("GET /ping HTTP/1.1\r\n\r\n", [400]),
                ("GET /ping HTTP/1.1\r\nHost: localhost\r\nA\u{1}: b\r\n\r\n", [400]),
                ("GET /ping HTTP/1.0\r\n\r\n", [200]),
                (
                    "POST /collect HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n[]",
                    [100, 200]
                ),
                ("GET /api/stream HTTP/1.1\r\nHost: localhost\r\n\r\n", [200]),
            ]
            for request in requests {
                let connection = try RawConnection(port: collector.port)
                connection.send(request.text.utf8)
                for status in request.statuses {
                    #expect(try await connection.next().status == status, "\(request.text)")
                }
                connection.close()
            }
            let lines = try await collector.get("/metrics").text.split(separator: "\n")
            let replies = lines.filter { $0.hasPrefix("clickstream_collector_responses_total") }
            #expect(
                replies == [
                    #"clickstream_collector_responses_total{code="200"} 3"#,
                    #"clickstream_collector_responses_total{code="400"} 3"#,
                ]
            )
        }
    }

    @Test("contain every sample under its type, each name once, with a number at its end")
    func format() async throws {
        try await withCollector { collector in
            let text = try await collector.get("/metrics").text
            var types: [String: String] = [:]
            for line in text.split(separator: "\n") {
                let words = line.split(separator: " ", maxSplits: 3).map(String.init)
                if words[0] == "#" {
                    if words[1] == "TYPE" { #expect(types.updateValue(words[3], forKey: words[2]) == nil) }
                } else {
                    let name = String(line.prefix { $0 != "{" && $0 != " " })
                    #expect(types[name] != nil, "\(line)")
                    #expect(Double(line.split(separator: " ").last ?? "") != nil, "\(line)")
                }
            }
            #expect(types["process_resident_memory_bytes"] == "gauge")
            #expect(types["process_cpu_seconds_total"] == "counter")
        }
    }

    @Test("remove a connection that has ended")
    func connections() async throws {
        try await withCollector { collector in
            let connections = try await (0..<3).asyncMap { _ in
                let connection = try RawConnection(port: collector.port)
                connection.send(RawConnection.request("GET", "/ping"))
                _ = try await connection.next()
                return connection
            }
            func open() async throws -> Int? {
                let lines = try await collector.get("/metrics").text.split(separator: "\n")
                return lines.first { $0.hasPrefix("clickstream_collector_connections ") }
                    .flatMap { Int($0.split(separator: " ")[1]) }
            }
            #expect(try await open() ?? 0 >= 4)
            let left = AwaitedState<Int?>(nil)
            collector.metrics.onConnectionEnd { count in left.withLock { $0 = count } }
            for connection in connections { connection.close() }
            // That of the reading ends, too.
            await left.until { $0 == 0 }
            #expect(try await open() == 1)
        }
    }
}

extension Sequence {
    fileprivate func asyncMap<Value>(_ body: (Element) async throws -> Value) async rethrows -> [Value] {
        var values: [Value] = []
        for element in self { values.append(try await body(element)) }
        return values
    }
}
#endif
