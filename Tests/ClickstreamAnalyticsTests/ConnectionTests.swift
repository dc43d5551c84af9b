#if os(Linux)
import ClickstreamAnalytics
import ClickstreamCore
import Testing

/// A name with several addresses, over real sockets.
@Suite("A server with several addresses", .timeLimit(.minutes(10)))
struct ConnectionTests {
    enum Kind: Sendable {
        /// Drops packets: no attempt ends.
        case dead
        case refusing
        case working
    }

    @Test(
        "receives a request once, at the first address that answers",
        arguments: [
            ([.working], [1]), ([.working, .working], [1, 0]), ([.refusing, .working], [0, 1]),
            ([.dead, .working], [0, 1]), ([.dead, .refusing, .working], [0, 0, 1]),
            ([.refusing, .dead, .dead, .working, .working], [0, 0, 0, 1, 0]),
        ] as [([Kind], [Int])]
    )
    func delivered(kinds: [Kind], requests: [Int]) async throws {
        let peers = try kinds.map(Peer.init)
        defer { for peer in peers { peer.stop() } }
        // A second request finds no state of the first.
        for count in 1...2 {
            let request = UploadRequest(url: "http://shop.invalid/collect", headers: [], body: [65])
            #expect(try await transport(to: peers).send(request) == UploadResponse(status: 200))
            #expect(peers.map(\.requestCount) == requests.map { $0 * count })
        }
    }

    @Test(
        "that cannot be reached is reported as such, with its addresses, within one timeout",
        arguments: [
            ([.dead], "Connection timed out (127.0.0.1)"),
            ([.dead, .dead], "Connection timed out (127.0.0.1), Connection timed out (127.0.0.1)"),
            ([.refusing, .refusing], "Connection refused (127.0.0.1), Connection refused (127.0.0.1)"),
            ([.refusing, .dead], "Connection refused (127.0.0.1), Connection timed out (127.0.0.1)"),
            ([.dead, .refusing], "Connection timed out (127.0.0.1), Connection refused (127.0.0.1)"),
        ] as [([Kind], String)]
    )
    func unreached(kinds: [Kind], reasons: String) async throws {
        let peers = try kinds.map(Peer.init)
        defer { for peer in peers { peer.stop() } }
        var request = UploadRequest(url: "http://shop.invalid/collect", headers: [], body: [65])
        (request.connectTimeout, request.requestTimeout) = (.seconds(2), .seconds(600))
        let start = SystemTime().now().steady
        await #expect(throws: TransportError.refused("shop.invalid: \(reasons)")) {
            try await transport(to: peers).send(request)
        }
        // The limit above, with all addresses, is tested in virtual time.
        if kinds.contains(.dead) { #expect(SystemTime().now().steady - start >= 1_990) }
    }

    @Test("cannot be reached if its name is not resolved within the timeout")
    func unresolved() async throws {
        let resolution = Locked(false)
        let transport = SocketTransport { server throws(TransportError) in
            while !resolution.withLock({ $0 }) { spin(microseconds: 1_000) }
            throw .refused("too late")
        }
        defer { resolution.withLock { $0 = true } }
        var request = UploadRequest(url: "http://shop.invalid:81/collect", headers: [], body: [65])
        request.connectTimeout = .milliseconds(200)
        await #expect(throws: TransportError.unreached("shop.invalid:81", within: 200)) {
            try await transport.send(request)
        }
    }

    @Test("may be cancelled at any moment of the attempts")
    func cancelled() async throws {
        let peers = try [Kind.dead, .dead].map(Peer.init)
        defer { for peer in peers { peer.stop() } }
        let transport = transport(to: peers)
        let request = UploadRequest(url: "http://shop.invalid/collect", headers: [], body: [65])
        for round in 0..<10 {
            let task = Task { try await transport.send(request) }
            // Some before and some after the start of the second attempt.
            spin(microseconds: Int64(round * 30_000))
            task.cancel()
            await #expect(throws: TransportError.cancelled) { try await task.value }
        }
    }

    /// Returns a transport with a resolver whose only name has the addresses of `peers`.
    private func transport(to peers: [Peer]) -> SocketTransport {
        let ports = peers.map(\.port)
        return SocketTransport { server throws(TransportError) in
            var addresses: [SocketAddress] = []
            for port in ports {
                var peer = server
                (peer.host, peer.port) = ("127.0.0.1", Int(port))
                addresses += try SocketAddress.resolve(peer)
            }
            return addresses
        }
    }

    /// Listener at one address.
    private struct Peer: Sendable {
        private let server: RawServer

        init(_ kind: Kind) throws {
            let ok = RawServer.Answer.bytesThenClose(Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".utf8))
            server =
                switch kind {
                case .dead: try RawServer([], .deaf)
                case .refusing: try RawServer([], .refusing)
                case .working: try RawServer([ok, ok])
                }
        }

        var port: UInt16 { server.port }
        var requestCount: Int { server.requests.count }

        func stop() { server.stop() }
    }
}
#endif
