import ClickstreamSimulation
import Testing

@testable import ClickstreamCore

@Suite("Accounting of a client")
struct AccountingTests {
    @Test("contains the outcome of every event")
    func outcomes() async throws {
        let phone = Phone()
        let client = try phone.launch()
        client.record("tap")
        client.record("bad name")
        client.record("_screen_view")
        client.disable()
        client.record("unheard")
        client.record("unheard")
        client.enable()
        #expect(await client.flush().isComplete)
        phone.disk.refuse([.append], errno: 28)
        client.record("lost")
        phone.disk.refuse([.append], errno: nil)
        client.record("kept")
        let (ledger, pending) = client.ledger
        #expect(pending == 1)
        #expect(ledger[.delivered] == 6)
        #expect(ledger[.rejected] == 2)
        #expect(ledger.rejections == [1001: 1, 5001: 1])
        #expect(ledger[.disabled] == 2)
        #expect(ledger[.unstored] == 1)
        #expect(ledger.recorded == 12)
        let refusal = FileError(.append, Phone.path("runs/1/00000002.events"), errno: 28)
        #expect(
            phone.log.all.warnings == [
                "Events are lost, and counted, until they can be stored again: \(refusal)",
                "The disk takes events again; 1 were lost meanwhile.",
            ]
        )
        #expect(phone.log.all.codes == [.diskFailing, .diskWorking])
        client.terminate()
        // Across a restart nothing is forgotten.
        let next = try phone.launch()
        let (later, left) = next.ledger
        #expect(later.recorded == later.settled + left)
        #expect(later.recorded == 12 + 2)
    }

    @Test("adds up for any order of calls, faults, kills and restarts", arguments: 1...40 as ClosedRange<UInt64>)
    func invariant(seed: UInt64) async throws {
        let dice = Locked(SeededGenerator(seed: seed &+ 7))
        let phone = Phone(
            seed: seed,
            handler: { _ in
                let replies: [ScriptedServer.Reply?] = [
                    nil, nil, nil, .status(503), .status(400), .status(413), .status(403), .cutBeforeReply,
                ]
                return replies[dice.withLock { Int.random(in: 0..<replies.count, using: &$0) }]
            }
        )
        var random = SeededGenerator(seed: seed)
        func launch() throws -> ClickstreamClient {
            try phone.launch {
                $0.maxStoreEvents = 64
                $0.maxBatchBytes = 8_000
            }
        }
        var client = try launch()
        var acknowledged = 0
        for _ in 0..<200 {
            switch Int.random(in: 0..<16, using: &random) {
            case 0: client.disable()
            case 1: client.enable()
            case 2: phone.disk.refuse([.append], errno: 28)
            case 3: phone.disk.refuse([.read], errno: 5)
            case 4, 5: phone.disk.refuse([.append, .write, .read], errno: nil)
            case 6: client.record("bad name")
            case 7: _ = await client.flush()
            case 8: await phone.time.advance(milliseconds: 60_000)
            case 9:
                phone.disk.refuse([.append, .write, .read], errno: nil)
                if Bool.random(using: &random) { client.kill() } else { client.terminate() }
                client = try launch()
            default: client.record("tap")
            }
            let (ledger, pending) = client.ledger
            #expect(ledger.recorded == ledger.settled + pending)
            acknowledged += phone.log.take().events.count
        }
        phone.disk.refuse([.append, .write, .read], errno: nil)
        client.terminate()
        let (ledger, pending) = try StoreFolder(phone.disk, root: "/data", appID: "shop").ledger()
        #expect(ledger.recorded == ledger.settled + pending)
        // An event lost before the queue was never reported as recorded.
        let lost = ledger[.unstored] + ledger[.disabled] + ledger[.rejected]
        acknowledged += phone.log.take().events.count
        #expect(ledger.recorded - lost == acknowledged)
    }

    @Test(
        "with power durability, recorded events survive a loss of power after the interval, with one operation for all"
    )
    func power() async throws {
        let phone = Phone()
        let client = try phone.launch {
            $0.durability = .power
            $0.synchronizeInterval = .milliseconds(50)
        }
        for _ in 0..<20 { client.record("tap") }
        let early = Phone(disk: MemoryFileSystem(phone.disk.snapshot(losingUnsynchronized: true)))
        #expect(early.records().isEmpty)
        let operations = phone.disk.operations
        await phone.time.advance(milliseconds: 50)
        #expect(phone.disk.operations == operations + 1)
        client.record("late")
        let late = Phone(disk: MemoryFileSystem(phone.disk.snapshot(losingUnsynchronized: true)))
        #expect(late.records().map(\.event) == phone.log.events.dropLast())
        client.terminate()
        let ended = Phone(disk: MemoryFileSystem(phone.disk.snapshot(losingUnsynchronized: true)))
        #expect(ended.records().map(\.event) == phone.log.events)
        #expect(phone.time.millisecondsToNextTimer == nil)
    }

    @Test(
        "a shutdown records the end, sends events until the deadline, and keeps the rest",
        arguments: [true, false]
    )
    func shutdown(isReachable: Bool) async throws {
        let phone = Phone()
        if !isReachable { phone.server.defaultReply = .ignore }
        let client = try phone.launch()
        let report = try await phone.moving { await client.shutdown(deadline: .seconds(2)) }
        #expect(report.sent == (isReachable ? 4 : 0))
        #expect(report.retained == (isReachable ? 0 : 4))
        #expect(phone.time.now().steady <= 2_000)
        #expect(phone.log.events.last?.name == "_app_end")
        client.record("nothing")
        #expect(phone.log.events.last?.name == "_app_end")
        phone.server.defaultReply = .status(200)
        let next = try phone.launch()
        #expect(await next.flush().isComplete)
        #expect(Array(phone.server.events.prefix(4)) == Array(phone.log.events.prefix(4)))
    }
}
