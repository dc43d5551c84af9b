#if Tools
import ClickstreamCollector
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
}
#endif
