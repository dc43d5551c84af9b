import ClickstreamCore
import ClickstreamSimulation
import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Server with plain sockets on a free loopback port; its script determines the treatment of each request.
///
/// Parses HTTP only to find the end of a request, and keeps the bytes as received.
final class RawServer: Sendable {
    /// Treatment of one request.
    enum Answer: Sendable {
        /// These bytes go back, and the connection stays.
        case bytes([UInt8])
        /// These bytes go back, and the connection ends.
        case bytesThenClose([UInt8])
        /// The connection ends when the request has been read.
        case close
        /// The connection ends when the request's head has been read, with a reset.
        case reset
        /// Nothing comes back, ever.
        case silence
    }

    /// Treatment of connections.
    enum Listener: Sendable {
        case accepting
        /// No connection is ever made: the queue for new ones is full from the start.
        case deaf
        /// Every connection is refused. The port is taken all the same: one that is merely free may become that of another test.
        case refusing
    }

    struct SocketFailure: Error {
        var call: String
        var errno: Int32
    }

    private struct State {
        var script: ArraySlice<Answer>
        var requests: [[UInt8]] = []
        var connections: [Int32] = []
        var isStopped = false
    }

    let port: UInt16
    private let kind: Listener
    private let listener: Int32
    private let state: AwaitedState<State>

    init(_ script: [Answer], _ kind: Listener = .accepting) throws {
        // Writing to a connection that the client has closed must be an error, not a signal.
        signal(SIGPIPE, SIG_IGN)
        self.kind = kind
        listener = try Self.check("socket", Self.makeSocket())
        state = AwaitedState(State(script: script[...]))
        var address = Self.loopback(port: 0)
        let length = socklen_t(MemoryLayout<sockaddr_in>.size)
        try Self.check("bind", Self.withAddress(&address) { [listener] in bind(listener, $0, length) })
        if kind != .refusing { try Self.check("listen", listen(listener, kind == .deaf ? 0 : 64)) }
        var actualLength = length
        try Self.check(
            "getsockname",
            Self.withAddress(&address) { [listener] in getsockname(listener, $0, &actualLength) }
        )
        port = UInt16(bigEndian: address.sin_port)
        if kind == .deaf {
            // The queue is full when one more connection does not come about.
            var isFull = false
            while !isFull {
                let filler = try Self.check("socket", Self.makeSocket())
                _ = fcntl(filler, F_SETFL, O_NONBLOCK)
                var address = Self.loopback(port: port)
                // "In progress" is what it shall be.
                _ = Self.withAddress(&address) { connect(filler, $0, length) }
                state.withLock { $0.connections.append(filler) }
                var probe = pollfd(fd: filler, events: Int16(POLLOUT), revents: 0)
                isFull = poll(&probe, 1, 100) == 0
            }
        }
        if kind == .accepting { Thread { [self] in acceptConnections() }.start() }
    }

    /// The requests as they came, head and body.
    var requests: [[UInt8]] {
        state.withLock { $0.requests }
    }

    /// Suspends until a request has arrived.
    func receivesRequest() async {
        await state.until { !$0.requests.isEmpty }
    }

    /// Ends every connection. The threads end by themselves, and close what is theirs: a number that is closed here
    /// could belong to another file by then.
    func stop() {
        state.withLock { state in
            guard !state.isStopped else { return }
            state.isStopped = true
            shutdown(listener, Int32(SHUT_RDWR))
            for connection in state.connections { shutdown(connection, Int32(SHUT_RDWR)) }
            if kind != .accepting { for socket in state.connections + [listener] { close(socket) } }
        }
    }

    private func acceptConnections() {
        defer { close(listener) }
        while true {
            let connection = accept(listener, nil, nil)
            guard connection >= 0 else { return }
            let isStopped = state.withLock { state in
                if !state.isStopped { state.connections.append(connection) }
                return state.isStopped
            }
            if isStopped {
                close(connection)
                return
            }
            Thread { [self] in serve(connection) }.start()
        }
    }

    private func serve(_ connection: Int32) {
        defer {
            state.withLock { $0.connections.removeAll { $0 == connection } }
            close(connection)
        }
        var input: [UInt8] = []
        while true {
            guard let headEnd = readHead(from: connection, into: &input) else { return }
            if case .reset? = state.withLock({ $0.script.first }) {
                state.withLock { _ = $0.script.popFirst() }
                var abort = linger(l_onoff: 1, l_linger: 0)
                setsockopt(connection, SOL_SOCKET, SO_LINGER, &abort, socklen_t(MemoryLayout<linger>.size))
                return
            }
            let end = headEnd + Self.contentLength(input[..<headEnd])
            while input.count < end { guard Self.readMore(from: connection, into: &input) else { return } }
            let request = Array(input[..<end])
            input.removeFirst(end)
            let answer = state.withLock { state in
                state.requests.append(request)
                return state.script.popFirst()
            }
            switch answer {
            case .bytes(let bytes):
                Self.write(bytes, to: connection)
            case .bytesThenClose(let bytes):
                Self.write(bytes, to: connection)
                return
            case .silence:
                // Until the client, or `stop`, ends the connection.
                while Self.readMore(from: connection, into: &input) {}
                return
            case .close, .reset, nil:
                return
            }
        }
    }

    private func readHead(from connection: Int32, into input: inout [UInt8]) -> Int? {
        while true {
            if let end = input.firstRange(of: Array("\r\n\r\n".utf8))?.upperBound { return end }
            guard Self.readMore(from: connection, into: &input) else { return nil }
        }
    }

    private static func contentLength(_ head: ArraySlice<UInt8>) -> Int {
        for line in String(decoding: head, as: UTF8.self).split(separator: "\r\n") {
            let parts = line.split(separator: ":", maxSplits: 1)
            if parts.count == 2, parts[0].lowercased() == "content-length" {
                return Int(parts[1].trimmingCharacters(in: .whitespaces)) ?? 0
            }
        }
        return 0
    }

    private static func readMore(from connection: Int32, into input: inout [UInt8]) -> Bool {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        let count = recv(connection, &chunk, chunk.count, 0)
        guard count > 0 else { return false }
        input += chunk[..<count]
        return true
    }

    private static func write(_ bytes: [UInt8], to connection: Int32) {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                Foundation.send(connection, $0.baseAddress! + sent, $0.count - sent, 0)
            }
            guard count > 0 else { return }
            sent += count
        }
    }

    private static func makeSocket() -> Int32 {
        #if canImport(Glibc)
        socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
        socket(AF_INET, SOCK_STREAM, 0)
        #endif
    }

    private static func loopback(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        return address
    }

    private static func withAddress(
        _ address: inout sockaddr_in,
        _ body: (UnsafeMutablePointer<sockaddr>) -> Int32
    ) -> Int32 {
        withUnsafeMutablePointer(to: &address) { $0.withMemoryRebound(to: sockaddr.self, capacity: 1, body) }
    }

    @discardableResult
    private static func check(_ call: String, _ result: Int32) throws -> Int32 {
        guard result >= 0 else { throw SocketFailure(call: call, errno: errno) }
        return result
    }
}

/// Keeps the thread busy, to vary the moment of a cancellation: at most some milliseconds.
func spin(microseconds: Int64) {
    let end = ContinuousClock.now + .microseconds(microseconds)
    while ContinuousClock.now < end {}
}
