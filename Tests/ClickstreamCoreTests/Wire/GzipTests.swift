import ClickstreamCore
import Testing

@Suite("Gzip")
struct GzipTests {
    /// By Python's gzip module: "hello, hello, hello".
    private static let foreign: [UInt8] = [
        0x1F, 0x8B, 0x08, 0x00, 0x01, 0x00, 0x00, 0x00, 0x02, 0xFF, 0xCB, 0x48, 0xCD, 0xC9, 0xC9, 0xD7, 0x51, 0xC8,
        0x40,
        0xA2, 0x00, 0x9F, 0xA1, 0xCA, 0x09, 0x13, 0x00, 0x00, 0x00,
    ]
    private static let hello = Array("hello, hello, hello".utf8)

    @Test("decompresses data of other implementations, also with several members")
    func foreign() throws {
        #expect(try Gzip.inflate(GzipTests.foreign, limit: 100) == GzipTests.hello)
        let twice = GzipTests.foreign + Gzip.deflate([]) + GzipTests.foreign
        #expect(try Gzip.inflate(twice, limit: 100) == GzipTests.hello + GzipTests.hello)
    }

    @Test("is deterministic: no time, no system in the header")
    func deterministic() {
        let once = Gzip.deflate(GzipTests.hello)
        #expect(Array(once[..<4]) == [0x1F, 0x8B, 8, 0])
        #expect(Array(once[4..<8]) == [0, 0, 0, 0])
        #expect(once[9] == 255)
        #expect(Gzip.deflate(GzipTests.hello) == once)
        let deflater = Deflater()
        for _ in 0..<3 {
            GzipTests.hello.withUnsafeBytes { deflater.append($0) }
            #expect(deflater.finish() == once)
        }
    }

    @Test("returns the original data, in pieces and at every level", arguments: 1...9)
    func roundTrips(level: Int) throws {
        var random = SeededGenerator(seed: UInt64(level))
        let deflater = Deflater(level: level)
        for length in [0, 1, 100, 70_000] {
            let bytes = (0..<length).map { index in
                index % 2_000 < 1_000 ? UInt8(truncatingIfNeeded: index) : UInt8.random(in: 0...255, using: &random)
            }
            var position = 0
            while position < length {
                let end = min(length, position + Int.random(in: 1...9_000, using: &random))
                bytes[position..<end].withUnsafeBytes { deflater.append($0) }
                if Bool.random(using: &random) { deflater.settle() }
                position = end
            }
            #expect(deflater.inputCount == length)
            #expect(try Gzip.inflate(deflater.finish(), limit: length) == bytes)
        }
    }

    @Test("respects its bound on the output size", arguments: 1...9)
    func bound(level: Int) {
        var random = SeededGenerator(seed: UInt64(level) &* 77)
        let deflater = Deflater(level: level)
        for round in 0..<12 {
            for _ in 0..<Int.random(in: 0...20, using: &random) {
                let length = Int.random(in: 0...3_000, using: &random)
                // From letters that deflate well to bytes that do not at all.
                let highest = UInt8([1, 16, 144, 255][round % 4])
                let bytes = (0..<length).map { _ in UInt8.random(in: 0...highest, using: &random) }
                bytes.withUnsafeBytes { deflater.append($0) }
                if Int.random(in: 0..<4, using: &random) == 0 { deflater.settle() }
            }
            let bound = deflater.finishedCountBound(adding: 0)
            #expect(deflater.finish().count <= bound)
        }
    }

    @Test("the bound is tight after settling")
    func settles() {
        let deflater = Deflater()
        let line = [UInt8](repeating: UInt8(ascii: "x"), count: 100_000)
        line.withUnsafeBytes { deflater.append($0) }
        #expect(deflater.finishedCountBound(adding: 0) > 100_000)
        deflater.settle()
        #expect(deflater.finishedCountBound(adding: 0) < 1_000)
    }

    @Test("stops at the limit, exactly", arguments: [(18, false), (19, true), (20, true), (0, false), (.max, true)])
    func limit(limit: Int, isEnough: Bool) throws {
        if isEnough {
            #expect(try Gzip.inflate(GzipTests.foreign, limit: limit) == GzipTests.hello)
        } else {
            #expect(throws: GzipError.limitExceeded) { try Gzip.inflate(GzipTests.foreign, limit: limit) }
        }
    }

    @Test("stops a decompression bomb at the limit")
    func bomb() {
        let bomb = Gzip.deflate([UInt8](repeating: 0, count: 5_000_000), level: 9)
        #expect(bomb.count < 10_000)
        #expect(throws: GzipError.limitExceeded) { try Gzip.inflate(bomb, limit: 1_000_000) }
    }

    @Test("distinguishes truncated from damaged data")
    func damage() {
        for count in 0..<GzipTests.foreign.count {
            #expect(throws: GzipError.truncated) { try Gzip.inflate(Array(GzipTests.foreign[..<count]), limit: 100) }
        }
        for index in [0, 1, 2, 10, 12, 21, 24, 26] {
            var damaged = GzipTests.foreign
            damaged[index] ^= 0xFF
            #expect(throws: GzipError.corrupt) { try Gzip.inflate(damaged, limit: 1_000) }
        }
        for tail in ["x", "\0", "\0\0", "not gzip"] {
            #expect(throws: GzipError.corrupt) { try Gzip.inflate(GzipTests.foreign + Array(tail.utf8), limit: 100) }
        }
        #expect(throws: GzipError.corrupt) { try Gzip.inflate(Array("[{}]".utf8), limit: 100) }
    }

    @Test("compares checksum and size in the trailer of each member with its content", arguments: [3, 63, 64, 5_000])
    func trailer(count: Int) throws {
        let first = Gzip.deflate([UInt8](repeating: 7, count: count))
        let second = Gzip.deflate((0..<count).map { UInt8(truncatingIfNeeded: $0) })
        #expect(try Gzip.inflate(first + second, limit: 20_000).count == 2 * count)
        for index in [
            Array(first.count - 8..<first.count), Array(first.count + second.count - 8..<first.count + second.count),
        ].joined() {
            var damaged = first + second
            damaged[index] ^= 1
            #expect(throws: GzipError.corrupt) { try Gzip.inflate(damaged, limit: 20_000) }
        }
    }

    @Test("compares the checksum of a header with it", arguments: [0, 1] as [UInt8])
    func headerChecksum(damage: UInt8) throws {
        var member = Gzip.deflate(GzipTests.hello)
        member[3] = 2
        let checksum = member[..<10].withUnsafeBytes { Checksum.crc32($0) }
        member.insert(
            contentsOf: [UInt8(truncatingIfNeeded: checksum) ^ damage, UInt8(truncatingIfNeeded: checksum >> 8)],
            at: 10
        )
        if damage == 0 {
            #expect(try Gzip.inflate(member, limit: 100) == GzipTests.hello)
        } else {
            #expect(throws: GzipError.corrupt) { try Gzip.inflate(member, limit: 100) }
        }
    }

    /// Bytes behind a member, and whether `java.util.zip.GZIPInputStream` (JDK 17) reads the member before them.
    static let tails: [(bytes: [UInt8], isRead: Bool)] = [
        ([0], true), (Array("not gzip, and long enough to be a member".utf8), true),
        ([UInt8](repeating: 0, count: 1_000), true), (Array(foreign.prefix(10)), true),
        (Array(foreign.prefix(18)), true),
        // A header whose extra field, name or checksum is cut off or wrong.
        ([0x1F, 0x8B, 8, 4, 9, 9, 9, 9, 9, 9, 0xFF, 0xFF] + [UInt8](repeating: 1, count: 20), true),
        ([0x1F, 0x8B, 8, 8, 9, 9, 9, 9, 9, 9] + [UInt8](repeating: 1, count: 20), true),
        ([0x1F, 0x8B, 8, 2, 9, 9, 9, 9, 9, 9] + [UInt8](repeating: 1, count: 20), true),
        ([0x1F, 0x8B, 7, 0, 9, 9, 9, 9, 9, 9] + [UInt8](repeating: 1, count: 20), true),
        // A header that is right, and data that is not or ends too early.
        ([0x1F, 0x8B, 8, 0, 9, 9, 9, 9, 9, 9] + [UInt8](repeating: 0xFF, count: 20), false),
        (Array(foreign.dropLast()), false),
    ]

    @Test("ignores bytes after a member that do not begin another one, if requested", arguments: tails)
    func trailing(bytes: [UInt8], isRead: Bool) throws {
        let data = GzipTests.foreign + bytes
        #expect(throws: GzipError.self) { try Gzip.inflate(data, limit: 100) }
        if isRead {
            #expect(try Gzip.inflate(data, limit: 100, trailing: .ignored) == GzipTests.hello)
        } else {
            #expect(throws: GzipError.self) { try Gzip.inflate(data, limit: 100, trailing: .ignored) }
        }
    }

    @Test("returns an error at worst, for any damage", arguments: 0..<4)
    func survives(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let whole = Gzip.deflate((0..<1_000).map { _ in UInt8.random(in: 0...7, using: &random) })
        for _ in 0..<100 {
            var damaged = whole
            damaged[Int.random(in: 0..<damaged.count, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            let result = try? Gzip.inflate(damaged, limit: 100_000)  // either an error, or a flag that means nothing
            #expect(result == nil || result?.count == 1_000)
        }
    }

    @Test("is read in pieces of any length as at once", arguments: [1, 7, 18, 19, 1_000])
    func pieces(count: Int) throws {
        let data = GzipTests.foreign + Gzip.deflate([]) + GzipTests.foreign
        let reader = try GzipReader()
        var result: [UInt8] = []
        while !reader.hasEnded {
            let piece = try data.withUnsafeBytes { try reader.read(count, of: $0) }
            #expect(piece.count == count || reader.hasEnded)
            result += piece
        }
        #expect(result == GzipTests.hello + GzipTests.hello)
        #expect(try data.withUnsafeBytes { try reader.read(count, of: $0) } == [])
    }

    @Test("read in pieces distinguishes truncated from damaged data")
    func damagedPieces() throws {
        let cases: [([UInt8], GzipError)] = [
            (Array(GzipTests.foreign.dropLast()), .truncated), ([], .truncated), ([1, 2, 3], .corrupt),
            (GzipTests.foreign + [1, 2, 3], .corrupt),
        ]
        for (data, error) in cases {
            let reader = try GzipReader()
            #expect(throws: error) {
                while !reader.hasEnded { _ = try data.withUnsafeBytes { try reader.read(10, of: $0) } }
            }
        }
    }
}
