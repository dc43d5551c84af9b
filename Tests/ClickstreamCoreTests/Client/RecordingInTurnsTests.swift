import ClickstreamSimulation
import Testing

@testable import ClickstreamCore

@Suite("Interleaved recording and delivery")
struct RecordingInTurnsTests {
    @Test(
        "events recorded from outside, interleaved with deliveries of others, are delivered in order",
        arguments: 1...60 as ClosedRange<UInt64>
    )
    func order(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let phone = Phone(seed: seed)
        var recorder: ClickstreamClient?
        var sender: ClickstreamClient?
        var last: Int?
        var count = 0
        for _ in 0..<80 {
            switch Int.random(in: 0..<8, using: &random) {
            case 0...3:
                if recorder == nil { recorder = try phone.outsider(runAfter: last) }
                last = recorder?.run
                await phone.time.advance(milliseconds: 5)
                recorder?.recordEvent("tap", ["number": count])
                count += 1
            case 4:
                recorder?.terminate()
                recorder = nil
            case 5:
                if sender == nil { sender = try phone.sender() }
            case 6:
                phone.server.defaultReply = .status(Bool.random(using: &random) ? 200 : 503)
                _ = await sender?.flush()
            default:
                sender?.terminate()
                sender = nil
            }
        }
        recorder?.terminate()
        sender?.terminate()
        phone.server.defaultReply = .status(200)
        let end = try phone.sender()
        #expect(await end.flush().isComplete)
        // Refused events came again: the last arrival of an event counts.
        var numbers: [Int64?] = []
        for event in phone.server.events where event.name == "tap" {
            let number = try JSONReader.parse(event.json)["attributes"]?["number"]?.integer
            numbers.removeAll { $0 == number }
            numbers.append(number)
        }
        #expect(numbers == (0..<count).map { Int64($0) }, "seed \(seed)")
    }
}
