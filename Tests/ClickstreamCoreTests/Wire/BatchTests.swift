import ClickstreamCore
import Testing

@Suite("Batch")
struct BatchTests {
    private static let limits = [1_024, 8_192, 65_536, 524_288]

    private func text(of batch: Batch) throws -> [UInt8] {
        guard batch.isCompressed else { return batch.body }
        let decoded = try #require(Base64.decode(batch.body))
        return try Gzip.inflate(decoded, limit: .max)
    }

    /// Fills batches until every line is in one: the batches, each checked.
    private func fill(_ lines: [[UInt8]], limit: Int, deflater: Deflater?) throws -> [Batch] {
        var batches: [Batch] = []
        var next = 0
        while next < lines.count {
            var builder = BatchBuilder(limit: limit, deflater: deflater)
            let first = next
            while next < lines.count, builder.append(lines[next]) { next += 1 }
            let batch = builder.finish()
            batches.append(batch)
            try #require(next > first)
            var expected = Array("[".utf8)
            for line in lines[first..<next] { expected += line + Array(",".utf8) }
            expected[expected.count - 1] = UInt8(ascii: "]")
            #expect(try text(of: batch) == expected)
            #expect(batch.eventCount == next - first)
            #expect(batch.rawByteCount == expected.count)
            #expect(batch.isCompressed == (deflater != nil))
            #expect(batch.body.count <= limit || batch.eventCount == 1)
        }
        return batches
    }

    private func typicalLines(_ count: Int) -> [[UInt8]] {
        let fields = (0..<20).map { "\"attribute_\($0)\":\"value \($0 * 7)\"" }.joined(separator: ",")
        return (0..<count).map { index in
            let id = UInt64(index) &* 0x9E37_79B9_7F4A_7C15
            return Array("{\"event_id\":\"\(id)\",\"timestamp\":\(1_693_919_966_703 + index),\(fields)}".utf8)
        }
    }

    /// Lines of random bytes: no JSON, but to a batch that is the same.
    private func randomLines(_ count: Int, longest: Int, _ random: inout SeededGenerator) -> [[UInt8]] {
        (0..<count).map { _ in
            var line: [UInt8] = []
            for _ in 0..<Int.random(in: 0...longest, using: &random) / 8 {
                withUnsafeBytes(of: random.next()) { line.append(contentsOf: $0) }
            }
            return line
        }
    }

    @Test("keeps every line, in order, within the limit: typical lines", arguments: limits, [true, false])
    func typical(limit: Int, compresses: Bool) throws {
        let lines = typicalLines(compresses ? 4_000 : 800)
        let batches = try fill(lines, limit: limit, deflater: compresses ? Deflater() : nil)
        // All but the last are well filled.
        for batch in batches.dropLast() where limit >= 8_192 { #expect(batch.body.count > limit * 6 / 10) }
    }

    @Test("keeps every line, in order, within the limit: lines that do not deflate", arguments: limits, [true, false])
    func incompressible(limit: Int, compresses: Bool) throws {
        var random = SeededGenerator(seed: UInt64(limit))
        let deflater = compresses ? Deflater() : nil
        for longest in [16, 400, 5_000] {
            _ = try fill(randomLines(250, longest: longest, &random), limit: limit, deflater: deflater)
        }
    }

    @Test("sends a line that is longer than the limit alone", arguments: [true, false])
    func tooLong(compresses: Bool) throws {
        var random = SeededGenerator(seed: 5)
        let long =
            Array("{\"a\":\"".utf8) + (0..<5_000).map { _ in UInt8.random(in: 0x30...0x5B, using: &random) }
            + Array("\"}".utf8)
        let short = Array("{}".utf8)
        let batches = try fill([short, long, short, short], limit: 1_024, deflater: compresses ? Deflater() : nil)
        #expect(batches.map(\.eventCount) == [1, 1, 2])
    }

    @Test("is the same for lines with and without a preceding byte", arguments: limits, [true, false])
    func behindBlanks(limit: Int, compresses: Bool) {
        let lines = typicalLines(1_000)
        let deflater = compresses ? Deflater() : nil
        var next = 0
        while next < lines.count {
            let first = next
            var plain = BatchBuilder(limit: limit, deflater: deflater)
            while next < lines.count, plain.append(lines[next]) { next += 1 }
            let batch = plain.finish()
            var builder = BatchBuilder(limit: limit, deflater: deflater)
            for line in lines[first...] {
                var behindBlank = [UInt8(ascii: " ")] + line
                guard behindBlank.withUnsafeMutableBytes({ builder.append(behindBlank: $0) }) else { break }
            }
            #expect(builder.finish() == batch)
        }
    }

    @Test("fills a plain batch to the last byte", arguments: [(11, 3), (10, 3), (9, 2), (7, 2), (6, 1), (1, 1)])
    func exact(limit: Int, eventCount: Int) {
        var builder = BatchBuilder(limit: limit, deflater: nil)
        var count = 0
        for _ in 0..<3 {
            guard builder.append(Array("{}".utf8)) else { break }
            count += 1
        }
        let batch = builder.finish()
        #expect(count == eventCount)
        #expect(batch.body == Array("[\([String](repeating: "{}", count: eventCount).joined(separator: ","))]".utf8))
    }

    @Test("leaves no state for the next batch", arguments: [true, false])
    func reuse(isFinished: Bool) throws {
        let deflater = Deflater()
        var abandoned = BatchBuilder(limit: 1_000, deflater: deflater)
        _ = abandoned.append(Array("{\"a\":1}".utf8))
        if isFinished { _ = abandoned.finish() }
        var builder = BatchBuilder(limit: 1_000, deflater: deflater)
        _ = builder.append(Array("{\"b\":2}".utf8))
        #expect(try text(of: builder.finish()) == Array("[{\"b\":2}]".utf8))
    }

    @Test("stops at the raw limit, however well the lines compress")
    func rawLimit() {
        let line = [UInt8](repeating: UInt8(ascii: "x"), count: 99_999)
        var builder = BatchBuilder(limit: 524_288, deflater: Deflater(level: 1))
        while builder.append(line) {}
        let batch = builder.finish()
        #expect(batch.eventCount == BatchBuilder.rawLimit / 100_000)
        #expect(batch.rawByteCount == batch.eventCount * 100_000 + 1)
    }

    @Test("an empty batch is an empty array")
    func empty() throws {
        #expect(BatchBuilder(limit: 10, deflater: nil).finish().body == Array("[]".utf8))
        #expect(try text(of: BatchBuilder(limit: 10, deflater: Deflater()).finish()) == Array("[]".utf8))
    }
}
