import ClickstreamSimulation
import TestSupport
import Testing

@testable import ClickstreamCore

@Suite("Store folder")
struct StoreFolderTests {
    @Test("is created, marked, and opened again")
    func makes() throws {
        let disk = MemoryFileSystem()
        let store = try StoreFolder(disk, root: "/data/deep", appID: "shopping")
        #expect(store.path == "/data/deep/shopping")
        #expect(try disk.names(in: store.path) == ["clickstream-store", "runs"])
        let mark = String(decoding: disk["/data/deep/shopping/clickstream-store"] ?? [], as: UTF8.self)
        #expect(mark.hasPrefix("clickstream-store 1 "))
        #expect(mark.contains("This folder is the event store of one app, kept by Clickstream for Swift."))
        let run = try store.takeRun()
        #expect(run.number == 1)
        #expect(run.path == "/data/deep/shopping/runs/1")
        _ = try StoreFolder(disk, root: "/data/deep", appID: "shopping")
    }

    @Test(
        "is named after the app id, with escaping",
        arguments: [
            ("shopping", "shopping"), ("com.company.App_1-x", "com.company.App_1-x"), ("..", "%2E."), (".", "%2E"),
            ("a/b", "a%2Fb"), ("", "%"), ("%", "%25"), ("a b\n", "a%20b%0A"), ("\u{E9}", "%C3%A9"),
        ]
    )
    func escapes(appID: String, name: String) {
        #expect(StoreFolder.escaped(appID) == name)
    }

    @Test("distinguishes long app ids within the limit of a file name")
    func escapesLong() {
        let one = StoreFolder.escaped(String(repeating: "/", count: 300) + "1")
        let two = StoreFolder.escaped(String(repeating: "/", count: 300) + "2")
        #expect(one != two)
        #expect(one.utf8.count < 210)
    }

    @Test("is not created over foreign files", arguments: ["notes.txt", "lock", "runs", ".hidden"])
    func foreign(name: String) throws {
        let disk = MemoryFileSystem()
        disk["/data/app/\(name)"] = [1]
        #expect(throws: StoreError.foreignFolder(path: "/data/app", contains: name)) {
            _ = try StoreFolder(disk, root: "/data", appID: "app")
        }
        #expect(disk.paths == ["/data/app/\(name)"])
    }

    @Test("is created in an empty folder, or after an incomplete creation")
    func cutShort() throws {
        for tornBytes in [0, 1, 50, 1_000] {
            for step in 1...12 {
                for fault in [MemoryFileSystem.Fault.cutPower, .tear(bytes: tornBytes)] {
                    let disk = MemoryFileSystem()
                    disk.inject(fault, at: .operation(step))
                    do {
                        _ = try StoreFolder(disk, root: "/data", appID: "app").takeRun()
                    } catch {}
                    let store = try StoreFolder(MemoryFileSystem(disk.snapshot()), root: "/data", appID: "app")
                    #expect(try store.takeRun().number == 1)
                }
            }
        }
    }

    @Test("of a later version is rejected and unchanged")
    func laterVersion() throws {
        let disk = MemoryFileSystem()
        disk["/data/app/clickstream-store"] = StateFile.encode([1], kind: "clickstream-store", version: 3)
        #expect(throws: StoreError.laterVersion(path: "/data/app", version: 3)) {
            _ = try StoreFolder(disk, root: "/data", appID: "app")
        }
        #expect(disk.paths == ["/data/app/clickstream-store"])
    }

    @Test("rejects a manifest of a later version, and leaves it unchanged")
    func laterManifest() throws {
        let disk = MemoryFileSystem()
        let manifest = StateFile.encode([1], kind: "clickstream-delivery", version: 2)
        disk[runFile("delivery")] = manifest
        disk[runFile("00000001.events")] = [1, 2, 3]
        disk["/data/app/clickstream-store"] = []
        #expect(throws: StoreError.laterVersion(path: runFile("delivery"), version: 2)) {
            _ = try EventQueue(on: disk)
        }
        #expect(disk[runFile("delivery")] == manifest)
        #expect(disk[runFile("00000001.events")] == [1, 2, 3])
    }

    @Test("reports a file in its place, and missing write permission")
    func refusals() throws {
        let disk = MemoryFileSystem()
        disk["/data/app"] = [1]
        #expect(throws: StoreError.notFolder(path: "/data/app")) {
            _ = try StoreFolder(disk, root: "/data", appID: "app")
        }
        disk.setReadOnly(true, folder: "/data")
        #expect(throws: StoreError.notWritable(FileError(.createFolder, "/data/other", errno: 13))) {
            _ = try StoreFolder(disk, root: "/data", appID: "other")
        }
    }

    @Test(
        "reports errors with a remedy",
        arguments: [
            (
                StoreError.foreignFolder(path: "/home/me", contains: ".profile"),
                "cannot use /home/me as a store: it contains .profile and no clickstream-store file, "
                    + "so it belongs to another program; choose another storage directory, or an empty one"
            ),
            (
                .notFolder(path: "/x"),
                "cannot use /x as a store: it is not a folder; "
                    + "move it away, or choose another storage directory"
            ),
            (
                .laterVersion(path: "/x", version: 2),
                "cannot use /x: its format version 2 is newer than this library; "
                    + "update the library, or choose another storage directory"
            ),
            (
                .notWritable(FileError(.open, "/x", errno: 30)),
                "cannot open /x: Read-only file system (error 30); "
                    + "mount it writable, or choose another storage directory"
            ),
        ]
    )
    func descriptions(error: StoreError, text: String) {
        #expect(error.description == text)
    }

    // MARK: Runs

    @Test("assigns each process its own run folder, the lowest free one")
    func runs() throws {
        let disk = MemoryFileSystem()
        let store = try StoreFolder(disk, root: "/data", appID: "app")
        let one = try store.takeRun()
        let two = try store.takeRun()
        let three = try store.takeRun()
        #expect([one, two, three].map(\.number) == [1, 2, 3])
        two.lock.unlock()
        #expect(try store.takeRun().number == 2)
        disk["/data/app/runs/07/lock"] = []
        disk["/data/app/runs/x/lock"] = []
        #expect(try store.runs() == [1, 2, 3])
        withExtendedLifetime((one, three)) {}
    }

    @Test("assigns the queues of one process, and processes that run at the same time, empty folders of one generation")
    func generations() throws {
        let disk = MemoryFileSystem()
        let store = try StoreFolder(disk, root: "/data", appID: "app")
        var limits = QueueLimits()
        limits.shards = 2
        let client = try store.takeRun(for: QueueLimits())
        let runs = try (0..<3).map { _ in try store.takeRun(for: limits) }
        #expect(client.number == 1)
        #expect(runs.map(\.number) == [1_000, 1_001, 1_002])
        // Unused, and empty.
        runs[1].lock.unlock()
        #expect(try store.takeRun(for: limits).number == 1_001)
        var queue = try EventQueue(disk, run: runs[0], limits: limits)
        try queue.append(1...3)
        #expect(try store.takeRun(for: limits).number == 1_001)
        // The process has ended, and its events are pending: the next one has a later generation.
        runs[0].lock.unlock()
        let next = try store.takeRun(for: limits)
        #expect(next.number == 2_000)
        #expect(try store.takeRun(for: limits).number == 2_001)
        #expect(try store.takeRun(for: limits, after: 1_000).number == 1_000)
        next.lock.unlock()
        _ = try queue.drain(from: disk)
        #expect(try store.takeRun(for: limits).number == 1_000)
        disk["/data/app/runs/\(Int.max)/lock"] = []
        #expect(try store.takeRun(for: limits).number == 1_000)
        withExtendedLifetime((client, runs)) {}
    }

    @Test(
        "delivers adopted folders by the generation of their processes, and those of one generation by time",
        arguments: [
            ([(1, 30), (1_000, 20), (2_000, 10)], [1, 1_000, 2_000]), ([(1_000, 20), (1_001, 10)], [1_001, 1_000]),
            ([(1, 20), (2, 10)], [2, 1]),
            ([(1_000, 10), (1_001, 30), (2_003, 0), (3_000, -5)], [1_000, 1_001, 2_003, 3_000]),
        ] as [([(run: Int, time: Int64)], [Int])]
    )
    func generationOrder(recorded: [(run: Int, time: Int64)], expected: [Int]) throws {
        let disk = MemoryFileSystem()
        let store = try StoreFolder(disk, root: "/data", appID: "app")
        for (run, time) in recorded {
            try disk.createFolder(store.path(ofRun: run))
            var queue = try EventQueue(disk, run: #require(try store.take(run)), limits: QueueLimits())
            try queue.append("e\(run)", at: time)
        }
        var limits = QueueLimits()
        limits.shards = 1
        var queue = try EventQueue(disk, run: store.takeRun(for: limits), limits: limits)
        for run in try store.adoptable() { _ = try queue.adopt(disk, run) }
        // Earlier than all others, and the last nevertheless.
        try queue.append("e0", at: -100)
        let first = try #require(queue.nextRange)
        let behind = queue.ranges(behind: first, count: 10).map(\.range.run)
        #expect([first.run] + behind == expected.map { store.path(ofRun: $0) } + [queue.own.path])
        #expect(try queue.drain(from: disk) == names(expected + [0]))
    }

    @Test("allows one upload at a time")
    func uploadLock() throws {
        let disk = MemoryFileSystem()
        let store = try StoreFolder(disk, root: "/data", appID: "app")
        let lock = try store.lockForUpload()
        #expect(lock != nil)
        #expect(try store.lockForUpload() == nil)
        lock?.unlock()
        #expect(try store.lockForUpload() != nil)
    }

    /// Three processes record; all are killed after some of it was sent.
    private static func threeRuns() throws -> MemoryFileSystem {
        let disk = MemoryFileSystem()
        var queues = try (0..<3).map { _ in try EventQueue(on: disk, limits: QueueLimits(maxBytes: 16 * 150)) }
        var inbox = Inbox()
        for index in queues.indices {
            try queues[index].append(index * 10..<index * 10 + 8)
            if index > 0 { _ = try queues[index].deliver(from: disk, to: &inbox, maxEvents: 2) }
        }
        // The third is killed while a batch is on its way.
        let reading = try QueueReading(disk, #require(queues[2].nextRange), maxRawBytes: 1)
        let id = queues[2].begin(reading.range)
        #expect(id == 2)
        return disk
    }

    @Test("delivers the events of ended processes, from where they stopped")
    func adopts() throws {
        let disk = MemoryFileSystem(try Self.threeRuns().snapshot())
        let store = try StoreFolder(disk, root: "/data", appID: "app")
        var queue = try EventQueue(disk, run: store.takeRun(), limits: QueueLimits())
        #expect(queue.opening.events == 8)
        let runs = try store.adoptable()
        #expect(runs.map(\.number) == [2, 3])
        for run in runs { #expect(try queue.adopt(disk, run).events == 6) }
        #expect(try store.adoptable().isEmpty)
        #expect(queue.pendingEvents == 20)
        let files: [String] = disk.paths.filter { (path: String) -> Bool in path.hasSuffix(".events") }
        let sizes: [Int] = files.map { (path: String) -> Int in disk[path]?.count ?? 0 }
        let fileBytes: Int = sizes.reduce(0, +)
        #expect(queue.storedBytes == fileBytes)
        try queue.append(90...91)

        var inbox = Inbox()
        while try queue.deliver(from: disk, to: &inbox) {}
        let ranges: [Range<Int>] = [12..<18, 22..<28, 0..<8, 90..<92]
        let expected: [String] = ranges.flatMap { (range: Range<Int>) -> [String] in names(range) }
        #expect(inbox.events == expected)
        // What was on its way goes just so, under its own id.
        let resent = inbox.bundles.first { $0.run.hasSuffix("/3") }
        #expect(resent == Inbox.Bundle(run: "/data/app/runs/3", id: 2, events: names(22...22)))
        #expect(disk.paths.filter { $0.hasSuffix(".events") } == [])
        #expect(queue.adopted.isEmpty)
        let (ledger, pending) = try store.ledger()
        #expect(pending == 0)
        #expect(ledger.recorded == 26)
        #expect(ledger[.delivered] == 26)
    }

    @Test("releases an adopted folder when it is empty")
    func letsGo() throws {
        let disk = MemoryFileSystem(try Self.threeRuns().snapshot())
        let store = try StoreFolder(disk, root: "/data", appID: "app")
        var queue = try EventQueue(disk, run: store.takeRun(), limits: QueueLimits())
        for run in try store.adoptable() { _ = try queue.adopt(disk, run) }
        #expect(try store.takeRun().number == 4)
        _ = try queue.drain(from: disk)
        #expect(try store.takeRun().number == 2)
        #expect(try store.adoptable().isEmpty)
    }

    @Test("ignores the folders of running processes")
    func leavesTheLiving() throws {
        let disk = MemoryFileSystem()
        let store = try StoreFolder(disk, root: "/data", appID: "app")
        var other = try EventQueue(disk, run: store.takeRun(), limits: QueueLimits())
        try other.append(1...3)
        let queue = try EventQueue(disk, run: store.takeRun(), limits: QueueLimits())
        #expect(queue.own.path == "/data/app/runs/2")
        #expect(try store.adoptable().isEmpty)
        #expect(try store.ledger().pendingEvents == 3)
        #expect(try other.drain(from: disk) == names(1...3))
    }

    @Test("evicts adopted events before its own when the store is full")
    func evictsAdoptedFirst() throws {
        let disk = MemoryFileSystem(try Self.threeRuns().snapshot())
        let store = try StoreFolder(disk, root: "/data", appID: "app")
        var queue = try EventQueue(disk, run: store.takeRun(), limits: QueueLimits(maxEvents: 21))
        for run in try store.adoptable() { _ = try queue.adopt(disk, run) }
        try queue.append(90..<95)
        #expect(queue.pendingEvents <= 21)
        #expect(queue.own.pendingEvents == 13)
        let (ledger, pending) = try store.ledger()
        #expect(ledger.recorded == ledger.settled + pending)
        #expect(ledger[.evictedForCount] == 25 - queue.pendingEvents)
    }

    @Test("loses nothing when the power is cut at any step of an adoption")
    func adoptionCrashes() throws {
        let before = try Self.threeRuns().snapshot()
        var step = 0
        var isDone = false
        while !isDone {
            step += 1
            let disk = MemoryFileSystem(before)
            disk.inject(.cutPower, at: .operation(step))
            var inbox = Inbox()
            do {
                let store = try StoreFolder(disk, root: "/data", appID: "app")
                var queue = try EventQueue(disk, run: store.takeRun(), limits: QueueLimits())
                for run in try store.adoptable() { _ = try queue.adopt(disk, run) }
                while try queue.deliver(from: disk, to: &inbox, maxEvents: 3) {}
            } catch {}
            isDone = disk.operations < step

            let copy = MemoryFileSystem(disk.snapshot())
            let store = try StoreFolder(copy, root: "/data", appID: "app")
            var queue = try EventQueue(copy, run: store.takeRun(), limits: QueueLimits())
            for run in try store.adoptable() { _ = try queue.adopt(copy, run) }
            while try queue.deliver(from: copy, to: &inbox) {}
            let ranges: [Range<Int>] = [0..<8, 12..<18, 22..<28]
            let expected: [String] = ranges.flatMap { (range: Range<Int>) -> [String] in names(range) }
            #expect(Set(inbox.events) == Set(expected), "step \(step)")
            let twice = inbox.bundles.indices.filter { inbox.bundles[..<$0].contains(inbox.bundles[$0]) }
            #expect(twice.count <= 1, "step \(step)")
            let sizes: [Int] = twice.map { (index: Int) -> Int in inbox.bundles[index].events.count }
            let repeated: Int = sizes.reduce(0, +)
            #expect(inbox.events.count == 20 + repeated, "step \(step)")
            let (ledger, pending) = try store.ledger()
            #expect(pending == 0 && ledger.recorded == 24 && ledger[.delivered] == 24, "step \(step): \(ledger)")
        }
        #expect(step > 40)
    }

    @Test("works on the machine's own disk, with queues of several processes")
    func realDisk() throws {
        try withFreshFolder { root in
            let disk = LocalFileSystem()
            let store = try StoreFolder(disk, root: root, appID: "app")
            do {
                var queues = try (0..<3).map { _ in
                    try EventQueue(disk, run: store.takeRun(), limits: QueueLimits(maxBytes: 100_000))
                }
                for number in 0..<300 { try queues[number % 3].append("e\(number)") }
                #expect(try store.adoptable().isEmpty)
            }
            var queue = try EventQueue(disk, run: store.takeRun(), limits: QueueLimits(maxBytes: 100_000))
            for run in try store.adoptable() { _ = try queue.adopt(disk, run) }
            var arrived: [String] = []
            while let range = queue.nextRange {
                let reading = try QueueReading(disk, range, maxRawBytes: 1_000)
                _ = queue.begin(reading.range)
                arrived += reading.records.map { name(inJSON: reading.bytes[$0.json]) }
                queue.acknowledge(reading.range)
            }
            #expect(arrived.sorted() == names(0..<300).sorted())
            #expect(try store.ledger().ledger[.delivered] == 300)
        }
    }
}
