import ClickstreamJudges
import ClickstreamSimulation
import ClickstreamStores
import TestSupport
import Testing

@testable import ClickstreamCore

@Suite("Rejected events")
struct RefusalTests {
    /// A server that answers 400 to every batch with one of these events in it.
    private static func phone(refusing poison: Set<String>, seed: UInt64 = 1) -> Phone {
        Phone(
            seed: seed,
            handler: { request in
                let events = ReceivedUpload(target: request.url, body: request.body).recordedEvents
                return events.contains { poison.contains($0.name) } ? .status(400) : .status(200)
            }
        )
    }

    /// Events accepted by the server, each one once.
    private func taken(_ phone: Phone, refusing poison: Set<String>) -> [String] {
        var seen: Set<String> = []
        return phone.server.uploads.map(\.recordedEvents).filter { events in
            !events.contains { poison.contains($0.name) }
        }.flatMap { $0 }.filter { seen.insert($0.id).inserted }.map(\.name)
    }

    @Test(
        "one bad event is found by bisection and dead-lettered, at any position; all others arrive",
        arguments: [0, 1, 31, 62, 63]
    )
    func onePoison(index: Int) async throws {
        let phone = Self.phone(refusing: ["poison"])
        let client = try phone.launch()
        #expect(await client.flush().isComplete)
        for number in 0..<64 { client.record(number == index ? "poison" : "tap\(number)") }
        _ = phone.log.take()
        let before = phone.server.attempts.count
        let report = await client.flush()
        #expect(report.isComplete)
        #expect(report.sent == 63)
        #expect(report.setAside == 1)
        #expect(phone.server.attempts.count - before == 13)
        #expect(Set(taken(phone, refusing: ["poison"]).filter { $0.hasPrefix("tap") }).count == 63)
        #expect(phone.log.all.outline.contains("set aside 1"))

        let letters = try client.deadLetters.all()
        #expect(letters.map(\.eventName) == ["poison"])
        #expect(letters.map(\.status) == [400])
        #expect(letters.map(\.attempts) == [7])
        #expect(letters.map(\.setAside) == [phone.time.now().wall])
        #expect(letters.first?.reason == "the server responded with 400")
        let (ledger, pending) = client.ledger
        #expect(ledger[.setAside] == 1)
        #expect(ledger.recorded == ledger.settled + pending)
        let ids = phone.server.uploads.compactMap(\.query.bundleSequenceID)
        #expect(Set(ids).count == ids.count)
    }

    @Test(
        "a run folder of bad events alone does not hold up the folders behind it",
        arguments: [2, 3, TestLength.count(12, full: 40)]
    )
    func wholeFolder(count: Int) async throws {
        let phone = Self.phone(refusing: ["poison"])
        let first = try phone.launch()
        let second = try phone.launch()
        for client in [first, second] { #expect(await client.flush().isComplete) }
        for _ in 0..<count { first.record("poison") }
        // The older folder is delivered first.
        await phone.time.advance(milliseconds: 1_000)
        for number in 0..<5 { second.record("tap\(number)") }
        first.kill()
        second.kill()
        // Processes that record nothing, each with one attempt.
        for _ in 0..<count * 2 {
            let sender = try phone.sender()
            _ = await sender.flush()
            sender.terminate()
        }
        let folder = try StoreFolder(phone.disk, root: "/data", appID: "shop")
        let (ledger, pending) = try folder.ledger()
        #expect((ledger[.setAside], pending) == (count, 0))
        let names = taken(phone, refusing: ["poison"])
        // One of them was sent first, as evidence that the server accepts any.
        #expect(names.filter { $0.hasPrefix("tap") }.sorted() == (0..<5).map { "tap\($0)" })
        #expect(try folder.deadLetters.all().map(\.eventName) == Array(repeating: "poison", count: count))
    }

    @Test(
        "adjacent bad events are dead-lettered, but not by a server that starts to reject everything",
        arguments: [true, false]
    )
    func sideBySide(staysWell: Bool) async throws {
        let count = Locked(0)
        let phone = Phone(handler: { request in
            let number = count.withLock { count in
                count += 1
                return count
            }
            let events = ReceivedUpload(target: request.url, body: request.body).recordedEvents
            if number > 4, !staysWell { return .status(400) }
            return events.contains { $0.name == "poison" } ? .status(400) : .status(200)
        })
        let client = try phone.launch()
        #expect(await client.flush().isComplete)
        for name in ["a", "b", "c", "d", "poison", "poison", "e", "f"] { client.record(name) }
        let report = await client.flush()
        #expect(report.setAside == (staysWell ? 2 : 0))
        #expect(report.retained == (staysWell ? 0 : 4))
        #expect(try client.deadLetters.all().count == (staysWell ? 2 : 0))
        let (ledger, pending) = client.ledger
        #expect(ledger.recorded == ledger.settled + pending)
    }

    @Test(
        "accepted events of a rejected batch are reported once, and sent once, whatever happens in between",
        arguments: TestLength.pairs(Array(3...9), [.status(503), .refuse, .timeOut] as [ScriptedServer.Reply])
    )
    func interrupted(at number: Int, by reply: ScriptedServer.Reply) async throws {
        let count = Locked(0)
        let phone = Phone(handler: { request in
            let attempt = count.withLock { count in
                count += 1
                return count
            }
            if attempt == number { return reply }
            let events = ReceivedUpload(target: request.url, body: request.body).recordedEvents
            return events.contains { $0.name == "poison" } ? .status(400) : .status(200)
        })
        let client = try phone.launch()
        #expect(await client.flush().isComplete)
        _ = phone.log.take()
        for name in ["a", "b", "c", "d", "e", "f", "poison", "g"] { client.record(name) }
        let recorded = phone.log.take().events.count
        var reports: [FlushReport] = []
        repeat {
            reports.append(try await phone.moving { await client.flush(deadline: .seconds(60)) })
        } while reports.last?.isComplete == false && reports.count < 5
        #expect(reports.map(\.sent).reduce(0, +) == recorded - 1)
        #expect(reports.map(\.setAside).reduce(0, +) == 1)
        #expect(reports.last?.retained == 0)
        let reported = phone.log.all.reduce(0) { sum, notice in
            if case .uploaded(let events, _, _) = notice { sum + events } else { sum }
        }
        #expect(reported == recorded - 1)
        let (ledger, pending) = client.ledger
        #expect(pending == 0)
        #expect(ledger.recorded == ledger.settled)
    }

    @Test("the accepted half is not sent again if the other half is not answered")
    func halfTaken() async throws {
        let phone = Phone(replies: [.status(200), .status(400), .status(200), .status(503)])
        let client = try phone.launch()
        #expect(await client.flush().isComplete)
        for name in ["a", "b", "c", "d", "e", "f", "g", "h"] { client.record(name) }
        let report = await client.flush()
        #expect(report.sent == 4)
        #expect(report.retained == 4)
        let rest = try await phone.moving { await client.flush(deadline: .seconds(60)) }
        #expect(rest.sent == 4)
        let last = phone.server.uploads.dropFirst(4).flatMap(\.recordedEvents).map(\.name)
        #expect(last == ["e", "f", "g", "h"])
    }

    @Test("if everything is rejected the server is at fault: all events are kept, and retried after a pause")
    func serversFault() async throws {
        let phone = Phone()
        phone.server.defaultReply = .status(400)
        let client = try phone.launch()
        for number in 0..<100 { client.record("tap\(number)") }
        let report = await client.flush()
        #expect(report.retained == 103)
        #expect(report.setAside == 0)
        #expect(report.attempts == 3)
        #expect(report.lastError?.description.contains("its fault") == true)
        for _ in 0..<10 { await phone.time.advance(milliseconds: 300_000) }
        #expect(try client.deadLetters.all() == [])
        #expect(phone.server.attempts.count <= 3 * 40)
        phone.server.defaultReply = .status(200)
        for _ in 0..<3 { await phone.time.advance(milliseconds: 300_000) }
        #expect(await client.flush().isComplete)
        let (ledger, _) = client.ledger
        #expect(ledger[.delivered] == 103)
    }

    @Test("a bad event alone in the queue is kept until a neighbor is accepted", arguments: [10, 20_000])
    func alone(size: Int) async throws {
        let phone = Self.phone(refusing: ["poison"])
        let client = try phone.launch { $0.compressesEvents = false }
        #expect(await client.flush().isComplete)
        let items: [Attributes] = (0..<size / 200).map { ["id": "\($0)", "name": String(repeating: "x", count: 200)] }
        client.record("poison", items: Array(items.prefix(100)))
        #expect(await client.flush().retained == 1)
        #expect(try client.deadLetters.all() == [])
        client.record("tap")
        await phone.time.advance(milliseconds: 300_000)
        #expect(try client.deadLetters.all().map(\.eventName) == ["poison"])
        #expect(taken(phone, refusing: ["poison"]).last == "tap")
        #expect(await client.flush().isComplete)
    }

    @Test(
        "any number of bad events at any position is dead-lettered eventually, and nothing else is",
        arguments: TestLength.sample([UInt64](1...6), short: 3)
    )
    func manyPoisons(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let phone = Self.phone(refusing: ["poison"], seed: seed)
        let client = try phone.launch { $0.maxBatchBytes = 30_000 }
        var good = 3
        for _ in 0..<120 {
            let isBad = Int.random(in: 0..<20, using: &random) == 0
            client.record(isBad ? "poison" : "tap")
            if !isBad { good += 1 }
        }
        client.record("last")
        _ = await client.flush()
        for _ in 0..<100 where client.ledger.pendingEvents > 0 { await phone.time.advance(milliseconds: 300_000) }
        let (ledger, pending) = client.ledger
        #expect(pending == 0)
        #expect(ledger[.setAside] == 123 - good)
        #expect(ledger[.delivered] == good + 1)
        #expect(ledger.recorded == ledger.settled)
        #expect(taken(phone, refusing: ["poison"]).count == good + 1)
        #expect(try client.deadLetters.all().allSatisfy { $0.eventName == "poison" })
    }

    /// Launches, records `count` events of which those at `indices` are refused, and dies.
    private func left(_ count: Int, refusedAt indices: Set<Int>) throws -> Phone {
        let phone = Self.phone(refusing: ["poison"])
        let client = try phone.launch()
        for number in 0..<count { client.record(indices.contains(number) ? "poison" : "tap") }
        client.kill()
        return phone
    }

    private static let longQueue = TestLength.count(1_000, full: 5_000)

    private static let scattered: [Set<Int>] = [
        [10, longQueue / 5, longQueue * 2 / 5, longQueue * 4 / 5, longQueue - 1],
        Set(stride(from: 5, to: longQueue, by: 331)),
        Set(stride(from: 0, to: longQueue, by: 50)),
    ]

    @Test("a few bad events spread over a long queue delay delivery only briefly", arguments: scattered)
    func poisonsInALongQueue(indices: Set<Int>) async throws {
        let phone = try left(Self.longQueue, refusedAt: indices)
        let client = try phone.launch()
        _ = await client.flush()
        for _ in 0..<500 where client.ledger.pendingEvents > 0 { await phone.time.advance(milliseconds: 300_000) }
        // Each costs about two requests for each halving of its batch; a batch of its own for each event is the whole queue.
        #expect(phone.server.attempts.count < 100 + 25 * indices.count)
        #expect(client.ledger.pendingEvents == 0)
        #expect(client.ledger.ledger[.setAside] == indices.count)
        let (ledger, pending) = client.ledger
        #expect(ledger.recorded == ledger.settled + pending)
        #expect(try client.deadLetters.all().allSatisfy { $0.eventName == "poison" })
    }

    @Test("one process per flush reaches the end of a queue with bad events everywhere, too")
    func processByProcess() async throws {
        let count = TestLength.count(100, full: 400)
        let phone = try left(count, refusedAt: Set(stride(from: 0, to: count, by: 10)))
        var flushes = 0
        var isComplete = false
        while !isComplete, flushes < 200 {
            let client = try phone.launch()
            isComplete = await client.flush().isComplete
            client.kill()
            flushes += 1
        }
        #expect(isComplete)
        #expect(taken(phone, refusing: ["poison"]).filter { $0 == "tap" }.count == count * 9 / 10)
        let client = try phone.launch()
        #expect(try client.deadLetters.all().count == count / 10)
    }

    @Test("a single event that is too large for the server is dead-lettered, and the others are sent")
    func tooLarge() async throws {
        let phone = Phone(handler: { $0.body.count > 5_000 ? .status(413) : nil })
        let client = try phone.launch { $0.compressesEvents = false }
        let big: [Attributes] = (0..<60).map { ["id": "\($0)", "name": String(repeating: "x", count: 200)] }
        client.record("before")
        client.record("big", items: big)
        client.record("after")
        let report = await client.flush()
        #expect(report.isComplete)
        #expect(report.setAside == 1)
        #expect(report.sent == 5)
        #expect(try client.deadLetters.all().map { "\($0.eventName) \($0.status)" } == ["big 413"])
    }

    @Test(
        "a server that rejects requests is contacted with growing pauses, and reported once",
        arguments: [401, 403, 302]
    )
    func turnedAway(status: Int) async throws {
        let phone = Phone()
        phone.server.defaultReply = .status(status)
        let client = try phone.launch()
        _ = await client.flush()
        var pauses: [Int64] = []
        for _ in 0..<8 {
            pauses.append(try #require(phone.time.millisecondsToNextTimer))
            await phone.time.advance(milliseconds: pauses[pauses.count - 1])
        }
        #expect(pauses.prefix(3) == [60_000, 120_000, 240_000])
        #expect(pauses.suffix(2) == [3_600_000, 3_600_000])
        #expect(phone.log.all.warnings.count == 1)
        // With another cookie the pause means nothing.
        phone.server.defaultReply = .status(200)
        client.configure { $0.authCookie = "session=2" }
        #expect(await client.flush().sent == 3)
    }

    // MARK: Dead letters

    @Test("are requeued by their ids or all, as recorded, and may be removed")
    func deadLetters() async throws {
        let phone = Self.phone(refusing: ["poison", "venom"])
        let client = try phone.launch()
        for name in ["poison", "a", "b"] { client.record(name) }
        _ = await client.flush()
        for name in ["venom", "c", "d"] { client.record(name) }
        _ = await client.flush()
        let letters = try client.deadLetters.all()
        #expect(letters.map(\.eventName) == ["poison", "venom"])
        #expect(
            letters.map { RecordedEvent($0.json) } == phone.log.events.filter { ["poison", "venom"].contains($0.name) }
        )
        #expect(try client.requeueDeadLetters([letters[1].eventID]) == 1)
        #expect(client.ledger.pendingEvents == 1)
        client.record("e")
        _ = await client.flush()
        let again = try client.deadLetters.all()
        #expect(again.map(\.eventName) == ["poison", "venom"])
        #expect(try client.deadLetters.remove([letters[0].eventID]).map(\.eventName) == ["poison"])
        #expect(try client.deadLetters.all().map(\.eventName) == ["venom"])
        #expect(try client.deadLetters.remove().count == 1)
        #expect(try client.deadLetters.all() == [])
        let (ledger, pending) = client.ledger
        #expect(ledger.recorded == ledger.settled + pending)
    }

    @Test("are decoded as encoded, and limited in number")
    func capped() throws {
        let disk = MemoryFileSystem()
        let letters = try StoreFolder(disk, root: "/data", appID: "shop").deadLetters
        func letter(_ number: Int, padding: Int = 0) -> DeadLetter {
            DeadLetter(
                json: Array(
                    #"{"event_id":"\#(number)","event_type":"e","timestamp":5,"x":"\#(String(repeating: "x", count: padding))"}"#
                        .utf8
                ),
                status: 400,
                reason: #"it said ","event": and \ "#,
                attempts: number,
                setAside: Timestamp(milliseconds: Int64(number))
            )
        }
        try letters.add([letter(1), letter(2)])
        #expect(try letters.all() == [letter(1), letter(2)])
        // Again: at the end, with all attempts.
        try letters.add([letter(1)])
        #expect(try letters.all().map(\.attempts) == [2, 2])
        try letters.add((3..<1_010).map { letter($0) })
        #expect(try letters.all().count == DeadLetters.maxLetters)
        #expect(try letters.all().last == letter(1_009))
        try letters.add([letter(2_000, padding: 3_000_000), letter(2_001, padding: 3_000_000)])
        #expect(try letters.all().map(\.attempts) == [2_001])
        disk["/data/shop/dead"] = [1]
        disk["/data/shop/dead.old"] = nil
        #expect(try letters.all() == [])
        #expect(disk.paths.contains("/data/shop/state.lock"))
    }

    @Test("that the disk cannot store are kept in the queue")
    func noCapacity() async throws {
        let phone = Self.phone(refusing: ["poison"])
        let client = try phone.launch()
        for name in ["poison", "a"] { client.record(name) }
        phone.disk.refuse([.write], errno: 28)
        let report = await client.flush()
        #expect(report.setAside == 0)
        #expect(report.lastError?.description.contains("No space left on device") == true)
        #expect(client.ledger.pendingEvents > 0)
        phone.disk.refuse([.write], errno: nil)
        await phone.time.advance(milliseconds: 300_000)
        #expect(try client.deadLetters.all().map(\.eventName) == ["poison"])
        #expect(await client.flush().isComplete)
    }

    @Test("are checked for damage, and rewritten as far as they are readable")
    func damaged() async throws {
        let phone = Self.phone(refusing: ["poison"])
        let client = try phone.launch()
        for name in ["a", "poison", "b", "poison", "c"] { client.record(name) }
        #expect(await client.flush().isComplete)
        client.kill()
        let folder = try StoreFolder(phone.disk, existing: "/data/shop")
        #expect(try StoreCheck(phone.disk, folder).findings == [])
        let letters = try folder.deadLetters.all()
        #expect(letters.count == 2)
        let lines = letters[0].line + Array("\nno letter".utf8)
        phone.disk[Phone.path("dead")] = StateFile.encode(lines, kind: "clickstream-dead", version: 1)
        var findings = try StoreCheck(phone.disk, folder).findings
        #expect(findings.map(\.kind) == [.damagedDeadLetters])
        #expect(findings.map(\.events) == [1])
        phone.disk[Phone.path("dead")] = [1, 2, 3]
        findings = try StoreCheck(phone.disk, folder).findings
        #expect(findings.map(\.kind) == [.damagedDeadLetters])
        try folder.deadLetters.repair()
        #expect(try StoreCheck(phone.disk, folder).findings == [])
        #expect(try folder.deadLetters.all() == [])
    }
}
