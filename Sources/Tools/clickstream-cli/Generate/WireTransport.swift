import ClickstreamCore

/// A transport that counts requests, and delivers some of them twice, as networks do.
final class WireTransport: ClickstreamClient.Transport {
    struct Counts: Sendable, Hashable {
        /// Requests, repeated ones included.
        var requests = 0
        var repeatedRequests = 0
        var failedRequests = 0
        /// Bytes of their bodies as sent.
        var bytes = 0
    }

    private let transport: any ClickstreamClient.Transport
    private let duplicate: Double
    private let numbers: Locked<ShopLife.Numbers>
    private let state = Locked((counts: Counts(), failure: String?.none, underWay: 0))

    /// - Parameter duplicate: probability that a request is sent twice, from 0 to 1.
    init(_ transport: any ClickstreamClient.Transport, duplicate: Double, seed: UInt64) {
        self.transport = transport
        self.duplicate = duplicate
        numbers = Locked(ShopLife.Numbers(seed: seed))
    }

    var counts: Counts { state.withLock { $0.counts } }
    /// True if a request has succeeded, or may still succeed.
    var isAnswered: Bool {
        state.withLock { $0.underWay > 0 || $0.counts.requests > $0.counts.failedRequests }
    }
    /// Reason of the last failed request.
    var failure: String? { state.withLock { $0.failure } }

    func send(_ request: UploadRequest) async throws(TransportError) -> UploadResponse {
        let response = try await deliver(request)
        let isRepeated = numbers.withLock { Double.random(in: 0..<1, using: &$0) < duplicate }
        guard isRepeated, response.isSuccess else { return response }
        state.withLock { $0.counts.repeatedRequests += 1 }
        // The result of the second delivery is ignored: the app has its response.
        _ = try? await deliver(request)
        return response
    }

    private func deliver(_ request: UploadRequest) async throws(TransportError) -> UploadResponse {
        state.withLock { $0.underWay += 1 }
        defer { state.withLock { $0.underWay -= 1 } }
        do {
            let response = try await transport.send(request)
            state.withLock { state in
                state.counts.requests += 1
                state.counts.bytes += request.body.count
                guard !response.isSuccess else { return }
                state.counts.failedRequests += 1
                let reason: FlushError =
                    response.isWebPage ? .webPage(status: response.status) : .status(response.status)
                state.failure = "\(reason)"
            }
            return response
        } catch {
            state.withLock { state in
                state.counts.requests += 1
                state.counts.failedRequests += 1
                state.failure =
                    switch error {
                    case .refused(let reason), .cut(let reason): reason
                    case .timedOut: "no response in time"
                    case .cancelled: "stopped"
                    }
            }
            throw error
        }
    }
}
