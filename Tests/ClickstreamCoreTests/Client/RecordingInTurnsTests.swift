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
                recorder?.record("tap", attributes: ["number": count])
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
        let numbers = try await deliverRest(of: phone, events: "tap")
        #expect(numbers == (0..<count).map { Int64($0) }, "seed \(seed)")
    }

    /// A process that records, and releases its run folder between times: `record -` with pauses in its input.
    private struct Writer {
        var client: ClickstreamClient?
        /// The run folder recorded to last.
        var last: Int?
        /// The number of recorded events.
        var count = 0
    }

    @Test(
        "events of several recorders, interleaved with each other and with deliveries, are delivered in the order of each",
        arguments: 1...60 as ClosedRange<UInt64>
    )
    func orderOfEach(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let phone = Phone(seed: seed)
        var writers = [Writer(), Writer(), Writer()]
        var sender: ClickstreamClient?
        for _ in 0..<160 {
            let index = Int.random(in: 0..<writers.count, using: &random)
            switch Int.random(in: 0..<12, using: &random) {
            case 0...4:
                let client = try writers[index].client ?? phone.outsider(runAfter: writers[index].last)
                writers[index].client = client
                writers[index].last = client.run
                await phone.time.advance(milliseconds: 5)
                client.record("writer\(index)", attributes: ["number": writers[index].count])
                writers[index].count += 1
            case 5, 6:
                writers[index].client?.terminate()
                writers[index].client = nil
            case 7:
                // The input goes on after the kill, in the same folder.
                writers[index].client?.kill()
                writers[index].client = nil
            case 8:
                if sender == nil { sender = try phone.sender() }
            case 9, 10:
                phone.server.defaultReply = .status(Int.random(in: 0..<4, using: &random) > 0 ? 200 : 503)
                await phone.time.advance(milliseconds: 600_000)
                _ = await sender?.flush()
            default:
                sender?.terminate()
                sender = nil
            }
        }
        for writer in writers { writer.client?.terminate() }
        sender?.terminate()
        for (index, writer) in writers.enumerated() {
            let numbers = try await deliverRest(of: phone, events: "writer\(index)")
            #expect(numbers == (0..<writer.count).map { Int64($0) }, "writer \(index), seed \(seed)")
        }
    }

    @Test("events that follow those in a folder in use are left for later, and then delivered in order")
    func followers() async throws {
        let phone = Phone()
        let first = try phone.outsider()
        first.record("tap", attributes: ["number": 0])
        first.terminate()
        // Another recorder takes the folder, so that the first continues in another one.
        let second = try phone.outsider()
        await phone.time.advance(milliseconds: 5)
        let again = try phone.outsider(runAfter: first.run)
        #expect(again.run != second.run)
        again.record("tap", attributes: ["number": 1])
        again.terminate()
        let early = try phone.sender()
        #expect(await early.flush().sent == 0)
        early.terminate()
        second.terminate()
        #expect(try await deliverRest(of: phone, events: "tap") == [0, 1])
    }

    /// Delivers what is left to a server that accepts everything, and returns the numbers of all events of a name, in order.
    private func deliverRest(of phone: Phone, events name: String) async throws -> [Int64?] {
        phone.server.defaultReply = .status(200)
        let end = try phone.sender()
        #expect(await end.flush().isComplete)
        end.terminate()
        // Refused events came again: the last arrival of an event counts.
        var numbers: [Int64?] = []
        for event in phone.server.events where event.name == name {
            let number = event.integer("number")
            numbers.removeAll { $0 == number }
            numbers.append(number)
        }
        return numbers
    }
}
