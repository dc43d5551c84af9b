import ClickstreamSimulation
import Testing

@testable import ClickstreamCore
@testable import ClickstreamStores

/// Looking at a store, proving it and repairing it, without the process that it belongs to.
@Suite("Inspection of a store")
struct StoreReadingTests {
    /// Small segments, so that a short run has several.
    private static let limits = QueueLimits(maxBytes: 16 * 150)

    private static func folder(_ disk: MemoryFileSystem) throws -> StoreFolder {
        try StoreFolder(disk, existing: "/data/app")
    }

    private static func exported(_ disk: MemoryFileSystem) throws -> [String] {
        var events = try folder(disk).pendingEvents()
        var names: [String] = []
        while let event = try events.next() { names.append(name(inJSON: event.json)) }
        return names
    }

    /// A run with a delivered part, a part in flight, whole segments and an open one.
    private static func disk() throws -> MemoryFileSystem {
        let disk = MemoryFileSystem()
        var queue = try EventQueue(on: disk, limits: limits)
        try queue.append(1...9)
        var inbox = Inbox()
        _ = try queue.deliver(from: disk, to: &inbox, maxEvents: 1)
        let flight = try QueueReading(disk, #require(queue.nextRange), maxRawBytes: 1_000_000)
        _ = queue.begin(flight.range)
        return MemoryFileSystem(disk.snapshot())
    }

    @Test("returns every pending event, oldest first across runs and in order within one, and writes nothing")
    func order() throws {
        let disk = MemoryFileSystem()
        var first = try EventQueue(on: disk)
        var second = try EventQueue(on: disk)
        for (name, time) in [("a1", 10), ("a2", 30), ("a3", 20)] { try first.append(name, at: Int64(time)) }
        for (name, time) in [("b1", 15), ("b2", 20), ("b3", 40)] {
            try second.append(name, isActive: false, at: Int64(time))
        }
        let writes = disk.writes
        // Both processes are alive.
        #expect(try Self.exported(disk) == ["a1", "b1", "b2", "a2", "a3", "b3"])
        #expect(disk.writes == writes)
        var events = try Self.folder(disk).pendingEvents()
        #expect(
            try events.next()
                == PendingEvent(
                    run: 1,
                    file: runFile("00000001.events"),
                    sequence: 1,
                    isActive: true,
                    timestamp: Timestamp(milliseconds: 10),
                    json: Array(json("a1").utf8)
                )
        )
    }

    @Test("reads events of any size, piece by piece")
    func pieces() throws {
        let disk = MemoryFileSystem()
        var queue = try EventQueue(on: disk)
        for number in 1...60 { try queue.append("e\(number)", padding: number == 30 ? 900_000 : 20_000) }
        #expect(try Self.exported(disk) == names(1...60))
    }

    @Test("skips events delivered during the reading, and reads the rest")
    func deliveredMeanwhile() throws {
        let disk = MemoryFileSystem()
        var queue = try EventQueue(on: disk, limits: Self.limits)
        try queue.append(1...9)
        var events = try Self.folder(disk).pendingEvents()
        #expect(try events.next().map { name(inJSON: $0.json) } == "e1")
        let read = try #require(queue.nextRange).events
        _ = try queue.drain(from: disk)
        try queue.append("later")
        var rest: [String] = []
        while let event = try events.next() { rest.append(name(inJSON: event.json)) }
        #expect(rest == names(2...read))
        #expect(try Self.exported(disk) == ["later"])
    }

    @Test("creates and writes nothing")
    func missing() throws {
        let disk = MemoryFileSystem()
        #expect(throws: StoreError.failed(FileError(.read, "/data/app/clickstream-store", errno: FileError.absent))) {
            try Self.folder(disk)
        }
        #expect(disk.paths == [])
        #expect(try RunFolder.snapshot(disk, path: "/data/app/runs/1") == nil)
    }

    @Test("reports no problem in an intact store, and counts its events")
    func sound() throws {
        let disk = try Self.disk()
        let writes = disk.writes
        let check = try StoreCheck(disk, Self.folder(disk))
        #expect((check.events, check.runs) == (8, 1))
        #expect(check.findings == [])
        #expect(disk.writes == writes)
        #expect(try Self.exported(disk) == names(2...9))
    }

    @Test("reports each kind of damage, and its position")
    func kinds() throws {
        let disk = try Self.disk()
        let path = runFile("00000002.events")
        let start = try #require(disk[path]?.firstIndex(of: 10)) + 1
        disk[path]?[start + 3] ^= 1
        let open = try #require(disk.paths.last { $0.hasSuffix(".events") })
        disk[open]? += Array("half".utf8)
        disk["/data/app/state"] = Array("nonsense".utf8)
        disk["/data/app/clickstream-store"]?[20] ^= 1
        let findings = try StoreCheck(disk, Self.folder(disk)).findings
        #expect(findings.map(\.kind) == [.damagedMark, .damagedState, .tornEnd, .damagedRecord])
        #expect(findings.last?.path == path)
        #expect(findings.last?.offset == start)
        disk[runFile("00000003.events")] = nil
        disk[runFile("delivery")] = Array("nonsense".utf8)
        let more = try StoreCheck(disk, Self.folder(disk)).findings.map(\.kind)
        #expect(more.contains(.damagedManifest))
    }

    @Test("ignores a record that a running process is writing")
    func beingWritten() throws {
        let disk = try Self.disk()
        let open = try #require(disk.paths.last { $0.hasSuffix(".events") })
        let whole = try #require(disk[open])
        disk[open] = Array(whole.dropLast(5))
        let check = try StoreCheck(disk, Self.folder(disk)) { disk[open] = whole }
        #expect(check.findings == [])
    }

    /// Repairs the runs that no process uses, as `queue repair` does.
    private static func repair(_ disk: MemoryFileSystem) throws {
        for run in try StoreFolder(disk, root: "/data", appID: "app").adoptable() {
            var (folder, _) = try RunFolder.open(disk, path: run.path, lock: run.lock)
            _ = try folder.dropDamaged()
            #expect(folder.ledger.recorded == folder.ledger.settled + folder.pendingEvents)
            run.lock.unlock()
        }
    }

    @Test("repairs any one wrong byte: all readable events are kept, and no problem remains")
    func repairs() throws {
        let disk = try Self.disk()
        for path in disk.paths where path.contains("/runs/") {
            let whole = try #require(disk[path])
            // Every third byte: each part of a line is several bytes long.
            for index in stride(from: 0, to: whole.count, by: 3) {
                let copy = MemoryFileSystem(disk.snapshot())
                copy[path]?[index] ^= 0x20
                let readable = try Self.exported(copy)
                try Self.repair(copy)
                #expect(try Self.exported(copy) == readable, "\(path) at \(index)")
                let check = try StoreCheck(copy, Self.folder(copy))
                #expect(check.findings == [], "\(path) at \(index)")
                #expect(check.events == readable.count)
                var queue = try EventQueue(on: copy, limits: Self.limits)
                #expect(try queue.drain(from: copy) == readable)
                #expect(queue.isBalanced)
            }
        }
    }

    @Test("loses and duplicates nothing when the power is cut anywhere in a repair")
    func powerCut() throws {
        let disk = try Self.disk()
        for path in disk.paths where path.hasSuffix(".events") {
            let start = try #require(disk[path]?.firstIndex(of: 10)) + 1
            disk[path]?[min(start, (disk[path]?.count ?? 1) - 1) - 20] ^= 1
        }
        let readable = try Self.exported(disk)
        #expect((1..<8).contains(readable.count))
        var step = 1
        while true {
            let copy = MemoryFileSystem(disk.snapshot())
            copy.inject(.cutPower, at: .operation(step))
            do {
                try Self.repair(copy)
            } catch {
                #expect(copy.isPowerCut, "\(error)")
            }
            let isOver = !copy.isPowerCut
            let after = MemoryFileSystem(copy.snapshot())
            #expect(try Self.exported(after) == readable, "power cut at operation \(step)")
            try Self.repair(after)
            #expect(try StoreCheck(after, Self.folder(after)).findings == [])
            if isOver { break }
            step += 1
        }
        #expect(step > 20)
    }

    @Test("purges all pending events, also those that an ended process had in flight, and counts them")
    func purge() throws {
        let disk = try Self.disk()
        for run in try StoreFolder(disk, root: "/data", appID: "app").adoptable() {
            var (folder, _) = try RunFolder.open(disk, path: run.path, lock: run.lock)
            #expect(folder.purge() == 8)
            #expect(folder.ledger[.purged] == 8)
            run.lock.unlock()
        }
        #expect(try Self.exported(disk) == [])
        #expect(disk.paths.filter { $0.hasSuffix(".events") } == [])
        var queue = try EventQueue(on: disk)
        #expect(queue.isBalanced)
        #expect(queue.ledger.recorded == 9)
        try queue.append("next")
        #expect(try queue.drain(from: disk) == ["next"])
    }
}
