import ClickstreamCore

/// Transport that reports the duration of each request to an observer, if there is one. Thread-safe.
final class TimedTransport: ClickstreamClient.Transport {
    private let transport: any ClickstreamClient.Transport
    private let time: any TimeSource
    private let observer: RequestObserver

    init(_ transport: any ClickstreamClient.Transport, time: any TimeSource, observer: RequestObserver) {
        self.transport = transport
        self.time = time
        self.observer = observer
    }

    func send(_ request: UploadRequest) async throws(TransportError) -> UploadResponse {
        let start = time.now().steady
        defer { observer.report(.milliseconds(time.now().steady - start)) }
        return try await transport.send(request)
    }
}

/// Observer of the duration of requests. Thread-safe.
final class RequestObserver: Sendable {
    private struct Handler: Sendable {
        var report: @Sendable (Duration) -> Void
    }

    private let handler = Locked<Handler?>(nil)

    func observe(_ report: (@Sendable (Duration) -> Void)?) {
        handler.withLock { $0 = report.map { Handler(report: $0) } }
    }

    func report(_ duration: Duration) {
        handler.withLock { $0 }?.report(duration)
    }
}
