import ClickstreamSimulation
import Testing

@testable import ClickstreamCore

@Suite("Queue reader")
struct QueueReaderTests {
    /// JSON of the first `maxCount` records of a range, as lent to a reader.
    private func read(
        _ reader: inout QueueReader,
        _ disk: MemoryFileSystem,
        _ range: QueueRange,
        maxCount: Int
    ) throws -> (lines: [[UInt8]], range: QueueRange) {
        var lines: [[UInt8]] = []
        let taken = try reader.read(disk, range) { line in
            guard lines.count < maxCount else { return false }
            #expect(line[0] == UInt8(ascii: " "))
            lines.append(Array(line.dropFirst()))
            line[0] = UInt8(ascii: ",")
            return true
        }
        return (lines, taken)
    }

    @Test(
        "returns the same as one reading of the whole, for any piece size and damage",
        arguments: 1...20 as ClosedRange
    )
    func agrees(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let disk = MemoryFileSystem()
        var queue = try EventQueue(on: disk)
        for number in 0..<40 { try queue.append("e\(number)", padding: Int.random(in: 0...200, using: &random)) }
        var bytes = try #require(disk[runFile("00000001.events")])
        for _ in 0..<Int.random(in: 0...6, using: &random) {
            let index = Int.random(in: 0..<bytes.count, using: &random)
            // A line feed in the middle makes two lines of one, and one in place of another makes one of two.
            bytes[index] = Bool.random(using: &random) ? UInt8(ascii: "\n") : UInt8.random(in: 0...255, using: &random)
        }
        disk[runFile("00000001.events")] = bytes
        var range = try #require(queue.nextRange)
        range.bundleID = Bool.random(using: &random) ? 7 : nil
        var reader = QueueReader(pieceBytes: Int.random(in: 1...3_000, using: &random))
        for maxCount in [0, 1, 17, 39, 40, .max] {
            let whole = try QueueReading(disk, range, maxRawBytes: .max)
            let expected = whole.prefix(maxCount)
            let (lines, taken) = try read(&reader, disk, range, maxCount: maxCount)
            #expect(lines == expected.records.map { Array(expected.bytes[$0.json]) })
            #expect(taken == expected.range)
        }
    }

    @Test("reports why a range is unreadable, and continues afterwards")
    func fails() throws {
        let disk = MemoryFileSystem()
        var queue = try EventQueue(on: disk)
        try queue.append(0..<10)
        let range = try #require(queue.nextRange)
        var reader = QueueReader(pieceBytes: 100)
        disk.refuse([.read], errno: 24)
        #expect(throws: FileError(.read, range.file, errno: 24)) { _ = try read(&reader, disk, range, maxCount: .max) }
        disk.refuse([.read], errno: nil)
        #expect(try read(&reader, disk, range, maxCount: .max).lines.map { name(inJSON: $0) } == names(0..<10))
    }

    @Test(
        "loses only what another program truncated",
        arguments: [(0, 10), (1, 10), (2, 9), (37, 9), (38, 9), (39, 8)]
    )
    func cut(bytes: Int, left: Int) throws {
        let disk = MemoryFileSystem()
        var queue = try EventQueue(on: disk)
        try queue.append(0..<10)
        var range = try #require(queue.nextRange)
        disk[range.file]?.removeLast(bytes)
        for pieceBytes in [7, 100, 100_000] {
            var reader = QueueReader(pieceBytes: pieceBytes)
            let (lines, taken) = try read(&reader, disk, range, maxCount: .max)
            #expect(lines.map { name(inJSON: $0) } == names(0..<left))
            #expect((taken.missing, taken.damaged, taken.to) == (10 - left, 0, range.to))
            #expect(try QueueReading(disk, range, maxRawBytes: .max).range == taken)
            #expect(try read(&reader, disk, range, maxCount: 3).lines.map { name(inJSON: $0) } == names(0..<3))
        }
        // What is appended after the cut keeps its place, and does not become part of the line before it.
        try queue.append(10..<12)
        range = try #require(queue.nextRange)
        for pieceBytes in [7, 100, 100_000] {
            var reader = QueueReader(pieceBytes: pieceBytes)
            let (lines, taken) = try read(&reader, disk, range, maxCount: .max)
            #expect(lines.map { name(inJSON: $0) } == names(0..<left) + names(10..<12))
            #expect(taken.damaged == 10 - left)
            #expect(try QueueReading(disk, range, maxRawBytes: .max).records.count == left + 2)
        }
    }
}
