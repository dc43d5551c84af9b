import Testing

@testable import ClickstreamCore

@Suite("A flush error")
struct FlushErrorTests {
    private static let unreadable = FileError(.read, "/s/1.events", errno: 5)
    /// The error of a path whose parent is a file.
    private static let replaced = FileError(.read, "/s/1.events", errno: 20)

    @Test(
        "is described in one line",
        arguments: [
            (.noTransport, "nothing is sent: this client has no transport"),
            (.disabled, "recording and sending are disabled"),
            (.noEndpoint, "no endpoint is configured"),
            (.invalidEndpoint(reason: "no host"), "the endpoint cannot be used: no host"),
            (.clientEnded, "the client has ended"),
            (.childProcess, "this process is a child of fork, and the client belongs to its parent"),
            (.offline, "the device is offline"),
            (.storeInUse, "another process is delivering"),
            (.deadlinePassed(after: nil), "the deadline has passed"),
            (.deadlinePassed(after: .status(503)), "the server responded with 503; the deadline has passed"),
            (
                .pausing(for: .milliseconds(7), after: .transport(.timedOut)),
                "waiting 7 ms after a failure: no complete reply in time"
            ),
            (.redirected(status: 301, location: nil), "the server redirects (301): configure the endpoint it names"),
            (
                .redirected(status: 302, location: "https://a.test/"),
                "the server redirects to https://a.test/ (302): configure the endpoint it names"
            ),
            (
                .unauthorized(status: 401),
                "the server denies access (401): check app id, endpoint path and auth cookie"
            ),
            (
                .webPage(status: 200),
                """
                the response is a web page (200, text/html), as of a captive portal or a proxy: log in to the network, or \
                correct the endpoint
                """
            ),
            (.status(500), "the server responded with 500"),
            (.tooLarge(bytes: 9), "the server refuses 9 bytes as too large (413)"),
            (.tooManyRefusals(.status(400)), "the server responded with 400, to too many parts of a batch"),
            (
                .everythingRefused(.tooLarge(bytes: 9)),
                "the server refuses 9 bytes as too large (413), to every part of a batch: its fault, not that of an event"
            ),
            (.transport(.refused("closed")), "no connection: closed"),
            (.store(.notFolder(path: "/s")), "\(StoreError.notFolder(path: "/s"))"),
            (FlushError(unreadable), "\(unreadable)"), (FlushError(replaced), "\(replaced)"),
            (.interrupted, "the flush ended early"),
        ] as [(FlushError, String)]
    )
    func description(error: FlushError, text: String) {
        #expect("\(error)" == text)
    }

    @Test("distinguishes the causes of an error of the disk, but for a path in the store that is not a folder")
    func store() {
        let readOnly = FileError(.lock, "/s/upload.lock", errno: 30)
        #expect(FlushError(readOnly) == .store(.notWritable(readOnly)))
        #expect(FlushError(Self.unreadable) == .store(.failed(Self.unreadable)))
        #expect(FlushError(Self.replaced) == .store(.failed(Self.replaced)))
    }

    @Test(
        "contains the failure before a deadline or a pause",
        arguments: [
            (.status(503), .status(503)), (.offline, .offline), (.deadlinePassed(after: nil), nil),
            (.deadlinePassed(after: .status(503)), .status(503)), (.pausing(for: .milliseconds(1), after: nil), nil),
            (.deadlinePassed(after: .pausing(for: .milliseconds(1), after: .status(503))), .status(503)),
        ] as [(FlushError, FlushError?)]
    )
    func failure(error: FlushError, failure: FlushError?) {
        #expect(error.failure == failure)
    }

    @Test("is a passed deadline only if nothing else ended the flush")
    func deadline() {
        #expect(FlushError.deadlinePassed(after: .offline).isDeadline)
        #expect(!FlushError.offline.isDeadline)
        #expect(!FlushError.pausing(for: .milliseconds(1), after: .deadlinePassed(after: nil)).isDeadline)
    }
}
