#if Collector
import ClickstreamCore
import ClickstreamSimulation
import Foundation
import TestSupport
import Testing

@testable import ClickstreamCollector

/// Ends the process after each single operation on the archive's disk, and looks at what the next ones make of it.
@Suite("Archive after a crash between two file operations")
struct ArchiveCrashTests {
    private static let hour: Int64 = 3_600_000
    /// Of the first process; those after it put more into a file, so that files do not end where they did.
    private static let rotation = ArchiveRotation(bytes: 600, seconds: 10)

    /// A request of one event that came so many milliseconds after the start.
    private func upload(_ number: Int, at time: Int64) -> Upload {
        UploadDecoder().decode(
            .post(
                Array("[\(event("E\(number)"))]".utf8),
                id: String(repeating: "0", count: 24) + String(10_000_000 + number),
                at: Timestamp(milliseconds: FixedTime.start + time)
            )
        )
    }

    /// Stores requests, one for each time.
    private func append(_ times: [Int64], to store: Store, from first: Int) async throws {
        try await store.append(times.enumerated().map { upload(first + $0.offset, at: $0.element) })
    }

    /// Brings the archive up to the store until it is, or until the power goes: what is not noted then never is.
    private func follow(_ archive: Archive, _ store: Store, on disk: MemoryFileSystem, closes: Bool) async throws {
        let now = Timestamp(milliseconds: FixedTime.start)
        while true {
            let step = try await store.read { try archive.step($0, now: now, closes: closes) }
            if disk.isPowerCut { return }
            switch step {
            case .wrote: continue
            case .idle: return
            case .closed(let last):
                try await store.write { try Archive.note(last, in: $0) }
                archive.noted(last)
            }
        }
    }

    /// The ids in all closed files of a disk, in any order, and whether a file was left half.
    private func content(of disk: MemoryFileSystem) throws -> (ids: [String], isHalf: Bool) {
        var ids: [String] = []
        for path in disk.paths where path.hasSuffix(".log.gz") {
            let text = try Gzip.inflate(disk[path] ?? [], limit: 1 << 24)
            for line in text.split(separator: 0x0A) {
                let row = try JSONSerialization.jsonObject(with: Data(line)) as? [String: Any]
                ids.append((row?["rid"] as? String).map { String($0.suffix(2)) } ?? "?")
            }
        }
        return (ids.sorted(), disk.paths.contains { $0.hasSuffix(".part") })
    }

    private func live(_ store: Store, on disk: MemoryFileSystem) async throws {
        let archive = try Archive(folder: "/archive", rotation: Self.rotation, disk: disk)
        // Four files at once.
        try await append([0, 1, 20_000, 20_001, 40_000, Self.hour], to: store, from: 10)
        try await follow(archive, store, on: disk, closes: false)
        // One that is large enough, and one that is closed because it is asked for.
        try await append([Self.hour + 1], to: store, from: 16)
        try await follow(archive, store, on: disk, closes: false)
        try await append([Self.hour + 2], to: store, from: 17)
        try await follow(archive, store, on: disk, closes: true)
    }

    /// Two crashes, the second of them within the repair of what the first left.
    @Test(
        "contains every request exactly once in its closed files, and no incomplete ones",
        arguments: [.cutPower, .tear(bytes: 20)] as [MemoryFileSystem.Fault],
        [0, 7]
    )
    func everyPoint(fault: MemoryFileSystem.Fault, second: Int) async throws {
        var operations = 0
        try await withStore { store in
            let disk = MemoryFileSystem()
            try await live(store, on: disk)
            operations = disk.operations
            #expect(try content(of: disk) == (["10", "11", "12", "13", "14", "15", "16", "17"], false))
        }
        #expect(operations > 30)
        for point in 1...operations {
            try await withStore { store in
                var disk = MemoryFileSystem()
                disk.inject(fault, at: .operation(point))
                // It dies at the point: what it throws then does not matter.
                try? await live(store, on: disk)
                #expect(disk.isPowerCut)

                disk = MemoryFileSystem(disk.snapshot(losingUnsynchronized: true))
                let stored = try await store.summary().requests
                // More has come for the hour that was under way, so that its file is not the same again.
                try await append([1], to: store, from: 20)
                if second > 0 {
                    disk.inject(fault, at: .operation(second))
                    try? await again(store, on: disk)
                    disk = MemoryFileSystem(disk.snapshot(losingUnsynchronized: true))
                }
                try await again(store, on: disk)
                let expected = (0..<stored).map { String(10 + $0) } + ["20"]
                #expect(try content(of: disk) == (expected, false), "\(fault) at operation \(point)")
            }
        }
    }

    private func again(_ store: Store, on disk: MemoryFileSystem) async throws {
        let archive = try Archive(folder: "/archive", disk: disk)
        try await follow(archive, store, on: disk, closes: true)
    }

    @Test("recovers by itself from a failed operation, without duplicates", arguments: [1, 2])
    func failures(times: Int) async throws {
        for point in 2...40 {
            try await withStore { store in
                let disk = MemoryFileSystem()
                let archive = try Archive(folder: "/archive", rotation: Self.rotation, disk: disk)
                try await append([0, 1, 20_000, 20_001, Self.hour], to: store, from: 10)
                for time in 0..<times { disk.inject(.fail(errno: 28), at: .operation(point + time)) }
                for _ in 0...times { try? await follow(archive, store, on: disk, closes: true) }
                try await follow(archive, store, on: disk, closes: true)
                #expect(try content(of: disk).ids == ["10", "11", "12", "13", "14"], "operation \(point)")
            }
        }
    }

    @Test("does not block senders, and retains requests in the store until they are on disk")
    func slowDisk() async throws {
        let disk = HeldDisk()
        let store = try Store(path: nil, archive: Archive(folder: "/archive", disk: disk))
        let intake = IngestionWriter(
            store: store,
            arrivals: ArrivalNotifier(),
            metrics: Metrics(start: FixedTime().now().wall),
            retention: Retention(age: 1),
            time: FixedTime()
        )
        for number in 10..<30 { try await intake.take(upload(number, at: -1_000)) }
        #expect(try await store.summary().requests == 20)
        #expect(try content(of: disk.base).ids == [])
        disk.release()
        for _ in 0..<3 {
            await intake.settle()
            await intake.tidy()
        }
        await intake.settle()
        #expect(try await store.summary().requests == 0)
        #expect(try await store.holdings().evicted == StoreHoldings.Evicted(requests: 20, events: 20))
        #expect(try content(of: disk.base).ids == (10..<30).map(String.init))
        try store.close()
    }
}
/// A disk on which no file gets its last name before it is let.
private final class HeldDisk: ForwardingFileSystem {
    let base = MemoryFileSystem()
    private let gate = DispatchSemaphore(value: 0)

    func release() {
        gate.signal()
    }

    func rename(_ path: String, to newPath: String) throws(FileError) {
        gate.wait()
        gate.signal()
        try base.rename(path, to: newPath)
    }
}
#endif
