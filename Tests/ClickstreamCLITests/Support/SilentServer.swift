#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A server that takes connections and never answers.
struct SilentServer: ~Copyable {
    let endpoint: String
    private let descriptor: Int32

    init() {
        let (descriptor, port) = LoopbackSocket.listening()
        self.descriptor = descriptor
        endpoint = "http://127.0.0.1:\(port)/collect"
    }

    deinit {
        close(descriptor)
    }
}
