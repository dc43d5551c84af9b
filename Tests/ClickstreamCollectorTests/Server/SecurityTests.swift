#if Collector
import ClickstreamCore
import ClickstreamSimulation
import Foundation
import Testing

@testable import ClickstreamCollector

@Suite("Security")
struct SecurityTests {
    @Test(
        "accepts only its own host names when it listens on the local machine",
        arguments: [
            ("localhost", 200), ("LOCALHOST:80", 200), ("127.0.0.1:9090", 200), ("127.1.2.3", 200), ("[::1]:80", 200),
            ("a.localhost", 200), ("evil.example", 403), ("127.0.0.1.evil.example", 403),
            ("localhost.evil.example", 403),
            ("evil.example:80", 403), ("192.168.0.1", 403), ("127.0.0.256", 403), ("[::2]", 403),
            ("localhost:", 200), ("localhost:80:evil", 403), ("localhost:evil", 403), ("[::1]evil.com", 403),
            ("[::1]:80evil", 403), ("[::1", 403), ("127.0.0.1:80:evil", 403), ("::1", 403),
        ]
    )
    func rebinding(_ host: String, _ status: Int) async throws {
        try await withCollector { collector in
            for target in ["/api/events", "/api/stream?x", "/micro/all", "/metrics", "/api/openapi.json"] {
                let connection = try RawConnection(port: collector.port)
                connection.send("GET \(target) HTTP/1.1\r\nHost: \(host)\r\n\r\n".utf8)
                let response = try await connection.next()
                #expect(response.status == (status == 200 && target.hasSuffix("?x") ? 400 : status), "\(target)")
            }
            // Apps may send under any name, and load balancers check the health.
            for head in ["POST /collect", "GET /ping", "GET /health"] {
                let connection = try RawConnection(port: collector.port)
                let body = head.hasPrefix("POST") ? "[]" : ""
                connection.send(
                    "\(head) HTTP/1.1\r\nHost: \(host)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)".utf8
                )
                #expect(try await connection.next().status == 200, "\(head)")
            }
        }
    }

    @Test(
        "names the refused host and the option that allows it",
        arguments: [
            ("collector:9090", "collector"), ("Shop.Example", "Shop.Example"), ("127.1:80", "127.1"),
            ("[::2]:80", nil),
        ] as [(String, String?)],
        ["/", "/api/summary", "/micro/all", "/metrics", "/nowhere"]
    )
    func foreignHost(_ host: (String, String?), _ target: String) async throws {
        try await withCollector { collector in
            let (authority, name) = host
            let connection = try RawConnection(port: collector.port)
            connection.send("GET \(target) HTTP/1.1\r\nHost: \(authority)\r\n\r\n".utf8)
            let response = try await connection.next()
            #expect(response.status == 403)
            let body = try response.object()
            #expect(body["code"] as? String == "host_not_allowed")
            let said = try #require(body["error"] as? String)
            #expect(said.contains("'\(name ?? "::2")'"), "\(said)")
            for option in ["--allow-host ", "CLICKSTREAM_ALLOW_HOST="] {
                #expect(said.contains(option + (name ?? "")) == (name != nil), "\(said)")
            }
        }
    }

    @Test(
        "closes the connection after HTTP/1.0, and on request of the client",
        arguments: [
            ("GET /ping HTTP/1.0\r\n\r\n", true), ("GET /ping HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", true),
            ("POST /collect HTTP/1.0\r\nContent-Length: 2\r\n\r\n[]", true),
            ("GET /none HTTP/1.0\r\n\r\n", true), ("GET /api/stream?x HTTP/1.0\r\n\r\n", true),
            ("GET /ping HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", true),
            ("GET /ping HTTP/1.1\r\nHost: localhost\r\nConnection: TE, Close\r\n\r\n", true),
            ("GET /ping HTTP/1.1\r\nHost: localhost\r\nConnection: keep-alive\r\n\r\n", false),
            ("GET /ping HTTP/1.1\r\nHost: localhost\r\n\r\n", false),
            ("POST /collect HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n", false),
            ("POST /api/reset HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n", false),
        ]
    )
    func persistence(_ request: String, _ ends: Bool) async throws {
        try await withCollector { collector in
            let connection = try RawConnection(port: collector.port)
            connection.send(request.utf8)
            let response = try await connection.next()
            #expect(response.headers["connection"] == (ends ? "close" : nil))
            if ends {
                #expect(try await connection.ends())
            } else {
                connection.send("GET /ping HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)
                #expect(try await connection.next().status == 200)
            }
        }
    }

    @Test(
        "accepts addresses, its own names and configured ones when other machines are admitted, and no other name",
        arguments: [
            ("192.168.0.1:9090", 200), ("10.1.2.3", 200), ("[fe80::1]:80", 200), ("localhost", 200),
            ("a.localhost", 200),
            ("build.lan", 200), ("BUILD.lan.:80", 200), (ProcessInfo.processInfo.hostName, 200),
            ("evil.example", 403), ("192.168.0.1.evil.example", 403), ("xbuild.lan", 403), ("[evil]", 403),
        ]
    )
    func openHost(_ host: String, _ status: Int) async throws {
        var configuration = CollectorConfiguration(host: "0.0.0.0")
        configuration.allowedHosts = ["build.lan"]
        try await withCollector(configuration) { collector in
            let connection = try RawConnection(port: collector.port)
            connection.send("GET /api/summary HTTP/1.1\r\nHost: \(host)\r\n\r\n".utf8)
            #expect(try await connection.next().status == status)
            let other = try RawConnection(port: collector.port)
            other.send("POST /collect HTTP/1.1\r\nHost: \(host)\r\nContent-Length: 2\r\n\r\n[]".utf8)
            #expect(try await other.next().status == 200)
        }
    }

    @Test(
        "replies 400 to an HTTP/1.1 request with no host, or several",
        arguments: [
            ("GET /ping HTTP/1.1\r\n\r\n", 400), ("GET /ping HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400),
            ("POST /collect HTTP/1.1\r\nContent-Length: 2\r\n\r\n[]", 400),
            ("POST /collect HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n[]", 400),
            ("GET /ping HTTP/1.0\r\n\r\n", 200), ("GET /ping HTTP/1.1\r\nHost: localhost\r\n\r\n", 200),
        ]
    )
    func hostCount(_ request: String, _ status: Int) async throws {
        try await withCollector { collector in
            let connection = try RawConnection(port: collector.port)
            connection.send(request.utf8)
            #expect(try await connection.next().status == status)
            #expect(try await collector.summary().requests == 0)
            if status == 400 { #expect(try await connection.ends()) }
        }
    }

    @Test(
        "lists the allowed methods in the reply to another one",
        arguments: [
            ("DELETE", "/", "GET, HEAD"), ("POST", "/metrics", "GET, HEAD"), ("PUT", "/api/events", "GET, HEAD"),
            ("POST", "/api/events/1", "GET, HEAD"), ("POST", "/api/stream", "GET, HEAD"), ("GET", "/api/reset", "POST"),
            ("PUT", "/api/faults", "GET, HEAD, POST"), ("PUT", "/micro/good", "GET, HEAD, POST"),
            ("HEAD", "/micro/reset", "GET, POST"), ("PUT", "/micro/reset", "GET, POST"),
        ]
    )
    func allow(_ method: String, _ target: String, _ allowed: String) async throws {
        try await withCollector { collector in
            let response = try await collector.send(method, target)
            #expect(response.status == 405)
            #expect(response.headers["allow"] == allowed)
        }
    }

    @Test(
        "names in Allow exactly the methods that it takes",
        arguments: [
            "/", "/metrics", "/api/summary", "/api/events", "/api/events/1", "/api/requests", "/api/requests/x",
            "/api/sessions", "/api/sessions/x", "/api/reset", "/api/faults", "/api/openapi.json", "/micro/all",
            "/micro/good", "/micro/bad", "/micro/events", "/micro/reset",
        ]
    )
    func allowsWhatItTakes(_ target: String) async throws {
        try await withCollector { collector in
            let methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND"]
            var taken: [String] = []
            var lists: Set<String> = []
            for method in methods {
                let response = try await collector.send(method, target)
                if response.status == 405 {
                    lists.insert(try #require(response.headers["allow"]))
                } else {
                    taken.append(method)
                }
            }
            #expect(lists == [taken.joined(separator: ", ")])
        }
    }

    @Test(
        "refuses CONNECT, whatever stands behind its head",
        arguments: [
            ("/collect?appId=shop", ""), ("/collect?appId=shop", "[]"), ("localhost:443", ""), ("/ping", "[]"),
        ]
    )
    func connect(_ target: String, _ rest: String) async throws {
        try await withCollector { collector in
            let port = collector.port
            let status = try await RawConnection.blocking {
                let connection = try RawConnection(port: port)
                let head = "CONNECT \(target) HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(rest.utf8.count)\r\n\r\n"
                connection.send((head + rest).utf8)
                return try connection.receive().status
            }
            #expect(status == 400)
            #expect(try await collector.summary().requests == 0)
        }
    }

    @Test(
        "allows no page of another origin to change anything",
        arguments: ["/api/reset", "/api/faults", "/micro/reset"],
        [
            ["Origin": "https://evil.example"], ["Origin": "null"], ["Origin": "http://localhost:1"],
            ["Sec-Fetch-Site": "cross-site"], ["Sec-Fetch-Site": "same-site"],
            ["Origin": "https://localhost", "Sec-Fetch-Site": "same-origin"],
        ]
    )
    func forgery(_ target: String, _ headers: [String: String]) async throws {
        try await withCollector { collector in
            _ = try await collector.post("[\(event("A"))]")
            let refused = try await collector.send("POST", target, headers: headers, body: Array("[]".utf8))
            #expect(refused.status == 403)
            #expect(refused.headers["access-control-allow-origin"] == nil)
            #expect(try await collector.summary().requests == 1)
            let own = ["Origin": "http://localhost", "Sec-Fetch-Site": "same-origin"]
            let body = target == "/micro/reset" ? [] : Array("[]".utf8)
            #expect(try await collector.send("POST", target, headers: own, body: body).status == 200)
        }
    }

    @Test(
        "answers no query that a browser sends for a page of another site",
        arguments: [
            "/api/summary", "/api/plan", "/api/plan/events/1", "/api/stream?x", "/api/openapi.json", "/micro/good",
            "/metrics",
        ]
    )
    func crossSite(_ target: String) async throws {
        try await withCollector { collector in
            for method in ["GET", "HEAD", "POST"] {
                let refused = try await collector.send(method, target, headers: ["Sec-Fetch-Site": "cross-site"])
                #expect(refused.status == 403, "\(method)")
            }
            let plain = try await collector.get(target).status
            for site in ["same-origin", "same-site", "none"] {
                #expect(try await collector.send("GET", target, headers: ["Sec-Fetch-Site": site]).status == plain)
            }
            #expect(plain != 403)
        }
    }

    @Test(
        "may be opened by a link of another site, and receives the events of its pages",
        arguments: [("GET", "/"), ("GET", "/ping"), ("GET", "/health"), ("POST", "/collect")]
    )
    func linked(_ method: String, _ target: String) async throws {
        try await withCollector { collector in
            let headers = ["Sec-Fetch-Site": "cross-site"]
            let body = method == "POST" ? Array("[]".utf8) : []
            let reply = try await collector.send(method, target, headers: headers, body: body)
            #expect(reply.status == 200)
        }
    }

    @Test(
        "accepts changes of its own page behind a proxy with TLS that has an allowed name",
        arguments: [
            ("tools.example", "https://tools.example", nil, 200),
            ("tools.example", "https://tools.example:443", nil, 200),
            ("tools.example:443", "https://tools.example", nil, 200),
            ("Tools.Example", "https://tools.example", nil, 200),
            ("tools.example:8443", "https://tools.example:8443", nil, 200),
            ("tools.example", "https://tools.example", "same-origin", 200),
            // A proxy that replaces `Host` by the address of the collector.
            ("127.0.0.1:9090", "https://tools.example", "same-origin", 200),
            ("127.0.0.1:9090", "https://tools.example:8443", "same-origin", 200),
            ("127.0.0.1:9090", "https://tools.example", nil, 403),
            ("tools.example", "http://tools.example", nil, 200), ("tools.example", "http://tools.example:81", nil, 403),
            ("tools.example", "https://tools.example:8443", nil, 403),
            ("tools.example", "https://tools.example", "cross-site", 403),
            ("tools.example", "https://tools.example", "same-site", 403),
            ("tools.example", "https://tools.example.evil.example", "same-origin", 403),
            ("tools.example", "https://evil.example", "same-origin", 403),
            ("tools.example", "https://localhost", "same-origin", 403), ("tools.example", "null", "same-origin", 403),
            ("tools.example", "wss://tools.example", "same-origin", 403),
            ("evil.example", "https://evil.example", "same-origin", 403),
        ] as [(String, String, String?, Int)]
    )
    func secureProxy(_ host: String, _ origin: String, _ site: String?, _ status: Int) async throws {
        var configuration = CollectorConfiguration()
        configuration.allowedHosts = ["tools.example"]
        try await withCollector(configuration) { collector in
            for target in ["/api/reset", "/micro/reset", "/api/faults"] {
                let connection = try RawConnection(port: collector.port)
                let body = target == "/api/faults" ? "[]" : ""
                let head = "POST \(target) HTTP/1.1\r\nHost: \(host)\r\nOrigin: \(origin)\r\n"
                let header = site.map { "Sec-Fetch-Site: \($0)\r\n" } ?? ""
                connection.send("\(head)\(header)Content-Length: \(body.utf8.count)\r\n\r\n\(body)".utf8)
                #expect(try await connection.next().status == status, "\(target)")
            }
        }
    }

    @Test("compares a cookie in constant time")
    func cookieTime() async throws {
        // The comparison looks at every byte, wherever the first difference is: both fail, and neither sooner.
        let secret = String(repeating: "s", count: 4_096)
        try await withCollector(CollectorConfiguration(authCookie: secret)) { collector in
            for wrong in ["x\(secret.dropFirst())", "\(secret.dropLast())x", "\(secret)s", "\(secret.dropLast())"] {
                let refused = try await collector.post("[]", headers: ["Cookie": wrong])
                #expect(refused.status == 401)
            }
            let part = ["Cookie": "a=1; \(secret); b=2"]
            let taken = try await collector.post("[]", headers: part)
            #expect(taken.status == 200)
        }
    }

    @Test("rejects or stores hostile bodies, and keeps running")
    func hostileBodies() async throws {
        let deep = String(repeating: "[", count: 10_000) + String(repeating: "]", count: 10_000)
        let bomb = Base64.encode(Gzip.deflate([UInt8](repeating: 0x20, count: 8 * 1_048_576), level: 1))
        let many = Base64.encode(Gzip.deflate(Array(("[1" + String(repeating: ",1", count: 200_000) + "]").utf8)))
        let bodies: [([UInt8], String?)] = [
            (bomb, "inflation_limit"), (many, "too_many"), (Array(deep.utf8), "json"),
            (Array("[\(deep)]".utf8), "json"), ([0x5B, 0x22, 0xFF, 0xFE, 0x22, 0x5D], "json"),
            (Array(#"["\ud800"]"#.utf8), nil),
            (Array("[1e999999999,-0,\(String(repeating: "9", count: 5_000))]".utf8), nil),
            ([UInt8](repeating: 0, count: 1_000), "empty"), (Array(#"[{"a":{"a":1,"a":2},"":0}]"#.utf8), nil),
            (Array("[\"\(String(repeating: "x", count: 900_000))\"]".utf8), nil),
        ]
        var limits = Limits()
        limits.inflatedBytes = 4 * 1_048_576
        try await withCollector(limits: limits) { collector in
            for (body, reason) in bodies {
                let response = try await collector.send("POST", "/collect?appId=shop", body: body)
                #expect(response.status == 200)
                let request = try await collector.request(response.headers["x-request-id"] ?? "")
                #expect(request?.reason == reason, "\(body.prefix(20))")
                #expect(request?.detail?.utf8.count ?? 0 < 500)
            }
            let summary = try await collector.summary()
            #expect(summary.requests == bodies.count)
            #expect(summary.badRequests == bodies.count { $0.1 != nil })
            #expect(try await collector.get("/api/events?limit=10000").status == 200)
            #expect(try await collector.get("/api/requests?limit=10000").status == 200)
        }
    }

    @Test(
        "rejects an unexpected body like an unknown path, and replies normally without one",
        arguments: [
            ("POST", "/", 2, 403), ("POST", "/?appId=shop", 70_000, 403), ("POST", "/ping", 2, 403),
            ("PUT", "/health", 2, 403), ("POST", "/metrics", 300, 403), ("GET", "/", 2, 403),
            ("POST", "/nowhere", 2, 403), ("POST", "/nowhere", 1_048_577, 403), ("POST", "/", 1_048_577, 403),
            ("POST", "/", 0, 405), ("POST", "/metrics", 0, 405), ("POST", "/ping", 0, 200),
            ("POST", "/api/events", 2, 405), ("GET", "/api/summary", 2, 200), ("POST", "/api/nothing", 2, 404),
            ("POST", "/api/events", 70_000, 403), ("GET", "/api/summary", 70_000, 403),
            ("POST", "/api/faults", 70_000, 403), ("POST", "/micro/all", 70_000, 403),
            ("POST", "/collect", 1_048_577, 413),
        ]
    )
    func bodies(_ method: String, _ target: String, _ length: Int, _ status: Int) async throws {
        try await withCollector { collector in
            let body = [UInt8](repeating: UInt8(ascii: " "), count: length)
            let response = try await collector.send(method, target, body: body)
            #expect(response.status == status)
            if status == 403 { #expect(response.text == "DefaultAction: Invalid request") }
            let port = collector.port
            // A client that sends `Expect`, or no length, receives the same reply.
            let others = try await RawConnection.blocking {
                let head = "\(method) \(target) HTTP/1.1\r\nHost: localhost\r\n"
                let asking = try RawConnection(port: port)
                asking.send("\(head)Expect: 100-continue\r\nContent-Length: 67108864\r\n\r\n".utf8)
                let chunked = try RawConnection(port: port)
                chunked.send("\(head)Transfer-Encoding: chunked\r\n\r\n".utf8)
                if length > 0 {
                    chunked.send("\(String(length, radix: 16))\r\n".utf8)
                    chunked.send(body + Array("\r\n".utf8))
                }
                chunked.send("0\r\n\r\n".utf8)
                return [try asking.receive().status, try chunked.receive().status]
            }
            #expect(others == [target == "/collect" ? 413 : 403, status])
        }
    }

    @Test(
        "rejects path traversal",
        arguments: [
            ("/../collect", 403), ("/collect/../api/summary", 403), ("/%63ollect", 403), ("//api/summary", 403),
            ("/api//summary", 404), ("/api/requests/../summary", 404), ("/api/requests/%2e%2e%2fsummary", 404),
            ("/api/requests/' OR 1=1 --", 400), ("/api/sessions/%27%20OR%201=1%20--", 404), ("/api/summary/", 404),
            ("/api/requests/%00", 404), ("/micro/../api/reset", 404), ("/API/summary", 403), ("/metrics/", 403),
            ("/etc/passwd", 403), ("/api/events?name=%27;DROP%20TABLE%20events;--", 200),
        ]
    )
    func paths(_ target: String, _ status: Int) async throws {
        try await withCollector { collector in
            _ = try await collector.post("[\(event("A"))]")
            let response = try await collector.get(target)
            #expect(response.status == status)
            #expect(try await collector.summary().events == 1)
        }
    }

    @Test("copies no input into the head of a reply")
    func headerInjection() async throws {
        let configuration = CollectorConfiguration(corsOrigins: ["*"])
        try await withCollector(configuration) { collector in
            for origin in ["https://a\r\nX-Injected: 1", "https://a\u{0}"] {
                let connection = try RawConnection(port: collector.port)
                connection.send(
                    "POST /collect HTTP/1.1\r\nHost: localhost\r\nOrigin: \(origin)\r\nContent-Length: 2\r\n\r\n[]".utf8
                )
                let response = try await connection.next()
                #expect(response.headers["x-injected"] == nil)
            }
            let response = try await collector.get("/api/requests/%0d%0aX-Injected:%201")
            #expect(response.status == 404 && response.headers["x-injected"] == nil)
            let text = try await collector.get("/api/events?limit=%0d%0aX-Injected:1").text
            #expect(!text.contains("\r"))
        }
    }

    @Test("limits clients that send a head a byte at a time")
    func slowHead() async throws {
        // The idle timeout is Hummingbird's and uses the real clock.
        try await withCollector(limits: Limits(idleSeconds: 1)) { collector in
            let connection = try RawConnection(port: collector.port)
            connection.send("POST /collect HTTP/1.1\r\nX-Slow: ".utf8)
            try await RawConnection.blocking {
                while !connection.isReadable(within: 100) { connection.send([0x61]) }
                #expect(throws: RawConnection.Failure.self) { try connection.receive() }
            }
        }
    }

    @Test("limits clients that send a body a byte at a time", .timeLimit(.minutes(10)))
    func slowBody() async throws {
        let time = virtualTime()
        try await withCollector(time: time) { collector in
            let connection = try RawConnection(port: collector.port)
            connection.send("POST /collect HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n".utf8)
            await time.timers(after: Deadlines.interval)
            for _ in 0..<61 {
                // Only a time limit for the whole body ends this.
                connection.send([0x61])
                await time.advance(milliseconds: 1_000)
            }
            await #expect(throws: RawConnection.Failure.self) { try await connection.next() }
            #expect(try await collector.summary().requests == 0)
        }
    }

    @Test("replies 503 with a retry time under overload, stores nothing of it, and accepts it later")
    func overload() async throws {
        var limits = Limits()
        limits.waitingBodyBytes = 100_000
        try await withCollector(limits: limits) { collector in
            let body = Array(
                "[\(event("A", attributes: "\"note\":\"\(String(repeating: "x", count: 50_000))\""))]".utf8
            )
            var held: RawConnection?
            var refused: RawResponse?
            // The second request finds no room: that must be the second body, not the one that is held.
            for attempt in 0..<1_000 where refused?.status != 503 {
                if attempt % 20 == 0 {
                    held?.close()
                    held = try RawConnection(port: collector.port)
                    held?.send("POST /collect HTTP/1.1\r\nHost: localhost\r\nContent-Length: 90000\r\n\r\n".utf8)
                    held?.send([UInt8](repeating: 0x20, count: 80_000))
                }
                refused = try await collector.send("POST", "/collect", body: body)
            }
            #expect(refused?.status == 503)
            #expect(refused?.headers["retry-after"] == "1")
            let stored = try await collector.summary()
            held?.close()
            var taken: RawResponse?
            for _ in 0..<10_000 where taken?.status != 200 {
                taken = try await collector.send("POST", "/collect", body: body)
            }
            #expect(taken?.status == 200)
            #expect(try await collector.summary().requests == stored.requests + 1)
        }
    }

    @Test("queues a client while all connections are in use, and then serves it")
    func connectionLimit() async throws {
        var limits = Limits()
        limits.connections = 3
        try await withCollector(limits: limits) { collector in
            var held = try (0..<3).map { _ in try RawConnection(port: collector.port) }
            // Each is there: it has been answered.
            for connection in held {
                connection.send(RawConnection.request("GET", "/ping"))
                #expect(try await connection.next().status == 200)
            }
            let late = try RawConnection(port: collector.port)
            late.send(RawConnection.request("GET", "/metrics"))
            let first = held.removeFirst()
            first.send(RawConnection.request("GET", "/ping"))
            #expect(try await first.next().status == 200)
            first.close()
            let answer = try await late.next()
            #expect(answer.status == 200)
            #expect(answer.text.contains("clickstream_collector_connections 3\n"))
            late.close()
        }
    }

    @Test(
        "limits connections to the available descriptors",
        arguments: [(-1, 16_384), (1_000_000, 16_384), (16_512, 16_384), (1_024, 896), (100, 16)]
    )
    func openFiles(_ files: Int, _ connections: Int) {
        #expect(Limits().connections(openFiles: files) == connections)
    }

    @Test("tolerates a thousand idle connections")
    func idleConnections() async throws {
        try await withCollector { collector in
            let connections = try (0..<1_000).map { _ in try RawConnection(port: collector.port) }
            #expect(try await collector.post("[\(event("A"))]").status == 200)
            let text = try await collector.get("/metrics").text
            #expect(text.contains("clickstream_collector_connections 100") || text.contains("_connections 99"))
            for connection in connections { connection.close() }
        }
    }
}
#endif
