import ClickstreamJudges
import ClickstreamSimulation
import ClickstreamStores
import TestSupport
import Testing

@testable import ClickstreamCore

/// Every file of an app's store cut at its bytes, and each of its bytes wrong: segments, books, state with its sessions,
/// dead letters, mark, and the predecessors of all these.
///
/// A sample of the bytes; all of them in `soak` (`make soak-damage`).
@Suite("Client on a damaged store")
struct WholeStoreDamageTests {
    private static let stride = TestLength.count(307, full: 101, soak: 1)

    /// Damage to a file at one of its bytes.
    enum Damage: Sendable, CaseIterable {
        case cut
        case lowBit
        case caseBit
        case allBits

        func applied(to bytes: [UInt8], at index: Int) -> [UInt8] {
            var bytes = bytes
            switch self {
            case .cut: return Array(bytes[..<index])
            case .lowBit: bytes[index] ^= 0x01
            case .caseBit: bytes[index] ^= 0x20
            case .allBits: bytes[index] ^= 0xFF
            }
            return bytes
        }
    }

    /// A store with sessions of two processes, a delivered part, one in flight, whole segments, and events put aside.
    private struct Life {
        var disk: MemoryFileSystem.Snapshot
        var files: [String]
        /// The ids of what waits, and of what is put aside.
        var pending: [String]
        var letters: Set<String>
        var now: Timestamp

        init() async throws {
            let phone = Phone(handler: { request in
                let events = ReceivedUpload(target: request.url, body: request.body).recordedEvents
                return events.contains { $0.name == "poison" } ? .status(400) : .status(200)
            })
            func launch() throws -> ClickstreamClient { try phone.launch { $0.maxStoreBytes = 40_000 } }
            let first = try launch()
            for name in ["a", "poison", "b", "poison", "c"] { first.record(name) }
            _ = await first.flush()
            first.setUserID("carl")
            _ = await first.flush()
            letters = try Set(first.deadLetters.all().map(\.eventID))
            first.kill()
            phone.server.defaultReply = .status(503)
            let second = try launch()
            second.screen(name: "Home")
            _ = await second.flush()
            for index in 0..<5 { second.record("tap\(index)") }
            second.kill()
            disk = phone.disk.snapshot()
            files = phone.disk.paths.filter { !$0.hasSuffix("lock") && !$0.hasSuffix("session") }
            pending = try {
                var events = try StoreFolder(phone.disk, existing: "/data/shop").pendingEvents()
                var ids: [String] = []
                while let event = try events.next() { ids.append(RecordedEvent(event.json).id) }
                return ids
            }()
            now = phone.time.now().wall
        }
    }

    @Test(
        "starts, loses at most the damaged records, and its accounting adds up",
        arguments: Damage.allCases
    )
    func survives(damage: Damage) async throws {
        let life = try await Life()
        #expect(life.letters.count == 2)
        #expect(life.files.count >= 8)
        let whole = MemoryFileSystem(life.disk)
        var trials = 0
        for path in life.files {
            let bytes = try #require(whole[path])
            // Another first byte in every file, so that a sample meets all columns.
            for index in Swift.stride(from: path.utf8.count % Self.stride, to: bytes.count, by: Self.stride) {
                trials += 1
                let disk = MemoryFileSystem(life.disk)
                disk[path] = damage.applied(to: bytes, at: index)
                try await check(disk, life, touched: Self.touched(path, bytes, index, damage), "\(path), byte \(index)")
            }
        }
        if Self.stride == 1 { print("\(trials) stores with \(damage)") }
    }

    /// The ids of the events whose records a damage touches.
    private static func touched(_ path: String, _ bytes: [UInt8], _ index: Int, _ damage: Damage) -> Set<String> {
        guard path.hasSuffix(".events") else { return [] }
        let start = bytes[..<index].lastIndex(of: 10).map { $0 + 1 } ?? 0
        var end = bytes.count
        if damage != .cut {
            end = bytes[index...].firstIndex(of: 10) ?? bytes.count
            // A line feed that is gone makes one line of two.
            if bytes[index] == 10 { end = bytes[min(index + 1, bytes.count)...].firstIndex(of: 10) ?? bytes.count }
        }
        return Set(
            bytes[start..<end].split(separator: 10).map { line in
                RecordedEvent(line.drop { $0 != UInt8(ascii: "{") }).id
            }
        )
    }

    private func check(_ disk: MemoryFileSystem, _ life: Life, touched: Set<String>, _ comment: Comment) async throws {
        let phone = Phone(disk: disk, seed: 99)
        phone.time.setWall(to: life.now)
        let client = try phone.launch()
        client.record("after")
        #expect(await client.flush().isComplete, comment)
        let (ledger, pending) = client.ledger
        #expect(pending == 0 && ledger.recorded == ledger.settled, comment)
        let letters = try Set(client.deadLetters.all().map(\.eventID))
        #expect(letters.isSubset(of: life.letters), comment)
        client.kill()
        let arrived = phone.server.events.map(\.id)
        #expect(Set(arrived).count == arrived.count, comment)
        #expect(Set(life.pending).subtracting(arrived).isSubset(of: touched), comment)
        #expect(phone.server.events.contains { $0.name == "after" }, comment)
        let (stored, left) = try StoreFolder(disk, root: "/data", appID: "shop").ledger()
        #expect(stored.recorded == stored.settled + left, comment)
        #expect(try StoreCheck(disk, StoreFolder(disk, existing: "/data/shop")).events == 0, comment)
    }
}
