import ClickstreamCore

/// Lazily created transport: loading the system's TLS and proxy support does not delay a launch.
///
/// Creation takes milliseconds on the sending thread, once. Thread-safe.
final class DeferredTransport: ClickstreamClient.Transport {
    private enum State: Sendable {
        case waiting(@Sendable () -> any ClickstreamClient.Transport)
        case made(any ClickstreamClient.Transport)
    }

    private let state: Locked<State>

    init(_ make: @escaping @Sendable () -> any ClickstreamClient.Transport) {
        state = Locked(.waiting(make))
    }

    func send(_ request: UploadRequest) async throws(TransportError) -> UploadResponse {
        try await transport.send(request)
    }

    /// The transport, created under the lock so that concurrent requests share it.
    private var transport: any ClickstreamClient.Transport {
        state.withLock { state in
            switch state {
            case .made(let transport): return transport
            case .waiting(let make):
                let transport = make()
                state = .made(transport)
                return transport
            }
        }
    }
}
