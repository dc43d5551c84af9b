#if Collector
import ClickstreamAnalytics
import ClickstreamCollector
import ClickstreamCore
import Testing

@testable import clickstream_cli

@Suite("Connection to a collector")
struct CollectorConnectionTests {
    /// A server may answer, and end the connection, before its client has written all that it meant to.
    @Test("returns the complete reply even if the peer disconnects early")
    func earlyEnd() async throws {
        let collector = try await Collector.start()
        let address = try #require(CollectorAddress(collector.baseURL))
        let replies = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<16 {
                group.addTask {
                    var replies = 0
                    for _ in 0..<60 {
                        var body: [UInt8] = []
                        // A reply that is cut is one that does not count.
                        try? await CollectorConnection.send("/ping", of: address) { _, bytes in
                            body += bytes
                            return true
                        }
                        if body.last == UInt8(ascii: "}") { replies += 1 }
                    }
                    return replies
                }
            }
            return await group.reduce(0, +)
        }
        await collector.stop()
        #expect(replies == 16 * 60)
    }

    @Test("ends when the server has sent nothing for a time", arguments: [(100, "100 ms"), (1_000, "1 s")])
    func silence(milliseconds: Int64, time: String) async throws {
        let server = SilentServer()
        let address = try #require(CollectorAddress(server.endpoint))
        await #expect(throws: CollectorConnection.Failure.cut("no data received for \(time)")) {
            try await CollectorConnection.send("/ping", of: address, silence: milliseconds) { _, _ in true }
        }
    }

    /// Peers by address: `false` refuses connections, `true` drops packets.
    @Test(
        "reports the cause for each address without a connection",
        arguments: [
            ([false], "Connection refused (127.0.0.1)"), ([true], "Connection timed out (127.0.0.1)"),
            ([false, true], "Connection refused (127.0.0.1), Connection timed out (127.0.0.1)"),
        ] as [([Bool], String)]
    )
    func unreached(peers: [Bool], reason: String) async throws {
        let dead = DeadServer()
        defer { dead.stop() }
        let ports: [UInt16] = peers.map { dropsPackets in dropsPackets ? dead.port : 1 }
        let address = try #require(CollectorAddress("http://collector.invalid:9090"))
        await #expect(throws: CollectorConnection.Failure.unreachable(reason)) {
            try await CollectorConnection.send(
                "/ping",
                of: address,
                connectTimeout: 1_000,
                resolve: { server throws(TransportError) in
                    var addresses: [SocketAddress] = []
                    for port in ports {
                        var peer = server
                        (peer.host, peer.port) = ("127.0.0.1", Int(port))
                        addresses += try SocketAddress.resolve(peer)
                    }
                    return addresses
                },
                take: { _, _ in true }
            )
        }
    }
}
#endif
