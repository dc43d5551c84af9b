import ClickstreamAnalytics
import ClickstreamCore
import ClickstreamSimulation
import Synchronization
import Testing

/// Implementation of the platform's transport.
enum Way: CaseIterable, Sendable {
    #if os(Linux)
    case sockets, curl

    func transport() throws -> any ClickstreamClient.Transport {
        switch self {
        case .sockets: return SocketTransport()
        case .curl: return try #require(CurlTransport())
        }
    }
    #else
    case urlLoading

    func transport() throws -> any ClickstreamClient.Transport { URLSessionTransport() }
    #endif
}

/// The contract that all ways over the network and the scripted server keep.
@Suite("Transport", .timeLimit(.minutes(10)))
struct TransportTests {
    enum Side: Sendable, Equatable {
        case network(Way)
        case scripted

        static let all = networks + [scripted]
        static let networks = Way.allCases.map { network($0) }

        /// The transport of this side; the scripted one answers `reply`.
        func transport(_ reply: ScriptedServer.Reply) throws -> any ClickstreamClient.Transport {
            switch self {
            case .network(let way): try way.transport()
            case .scripted: ScriptedServer(time: SystemTime(), script: [reply])
            }
        }
    }

    /// Treatment of one request by each implementation of a server, and the expected result of the sender.
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        /// Reply of the real server.
        var raw: RawServer.Answer
        var scripted: ScriptedServer.Reply
        var outcome: Result<UploadResponse, TransportError>

        private init(
            _ description: String,
            raw: RawServer.Answer,
            scripted: ScriptedServer.Reply,
            _ outcome: Result<UploadResponse, TransportError>
        ) {
            testDescription = description
            self.raw = raw
            self.scripted = scripted
            self.outcome = outcome
        }

        /// A reply that comes whole.
        private init(_ status: String, _ headers: String..., body: String = "", is response: UploadResponse) {
            let lines = ["HTTP/1.1 \(status)"] + headers + ["", body]
            self.init(
                ([status] + headers).joined(separator: " "),
                raw: .bytes(Array(lines.joined(separator: "\r\n").utf8)),
                scripted: .response(response),
                .success(response)
            )
        }

        static let replies = [
            Case("200 OK", "Content-Length: 0", is: UploadResponse(status: 200)),
            Case(
                "200 OK",
                "Content-Type: text/plain",
                "Content-Length: 5",
                body: "hello",
                is: UploadResponse(status: 200, contentType: "text/plain", body: Array("hello".utf8))
            ),
            Case(
                "200 OK",
                "Transfer-Encoding: chunked",
                body: "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n",
                is: UploadResponse(status: 200, body: Array("abcde".utf8))
            ),
            Case("202 Accepted", "content-length: 0", is: UploadResponse(status: 202)),
            Case("204 No Content", is: UploadResponse(status: 204)),
            Case(
                "301 Moved Permanently",
                "Location: /elsewhere",
                "Content-Length: 0",
                is: UploadResponse(status: 301, location: "/elsewhere")
            ),
            Case(
                "302 Found",
                "Location: https://127.0.0.1/collect?x=1",
                "Content-Length: 4",
                body: "gone",
                is: UploadResponse(status: 302, location: "https://127.0.0.1/collect?x=1", body: Array("gone".utf8))
            ),
            Case(
                "302 Found",
                "Location: http://[",
                "Content-Length: 0",
                is: UploadResponse(status: 302, location: "http://[")
            ),
            Case("302 Found", "Content-Length: 0", is: UploadResponse(status: 302)),
            Case("304 Not Modified", is: UploadResponse(status: 304)),
            Case(
                "307 Temporary Redirect",
                "LOCATION: //other.invalid//x",
                "Content-Length: 0",
                is: UploadResponse(status: 307, location: "//other.invalid//x")
            ),
            Case(
                "308 Permanent Redirect",
                "location: ?",
                "Content-Length: 0",
                is: UploadResponse(status: 308, location: "?")
            ),
            Case("400 Bad Request", "Content-Length: 0", is: UploadResponse(status: 400)),
            Case(
                "401 Unauthorized",
                "WWW-Authenticate: Basic realm=\"x\"",
                "Content-Length: 0",
                is: UploadResponse(status: 401)
            ),
            Case(
                "403 Forbidden",
                "Content-Length: 2",
                body: "no",
                is: UploadResponse(status: 403, body: Array("no".utf8))
            ),
            Case(
                "407 Proxy Authentication Required",
                "Proxy-Authenticate: Basic realm=\"x\"",
                "Content-Length: 0",
                is: UploadResponse(status: 407)
            ),
            Case(
                "413 Content Too Large",
                "Retry-After: 7",
                "Content-Length: 0",
                is: UploadResponse(status: 413, retryAfter: "7")
            ),
            Case(
                "429 Too Many Requests",
                "retry-after: Fri, 31 Dec 2027 23:59:59 GMT",
                "Content-Length: 0",
                is: UploadResponse(status: 429, retryAfter: "Fri, 31 Dec 2027 23:59:59 GMT")
            ),
            Case(
                "503 Service Unavailable",
                "RETRY-AFTER: 120",
                "Content-Length: 0",
                is: UploadResponse(status: 503, retryAfter: "120")
            ),
            Case(
                "500 Internal Server Error",
                "Content-Length: 70000",
                body: String(repeating: "x", count: 70_000),
                is: UploadResponse(status: 500, body: [UInt8](repeating: 0x78, count: UploadResponse.bodyLimit))
            ),
            Case(
                "200 OK",
                "Content-Length: 65536",
                body: String(repeating: "y", count: 65_536),
                is: UploadResponse(status: 200, body: [UInt8](repeating: 0x79, count: UploadResponse.bodyLimit))
            ),
            Case(
                "200 OK",
                "Content-Type: text/html",
                "Content-Length: 19",
                body: "<html>log in</html>",
                is: UploadResponse(status: 200, contentType: "text/html", body: Array("<html>log in</html>".utf8))
            ),
            Case(
                "201 Created",
                "CONTENT-TYPE: Text/HTML; Charset=\"UTF-8\"",
                "Content-Length: 0",
                is: UploadResponse(status: 201, contentType: "Text/HTML; Charset=\"UTF-8\"")
            ),
            Case(
                "200 OK",
                "Content-Type: text/html",
                "Content-Length: 0",
                "Content-Type: text/plain",
                is: UploadResponse(status: 200, contentType: "text/html, text/plain")
            ),
            Case(
                "204 No Content",
                "content-type: text/html;charset=iso-8859-1",
                is: UploadResponse(status: 204, contentType: "text/html;charset=iso-8859-1")
            ),
            Case(
                "200 OK",
                "Content-Type: application/json",
                "Transfer-Encoding: chunked",
                body: "2\r\n{}\r\n0\r\n\r\n",
                is: UploadResponse(status: 200, contentType: "application/json", body: Array("{}".utf8))
            ),
        ]

        /// A body that never ends, and the ways in which no reply comes. The text of a cut is for people.
        static let failures = [
            Case("no reply", raw: .silence, scripted: .timeOut, .failure(.timedOut)),
            Case("the head and no body", raw: .bytes(head(length: 5)), scripted: .timeOut, .failure(.timedOut)),
            Case("closed before the reply", raw: .close, scripted: .cutBeforeReply, .failure(.cut(""))),
            Case("reset before the reply", raw: .reset, scripted: .cutBeforeRequest, .failure(.cut(""))),
            Case(
                "closed within the body",
                raw: .bytesThenClose(head(length: 5) + Array("hel".utf8)),
                scripted: .cutBeforeReply,
                .failure(.cut(""))
            ),
            Case(
                "not HTTP at all",
                raw: .bytesThenClose(Array("SSH-2.0-x\r\n".utf8)),
                scripted: .cutBeforeReply,
                .failure(.cut(""))
            ),
        ]

        private static func head(length: Int) -> [UInt8] {
            Array("HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\n".utf8)
        }
    }

    @Test("returns the server's reply, and follows no redirect", arguments: Side.all, Case.replies)
    func replies(side: Side, scene: Case) async throws {
        let server = try Server(side, [scene])
        defer { server.stop() }
        let outcome = await server.send(timeout: 60_000)
        #expect(outcome == scene.outcome)
        #expect(server.requestCount == 1)
    }

    @Test("reports why there was no reply", arguments: Side.all, Case.failures)
    func failures(side: Side, scene: Case) async throws {
        let server = try Server(side, [scene])
        defer { server.stop() }
        // Short only if the timeout is what is tested: a busy machine may need longer for a reply.
        let outcome = await server.send(timeout: scene.outcome == .failure(.timedOut) ? 200 : 60_000)
        switch (outcome, scene.outcome) {
        case (.failure(.cut(let reason)), .failure(.cut)): #expect(!reason.isEmpty)
        default: #expect(outcome == scene.outcome)
        }
    }

    @Test("sends consecutive requests", arguments: Side.all)
    func several(side: Side) async throws {
        let scenes = Array(Case.replies.prefix(8))
        let server = try Server(side, scenes)
        defer { server.stop() }
        for scene in scenes { #expect(await server.send(timeout: 60_000) == scene.outcome) }
        #expect(server.requestCount == scenes.count)
    }

    @Test("reports a closed port as refused", arguments: Side.all)
    func refused(side: Side) async throws {
        let raw = try RawServer([], .refusing)
        defer { raw.stop() }
        let transport = try side.transport(.refuse)
        let request = UploadRequest(url: "http://127.0.0.1:\(raw.port)/collect", headers: [], body: [65])
        await expectRefusal(of: request, by: transport)
    }

    @Test("applies the connect timeout to a connection that is never established", arguments: Side.all)
    func neverConnected(side: Side) async throws {
        let raw = try RawServer([], .deaf)
        defer { raw.stop() }
        let transport = try side.transport(.ignore)
        var request = UploadRequest(url: "http://127.0.0.1:\(raw.port)/", headers: [], body: [65])
        request.connectTimeout = .milliseconds(200)
        request.requestTimeout = .seconds(600)
        // Ends long before the request timeout. No reply was missed: nothing was sent.
        await expectRefusal(of: request, by: transport)
    }

    @Test("ends at once when its task is cancelled, before and during the request", arguments: Side.all)
    func cancelled(side: Side) async throws {
        let server = try Server(side, [Case.failures[0]])
        defer { server.stop() }
        let before = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await server.send(timeout: 60_000)
        }
        #expect(await before.value == .failure(.cancelled))
        #expect(server.requestCount == 0)
        let during = Task { await server.send(timeout: 60_000) }
        await server.receivesRequest()
        during.cancel()
        #expect(await during.value == .failure(.cancelled))
    }

    @Test("ends once, whenever the task is cancelled", arguments: Side.networks)
    func cancelledAnyTime(side: Side) async throws {
        // Cancelled at many different moments around a redirect, where the platform is most fragile.
        let scene = Case.replies[6]
        let server = try Server(side, Array(repeating: scene, count: 200))
        defer { server.stop() }
        for round in 0..<100 {
            let task = Task { await server.send(timeout: 60_000) }
            spin(microseconds: Int64(round * 20))
            task.cancel()
            let outcome = await task.value
            #expect(outcome == .failure(.cancelled) || outcome == scene.outcome, "round \(round)")
        }
    }
}

/// Failures that only a network has.
@Suite("Network transports", .timeLimit(.minutes(10)))
struct NetworkTransportTests {
    private static let ok = RawServer.Answer.bytes(Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".utf8))

    @Test("sends the URL, the headers and the body unchanged", arguments: Way.allCases)
    func request(way: Way) async throws {
        let transport = try way.transport()
        let server = try RawServer([Self.ok])
        defer { server.stop() }
        let body = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let request = UploadRequest(
            url: "http://127.0.0.1:\(server.port)/collect?keep=a%20b%2F+c&platform=Linux&hashCode=0123abcd",
            headers: [
                UploadRequest.Header(name: "content-type", value: "application/json; charset=utf-8"),
                UploadRequest.Header(name: "cookie", value: "AWSELB=abc; x=\"1,2\""),
                UploadRequest.Header(name: "user-agent", value: "clickstream-swift/1.0 (Linux)"),
            ],
            body: body
        )
        #expect(try await transport.send(request) == UploadResponse(status: 200))
        let bytes = try #require(server.requests.first)
        let headEnd = try #require(bytes.firstRange(of: Array("\r\n\r\n".utf8)))
        var lines = String(decoding: bytes[..<headEnd.lowerBound], as: UTF8.self).split(separator: "\r\n").map(
            String.init
        )
        #expect(Array(bytes[headEnd.upperBound...]) == body)
        #expect(
            lines.removeFirst() == "POST /collect?keep=a%20b%2F+c&platform=Linux&hashCode=0123abcd HTTP/1.1"
        )
        var headers: [String: [String]] = [:]
        for line in lines {
            let parts = line.split(separator: ": ", maxSplits: 1)
            headers[parts[0].lowercased(), default: []].append(parts.count > 1 ? String(parts[1]) : "")
        }
        #expect(headers["content-type"] == ["application/json; charset=utf-8"])
        #expect(headers["cookie"] == ["AWSELB=abc; x=\"1,2\""])
        #expect(headers["user-agent"] == ["clickstream-swift/1.0 (Linux)"])
        #expect(headers["content-length"] == ["300000"])
        #expect(headers["host"] == ["127.0.0.1:\(server.port)"])
        #expect(headers["expect"] == nil)
        #expect(headers["transfer-encoding"] == nil)
    }

    @Test("keeps no cookies between requests", arguments: Way.allCases)
    func cookies(way: Way) async throws {
        let transport = try way.transport()
        let answer = RawServer.Answer.bytes(
            Array("HTTP/1.1 200 OK\r\nSet-Cookie: a=b; Path=/\r\nContent-Length: 0\r\n\r\n".utf8)
        )
        let server = try RawServer([answer, answer])
        defer { server.stop() }
        let request = UploadRequest(url: "http://127.0.0.1:\(server.port)/", headers: [], body: [65])
        for _ in 0..<2 { #expect(try await transport.send(request) == UploadResponse(status: 200)) }
        #expect(server.requests.count == 2)
        for bytes in server.requests {
            #expect(!String(decoding: bytes, as: UTF8.self).lowercased().contains("cookie"))
        }
    }

    @Test("prevents header injection", arguments: Way.allCases)
    func headerInjection(way: Way) async throws {
        let transport = try way.transport()
        let server = try RawServer([Self.ok])
        defer { server.stop() }
        let request = UploadRequest(
            url: "http://127.0.0.1:\(server.port)/",
            headers: [UploadRequest.Header(name: "cookie", value: "a=b\r\nx-evil: 1\n\u{0}c")],
            body: [65]
        )
        #expect(try await transport.send(request).status == 200)
        let text = String(decoding: try #require(server.requests.first), as: UTF8.self)
        #expect(text.lowercased().contains("\r\ncookie: a=b  x-evil: 1  c\r\n"))
    }

    @Test(
        "ends with a stalled server long before the request timeout",
        arguments: Way.allCases,
        ["", "HTTP/1.1 200 OK\r\nContent-Le", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab"]
    )
    func idle(way: Way, beginning: String) async throws {
        try await expectIdleTimeOut(of: try way.transport(), after: beginning)
    }

    @Test("sends a request without a body, with a timeout", arguments: Way.allCases)
    func emptyBody(way: Way) async throws {
        let transport = try way.transport()
        let server = try RawServer([Self.ok, .silence])
        defer { server.stop() }
        var request = UploadRequest(url: "http://127.0.0.1:\(server.port)/", headers: [], body: [])
        #expect(try await transport.send(request) == UploadResponse(status: 200))
        (request.connectTimeout, request.requestTimeout) = (.milliseconds(200), .milliseconds(200))
        await #expect(throws: TransportError.timedOut) { try await transport.send(request) }
    }

    @Test(
        "rejects an invalid server address instead of trapping",
        arguments: [
            "", "collect", "/collect", "ftp://127.0.0.1/", "file:///etc/passwd", "http://", "http:///collect",
            "http://[",
            "http://[::1", "http://127.0.0.1:0/", "http://127.0.0.1:99999/", "http://127.0.0.1:x/", "http://a b/",
            "http://%zz/", "mailto:a@b", "data:,x", "http://name.invalid/collect", "http://\u{0}/", "://x",
        ]
    )
    func badAddress(url: String) async throws {
        var request = UploadRequest(url: url, headers: [], body: [65])
        request.connectTimeout = .seconds(5)
        for way in Way.allCases { await expectRefusal(of: request, by: try way.transport()) }
    }

    @Test("accepts a scheme in upper case", arguments: Way.allCases)
    func capitalScheme(way: Way) async throws {
        let transport = try way.transport()
        let server = try RawServer([Self.ok])
        defer { server.stop() }
        let request = UploadRequest(url: "HTTP://127.0.0.1:\(server.port)/", headers: [], body: [65])
        #expect(try await transport.send(request).status == 200)
    }

    @Test("sends from many tasks concurrently", arguments: Way.allCases)
    func concurrent(way: Way) async throws {
        let transport = try way.transport()
        let server = try RawServer(Array(repeating: Self.ok, count: 100))
        defer { server.stop() }
        let request = UploadRequest(url: "http://127.0.0.1:\(server.port)/", headers: [], body: [65])
        let good = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<100 {
                group.addTask { (try? await transport.send(request)) == UploadResponse(status: 200) }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(good == 100)
        #expect(server.requests.count == 100)
    }
}

#if os(Linux)
/// Requests byte for byte, and unusual replies.
@Suite("Sockets and libcurl", .timeLimit(.minutes(10)))
struct LinuxTransportTests {
    @Test(
        "sends the headers in their order and spelling, and few of its own",
        arguments: zip(
            Way.allCases,
            [
                """
                host: 127.0.0.1:PORT\r
                content-type: x\r
                cookie: a=b\r
                x-empty: \r
                content-length: 2\r
                connection: close\r
                """,
                """
                Host: 127.0.0.1:PORT\r
                content-type: x\r
                cookie: a=b\r
                x-empty:\r
                Content-Length: 2\r
                """,
            ]
        )
    )
    func exactBytes(way: Way, headers: String) async throws {
        let transport = try way.transport()
        let server = try RawServer([.bytes(Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".utf8))])
        defer { server.stop() }
        let request = UploadRequest(
            url: "http://127.0.0.1:\(server.port)/a/../b?a=%20b",
            headers: [
                UploadRequest.Header(name: "content-type", value: "x"),
                UploadRequest.Header(name: "cookie", value: "a=b"),
                UploadRequest.Header(name: "x-empty", value: ""),
            ],
            body: Array("[]".utf8)
        )
        #expect(try await transport.send(request).status == 200)
        let expected =
            "POST /a/../b?a=%20b HTTP/1.1\r\n" + headers.replacing("PORT", with: "\(server.port)") + "\n\r\n[]"
        #expect(server.requests.map { String(decoding: $0, as: UTF8.self) } == [expected])
    }

    @Test("reports a reply truncated at any byte as cut", arguments: Way.allCases)
    func cutAnywhere(way: Way) async throws {
        let transport = try way.transport()
        let reply = Array("HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 3\r\n\r\nabc".utf8)
        let server = try RawServer(
            reply.indices.map { .bytesThenClose(Array(reply[..<$0])) } + [.bytesThenClose(reply)]
        )
        defer { server.stop() }
        let request = UploadRequest(url: "http://localhost:\(server.port)/", headers: [], body: [65])
        for count in reply.indices { await expectCut(of: request, by: transport, "after \(count) bytes") }
        #expect(
            try await transport.send(request) == UploadResponse(status: 302, location: "/x", body: Array("abc".utf8))
        )
    }

    @Test(
        "accepts a reply that ends with the connection, or follows an interim one",
        arguments: Way.allCases,
        [
            "HTTP/1.0 200 OK\r\n\r\nall of it",
            "HTTP/1.1 103 Early Hints\r\nLocation: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nall of it",
            "HTTP/1.1 200\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nall of it\r\n0\r\nRetry-After: 1\r\n\r\n",
        ]
    )
    func unusual(way: Way, reply: String) async throws {
        let transport = try way.transport()
        let server = try RawServer([.bytesThenClose(Array(reply.utf8))])
        defer { server.stop() }
        let request = UploadRequest(url: "http://127.0.0.1:\(server.port)/", headers: [], body: [65])
        #expect(try await transport.send(request) == UploadResponse(status: 200, body: Array("all of it".utf8)))
    }

    @Test("parses the target of a URL")
    func address() throws {
        let address = try #require(ServerAddress("HTTPS://[::1]:8443?a=%20b"))
        #expect((address.scheme, address.host, address.port) == ("https", "::1", 8_443))
        #expect(address.url == "https://[::1]:8443/?a=%20b")
        #expect(ServerAddress("https://a.example:443/x")?.url == "https://a.example/x")
        #expect(ServerAddress("https://name:word@a.example/") == nil)
    }
}
#endif

/// Sends `request` and expects that no complete reply came.
func expectCut(of request: UploadRequest, by transport: any ClickstreamClient.Transport, _ location: String) async {
    do throws(TransportError) {
        let response = try await transport.send(request)
        Issue.record("\(response) \(location)")
    } catch {
        guard case .cut(let reason) = error, !reason.isEmpty else {
            Issue.record("\(error) \(location)")
            return
        }
    }
}

/// Sends `request` and expects that nothing was sent, with a reason.
func expectRefusal(
    of request: UploadRequest,
    by transport: any ClickstreamClient.Transport,
    saying words: String = ""
) async {
    do throws(TransportError) {
        let response = try await transport.send(request)
        Issue.record("no error, but \(response)")
    } catch {
        guard case .refused(let reason) = error else {
            Issue.record("not refused, but \(error)")
            return
        }
        #expect(!reason.isEmpty && reason.lowercased().contains(words), "\(reason)")
    }
}

/// Sends to a server that begins its reply with `beginning` and then sends nothing more.
private func expectIdleTimeOut(of transport: any ClickstreamClient.Transport, after beginning: String) async throws {
    let server = try RawServer([.bytes(Array(beginning.utf8))])
    defer { server.stop() }
    var request = UploadRequest(url: "http://127.0.0.1:\(server.port)/", headers: [], body: [65])
    request.requestTimeout = .seconds(50)
    request.idleTimeout = .milliseconds(200)
    let start = SystemTime().now().steady
    await #expect(throws: TransportError.timedOut) { try await transport.send(request) }
    #expect(SystemTime().now().steady - start >= 190)
}

/// A server of one side, with a client for it.
private struct Server: Sendable {
    private enum Kind: Sendable {
        case raw(RawServer)
        case scripted(ScriptedServer)
    }

    private let kind: Kind
    private let transport: any ClickstreamClient.Transport
    private let url: String

    init(_ side: TransportTests.Side, _ scenes: [TransportTests.Case]) throws {
        switch side {
        case .scripted:
            let server = ScriptedServer(
                time: SystemTime(),
                script: scenes.map(\.scripted),
                defaultReply: .cutBeforeRequest
            )
            kind = .scripted(server)
            transport = server
            url = "http://server.invalid/collect"
        case .network:
            let server = try RawServer(scenes.map(\.raw))
            kind = .raw(server)
            transport = try side.transport(.refuse)
            url = "http://127.0.0.1:\(server.port)/collect"
        }
    }

    var requestCount: Int {
        switch kind {
        case .raw(let server): server.requests.count
        case .scripted(let server): server.requests.count
        }
    }

    /// Suspends until a request has arrived.
    func receivesRequest() async {
        switch kind {
        case .raw(let server): await server.receivesRequest()
        case .scripted(let server): await server.requests(reach: 1)
        }
    }

    func send(timeout: Int64) async -> Result<UploadResponse, TransportError> {
        let request = UploadRequest(
            url: url,
            headers: [],
            body: Array("[]".utf8),
            connectTimeout: .seconds(5),
            requestTimeout: .milliseconds(timeout)
        )
        do throws(TransportError) {
            return .success(try await transport.send(request))
        } catch {
            return .failure(error)
        }
    }

    func stop() {
        if case .raw(let server) = kind { server.stop() }
    }
}
