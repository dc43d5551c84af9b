import Testing

@testable import ClickstreamCore

@Suite("DeliveryVerdict")
struct DeliveryVerdictTests {
    private let now = Timestamp(CivilTime(year: 2015, month: 10, day: 21, hour: 7, minute: 27, second: 30))

    @Test("any 2xx is a delivery", arguments: [200, 201, 202, 204, 299])
    func delivered(status: Int) {
        #expect(DeliveryVerdict(.success(UploadResponse(status: status)), now: now) == .delivered)
    }

    @Test(
        "a 2xx with any other content type than text/html is a delivery",
        arguments: [200, 201, 204],
        [
            "", "text/plain", "text/plain; charset=utf-8", "application/json", "application/json; note=text/html",
            "application/xhtml+xml", "application/octet-stream", "text/htm", "text/html5", "text/html+xml", "text",
            "html", "text/", "/html", "xtext/html", "text/plain;text/html", "image/gif", ";", " ", ",",
        ]
    )
    func otherContentType(status: Int, contentType: String) {
        let response = UploadResponse(status: status, contentType: contentType, body: Array("<html>".utf8))
        #expect(DeliveryVerdict(.success(response), now: now) == .delivered)
    }

    @Test(
        "a 2xx with text/html in any spelling is no delivery, and counts like a missing reply",
        arguments: [200, 201, 202, 204, 299],
        [
            "text/html", "TEXT/HTML", "Text/Html; Charset=UTF-8", "text/html;charset=iso-8859-1",
            "text/html ; charset=utf-8", " text/html", "\ttext/html\t", "text/html;",
            "text/html; charset=\"utf-8\"; x=y", "text/html charset=utf-8", "text/html, text/html",
            "text/html, text/plain", "text/plain, text/html", "text/plain;charset=utf-8,text/html;x", ", text/html",
        ]
    )
    func webPage(status: Int, contentType: String) {
        for retryAfter in [nil, "120"] {
            let response = UploadResponse(status: status, retryAfter: retryAfter, contentType: contentType)
            let verdict = DeliveryVerdict(.success(response), now: now)
            #expect(verdict == .failed(DeliveryFailure(.webPage(status: status))))
        }
    }

    @Test(
        "a web page has no effect on the meaning of another status",
        arguments: [302, 400, 401, 403, 413, 429, 500, 503]
    )
    func errorPage(status: Int) {
        let plain = DeliveryVerdict(.success(UploadResponse(status: status)), now: now)
        let page = DeliveryVerdict(.success(UploadResponse(status: status, contentType: "text/html")), now: now)
        #expect(page == plain)
    }

    @Test("413 requires smaller pieces")
    func tooLarge() {
        #expect(DeliveryVerdict(.success(UploadResponse(status: 413)), now: now) == .tooLarge)
    }

    @Test(
        "any other status keeps the events; a server that rejects requests is not contacted for at least a minute",
        arguments: [
            (302, 60_000), (400, nil), (401, 60_000), (403, 60_000), (408, 0), (429, 0), (500, 0), (503, 0), (101, 0),
        ] as [(Int, Int64?)]
    )
    func retained(status: Int, atLeast: Int64?) {
        switch DeliveryVerdict(.success(UploadResponse(status: status)), now: now) {
        case .failed(let failure):
            #expect(failure.atLeast == atLeast)
            #expect(failure.reason.isClientRefused == (failure.atLeast > 0))
            #expect(failure.reason.description.contains("\(status)"))
        case .refused(status):
            #expect(atLeast == nil)
        case let other:
            Issue.record("\(status): \(other)")
        }
    }

    @Test(
        "a missing reply keeps the events",
        arguments: [TransportError.timedOut, .refused("x"), .cut("x"), .cancelled]
    )
    func noAnswer(error: TransportError) {
        #expect(DeliveryVerdict(.failure(error), now: now) == .failed(DeliveryFailure(.transport(error))))
    }

    @Test(
        "Retry-After is parsed as seconds, and as a date in each of its forms",
        arguments: [
            ("120", 120_000), ("0", 0), ("999999999", 86_400_000), ("Wed, 21 Oct 2015 07:28:00 GMT", 30_000),
            ("Wed, 21 Oct 2015 07:27:00 GMT", 0), ("-1", nil), ("soon", nil), ("Wed, 41 Oct 2015 07:28:00 GMT", nil),
            ("Wed, 21 Oct 2015 07:28 GMT", nil), ("", nil), ("99999999999999999999999", 86_400_000), ("1e3", nil),
            ("Wednesday, 21-Oct-15 07:28:00 GMT", 30_000), ("Wed Oct 21 07:28:00 2015", 30_000),
            ("Sunday, 06-Nov-94 08:49:37 GMT", 0), ("Sun Nov  6 08:49:37 1994", 0), ("Wed Oct 21 07:28:00", nil),
            ("Wed, 21 Oct 1815 07:28:00 GMT", nil), ("Wed, 21-Oct 07:28:00 GMT", nil), ("+5", nil), ("--- -", nil),
        ] as [(String, Int64?)]
    )
    func retryAfter(text: String, milliseconds: Int64?) {
        #expect(DeliveryVerdict.milliseconds(retryAfter: text, now: now) == milliseconds)
    }
}
