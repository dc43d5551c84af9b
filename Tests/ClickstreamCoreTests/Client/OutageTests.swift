import ClickstreamJudges
import ClickstreamSimulation
import Testing

@testable import ClickstreamCore

/// Network traffic during a server's outage, in virtual time.
@Suite("Outage")
struct OutageTests {
    private static let minute: Int64 = 60_000

    /// Text that hardly shrinks: hexadecimal digits of a generator that is the same at each run.
    private static func noise(_ seed: Int, length: Int) -> String {
        var state = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 | 1
        var text = ""
        while text.utf8.count < length {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            text += String(state, radix: 16)
        }
        return String(text.prefix(length))
    }

    @Test(
        "of ten minutes sends at most a tenth more than the queue, with a flush requested every second",
        arguments: [ScriptedServer.Reply.status(503), .refuse, .cutBeforeReply, .timeOut]
    )
    func tenMinutes(failure: ScriptedServer.Reply) async throws {
        let phone = Phone()
        phone.server.defaultReply = failure
        let client = try phone.launch(observes: false)
        for number in 0..<1_250 { client.record("tap", attributes: ["text": Self.noise(number + 1, length: 1_000)]) }
        let start = phone.time.now().wall.milliseconds
        for _ in 0..<600 {
            client.flushEvents()
            await phone.time.advance(milliseconds: 1_000)
        }
        let wasted = phone.server.attempts
        phone.server.defaultReply = .status(200)
        for _ in 0..<600 {
            client.flushEvents()
            await phone.time.advance(milliseconds: 1_000)
        }
        #expect(phone.server.events.count > 1_250)

        // What the outage itself took, then every request of the delivery.
        let all = phone.server.attempts
        let queue = all.dropFirst(wasted.count).reduce(0) { $0 + $1.body.count }
        let sent = all.reduce(0) { $0 + $1.body.count }
        #expect(queue > 1_000_000)
        #expect(Double(sent) <= 1.1 * Double(queue), "\(sent) bytes for a queue of \(queue)")
        #expect(!wasted.isEmpty)

        let times = wasted.compactMap { ReceivedUpload.Query(of: $0.url).uploadTimestamp?.milliseconds }
        let curve = times.map { "\(Double(($0 - start) / 100) / 10)s" }.joined(separator: " ")
        print("outage \(failure): \(wasted.count) attempts, \(sent) bytes for \(queue) queued; attempts at \(curve)")
        #expect((times.last ?? 0) - start <= 10 * Self.minute)
    }
}
