import ClickstreamCore
import ClickstreamJudges
import Testing

@Suite("UploadRequest")
struct UploadRequestTests {
    private func batch(_ lines: [String], compresses: Bool) -> Batch {
        var builder = BatchBuilder(limit: 524_288, deflater: compresses ? Deflater() : nil)
        for line in lines { _ = builder.append(Array(line.utf8)) }
        return builder.finish()
    }

    private func request(
        _ batch: Batch,
        endpoint: String = "https://example.com/collect",
        platform: String = "Linux",
        appID: String = "shopping",
        authCookie: String? = nil
    ) throws -> UploadRequest {
        UploadRequest.make(
            batch,
            to: try Endpoint(endpoint),
            platform: platform,
            appID: appID,
            bundleSequenceID: 7,
            at: Timestamp(milliseconds: 1_693_919_966_703),
            authCookie: authCookie,
            connectTimeout: .seconds(1),
            requestTimeout: .seconds(2)
        )
    }

    @Test("is the published SDK's request, plain")
    func plain() throws {
        let request = try request(batch(["{\"a\":1}", "{}"], compresses: false), authCookie: "s=1; t=2")
        let body = Array("[{\"a\":1},{}]".utf8)
        let hash = SHA256.hashCode(of: body)
        let query: String = "&event_bundle_sequence_id=7&upload_timestamp=1693919966703&hashCode=\(hash)"
        let url: String = "https://example.com/collect?platform=Linux&appId=shopping&compression=" + query
        #expect(
            request
                == UploadRequest(
                    url: url,
                    headers: [
                        UploadRequest.Header(name: "content-type", value: "application/json; charset=utf-8"),
                        UploadRequest.Header(name: "cookie", value: "s=1; t=2"),
                        UploadRequest.Header(name: "user-agent", value: "clickstream-swift/\(SDK.version) (Linux)"),
                    ],
                    body: body,
                    connectTimeout: .seconds(1),
                    requestTimeout: .seconds(2)
                )
        )
    }

    @Test("is the published SDK's request, compressed: base64 of gzip, hashed as sent")
    func compressed() throws {
        let request = try request(batch(["{\"a\":1}"], compresses: true))
        #expect(request.url.contains("&compression=gzip&"))
        #expect(request.url.hasSuffix("&hashCode=\(SHA256.hashCode(of: request.body))"))
        let packed = try #require(Base64.decode(request.body))
        #expect(try Gzip.inflate(packed, limit: 100) == Array("[{\"a\":1}]".utf8))
        #expect(request.headers.map(\.name) == ["content-type", "user-agent"])
    }

    @Test(
        "keeps the endpoint's own query",
        arguments: [
            ("http://h:1/c?keep=1&x=%2F", "http://h:1/c?keep=1&x=%2F&platform=Linux&"),
            ("http://[::1]:1", "http://[::1]:1/?platform=Linux&"),
        ]
    )
    func keepsQuery(endpoint: String, start: String) throws {
        #expect(try request(batch([], compresses: false), endpoint: endpoint).url.hasPrefix(start))
    }

    @Test(
        "escapes every character that a query could misread",
        arguments: [
            ("a+b", "a%2Bb"), ("a b&c=d#e?f/g%h", "a%20b%26c%3Dd%23e%3Ff%2Fg%25h"), ("\u{E9}", "%C3%A9"),
            ("a-._~Z9", "a-._~Z9"),
            ("\r\n", "%0D%0A"),
        ]
    )
    func escapes(appID: String, escaped: String) throws {
        let request = try request(batch([], compresses: false), appID: appID)
        #expect(request.url.contains("&appId=\(escaped)&"))
        #expect(ReceivedUpload(target: request.url, body: request.body).query.appID == appID)
    }

    @Test(
        "never sends a header that contains another one",
        arguments: [
            ("a=b", true), ("a=b\tc", true), ("\u{E9}", true), ("", true), ("a\r\nx: y", false), ("a\n", false),
            ("a\r", false), ("\0", false), ("\u{7F}", false),
        ]
    )
    func headerInjection(cookie: String, isSent: Bool) throws {
        #expect(UploadRequest.isHeaderValue(cookie) == isSent)
        let request = try request(batch([], compresses: false), platform: "Li)\r\nnux\u{E9}", authCookie: cookie)
        #expect(request.headers.contains { $0.name == "cookie" } == isSent)
        #expect(request.headers.last?.value == "clickstream-swift/\(SDK.version) (Li___nux_)")
    }

    @Test("is decoded as built", arguments: 0..<10)
    func roundTrips(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for compresses in [true, false] {
            let lines = (0..<Int.random(in: 0...30, using: &random)).map { _ in
                JSONValue(
                    .object([JSONMember(randomText(&random), JSONValue(.string(randomText(&random))))])
                ).description
            }
            let platform = randomText(&random)
            let appID = randomText(&random)
            let request = try request(
                batch(lines, compresses: compresses),
                endpoint: "http://h/c?own=1",
                platform: platform,
                appID: appID
            )
            let received = ReceivedUpload(target: request.url, body: request.body)
            #expect(received.query["own"] == "1")
            #expect(received.query.platform == platform)
            #expect(received.query.appID == appID)
            #expect(received.query.compression == (compresses ? "gzip" : ""))
            #expect(received.query.bundleSequenceID == 7)
            #expect(received.query.uploadTimestamp == Timestamp(milliseconds: 1_693_919_966_703))
            #expect(received.hashMatches == true)
            guard case .events(let events) = received.content else {
                Issue.record("unreadable: \(received.content)")
                continue
            }
            #expect(events.lines.map { String(decoding: $0, as: UTF8.self) } == lines)
            #expect(events.count == lines.count)
            #expect(events.wasCompressed == compresses)
        }
    }
}

@Suite("ReceivedUpload")
struct ReceivedUploadTests {
    private static func packed(_ text: String) -> [UInt8] {
        Base64.encode(Gzip.deflate(Array(text.utf8)))
    }

    private func lines(_ content: ReceivedUpload.Content) -> [String]? {
        guard case .events(let events) = content else { return nil }
        return events.lines.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test(
        "recognizes a body by its content",
        arguments: [
            (Array("[{\"a\":1},{}]".utf8), ["{\"a\":1}", "{}"]), (Array(" \r\n[ {} , 1 ]\n\0".utf8), ["{}", "1"]),
            (Array("[]".utf8), []), (packed("[{\"a\":[1,2]}]"), ["{\"a\":[1,2]}"]), (packed(" [1]\n"), ["1"]),
            (Array("\n".utf8) + packed("[2]") + Array(" \n".utf8), ["2"]),
        ] as [([UInt8], [String])]
    )
    func reads(body: [UInt8], elements: [String]) {
        #expect(lines(ReceivedUpload.Content(body)) == elements)
    }

    @Test(
        "reports why a body is unreadable",
        arguments: [
            ([], .empty), (Array(" \n".utf8), .empty), (packed(""), .empty), (packed(" "), .empty),
            (Array("hello, world".utf8), .base64), (Array("abcde".utf8), .base64), (Array("a=b&c=d".utf8), .base64),
            (Array("abc".utf8), .gzip),
            (Array("aGVsbG8=".utf8), .gzip), (Array(packed("[{}]").dropLast(8)), .gzip),
            (Base64.encode(Array(Gzip.deflate(Array("[{}]".utf8)).dropLast(1))), .gzip),
            (Array("[{]".utf8), .json),
            (Array("[{}".utf8), .json), (Array("{\"a\"".utf8), .json), (packed("[{}"), .json), (packed("hello"), .json),
            (Array("[\"\u{1}\"]".utf8), .json), ([0x5B, 0x22, 0xFF, 0x22, 0x5D], .json), (packed("{\"a\":}"), .json),
            (Array(String(repeating: "[", count: 129).utf8) + Array(String(repeating: "]", count: 129).utf8), .json),
            (Array(String(repeating: "[", count: 300).utf8) + Array(String(repeating: "]", count: 300).utf8), .json),
            (Array("{\"a\":1}".utf8), .notAnArray), (Array("null".utf8), .notAnArray), (Array("123".utf8), .notAnArray),
            (Array("\"[1]\"".utf8), .notAnArray), (packed("{}"), .notAnArray), (packed("7"), .notAnArray),
            (packed("[\"\(String(repeating: "x", count: 1_000))\"]"), .inflationLimit),
        ] as [([UInt8], ReceivedUpload.Flaw.Reason)]
    )
    func refuses(body: [UInt8], reason: ReceivedUpload.Flaw.Reason) {
        guard case .unreadable(let flaw) = ReceivedUpload.Content(body, inflationLimit: 1_000) else {
            Issue.record("was read")
            return
        }
        #expect(flaw.reason == reason)
        #expect(!flaw.detail.isEmpty)
    }

    @Test("accepts base64 without its padding, and ignores bytes after gzip, like the published pipeline's Java")
    func javaReading() {
        let texts = ["[]", "[1]", "[12]", "[123]", "[1234]"]
        for text in texts {
            let packed = Gzip.deflate(Array(text.utf8))
            let padded = Base64.encode(packed)
            #expect(lines(ReceivedUpload.Content(padded.filter { $0 != UInt8(ascii: "=") }))?.joined() == text.inner)
            for tail in GzipTests.tails {
                let body = Base64.encode(packed + tail.bytes)
                let elements = lines(ReceivedUpload.Content(body))
                #expect(elements?.joined() == (tail.isRead ? text.inner : nil), "\(tail)")
            }
            // A further member belongs to the text.
            let both = Base64.encode(Gzip.deflate(Array(text.dropLast().utf8)) + Gzip.deflate(Array("]".utf8)) + [7])
            #expect(lines(ReceivedUpload.Content(both))?.joined() == text.inner)
        }
    }

    @Test("the reasons are spelled as in the collector's contract")
    func reasons() {
        #expect(
            ReceivedUpload.Flaw.Reason.allCases.map(\.rawValue)
                == [
                    "empty", "base64", "gzip", "inflation_limit", "json", "not_an_array", "too_many", "not_an_object",
                    "no_events",
                ]
        )
    }

    @Test("decompresses up to the limit and no further")
    func inflationLimit() {
        let text = "[\"\(String(repeating: "x", count: 996))\"]"
        #expect(lines(ReceivedUpload.Content(ReceivedUploadTests.packed(text), inflationLimit: 1_000)) != nil)
        #expect(lines(ReceivedUpload.Content(ReceivedUploadTests.packed(text), inflationLimit: 999)) == nil)
    }

    @Test(
        "reads the query",
        arguments: [
            ("/collect", []), ("/collect?", []), ("/c?a=1&b=&c&a=2", ["a=1", "b=", "c=", "a=2"]),
            ("http://h/c?a=%41%2b+x&%62=%zz%4", ["a=A+ x", "b=%zz%4"]), ("/c?a=b=c?d", ["a=b=c?d"]),
            ("/c?a=1#b=2", ["a=1"]),
        ] as [(String, [String])]
    )
    func query(target: String, parameters: [String]) {
        let query = ReceivedUpload.Query(of: target)
        #expect(query.parameters.map { "\($0.name)=\($0.value)" } == parameters)
        #expect(query["a"] == query.parameters.first { $0.name == "a" }?.value)
    }

    @Test(
        "checks the hash over the body as sent",
        arguments: [("ba7816bf", true), ("BA7816BF", true), ("ba7816be", false), ("", false)]
    )
    func hash(hashCode: String, matches: Bool) {
        let body = Array("abc".utf8)
        #expect(ReceivedUpload(target: "/c?hashCode=\(hashCode)", body: body).hashMatches == matches)
        #expect(ReceivedUpload(target: "/c", body: body).hashMatches == nil)
    }
}

extension String {
    /// The text of an array of one element or none, without its brackets.
    fileprivate var inner: String { String(dropFirst().dropLast()) }
}
