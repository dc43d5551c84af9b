#if Collector
import ClickstreamCore
import Foundation
import Testing

@testable import ClickstreamCollector

@Suite("Ingestion")
struct IngestionTests {
    @Test("replies like the published server: 200, no body, text/plain, an id of 32 digits")
    func accepted() async throws {
        try await withCollector { collector in
            let response = try await collector.post("[\(event("A"))]")
            #expect(response.status == 200)
            #expect(response.body == [])
            #expect(response.headers["content-type"] == "text/plain")
            #expect(response.headers["content-length"] == "0")
            #expect(response.headers["date"] == "Wed, 08 May 2024 01:26:55 GMT")
            let id = try #require(response.headers["x-request-id"])
            #expect(id.count == 32 && id.allSatisfy { "0123456789abcdef".contains($0) })
            let request = try await collector.request(id)
            #expect(request?.data == "[\(event("A"))]")
            let events = try await collector.events()
            #expect(events.events.map(\.requestID) == [id])
        }
    }

    @Test("accepts any method on the path", arguments: ["GET", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH", "REPORT"])
    func methods(_ method: String) async throws {
        try await withCollector { collector in
            let response = try await collector.send(method, "/collect?appId=shop")
            #expect(response.status == 200)
            #expect(response.headers["access-control-allow-origin"] == nil)
            let requests = try await collector.requests().requests
            #expect(requests.map(\.method) == [method])
            #expect(requests.map(\.reason) == ["empty"])
        }
    }

    @Test(
        "replies 200 to an unreadable body, and keeps it with the reason",
        arguments: [
            ("", "empty"), (" \n", "empty"), ("{}", "not_an_array"), ("null", "not_an_array"), ("[1,", "json"),
            ("[1,]", "json"), ("[{\"a\":}]", "json"), ("[\"\\ud8\"]", "json"), ("hello world", "base64"),
            ("aGVsbG8=", "gzip"), ("H4sI", "gzip"),
        ]
    )
    func unreadable(_ body: String, _ reason: String) async throws {
        try await withCollector { collector in
            let response = try await collector.post(body)
            #expect(response.status == 200)
            let request = try #require(try await collector.request(response.headers["x-request-id"] ?? ""))
            #expect(request.reason == reason)
            #expect(request.data == body)
            #expect(request.status == .bad)
            let summary = try await collector.summary()
            #expect(summary == CollectorSummary(requests: 1, badRequests: 1))
        }
    }

    @Test("decodes the body independently of the parameter, in either encoding or none")
    func encodings() async throws {
        try await withCollector { collector in
            let raw = Array("[\(event("A"))]".utf8)
            let zipped = Gzip.deflate(raw)
            let text = Base64.encode(zipped)
            let bodies: [(String, [UInt8], [String: String])] = [
                ("gzip", raw, [:]), ("", text, [:]), ("gzip", text, [:]),
                ("", zipped, ["Content-Encoding": "gzip"]), ("gzip", Gzip.deflate(text), ["content-encoding": "GZIP"]),
                ("", raw, ["Content-Encoding": "identity"]),
            ]
            for (number, (compression, body, headers)) in bodies.enumerated() {
                let target = "/collect?appId=shop&compression=\(compression)"
                let response = try await collector.send("POST", target, headers: headers, body: body)
                #expect(response.status == 200)
                let request = try await collector.request(response.headers["x-request-id"] ?? "")
                #expect(request?.reason == nil)
                // Its one event is new once, and a duplicate from then on.
                #expect(request?.events == (number == 0 ? 1 : 0))
                #expect(request?.duplicates == (number == 0 ? 0 : 1))
                #expect(request?.rawBytes == raw.count)
                #expect(request?.encodedBytes == body.count)
            }
            let summary = try await collector.summary()
            #expect(
                summary
                    == CollectorSummary(
                        requests: 6,
                        events: 1,
                        goodEvents: 1,
                        duplicates: 5,
                        sessions: 1,
                        users: 1
                    )
            )
        }
    }

    /// The store identifies events by a 64-bit hash of both; these all have the same hash.
    @Test(
        "accepts events with colliding hashes as fast as others, and recognizes each of them again",
        .timeLimit(.minutes(10))
    )
    func lookalikes() async throws {
        try await withCollector { collector in
            let count = 8_000
            let events = (0..<count).map { number in
                #"{"event_id":"a","app_id":"shop","event_type":"tap","timestamp":\#(number << 42)}"#
            }
            for _ in 0..<2 { #expect(try await collector.post("[\(events.joined(separator: ","))]").status == 200) }
            let summary = try await collector.summary()
            #expect(summary.events == count && summary.duplicates == count)
        }
    }

    @Test(
        "reports the layer at which a compressed body is unreadable",
        arguments: [
            ([] as [UInt8], "empty"), (Array("{}".utf8), "not_an_array"), (Array("[}".utf8), "json"),
            (Array(repeating: 0x20, count: 3), "empty"),
        ]
    )
    func compressedGarbage(_ raw: [UInt8], _ reason: String) async throws {
        try await withCollector { collector in
            let body = Base64.encode(Gzip.deflate(raw))
            let response = try await collector.send("POST", "/collect?compression=gzip", body: body)
            let request = try await collector.request(response.headers["x-request-id"] ?? "")
            #expect(response.status == 200)
            #expect(request?.reason == reason)
        }
    }

    @Test("keeps a body that is declared as gzip but is not")
    func falseContentEncoding() async throws {
        try await withCollector { collector in
            let response = try await collector.post("[]", headers: ["Content-Encoding": "gzip"])
            #expect(response.status == 200)
            let requests = try await collector.requests().requests
            #expect(requests.map(\.reason) == ["gzip"])
        }
    }

    @Test("inflates no further than its limit")
    func inflationLimit() async throws {
        var limits = Limits()
        limits.inflatedBytes = 100_000
        try await withCollector(limits: limits) { collector in
            let body = Base64.encode(Gzip.deflate([UInt8](repeating: 0x20, count: 200_000)))
            #expect(try await collector.send("POST", "/collect", body: body).status == 200)
            let requests = try await collector.requests().requests
            #expect(requests.map(\.reason) == ["inflation_limit"])
        }
    }

    @Test("compares the hash with the text that was sent", arguments: [(true, true), (false, false), (nil, nil)])
    func hashCode(_ isRight: Bool?, _ expected: Bool?) async throws {
        try await withCollector { collector in
            let body = Base64.encode(Gzip.deflate(Array("[\(event("A"))]".utf8)))
            let parameter = isRight.map { $0 ? "&hashCode=\(SHA256.hashCode(of: body))" : "&hashCode=00000000" } ?? ""
            _ = try await collector.send("POST", "/collect?appId=shop\(parameter)", body: body)
            let requests = try await collector.requests().requests
            #expect(requests.map(\.hashMatches) == [expected])
            #expect(requests.map(\.status) == [.good])
        }
    }

    // MARK: - Refusals

    @Test(
        "rejects other paths and unknown apps like the published load balancer",
        arguments: [
            ("/collect?appId=other", 403), ("/collect", 403), ("/collect?appId=SHOP", 403),
            ("/collect/?appId=shop", 403), ("/collect/x?appId=shop", 403), ("/other?appId=shop", 403),
            ("/collect?appId=shop", 200), ("/collect?x=1&appId=sh%6Fp", 200),
        ]
    )
    func unknownApps(_ target: String, _ status: Int) async throws {
        try await withCollector(CollectorConfiguration(appIDs: ["shop"])) { collector in
            let response = try await collector.post("[\(event("A"))]", target)
            #expect(response.status == status)
            if status == 403 {
                #expect(response.text == "DefaultAction: Invalid request")
                #expect(response.headers["content-type"] == "text/plain")
            }
            let summary = try await collector.summary()
            #expect(summary.requests == (status == 200 ? 1 : 0))
        }
    }

    @Test("accepts events on the configured path")
    func otherPath() async throws {
        try await withCollector(CollectorConfiguration(path: "/in/events")) { collector in
            let there = try await collector.post("[]", "/in/events")
            let elsewhere = try await collector.post("[]", "/collect")
            #expect(there.status == 200)
            #expect(elsewhere.status == 403)
        }
    }

    @Test(
        "requires all parts of a cookie with several parts, in any order",
        arguments: [
            ("a=1; b=2", 200), ("b=2; a=1", 200), ("x=3;a=1;b=2", 200), ("a=1", 401), ("a=1; b=", 401), ("a=1b=2", 401),
            ("A=1; b=2", 401), ("", 401), (";", 401),
        ]
    )
    func cookieParts(_ cookie: String, _ status: Int) async throws {
        try await withCollector(CollectorConfiguration(authCookie: "a=1; b=2")) { collector in
            let response = try await collector.post("[]", headers: ["cookie": cookie])
            let summary = try await collector.summary()
            #expect(response.status == status && summary.requests == (status == 200 ? 1 : 0))
        }
    }

    @Test(
        "requires the cookie, as a whole or as a part",
        arguments: [
            (nil, 401), ("", 401), ("secre", 401), ("secret2", 401), ("a=b; Secret", 401), ("secret", 200),
            ("a=b; secret", 200), ("secret; a=b", 200),
        ]
    )
    func cookie(_ cookie: String?, _ status: Int) async throws {
        try await withCollector(CollectorConfiguration(authCookie: "secret")) { collector in
            let headers = cookie.map { ["cookie": $0] } ?? [:]
            let response = try await collector.post("[\(event("A"))]", headers: headers)
            #expect(response.status == status)
        }
    }

    @Test("rejects unknown encodings", arguments: ["br", "deflate", "gzip, gzip"])
    func unknownEncoding(_ encoding: String) async throws {
        try await withCollector { collector in
            let response = try await collector.post("[]", headers: ["Content-Encoding": encoding])
            #expect(response.status == 415)
            #expect(try await collector.summary().requests == 0)
        }
    }

    @Test("accepts a body of 1 MiB and not one byte more", arguments: [(0, 200), (1, 413)])
    func bodyLimit(_ excess: Int, _ status: Int) async throws {
        try await withCollector { collector in
            let body = [UInt8](repeating: 0x41, count: 1_048_576 + excess)
            let port = collector.port
            let statuses = try await RawConnection.blocking {
                let connection = try RawConnection(port: port)
                connection.send(RawConnection.request("POST", "/collect", body: body))
                let first = try connection.receive()
                // A refused request that was read whole does not cost the connection.
                connection.send(RawConnection.request("GET", "/ping"))
                return [first.status, try connection.receive().status]
            }
            #expect(statuses == [status, 200])
            #expect(try await collector.summary().requests == (status == 200 ? 1 : 0))
        }
    }

    @Test("sends the status to a client with an oversized body, then closes the connection", arguments: [true, false])
    func endlessBody(_ isChunked: Bool) async throws {
        try await withCollector { collector in
            let port = collector.port
            let (response, ends) = try await RawConnection.blocking {
                let connection = try RawConnection(port: port)
                let length = isChunked ? "Transfer-Encoding: chunked" : "Content-Length: 100000000"
                connection.send("POST /collect HTTP/1.1\r\nHost: localhost\r\n\(length)\r\n\r\n".utf8)
                let part = [UInt8](repeating: 0x41, count: 65_536)
                let chunk = isChunked ? Array("10000\r\n".utf8) + part + Array("\r\n".utf8) : part
                for _ in 0..<40 { connection.send(chunk) }
                let response = try connection.receive()
                return (response, try connection.isEnded())
            }
            #expect(response.status == 413)
            #expect(response.headers["connection"] == "close")
            #expect(ends)
        }
    }

    @Test("rejects before the body is sent, if the client expects 100-continue")
    func expectation() async throws {
        try await withCollector { collector in
            let port = collector.port
            let statuses = try await RawConnection.blocking {
                try ["1048577", "9223372036854775808", "2"].map { length in
                    let connection = try RawConnection(port: port)
                    let head = "POST /collect HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n"
                    connection.send("\(head)Content-Length: \(length)\r\n\r\n".utf8)
                    return try connection.receive().status
                }
            }
            #expect(statuses == [413, 413, 100])
        }
    }

    @Test("ignores the expectation of a client of HTTP/1.0, which cannot read an interim response")
    func oldExpectation() async throws {
        try await withCollector { collector in
            let connection = try RawConnection(port: collector.port)
            connection.send("POST /collect HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n[]".utf8)
            #expect(try await connection.next().status == 200)
            #expect(try await connection.ends())
        }
    }

    @Test(
        "stores nothing of an incomplete request",
        arguments: ["Content-Length: 10", "Transfer-Encoding: chunked"]
    )
    func tornRequest(_ length: String) async throws {
        try await withCollector { collector in
            let port = collector.port
            try await RawConnection.blocking {
                let connection = try RawConnection(port: port)
                connection.send("POST /collect HTTP/1.1\r\nHost: localhost\r\n\(length)\r\n\r\n5\r\n[1".utf8)
                connection.finish()
                _ = try? connection.receive()
            }
            let summary = try await collector.summary()
            #expect(summary.requests == 0)
        }
    }

    @Test("closes a connection that is idle within a request")
    func silence() async throws {
        var limits = Limits()
        limits.idleSeconds = 1
        try await withCollector(limits: limits) { collector in
            let connection = try RawConnection(port: collector.port)
            connection.send("POST /collect HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n[".utf8)
            await #expect(throws: RawConnection.Failure.self) { try await connection.next() }
        }
    }

    @Test("rejects a head that is too long with 400 and closes the connection")
    func longHead() async throws {
        try await withCollector { collector in
            let connection = try RawConnection(port: collector.port)
            let value = String(repeating: "a", count: 40_000)
            connection.send("GET /ping HTTP/1.1\r\nHost: localhost\r\nX-Long: \(value)\r\n\r\n".utf8)
            let response = try await connection.next()
            #expect(response.status == 400)
        }
    }

    // MARK: - Beside the path

    @Test("reports its time in seconds with milliseconds")
    func ping() async throws {
        try await withCollector { collector in
            let response = try await collector.get("/ping?appId=anything")
            #expect(response.status == 200)
            #expect(response.text == #"{"timestamp":1715131615.123}"#)
            #expect(response.headers["content-type"] == "application/json")
        }
    }

    @Test("replies to a ping like the published server: by app id, with an id, and to pages of allowed origins")
    func publishedPing() async throws {
        let configuration = CollectorConfiguration(appIDs: ["shop"], corsOrigins: ["https://shop.example"])
        try await withCollector(configuration) { collector in
            for (target, status) in [("/ping?appId=shop", 200), ("/ping", 403), ("/ping?appId=other", 403)] {
                #expect(try await collector.get(target).status == status)
            }
            let fitting = ["Origin": "https://shop.example"]
            let taken = try await collector.send("GET", "/ping?appId=shop", headers: fitting)
            #expect(taken.headers["access-control-allow-origin"] == "https://shop.example")
            #expect(taken.headers["x-request-id"]?.utf8.count == 32)
            let other = try await collector.send("GET", "/ping?appId=shop", headers: ["Origin": "https://evil.example"])
            #expect(other.status == 200)
            #expect(other.headers["access-control-allow-origin"] == nil)
            #expect(try await collector.send("OPTIONS", "/ping?appId=shop", headers: fitting).status == 204)
        }
    }

    @Test("reports its health")
    func health() async throws {
        try await withCollector(CollectorConfiguration(authCookie: "secret")) { collector in
            let response = try await collector.get("/health")
            #expect(response.status == 200)
            #expect(response.text == #"{"ok":true}"#)
        }
    }

    @Test(
        "allows pages of allowed origins only",
        arguments: [
            ("OPTIONS", "https://Shop.example.com", 204), ("POST", "https://shop.example.com", 200),
            ("OPTIONS", "https://evil.example", 200), ("POST", "https://evil.example", 200),
        ]
    )
    func crossOrigin(_ method: String, _ origin: String, _ status: Int) async throws {
        let configuration = CollectorConfiguration(corsOrigins: ["https://shop.example.com"])
        try await withCollector(configuration) { collector in
            let response = try await collector.send(method, "/collect?appId=shop", headers: ["Origin": origin])
            #expect(response.status == status)
            let isAllowed = !origin.contains("evil")
            #expect(response.headers["access-control-allow-origin"] == (isAllowed ? origin : nil))
            #expect(response.headers["access-control-allow-credentials"] == (isAllowed ? "true" : nil))
            #expect(response.headers["access-control-allow-methods"] == (isAllowed ? "GET, POST, OPTIONS" : nil))
            #expect(response.headers["content-length"] == (status == 204 ? nil : "0"))
            let summary = try await collector.summary()
            #expect(summary.requests == (status == 204 ? 0 : 1))
        }
    }

    @Test("answers pipelined requests in order")
    func pipelining() async throws {
        try await withCollector { collector in
            let connection = try RawConnection(port: collector.port)
            let requests = ["/ping", "/nowhere", "/health"].map { RawConnection.request("GET", $0) }
            connection.send(requests.joined())
            var statuses: [Int] = []
            for _ in requests { statuses.append(try await connection.next().status) }
            #expect(statuses == [200, 403, 200])
        }
    }
}
#endif
