import ClickstreamCore
import ClickstreamSimulation
import TestSupport
import Testing

/// Loss by a crash, a torn write or a wrong byte: never more than the records that it touched.
@Suite("Damaged store")
struct StoreDamageTests {
    /// Small segments, so that a short run has several.
    private static let limits = QueueLimits(maxBytes: 16 * 150)

    /// A store with a delivered part, a part in flight, whole segments, and an open one.
    private static func store() throws -> (disk: MemoryFileSystem, delivered: [String], pending: [String]) {
        let disk = MemoryFileSystem()
        var queue = try EventQueue(on: disk, limits: limits)
        try queue.append(1...9)
        var inbox = Inbox()
        _ = try queue.deliver(from: disk, to: &inbox, maxEvents: 1)
        let flight = try QueueReading(disk, #require(queue.nextRange), maxRawBytes: 1_000_000)
        let id = queue.begin(flight.range)
        #expect(id == 2)
        return (disk, inbox.events, names(2...9))
    }

    /// Every index of a file's bytes, or a sample with that of each line feed.
    private static func indices(of bytes: [UInt8]) -> [Int] {
        let sample = Set(TestLength.sample(Array(bytes.indices), short: 40))
        return bytes.indices.filter { bytes[$0] == 10 || sample.contains($0) }
    }

    @Test("returns all intact records when a segment is truncated at any byte")
    func cutsSegments() throws {
        let (disk, delivered, pending) = try Self.store()
        let segments = disk.paths.filter { $0.hasSuffix(".events") }
        #expect(segments.count >= 3)
        for path in segments {
            let whole = try #require(disk[path])
            for length in Self.indices(of: whole) {
                let copy = MemoryFileSystem(disk.snapshot())
                copy[path] = Array(whole[..<length])
                var queue = try EventQueue(on: copy, limits: Self.limits)
                // Every line that is whole is still there, all others are accounted for.
                let cut = Self.cutNames(whole[length...], after: whole[..<length])
                let expected = pending.filter { !cut.contains($0) }
                let sent = try queue.drain(from: copy)
                #expect(sent == expected, "\(path) cut to \(length)")
                #expect(queue.isBalanced)
                #expect(queue.ledger[.delivered] == delivered.count + sent.count)
                try queue.append("next")
                #expect(try queue.drain(from: copy) == ["next"])
            }
        }
    }

    /// Names of the events whose records are not complete before the cut; a line feed is no part of a record.
    private static func cutNames(_ lost: ArraySlice<UInt8>, after kept: ArraySlice<UInt8>) -> Set<String> {
        if lost.first == 10 { return cutNames(lost.dropFirst(), after: kept + [10]) }
        let start = kept.lastIndex(of: 10).map { $0 + 1 } ?? kept.startIndex
        let lines = (kept[start...] + lost).split(separator: 10)
        return Set(lines.map { name(inJSON: $0) })
    }

    @Test(
        "loses at most the damaged records when any byte of any file is wrong",
        arguments: [0x01, 0x20, 0xFF] as [UInt8]
    )
    func flipsBytes(mask: UInt8) throws {
        let (disk, delivered, pending) = try Self.store()
        for path in disk.paths {
            let whole = try #require(disk[path])
            for index in Self.indices(of: whole) {
                let copy = MemoryFileSystem(disk.snapshot())
                copy[path]?[index] ^= mask
                var queue = try EventQueue(on: copy, limits: Self.limits)
                let sent = try queue.drain(from: copy)
                var touched: Set<String> = []
                if path.hasSuffix(".events") {
                    let start = whole[..<index].lastIndex(of: 10).map { $0 + 1 } ?? 0
                    let end = whole[index...].firstIndex(of: 10) ?? whole.endIndex
                    touched.insert(name(inJSON: whole[start..<end]))
                    // A line feed that is gone makes one line of two.
                    if whole[index] == 10, index + 1 < whole.endIndex {
                        let next = whole[(index + 1)...].firstIndex(of: 10) ?? whole.endIndex
                        touched.insert(name(inJSON: whole[(index + 1)..<next]))
                    }
                }
                let new = sent.filter { !delivered.contains($0) }
                #expect(Set(pending).subtracting(new).isSubset(of: touched), "\(path), byte \(index): \(sent)")
                // Order is kept, and nothing comes twice; what was settled comes again only if the books were hit.
                #expect(sent == (delivered + pending).filter(Set(sent).contains), "\(path), byte \(index): \(sent)")
                if !path.contains("/delivery") { #expect(new == sent, "\(path), byte \(index)") }
                #expect(queue.isBalanced)
                try queue.append("next")
                #expect(try queue.drain(from: copy) == ["next"])
            }
        }
    }

    @Test("tolerates a truncated or missing manifest")
    func cutsManifest() throws {
        let (disk, delivered, pending) = try Self.store()
        for path in [runFile("delivery"), runFile("delivery.old")] {
            let whole = try #require(disk[path])
            for length in Self.indices(of: whole) {
                let copy = MemoryFileSystem(disk.snapshot())
                copy[path] = Array(whole[..<length])
                var queue = try EventQueue(on: copy, limits: Self.limits)
                #expect(queue.opening.notes.map(\.code) == (path == runFile("delivery") ? [.storeDamaged] : []))
                let sent = try queue.drain(from: copy)
                #expect(sent == pending || sent == delivered + pending, "\(path) cut to \(length)")
                #expect(queue.isBalanced)
            }
        }
        disk[runFile("delivery")] = nil
        disk[runFile("delivery.old")] = nil
        var queue = try EventQueue(on: disk, limits: Self.limits)
        #expect(try queue.drain(from: disk) == delivered + pending)
    }

    @Test("does not repeat a bundle id if its manifest is lost")
    func lostManifest() throws {
        let (disk, _, _) = try Self.store()
        disk[runFile("delivery")] = [1]
        disk[runFile("delivery.old")] = [1]
        var queue = try EventQueue(on: disk, limits: Self.limits)
        #expect(
            queue.opening.notes
                == [.init(.storeDamaged, "\(runFile("delivery")) is damaged, and nothing saved before it can be read")]
        )
        var inbox = Inbox()
        _ = try queue.deliver(from: disk, to: &inbox)
        #expect(inbox.bundles.map(\.id) == [10])
    }

    @Test("truncates and counts an incomplete end")
    func tornEnd() throws {
        let disk = MemoryFileSystem()
        var queue = try EventQueue(on: disk)
        try queue.append(1...3)
        disk.inject(.tear(bytes: 7), at: .operation(disk.operations + 1))
        #expect(throws: FileError.self) { try queue.append("torn") }
        let copy = MemoryFileSystem(disk.snapshot())
        var reopened = try EventQueue(on: copy)
        #expect(reopened.opening.tornBytes == 7)
        #expect(reopened.opening.events == 3)
        #expect(reopened.ledger[.torn] == 1)
        try reopened.append(4...4)
        #expect(try EventQueue(on: MemoryFileSystem(copy.snapshot())).opening.tornBytes == 0)
        #expect(try reopened.drain(from: copy) == names(1...4))
        #expect(reopened.isBalanced)
        #expect(copy.paths.filter { $0.hasSuffix(".events") } == [])
    }

    @Test("counts a removed segment")
    func missingSegment() throws {
        let (disk, _, pending) = try Self.store()
        disk[runFile("00000002.events")] = nil
        var queue = try EventQueue(on: disk, limits: Self.limits)
        let sent = try queue.drain(from: disk)
        #expect(sent.count < pending.count)
        #expect(queue.ledger[.missing] == pending.count - sent.count)
        #expect(queue.opening.missingEvents == pending.count - sent.count)
        #expect(queue.isBalanced)
    }

    @Test("ignores files with other names")
    func otherNames() throws {
        let (disk, _, pending) = try Self.store()
        let others = [
            "1.events", "0000000x.events", "00000001.events.bak", "notes.txt", "+0000001.events", "\(Int.max).events",
        ]
        for other in others { disk[runFile(other)] = [1, 2, 3] }
        var queue = try EventQueue(on: disk, limits: Self.limits)
        #expect(try queue.drain(from: disk) == pending)
        for other in others { #expect(disk[runFile(other)] == [1, 2, 3]) }
    }

    // MARK: Crashes

    /// Actions of a run before the loss of power.
    private struct Trace {
        var appended: [String] = []
        var inbox = Inbox()
        /// How many batches had arrived when each process after the first began.
        var starts: [Int] = []
    }

    /// Records, sends in between, is killed and starts again, as an app does over a few days.
    private static func run(on disk: MemoryFileSystem, _ trace: inout Trace) throws {
        var queue = try EventQueue(on: disk, limits: limits)
        for number in 0..<14 {
            try queue.append("e\(number)", at: Int64(number))
            trace.appended.append("e\(number)")
            if number % 4 == 3 { _ = try queue.deliver(from: disk, to: &trace.inbox, maxEvents: 2) }
        }
        _ = try queue.deliver(from: disk, to: &trace.inbox)
        queue.close()
        try queue.append("last", at: 99)
        trace.appended.append("last")
    }

    @Test(
        "loses nothing and sends nothing acknowledged again, wherever the power is cut",
        arguments: [nil, 0, 1, 12, 40, 200]
    )
    func crashes(tornBytes: Int?) throws {
        var step = 0
        var isDone = false
        while !isDone {
            step += 1
            let disk = MemoryFileSystem()
            disk.inject(tornBytes.map { .tear(bytes: $0) } ?? .cutPower, at: .operation(step))
            var trace = Trace()
            do {
                try Self.run(on: disk, &trace)
            } catch {}
            isDone = disk.operations < step
            try Self.check(trace, on: MemoryFileSystem(disk.snapshot()), "step \(step)")
        }
        #expect(step > 60)
    }

    @Test("tolerates a second crash during the recovery from the first")
    func crashesTwice() throws {
        var first = 3
        while true {
            let disk = MemoryFileSystem()
            disk.inject(.tear(bytes: 9), at: .operation(first))
            var trace = Trace()
            do {
                try Self.run(on: disk, &trace)
            } catch {}
            if disk.operations < first { break }
            var second = 0
            var isDone = false
            while !isDone {
                second += 1
                let reopened = MemoryFileSystem(disk.snapshot())
                reopened.inject(.cutPower, at: .operation(second))
                var later = trace
                later.starts = [trace.inbox.bundles.count]
                do {
                    var queue = try EventQueue(on: reopened, limits: Self.limits)
                    _ = try queue.deliver(from: reopened, to: &later.inbox, maxEvents: 3)
                    try queue.append("again", at: 100)
                    later.appended.append("again")
                } catch {}
                isDone = reopened.operations < second
                try Self.check(later, on: MemoryFileSystem(reopened.snapshot()), "steps \(first) and \(second)")
            }
            first += TestLength.count(9, full: 3)
        }
    }

    /// Sends what is left, and compares what the server has with what was recorded.
    private static func check(_ trace: Trace, on disk: MemoryFileSystem, _ comment: Comment) throws {
        var queue = try EventQueue(on: disk, limits: limits)
        var inbox = trace.inbox
        let starts = trace.starts + [inbox.bundles.count]
        while try queue.deliver(from: disk, to: &inbox, maxEvents: 5) {}
        // Whatever came twice is the first batch of a process that began anew, sent again just so.
        for (index, bundle) in inbox.bundles.enumerated() {
            for earlier in inbox.bundles[..<index] {
                if !Set(earlier.events).isDisjoint(with: bundle.events) || earlier.id == bundle.id {
                    #expect(bundle == earlier && starts.contains(index), comment)
                }
            }
        }
        var seen: Set<String> = []
        let arrived = inbox.events.filter { seen.insert($0).inserted }
        // The one that was being written may have made it, or not.
        #expect(arrived.filter(trace.appended.contains) == trace.appended, comment)
        #expect(arrived.count <= trace.appended.count + 1, comment)
        #expect(queue.isBalanced, comment)
        #expect(queue.ledger[.delivered] == arrived.count, comment)
        #expect(queue.ledger[.damaged] == 0, comment)
        #expect(queue.ledger[.missing] == 0, comment)
        #expect(queue.ledger[.torn] <= 2, comment)
        #expect(disk.paths.filter { $0.hasSuffix(".events") } == [], comment)
    }

    @Test("keeps synchronized content through a loss of power")
    func lossOfPower() throws {
        let disk = MemoryFileSystem()
        var queue = try EventQueue(on: disk, limits: QueueLimits(maxBytes: 16 * 150, isDurable: true))
        try queue.append(1...5)
        try queue.fileToSynchronize?.synchronize()
        try queue.append(6...6)
        let dark = MemoryFileSystem(disk.snapshot(losingUnsynchronized: true))
        var reopened = try EventQueue(on: dark)
        #expect(try reopened.drain(from: dark) == names(1...5))
        #expect(reopened.isBalanced)
    }
}
