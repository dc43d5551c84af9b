#if os(Linux)
import CClickstreamSystem
package import ClickstreamCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Overlapping connection attempts to the addresses of one server: the shell around ``HappyEyeballs``. Owns the sockets
/// until one is connected.
struct ConnectionAttempts<Value: Sendable> {
    private let server: ServerAddress
    private let timeout: Int64
    private let addresses: [SocketAddress]
    private let call: BlockingCall<Value>
    private var schedule: HappyEyeballs
    private var pending: [(address: Int, socket: Int32)] = []
    /// The error number of each started attempt; `nil` while it is pending.
    private var errors: [Int32?] = []

    /// - Parameter timeout: the limit in milliseconds from the start of `call`.
    init(to server: ServerAddress, at addresses: [SocketAddress], timeout: Int64, _ call: BlockingCall<Value>) {
        self.server = server
        self.timeout = timeout
        self.addresses = HappyEyeballs.interleaved(addresses, by: \.family)
        self.call = call
        schedule = HappyEyeballs(addressCount: addresses.count, start: call.startTime, timeout: timeout)
    }

    /// Blocks until the first attempt succeeds.
    /// - Returns: the connected socket, which wakes the thread when the call ends.
    mutating func connection() throws(TransportError) -> Int32 {
        defer { closePending() }
        while hold(pending.map(\.socket)) {
            switch schedule.next(at: SystemTime().now().steady) {
            case .connect(let address):
                start(address)
            case .wait(let milliseconds):
                guard let socket = connectedSocket(within: milliseconds) else { continue }
                closePending()
                guard hold([socket]) else {
                    close(socket)
                    throw .cancelled
                }
                return socket
            case .stop:
                throw failure
            }
        }
        throw .cancelled
    }

    private func hold(_ sockets: [Int32]) -> Bool {
        call.hold { for socket in sockets { shutdown(socket, Int32(SHUT_RDWR)) } }
    }

    private mutating func start(_ address: Int) {
        errors.append(nil)
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let connection = clickstream_above_standard(socket(addresses[address].family, kind, 0))
        guard connection >= 0 else { return fail(address, errno) }
        let error = addresses[address].startConnecting(connection)
        guard error == 0 else {
            close(connection)
            return fail(address, error)
        }
        pending.append((address, connection))
    }

    private mutating func fail(_ address: Int, _ error: Int32) {
        errors[address] = error
        schedule.attemptFailed()
    }

    /// Waits until a pending attempt ends.
    /// - Returns: the socket of the first attempt that succeeded, which is no longer pending.
    private mutating func connectedSocket(within milliseconds: Int64) -> Int32? {
        var entries = pending.map { pollfd(fd: $0.socket, events: Int16(POLLOUT), revents: 0) }
        guard poll(&entries, nfds_t(entries.count), Int32(min(milliseconds, 86_400_000))) > 0, !call.hasEnded else {
            return nil
        }
        for (attempt, entry) in zip(pending, entries) where entry.revents != 0 {
            pending.removeAll { $0.socket == attempt.socket }
            let error = Self.connectError(of: attempt.socket)
            if error == 0 { return attempt.socket }
            // The call must not shut down a number that another file may have by then.
            call.release()
            close(attempt.socket)
            fail(attempt.address, error)
        }
        return nil
    }

    /// Returns the error number of an attempt that ended, or 0 if the socket is connected.
    private static func connectError(of socket: Int32) -> Int32 {
        var error: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &length)
        guard error == 0 else { return error }
        var peer = sockaddr_storage()
        length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let code = withUnsafeMutablePointer(to: &peer) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(socket, $0, &length) }
        }
        return code == 0 ? 0 : errno
    }

    private mutating func closePending() {
        guard !pending.isEmpty else { return }
        call.release()
        for attempt in pending { close(attempt.socket) }
        pending = []
    }

    /// The error that contains each address with its reason, unless the host is that address.
    private var failure: TransportError {
        guard !errors.isEmpty else { return .unreached(server.authority, within: timeout) }
        let reasons = zip(addresses, errors).map { address, error in
            let reason = String(cString: strerror(error ?? ETIMEDOUT))
            return "\(address)" == server.host ? reason : "\(reason) (\(address))"
        }
        return .refused("\(server.authority): \(reasons.joined(separator: ", "))")
    }
}

extension BlockingCall {
    /// Resolves the host of a server, and blocks until an attempt to connect succeeds.
    /// - Parameter timeout: the limit in milliseconds from the start of the call, for name and addresses together. It
    ///   replaces the call's own timer.
    /// - Returns: the connected socket, which wakes the thread when the call ends.
    package func connection(
        to server: ServerAddress,
        timeout: Int64,
        _ resolve: SocketTransport.Resolver
    ) throws(TransportError) -> Int32 {
        let addresses = try resolve(server)
        stopConnectTimer()
        var attempts = ConnectionAttempts(to: server, at: addresses, timeout: timeout, self)
        return try attempts.connection()
    }
}
#endif
