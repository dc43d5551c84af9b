import ClickstreamSimulation
import Testing

@testable import ClickstreamCore

/// Another program changes the file of the segment that is being appended to.
@Suite("Segment that another program truncates, replaces, removes or renames")
struct ForeignHandsTests {
    enum Change: Sendable, CaseIterable {
        case cutByOne, cutByTwo, cutInHalf, cutToNothing, replacedByCopy, replacedByOther, removed, renamed, renamedAway
        case folderRemoved

        /// The events before the change that it may cost: those whose bytes are cut off.
        func lost(of recorded: [RecordedEvent], path: String, on disk: MemoryFileSystem) -> Set<String> {
            guard [.cutByTwo, .cutInHalf, .cutToNothing].contains(self) else { return [] }
            let text = String(decoding: disk[path] ?? [], as: UTF8.self)
            return Set(recorded.filter { !text.contains($0.text) }.map(\.id))
        }

        func befall(_ path: String, on disk: MemoryFileSystem) throws {
            let bytes = disk[path] ?? []
            switch self {
            case .cutByOne: disk[path]?.removeLast(1)
            case .cutByTwo: disk[path]?.removeLast(2)
            case .cutInHalf: disk[path]?.removeLast(bytes.count / 2)
            case .cutToNothing: disk[path] = []
            case .replacedByCopy, .replacedByOther:
                disk[path] = nil
                disk[path] = self == .replacedByCopy ? bytes : Array("something else\n".utf8)
            case .removed: disk[path] = nil
            case .renamed: try disk.rename(path, to: path + ".bak")
            case .renamedAway: try disk.rename(path, to: "/data/elsewhere")
            case .folderRemoved: disk.removeTree("/data/shop")
            }
        }
    }

    /// How the process goes on after the change and what it records then.
    enum End: Sendable, CaseIterable {
        case flush, terminate, kill
    }

    @Test(
        "loses only the truncated events, and none recorded afterwards",
        arguments: Change.allCases,
        End.allCases
    )
    func costsWhatItTouches(change: Change, end: End) async throws {
        for delivered in [false, true] {
            let phone = Phone()
            let client = try phone.launch {
                $0.maxBatchBytes = 2_000
                $0.compressesEvents = false
            }
            if delivered { #expect(await client.flush().isComplete) }
            for index in 0..<20 { client.record("before\(index)") }
            if delivered { await phone.deliverSome(of: client) }
            let before = phone.log.events.filter { !phone.server.events.contains($0) }
            let path = try #require(phone.disk.paths.last { $0.hasSuffix(".events") })
            try change.befall(path, on: phone.disk)
            let lost = change.lost(of: before, path: path, on: phone.disk)
            for index in 0..<20 {
                await phone.time.advance(milliseconds: 30)
                client.record("after\(index)")
            }
            client.setOnline(true)
            if end == .flush { #expect(await client.flush().isComplete) }
            if end == .kill { client.kill() } else { client.terminate() }
            let next = try phone.launch()
            #expect(await next.flush().isComplete)
            let arrived = phone.server.events.map(\.id)
            let comment = Comment(rawValue: "\(change), \(end), delivered \(delivered): \(phone.log.all.warnings)")
            let recorded = Set(phone.log.events.map(\.id))
            #expect(recorded.subtracting(arrived) == lost, comment)
            #expect(Set(arrived).count == arrived.count || change == .folderRemoved, comment)
            let (ledger, pending) = next.ledger
            #expect(ledger.recorded == ledger.settled + pending, comment)
            if end == .kill, change == .folderRemoved { continue }
            #expect(ledger[.damaged] + ledger[.missing] == lost.count, comment)
            #expect(ledger[.delivered] == recorded.count - lost.count, comment)
        }
    }

    @Test("an event recorded after the removal is found by the next process, even if this one is killed")
    func isNoticedSoon() async throws {
        let phone = Phone()
        let client = try phone.launch(sends: false)
        client.record("before")
        phone.disk[Phone.path("runs/1/00000001.events")] = nil
        await phone.time.advance(milliseconds: 20)
        client.record("after")
        client.kill()
        #expect(phone.records().map(\.event) == phone.log.events)
    }

    @Test("recording many events checks the file once, not for each")
    func checksSeldom() async throws {
        let phone = Phone()
        let client = try phone.launch(sends: false, observes: false)
        client.record("first")
        await phone.time.advance(milliseconds: 20)
        let operations = phone.disk.operations
        for _ in 0..<1_000 { client.record("tap") }
        #expect(phone.disk.operations == operations + 1_000 + 1)
    }

    @Test("while the disk is full, records without a file name stay readable", arguments: [true, false])
    func fullDisk(isFlushed: Bool) async throws {
        let phone = Phone()
        let client = try phone.launch()
        for index in 0..<20 { client.record("before\(index)") }
        phone.disk[Phone.path("runs/1/00000001.events")] = nil
        phone.disk.refuse([.write], errno: 28)
        for index in 0..<20 {
            await phone.time.advance(milliseconds: 30)
            client.record("after\(index)")
        }
        if isFlushed {
            _ = await client.flush()
            #expect(phone.server.events == phone.log.events)
        }
        phone.disk.refuse([.write], errno: nil)
        client.terminate()
        let next = try phone.launch()
        #expect(await next.flush().isComplete)
        #expect(Set(phone.server.events.map(\.id)) == Set(phone.log.events.map(\.id)))
        #expect(next.ledger.ledger[.missing] == 0)
    }
}

extension Phone {
    /// Delivers the first batch of what is pending, and none until the network can be reached again.
    fileprivate func deliverSome(of client: ClickstreamClient) async {
        server.answer(.status(200), .refuse)
        _ = await client.flush()
        client.setOnline(false)
    }
}
