import ClickstreamSimulation
import Testing

@testable import ClickstreamCore

@Suite("Partition keys")
struct PartitionKeyTests {
    private static let longest = String(repeating: "k", count: 63)

    private static func line(_ json: String, _ key: String?, milliseconds: Int64 = 1) -> [UInt8] {
        var line = EventLine(json: Array(json.utf8)[...])
        return line.withRecord(
            sequence: 1,
            isActive: true,
            timestamp: Timestamp(milliseconds: milliseconds),
            partition: key.flatMap { PartitionKey($0) }
        ) { [UInt8]($0) }
    }

    @Test("have 1 to 63 printable ASCII characters without space and @")
    func valid() {
        for text in ["", "a b", "a@b", "ü", "a\n", Self.longest + "k"] { #expect(PartitionKey(text) == nil) }
        for text in ["a", "8DC5EB21-20261122-115158563", "{\"~!", Self.longest] {
            #expect(PartitionKey(text)?.text == text)
        }
    }

    @Test(
        "are read as stored",
        arguments: ["a", "7", "-1", "{}", longest],
        [0, 1_693_920_000_703, -5, .max, -.max] as [Int64]
    )
    func roundTrip(key: String, milliseconds: Int64) throws {
        let line = Self.line(#"{"a":"b c"}"#, key, milliseconds: milliseconds)
        let record = try #require(line.withUnsafeBytes { EventRecord(line: 0..<line.count - 1, of: $0) })
        #expect(record.timestamp.milliseconds == milliseconds)
        #expect(String(decoding: line[record.json], as: UTF8.self) == #"{"a":"b c"}"#)
        #expect(line.withUnsafeBytes(record.partition)?.text == key)
    }

    @Test("leave a record without one unchanged")
    func none() {
        var line = EventLine(json: Array("{}".utf8)[...])
        let timestamp = Timestamp(milliseconds: 1)
        let plain = line.withRecord(sequence: 1, isActive: true, timestamp: timestamp) { [UInt8]($0) }
        #expect(Self.line("{}", nil) == plain)
        #expect(!plain.contains(UInt8(ascii: "@")))
    }

    @Test("are rejected with any wrong bit, and with any truncation")
    func damage() {
        let line = Self.line(#"{"event_type":"a"}"#, "session-1").dropLast()
        for index in line.indices {
            for bit in 0..<8 {
                var damaged = Array(line)
                damaged[index] ^= 1 << bit
                #expect(damaged.withUnsafeBytes { EventRecord(line: 0..<damaged.count, of: $0) } == nil)
            }
            let cut = Array(line[..<index])
            #expect(cut.withUnsafeBytes { EventRecord(line: 0..<cut.count, of: $0) } == nil)
        }
    }

    @Test(
        "are rejected if the checksum is right and the key is not",
        arguments: ["1 F1@ {}", "1 F@a {}", "1 F1@a", "1 Fx@a {}", "1 F1@a@b {}", "1 F1@ü {}", "1 F1@\(longest)k {}"]
    )
    func invalid(rest: String) {
        let bytes = Array(rest.utf8)
        let checksum = String(bytes.withUnsafeBytes { Checksum.crc32c($0) }, radix: 16)
        let line = Array((String(repeating: "0", count: 8 - checksum.count) + checksum + " ").utf8) + bytes
        #expect(line.withUnsafeBytes { EventRecord(line: 0..<line.count, of: $0) } == nil)
    }

    /// A queue with records of three keys and of none.
    private func filled(_ disk: MemoryFileSystem, using random: inout SeededGenerator) throws -> [String] {
        var queue = try EventQueue(on: disk)
        let keys: [String?] = [nil, "a", "b", Self.longest]
        var expected: [String] = []
        for number in 0..<40 {
            let key = keys[Int.random(in: 0..<4, using: &random)]
            var line = EventLine(json: Array(json("e\(number)").utf8)[...])
            let partition = key.flatMap { PartitionKey($0) }
            try queue.append(&line, partition: partition, isActive: false, timestamp: Timestamp(milliseconds: 1))
            expected.append("e\(number) \(key ?? "")")
        }
        return expected
    }

    /// Names and keys of what is delivered, batch by batch; each batch has one key.
    private func drained(_ disk: MemoryFileSystem) throws -> [String] {
        var queue = try EventQueue(on: disk)
        var reader = QueueReader(pieceBytes: 300)
        var delivered: [String] = []
        while let next = queue.nextRange {
            var names: [String] = []
            let range = try reader.read(SegmentSource(disk), next, isPartitioned: true) { line in
                names.append(name(inJSON: line.dropFirst()))
                return true
            }
            delivered += names.map { "\($0) \(range.partition?.text ?? "")" }
            #expect(queue.begin(range) != nil || names.isEmpty)
            queue.acknowledge(range)
        }
        #expect(queue.isBalanced)
        return delivered
    }

    @Test("are the same for all events of a batch, in the order of the queue", arguments: 1...10 as ClosedRange)
    func batches(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let disk = MemoryFileSystem()
        let expected = try filled(disk, using: &random)
        #expect(try drained(disk) == expected)
    }

    @Test("stay with their events in damaged, glued and torn records", arguments: 1...40 as ClosedRange)
    func damaged(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let disk = MemoryFileSystem()
        let expected = try filled(disk, using: &random)
        var bytes = try #require(disk[runFile("00000001.events")])
        for _ in 0..<Int.random(in: 1...6, using: &random) {
            let index = Int.random(in: 0..<bytes.count, using: &random)
            bytes[index] = Bool.random(using: &random) ? UInt8(ascii: "\n") : UInt8.random(in: 0...255, using: &random)
        }
        // The line feed of one record alone, and a torn record at the end.
        if let feed = bytes.lastIndex(of: UInt8(ascii: "\n")) { bytes[feed] = UInt8(ascii: "x") }
        bytes += Self.line("{}", "torn").dropLast(3)
        disk[runFile("00000001.events")] = bytes
        let delivered = try drained(disk)
        #expect(delivered.count >= expected.count - 14)
        var rest = expected[...]
        for event in delivered {
            let index = try #require(rest.firstIndex(of: event), "\(event) is not in the queue, or out of order")
            rest = rest[(index + 1)...]
        }
    }

    @Test("survive the removal of damaged records from a segment")
    func repair() throws {
        var random = SeededGenerator(seed: 1)
        let disk = MemoryFileSystem()
        let expected = try filled(disk, using: &random)
        var bytes = try #require(disk[runFile("00000001.events")])
        bytes[20] ^= 1
        disk[runFile("00000001.events")] = bytes
        let store = try StoreFolder(disk, root: "/data", appID: "app")
        let run = try store.takeRun()
        var (folder, _) = try RunFolder.open(disk, path: run.path, lock: run.lock)
        #expect(try folder.dropDamaged() == 1)
        run.lock.unlock()
        #expect(try drained(disk) == Array(expected.dropFirst()))
    }
}
