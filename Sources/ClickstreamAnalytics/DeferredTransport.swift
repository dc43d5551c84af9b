import ClickstreamCore

/// A transport that is made with the first request: what the system loads for TLS and proxies costs a launch nothing.
///
/// Making it takes milliseconds of the thread that sends, once. Callable from any thread.
final class DeferredTransport: Transport {
    private enum State: Sendable {
        case waiting(@Sendable () -> any Transport)
        case made(any Transport)
    }

    private let state: Locked<State>

    init(_ make: @escaping @Sendable () -> any Transport) {
        state = Locked(.waiting(make))
    }

    func send(_ request: UploadRequest) async throws(TransportError) -> UploadResponse {
        try await transport.send(request)
    }

    /// Made under the lock, so that two requests at once have one transport between them.
    private var transport: any Transport {
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
