extension ClickstreamClient {
    /// The notices from now on, as an asynchronous sequence: `for await notice in client.notices() { … }`.
    ///
    /// A call that records never waits for the reader. The sequence ends when its task is cancelled, not with the
    /// client. Each event costs a copy of its line while the sequence exists.
    /// - Parameter limit: the maximum number of notices that wait for the reader; beyond it the oldest are dropped.
    public func notices(bufferingNewest limit: Int = 1_000) -> AsyncStream<Notice> {
        .notices(bufferingNewest: limit) { observe($0) }
    }
}

extension AsyncStream<Notice> {
    /// Creates a sequence of the notices of a registration, which ends with the sequence.
    package static func notices(
        bufferingNewest limit: Int,
        _ observe: (@escaping @Sendable (Notice) -> Void) -> NoticeObserver
    ) -> AsyncStream<Notice> {
        let (stream, continuation) = makeStream(bufferingPolicy: .bufferingNewest(Swift.max(1, limit)))
        let observer = observe { continuation.yield($0) }
        continuation.onTermination = { _ in observer.cancel() }
        return stream
    }
}
