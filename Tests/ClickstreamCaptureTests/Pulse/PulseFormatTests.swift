import ClickstreamCapture
import ClickstreamCore
import Testing

@Suite("PulseFormat")
struct PulseFormatTests {
    private let format = PulseFormat()

    private func configuration(compresses: Bool) -> ClickstreamClient.Configuration {
        var configuration = ClickstreamClient.Configuration(appID: "shop")
        configuration.compressesEvents = compresses
        configuration.connectTimeout = .seconds(1)
        configuration.requestTimeout = .seconds(2)
        return configuration
    }

    /// The document's examples as the batch of a queue, and the JSON array of the same events.
    private func batch(compresses: Bool) throws -> (batch: Batch, events: [UInt8]) {
        let lines = try PulseExample.all.map { try #require(PulseEncoder(connection: .wifi).encode($0.event())) }
        var builder = BatchBuilder(
            limit: 524_288,
            deflater: compresses ? Deflater() : nil,
            isText: format.batch(configuration(compresses: compresses)).encoding == .gzipText
        )
        for line in lines where !builder.append(line) { Issue.record("the batch is full") }
        return (builder.finish(), Array("[".utf8) + lines.joined(separator: [UInt8(ascii: ",")]) + Array("]".utf8))
    }

    private func request(
        _ batch: Batch,
        endpoint: String = "https://pulse.example.com:8443/events?key=1",
        authCookie: String? = nil,
        at time: Int64 = 0
    ) throws -> UploadRequest {
        format.request(
            for: batch,
            DeliveryAttempt(
                endpoint: try Endpoint(endpoint),
                destination: Destination(
                    format: format,
                    appID: "shop",
                    endpoint: endpoint,
                    authCookie: authCookie
                ),
                configuration: configuration(compresses: batch.isCompressed),
                device: ClickstreamClient.Device(platform: "Linux"),
                bundleSequenceID: 7,
                time: Timestamp(milliseconds: time)
            )
        )
    }

    @Test("has batches of any number of events, compressed as configured", arguments: [true, false])
    func batchForm(compresses: Bool) {
        #expect(format.name.rawValue == "pulse")
        #expect(
            format.batch(configuration(compresses: compresses)) == BatchForm(encoding: compresses ? .gzip : .plain)
        )
    }

    @Test("sends a plain JSON array")
    func plain() throws {
        let (batch, events) = try batch(compresses: false)
        #expect(
            try request(batch)
                == UploadRequest(
                    url: "https://pulse.example.com:8443/events?key=1",
                    headers: [
                        UploadRequest.Header(name: "content-type", value: "application/json"),
                        UploadRequest.Header(name: "user-agent", value: "clickstream-swift/\(SDK.version) (Linux)"),
                    ],
                    body: events,
                    connectTimeout: .seconds(1),
                    requestTimeout: .seconds(2)
                )
        )
        #expect(try JSONReader.parse(events).array?.count == PulseExample.all.count)
    }

    @Test("sends the gzip of the array, the same on every attempt")
    func compressed() throws {
        let (batch, events) = try batch(compresses: true)
        let request = try request(batch, endpoint: "http://localhost")
        #expect(request.url == "http://localhost/")
        #expect(request.method == .post)
        #expect(
            request.headers == [
                UploadRequest.Header(name: "content-type", value: "application/json"),
                UploadRequest.Header(name: "content-encoding", value: "gzip"),
                UploadRequest.Header(name: "user-agent", value: "clickstream-swift/\(SDK.version) (Linux)"),
            ]
        )
        #expect(try Gzip.inflate(request.body, limit: 1_048_576) == events)
        #expect(try self.request(batch, endpoint: "http://localhost", at: 1_000) == request)
    }

    @Test("sends a cookie that is a valid header value", arguments: [("s=1", ["s=1"]), ("s=1\r\nx: y", [])])
    func cookie(cookie: String, sent: [String]) throws {
        let request = try request(batch(compresses: false).batch, authCookie: cookie)
        #expect(request.headers.filter { $0.name == "cookie" }.map(\.value) == sent)
    }

    @Test(
        "reads replies as the clickstream format does",
        arguments: [
            (200, nil, .delivered), (204, nil, .delivered), (200, "application/json", .delivered),
            (200, "Text/HTML; charset=utf-8", .failed(DeliveryFailure(.webPage(status: 200)))),
            (400, nil, .refused(status: 400)), (413, "text/html", .tooLarge),
            (503, nil, .failed(DeliveryFailure(.status(503)))),
            (401, nil, .failed(DeliveryFailure(.unauthorized(status: 401), atLeast: 60_000))),
        ] as [(Int, String?, DeliveryVerdict)]
    )
    func verdict(status: Int, contentType: String?, expected: DeliveryVerdict) {
        let now = Timestamp(milliseconds: 0)
        let response = UploadResponse(status: status, contentType: contentType)
        #expect(format.verdict(on: .success(response), at: now) == expected)
        #expect(
            format.verdict(on: .failure(.timedOut), at: now) == .failed(DeliveryFailure(.transport(.timedOut)))
        )
    }
}
