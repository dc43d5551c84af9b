import ClickstreamSimulation
import Foundation
import Testing

@testable import ClickstreamCore

@Suite("Event queue")
struct EventQueueTests {
    @Test("returns the appended events, in order, at once and after reopening")
    func roundTrip() throws {
        let disk = MemoryFileSystem()
        var queue = try EventQueue(on: disk)
        try queue.append(1...5)
        #expect(queue.pendingEvents == 5)
        #expect(queue.storedBytes == disk[runFile("00000001.events")]?.count)
        let copy = MemoryFileSystem(disk.snapshot())
        var reopened = try EventQueue(on: copy)
        #expect(reopened.opening.events == 5)
        #expect(reopened.opening.bytes == queue.storedBytes)
        #expect(reopened.opening.lastActive == Timestamp(milliseconds: 1))
        try reopened.append(6...7)
        #expect(copy.paths.filter { $0.hasSuffix(".events") } == [runFile("00000001.events")])
        #expect(try reopened.drain(from: copy) == names(1...7))
        #expect(try queue.drain(from: disk) == names(1...5))
        #expect(reopened.isBalanced)
        #expect(reopened.ledger[.delivered] == 7)
    }

    @Test("stores lines that can be processed by ordinary tools")
    func lines() throws {
        let disk = MemoryFileSystem()
        var queue = try EventQueue(on: disk)
        try queue.append("a", at: 1_693_920_000_703)
        try queue.append("b", isActive: false, at: 1_693_920_000_704)
        let text = String(decoding: disk[runFile("00000001.events")] ?? [], as: UTF8.self)
        let lines: [String] = text.split(separator: "\n").map { (line: Substring) -> String in
            line.split(separator: " ").dropFirst().joined(separator: " ")
        }
        #expect(
            lines == [#"1 F1693920000703 {"id":"a","text":""}"#, #"2 B1693920000704 {"id":"b","text":""}"#]
        )
    }

    @Test("makes one file operation per event")
    func operations() throws {
        let disk = MemoryFileSystem()
        var queue = try EventQueue(on: disk)
        try queue.append("first")
        let before = disk.operations
        for number in 0..<100 { try queue.append("e\(number)") }
        #expect(disk.operations - before == 100)
    }

    @Test("sends the same range under the same bundle id again after a crash")
    func resends() throws {
        let disk = MemoryFileSystem()
        var queue = try EventQueue(on: disk)
        try queue.append(1...6)
        let reading = try QueueReading(disk, #require(queue.nextRange), maxRawBytes: 1_000_000).prefix(4)
        #expect(queue.begin(reading.range) == 1)
        #expect(queue.begin(reading.range) == 1)
        try queue.append(7...8)

        let copy = MemoryFileSystem(disk.snapshot())
        var reopened = try EventQueue(on: copy)
        let range = try #require(reopened.nextRange)
        #expect(range.bundleID == 1)
        #expect(range.events == 4)
        // However small the next batch is meant to be.
        let again = try QueueReading(copy, range, maxRawBytes: 1)
        #expect(again.records.map { name(inJSON: again.bytes[$0.json]) } == names(1...4))
        #expect(reopened.begin(again.range) == 1)
        reopened.acknowledge(again.range)

        var inbox = Inbox()
        while try reopened.deliver(from: copy, to: &inbox, maxEvents: 3) {}
        #expect(
            inbox.bundles == [
                Inbox.Bundle(run: "/data/app/runs/1", id: 2, events: names(5...7)),
                Inbox.Bundle(run: "/data/app/runs/1", id: 3, events: names(8...8)),
            ]
        )
        #expect(reopened.isBalanced)
    }

    @Test("does not send acknowledged events again, and never repeats a bundle id")
    func acknowledges() throws {
        var disk = MemoryFileSystem()
        var inbox = Inbox()
        for round in 0..<4 {
            var queue = try EventQueue(on: disk)
            try queue.append(round * 3..<round * 3 + 3)
            _ = try queue.deliver(from: disk, to: &inbox, maxEvents: 2)
            #expect(queue.isBalanced)
            disk = MemoryFileSystem(disk.snapshot())
        }
        var queue = try EventQueue(on: disk)
        while try queue.deliver(from: disk, to: &inbox) {}
        #expect(inbox.events == names(0..<12))
        #expect(inbox.bundles.map(\.id) == [1, 2, 3, 4, 5])
        #expect(disk.paths.filter { $0.hasSuffix(".events") } == [])
        #expect(queue.ledger.recorded == 12)
        #expect(queue.ledger[.delivered] == 12)
    }

    @Test("opens a new segment after one that was completely delivered, and continues counting")
    func goesOnCounting() throws {
        var disk = MemoryFileSystem()
        for round in 1...3 {
            var queue = try EventQueue(on: disk)
            try queue.append(1...2)
            #expect(disk.paths.filter { $0.hasSuffix(".events") } == [runFile("0000000\(round).events")])
            #expect(queue.own.nextSequence == 2 * round + 1)
            _ = try queue.drain(from: disk)
            disk = MemoryFileSystem(disk.snapshot())
        }
    }

    @Test("counts rejected and dead-lettered events separately")
    func outcomes() throws {
        let disk = MemoryFileSystem()
        var queue = try EventQueue(on: disk)
        try queue.append(1...10)
        let reading = try QueueReading(disk, #require(queue.nextRange), maxRawBytes: 1_000_000)
        _ = queue.begin(reading.range)
        queue.acknowledge(reading.range, setAside: 2)
        for code in [1_001, 1_001, 5_001] { queue.countRejected(code: code) }
        queue.count(.disabled)
        queue.close()
        #expect(queue.ledger[.delivered] == 8)
        #expect(queue.ledger[.rejected] == 3)
        #expect(queue.ledger.rejections == [1_001: 2, 5_001: 1])
        #expect(queue.ledger[.setAside] == 2)
        #expect(queue.isBalanced)
        #expect(queue.isEmpty)
        #expect(try EventQueue(on: MemoryFileSystem(disk.snapshot())).ledger == queue.ledger)
    }

    @Test("reads the manifests of earlier versions, and rejects impossible numbers")
    func oldManifest() throws {
        let disk = MemoryFileSystem()
        _ = try EventQueue(on: disk)
        let text =
            "sequence 6\nnumber 2\nbundle 3\nrecorded 8\nrejected 1\ninvalid 2\ndelivered 5\nsegment 1 0 0 1 0 0 0\n"
        disk[runFile("delivery")] = StateFile.encode(Array(text.utf8), kind: "clickstream-delivery", version: 1)
        let queue = try EventQueue(on: MemoryFileSystem(disk.snapshot()))
        #expect((queue.ledger.recorded, queue.ledger[.delivered], queue.ledger[.rejected]) == (8, 5, 3))
        #expect(queue.ledger.rejections == [:])
        let wild = text.replacingOccurrences(of: "sequence 6", with: "sequence \(Int.max)")
        disk[runFile("delivery")] = StateFile.encode(Array(wild.utf8), kind: "clickstream-delivery", version: 1)
        var next = try EventQueue(on: MemoryFileSystem(disk.snapshot()))
        try next.append("e1")
        #expect(next.isBalanced)
    }

    @Test("reads at least one line, and no more than requested", arguments: [1, 60, 150, 1_000])
    func readsInParts(maxRawBytes: Int) throws {
        let disk = MemoryFileSystem()
        var queue = try EventQueue(on: disk)
        for number in 1...10 { try queue.append("e\(number)", padding: number * 10) }
        var inbox = Inbox()
        var count = 0
        while let range = queue.nextRange {
            let reading = try QueueReading(disk, range, maxRawBytes: maxRawBytes)
            #expect(reading.range.bytes <= maxRawBytes || reading.records.count == 1)
            #expect(reading.range.events == reading.records.count)
            _ = try queue.deliver(from: disk, to: &inbox, maxRawBytes: maxRawBytes)
            count += 1
        }
        #expect(inbox.events == names(1...10))
        #expect(inbox.bundles.count == count)
    }

    @Test("keeps the time of last activity when its record is gone, ignoring background events")
    func lastActive() throws {
        var disk = MemoryFileSystem()
        var queue = try EventQueue(on: disk)
        #expect(queue.lastActive == nil)
        try queue.append("a", at: 10)
        try queue.append("b", at: 20)
        try queue.append("c", isActive: false, at: 30)
        #expect(queue.lastActive == Timestamp(milliseconds: 20))
        disk = MemoryFileSystem(disk.snapshot())
        queue = try EventQueue(on: disk)
        #expect(queue.opening.lastActive == Timestamp(milliseconds: 20))
        _ = try queue.drain(from: disk)
        disk = MemoryFileSystem(disk.snapshot())
        queue = try EventQueue(on: disk)
        #expect(queue.opening == report(lastActive: 20))
        try queue.append("d", isActive: false, at: 40)
        #expect(queue.lastActive == Timestamp(milliseconds: 20))
        // The wall clock may have been set back: the last one counts.
        try queue.append("e", at: 5)
        #expect(queue.lastActive == Timestamp(milliseconds: 5))
        #expect(try EventQueue(on: MemoryFileSystem(disk.snapshot())).lastActive == Timestamp(milliseconds: 5))
    }

    private func report(lastActive: Int64) -> OpeningReport {
        var report = OpeningReport()
        report.lastActive = Timestamp(milliseconds: lastActive)
        return report
    }

    // MARK: Caps

    @Test("respects its size limit by evicting the oldest, counted")
    func bytesCap() throws {
        let disk = MemoryFileSystem()
        var queue = try EventQueue(on: disk, limits: QueueLimits(maxBytes: 16_000))
        for number in 0..<500 {
            try queue.append("e\(number)", padding: 50)
            #expect(queue.storedBytes <= 16_000)
        }
        let evicted = queue.takeEvictions()
        #expect(evicted.map(\.reason) == [.bytes])
        let lost = evicted[0].events
        #expect(queue.takeEvictions() == [])
        #expect(lost + queue.pendingEvents == 500)
        #expect(queue.storedBytes > 14_000)
        let files: [String] = disk.paths.filter { (path: String) -> Bool in path.hasSuffix(".events") }
        let sizes: [Int] = files.map { (path: String) -> Int in disk[path]?.count ?? 0 }
        let fileBytes: Int = sizes.reduce(0, +)
        #expect(queue.storedBytes == fileBytes)
        #expect(queue.ledger[.evictedForBytes] == lost)
        let copy = MemoryFileSystem(disk.snapshot())
        var reopened = try EventQueue(on: copy)
        #expect(reopened.ledger == queue.ledger)
        #expect(try reopened.drain(from: copy) == names(lost..<500))
    }

    @Test("respects its limit on the number of events", arguments: [1, 5, 16, 100])
    func countCap(maxEvents: Int) throws {
        let disk = MemoryFileSystem()
        var queue = try EventQueue(on: disk, limits: QueueLimits(maxEvents: maxEvents))
        try queue.append(0..<300)
        #expect(queue.pendingEvents <= maxEvents)
        let block: Int = max(1, maxEvents / 16)
        #expect(queue.pendingEvents > maxEvents - block - 1)
        let lost = queue.ledger[.evictedForCount]
        #expect(queue.isBalanced)
        #expect(try queue.drain(from: disk) == names(lost..<300))
    }

    @Test("evicts events beyond the maximum age")
    func ageCap() throws {
        let disk = MemoryFileSystem()
        var queue = try EventQueue(on: disk, limits: QueueLimits(maxAge: 1_600))
        for number in 0..<100 { try queue.append("e\(number)", at: Int64(number) * 100) }
        let lost = queue.ledger[.evictedForAge]
        // Segments span a sixteenth of the age, which is one event here.
        #expect((81...83).contains(lost))
        queue.evictAged(at: Timestamp(milliseconds: 100_000))
        #expect(queue.isEmpty)
        #expect(queue.takeEvictions() == [EventQueue.Eviction(reason: .age, events: 100)])
        #expect(queue.isBalanced)
    }

    @Test("never evicts a range in flight")
    func flightIsKept() throws {
        let disk = MemoryFileSystem()
        var queue = try EventQueue(on: disk, limits: QueueLimits(maxEvents: 32))
        try queue.append(0..<10)
        let reading = try QueueReading(disk, #require(queue.nextRange), maxRawBytes: 1_000_000)
        let begun = queue.begin(reading.range)
        let id = try #require(begun)
        try queue.append(10..<200)
        #expect(queue.begin(reading.range) == id)
        #expect(queue.pendingEvents <= 33)
        queue.acknowledge(reading.range)
        #expect(queue.ledger[.delivered] == reading.records.count)
        #expect(queue.isBalanced)
    }

    @Test("reports to the uploader that a range was evicted before it began")
    func evictedBeforeBegin() throws {
        let disk = MemoryFileSystem()
        var queue = try EventQueue(on: disk, limits: QueueLimits(maxEvents: 16))
        try queue.append(0..<16)
        let range = try #require(queue.nextRange)
        try queue.append(16..<40)
        #expect(throws: FileError(.read, runFile("00000001.events"), errno: 2)) {
            try QueueReading(disk, range, maxRawBytes: 100)
        }
        #expect(queue.begin(range) == nil)
        queue.acknowledge(range)
        #expect(queue.ledger[.delivered] == 0)
        #expect(queue.isBalanced)
    }

    @Test(
        "does not append to a line with a damaged end, which would lose the new event too",
        arguments: [0x20, 0]
    )
    func damagedEnd(byte: UInt8) throws {
        let disk = MemoryFileSystem()
        var queue = try EventQueue(on: disk)
        try queue.append(1...3)
        queue.close()
        let path = runFile("00000001.events")
        var bytes = try #require(disk[path])
        bytes[bytes.count - 1] = byte
        let damaged = MemoryFileSystem(disk.snapshot())
        damaged[path] = bytes
        var reopened = try EventQueue(on: damaged)
        try reopened.append(4...6)
        reopened.close()
        let later = MemoryFileSystem(damaged.snapshot())
        var again = try EventQueue(on: later)
        // The third record is whole but for its line feed.
        #expect(try again.drain(from: later) == names(1...6))
        #expect(again.isBalanced)
        #expect(again.ledger[.damaged] == 0)
    }

    @Test("rejects an event that is larger than the store, and keeps the others")
    func tooLarge() throws {
        let disk = MemoryFileSystem()
        var queue = try EventQueue(on: disk, limits: QueueLimits(maxBytes: 1_000))
        try queue.append("a")
        #expect(throws: FileError(.append, "/data/app/runs/1", errno: 27)) { try queue.append("b", padding: 1_000) }
        #expect(try queue.drain(from: disk) == ["a"])
        try queue.append("c", padding: 800)
        #expect(try queue.drain(from: disk) == ["c"])
    }

    @Test("purges everything on request")
    func purges() throws {
        let disk = MemoryFileSystem()
        var queue = try EventQueue(on: disk, limits: QueueLimits(maxEvents: 32))
        try queue.append(0..<20)
        #expect(queue.purge() == 20)
        #expect(queue.isEmpty)
        #expect(queue.ledger[.purged] == 20)
        #expect(queue.isBalanced)
        try queue.append(20..<22)
        #expect(try queue.drain(from: disk) == names(20..<22))
    }

    // MARK: A disk that refuses

    @Test("keeps the events of a segment whose first record the disk rejected, if the manifest was written in between")
    func refusedFirstRecord() throws {
        let disk = MemoryFileSystem()
        var limits = QueueLimits()
        limits.maxEvents = 32
        var queue = try EventQueue(on: disk, limits: limits)
        try queue.append(1...2)
        disk.refuse([.append], errno: 28)
        #expect(throws: FileError.self) { try queue.append("lost") }
        _ = queue.begin(try #require(queue.nextRange))
        disk.refuse([.append], errno: nil)
        try queue.append(3...4)
        let copy = MemoryFileSystem(disk.snapshot())
        var reopened = try EventQueue(on: copy, limits: limits)
        #expect(reopened.ledger.recorded == 4)
        #expect(try reopened.drain(from: copy) == names(1...4))
        #expect(reopened.isBalanced)
        #expect(try queue.drain(from: disk) == names(1...4))
    }

    @Test("tolerates a full disk and continues when there is space", arguments: [0, 10, 40])
    func fullDisk(free: Int) throws {
        let disk = MemoryFileSystem()
        var queue = try EventQueue(on: disk)
        try queue.append(1...5)
        disk.capacity = disk.usedBytes + free
        for _ in 0..<3 {
            #expect(throws: FileError(.append, runFile("00000001.events"), errno: 28)) {
                try queue.append("lost", padding: 50)
            }
        }
        #expect(queue.pendingEvents == 5)
        // Even the books have no room: what is sent is sent all the same, and gives room.
        var inbox = Inbox()
        _ = try queue.deliver(from: disk, to: &inbox)
        #expect(inbox.events == names(1...5))
        #expect(queue.manifestError == nil)
        try queue.append(6...7)
        #expect(try queue.drain(from: disk) == names(6...7))
        #expect(queue.ledger[.delivered] == 7)
        #expect(queue.isBalanced)
    }

    @Test("keeps every appended event after the failure of any one file operation")
    func anyFailure() throws {
        var step = 0
        var isDone = false
        while !isDone {
            step += 1
            let disk = MemoryFileSystem()
            disk.inject(.fail(errno: 5), at: .operation(step))
            var appended: [String] = []
            var inbox = Inbox()
            do {
                var queue = try EventQueue(on: disk, limits: QueueLimits(maxBytes: 1_600))
                for number in 0..<12 {
                    // One that is refused is the caller's to count; the queue goes on.
                    if (try? queue.append("e\(number)")) != nil { appended.append("e\(number)") }
                    if number % 4 == 3 { _ = try? queue.deliver(from: disk, to: &inbox, maxEvents: 3) }
                }
                #expect(queue.isBalanced)
            } catch {}
            isDone = disk.operations < step
            let copy = MemoryFileSystem(disk.snapshot())
            var queue = try EventQueue(on: copy, limits: QueueLimits(maxBytes: 1_600))
            while try queue.deliver(from: copy, to: &inbox) {}
            var seen: Set<String> = []
            #expect(inbox.events.filter { seen.insert($0).inserted } == appended, "step \(step)")
            #expect(queue.isBalanced)
        }
        #expect(step > 30)
    }
}
