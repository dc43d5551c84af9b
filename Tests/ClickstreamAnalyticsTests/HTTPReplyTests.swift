import ClickstreamAnalytics
import ClickstreamCore
import Testing

@Suite("An HTTP reply")
struct HTTPReplyTests {
    private static func text(_ lines: String...) -> [UInt8] {
        Array(lines.joined(separator: "\r\n").utf8)
    }

    private static let replies: [(bytes: [UInt8], response: UploadResponse)] = [
        (text("HTTP/1.1 200 OK", "Content-Length: 0", "", ""), UploadResponse(status: 200)),
        (text("HTTP/1.1 200", "content-length:\t2 ", "", "ok"), UploadResponse(status: 200, body: Array("ok".utf8))),
        (text("HTTP/1.0 204 No Content", "Content-Length: 5", "", ""), UploadResponse(status: 204)),
        (text("HTTP/1.1 304 ", "", ""), UploadResponse(status: 304)),
        (
            text("HTTP/1.1 302 Found", "LOCATION:  /a b ", "Retry-After:7", "Content-Length: 0", "", ""),
            UploadResponse(status: 302, retryAfter: "7", location: "/a b")
        ),
        (
            text("HTTP/1.1 100 Continue", "", "HTTP/1.1 103 Early Hints", "Location: /no")
                + text("", "Content-Type: text/html", "", "")
                + text("HTTP/1.1 200 OK", "Content-Length: 1", "", "x"),
            UploadResponse(status: 200, body: [0x78])
        ),
        (
            text("HTTP/1.1 500 Oops", "Transfer-Encoding: gzip, Chunked", "", "3;x=y", "abc", "A ", "0123456789", "0")
                + text("", "Trailer: x", "", ""),
            UploadResponse(status: 500, body: Array("abc0123456789".utf8))
        ),
        (
            text("HTTP/1.1 200 OK", "CONTENT-type: \tText/HTML; charset=utf-8 ", "Content-Length: 5", "", "login"),
            UploadResponse(status: 200, contentType: "Text/HTML; charset=utf-8", body: Array("login".utf8))
        ),
        (
            text("HTTP/1.1 200 OK", "Content-Type : text/html", "Content-Type: text/plain", "Content-Length:0", "", ""),
            UploadResponse(status: 200, contentType: "text/html, text/plain")
        ),
        (
            text("HTTP/1.1 204 ", "Content-Type:text/html", "", ""),
            UploadResponse(status: 204, contentType: "text/html")
        ),
        (Array("HTTP/1.1 200 OK\nContent-Length: 1\n\nx".utf8), UploadResponse(status: 200, body: [0x78])),
    ]

    @Test("is parsed equally at once and byte by byte", arguments: replies)
    func pieces(bytes: [UInt8], response: UploadResponse) {
        var whole = HTTPReply()
        #expect(whole.receive(bytes) == .complete(response))
        for size in [1, 2, 3, 7] {
            var reply = HTTPReply()
            var progress = HTTPReply.Progress.incomplete
            var rest = bytes[...]
            while progress == .incomplete, !rest.isEmpty {
                progress = reply.receive(rest.prefix(size))
                rest = rest.dropFirst(size)
            }
            #expect(progress == .complete(response))
        }
    }

    @Test("is incomplete if the connection ends before it does", arguments: replies)
    func cut(bytes: [UInt8], response: UploadResponse) {
        for count in bytes.indices {
            var reply = HTTPReply()
            guard reply.receive(bytes[..<count]) == .incomplete else { break }
            #expect(reply.close() == nil, "after \(count) bytes")
        }
    }

    @Test("without a length ends with the connection")
    func untilClosed() {
        var reply = HTTPReply()
        #expect(reply.receive(Self.text("HTTP/1.1 200 OK", "", "ab")) == .incomplete)
        #expect(reply.receive(Array("cd".utf8)) == .incomplete)
        #expect(reply.close() == UploadResponse(status: 200, body: Array("abcd".utf8)))
    }

    @Test(
        "keeps the first part of a long body, and then ends",
        arguments: [
            ["Content-Length: 999999", "", ""], ["", ""], ["Transfer-Encoding: chunked", "", "FFFFFF", ""],
        ]
    )
    func longBody(head: [String]) {
        var reply = HTTPReply()
        let start = Array((["HTTP/1.1 200 OK"] + head).joined(separator: "\r\n").utf8)
        let body = [UInt8](repeating: 0x61, count: UploadResponse.bodyLimit)
        #expect(reply.receive(start + body.dropLast()) == .incomplete)
        #expect(reply.receive([0x61, 0x62]) == .complete(UploadResponse(status: 200, body: body)))
    }

    @Test(
        "that is not HTTP is rejected",
        arguments: [
            text("SSH-2.0-x", ""), text("HTTP/2 200 OK", ""), text("HTTP/1.1 20 OK", ""), text("HTTP/1.1 2000 OK", ""),
            text("HTTP/1.1 099 OK", ""), text("HTTP/1.1", ""), text("", ""), text("HTTP/1.1 +20 OK", ""),
            text("HTTP/1.1 200 OK", "nonsense", ""), text("HTTP/1.1 200 OK", ": x", ""),
            text("HTTP/1.1 200 OK", "Content-Length: -1", ""), text("HTTP/1.1 200 OK", "Content-Length: x", ""),
            text("HTTP/1.1 200 OK", "Content-Length: 1", "Content-Length: 2", ""),
            text("HTTP/1.1 200 OK", "Content-Length: 99999999999999999999", ""),
            text("HTTP/1.1 200 OK", "Transfer-Encoding: chunked", "", "x", ""),
            text("HTTP/1.1 200 OK", "Transfer-Encoding: chunked", "", "-1", ""),
            text("HTTP/1.1 200 OK", "Transfer-Encoding: chunked", "", "7FFFFFFFFFFFFFFFFF", ""),
            text("HTTP/1.1 200 OK", "Transfer-Encoding: chunked", "", "1", "ab", ""),
            text("HTTP/1.1 200 OK", "Transfer-Encoding: chunked", "", "1;" + String(repeating: "x", count: 1_023), "a"),
            [UInt8](repeating: 0x41, count: HTTPReply.headLimit + 1),
            Array("HTTP/1.1 200 OK\r\n".utf8) + Array(repeatElement(Array("a: b\r\n".utf8), count: 20_000).joined()),
        ]
    )
    func malformed(bytes: [UInt8]) {
        var reply = HTTPReply()
        guard case .malformed(let reason) = reply.receive(bytes) else {
            Issue.record("taken for a reply: \(String(decoding: bytes.prefix(80), as: UTF8.self))")
            return
        }
        #expect(!reason.isEmpty)
    }

    @Test(
        "may have a longer body than the limit if it is taken in pieces",
        arguments: ["Content-Length: 200000", "X: y"]
    )
    func taken(header: String) {
        var reply = HTTPReply()
        #expect(reply.receive(Self.text("HTTP/1.1 200 OK", header)) == .incomplete)
        #expect(reply.head == nil)
        _ = reply.receive(Self.text("", "", ""))
        #expect(reply.head == UploadResponse(status: 200))
        var body = 0
        for _ in 0..<4 {
            _ = reply.receive([UInt8](repeating: 0x62, count: 50_000))
            body += reply.takeBody().count
        }
        #expect(body == 200_000)
        #expect(reply.head == UploadResponse(status: 200))
    }

    @Test("ends with an interim reply, and contains the date, only if required")
    func interim() {
        var response = UploadResponse(status: 100)
        response.date = "Sun, 06 Nov 1994 08:49:37 GMT"
        let bytes = Self.text("HTTP/1.1 100 Continue", "Date: Sun, 06 Nov 1994 08:49:37 GMT", "", "")
        var reply = HTTPReply(keepsDate: true, endsWithInterim: true)
        #expect(reply.receive(bytes) == .complete(response))
        var usual = HTTPReply()
        #expect(usual.receive(bytes) == .incomplete)
    }

    @Test("does not buffer more than a line end after a chunk", arguments: [1, 2, 3])
    func floodAfterChunk(size: Int) {
        var reply = HTTPReply()
        var progress = reply.receive(Self.text("HTTP/1.1 200 OK", "Transfer-Encoding: chunked", "", "1", "a"))
        #expect(progress == .incomplete)
        for _ in 0..<3 where progress == .incomplete { progress = reply.receive([UInt8](repeating: 0x62, count: size)) }
        #expect(progress == .malformed("a chunk longer than its length"))
    }
}
