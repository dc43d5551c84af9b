import ClickstreamSimulation
import Testing

@testable import ClickstreamCore

/// A single failed file operation at a launch that finds crash reports, for each operation of the launch.
@Suite("Launch after a crash, with one disk failure")
struct CrashReportFaultTests {
    /// Crash capture whose traces are a report's text, read through the disk of the client.
    private struct FileCrashes: CrashCapture {
        let files: MemoryFileSystem

        func watch(_ path: String) throws(FileError) {
            guard try files.size(of: path) == nil else { throw FileError(.open, path, errno: 17) }
            try files.replace(path, with: [0], durably: false)
        }

        func keep(_ draft: CrashDraft?) -> FileError? { nil }

        func keep(_ breadcrumb: Breadcrumb) -> FileError? { nil }

        func end() {}

        func traces(at path: String) throws(FileError) -> CrashTraces {
            guard let bytes = try files.contents(of: path), let report = CrashReport(bytes: bytes) else { return .none }
            return .crash(report)
        }
    }

    private static let ids = ["reported", "own", "other"]

    private static func report(_ id: String) -> [UInt8] {
        CrashReport(
            id: SeededIDs(seed: 7).next(),
            timestamp: Timestamp(milliseconds: 1_700_000_000_000),
            movesLastActive: true,
            line: Array(#"{"event_type":"_app_exception","event_id":"\#(id)","timestamp":1700000000000}"#.utf8)
        ).bytes
    }

    /// A store of an app that reported one crash itself, and of which two processes crashed.
    private static func crashed() throws -> MemoryFileSystem.Snapshot {
        let phone = Phone()
        let first = try phone.launch()
        try phone.launch().kill()
        first.kill()
        phone.disk[Phone.path("crash")] = report("reported")
        phone.disk[Phone.path("runs/1/crash")] = report("own")
        phone.disk[Phone.path("runs/2/crash")] = report("other")
        return phone.disk.snapshot()
    }

    private static func launch(_ phone: Phone) throws -> ClickstreamClient {
        try phone.launch(crashes: FileCrashes(files: phone.disk)) { $0.tracksExceptions = true }
    }

    /// How often the server took each of the crashes.
    private static func taken(_ phone: Phone) -> [Int] {
        let events = phone.server.events.map(\.id)
        return ids.map { id in events.count { $0 == id } }
    }

    @Test(
        "records each report exactly once in the end, for a failure of any operation",
        arguments: [5, 13, 24, 28] as [Int32],
        [false, true]
    )
    func everyOperation(errno: Int32, delivers: Bool) async throws {
        let store = try Self.crashed()
        let well = Phone(disk: MemoryFileSystem(store))
        _ = try await Self.launch(well).flush()
        let operations = well.disk.operations
        #expect(operations > 30)
        for point in 1...operations {
            let phone = Phone(disk: MemoryFileSystem(store), seed: UInt64(point))
            phone.disk.inject(.fail(errno: errno), at: .operation(point))
            do {
                let client = try Self.launch(phone)
                if delivers { _ = await client.flush() }
            } catch {
                // A launch on a broken disk gives no client; the reports stay.
            }
            let next = Phone(disk: MemoryFileSystem(phone.disk.snapshot()), seed: UInt64(point) + 10_000)
            for _ in 0..<2 { try Self.launch(next).kill() }
            let client = try Self.launch(next)
            _ = await client.flush()
            let counts = zip(Self.taken(phone), Self.taken(next)).map { $0 + $1 }
            let comment = Comment(rawValue: "errno \(errno) at operation \(point) of \(operations)")
            if delivers {
                // Recorded in memory while the disk failed, a report is sent, and stays for the next launch: one id.
                #expect(counts.allSatisfy { (1...2).contains($0) }, comment)
            } else {
                #expect(counts == [1, 1, 1], comment)
            }
            #expect(!next.disk.paths.contains { next.disk[$0] == Self.report("own") }, comment)
        }
    }

    @Test("keeps reports that cannot be stored or read, as long as that lasts", arguments: [0, 1, 2])
    func lasting(kind: Int) async throws {
        let phone = Phone(disk: MemoryFileSystem(try Self.crashed()))
        let refused: (Set<FileError.Operation>, Int32) = [([.append], 28), ([.read], 24), ([.list], 24)][kind]
        for _ in 0..<3 {
            phone.disk.refuse(refused.0, errno: refused.1)
            do { try Self.launch(phone).kill() } catch {
                // As above.
            }
            phone.disk.refuse(refused.0, errno: nil)
        }
        #expect(phone.disk[Phone.path("runs/1/crash")] == Self.report("own"))
        let client = try Self.launch(phone)
        _ = await client.flush()
        #expect(Self.taken(phone) == [1, 1, 1])
    }
}
